DROP DATABASE IF EXISTS site;
CREATE DATABASE site CHARACTER SET utf8 COLLATE utf8_unicode_ci;
CREATE TABLE site.employee (
  emp_id INT PRIMARY KEY, emp_code VARCHAR(255), emp_team VARCHAR(255), emp_firstname VARCHAR(255), emp_lastname VARCHAR(255), emp_status VARCHAR(255));
CREATE TABLE site.finger (finger_id INT PRIMARY KEY, emp_code VARCHAR(255), punch_time DATETIME, emp_team VARCHAR(255));
INSERT INTO site.employee VALUES
  (6, '001', '1', 'ก', 'ข', '1'), (7, '002', '1', 'ค', 'ง', '1'), (8, '1', '2', 'จ', 'ฉ', '1'), (9, 'A03', '2', '', NULL, '1'), (10, '004', '2', 'ออก', 'แล้ว', '0'),
  (11, '05', '1', 'ชน', 'หนึ่ง', '1'), (12, '005', '1', 'ชน', 'สอง', '1');
INSERT INTO site.finger VALUES
  (1, '3', '2026-07-28 07:46:37', '1'), (2, '1', '2026-07-28 17:15:13', '1'), (3, '1', '2026-07-28 06:10:00', '2'), (4, 'A03', '2026-07-28 12:00:00', '2'),
  (5, ' 2', '2026-07-28 07:30:00', '1'), (6, '002', '2026-07-28 12:30:00', '1'), (7, '5', '2026-07-28 06:00:00', '1'), (8, '1', NULL, '1');
