"""People, windows and what happens on a day, decided by a seed: the same seed gives the same factory. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random

from mirror import counting
from onprem.rows import PeriodRow
from onprem.simulator.names import DEPARTMENTS, FIRST_NAMES, LAST_NAMES, TERMINALS
from onprem.timetable import Timetable, timetable

DAY_SHIFT, NIGHT_SHIFT = "D", "N"
STRANGER = "777"
ABSENT_SHARE, LATE_SHARE, FORGETFUL_SHARE = 0.05, 0.08, 0.03


@dataclass(frozen=True)
class SimulatedPerson:
    no: str
    device: str
    name: str | None
    department: str
    shift: str | None
    is_active: bool
    hired: date


@dataclass(frozen=True)
class SimulatedScan:
    device: str
    at: datetime
    terminal: str


@dataclass(frozen=True)
class SimulatedLeave:
    first: date
    last: date
    no: str | None
    part: str
    label: str


@dataclass(frozen=True)
class SimulatedMark:
    day: date
    period: int
    no: str
    status: str


USUAL = (
    PeriodRow(1, "เช้า 1", time(5, 30), time(7, 30), None, "1", None, None),
    PeriodRow(2, "เช้า 2", time(7, 30), time(9, 0), time(8, 0), "1", None, None),
    PeriodRow(3, "บ่าย", time(12, 0), time(13, 30), time(13, 0), "2", None, None),
    PeriodRow(4, "เย็น", time(16, 30), time(19, 0), None, "3", None, None),
)
NIGHT = (
    PeriodRow(5, "กะดึก เข้างาน", time(19, 30), time(21, 0), time(20, 0), "4", NIGHT_SHIFT, 0),
    PeriodRow(6, "กะดึก พัก", time(0, 0), time(1, 30), time(0, 45), "5", NIGHT_SHIFT, 1),
    PeriodRow(7, "กะดึก เลิกงาน", time(5, 0), time(6, 30), None, "6", NIGHT_SHIFT, 1),
)


def usual_periods(*, with_night: bool) -> tuple[PeriodRow, ...]:
    if not with_night:
        return USUAL
    day = (PeriodRow(p.code, p.label, p.start, p.end, p.late_after, p.group, DAY_SHIFT, p.day_offset) for p in USUAL)
    return (*day, *NIGHT)


def periods_around(now: datetime, business_day: date) -> tuple[PeriodRow, ...]:
    """A working day happening now, whatever the hour: two windows are over, one is open, one is to come."""
    base = now.replace(second=0, microsecond=0) - timedelta(minutes=now.minute % 5)

    def period(code: int, label: str, begin: int, end: int, late: int | None, group: str) -> PeriodRow:
        start, late_after = (
            base + timedelta(minutes=begin),
            base + timedelta(minutes=late) if late is not None else None,
        )
        return PeriodRow(
            code,
            label,
            start.time(),
            (base + timedelta(minutes=end)).time(),
            late_after.time() if late_after else None,
            group,
            None,
            (start.date() - business_day).days,
        )

    morning = period(1, "เช้า 1", -200, -140, None, "1"), period(2, "เช้า 2", -140, -80, -110, "1")
    return (*morning, period(3, "บ่าย", -15, 75, 20, "2"), period(4, "เย็น", 90, 180, None, "3"))


def people(count: int, *, seed: int, today: date, with_night: bool) -> list[SimulatedPerson]:
    """The last three are special: one has left, one has no name, one has a number with a letter in it."""
    random = Random(f"{seed}/people")
    found = []
    for i in range(1, count + 1):
        night = with_night and random.random() < 0.2
        name = f"{random.choice(FIRST_NAMES)} {random.choice(LAST_NAMES)}"
        found.append(
            SimulatedPerson(
                no="A012" if i == count else f"{i:04d}",
                device="9012" if i == count else str(i),
                name=None if i == count - 1 else name,
                department=random.choice(DEPARTMENTS),
                shift=(NIGHT_SHIFT if night else DAY_SHIFT) if with_night else None,
                is_active=i != count - 2,
                hired=today - timedelta(days=random.randrange(100, 4000)),
            )
        )
    return found


def leave(folk: Sequence[SimulatedPerson], days: Sequence[date], *, seed: int) -> list[SimulatedLeave]:
    """A few on leave each day, half days too; every fifteenth day the whole factory rests, but never the last one."""
    random = Random(f"{seed}/leave")
    found = []
    for i, day in enumerate(reversed(days)):
        if i % 15 == 14:
            found.append(SimulatedLeave(day, day, None, "D", "วันหยุดประจำปี"))
        for person in random.sample(folk, max(1, len(folk) // 50)):
            part = random.choice("DDDMA")
            label = random.choice(("ลาป่วย", "ลากิจ", "พักร้อน"))
            found.append(SimulatedLeave(day, day, person.no, part, label))
    return found


def marks(folk: Sequence[SimulatedPerson], days: Sequence[date], *, seed: int) -> list[SimulatedMark]:
    """What a foreman set by hand: somebody forgot to scan in the morning, or was let in late."""
    random = Random(f"{seed}/marks")
    found: list[SimulatedMark] = []
    for day in days:
        some = random.sample([person for person in folk if person.shift != NIGHT_SHIFT], max(1, len(folk) // 60))
        found += [
            SimulatedMark(day, random.choice((2, 3)), person.no, random.choice(("present", "late"))) for person in some
        ]
    return found


def scans_of(
    day: date,
    folk: Sequence[SimulatedPerson],
    periods: Sequence[PeriodRow],
    away: Sequence[SimulatedLeave],
    *,
    seed: int,
) -> Iterator[SimulatedScan]:
    """Everything the terminals hear that day: most are on time, some late, some absent, one is known to nobody."""
    table = timetable(day, periods, day_starts=counting.DEFAULT_DAY_STARTS)
    at_home = {row.no for row in away if row.first <= day <= row.last and row.part == "D"}
    if None in at_home:
        return
    for person in folk:
        random = Random(f"{seed}/{day}/{person.no}")
        if person.is_active and person.no not in at_home and random.random() > ABSENT_SHARE:
            yield from _one_day(person, table, random)
    yield SimulatedScan(STRANGER, table.windows[0].start + timedelta(minutes=25), TERMINALS[0])


def _one_day(person: SimulatedPerson, table: Timetable, random: Random) -> Iterator[SimulatedScan]:
    codes = table.of_shift(person.shift)
    skips = random.choice((1, 2))
    for win in table.windows:
        if (codes is not None and win.code not in codes) or random.random() < FORGETFUL_SHARE:
            continue
        # Morning is period 1 or 2: hardly anybody scans in both.
        if win.code in (1, 2) and win.code == skips and random.random() < 0.9:
            continue
        at = _arrival(win, random)
        yield SimulatedScan(person.device, at, random.choice(TERMINALS))
        if random.random() < 0.1:
            yield SimulatedScan(
                person.device, at + timedelta(seconds=random.randrange(2, 90)), random.choice(TERMINALS)
            )


def _arrival(win: counting.Window, random: Random) -> datetime:
    length = int((win.end - win.start).total_seconds())
    due = length
    if win.late_after is not None:
        on_line = datetime.combine(win.start.date(), win.late_after)
        due = int((on_line - win.start).total_seconds()) % 86400
        if random.random() < LATE_SHARE:
            return win.start + timedelta(seconds=random.randrange(due + 60, length))
    return win.start + timedelta(seconds=random.randrange(max(due, 1)))
