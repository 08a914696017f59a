"""The one relation that is written: a cell's rows found, set, read back, and put back if that went wrong.

Rows are found by what they mean (`onprem.rows`), the same for reading a day and for writing a cell, and then named by
the very spelling that stands there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import connections
from django.db.models import QuerySet

from mirror.wire import ABSENT, MANUAL_MARKS
from onprem import relations, rows
from onprem.faults import ALIAS
from onprem.models import Override, relation_name
from onprem.ports import Cell, Refused
from onprem.rows import Texts

SOURCE = "attsync"
# None of them changes a row, but each needs the right and a relation that can be written.
TRIALS = {
    "UPDATE": "UPDATE {override} SET status = status WHERE 1 = 0",
    "INSERT": "INSERT INTO {override} ({columns}) SELECT {columns} FROM {override} WHERE 1 = 0",
    "DELETE": "DELETE FROM {override} WHERE 1 = 0",
}

_LENGTH = re.compile(r"(?:var)?char\((\d+)\)")
_WORDS = re.compile(r"'((?:[^']|'')*)'")
_WHOLE = re.compile(r"(?:tiny|small|medium|big)?int\b|integer|decimal\(\d+,0\)")
_NUMERIC = re.compile(r"(?:tiny|small|medium|big)?int\b|integer|decimal|numeric|float|double|real|bit|year")
_ZEROFILL = re.compile(r"\((\d+)(?:,0)?\).*zerofill")


class Attempt:
    """One cell being set: `look`, `make`, and where that was refused `undo`: MyISAM takes nothing back by itself."""

    def __init__(self, cell: Cell, status: str, now: datetime) -> None:
        self._cell, self._status = cell, status
        self._stamp = now.strftime("%Y-%m-%d %H:%M:%S")
        self._before: list[Texts] | None = None
        self._after: list[Texts] | None = None

    def look(self) -> None:
        """Read what is there. Before the transaction, whose first reading statement fixes what it sees of others."""
        self._before = self._near()

    def make(self) -> None:
        """Write and read back. Raise Refused if something else stands there than was asked for."""
        self._write(of_cell(self._cell, self._before or ()))
        self._after = self._near()
        wanted, found = None if self._status == ABSENT else self._status, _mark_of(self._cell, self._after)
        if found != wanted:
            raise Refused("write_failed", f"wrote {self._status}, but read back {found or 'nothing'}", final=False)

    def undo(self) -> None:
        """Put back what was found, and take away what this attempt has left, under a number that may have changed."""
        if self._before is None:
            return
        own = newest(of_cell(self._cell, self._before))
        after = self._near() if self._after is None else self._after
        for row in {tuple(row) for row in after if row not in self._before and self._is_of_this_attempt(row)}:
            left = relations.overrides_like(row)
            if own is None:
                left.delete()
            else:
                left.update(emp_no=own[2], status=own[3], updated_at=own[4], source=own[5])

    def _near(self) -> list[Texts]:
        return relations.overrides_near(self._cell.day, self._cell.employee_no)

    def _write(self, own: Sequence[Texts]) -> None:
        """Set or delete. Updating first and inserting only where nothing matched doubles nothing without a key."""
        found: QuerySet[Override] = relations.overrides_spelled(self._cell, own)
        if self._status == ABSENT:
            found.delete()
            return
        values = {"status": self._status, "source": SOURCE, "updated_at": self._stamp}
        # A server that counts changed rows instead of matched ones says 0 for a change of nothing.
        if not found.update(**values) and not found.exists():
            day, period, no = self._cell
            Override.objects.create(work_date=day.isoformat(), period=str(period), emp_no=no, **values)

    def _is_of_this_attempt(self, row: Texts) -> bool:
        """Another agent writes our name too. A column may hold the day only, or fractions of a second."""
        is_ours = rows.cleaned(row[5]) == SOURCE and rows.number(row[1]) == self._cell.period
        is_ours = is_ours and (row[3] == self._status or row[3] not in MANUAL_MARKS)
        updated = row[4] or ""
        is_of_now = updated != "" and (self._stamp.startswith(updated) or updated.startswith(self._stamp))
        return is_ours and is_of_now and _may_be_made_of(row[2] or "", self._cell.employee_no)


def _may_be_made_of(stored: str, number: str) -> bool:
    """Whether a column may have kept this of the number: cut off, without its zeros, in other letters."""
    stored, number = (text.strip().casefold().lstrip("0") for text in (stored, number))
    return number.startswith(stored) and bool(stored or not number)


def stored(cell: Cell) -> str | None:
    """The mark stored for the cell; the newest if there are several rows, "" if that says nothing."""
    return _mark_of(cell, relations.overrides_near(cell.day, cell.employee_no))


def stands_in_our_name(cell: Cell, status: str) -> bool:
    row = newest(of_cell(cell, relations.overrides_near(cell.day, cell.employee_no)))
    if row is None or status == ABSENT:
        return row is None and status == ABSENT
    return rows.cleaned(row[5]) == SOURCE and _mark_of(cell, [row]) == status


def _mark_of(cell: Cell, found: Sequence[Texts]) -> str | None:
    row = newest(of_cell(cell, found))
    return None if row is None else (rows.cleaned(row[3]) or "").lower()


def of_cell(cell: Cell, found: Sequence[Texts]) -> list[Texts]:
    """The rows of one cell: none, one, or several where the site has no unique key."""
    marks = ((row, rows.mark(row)) for row in found)
    return [row for row, mark in marks if mark and (mark.day, mark.period, mark.no) == cell]


def newest(found: Sequence[Texts]) -> Texts | None:
    return max(found, key=lambda row: (row[4] or "", row[3] or ""), default=None)


def try_command(command: str) -> None:
    """Run one of `TRIALS`. Raise the database's error if it may not be used."""
    override, columns = relation_name("override"), ", ".join(relations.WRITTEN)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(TRIALS[command].format(override=override, columns=columns))


def demand_rights(cell: Cell, status: str) -> None:
    """Try the commands that writing this mark would take. Raise the database's error if one may not be used."""
    commands = ["DELETE"] if status == ABSENT else ["UPDATE"] if stored(cell) is not None else ["UPDATE", "INSERT"]
    for command in commands:
        try_command(command)


def demand_room(columns: Mapping[str, str], cell: Cell, status: str) -> None:
    """Raise Refused before anything is written that a column would change: to a number, 0012 is 12, somebody else."""
    for name, text in (("emp_no", cell.employee_no), ("status", status), ("source", SOURCE)):
        if not keeps(columns.get(name, ""), text):
            words = f"{relation_name('override')}.{name} is {columns[name]}, which cannot hold {text}"
            raise Refused("write_failed", words, final=False)


def keeps(declared: str, text: str) -> bool:
    """Tell whether a column declared like this (`int(11)`, `varchar(10)`, "": unknown) gives the text back as it is."""
    declared = declared.lower()
    if length := _LENGTH.match(declared):
        return len(text) <= int(length[1])
    if declared.startswith("enum("):
        return text in _WORDS.findall(declared)
    if not is_numeric(declared):
        return True
    if not _WHOLE.match(declared) or not (text.isascii() and text.isdigit()):
        return False
    filled = _ZEROFILL.search(declared)
    return str(int(text)).zfill(int(filled[1]) if filled else 0) == text


def is_numeric(declared: str) -> bool:
    return _NUMERIC.match(declared.lower()) is not None
