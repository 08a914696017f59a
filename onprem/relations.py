"""The queries: each relation read by range, every column as text, never joined (collations clash, indexes are lost).

Only SQL that MariaDB 5.5 understands. Everything here may raise Django's database errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, time, timedelta
from typing import Any, NamedTuple, TypeVar

from django.db import DatabaseError, connections
from django.db.models import CharField, Expression, Model, Q, QuerySet
from django.db.models.functions import Cast, Collate

from onprem.clocks import in_buddhist_years
from onprem.faults import ALIAS, is_absent, words_of
from onprem.models import Override, relation_name
from onprem.ports import Cell, ViewMissing
from onprem.rows import Texts

EMPLOYEE = ("emp_no", "device_no", "full_name", "grp", "active", "hire_date", "end_date", "shift_code")
PERIOD = ("code", "label", "start_time", "end_time", "late_after", "grp", "shift_code", "day_offset")
OVERRIDE = ("work_date", "period", "emp_no", "status", "updated_at")
WRITTEN = (*OVERRIDE, "source")
SCAN = ("device_no", "scanned_at")
PULL = ("device", "pulled_through")
DAYOFF = ("date_from", "date_to", "emp_no", "part", "label")

# How many scans with an impossible time are fetched: they are listed, not counted.
ODD_SCANS = 500

# The optional relations that this site let us read, in earlier runs (the caller remembers them) and in this one, and
# those that this run did without. One that was there before is missed: reading the day without it would take
# everybody's leave away without a word.
had_before: set[str] = set()
had_now: set[str] = set()
done_without: set[str] = set()

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
    """The rows that may be this person's: `rows` tells which are."""
    return _select("employee", EMPLOYEE, *_containing("emp_no", no))


def people_with_device(device: str) -> list[Texts]:
    """The rows that may carry this device number."""
    return _select("employee", EMPLOYEE, *_containing("device_no", device))


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
    """The scans of these days that may be of this device number."""
    within, bounds = _within("scanned_at", days.ranges)
    containing, pattern = _containing("device_no", device)
    return _select("scan", SCAN, f"({within}) AND {containing}", [*bounds, *pattern])


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


def overrides_near(day: date, no: str) -> list[Texts]:
    """The rows of a day that may be this person's, and all of our own: `WRITTEN` columns."""
    within, bounds = _within("work_date", Days(day, day).ranges)
    his, number = _containing("emp_no", no)
    ours, name = _containing("source", "attsync")
    return _select("override", WRITTEN, f"({within}) AND ({his} OR {ours})", [*bounds, *number, *name])


def overrides_spelled(cell: Cell, found: Sequence[Texts]) -> QuerySet[Override]:
    """The cell's rows by the spellings that stand there: a write must not lock a whole range."""
    spelled = [row[:3] for row in found] or [(cell.day.isoformat(), str(cell.period), cell.employee_no)]
    day, period, no = (sorted(map(str, set(column))) for column in zip(*spelled, strict=True))
    return _exactly(Override.objects.filter(work_date__in=day, period__in=period), emp_no=no)


def overrides_like(row: Texts) -> QuerySet[Override]:
    """The rows that are written exactly like this one."""
    day, period, no, status, updated, source = (str(text) for text in row)
    same_day = Override.objects.filter(work_date=day, period=period)
    return _exactly(same_day, emp_no=[no], status=[status], updated_at=[updated], source=[source])


def override_columns() -> dict[str, str]:
    """How each column is declared, as far as that can change what is written into it."""
    name = connections[ALIAS].ops.quote_name(relation_name("override"))
    with connections[ALIAS].cursor() as cursor:
        if connections[ALIAS].vendor == "mysql":
            cursor.execute(f"SHOW COLUMNS FROM {name}")
            return {str(row[0]).lower(): _as_text(row[1]) for row in cursor.fetchall()}
        cursor.execute(f"PRAGMA table_info({name})")
        return {str(row[1]).lower(): _affinity(str(row[2]).upper()) for row in cursor.fetchall()}


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


def all_days_off() -> list[Texts] | None:
    """For whoever looks for rows without a day to be found by."""
    return _if_there("dayoff", DAYOFF)


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


def _containing(column: str, text: str) -> tuple[str, list[str]]:
    """A condition and its values: the text stands in the column, whatever is around it or between (NUL).

    What counts as a blank, and that `a12` is not `A12`, is for `rows` to say, the same for every reader.
    """
    pattern = re.sub(r"([!%_])", r"!\1", text)
    return f"REPLACE(CAST({column} AS CHAR), %s, '') LIKE %s ESCAPE '!'", ["\0", f"%{pattern}%"]


def _exactly(rows: QuerySet[Override], **spellings: Sequence[str]) -> QuerySet[Override]:
    """Compared letter by letter, and as text.

    A site's own collation takes `a12` for `A12`, who is somebody else, and its charset may not even have the letters
    that are asked for, which is an error there.
    """
    is_mysql = connections[ALIAS].vendor == "mysql"
    for column, texts_there in spellings.items():
        text: Expression = Cast(column, CharField())
        rows = rows.alias(**{f"{column}_text": Collate(text, "utf8mb4_bin") if is_mysql else text})
        rows = rows.filter(**{f"{column}_text__in": texts_there})
    return rows


def _as_text(value: object) -> str:
    """Some servers send the type as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _affinity(declared: str) -> str:
    """What SQLite makes of a declared type (its own rules): it keeps no length, and makes numbers of digits."""
    if "INT" in declared:
        return "int"
    if not declared or any(word in declared for word in ("CHAR", "CLOB", "TEXT", "BLOB")):
        return "text"
    return "real" if any(word in declared for word in ("REAL", "FLOA", "DOUB")) else "int"


def _if_there(relation: str, columns: Sequence[str], where: str = "", bounds: Sequence[str] = ()) -> list[Texts] | None:
    try:
        rows = _select(relation, columns, where, bounds)
    except DatabaseError as exc:
        if not is_absent(exc):
            raise
        if relation in had_before | had_now:
            raise ViewMissing(
                f"{words_of(exc)}; {relation_name(relation)} could be read before: bring it or its right back,"
                " or run push_cloud --force once if it is meant to be gone"
            ) from exc
        done_without.add(relation)
        return None
    had_now.add(relation)
    return rows
