-- A typical site: a PHP program of 2012 that grew. The types are as imperfect as they are found; `manage.py
-- simulate_factory --schema=reference` fills it. For your own site only the views at the end are of interest.
--
-- People are tis620 on MyISAM, scans latin1 without a unique key, windows and overrides utf8. Department names are
-- Thai bytes in a column that says latin1. A date nobody knows is 0000-00-00.

CREATE TABLE employee (
  emp_id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  emp_code VARCHAR(12) NOT NULL,
  title VARCHAR(20) NULL,
  fname VARCHAR(60) NULL,
  lname VARCHAR(60) NULL,
  dept_id INT UNSIGNED NULL,
  shift_id INT UNSIGNED NULL,
  device_user_id VARCHAR(24) NULL,
  hire_date DATE NOT NULL DEFAULT '0000-00-00',
  resign_date DATE NOT NULL DEFAULT '0000-00-00',
  status CHAR(1) NOT NULL DEFAULT '1',
  UNIQUE KEY uq_code (emp_code),
  KEY k_dev (device_user_id)
) ENGINE = MyISAM DEFAULT CHARSET = tis620;

CREATE TABLE department (
  dept_id INT UNSIGNED NOT NULL PRIMARY KEY,
  dept_name VARCHAR(60) NULL
) ENGINE = MyISAM DEFAULT CHARSET = latin1;

CREATE TABLE scan_log (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  device_sn VARCHAR(40) NULL,
  employee_no VARCHAR(32) NULL,
  scan_time DATETIME NOT NULL,
  major TINYINT UNSIGNED NULL,
  minor TINYINT UNSIGNED NULL,
  raw_json MEDIUMTEXT NULL,
  KEY k_time (scan_time)
) ENGINE = InnoDB DEFAULT CHARSET = latin1;

CREATE TABLE att_period (
  code TINYINT UNSIGNED NOT NULL PRIMARY KEY,
  label VARCHAR(40) NULL,
  start_time TIME NULL,
  end_time TIME NULL,
  late_after TIME NULL,
  grp TINYINT UNSIGNED NULL,
  shift_id INT UNSIGNED NULL,
  next_day TINYINT NULL,
  active TINYINT NOT NULL DEFAULT 1
) ENGINE = InnoDB DEFAULT CHARSET = utf8;

CREATE TABLE att_manual (
  work_date DATE NOT NULL,
  period TINYINT UNSIGNED NOT NULL,
  emp_code VARCHAR(12) NOT NULL,
  status VARCHAR(10) NOT NULL,
  by_user VARCHAR(40) NULL,
  note VARCHAR(120) NULL,
  updated_at DATETIME NULL,
  PRIMARY KEY (work_date, period, emp_code)
) ENGINE = InnoDB DEFAULT CHARSET = utf8;

CREATE TABLE device (
  sn VARCHAR(40) NOT NULL PRIMARY KEY,
  name VARCHAR(60) NULL,
  last_pull_ok DATETIME NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8;

CREATE TABLE holiday (
  h_date DATE NOT NULL PRIMARY KEY,
  h_name VARCHAR(120) NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8;

CREATE TABLE leave_req (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  emp_code VARCHAR(12) NULL,
  d_from DATE NULL,
  d_to DATE NULL,
  part CHAR(1) NULL,
  reason VARCHAR(120) NULL,
  approved TINYINT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8;

-- ---------------------------------------------------------------------------------------------------------------------
-- The six views: all that the agent ever reads.

-- device_user_id is what was typed into the terminal, which drops leading zeros: 12 for 0012.
CREATE SQL SECURITY DEFINER VIEW attsync_employee AS
SELECT
  e.emp_code AS emp_no,
  TRIM(e.device_user_id) AS device_no,
  TRIM(CONCAT_WS(' ', e.fname, e.lname)) AS full_name,
  CONVERT(CAST(d.dept_name AS BINARY) USING tis620) AS grp,
  (e.status = '1') AS active,
  IF(MONTH(e.hire_date) = 0 OR DAYOFMONTH(e.hire_date) = 0, NULL, e.hire_date) AS hire_date,
  IF(MONTH(e.resign_date) = 0 OR DAYOFMONTH(e.resign_date) = 0, NULL, e.resign_date) AS end_date,
  e.shift_id AS shift_code
FROM employee e
LEFT JOIN department d ON d.dept_id = e.dept_id;

-- Passes only: refused faces, doors and alarms are rows of the same table.
CREATE SQL SECURITY DEFINER VIEW attsync_scan AS
SELECT s.id AS scan_id, TRIM(s.employee_no) AS device_no, s.scan_time AS scanned_at, s.device_sn AS device
FROM scan_log s
WHERE (s.major IS NULL OR s.major = 5)
  AND (s.minor IS NULL OR s.minor IN (1, 38, 40, 43, 46, 54, 57, 60, 63, 66, 69, 72, 75, 77))
  AND TRIM(s.employee_no) NOT IN ('', '0');

CREATE SQL SECURITY DEFINER VIEW attsync_period AS
SELECT p.code, p.label, p.start_time, p.end_time, p.late_after, p.grp, p.shift_id AS shift_code,
  p.next_day AS day_offset
FROM att_period p
WHERE p.active = 1;

-- The one that is written: no expression, no join, every column without a default is in it.
CREATE SQL SECURITY DEFINER VIEW attsync_override AS
SELECT m.work_date, m.period, m.emp_code AS emp_no, m.status, m.by_user AS source, m.updated_at
FROM att_manual m;

CREATE SQL SECURITY DEFINER VIEW attsync_pull AS
SELECT v.sn AS device, v.last_pull_ok AS pulled_through
FROM device v;

CREATE SQL SECURITY DEFINER VIEW attsync_dayoff AS
SELECT h.h_date AS date_from, h.h_date AS date_to, NULL AS emp_no, 'D' AS part, h.h_name AS label
FROM holiday h
UNION ALL
SELECT l.d_from, l.d_to, l.emp_code, l.part, l.reason
FROM leave_req l
WHERE l.approved = 1;
