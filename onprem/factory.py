"""The factory's database as the agent sees it: days read, one mark set. The only writer there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from mirror import counting
from mirror.wire import ABSENT, Snapshot
from onprem import override, relations, rows
from onprem.capture import DayFacts, Register, ScanLine, capture, future_scans, real_scans, register
from onprem.clocks import local_now, parse_date, parse_moment, parse_usual_moments
from onprem.faults import ALIAS, is_collision, reading, writing
from onprem.notices import BAD_ROW, DEAD_TERMINAL, NUMBER_COLLISION, OLD_SCAN, Notices
from onprem.override import Attempt
from onprem.ports import Cell, FactoryTrouble, Refused
from onprem.relations import Days
from onprem.rows import DayOffRow, Mark, PeriodRow, Person, Texts
from onprem.timetable import Timetable, timetable

# Days read together: one range query per relation, and no more scans in memory than so many days have.
CHUNK = timedelta(days=7)
HEARD_LATELY = timedelta(hours=24)
# Somebody else writes the same cell at the same moment.
_TRIES = 3
EARLIEST = datetime.combine(date(2000, 1, 1), time())


class _Roster(NamedTuple):
    """The people that these texts stand for, and what was odd about them."""

    texts: Sequence[Texts]
    people: Register
    odd: Notices


class Site(NamedTuple):
    """What is the same for every day of one reading; ``odd`` holds what was odd about it."""

    people: Register
    periods: Sequence[PeriodRow]
    scans_through: datetime | None
    odd: Notices


class OddRow(NamedTuple):
    """A row that means nothing, and the days it is about, whatever else was read: ``span``, or where ``text`` sorts."""

    words: str
    span: tuple[date, date] | None
    text: str = ""

    def is_about(self, day: date) -> bool:
        if self.span is not None:
            return self.span[0] <= day <= self.span[1]
        return any(begin <= self.text < end for begin, end in Days(day, day).ranges)


class Chunk(NamedTuple):
    """What the relations hold about some days that lie close together; scans were read up to ``beyond``."""

    beyond: date
    scans: ScanLine
    future: ScanLine
    marks: Sequence[Mark]
    days_off: Sequence[DayOffRow]
    odd: Sequence[OddRow]


class LegacyFactory:
    """Implements `onprem.ports.Factory` over the six relations. ``clock`` tells the factory's wall time for writes."""

    def __init__(self, *, day_starts: time | None = None, clock: Callable[[], datetime] = local_now) -> None:
        self.day_starts: time = day_starts if day_starts is not None else settings.ONPREM_DAY_STARTS
        self._clock = clock
        self._roster = _Roster([], register({}), Notices())
        self._columns: dict[str, str] = {}

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        """Yield each day as it is, in the order asked for."""
        if not days:
            return
        with reading():
            site = self._site(now)
        for some in _close_together(days):
            tables = [timetable(day, site.periods, day_starts=self.day_starts) for day in some]
            with reading():
                chunk = _chunk(tables, now)
            for table in tables:
                yield self._capture(table, site, chunk, now)

    def look(self, cell: Cell) -> str | None:
        """Return the stored mark. Raise Refused (final) for an unknown employee or period."""
        with reading():
            self._known(cell)
            return override.stored(cell)

    def has_ours(self, cell: Cell, status: str) -> bool:
        """Tell whether the cell is as an agent sets it for ``status``, and not as somebody else has marked it."""
        try:
            with reading():
                self._known(cell)
                return override.stands_in_our_name(cell, status)
        except Refused:
            return False

    def set_mark(self, cell: Cell, status: str) -> str:
        """Make the stored mark be ``status``, unless a real scan was there first."""
        for _ in range(_TRIES - 1):
            try:
                return self._set_mark(cell, status)
            except (Refused, FactoryTrouble) as exc:
                if not is_collision(exc.__cause__):
                    raise
        return self._set_mark(cell, status)

    def _set_mark(self, cell: Cell, status: str) -> str:
        """Reads come before the transaction: inside, the first one would fix what can be seen of others' writes."""
        attempt = Attempt(cell, status, self._clock())
        try:
            with writing():
                if self._is_superseded(cell, status):
                    return "superseded"
                attempt.look()
                with transaction.atomic(using=ALIAS):
                    attempt.make()
        except Refused as exc:
            # Where another row was in the way nothing was written, and that row may be just what we wanted.
            if not is_collision(exc.__cause__):
                with writing():
                    attempt.undo()
            raise
        return "applied"

    def would_set_mark(self, cell: Cell, status: str) -> str:
        """Return or raise what `set_mark` would, as far as that can be known without touching a row."""
        with writing():
            if self._is_superseded(cell, status):
                return "superseded"
            with transaction.atomic(using=ALIAS):
                override.demand_rights(cell, status)
        return "applied"

    def _is_superseded(self, cell: Cell, status: str) -> bool:
        """Whether a real scan was there first. Raise Refused if the mark would not fit into the columns."""
        if status == ABSENT:
            return False
        if self._has_real_scan(cell):
            return True
        self._columns = self._columns or relations.override_columns()
        override.demand_room(self._columns, cell, status)
        return False

    def _capture(self, table: Timetable, site: Site, chunk: Chunk, now: datetime) -> Snapshot:
        notices = Notices()
        notices.take(site.odd)
        for row in chunk.odd:
            if row.is_about(table.day):
                notices.add(BAD_ROW, row.words)
        if counting.business_date(now, self.day_starts) == table.day:
            future_scans(chunk.future, notices)
            with reading():
                _odd_scans(chunk, now, notices)
        facts = DayFacts(
            table=table,
            scans=chunk.scans,
            marks=[mark for mark in chunk.marks if mark.day == table.day],
            days_off=[row for row in chunk.days_off if row.covers(table.day)],
            now=now,
            scans_through=site.scans_through,
            day_starts=self.day_starts,
        )
        return capture(facts, site.people, notices)

    def _site(self, now: datetime) -> Site:
        texts = relations.employees()
        # A listener reads the same people again and again.
        if texts != self._roster.texts:
            self._roster = _roster(texts)
        odd = Notices()
        odd.take(self._roster.odd)
        return Site(self._roster.people, rows.periods(relations.periods(), odd), _scans_through(now, odd), odd)

    def _known(self, cell: Cell) -> tuple[Person, Timetable]:
        """The person and the day's timetable, or Refused: the row can never be set."""
        person = rows.people(relations.person(cell.employee_no), Notices()).get(cell.employee_no)
        if person is None:
            raise Refused("unknown_employee", f"nobody has the number {cell.employee_no}", final=True)
        table = timetable(cell.day, rows.periods(relations.periods(), Notices()), day_starts=self.day_starts)
        if cell.period not in table.codes:
            raise Refused("unknown_period", f"there is no period {cell.period}", final=True)
        return person, table

    def _has_real_scan(self, cell: Cell) -> bool:
        """R2 for this cell alone, by the same rule and the same rows as the whole day."""
        person, table = self._known(cell)
        days = Days(table.begins.date(), table.ends.date())
        times: list[datetime] = []
        for device in sorted(person.devices):
            if len(rows.owners_of(device, relations.people_with_device(device))) == 1:
                own = (at for no, at in relations.scans_of(days, device) if rows.cleaned(no) == device)
                times += filter(None, map(parse_moment, own))
        counted, _ = ScanLine(sorted(times), [""] * len(times)).split(self._clock())
        days_off, _ = _days_off(Days(cell.day, cell.day))
        today = [row for row in days_off if row.covers(cell.day)]
        return cell.period in real_scans(person, table, today, counted.times)


