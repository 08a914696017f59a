-- Windows and overrides as tables of their own, for systems that have neither.
-- They live in a database beside the vendor's, so that no upgrade of his touches them and no table of his is changed.

CREATE DATABASE IF NOT EXISTS attsync DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE IF NOT EXISTS attsync.attsync_period (
  code TINYINT UNSIGNED NOT NULL PRIMARY KEY,  -- 1 to 255, never used again for another window
  label VARCHAR(60),
  start_time TIME NOT NULL,                    -- a window is [start, end): the end itself is outside
  end_time TIME NOT NULL,                      -- not after the start: the window crosses midnight
  late_after TIME NULL,                        -- 08:00: 08:00 is on time, 08:01 is late
  grp TINYINT UNSIGNED NULL,                   -- windows with one number count as one; NULL: on its own
  shift_code VARCHAR(20) NULL,                 -- NULL: for everyone
  day_offset TINYINT UNSIGNED NULL             -- 1: the morning after; NULL: decided by the hour the day starts
) DEFAULT CHARSET = utf8mb4;

-- Change these four to your own windows.
INSERT IGNORE INTO attsync.attsync_period VALUES
  (1, 'เช้า 1', '05:30:00', '07:30:00', NULL, 1, NULL, NULL),
  (2, 'เช้า 2', '07:30:00', '09:00:00', '08:00:00', 1, NULL, NULL),
  (3, 'บ่าย', '12:00:00', '13:30:00', '13:00:00', 2, NULL, NULL),
  (4, 'เย็น', '16:30:00', '19:00:00', NULL, 3, NULL, NULL);

CREATE TABLE IF NOT EXISTS attsync.attsync_override (
  work_date DATE NOT NULL,
  period TINYINT UNSIGNED NOT NULL,
  emp_no VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status VARCHAR(16) NOT NULL,
  source VARCHAR(40) NULL,
  updated_at DATETIME NULL,
  PRIMARY KEY (work_date, period, emp_no)
) DEFAULT CHARSET = utf8mb4;
