"""Months of a machine that is switched off, unplugged, offline and told wrong times, in seconds.

The seed is printed: `CATCHUP_SEED=123 pytest …` lives the same days again.
"""

from __future__ import annotations

import os
import random
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice, takewhile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem import plan, slots
from onprem.plan import EXPIRED, SUCCEEDED, ClockWrong
from onprem.schedule import LATEST, RETENTION, Job
from onprem.slot import Slot
from tests.pure.machine import BANGKOK, NIGHTLY, Machine, PowerCut, local

# A third of the passes there are, so that it takes seconds.
A_QUARTER, AN_HOUR = timedelta(minutes=15), timedelta(hours=1)
# How late crond may be.
LATE = [timedelta(seconds=seconds) for seconds in (0, 1, 2, 240)]
# The long life outlasts the memory of the ledger, so that forgetting and wrong times meet.
START, DAYS, LONG_DAYS = local("2026-11-01T12:00"), 60, 150
JOBS = [
    replace(NIGHTLY, lookback=timedelta(days=14), needs_cloud=True),
    Job("stats", "30 */6 * * *", ("true",), BANGKOK),
    Job("notify", "0 18 * * *", ("true",), BANGKOK, max_attempts=1),
    Job("latest", "15 * * * *", ("true",), BANGKOK, LATEST, lookback=timedelta(days=1)),
]
STEADY = [
    replace(NIGHTLY, lookback=timedelta(days=90)),
    Job("stats", "30 18 * * *", ("true",), BANGKOK),
    Job("latest", "15 */4 * * *", ("true",), BANGKOK, LATEST, lookback=timedelta(days=2)),
]
ADDED = Job("added", "40 6 * * *", ("true",), BANGKOK)
CRONS = ("30 18 * * *", "0 7 * * *", "45 */8 * * *")


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
    step: timedelta = A_QUARTER
    is_edited: bool = False
    # Each slot that has succeeded, except what became void because it lay after a clock that was put back.
    successes: set[tuple[str, datetime]] = field(default_factory=set)

    def live(self, until: datetime) -> None:
        self.machine.work = self._work
        while self.true_now < until:
            self.true_now += self.step
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
        if self.is_edited and self.bad_luck and self.dice.random() < 1 / 300:
            self._edit(self.true_now + self.clock_error)

    def _edit(self, now: datetime) -> None:
        """Somebody adds a job, changes a line, or lets a job rest."""
        what, register = self.dice.choice(("add", "change", "disable", "enable")), self.machine.occurrences.register
        if what == "add" and ADDED not in self.machine.jobs:
            self.machine.jobs.append(ADDED)
        elif what == "change":
            self.machine.change("stats", cron=self.dice.choice(CRONS))
        elif what == "disable" and now > START:
            register.disable(self.machine.job("latest"), now)
        elif now > START:
            register.enable(self.machine.job("latest"), now)

    def _some_time(self) -> timedelta:
        return timedelta(minutes=self.dice.choice((3, 30, 300, 1500, 6000, 20000)) * self.dice.random())

    def _crontab(self, now: datetime) -> None:
        """The lines since the last pass, in the order of time: everything else would be a clock that was put back."""
        starts = [
            (at + self.dice.choice(LATE), job.name)
            for job in self.machine.jobs
            for at in slots.between(job.cron, job.zone, now - self.step - max(LATE), now)
        ]
        for start, name in sorted(starts):
            if now - self.step < start <= now:
                for _twice in range(self.dice.choice((0, 1, 1, 1, 1, 2))):
                    said = len(self.machine.lines)
                    self.machine.direct(start, name)
                    self._heed_clock_back(said, start)

    def _pass(self, now: datetime) -> None:
        machine, notes = self.machine, self._notes_sometimes()
        before, said = len(machine.runs), len(machine.lines)
        try:
            machine.catch_up(now)
        except ClockWrong:
            assert now < START
        runs, lines = machine.runs[before:], machine.lines[said:]
        self._heed_clock_back(said, now)
        assert [slot.at for slot in runs] == sorted(slot.at for slot in runs)
        assert all(self._was_owed(slot, now) for slot in runs)
        if any(line.startswith("expired") for line in lines):
            assert self._wrongly_too_old() == []
        if notes is not None and not runs and all(line.startswith(("outage", "1 slots", "2 slots")) for line in lines):
            assert machine.notes() == notes

    def _heed_clock_back(self, said: int, now: datetime) -> None:
        """Whoever says so has run nothing later than now yet."""
        if any(line.startswith("clock_back") for line in self.machine.lines[said:]):
            self.successes = {key for key in self.successes if key[1] <= now + slots.EARLY}

    def _notes_sometimes(self) -> list[str] | None:
        return self.machine.notes() if self.dice.random() < 0.005 else None

    def _wrongly_too_old(self) -> list[tuple[str, datetime]]:
        ledger = self.machine.occurrences
        rows = [(job.name, at, row) for job in self.machine.jobs for at, row in ledger.rows(job, since=START).items()]
        return [(name, at) for name, at, row in rows if row.state == EXPIRED and (name, at) in self.successes]

    def _was_owed(self, slot: Slot, now: datetime) -> bool:
        job = self.machine.job(slot.job)
        return START < slot.at <= now - plan.GRACE and now - slot.at <= job.lookback

    def _work(self, slot: Slot) -> int:
        key = (slot.job, slot.at)
        assert key not in self.successes
        if self.bad_luck and self.dice.random() < 0.02:
            raise PowerCut
        code = self.dice.choice((0, 0, 0, 0, 0, 0, 1, 75)) if self.bad_luck else 0
        if code == 0:
            self.successes.add(key)
        return code


