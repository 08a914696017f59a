"""Edits as the cloud offers them, read strictly: what is not exactly an edit is refused, never repaired."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from mirror.wire import MAX_NO_LENGTH, WISHES, parse_day
from onprem.ports import Cell

_MAX_ID = 2**63 - 1


class Name(NamedTuple):
    """What a report needs to name an intention."""

    id: int
    rev: int
    status: str


class Edit(NamedTuple):
    """One wish: the cell should be ``status``."""

    name: Name
    cell: Cell

    def __str__(self) -> str:
        cell = self.cell
        return f"edit id={self.name.id} {cell.day} period {cell.period} no {cell.employee_no} {self.name.status}"


class BadEdit(ValueError):
    """Not an edit. ``name`` is there if enough of it could be read to refuse it by name."""

    def __init__(self, text: str, name: Name | None) -> None:
        super().__init__(text)
        self.name = name


def read(offered: object) -> Edit:
    """Return the edit, or raise BadEdit. Unknown keys are ignored."""
    if not isinstance(offered, dict):
        raise BadEdit("not an object", None)
    name = _name(offered)
    if name is None:
        raise BadEdit("no usable id, rev and status", None)
    if name.status not in WISHES:
        raise BadEdit("status: expected present, late or absent", name)
    day, period, no = parse_day(offered.get("d")), offered.get("period"), offered.get("employee_no")
    if day is None:
        raise BadEdit("d: expected a day YYYY-MM-DD", name)
    if not _is_whole(period, least=1, most=255):
        raise BadEdit("period: expected a whole number from 1 to 255", name)
    if not _is_number_of_somebody(no):
        raise BadEdit(f"employee_no: expected a text of 1 to {MAX_NO_LENGTH} characters", name)
    return Edit(name, Cell(day, period, no))


def _name(offered: dict[Any, Any]) -> Name | None:
    edit_id, rev, status = offered.get("id"), offered.get("rev"), offered.get("status")
    if _is_whole(edit_id, least=1, most=_MAX_ID) and _is_whole(rev, least=0, most=_MAX_ID) and isinstance(status, str):
        return Name(edit_id, rev, status)
    return None


def _is_whole(value: object, *, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number_of_somebody(value: object) -> TypeGuard[str]:
    """Any text, digits or not, that a database takes as it is: no NUL, no half of a surrogate pair."""
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_NO_LENGTH or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)
