"""The messy reference schema of `onprem/sql/reference.sql`, filled with what such sites hold. MariaDB only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from onprem.rows import PeriodRow
from onprem.simulator.names import DEPARTMENTS, TERMINALS
from onprem.simulator.plain import RELATIONS, Rows, clock
from onprem.simulator.workday import SimulatedLeave, SimulatedMark, SimulatedPerson, SimulatedScan

SQL = Path(__file__).parent.parent / "sql" / "reference.sql"
PASS, REFUSED = (5, 75), (5, 76)
SHIFT_IDS = {"D": 1, "N": 2}


class ReferenceSchema:
    """The same factory as the plain one, with dirt that the views and the agent must see through."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self.tables = "employee department scan_log att_period att_manual device holiday leave_req".split()
        self.views = [f"{settings.LEGACY_PREFIX}{name}" for name in RELATIONS]
        self._scans = 0

    def create(self) -> None:
        text = SQL.read_text(encoding="utf-8").replace(" attsync_", f" {settings.LEGACY_PREFIX}")
        with self._connection.cursor() as cursor:
            for statement in statements(text):
                cursor.execute(statement)

    def add_people(self, folk: Iterable[SimulatedPerson]) -> None:
        with self._connection.cursor() as cursor:
            for number, name in enumerate(DEPARTMENTS, 1):
                # Thai bytes in a column that says latin1.
                bytes_only = "CAST(CONVERT(%s USING tis620) AS BINARY)"
                cursor.execute(f"INSERT INTO department VALUES (%s, {bytes_only})", [number, name])
        columns = "emp_code, fname, lname, dept_id, shift_id, device_user_id, hire_date, resign_date, status"
        self._insert("employee", columns, [_employee(i, person) for i, person in enumerate(folk)])

    def add_periods(self, periods: Iterable[PeriodRow]) -> None:
        rows: Rows = [
            (
                p.code,
                p.label,
                clock(p.start),
                clock(p.end),
                clock(p.late_after),
                p.group,
                _shift(p.shift),
                p.day_offset,
                1,
            )
            for p in periods
        ]
        # Switched off, and overlapping what is not.
        rows.append((9, "เลิกใช้", "08:00:00", "24:00:00", None, None, None, None, 0))
        self._insert(
            "att_period", "code, label, start_time, end_time, late_after, grp, shift_id, next_day, active", rows
        )

    def add_leave(self, leave: Iterable[SimulatedLeave]) -> None:
        rows = list(leave)
        own = [row for row in rows if row.no is not None]
        self._insert("holiday", "h_date, h_name", [(str(row.first), row.label) for row in rows if row.no is None])
        asked: Rows = [(row.no, str(row.first), str(row.last), row.part, row.label, 1) for row in own]
        # Asked for, never approved.
        asked += [("0001", str(row.first), str(row.last), "D", row.label, 0) for row in own[:20]]
        self._insert("leave_req", "emp_code, d_from, d_to, part, reason, approved", asked)

    def add_marks(self, marks: Iterable[SimulatedMark]) -> None:
        rows: Rows = [(str(row.day), row.period, row.no, row.status, "foreman") for row in marks]
        self._insert("att_manual", "work_date, period, emp_code, status, by_user", rows)

    def add_scans(self, scans: Iterable[SimulatedScan]) -> None:
        rows: Rows = []
        for scan in scans:
            self._scans += 1
            rows += _with_dirt(self._scans, scan)
        self._insert("scan_log", "device_sn, employee_no, scan_time, major, minor", rows)

    def add_mess(self, now: datetime) -> None:
        """What stands in every such table: the past before there was one, the future, nobody, and words of others."""
        today = now.date()
        scans: Rows = [
            ("ประตูหลัง", "5", "1970-01-01 07:00:00", *PASS),
            ("ประตูหลัง", "5", "0000-00-00 00:00:00", *PASS),
            ("ประตูหลัง", "5", f"{now + timedelta(days=400):%Y-%m-%d %H:%M:%S}", *PASS),
            ("ประตูหน้า", None, f"{now:%Y-%m-%d %H:%M:%S}", *PASS),
            ("ประตูหน้า", "0", f"{now:%Y-%m-%d %H:%M:%S}", *PASS),
        ]
        self._insert("scan_log", "device_sn, employee_no, scan_time, major, minor", [_in_latin1(row) for row in scans])
        marks: Rows = [
            (str(today), 2, "0002", "sick"),
            (str(today), 2, "9999", "late"),
            (str(today), 99, "0003", "late"),
        ]
        self._insert("att_manual", "work_date, period, emp_code, status", marks)
        self._insert("device", "sn, last_pull_ok", [("คลังเก่า", f"{now - timedelta(days=90):%Y-%m-%d %H:%M:%S}")])

    def pulled(self, terminals: Iterable[str], at: datetime) -> None:
        with self._connection.cursor() as cursor:
            for terminal in terminals:
                cursor.execute("REPLACE INTO device (sn, last_pull_ok) VALUES (%s, %s)", [terminal, f"{at:%F %T}"])

    def _insert(self, table: str, columns: str, rows: Rows) -> None:
        if rows:
            marks = ", ".join(["%s"] * len(rows[0]))
            with self._connection.cursor() as cursor:
                cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def statements(text: str) -> Iterator[str]:
    """Split a file of SQL; no statement of ours holds a semicolon inside."""
    bare = "\n".join(line.split("-- ", maxsplit=1)[0] for line in text.splitlines() if not line.startswith("--"))
    yield from (statement.strip() for statement in bare.split(";") if statement.strip())


def _employee(i: int, person: SimulatedPerson) -> tuple[str | int | None, ...]:
    first, _, last = (person.name or "").partition(" ")
    hired = "0000-00-00" if i % 7 == 0 else "2019-00-00" if i % 11 == 0 else str(person.hired)
    device = f" {person.device} " if i % 13 == 0 else person.device
    department = DEPARTMENTS.index(person.department) + 1
    status = "1" if person.is_active else "9"
    return (person.no, first, last, department, _shift(person.shift), device, hired, "0000-00-00", status)


def _with_dirt(count: int, scan: SimulatedScan) -> Rows:
    """The scan as the table has it: blanks around the number, twice, or after a face that was refused."""
    number = f" {scan.device} " if count % 17 == 0 else scan.device
    row = _in_latin1((scan.terminal, number, f"{scan.at:%Y-%m-%d %H:%M:%S}", *PASS))
    rows = [row, row] if count % 29 == 0 else [row]
    if count % 23 == 0:
        before = scan.at - timedelta(seconds=40)
        rows.append(_in_latin1((scan.terminal, scan.device, f"{before:%Y-%m-%d %H:%M:%S}", *REFUSED)))
    return rows


def _in_latin1(row: tuple[str | int | None, ...]) -> tuple[str | int | None, ...]:
    """Terminals go by serial number where Thai cannot be stored."""
    name, *rest = row
    serial = f"SN{TERMINALS.index(name) + 1:04d}" if name in TERMINALS else None
    return (serial, *rest)


def _shift(shift: str | None) -> int | None:
    return SHIFT_IDS.get(shift) if shift else None
