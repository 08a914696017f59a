DROP DATABASE IF EXISTS zktime;
CREATE DATABASE zktime CHARACTER SET utf8;
CREATE TABLE zktime.departments (DeptID INT PRIMARY KEY, DeptName VARCHAR(50)) ENGINE = MyISAM;
CREATE TABLE zktime.userinfo (
  userid INT PRIMARY KEY, badgenumber VARCHAR(20) NOT NULL, name VARCHAR(24), lastname VARCHAR(24), defaultdeptid INT, OffDuty SMALLINT,
  Hiredday DATE, firedate DATE) ENGINE = MyISAM;
CREATE TABLE zktime.checkinout (
  id INT AUTO_INCREMENT PRIMARY KEY, userid INT NOT NULL, checktime DATETIME NOT NULL, sn_name VARCHAR(40), UNIQUE (userid, checktime)) ENGINE = MyISAM;
CREATE TABLE zktime.holidays (HolidayID INT PRIMARY KEY, HolidayName VARCHAR(40), StartTime DATETIME, Duration SMALLINT) ENGINE = MyISAM;
CREATE TABLE zktime.leaveclass (LeaveID INT PRIMARY KEY, LeaveName VARCHAR(40)) ENGINE = MyISAM;
CREATE TABLE zktime.user_speday (
  id INT AUTO_INCREMENT PRIMARY KEY, UserID INT NOT NULL, StartSpecDay DATETIME NOT NULL, EndSpecDay DATETIME, DateID INT NOT NULL, YUANYING VARCHAR(200)) ENGINE = MyISAM;
INSERT INTO zktime.departments VALUES (1, 'ผลิต');
INSERT INTO zktime.userinfo VALUES
  (101, '0012', 'สมชาย', 'ใจดี', 1, 0, '2020-01-01', NULL), (12, '0101', 'เลขสลับ', '', 1, NULL, NULL, NULL), (103, '0013', NULL, NULL, NULL, 0, NULL, NULL),
  (104, '0014', 'พักงาน', NULL, 1, 1, NULL, NULL), (105, '0015', 'ออกแล้ว', NULL, 1, 0, NULL, '2026-07-27'),
  (106, '0016', 'ลาเช้า', NULL, 1, 0, NULL, NULL), (107, '0017', 'ลาบ่าย', NULL, 1, 0, NULL, NULL), (108, '0018', 'ลาทั้งวัน', NULL, 1, 0, NULL, NULL), (109, '0019', 'ลายาว', NULL, 1, 0, NULL, NULL);
INSERT INTO zktime.checkinout (userid, checktime, sn_name) VALUES
  (101, '2026-07-28 07:41:00', 'SN1'), (101, '2026-07-28 12:40:00', 'SN1'), (12, '2026-07-28 06:00:00', 'SN1'), (106, '2026-07-28 12:10:00', 'SN1'),
  (107, '2026-07-28 07:00:00', 'SN1'), (999, '2026-07-28 07:30:00', 'SN1');
INSERT INTO zktime.holidays VALUES (1, 'วันสงกรานต์', '2026-04-13 00:00:00', 3);
INSERT INTO zktime.leaveclass VALUES (1, 'ลาป่วย'), (2, 'ลากิจ');
INSERT INTO zktime.user_speday (UserID, StartSpecDay, EndSpecDay, DateID, YUANYING) VALUES
  (106, '2026-07-28 08:00:00', '2026-07-28 12:00:00', 1, ''), (107, '2026-07-28 13:00:00', '2026-07-28 17:00:00', 2, ''),
  (108, '2026-07-28 08:00:00', '2026-07-28 17:00:00', 9, 'ไปศาล'), (109, '2026-07-20 08:00:00', '2026-08-02 17:00:00', 1, ''), (777, '2026-07-28 08:00:00', NULL, 1, '');
