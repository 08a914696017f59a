-- Holidays and leave as a table of its own. Somebody has to fill it; without the table everyone is expected every day.

CREATE TABLE IF NOT EXISTS attsync.attsync_dayoff (
  date_from DATE NOT NULL,
  date_to DATE NOT NULL,
  emp_no VARCHAR(32) NULL,                -- NULL: the whole factory
  part CHAR(1) NOT NULL DEFAULT 'D',      -- D the day, M the windows that start before noon, A the others
  label VARCHAR(120) NULL,
  KEY by_date (date_from, date_to)
) DEFAULT CHARSET = utf8mb4;
