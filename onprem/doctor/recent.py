"""The rows of the last thirty days: whose scans are they, when were they, and can the day be counted?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from onprem import relations, rows
from onprem.capture import FUTURE_TOLERANCE, Register, register
from onprem.chunks import EARLIEST
from onprem.clocks import parse_moment
from onprem.doctor.finding import Finding, bad, good, odd, some
from onprem.factory import LegacyFactory
from onprem.faults import reading
from onprem.models import relation_name
from onprem.notices import BAD_ROW, DEAD_TERMINAL, Notices
from onprem.ports import BadWindows
from onprem.relations import Days
from onprem.rows import Mark, PeriodRow, Texts
from onprem.timetable import Timetable, timetable

DAYS_BACK = 30
MUCH_UNMATCHED = 0.3
SHIFTS_TRIED = [hours for hours in range(-12, 13) if hours]
ENOUGH_SCANS = 20


@dataclass(frozen=True)
class Heard:
    """One scan as it stands there."""

    device: str
    at: datetime
    terminal: str


@dataclass(frozen=True)
class Month:
    """What all checks here look at. ``scans`` have a number and a time; ``stray`` ones are ancient or of the future."""

    day: date
    now: datetime
    day_starts: time
    people: Register
    scans: Sequence[Heard]
    stray: Sequence[Heard]
    marks: Sequence[Mark]
    periods: Sequence[PeriodRow]

    def table(self, day: date) -> Timetable:
        return timetable(day, self.periods, day_starts=self.day_starts)


def look_at_days(day: date, *, now: datetime, day_starts: time) -> Iterator[Finding]:
    notices = Notices()
    with reading():
        seen = _read(day, now, day_starts, notices)
    yield from windows(seen)
    yield from owners(seen)
    yield from times(seen)
    yield from marks(seen)
    if count := notices.count(BAD_ROW):
        yield odd("bad_rows", count=count, words=some(list(notices.samples(BAD_ROW))))
    yield from counted(seen)


def windows(seen: Month) -> Iterator[Finding]:
    try:
        table = seen.table(seen.day)
    except BadWindows as exc:
        yield bad("windows_bad", words=exc)
        return
    spans = [f"{period.code} {period.start:%H:%M}-{period.end:%H:%M}" for period in table.periods]
    yield good("windows_good", words=", ".join(spans))
    for period, win in zip(table.periods, table.windows, strict=True):
        if period.late_after is None:
            continue
        late = datetime.combine(win.start.date(), period.late_after)
        late += timedelta(days=int(late < win.start))
        if not win.start <= late < win.end:
            yield odd(
                "late_outside",
                code=period.code,
                late=f"{period.late_after:%H:%M}",
                span=f"{period.start:%H:%M}-{period.end:%H:%M}",
            )


def owners(seen: Month) -> Iterator[Finding]:
    if not seen.scans:
        yield odd("scans_none", days=DAYS_BACK)
        return
    known = seen.people.owners.keys() | seen.people.collisions.keys()
    unknown = Counter(scan.device for scan in seen.scans if scan.device not in known)
    if not unknown:
        yield good("scans_good", count=len(seen.scans), days=DAYS_BACK)
        return
    share = unknown.total() / len(seen.scans)
    words = some([f"{device} ({count})" for device, count in unknown.most_common()])
    kind = bad if share > MUCH_UNMATCHED else odd
    yield kind("unmatched", count=unknown.total(), all=len(seen.scans), words=words)
    folded = {device.lstrip("0"): device for device in seen.people.owners}
    if near := [f"{device} ~ {folded[device.lstrip('0')]}" for device in unknown if device.lstrip("0") in folded]:
        yield odd("unmatched_zeros", words=some(sorted(near)))


def times(seen: Month) -> Iterator[Finding]:
    repeated = sum(count - 1 for count in Counter((scan.device, scan.at) for scan in seen.scans).values())
    if repeated:
        yield odd("duplicates", count=repeated)
    everything = [*seen.scans, *seen.stray]
    future = [scan for scan in everything if scan.at > seen.now + FUTURE_TOLERANCE]
    if future:
        yield odd("future", count=len(future), words=some([f"{scan.device} {scan.at}" for scan in future]))
    ancient = [scan for scan in everything if scan.at < EARLIEST]
    if ancient:
        yield odd("ancient", count=len(ancient), words=some([f"{scan.device} {scan.at}" for scan in ancient]))
    yield from hours_off(seen)


def hours_off(seen: Month) -> Iterator[Finding]:
    """A terminal set to another zone: moved by some hours its scans would fall into the windows, as they are not."""
    by_terminal: dict[str, Counter[int]] = {}
    for scan in seen.scans:
        minutes = by_terminal.setdefault(scan.terminal, Counter())
        minutes[scan.at.hour * 60 + scan.at.minute] += 1
    wanted = _minutes_in_windows(seen)
    for terminal, heard in sorted(by_terminal.items()):
        inside = {hours: _inside(heard, hours, wanted) for hours in (0, *SHIFTS_TRIED)}
        best = max(SHIFTS_TRIED, key=lambda hours: (inside[hours], -abs(hours)))
        everything = heard.total()
        if everything >= ENOUGH_SCANS and inside[best] > max(2 * inside[0], everything / 2):
            name = terminal or relation_name("scan")
            yield bad("hours_off", terminal=name, hours=-best, inside=inside[best], all=everything)


def marks(seen: Month) -> Iterator[Finding]:
    if strange := [f"{mark.no} {mark.status or '-'}" for mark in seen.marks if not mark.is_known]:
        yield odd("unknown_marks", count=len(strange), words=some(sorted(strange)))
    cells = Counter((mark.day, mark.period, mark.no) for mark in seen.marks)
    if double := [f"{day} {period} {no}" for (day, period, no), count in sorted(cells.items()) if count > 1]:
        yield odd("double_marks", relation=relation_name("override"), words=some(double))


def counted(seen: Month) -> Iterator[Finding]:
    """The day itself, as it would be sent."""
    try:
        (day,) = LegacyFactory(day_starts=seen.day_starts).snapshots([seen.day], now=seen.now)
    except BadWindows as exc:
        yield bad("day_bad", day=seen.day, words=exc)
        return
    if dead := next((notice for notice in day.notices if notice.kind == DEAD_TERMINAL), None):
        yield odd("dead_terminal", words=some(dead.sample))
    stat = day.stat
    yield good(
        "day_good",
        day=seen.day,
        people=day.active_total,
        full=stat.full,
        partial=stat.partial,
        absent=stat.absent,
        wait=stat.wait,
    )


def _read(day: date, now: datetime, day_starts: time, notices: Notices) -> Month:
    days = Days(day - timedelta(days=DAYS_BACK - 1), day + timedelta(days=1))
    _note_bad_days_off(relations.all_days_off() or [], days, notices)
    return Month(
        day=day,
        now=now,
        day_starts=day_starts,
        people=register(rows.people(relations.employees(), Notices())),
        scans=_heard(relations.scans_with_terminals(days), notices),
        stray=_heard(((*row, None) for row in relations.odd_scans(days.last + timedelta(days=1))), notices),
        marks=_marks(relations.overrides(days), notices),
        periods=rows.periods(relations.periods(), notices),
    )


def _heard(texts: Iterable[Texts], notices: Notices) -> list[Heard]:
    heard = []
    for device_no, scanned_at, terminal in texts:
        device, at = rows.cleaned(device_no), parse_moment(scanned_at)
        if device is not None and at is not None:
            heard.append(Heard(device, at, rows.cleaned(terminal) or ""))
        else:
            notices.add(BAD_ROW, f"scan of {device or 'nobody'} at {scanned_at}")
    return heard


def _marks(texts: Iterable[Texts], notices: Notices) -> list[Mark]:
    read = []
    for row in texts:
        if mark := rows.mark(row):
            read.append(mark)
        else:
            notices.add(BAD_ROW, f"override {row[2]} of {row[0]} in period {row[1]}")
    return read


def _note_bad_days_off(texts: Iterable[Texts], days: Days, notices: Notices) -> None:
    """Also those that say nothing about when they are: no day's capture can list them."""
    for row in texts:
        first, last = rows.span_off(row) or (days.first, days.last)
        if rows.day_off(row) is None and first <= days.last and last >= days.first:
            notices.add(BAD_ROW, f"day off of {row[2] or 'everyone'} from {row[0]} to {row[1]}, part {row[3]}")


def _minutes_in_windows(seen: Month) -> set[int]:
    """The minutes of the clock at which some window is open; none where the windows cannot be used."""
    try:
        table = seen.table(seen.day)
    except BadWindows:
        return set()
    lengths = [(win.start, int((win.end - win.start).total_seconds()) // 60) for win in table.windows]
    return {(start.hour * 60 + start.minute + minute) % 1440 for start, length in lengths for minute in range(length)}


def _inside(minutes: Counter[int], hours: int, wanted: set[int]) -> int:
    return sum(count for minute, count in minutes.items() if (minute + 60 * hours) % 1440 in wanted)
