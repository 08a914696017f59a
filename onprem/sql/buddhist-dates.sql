-- A PHP site with one row per person and day: the day as the text 25690728 (Buddhist era), a time in and a time out.
-- Run own-tables.sql first. The site's database is called site here.
-- SIGNED, not UNSIGNED: one day that is no number must not end the whole query with "out of range".
-- The moment is computed, so no index helps: with years of rows, archive old ones or give the site a real column.

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_employee AS
SELECT
  CAST(s.emp_id AS CHAR) AS emp_no,
  CAST(s.emp_id AS CHAR) AS device_no,
  NULLIF(TRIM(CONCAT_WS(' ', CONCAT(COALESCE(s.prefix, ''), s.name), s.surname)), '') AS full_name,
  s.department AS grp,
  (s.resigned IS NULL OR s.resigned = '') AS active,
  STR_TO_DATE(CAST(CAST(s.started AS SIGNED) - 5430000 AS CHAR), '%Y%m%d') AS hire_date,
  STR_TO_DATE(CAST(CAST(NULLIF(s.resigned, '') AS SIGNED) - 5430000 AS CHAR), '%Y%m%d') AS end_date,
  NULL AS shift_code
FROM site.staff s;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_scan AS
SELECT
  CONCAT(t.work_id, '-', t.emp_id, '-i') AS scan_id,
  CAST(t.emp_id AS CHAR) AS device_no,
  TIMESTAMP(STR_TO_DATE(CAST(CAST(t.work_id AS SIGNED) - 5430000 AS CHAR), '%Y%m%d'), t.time_in) AS scanned_at,
  NULL AS device
FROM site.time_attendance t
UNION ALL
SELECT
  CONCAT(t.work_id, '-', t.emp_id, '-o'),
  CAST(t.emp_id AS CHAR),
  -- Out before in: he left after midnight.
  TIMESTAMP(STR_TO_DATE(CAST(CAST(t.work_id AS SIGNED) - 5430000 AS CHAR), '%Y%m%d'), t.time_out)
    + INTERVAL IF(t.time_out < t.time_in, 1, 0) DAY,
  NULL
FROM site.time_attendance t
WHERE t.time_out IS NOT NULL;