# --- reading --------------------------------------------------------------------------------------------------------


def _roster(texts: Sequence[Texts]) -> _Roster:
    odd = Notices()
    people = register(rows.people(texts, odd))
    for device, numbers in people.collisions.items():
        odd.add(NUMBER_COLLISION, f"{device}: {', '.join(numbers)}")
    return _Roster(texts, people, odd)


def _scans_through(now: datetime, odd: Notices) -> datetime | None:
    """The oldest of the terminals heard in the last 24 hours: a dead one must not freeze the day."""
    heard = []
    for pulled in map(rows.pulled, relations.pulls() or []):
        if pulled.through is None or pulled.through < now - HEARD_LATELY:
            odd.add(DEAD_TERMINAL, pulled.device)
        else:
            heard.append(min(pulled.through, now))
    return min(heard, default=None)


def _close_together(days: Sequence[date]) -> Iterator[list[date]]:
    """Split into runs that one range can serve without reading much that nobody asked for."""
    some: list[date] = []
    for day in days:
        if some and max([*some, day]) - min([*some, day]) >= CHUNK:
            yield some
            some = []
        some.append(day)
    yield some


def _chunk(tables: Sequence[Timetable], now: datetime) -> Chunk:
    asked = Days(min(table.day for table in tables), max(table.day for table in tables))
    odd: list[OddRow] = []
    begins, ends = min(table.begins for table in tables), max(table.ends for table in tables)
    reach = Days(begins.date(), ends.date())
    # When the last day is over nothing behind its end is of interest, and that may be as much as a day has.
    texts = relations.scans(reach, until=ends.time() if ends <= now else None)
    scans, future = _scan_line(texts, odd).split(now)
    marks = []
    for row in relations.overrides(asked):
        if mark := rows.mark(row):
            marks.append(mark)
        else:
            odd.append(_odd(f"override {row[2]} of {row[0]} in period {row[1]}", row[0]))
    days_off, bad_days_off = _days_off(asked)
    return Chunk(reach.last + timedelta(days=1), scans, future, marks, days_off, [*odd, *bad_days_off])


