"""One day: rows of the factory in, a counted snapshot out. Pure; the rules are `mirror.counting`'s."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from msgspec import UNSET

from mirror import counting
from mirror.wire import MAX_NO_LENGTH, Period, ScanRow, Snapshot, Stat, Worker
from onprem.clocks import hh_mm
from onprem.notices import BAD_ROW, DUPLICATE, FUTURE_SCAN, UNKNOWN_OVERRIDE, UNMATCHED, Notices
from onprem.rows import DayOffRow, Mark, Person
from onprem.timetable import Expected, Timetable, expected, holiday, marking

FUTURE_TOLERANCE = timedelta(minutes=5)


@dataclass(frozen=True)
class Register:
    """Everybody, and whose scans a device number's are. A number on two people is nobody's."""

    people: Mapping[str, Person]
    owners: Mapping[str, Person]
    collisions: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ScanLine:
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


@dataclass(frozen=True)
class DayFacts:
    """What the factory has about one day. ``scans`` may reach further than the day; none of them is of the future."""

    table: Timetable
    scans: ScanLine
    marks: Sequence[Mark]
    days_off: Sequence[DayOffRow]
    now: datetime
    scans_through: datetime | None
    day_starts: time


@dataclass
class _Sorted:
    """A day's scans by whose they are; ``strangers`` maps a number nobody has to its scans."""

    own: dict[str, list[datetime]] = field(default_factory=dict)
    strangers: dict[str, list[datetime]] = field(default_factory=dict)


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
    found = _sorted_scans(facts, people, notices)
    marks = _marks(facts, people, notices)
    rows = _workers(facts, people, found.own, marks)
    snapshot = Snapshot(
        date=facts.table.day.isoformat(),
        groups=[list(group) for group in facts.table.groups],
        periods=_periods(facts, found.strangers),
        workers=rows,
        scans_through=facts.scans_through.isoformat(timespec="seconds") if facts.scans_through else None,
        captured_at=facts.now.isoformat(timespec="seconds"),
        day_starts=facts.day_starts.strftime("%H:%M"),
        holiday=holiday(facts.days_off),
        notices=notices.on_wire(),
        rules=counting.RULES,
    )
    totals = counting.total(counting.verdicts(counting.rules_of(snapshot), rows))
    snapshot.stat = Stat(full=totals.full, partial=totals.partial, absent=totals.absent, wait=totals.wait)
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


def _sorted_scans(facts: DayFacts, people: Register, notices: Notices) -> _Sorted:
    found = _Sorted()
    line = facts.scans.between(facts.table.begins, facts.table.ends)
    previous: tuple[datetime, str] | None = None
    for at, device in zip(line.times, line.devices, strict=True):
        if (at, device) == previous:
            if _is_of_the_day(at, facts):
                notices.add(DUPLICATE, f"{device} {at.isoformat(' ')}")
            continue
        previous = at, device
        if owner := people.owners.get(device):
            found.own.setdefault(owner.no, []).append(at)
        elif device not in people.collisions and _is_of_the_day(at, facts):
            notices.add(UNMATCHED, device)
            found.strangers.setdefault(device, []).append(at)
    return found


def _is_of_the_day(at: datetime, facts: DayFacts) -> bool:
    """A neighbour day's scans are in reach too where a window crosses the day's end."""
    if counting.business_date(at, facts.day_starts) == facts.table.day:
        return True
    return any(win.start <= at < win.end for win in facts.table.windows)


# --- marks by hand --------------------------------------------------------------------------------------------------


def _marks(facts: DayFacts, people: Register, notices: Notices) -> dict[str, dict[int, str]]:
    """Each person's stored marks. Where one cell has several rows (no unique key), the newest known one counts."""
    marks: dict[str, dict[int, str]] = {}
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
    facts: DayFacts,
    people: Register,
    scans: Mapping[str, Sequence[datetime]],
    marks: Mapping[str, Mapping[int, str]],
) -> list[Worker]:
    """The roster of the day in the order of numbers, each with all cells."""
    expectations = _Expectations(facts)
    rows = []
    for no, person in sorted(people.people.items()):
        employed = person.is_employed(facts.table.day)
        if not employed and no not in scans and no not in marks:
            continue
        wanted = expectations.of(person)
        times = marking(scans.get(no, ()), person, facts.table, wanted.codes)
        cells = _cells(facts.table, times, marks.get(no, {}), wanted)
        if employed or any(cells.values()):
            e = UNSET if wanted.codes is None else list(wanted.codes)
            rows.append(Worker(no=no, name=person.name, g=person.group, p=cells, e=e, off=wanted.off))
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


def _cells(
    table: Timetable, times: Sequence[datetime], marks: Mapping[int, str], wanted: Expected
) -> dict[int, str | None]:
    """R2: the first real scan of each period, else the stored mark."""
    cells: dict[int, str | None] = {code: marks.get(code) for code in table.codes}
    if times:
        for code, at in counting.first_scans(times, table.windows, wanted.codes).items():
            cells[code] = hh_mm(at)
    return cells
