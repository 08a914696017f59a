"""What a row of each relation means: texts in, typed values out, a bad row noted and left out.

Pure. Every function takes the columns as texts, in the order of the dataclass that it returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from typing import NamedTuple

from mirror.wire import MANUAL_MARKS, MAX_NO_LENGTH
from onprem.clocks import parse_clock, parse_date, parse_moment, says_for_ever
from onprem.notices import BAD_ROW, Notices

Texts = Sequence[str | None]

FULL_DAY, MORNING, AFTERNOON = "D", "M", "A"

_NUMBER = re.compile(r"0*([0-9]{1,3})(?:\.0*)?")
_NO = frozenset({"0", "0.0", "false", "f", "no", "n", "off", "inactive", "null", "none", "-"})


class Person(NamedTuple):
    """``devices``: what the terminals send for this person; more than one if the site lists a person twice."""

    no: str
    devices: frozenset[str]
    name: str | None
    group: str | None
    active: bool
    hired: date | None
    left: date | None
    shift: str | None

    def is_employed(self, day: date) -> bool:
        """On the roster by the books; whoever scans or has a mark that day is on it too."""
        if self.hired is not None and self.hired > day:
            return False
        return self.active if self.left is None else self.left >= day


class PeriodRow(NamedTuple):
    code: int
    label: str | None
    start: time
    end: time
    late_after: time | None
    group: str | None
    shift: str | None
    day_offset: int | None


class Mark(NamedTuple):
    """A stored override; ``status`` may be another system's word."""

    day: date
    period: int
    no: str
    status: str
    updated: str

    @property
    def is_known(self) -> bool:
        return self.status in MANUAL_MARKS


class Pulled(NamedTuple):
    device: str
    through: datetime | None


class DayOffRow(NamedTuple):
    """``no`` None: everyone."""

    first: date
    last: date
    no: str | None
    part: str
    label: str | None

    def covers(self, day: date) -> bool:
        return self.first <= day <= self.last


def cleaned(value: str | None) -> str | None:
    """The text without blanks around it (and without NUL, which no JSON may hold), or None if nothing is left."""
    if value is None:
        return None
    if "\0" in value:
        value = value.replace("\0", "")
    return value.strip() or None


@lru_cache(maxsize=256)
def is_true(value: str | None) -> bool:
    """Truth in any spelling: 1, t, yes, ทำงาน …; NULL, blank, 0, N, false … are not."""
    said = cleaned(value)
    return said is not None and said.lower() not in _NO


def people(rows: Iterable[Texts], notices: Notices) -> dict[str, Person]:
    """Everybody by number. A number that is there twice is one person with all the device numbers listed."""
    found: dict[str, Person] = {}
    for row in rows:
        person = _person(row)
        if person is None:
            notices.add(BAD_ROW, f"employee {row[0]!r}: the number must be 1 to {MAX_NO_LENGTH} characters")
        elif person.no in found:
            notices.add(BAD_ROW, f"employee {person.no}: there twice")
            first, second = sorted((found[person.no], person), key=str)
            found[person.no] = first._replace(devices=first.devices | second.devices)
        else:
            found[person.no] = person
    return found


def owners_of(device: str, rows: Iterable[Texts]) -> set[str]:
    """The numbers of all people who carry this device number."""
    return {no for row in rows if cleaned(row[1]) == device and (no := cleaned(row[0]))}


def periods(rows: Iterable[Texts], notices: Notices) -> list[PeriodRow]:
    """The scan windows. An identical copy of a row is dropped; two different ones with one code are both returned."""
    found: dict[PeriodRow, None] = {}
    for row in sorted(rows, key=_sortable):
        period = _period(row, notices)
        if period is None:
            notices.add(BAD_ROW, f"period {row[0]!r}: needs a code from 1 to 255, a start and an end")
        elif period in found:
            notices.add(BAD_ROW, f"period {period.code}: there twice")
        else:
            found[period] = None
    return list(found)


def mark(row: Texts) -> Mark | None:
    day, period, no, status = parse_date(row[0]), number(row[1]), cleaned(row[2]), cleaned(row[3])
    if day is None or period is None or no is None:
        return None
    return Mark(day, period, no, (status or "").lower(), row[4] or "")


def pulled(row: Texts) -> Pulled:
    return Pulled(cleaned(row[0]) or "?", parse_moment(row[1]))


def day_off(row: Texts) -> DayOffRow | None:
    """A blank number is nobody's: only NULL gives the whole factory a day off."""
    span = span_off(row)
    part = (cleaned(row[3]) or FULL_DAY).upper()
    no = cleaned(row[2])
    if span is None or part not in (FULL_DAY, MORNING, AFTERNOON) or (no is None and row[2] is not None):
        return None
    return DayOffRow(*span, no, part, cleaned(row[4]))


def span_off(row: Texts) -> tuple[date, date] | None:
    """The days a day off is about, whatever the rest of the row says; None if it does not tell when it begins.

    A last day that is missing (NULL, a zero date) means one day; ``9999-12-31`` means for ever.
    """
    first, last = parse_date(row[0]), date.max if says_for_ever(row[1]) else parse_date(row[1])
    return None if first is None else (first, last or first)


def number(value: str | None) -> int | None:
    """A whole number from 0 to 999 (a code, an offset), or None."""
    match = _NUMBER.fullmatch(value.strip()) if value is not None else None
    return int(match[1]) if match else None


def _person(row: Texts) -> Person | None:
    no, device, name, group, active, hired, left, shift = row
    no = cleaned(no)
    if no is None or len(no) > MAX_NO_LENGTH:
        return None
    device = cleaned(device)
    return Person(
        no,
        frozenset((device,) if device else ()),
        cleaned(name),
        cleaned(group),
        is_true(active),
        parse_date(hired),
        parse_date(left),
        cleaned(shift),
    )


def _period(row: Texts, notices: Notices) -> PeriodRow | None:
    code, start, end = number(row[0]), parse_clock(row[2]), parse_clock(row[3])
    if code is None or not 1 <= code <= 255 or start is None or end is None:
        return None
    late_after, day_offset = parse_clock(row[4]), number(row[7])
    if (cleaned(row[4]) and late_after is None) or (cleaned(row[7]) and day_offset not in (0, 1)):
        notices.add(BAD_ROW, f"period {code}: late_after {row[4]!r} or day_offset {row[7]!r} means nothing")
    return PeriodRow(
        code=code,
        label=cleaned(row[1]),
        start=start,
        end=end,
        late_after=late_after,
        group=cleaned(row[5]),
        shift=cleaned(row[6]),
        day_offset=day_offset if day_offset in (0, 1) else None,
    )


def _sortable(row: Texts) -> tuple[str, ...]:
    return tuple(value or "" for value in row)