def _scan_line(texts: Sequence[Texts], odd: list[OddRow]) -> ScanLine:
    found = _usual_scans(texts)
    if found is None:
        found = _messy_scans(texts, odd)
    found.sort()
    return ScanLine([at for at, _ in found], [device for _, device in found])


def _usual_scans(texts: Sequence[Texts]) -> list[tuple[datetime, str]] | None:
    """All at once, many times faster than one by one; None if one of the rows needs a closer look."""
    devices = [device.strip() for device, _ in texts if device]
    times = [at for _, at in texts if at]
    if not len(devices) == len(times) == len(texts) or not all(devices) or "\0" in "".join(devices):
        return None
    moments = parse_usual_moments(times)
    return None if moments is None else list(zip(moments, devices, strict=True))


def _messy_scans(texts: Iterable[Texts], odd: list[OddRow]) -> list[tuple[datetime, str]]:
    found = []
    for device_no, scanned_at in texts:
        at, device = parse_moment(scanned_at), rows.cleaned(device_no)
        if at is not None and device is not None:
            found.append((at, device))
        else:
            odd.append(_odd(f"scan of {device or 'nobody'} at {scanned_at}", scanned_at))
    return found


def _odd(words: str, text: str | None) -> OddRow:
    """Told by the text of the day, by which the row was read: a time may lie on another one (24:00, an offset)."""
    day = parse_date(text)
    return OddRow(words, (day, day) if day else None, text or "")


def _days_off(days: Days) -> tuple[list[DayOffRow], list[OddRow]]:
    read: list[DayOffRow] = []
    odd: list[OddRow] = []
    for row in relations.days_off(days) or []:
        if day_off := rows.day_off(row):
            read.append(day_off)
        else:
            odd.append(OddRow(f"day off {row[0]} to {row[1]}, part {row[3]}", rows.span_off(row)))
    return read, odd


def _odd_scans(chunk: Chunk, now: datetime, notices: Notices) -> None:
    """List the scans that no day's range reaches; today's snapshot carries them."""
    odd: list[OddRow] = []
    line = _scan_line(relations.odd_scans(chunk.beyond), odd)
    past, future = line.split(now)
    for at, device in zip(past.times, past.devices, strict=True):
        if at < EARLIEST:
            notices.add(OLD_SCAN, f"{device} {at.isoformat(' ')}")
    future_scans(future, notices)
    for row in odd:
        notices.add(BAD_ROW, row.words)
