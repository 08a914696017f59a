DROP DATABASE IF EXISTS zkbiotime;
CREATE DATABASE zkbiotime CHARACTER SET utf8mb4;
CREATE TABLE zkbiotime.personnel_department (id INT PRIMARY KEY, dept_code VARCHAR(50), dept_name VARCHAR(200)) ENGINE = InnoDB;
CREATE TABLE zkbiotime.personnel_employee (
  id INT PRIMARY KEY, status SMALLINT NOT NULL, emp_code VARCHAR(20) NOT NULL UNIQUE, first_name VARCHAR(100), last_name VARCHAR(100),
  hire_date DATE, department_id INT) ENGINE = InnoDB;
CREATE TABLE zkbiotime.personnel_resign (id INT PRIMARY KEY, employee_id INT, resign_date DATETIME, disableatt TINYINT) ENGINE = InnoDB;
CREATE TABLE zkbiotime.iclock_terminal (id INT PRIMARY KEY, sn VARCHAR(50), alias VARCHAR(50), last_activity DATETIME(6)) ENGINE = InnoDB;
CREATE TABLE zkbiotime.iclock_transaction (
  id INT PRIMARY KEY, emp_code VARCHAR(20) NOT NULL, punch_time DATETIME(6) NOT NULL, punch_state VARCHAR(5), terminal_sn VARCHAR(50),
  KEY (punch_time)) ENGINE = InnoDB;
CREATE TABLE zkbiotime.att_holiday (
  id INT PRIMARY KEY, alias VARCHAR(50), start_date DATE, duration_day SMALLINT, department_id INT, att_group_id INT) ENGINE = InnoDB;
INSERT INTO zkbiotime.personnel_department VALUES (1, 'A', 'ผลิต A'), (2, 'B', 'คลังสินค้า');
INSERT INTO zkbiotime.personnel_employee VALUES
  (1, 0, '0012', 'สมชาย', 'ใจดี', '2020-01-01', 1),
  (2, 0, '12', 'สมหญิง 😀', NULL, NULL, 2),
  (3, 0, 'A012', NULL, NULL, NULL, NULL),
  (4, 0, '0020', 'ลาออก', 'แล้ว', NULL, 1),
  (5, 0, '0021', 'ออก', 'พรุ่งนี้', NULL, 1),
  (6, 1, '0022', 'ปิด', 'อยู่', NULL, 1),
  (7, 1, '0023', 'ปิด', 'แต่มา', NULL, 1),
  (8, 0, '0024', 'เริ่ม', 'พรุ่งนี้', '2026-07-29', 1);
INSERT INTO zkbiotime.personnel_resign VALUES (1, 4, '2020-02-01 00:00:00', 0), (2, 4, '2026-07-27 00:00:00', 1), (3, 5, '2026-07-29 00:00:00', 1);
INSERT INTO zkbiotime.iclock_terminal VALUES (1, 'SN1', 'ประตูหน้า', '2026-07-28 19:58:00.123456'), (2, 'SN2', '', '2026-07-28 19:30:00'), (3, 'SN3', 'เก่า', NULL);
INSERT INTO zkbiotime.iclock_transaction VALUES
  (1, '0012', '2026-07-28 06:55:10.999999', '0', 'SN1'), (2, '0012', '2026-07-28 06:55:10.999999', '0', 'SN1'), (3, '0012', '2026-07-28 12:59:59', '0', 'SN1'), (4, '0012', '2026-07-28 17:05:00', '1', 'SN2'),
  (5, '12', '2026-07-28 08:01:00', '0', 'SN1'), (6, '0023', '2026-07-28 12:00:00', '0', 'SN1'), (7, '555', '2026-07-28 07:00:00', '0', 'SN1'),
  (8, 'A012', '2026-07-28 10:00:00', '0', 'SN1'), (9, '0012', '2026-07-27 06:00:00', '0', 'SN1');
INSERT INTO zkbiotime.att_holiday VALUES (1, 'วันหยุดยาว', '2026-07-29', 2, NULL, NULL), (2, 'ของแผนกเดียว', '2026-07-28', 1, 1, NULL);
