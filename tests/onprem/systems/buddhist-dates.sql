DROP DATABASE IF EXISTS site;
CREATE DATABASE site CHARACTER SET utf8;
CREATE TABLE site.time_attendance (time_in TIME NOT NULL, time_out TIME NULL, work_id VARCHAR(8) NOT NULL, emp_id INT NOT NULL);
CREATE TABLE site.staff (emp_id INT PRIMARY KEY, prefix VARCHAR(20), name VARCHAR(60), surname VARCHAR(60), department VARCHAR(60), started VARCHAR(8), resigned VARCHAR(8));
INSERT INTO site.staff VALUES
  (1001, 'นาย', 'สมชาย', 'ใจดี', 'ผลิต', '25600101', ''), (1002, NULL, 'สมหญิง', NULL, NULL, '', NULL), (1003, 'นาง', 'ออก', 'แล้ว', 'ผลิต', '25600101', '25690727'),
  (1004, 'นาง', 'ออก', 'วันนี้', 'ผลิต', '25600101', '25690728'), (1005, '', 'ยัง', 'ไม่เริ่ม', 'ผลิต', '25690729', ''), (1006, '', 'วันที่', 'เสีย', 'ผลิต', 'ไม่ทราบ', '');
INSERT INTO site.time_attendance VALUES
  ('06:40:00', '17:00:00', '25690728', 1001), ('08:35:00', NULL, '25690728', 1002), ('22:00:00', '06:00:00', '25690727', 1002), ('12:00:00', '19:00:00', '25690728', 1004),
  ('07:00:00', NULL, '2569072', 1001), ('07:00:00', NULL, 'ไม่ใช่', 1001), ('07:00:00', NULL, '25690230', 1001), ('06:00:00', NULL, '25690728', 9999);
