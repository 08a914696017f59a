"""The messy reference site against an expectation from what the simulator decided, not from its tables.

The rules are written out here a second time, as plainly as possible: per person and window, by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

import pytest

from mirror.wire import Snapshot
from onprem.factory import LegacyFactory
from onprem.simulator import fill, workday
from onprem.simulator.names import TERMINALS
from onprem.simulator.reference import ReferenceSchema
from onprem.simulator.workday import SimulatedPerson
from tests.mariadb import MariaDB
from tests.onprem.site import notice, pointed_at

NOW = datetime.fromisoformat("2026-07-28T18:00:00")
DAYS = 60
WANTED = fill.Wanted(people=300, days=DAYS, seed=7, now=NOW, day_starts=time(4), around_now=False, with_night=True)
DATES = [NOW.date() - timedelta(days=back) for back in range(DAYS)]


@dataclass(frozen=True)
class Truth:
    """What happened, as the simulator decided it."""

    folk: list[SimulatedPerson]
    scans: dict[str, list[datetime]]
    marks: dict[tuple[date, int, str], str]
    away: dict[date, dict[str | None, list[tuple[str, str]]]]


@pytest.fixture(scope="module")
def snapshots(mariadb: MariaDB) -> dict[date, Snapshot]:
    with pointed_at(mariadb.create("reference", charset="latin1")) as connection:
        fill.make(connection, ReferenceSchema(connection), WANTED)
        found = list(LegacyFactory().snapshots(DATES, now=NOW))
    return dict(zip(DATES, found, strict=True))


@pytest.fixture(scope="module")
def truth() -> Truth:
    days = list(reversed(DATES))
    folk = workday.people(WANTED.people, seed=7, today=NOW.date(), with_night=True)
    away = workday.leave(folk, days, seed=7)
    scans: dict[str, list[datetime]] = {}
    for day in days:
        for scan in workday.scans_of(day, folk, WANTED.periods, away, seed=7):
            if scan.at <= NOW:
                scans.setdefault(scan.device, []).append(scan.at)
    off: dict[date, dict[str | None, list[tuple[str, str]]]] = {}
    for row in away:
        off.setdefault(row.first, {}).setdefault(row.no, []).append((row.part, row.label))
    marks = {(mark.day, mark.period, mark.no): mark.status for mark in workday.marks(folk, days[:-1], seed=7)}
    return Truth(folk, scans, marks, off)


WINDOWS = {
    1: ("D", "05:30", "07:30", 0),
    2: ("D", "07:30", "09:00", 0),
    3: ("D", "12:00", "13:30", 0),
    4: ("D", "16:30", "19:00", 0),
    5: ("N", "19:30", "21:00", 0),
    6: ("N", "00:00", "01:30", 1),
    7: ("N", "05:00", "06:30", 1),
}
MORNING_CODES, AFTERNOON_CODES = {1, 2}, {3, 4, 5, 6, 7}


def span(day: date, code: int) -> tuple[datetime, datetime]:
    _, start, end, later = WINDOWS[code]
    on = day + timedelta(days=later)
    return datetime.combine(on, time.fromisoformat(start)), datetime.combine(on, time.fromisoformat(end))


def own_codes(truth: Truth, person: SimulatedPerson, day: date) -> tuple[set[int], bool]:
    """Where he is expected, and whether something took a part of it away."""
    codes = {code for code, (shift, *_) in WINDOWS.items() if shift == person.shift}
    rows = truth.away.get(day, {})
    parts = [part for no in (None, person.no) for part, _ in rows.get(no, [])]
    left = set(codes)
    for part in parts:
        left -= {"D": codes, "M": MORNING_CODES, "A": AFTERNOON_CODES}[part]
    return left, left != codes


def cell(truth: Truth, person: SimulatedPerson, day: date, code: int) -> str | None:
    start, end = span(day, code)
    inside = [at for at in truth.scans.get(person.device, []) if start <= at < end]
    if WINDOWS[code][0] != person.shift:
        # Somebody else's window: only a scan that lies in none of his own, on no day.
        mine = [
            span(day + timedelta(days=step), c)
            for step in (-1, 0, 1)
            for c, w in WINDOWS.items()
            if w[0] == person.shift
        ]
        inside = [at for at in inside if not any(begin <= at < finish for begin, finish in mine)]
    if inside:
        return min(inside).strftime("%H:%M")
    return truth.marks.get((day, code, person.no))


@pytest.mark.parametrize("back", range(DAYS))
def test_every_cell_is_as_it_happened(truth: Truth, snapshots: dict[date, Snapshot], back: int) -> None:
    day = DATES[back]
    expected = {person.no: {code: cell(truth, person, day, code) for code in WINDOWS} for person in truth.folk}
    on_roster = {person.no for person in truth.folk if person.is_active} | {
        no for no, cells in expected.items() if any(cells.values())
    }

    found = {one.no: dict(one.p) for one in snapshots[day].workers}

    assert found == {no: expected[no] for no in sorted(on_roster)}


@pytest.mark.parametrize("back", range(0, DAYS, 7))
def test_everybody_is_expected_where_shift_and_leave_say(
    truth: Truth, snapshots: dict[date, Snapshot], back: int
) -> None:
    day = DATES[back]
    expected = {person.no: own_codes(truth, person, day) for person in truth.folk}

    found = {one.no: (set(one.e or []), one.off is not None) for one in snapshots[day].workers}

    assert found == {no: expected[no] for no in found}


@pytest.mark.parametrize("back", range(1, DAYS, 7))
def test_the_totals_are_the_people_counted_one_by_one(truth: Truth, snapshots: dict[date, Snapshot], back: int) -> None:
    day, counted = DATES[back], {"full": 0, "partial": 0, "absent": 0}
    groups = [{1, 2}, {3}, {4}, {5}, {6}, {7}]
    for one in snapshots[day].workers:
        person = next(person for person in truth.folk if person.no == one.no)
        codes, _ = own_codes(truth, person, day)
        marked = {code for code in WINDOWS if cell(truth, person, day, code)}
        owed = [group for group in groups if group & codes] or [group for group in groups if group & marked]
        came = [group for group in owed if group & marked]
        if owed:
            counted["full" if len(came) == len(owed) else "partial" if came else "absent"] += 1

    stat = snapshots[day].stat
    assert {"full": stat.full, "partial": stat.partial, "absent": stat.absent} == counted
    assert (snapshots[day].active_total, stat.wait) == (sum(counted.values()), 0)


def test_names_and_departments_come_through_both_charsets(truth: Truth, snapshots: dict[date, Snapshot]) -> None:
    people = {person.no: (person.name, person.department) for person in truth.folk}

    found = {one.no: (one.name, one.g) for one in snapshots[NOW.date()].workers}

    assert found == {no: people[no] for no in found}


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("unmatched", 1),
        ("future_scan", 1),
        ("old_scan", 1),
        ("unknown_override", 1),
        ("dead_terminal", 1),
        ("bad_row", 3),
    ],
)
def test_todays_mess_is_listed(snapshots: dict[date, Snapshot], kind: str, count: int) -> None:
    assert notice(snapshots[NOW.date()], kind)[0] == count


def test_repeated_scans_are_listed(snapshots: dict[date, Snapshot]) -> None:
    assert notice(snapshots[DATES[1]], "duplicate")[0] > 0


def test_four_terminals_say_how_far_the_day_is_pulled(snapshots: dict[date, Snapshot]) -> None:
    assert len(TERMINALS) == 4
    assert snapshots[NOW.date()].scans_through == "2026-07-28T18:00:00"
