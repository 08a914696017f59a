"""The factory's database as the agent sees it: days read, one mark set. The only writer there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from mirror import counting
from mirror.wire import ABSENT, Snapshot
from onprem import chunks, override, relations, rows
from onprem.capture import DayFacts, Register, ScanLine, capture, future_scans, real_scans, register
from onprem.chunks import Chunk
from onprem.clocks import local_now, parse_moment
from onprem.faults import ALIAS, is_collision, reading, writing
from onprem.notices import BAD_ROW, DEAD_TERMINAL, NUMBER_COLLISION, Notices
from onprem.override import Attempt
from onprem.ports import Cell, FactoryTrouble, Refused
from onprem.relations import Days
from onprem.rows import PeriodRow, Person, Texts
from onprem.timetable import Timetable, timetable

HEARD_LATELY = timedelta(hours=24)
# Somebody else writes the same cell at the same moment.
_TRIES = 3


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
        for some in chunks.close_together(days):
            tables = [timetable(day, site.periods, day_starts=self.day_starts) for day in some]
            with reading():
                chunk = chunks.read(tables, now)
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
                chunks.odd_scans(chunk, now, notices)
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
        days_off, _ = chunks.read_days_off(Days(cell.day, cell.day))
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
