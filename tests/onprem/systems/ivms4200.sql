DROP DATABASE IF EXISTS ivms;
CREATE DATABASE ivms CHARACTER SET utf8mb4;
CREATE TABLE ivms.attendance (
  id VARCHAR(50) PRIMARY KEY, authDateTime DATETIME NOT NULL, authDate VARCHAR(20), authTime VARCHAR(20), personName VARCHAR(255) DEFAULT '',
  cardNo VARCHAR(50) DEFAULT '', direction VARCHAR(50) DEFAULT '', deviceName VARCHAR(255) DEFAULT '', deviceSerNum VARCHAR(255) DEFAULT '',
  employeeID VARCHAR(50) DEFAULT '', KEY (authDateTime));
INSERT INTO ivms.attendance (id, authDateTime, personName, deviceName, deviceSerNum, employeeID) VALUES
  ('a1', NOW() - INTERVAL 1 DAY, 'สมชาย ใจดี', 'ประตูหน้า', 'DS1', '0012'), ('a2', NOW() - INTERVAL 2 DAY, '', '', 'DS2', ' 12 '), ('a3', NOW() - INTERVAL 3 DAY, 'เอ 😀', '', 'DS2', 'A012'),
  ('a4', NOW() - INTERVAL 90 DAY, 'เก่ามาก', '', 'DS2', '0099');
INSERT INTO ivms.attendance (id, authDateTime, personName, deviceName, deviceSerNum, employeeID) VALUES
  ('b1', '2026-07-28 06:55:00', 'สมชาย ใจดี', 'ประตูหน้า', 'DS1', '0012'), ('b2', '2026-07-28 06:55:00', 'สมชาย ใจดี', 'ประตูหน้า', 'DS1', '0012'),
  ('b3', '2026-07-28 08:30:00', '', '', 'DS2', ' 12 '), ('b4', '2026-07-28 08:31:00', '', '', 'DS2', ''), ('b5', '2026-07-28 08:32:00', '', '', 'DS2', '   '),
  ('b6', '2026-07-28 12:15:00', 'คนใหม่', '', 'DS2', '0500');