def seeds(*known: int) -> Iterator[int]:
    """Some that have found mistakes before, and one that nobody knows."""
    if asked := os.environ.get("CATCHUP_SEED"):
        yield from map(int, asked.split(","))
    else:
        yield from (*known, random.SystemRandom().randrange(1_000_000))


@pytest.fixture(autouse=True)
def _slots_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calendar is asked a million times here, for what does not change; it has tests of its own."""
    reckon = slots.after
    crons = {*(job.cron for job in (*JOBS, *STEADY, ADDED)), *CRONS}
    known = {cron: list(reckoned(reckon, cron)) for cron in crons}

    def after(cron: str, _zone: ZoneInfo, start: datetime) -> Iterator[datetime]:
        return islice(known[cron], bisect_right(known[cron], start), None)

    monkeypatch.setattr(slots, "after", after)


@pytest.mark.parametrize("seed", list(seeds(1, 2)))
def test_sixty_days_of_bad_luck_leave_no_slot_unaccounted_for(tmp_path: Path, seed: int) -> None:
    print(f"seed {seed}")
    machine = Machine(tmp_path, list(JOBS))
    machine.catch_up(START)
    life = Life(machine, random.Random(seed))

    life.live(START + timedelta(days=DAYS))
    life.bad_luck = False
    life.live(START + timedelta(days=DAYS, hours=12))

    assert life.successes
    assert [gap for job in machine.jobs for gap in unaccounted(machine, job, life.true_now)] == []


@pytest.mark.parametrize("seed", list(seeds(2, 4)))
def test_five_months_with_edits_outlast_the_memory_of_the_ledger(tmp_path: Path, seed: int) -> None:
    print(f"seed {seed}")
    machine = Machine(tmp_path, list(STEADY))
    machine.catch_up(START)
    life = Life(machine, random.Random(seed), step=AN_HOUR, is_edited=True)

    life.live(START + timedelta(days=LONG_DAYS))
    life.bad_luck = False
    life.live(START + timedelta(days=LONG_DAYS, hours=12))

    assert life.successes
    assert [gap for job in machine.jobs for gap in unaccounted(machine, job, life.true_now)] == []


def reckoned(reckon: Callable[[str, ZoneInfo, datetime], Iterator[datetime]], cron: str) -> Iterator[datetime]:
    end = START + timedelta(days=LONG_DAYS + 60)
    return takewhile(lambda at: at < end, reckon(cron, BANGKOK, START - timedelta(days=60)))


def unaccounted(machine: Machine, job: Job, now: datetime) -> Iterator[str]:
    """Yield what is neither done, nor given up, nor counted as too old, and what is twice."""
    rows, register = machine.occurrences.rows(job, since=START), machine.occurrences.register
    standing = register.standings()[job.name]
    since = max(standing.effective_from, register.forgotten_through(job) or START, now - RETENTION)
    end = now - plan.GRACE - AN_HOUR if standing.enabled else since
    for at in slots.between(job.cron, job.zone, since, end):
        row = rows.get(at)
        if row is None or not row.is_finished or (row.exhausted and row.state == SUCCEEDED):
            yield f"{job.name} {at} {row}"
