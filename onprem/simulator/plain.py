"""The six relations as plain tables, on SQLite and on any MariaDB."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from onprem.rows import PeriodRow
from onprem.simulator.workday import SimulatedLeave, SimulatedMark, SimulatedPerson, SimulatedScan

Rows = list[tuple[str | int | None, ...]]

RELATIONS = ("employee", "scan", "period", "override", "pull", "dayoff")
COLUMNS = {
    "employee": "emp_no VARCHAR(32) NOT NULL PRIMARY KEY, device_no VARCHAR(32), full_name VARCHAR(200), "
    "grp VARCHAR(100), active INTEGER, hire_date DATE, end_date DATE, shift_code VARCHAR(32)",
    "scan": "scan_id INTEGER NOT NULL PRIMARY KEY {autoincrement}, device_no VARCHAR(32), scanned_at DATETIME, "
    "device VARCHAR(100)",
    "period": "code INTEGER NOT NULL PRIMARY KEY, label VARCHAR(100), start_time TIME, end_time TIME, late_after TIME, "
    "grp INTEGER, shift_code VARCHAR(32), day_offset INTEGER",
    "override": "work_date DATE NOT NULL, period INTEGER NOT NULL, emp_no VARCHAR(32) NOT NULL, status VARCHAR(16), "
    "source VARCHAR(32), updated_at DATETIME, PRIMARY KEY (work_date, period, emp_no)",
    "pull": "device VARCHAR(100) NOT NULL PRIMARY KEY, pulled_through DATETIME",
    "dayoff": "date_from DATE NOT NULL, date_to DATE NOT NULL, emp_no VARCHAR(32), part VARCHAR(1), label VARCHAR(200)",
}


class PlainSchema:
    """Written by column name, so it also serves a site whose tables have more columns."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self.tables = [f"{settings.LEGACY_PREFIX}{name}" for name in RELATIONS]
        self.views: list[str] = []

    def create(self) -> None:
        on_mysql = self._connection.vendor == "mysql"
        options = " DEFAULT CHARSET=utf8mb4" if on_mysql else ""
        with self._connection.cursor() as cursor:
            for name, table in zip(RELATIONS, self.tables, strict=True):
                columns = COLUMNS[name].format(autoincrement="AUTO_INCREMENT" if on_mysql else "AUTOINCREMENT")
                cursor.execute(f"CREATE TABLE {table} ({columns}){options}")
            scan = f"{settings.LEGACY_PREFIX}scan"
            cursor.execute(f"CREATE INDEX {scan}_at ON {scan} (scanned_at)")

    def add_people(self, folk: Iterable[SimulatedPerson]) -> None:
        rows: Rows = [
            (p.no, p.device, p.name, p.department, int(p.is_active), p.hired.isoformat(), p.shift) for p in folk
        ]
        self._insert("employee", "emp_no, device_no, full_name, grp, active, hire_date, shift_code", rows)

    def add_periods(self, periods: Iterable[PeriodRow]) -> None:
        rows: Rows = [
            (p.code, p.label, clock(p.start), clock(p.end), clock(p.late_after), p.group, p.shift, p.day_offset)
            for p in periods
        ]
        columns = "code, label, start_time, end_time, late_after, grp, shift_code, day_offset"
        self._insert("period", columns, rows)

    def add_leave(self, leave: Iterable[SimulatedLeave]) -> None:
        rows: Rows = [(row.first.isoformat(), row.last.isoformat(), row.no, row.part, row.label) for row in leave]
        self._insert("dayoff", "date_from, date_to, emp_no, part, label", rows)

    def add_scans(self, scans: Iterable[SimulatedScan]) -> None:
        rows: Rows = [(scan.device, f"{scan.at:%Y-%m-%d %H:%M:%S}", scan.terminal) for scan in scans]
        self._insert("scan", "device_no, scanned_at, device", rows)

    def add_marks(self, marks: Iterable[SimulatedMark]) -> None:
        rows: Rows = [(row.day.isoformat(), row.period, row.no, row.status, "foreman") for row in marks]
        self._insert("override", "work_date, period, emp_no, status, source", rows)

    def add_mess(self, now: datetime) -> None:
        """None: this is the tidy one."""

    def pulled(self, terminals: Iterable[str], at: datetime) -> None:
        table = f"{settings.LEGACY_PREFIX}pull"
        with self._connection.cursor() as cursor:
            for terminal in terminals:
                cursor.execute(f"DELETE FROM {table} WHERE device = %s", [terminal])
                cursor.execute(f"INSERT INTO {table} VALUES (%s, %s)", [terminal, f"{at:%Y-%m-%d %H:%M:%S}"])

    def _insert(self, relation: str, columns: str, rows: Rows) -> None:
        if rows:
            marks = ", ".join(["%s"] * len(rows[0]))
            sql = f"INSERT INTO {settings.LEGACY_PREFIX}{relation} ({columns}) VALUES ({marks})"
            with self._connection.cursor() as cursor:
                cursor.executemany(sql, rows)


def clock(value: object) -> str | None:
    """A time as every database takes it."""
    return None if value is None else f"{value:%H:%M:%S}"
