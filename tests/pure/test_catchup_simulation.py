"""Sixty days of a machine that is switched off, unplugged, offline and told wrong times, in seconds.

The seed is printed: `CATCHUP_SEED=123 pytest …` lives the same sixty days again.
"""

from __future__ import annotations

import os
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice, takewhile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem import plan, slots
from onprem.plan import SUCCEEDED, ClockWrong
from onprem.schedule import LATEST, Job
from onprem.slot import Slot
from tests.pure.machine import BANGKOK, NIGHTLY, Machine, PowerCut, local

# A third of the passes there are, so that it takes seconds.
A_QUARTER = timedelta(minutes=15)
START, DAYS = local("2026-11-01T12:00"), 60
JOBS = [
    replace(NIGHTLY, lookback=timedelta(days=14), needs_cloud=True),
    Job("stats", "30 */6 * * *", ("true",), BANGKOK),
    Job("notify", "0 18 * * *", ("true",), BANGKOK, max_attempts=1),
    Job("latest", "15 * * * *", ("true",), BANGKOK, LATEST, lookback=timedelta(days=1)),
]


@dataclass
class Life:
    """What happens to the machine, and what has to hold whatever happens."""

    machine: Machine
    dice: random.Random
    true_now: datetime = START
    clock_error: timedelta = timedelta()
    off_until: datetime = START
    offline_until: datetime = START
    wrong_until: datetime = START
    bad_luck: bool = True
    successes: Counter[tuple[str, datetime]] = field(default_factory=Counter)

    def live(self, until: datetime) -> None:
        self.machine.work = self._work
        while self.true_now < until:
            self.true_now += A_QUARTER
            self._fate()
            if self.true_now < self.off_until:
                continue
            now = self.true_now + self.clock_error
            self._crontab(now)
            self._pass(now)

    def _fate(self) -> None:
        """Every few days something happens, and lasts for some hours or days."""
        if not self.bad_luck:
            self.off_until = self.offline_until = self.true_now
            self.clock_error = timedelta()
        elif self.dice.random() < 1 / 300:
            self.off_until = self.true_now + self._some_time()
        elif self.dice.random() < 1 / 300:
            self.offline_until = self.true_now + self._some_time()
        elif self.dice.random() < 1 / 700:
            self.clock_error = self.dice.choice((-1, 1)) * self._some_time() / 2
            self.wrong_until = self.true_now + self._some_time() / 4
        if self.true_now >= self.wrong_until:
            self.clock_error = timedelta()
        self.machine.cloud_is_near = self.true_now >= self.offline_until

    def _some_time(self) -> timedelta:
        return timedelta(minutes=self.dice.choice((3, 30, 300, 1500, 6000, 20000)) * self.dice.random())

    def _crontab(self, now: datetime) -> None:
        for job in self.machine.jobs:
            for at in slots.between(job.cron, job.zone, now - A_QUARTER, now):
                late = timedelta(seconds=self.dice.choice((0, 1, 2, 240)))
                for _start in range(self.dice.choice((0, 1, 1, 1, 1, 2))):
                    self.machine.direct(at + late, job.name)

    def _pass(self, now: datetime) -> None:
        machine, notes = self.machine, self._notes_sometimes()
        before, said = len(machine.runs), len(machine.lines)
        try:
            machine.catch_up(now)
        except ClockWrong:
            assert now < START
        runs, lines = machine.runs[before:], machine.lines[said:]
        if any(line.startswith("clock_back") for line in lines):
            self.successes = Counter({key: n for key, n in self.successes.items() if key[1] <= now + slots.EARLY})
        assert [slot.at for slot in runs] == sorted(slot.at for slot in runs)
        assert all(self._was_owed(slot, now) for slot in runs)
        if notes is not None and not runs and all(line.startswith(("outage", "1 slots", "2 slots")) for line in lines):
            assert machine.notes() == notes

    def _notes_sometimes(self) -> list[str] | None:
        return self.machine.notes() if self.dice.random() < 0.005 else None

    def _was_owed(self, slot: Slot, now: datetime) -> bool:
        job = self.machine.job(slot.job)
        return START < slot.at <= now - plan.GRACE and now - slot.at <= job.lookback

    def _work(self, slot: Slot) -> int:
        if self.bad_luck and self.dice.random() < 0.02:
            raise PowerCut
        code = self.dice.choice((0, 0, 0, 0, 0, 0, 1, 75)) if self.bad_luck else 0
        self.successes[slot.job, slot.at] += code == 0
        return code


def seeds() -> Iterator[int]:
    if asked := os.environ.get("CATCHUP_SEED"):
        yield int(asked)
    else:
        yield from (1, 2, random.SystemRandom().randrange(1_000_000))


@pytest.fixture(autouse=True)
def _slots_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calendar is asked a million times here, for what does not change; it has tests of its own."""
    reckon = slots.after
    known = {job.cron: list(reckoned(reckon, job)) for job in JOBS}

    def after(cron: str, _zone: ZoneInfo, start: datetime) -> Iterator[datetime]:
        return islice(known[cron], bisect_right(known[cron], start), None)

    monkeypatch.setattr(slots, "after", after)


@pytest.mark.parametrize("seed", list(seeds()))
def test_sixty_days_of_bad_luck_leave_no_slot_unaccounted_for(tmp_path: Path, seed: int) -> None:
    print(f"seed {seed}")
    machine = Machine(tmp_path, list(JOBS))
    machine.catch_up(START)
    life = Life(machine, random.Random(seed))

    life.live(START + timedelta(days=DAYS))
    life.bad_luck = False
    life.live(START + timedelta(days=DAYS, hours=12))

    assert max(life.successes.values()) == 1
    assert [gap for job in machine.jobs for gap in unaccounted(machine, job, life.true_now)] == []


def reckoned(reckon: Callable[[str, ZoneInfo, datetime], Iterator[datetime]], job: Job) -> Iterator[datetime]:
    end = START + timedelta(days=DAYS + 60)
    return takewhile(lambda at: at < end, reckon(job.cron, job.zone, START - timedelta(days=60)))


def unaccounted(machine: Machine, job: Job, now: datetime) -> Iterator[str]:
    """Yield what is neither done, nor given up, nor counted as too old, and what is twice."""
    rows = machine.occurrences.rows(job, since=START)
    for at in slots.between(job.cron, job.zone, START, now - plan.GRACE - A_QUARTER):
        row = rows.get(at)
        if row is None or not row.is_finished or (row.exhausted and row.state == SUCCEEDED):
            yield f"{job.name} {at} {row}"
