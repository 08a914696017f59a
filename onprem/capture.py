"""One day: rows of the factory in, a counted snapshot out. Pure; the rules are `mirror.counting`'s."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple

from msgspec import UNSET

from mirror import counting
from mirror.wire import MAX_NO_LENGTH, Period, ScanRow, Snapshot, Worker
from onprem.clocks import hh_mm
from onprem.notices import BAD_ROW, DUPLICATE, FUTURE_SCAN, UNKNOWN_OVERRIDE, UNMATCHED, Notices
from onprem.rows import DayOffRow, Mark, Person
from onprem.timetable import Expected, Timetable, expected, holiday, marking

FUTURE_TOLERANCE = timedelta(minutes=5)
# No number is empty.
NOBODY = ""


class Register(NamedTuple):
    """Everybody, and whose scans a device number's are. A number on two people is nobody's."""

    people: Mapping[str, Person]
    owners: Mapping[str, Person]
    collisions: Mapping[str, Sequence[str]]


class ScanLine(NamedTuple):
    """Scans in order of time; the two lists run in parallel."""

    times: Sequence[datetime]
    devices: Sequence[str]

    def between(self, begin: datetime, end: datetime) -> ScanLine:
        """Those in ``[begin, end)``."""
        cut = slice(bisect_left(self.times, begin), bisect_left(self.times, end))
        return ScanLine(self.times[cut], self.devices[cut])

    def split(self, now: datetime) -> tuple[ScanLine, ScanLine]:
        """Those a clock a little wrong may have made by now, and those of the future."""
        at = bisect_right(self.times, now + FUTURE_TOLERANCE)
        return ScanLine(self.times[:at], self.devices[:at]), ScanLine(self.times[at:], self.devices[at:])


class DayFacts(NamedTuple):
    """What the factory has about one day. ``scans`` may reach further than the day; none of them is of the future."""

    table: Timetable
    scans: ScanLine
    marks: Sequence[Mark]
    days_off: Sequence[DayOffRow]
    now: datetime
    scans_through: datetime | None
    day_starts: time


def register(people: Mapping[str, Person]) -> Register:
    owners: dict[str, list[Person]] = {}
    for person in people.values():
        for device in person.devices:
            owners.setdefault(device, []).append(person)
    return Register(
        people=people,
        owners={device: own[0] for device, own in owners.items() if len(own) == 1},
        collisions={device: sorted(one.no for one in own) for device, own in owners.items() if len(own) > 1},
    )


def capture(facts: DayFacts, people: Register, notices: Notices) -> Snapshot:
    """Build and count the day. ``notices`` brings what was odd while reading and is sent along."""
    line = facts.scans.between(facts.table.begins, facts.table.ends)
    strangers = _strangers(line, facts, people, notices)
    expectations = _Expectations(facts)
    cells = _marks(facts, people, notices)
    for no, firsts in _first_scans(line, facts.table, people, expectations).items():
        cells.setdefault(no, {}).update(firsts)
    rows = _workers(facts, people, cells, expectations)
    snapshot = Snapshot(
        date=facts.table.day.isoformat(),
        groups=[list(group) for group in facts.table.groups],
        periods=_periods(facts, strangers),
        workers=rows,
        scans_through=facts.scans_through.isoformat(timespec="seconds") if facts.scans_through else None,
        captured_at=facts.now.isoformat(timespec="seconds"),
        day_starts=facts.day_starts.strftime("%H:%M"),
        holiday=holiday(facts.days_off),
        notices=notices.on_wire(),
        rules=counting.RULES,
    )
    totals = counting.total(counting.verdicts(counting.rules_of(snapshot), rows))
    snapshot.stat = counting.stat_of(totals)
    snapshot.active_total = totals.active_total
    return snapshot


def real_scans(
    person: Person, table: Timetable, days_off: Iterable[DayOffRow], times: Iterable[datetime]
) -> dict[int, datetime]:
    """R2, R3 for one person: the scan that marks each period."""
    codes = expected(person, table, [row for row in days_off if row.no in (None, person.no)]).codes
    return counting.first_scans(marking(times, person, table, codes), table.windows, codes)


def future_scans(line: ScanLine, notices: Notices) -> None:
    for at, device in zip(line.times, line.devices, strict=True):
        notices.add(FUTURE_SCAN, f"{device} {at.isoformat(' ')}")


# --- whose scans ----------------------------------------------------------------------------------------------------


def _strangers(line: ScanLine, facts: DayFacts, people: Register, notices: Notices) -> dict[str, list[datetime]]:
    """The scans of numbers that nobody has. Notes these, and those that are there twice."""
    scans = list(zip(line.times, line.devices, strict=True))
    for at, device in (one for one, other in pairwise(scans) if one == other):
        if _is_of_the_day(at, facts):
            notices.add(DUPLICATE, f"{device} {at.isoformat(' ')}")
    strangers: dict[str, list[datetime]] = {}
    unknown = set(line.devices) - people.owners.keys() - people.collisions.keys()
    for at, device in dict.fromkeys(scans) if unknown else ():
        if device in unknown and _is_of_the_day(at, facts):
            notices.add(UNMATCHED, device)
            strangers.setdefault(device, []).append(at)
    return strangers


def _first_scans(
    line: ScanLine, table: Timetable, people: Register, expectations: _Expectations
) -> dict[str, dict[int, str | None]]:
    """R2, R3: what real scans say, by person and period."""
    owners = people.owners
    own = ScanLine(line.times, [owners[device].no if device in owners else NOBODY for device in line.devices])
    if table.neighbours or counting.overlapping(table.windows):
        return _first_scans_one_by_one(own, table, people, expectations)
    # A scan lies in one window at most, whatever people are expected in: a window at a time is many times faster.
    found: dict[str, dict[int, str | None]] = defaultdict(dict)
    for win in table.windows:
        inside = own.between(win.start, win.end)
        # Backwards, for the last one of each person stays.
        for no, at in dict(zip(reversed(inside.devices), reversed(inside.times), strict=True)).items():
            found[no][win.code] = hh_mm(at)
    found.pop(NOBODY, None)
    return found


def _first_scans_one_by_one(
    line: ScanLine, table: Timetable, people: Register, expectations: _Expectations
) -> dict[str, dict[int, str | None]]:
    times: dict[str, list[datetime]] = defaultdict(list)
    for at, no in zip(line.times, line.devices, strict=True):
        times[no].append(at)
    times.pop(NOBODY, None)
    found: dict[str, dict[int, str | None]] = {}
    for no, own in times.items():
        person = people.people[no]
        codes = expectations.of(person).codes
        firsts = counting.first_scans(marking(own, person, table, codes), table.windows, codes)
        if firsts:
            found[no] = {code: hh_mm(at) for code, at in firsts.items()}
    return found


def _is_of_the_day(at: datetime, facts: DayFacts) -> bool:
    """A neighbour day's scans are in reach too where a window crosses the day's end."""
    if counting.business_date(at, facts.day_starts) == facts.table.day:
        return True
    return any(win.start <= at < win.end for win in facts.table.windows)


# --- marks by hand --------------------------------------------------------------------------------------------------


def _marks(facts: DayFacts, people: Register, notices: Notices) -> dict[str, dict[int, str | None]]:
    """Each person's stored marks. Where one cell has several rows (no unique key), the newest known one counts."""
    marks: dict[str, dict[int, str | None]] = {}
    for row in sorted(facts.marks, key=lambda row: (row.updated, row.status)):
        if row.no not in people.people or row.period not in facts.table.codes:
            notices.add(BAD_ROW, f"override of {row.no} in period {row.period}: no such person or period")
        elif row.is_known:
            marks.setdefault(row.no, {})[row.period] = row.status
        else:
            notices.add(UNKNOWN_OVERRIDE, f"{row.no} period {row.period}: {row.status or 'empty'}")
    return marks


