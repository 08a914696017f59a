-- The agent's account: it reads the relations and writes the override, nothing else.
-- Change the password, and `attsync` to the database that holds the relations. Leave out what your site does not have.

CREATE USER 'attsync'@'localhost' IDENTIFIED BY 'change-me';
GRANT SELECT ON attsync.attsync_employee TO 'attsync'@'localhost';
GRANT SELECT ON attsync.attsync_scan TO 'attsync'@'localhost';
GRANT SELECT ON attsync.attsync_period TO 'attsync'@'localhost';
GRANT SELECT, INSERT, UPDATE, DELETE ON attsync.attsync_override TO 'attsync'@'localhost';
GRANT SELECT ON attsync.attsync_pull TO 'attsync'@'localhost';
GRANT SELECT ON attsync.attsync_dayoff TO 'attsync'@'localhost';
