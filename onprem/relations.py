"""The queries: each relation read by range, every column as text, never joined (collations clash, indexes are lost).

Only SQL that MariaDB 5.5 understands. Everything here may raise Django's database errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from django.db import DatabaseError, connections
from django.db.models import CharField, Expression, Model, Q, QuerySet
from django.db.models.functions import Cast, Collate, Trim

from onprem.clocks import in_buddhist_years
from onprem.faults import ALIAS, is_absent
from onprem.models import DayOff, Employee, Override, Period, Pull, Scan
from onprem.rows import Texts

EMPLOYEE = ("emp_no", "device_no", "full_name", "grp", "active", "hire_date", "end_date", "shift_code")
PERIOD = ("code", "label", "start_time", "end_time", "late_after", "grp", "shift_code", "day_offset")
OVERRIDE = ("work_date", "period", "emp_no", "status", "updated_at")
SCAN = ("device_no", "scanned_at")
PULL = ("device", "pulled_through")
DAYOFF = ("date_from", "date_to", "emp_no", "part", "label")

# How many scans with an impossible time are fetched: they are listed, not counted.
ODD_SCANS = 500

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Days:
    """Whole days, ``first`` to ``last``. Bounds are plain dates, so a text column of SQLite compares right as well."""

    first: date
    last: date

    def of(self, column: str) -> Q:
        """The rows that lie in these days, also where the column holds Buddhist years."""
        after = self.last + timedelta(days=1)
        common = Q(**{f"{column}__gte": self.first.isoformat(), f"{column}__lt": after.isoformat()})
        buddhist_after = in_buddhist_years(after, leap_day="03-01")
        return common | Q(**{f"{column}__gte": in_buddhist_years(self.first), f"{column}__lt": buddhist_after})


def employees() -> list[Texts]:
    return texts(Employee.objects.all(), EMPLOYEE)


def person(no: str) -> list[Texts]:
    return texts(Employee.objects.alias(exact=exact_text("emp_no")).filter(exact=no), EMPLOYEE)


def people_with_device(device: str) -> list[Texts]:
    return texts(Employee.objects.alias(exact=exact_text("device_no")).filter(exact=device), EMPLOYEE)


def periods() -> list[Texts]:
    return texts(Period.objects.all(), PERIOD)


def scans(days: Days) -> list[Texts]:
    return texts(Scan.objects.filter(days.of("scanned_at")), SCAN)


def scans_with_terminals(days: Days) -> list[Texts]:
    return texts(Scan.objects.filter(days.of("scanned_at")), (*SCAN, "device"))


def scans_of(days: Days, device: str) -> list[Texts]:
    rows = Scan.objects.filter(days.of("scanned_at"))
    return texts(rows.alias(exact=exact_text("device_no")).filter(exact=device), SCAN)


def odd_scans(after: date) -> list[Texts]:
    """Scans before the year 2000, without a time, or from ``after`` on (but no Buddhist years)."""
    old = Q(scanned_at__lt="2000-01-01") | Q(scanned_at=None)
    future = Q(scanned_at__gte=after.isoformat(), scanned_at__lt="2400-01-01") | Q(scanned_at__gte="2800-01-01")
    return texts(Scan.objects.filter(old | future).order_by("scanned_at")[:ODD_SCANS], SCAN)


def overrides(days: Days) -> list[Texts]:
    return texts(Override.objects.filter(days.of("work_date")), OVERRIDE)


def override_of(day: date, period: int, no: str) -> QuerySet[Override]:
    """The rows of one cell: none, one, or several where the site has no unique key."""
    return _exactly(Override.objects.filter(Days(day, day).of("work_date"), period=period), no)


def override_to_write(day: date, period: int, no: str) -> QuerySet[Override]:
    """The same rows found by the spellings of the day that stand there: a write must not lock a whole range."""
    spelled = {str(row[0]) for row in texts(override_of(day, period, no), ["work_date"])} or {day.isoformat()}
    return _exactly(Override.objects.filter(work_date__in=sorted(spelled), period=period), no)


def pulls() -> list[Texts] | None:
    """None: the site has no such relation."""
    return _if_there(Pull.objects.all(), PULL)


def days_off(days: Days) -> list[Texts] | None:
    """Rows that may touch these days. None: the site has no such relation.

    A last day that is no date compares as it likes, so a row that began in these days is read whatever it says.
    """
    began = Q(date_from__lte=days.last.isoformat()) & Q(date_to__gte=days.first.isoformat())
    buddhist_last = in_buddhist_years(days.last, leap_day="03-01")
    buddhist = Q(date_from__lte=buddhist_last) & Q(date_to__gte=in_buddhist_years(days.first))
    return _if_there(DayOff.objects.filter(began | buddhist | days.of("date_from")), DAYOFF)


def texts(rows: QuerySet[M, Any], columns: Sequence[str]) -> list[Texts]:
    """The columns of all rows as text, whatever they are there."""
    return list(rows.values_list(*(Cast(column, CharField()) for column in columns)))


def exact_text(column: str) -> Expression:
    """The column as text without blanks around it, compared letter by letter.

    A site's own collation takes `a12` for `A12`, who is somebody else, and its charset may not even have the letters
    that are asked for, which is an error there.
    """
    text = Trim(Cast(column, CharField()))
    return Collate(text, "utf8mb4_bin") if connections[ALIAS].vendor == "mysql" else text


def _exactly(rows: QuerySet[Override], no: str) -> QuerySet[Override]:
    return rows.alias(exact=exact_text("emp_no")).filter(exact=no)


def _if_there(rows: QuerySet[M, Any], columns: Sequence[str]) -> list[Texts] | None:
    try:
        return texts(rows, columns)
    except DatabaseError as exc:
        if is_absent(exc):
            return None
        raise
