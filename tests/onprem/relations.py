"""The six relations of the factory as plain tables, in SQL that SQLite and every MariaDB understand."""

RELATIONS = (
    """
    CREATE TABLE attsync_employee (
        emp_no VARCHAR(32) NOT NULL PRIMARY KEY, device_no VARCHAR(32), full_name VARCHAR(200), grp VARCHAR(100),
        active INTEGER NOT NULL DEFAULT 1, hire_date DATE, end_date DATE, shift_code VARCHAR(32)
    )
    """,
    """
    CREATE TABLE attsync_scan (
        scan_id BIGINT NOT NULL PRIMARY KEY, device_no VARCHAR(32), scanned_at DATETIME, device VARCHAR(100)
    )
    """,
    "CREATE INDEX attsync_scan_at ON attsync_scan (scanned_at)",
    """
    CREATE TABLE attsync_period (
        code INTEGER NOT NULL, label VARCHAR(100), start_time TIME, end_time TIME, late_after TIME,
        grp INTEGER, shift_code VARCHAR(32), day_offset INTEGER
    )
    """,
    """
    CREATE TABLE attsync_override (
        work_date DATE NOT NULL, period INTEGER NOT NULL, emp_no VARCHAR(32) NOT NULL, status VARCHAR(16),
        source VARCHAR(32), updated_at DATETIME, PRIMARY KEY (work_date, period, emp_no)
    )
    """,
    "CREATE TABLE attsync_pull (device VARCHAR(100) NOT NULL, pulled_through DATETIME)",
    """
    CREATE TABLE attsync_dayoff (
        date_from DATE NOT NULL, date_to DATE NOT NULL, emp_no VARCHAR(32), part VARCHAR(1), label VARCHAR(200)
    )
    """,
)
