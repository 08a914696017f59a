"""The queries: each relation read by range, every column as text, never joined (collations clash, indexes are lost).

Only SQL that MariaDB 5.5 understands. Everything here may raise Django's database errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time, timedelta
from typing import Any, NamedTuple, TypeVar

from django.db import DatabaseError, connections
from django.db.models import CharField, Expression, Model, Q, QuerySet
from django.db.models.functions import Cast, Collate, Trim

from onprem.clocks import in_buddhist_years
from onprem.faults import ALIAS, is_absent, is_denied
from onprem.models import Employee, Override, Scan, relation_name
from onprem.rows import Texts

EMPLOYEE = ("emp_no", "device_no", "full_name", "grp", "active", "hire_date", "end_date", "shift_code")
PERIOD = ("code", "label", "start_time", "end_time", "late_after", "grp", "shift_code", "day_offset")
OVERRIDE = ("work_date", "period", "emp_no", "status", "updated_at")
SCAN = ("device_no", "scanned_at")
PULL = ("device", "pulled_through")
DAYOFF = ("date_from", "date_to", "emp_no", "part", "label")

# How many scans with an impossible time are fetched: they are listed, not counted.
ODD_SCANS = 500

# The optional relations that this site let us read: in earlier runs (the caller remembers them) and in this one.
# The server calls a missing one forbidden, too. One that was there before has lost its right, and reading the day
# without it would take everybody's leave away without a word.
had_before: set[str] = set()
had_now: set[str] = set()

M = TypeVar("M", bound=Model)


class Days(NamedTuple):
    """Whole days, ``first`` to ``last``. Bounds are plain dates, so a text column of SQLite compares right as well."""

    first: date
    last: date

    @property
    def ranges(self) -> list[tuple[str, str]]:
        """Each from and to before: as columns with common years write them, and as those with Buddhist years do."""
        after = self.last + timedelta(days=1)
        return [
            (self.first.isoformat(), after.isoformat()),
            (in_buddhist_years(self.first), in_buddhist_years(after, leap_day="03-01")),
        ]

    def of(self, column: str) -> Q:
        """The rows that lie in these days, also where the column holds Buddhist years."""
        common, buddhist = (Q(**{f"{column}__gte": begin, f"{column}__lt": end}) for begin, end in self.ranges)
        return common | buddhist


def employees() -> list[Texts]:
    return _select("employee", EMPLOYEE)


def person(no: str) -> list[Texts]:
    return texts(Employee.objects.alias(exact=exact_text("emp_no")).filter(exact=no), EMPLOYEE)


def people_with_device(device: str) -> list[Texts]:
    return texts(Employee.objects.alias(exact=exact_text("device_no")).filter(exact=device), EMPLOYEE)


def periods() -> list[Texts]:
    return _select("period", PERIOD)


def scans(days: Days, *, until: time | None = None) -> list[Texts]:
    """The scans of these days; ``until``: of the last day only what is before it, as far as its spelling shows that."""
    ranges = days.ranges
    if until is not None:
        last = days.last.isoformat()
        ranges[0] = (ranges[0][0], f"{last} {until}")
        # To a text column that is in front of whatever it writes with a T.
        ranges.append((f"{last}T00:00:00", f"{last}T{until}"))
    return _select("scan", SCAN, *_within("scanned_at", ranges))


def scans_with_terminals(days: Days) -> list[Texts]:
    return _select("scan", (*SCAN, "device"), *_within("scanned_at", days.ranges))


def scans_of(days: Days, device: str) -> list[Texts]:
    rows = Scan.objects.filter(days.of("scanned_at"))
    return texts(rows.alias(exact=exact_text("device_no")).filter(exact=device), SCAN)


def odd_scans(after: date) -> list[Texts]:
    """Scans before the year 2000, without a time, or from ``after`` on (but no Buddhist years)."""
    where = (
        "scanned_at < '2000-01-01' OR scanned_at IS NULL"
        " OR scanned_at >= %s AND scanned_at < '2400-01-01' OR scanned_at >= '2800-01-01'"
    )
    # With the bare column SQLite prefers its order to finding these few rows, and reads the whole index.
    return _select("scan", SCAN, f"{where} ORDER BY +scanned_at LIMIT {ODD_SCANS}", [after.isoformat()])


def overrides(days: Days) -> list[Texts]:
    return _select("override", OVERRIDE, *_within("work_date", days.ranges))


def override_of(day: date, period: int, no: str) -> QuerySet[Override]:
    """The rows of one cell: none, one, or several where the site has no unique key."""
    return _exactly(Override.objects.filter(Days(day, day).of("work_date"), period=period), no)


def override_to_write(day: date, period: int, no: str) -> QuerySet[Override]:
    """The same rows found by the spellings of the day that stand there: a write must not lock a whole range."""
    spelled = {str(row[0]) for row in texts(override_of(day, period, no), ["work_date"])} or {day.isoformat()}
    return _exactly(Override.objects.filter(work_date__in=sorted(spelled), period=period), no)


def pulls() -> list[Texts] | None:
    """None: the site has no such relation."""
    return _if_there("pull", PULL)


def days_off(days: Days) -> list[Texts] | None:
    """Rows that may touch these days. None: the site has no such relation.

    A last day that is no date compares as it likes, so a row that began in these days is read whatever it says.
    """
    lasting = "date_from <= %s AND date_to >= %s"
    buddhist_last = in_buddhist_years(days.last, leap_day="03-01")
    bounds = [days.last.isoformat(), days.first.isoformat(), buddhist_last, in_buddhist_years(days.first)]
    began, began_bounds = _within("date_from", days.ranges)
    return _if_there("dayoff", DAYOFF, f"{lasting} OR {lasting} OR {began}", [*bounds, *began_bounds])


def texts(rows: QuerySet[M, Any], columns: Sequence[str]) -> list[Texts]:
    """The columns of all rows as text, whatever they are there."""
    return list(rows.values_list(*(Cast(column, CharField()) for column in columns)))


def _select(relation: str, columns: Sequence[str], where: str = "", bounds: Sequence[str] = ()) -> list[Texts]:
    """The same for what every capture reads, in SQL as it is: composing it takes Django longer than some answers."""
    quote = connections[ALIAS].ops.quote_name
    table = quote(relation_name(relation))
    # With the name of the relation, so that the server says in its errors where a column is missing.
    wanted = ", ".join(f"CAST({table}.{quote(column)} AS CHAR)" for column in columns)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT {wanted} FROM {table}{where and f' WHERE {where}'}", bounds)  # noqa: S608 - names of ours
        return list(cursor.fetchall())


def _within(column: str, ranges: Iterable[tuple[str, str]]) -> tuple[str, list[str]]:
    """A condition and its values: the column lies in one of these ranges, each of which can use its index."""
    bounds = [bound for one in ranges for bound in one]
    return " OR ".join([f"{column} >= %s AND {column} < %s"] * (len(bounds) // 2)), bounds


def exact_text(column: str) -> Expression:
    """The column as text without blanks around it, compared letter by letter.

    A site's own collation takes `a12` for `A12`, who is somebody else, and its charset may not even have the letters
    that are asked for, which is an error there.
    """
    text = Trim(Cast(column, CharField()))
    return Collate(text, "utf8mb4_bin") if connections[ALIAS].vendor == "mysql" else text


def _exactly(rows: QuerySet[Override], no: str) -> QuerySet[Override]:
    return rows.alias(exact=exact_text("emp_no")).filter(exact=no)


def _if_there(relation: str, columns: Sequence[str], where: str = "", bounds: Sequence[str] = ()) -> list[Texts] | None:
    try:
        rows = _select(relation, columns, where, bounds)
    except DatabaseError as exc:
        if is_absent(exc) and not (is_denied(exc) and relation in had_before):
            return None
        raise
    had_now.add(relation)
    return rows
