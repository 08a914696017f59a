"""A working day that goes on: scans arrive as time passes, and every change of a manual mark is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from random import Random

from mirror import counting
from mirror.wire import Worker
from onprem import relations
from onprem.clocks import local_now
from onprem.factory import LegacyFactory
from onprem.notices import Notices
from onprem.relations import Days
from onprem.rows import mark, people
from onprem.simulator.fill import Schema
from onprem.simulator.names import TERMINALS
from onprem.simulator.workday import ABSENT_SHARE, SimulatedScan

Marks = dict[tuple[str, int, str], str]

LOOK_BACK = timedelta(days=62)


@dataclass
class LiveFactory:
    """One step is one look at the clock: perhaps somebody scans, and what has changed in the marks is told."""

    schema: Schema
    day_starts: time
    every: float
    tell: Callable[[str], None]
    _marks: Marks = field(default_factory=dict)
    _next_scan: datetime | None = None

    def begin(self, now: datetime) -> None:
        self._marks = _marks(now)

    def step(self, now: datetime) -> None:
        if self._next_scan is None or now >= self._next_scan:
            self._next_scan = now + timedelta(seconds=self.every)
            self._somebody_scans(now)
        self._tell_changes(now)

    def _somebody_scans(self, now: datetime) -> None:
        today = counting.business_date(now, self.day_starts)
        waiting = list(_still_to_come(LegacyFactory(day_starts=self.day_starts), now))
        # Some stay away all day: who, is decided by the day, so that a restart decides the same.
        coming = [device for no, device in waiting if Random(f"{today}/{no}/away").random() > ABSENT_SHARE]
        random = Random(str(now))
        if coming:
            at = now.replace(microsecond=0)
            self.schema.add_scans([SimulatedScan(random.choice(coming), at, random.choice(TERMINALS))])
        self.schema.pulled(TERMINALS, now)

    def _tell_changes(self, now: datetime) -> None:
        before, self._marks = self._marks, _marks(now)
        for cell in sorted(before.keys() | self._marks.keys()):
            status = self._marks.get(cell)
            if status != before.get(cell):
                day, period, no = cell
                self.tell(f"factory: override {day} period {period} {no} {status or 'removed'}")


def _still_to_come(factory: LegacyFactory, now: datetime) -> Iterator[tuple[str, str]]:
    """Everybody (number, device number) who is expected in a window that is open and has no mark in it."""
    devices = {no: min(person.devices, default="") for no, person in people(relations.employees(), Notices()).items()}
    day = next(factory.snapshots([counting.business_date(now, factory.day_starts)], now=now))
    open_now = [period.code for period in day.periods if period.state == counting.OPEN]
    for worker in day.workers:
        if devices.get(worker.no) and any(_is_awaited(worker, code) for code in open_now):
            yield worker.no, devices[worker.no]


def _is_awaited(worker: Worker, code: int) -> bool:
    expected = counting.expected_in(worker)
    return worker.p.get(code) is None and (expected is None or code in expected)


def _marks(now: datetime) -> Marks:
    days = Days(now.date() - LOOK_BACK, now.date() + timedelta(days=1))
    found = (mark(row) for row in relations.overrides(days))
    return {(row.day.isoformat(), row.period, row.no): row.status for row in found if row}


def run(live: LiveFactory, *, sleep: Callable[[float], None]) -> None:
    """Until interrupted."""
    live.begin(local_now())
    while True:
        live.step(local_now())
        sleep(min(live.every, 1.0))