# --- what is sent ---------------------------------------------------------------------------------------------------


def _periods(facts: DayFacts, strangers: Mapping[str, Sequence[datetime]]) -> list[Period]:
    return [
        Period(
            code=win.code,
            name=period.label,
            start=period.start.strftime("%H:%M"),
            end=period.end.strftime("%H:%M"),
            late_after=period.late_after.strftime("%H:%M") if period.late_after else None,
            day_offset=period.day_offset,
            state=counting.state_of(win, now=facts.now, scans_through=facts.scans_through),
            scan=_off_roster(win, strangers),
        )
        for period, win in zip(facts.table.periods, facts.table.windows, strict=True)
    ]


def _off_roster(win: counting.Window, strangers: Mapping[str, Sequence[datetime]]) -> list[ScanRow]:
    firsts = (
        (next((at for at in times if win.start <= at < win.end), None), device) for device, times in strangers.items()
    )
    seen = sorted((at, device) for at, device in firsts if at is not None and len(device) <= MAX_NO_LENGTH)
    return [ScanRow(no=device, t=hh_mm(at)) for at, device in seen]


def _workers(
    facts: DayFacts, people: Register, cells: Mapping[str, Mapping[int, str | None]], expectations: _Expectations
) -> list[Worker]:
    """The roster of the day in the order of numbers, each with all cells."""
    rows, blank = [], dict[int, str | None].fromkeys(facts.table.codes)
    for no in sorted(people.people):
        person, own = people.people[no], cells.get(no, {})
        if not own and not person.is_employed(facts.table.day):
            continue
        wanted = expectations.of(person)
        e = UNSET if wanted.codes is None else list(wanted.codes)
        rows.append(Worker(no=no, name=person.name, g=person.group, p={**blank, **own}, e=e, off=wanted.off))
    return rows


class _Expectations:
    """Who has no day off of his own shares what everyone of his shift has."""

    def __init__(self, facts: DayFacts) -> None:
        self._table = facts.table
        self._everyone = [row for row in facts.days_off if row.no is None]
        self._personal: dict[str, list[DayOffRow]] = {}
        for row in facts.days_off:
            if row.no is not None:
                self._personal.setdefault(row.no, []).append(row)
        self._shared: dict[str | None, Expected] = {}

    def of(self, person: Person) -> Expected:
        if own := self._personal.get(person.no):
            return expected(person, self._table, [*self._everyone, *own])
        if person.shift not in self._shared:
            self._shared[person.shift] = expected(person, self._table, self._everyone)
        return self._shared[person.shift]
