-- ZKBioTime 8 and 9 on MySQL or MariaDB. Run own-tables.sql first. The vendor's database is called zkbiotime here.
-- His terminals push by themselves: last_activity says how far each of them has been heard.

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_employee AS
SELECT
  e.emp_code AS emp_no,
  e.emp_code AS device_no,
  NULLIF(TRIM(CONCAT_WS(' ', e.first_name, e.last_name)), '') AS full_name,
  d.dept_name AS grp,
  (e.status = 0) AS active,
  e.hire_date AS hire_date,
  (SELECT MAX(r.resign_date) FROM zkbiotime.personnel_resign r WHERE r.employee_id = e.id) AS end_date,
  NULL AS shift_code
FROM zkbiotime.personnel_employee e
LEFT JOIN zkbiotime.personnel_department d ON d.id = e.department_id;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_scan AS
SELECT t.id AS scan_id, t.emp_code AS device_no, t.punch_time AS scanned_at, t.terminal_sn AS device
FROM zkbiotime.iclock_transaction t;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_pull AS
SELECT COALESCE(NULLIF(t.alias, ''), t.sn) AS device, t.last_activity AS pulled_through
FROM zkbiotime.iclock_terminal t;

-- Holidays for everyone; those of one department or group are left out. Leave differs between versions of ZKBioTime:
-- add it with UNION ALL once you have seen how yours stores an approved one (att_leave and its workflow instance).
CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_dayoff AS
SELECT
  h.start_date AS date_from,
  h.start_date + INTERVAL (GREATEST(h.duration_day, 1) - 1) DAY AS date_to,
  NULL AS emp_no,
  'D' AS part,
  h.alias AS label
FROM zkbiotime.att_holiday h
WHERE h.department_id IS NULL AND h.att_group_id IS NULL;
