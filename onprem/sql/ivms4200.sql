-- iVMS-4200 writing to a third-party database. Run own-tables.sql first. That database is called ivms here.
-- Never add a constraint, a trigger or a column to its table: the program stops writing and says nothing.
-- It stores no list of people, so they are a table of ours. A newcomer shows up as an unmatched number: add him here.

CREATE TABLE IF NOT EXISTS attsync.attsync_employee (
  emp_no VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
  device_no VARCHAR(64) NULL,
  full_name VARCHAR(255) NULL,
  grp VARCHAR(100) NULL,
  active TINYINT NOT NULL DEFAULT 1,
  hire_date DATE NULL,
  end_date DATE NULL,
  shift_code VARCHAR(20) NULL
) DEFAULT CHARSET = utf8mb4;

-- Everybody who scanned in the last sixty days, to begin with. Running it again adds newcomers and changes nobody.
INSERT IGNORE INTO attsync.attsync_employee (emp_no, device_no, full_name)
SELECT TRIM(a.employeeID), TRIM(a.employeeID), NULLIF(MAX(TRIM(a.personName)), '')
FROM ivms.attendance a
WHERE TRIM(a.employeeID) <> '' AND a.authDateTime >= NOW() - INTERVAL 60 DAY
GROUP BY TRIM(a.employeeID);

CREATE OR REPLACE SQL SECURITY DEFINER VIEW attsync.attsync_scan AS
SELECT
  a.id AS scan_id,
  TRIM(a.employeeID) AS device_no,
  a.authDateTime AS scanned_at,
  COALESCE(NULLIF(a.deviceName, ''), a.deviceSerNum) AS device
FROM ivms.attendance a
WHERE TRIM(a.employeeID) <> '';
