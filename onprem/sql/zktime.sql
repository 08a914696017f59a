-- ZKTime and att2000 on MySQL or MariaDB. Run own-tables.sql first. The vendor's database is called zktime here.
-- checkinout knows people by userid, everybody else by badgenumber: device_no is the userid.
-- Nothing tells how far the terminals have been pulled: without attsync_pull a window counts ten minutes after its end.

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_employee AS
SELECT
  u.badgenumber AS emp_no,
  CAST(u.userid AS CHAR) AS device_no,
  NULLIF(TRIM(CONCAT_WS(' ', u.name, u.lastname)), '') AS full_name,
  d.DeptName AS grp,
  (COALESCE(u.OffDuty, 0) = 0) AS active,
  u.Hiredday AS hire_date,
  u.firedate AS end_date,
  NULL AS shift_code
FROM zktime.userinfo u
LEFT JOIN zktime.departments d ON d.DeptID = u.defaultdeptid;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_scan AS
SELECT c.id AS scan_id, CAST(c.userid AS CHAR) AS device_no, c.checktime AS scanned_at, c.sn_name AS device
FROM zktime.checkinout c;

-- Leave has a beginning and an end with a time: what ends by noon is a morning, what begins at noon an afternoon.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_dayoff AS
SELECT
  DATE(h.StartTime) AS date_from,
  DATE(h.StartTime) + INTERVAL (GREATEST(h.Duration, 1) - 1) DAY AS date_to,
  NULL AS emp_no,
  'D' AS part,
  h.HolidayName AS label
FROM zktime.holidays h
UNION ALL
SELECT
  DATE(s.StartSpecDay),
  DATE(COALESCE(s.EndSpecDay, s.StartSpecDay)),
  u.badgenumber,
  CASE
    WHEN DATE(s.EndSpecDay) <> DATE(s.StartSpecDay) THEN 'D'
    WHEN TIME(s.EndSpecDay) > '00:00:00' AND TIME(s.EndSpecDay) <= '13:00:00' THEN 'M'
    WHEN TIME(s.StartSpecDay) >= '12:00:00' THEN 'A'
    ELSE 'D'
  END,
  COALESCE(l.LeaveName, s.YUANYING)
FROM zktime.user_speday s
JOIN zktime.userinfo u ON u.userid = s.UserID
LEFT JOIN zktime.leaveclass l ON l.LeaveID = s.DateID;
