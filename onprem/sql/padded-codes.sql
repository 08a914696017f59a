-- A PHP site: employees are 001, the terminals of team 1 send 1, and both are unique per team only.
-- Run own-tables.sql first. The site's database is called site here. A person is "team-code" to us.

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_employee AS
SELECT
  CONCAT(COALESCE(e.emp_team, ''), '-', e.emp_code) AS emp_no,
  CONCAT(COALESCE(e.emp_team, ''), '/',
    IF(e.emp_code REGEXP '^[0-9]+$', CAST(CAST(e.emp_code AS UNSIGNED) AS CHAR), e.emp_code)) AS device_no,
  NULLIF(TRIM(CONCAT_WS(' ', e.emp_firstname, e.emp_lastname)), '') AS full_name,
  CONCAT('ทีม ', e.emp_team) AS grp,
  (e.emp_status = '1') AS active,
  NULL AS hire_date,
  NULL AS end_date,
  NULL AS shift_code
FROM site.employee e;

-- The same fold on this side: a terminal may send 1, 01 or 001.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_scan AS
SELECT
  f.finger_id AS scan_id,
  CONCAT(COALESCE(f.emp_team, ''), '/',
    IF(TRIM(f.emp_code) REGEXP '^[0-9]+$', CAST(CAST(TRIM(f.emp_code) AS UNSIGNED) AS CHAR), TRIM(f.emp_code)))
    AS device_no,
  f.punch_time AS scanned_at,
  NULL AS device
FROM site.finger f
WHERE f.punch_time IS NOT NULL;
