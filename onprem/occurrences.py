"""The ledger of slots, in the agent's own database: which were run, by whom, and how it ended.

A slot is claimed, and the claim is on disk, before its work begins; so of two starts one runs, and a run that a power
cut ended is found. What a method writes it writes in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from onprem import jobhealth, plan, tables, utc
from onprem.jobhealth import Health
from onprem.plan import CATCHUP, EXPIRED, OPERATOR, RUNNING, SUCCEEDED, VOID, Row
from onprem.register import Register
from onprem.schedule import RETENTION, Job
from onprem.slots import EARLY
from onprem.state import State

_ROWS = "SELECT job, scheduled_for, state, source, attempts, interruptions, exhausted, started_at, ended_at, note"
# CROSS: for each job its few rows, never all rows.
_UNSETTLED = f"{_ROWS} FROM job CROSS JOIN occurrence WHERE job = name AND scheduled_for > settled_through"
_WRITE = """
INSERT OR REPLACE INTO occurrence
(job, scheduled_for, state, source, attempts, interruptions, exhausted, started_at, ended_at, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_TROUBLES = """
SELECT job, SUM(exhausted), SUM(state = 'expired') FROM occurrence WHERE exhausted OR state = 'expired' GROUP BY job
"""
# Never anything that a plan may still look for.
_FORGET = """
DELETE FROM occurrence
WHERE job = ? AND scheduled_for <= (SELECT through FROM forgotten WHERE forgotten.job = occurrence.job)
"""
# Of slots still to come. When it was noted says nothing: what has come and was run must not be run again.
_AHEAD = "state != 'void' AND scheduled_for > ?"
_SPANS = "SELECT job, COUNT(*), MIN(scheduled_for), MAX(scheduled_for) FROM occurrence"
_VOID = "UPDATE occurrence SET state = 'void', exhausted = 0"
_ONE_SECOND = timedelta(seconds=1)

Slots = dict[datetime, Row]


@dataclass(frozen=True)
class Claim:
    """A slot that is being run; ``before`` is its row as it was."""

    job: Job
    slot: datetime
    row: Row
    before: Row | None


class NotClaimed(Exception):
    """The slot is not to be run now. The text says why, as in "already done"."""


class Occurrences:
    """The slots as noted in an open state, and the register of their jobs."""

    def __init__(self, state: State) -> None:
        self.register = Register(state)
        self._state, self._db = state, state.db
        for statement in tables.CATCHING_UP:
            self._db.execute(statement)

    def row(self, job: Job, slot: datetime) -> Row | None:
        return self._of(job.name, "AND scheduled_for = ?", utc.text(slot)).get(slot)

    def rows(self, job: Job, *, since: datetime) -> Slots:
        """Return the job's rows later than this."""
        return self._of(job.name, "AND scheduled_for > ?", utc.text(since))

    def running(self, job: Job) -> Slots:
        return self._of(job.name, "AND state = 'running'")

    def jobs_running(self) -> set[str]:
        return {row[0] for row in self._db.execute("SELECT job FROM occurrence WHERE state = 'running'")}

    def unsettled(self) -> dict[str, Slots]:
        """Return what plans need: of each job the rows after its settled slots."""
        found: dict[str, Slots] = {}
        for row in self._db.execute(_UNSETTLED):
            found.setdefault(row[0], {})[utc.moment(row[1])] = _row(*row[2:])
        return found

    def last_succeeded(self, job: Job, count: int) -> Slots:
        """Return the newest slots with a good end, newest first."""
        return self._of(job.name, "AND state = 'succeeded' ORDER BY scheduled_for DESC LIMIT ?", count)

    def exhausted(self, name: str) -> Slots:
        return self._of(name, "AND exhausted ORDER BY scheduled_for")

    def troubles(self) -> dict[str, tuple[int, int]]:
        """Return per job how many slots are exhausted and how many expired, where there are any."""
        return {job: (exhausted, expired) for job, exhausted, expired in self._db.execute(_TROUBLES)}

    def health(self) -> Health:
        health = jobhealth.health(self._state)
        assert health is not None
        return health

    def is_empty(self, name: str = "") -> bool:
        """Tell whether no slot of the job, or of any, was ever noted."""
        return self._db.execute("SELECT 1 FROM occurrence WHERE ? IN (job, '') LIMIT 1", (name,)).fetchone() is None

    @property
    def latest(self) -> datetime | None:
        """The last moment of which anything was noted; later than now if the clock was ahead."""
        newest = self._db.execute("SELECT MAX(scheduled_for) FROM occurrence WHERE state != 'void'").fetchone()[0]
        # A start may be that much earlier than its slot.
        slot = None if newest is None else utc.moment(newest) - EARLY
        return max(filter(None, (slot, self.register.latest)), default=None)

    # --- one run ---

    def claim(self, job: Job, slot: datetime, *, source: str, now: datetime) -> Claim:
        """Note that the slot is being run, or raise NotClaimed. The caller holds the job's lock."""
        if slot > now + EARLY:
            raise NotClaimed("still to come, for the clock was put back")
        with self._state.transaction():
            before = self.row(job, slot)
            self._must_be_claimable(job, slot, before, source, now)
            claim = Claim(job, slot, plan.started(before, source, now), before)
            self._write(job, slot, claim.row)
        return claim

    def finish(self, claim: Claim, *, now: datetime, failure: str = "") -> Row:
        """Note how it ended; ``failure`` says why it failed, empty means it did not."""
        row = plan.ended(claim.row, claim.job, now=now, failure=failure)
        if claim.slot > now + EARLY:
            # The clock was put back meanwhile: the slot has not come.
            row = plan.given_up(row, VOID, now)
        with self._state.transaction():
            self._write(claim.job, claim.slot, row)
            self._settle(claim.job, claim.slot, row, now)
            self._forget(claim.job, now)
        return row

    def take_back(self, claim: Claim) -> None:
        """The run found that its time has not come: as if it had never started."""
        if claim.before is not None:
            self._write(claim.job, claim.slot, claim.before)
        else:
            where = (claim.job.name, utc.text(claim.slot))
            self._db.execute("DELETE FROM occurrence WHERE job = ? AND scheduled_for = ?", where)

    # --- what is not run ---

    def interrupt(self, job: Job, now: datetime) -> Slots:
        """Note that running slots were cut off. The caller holds the job's lock, so nobody is running them."""
        with self._state.transaction():
            cut = {slot: plan.interrupted(row, job) for slot, row in self.running(job).items()}
            for slot, row in cut.items():
                self._write(job, slot, row)
                self._settle(job, slot, row, now)
        return cut

    def give_up(self, job: Job, state: str, slots: Sequence[datetime], now: datetime) -> None:
        """Note slots that nobody will run: EXPIRED ones are too old, SKIPPED ones passed over for a newer one."""
        with self._state.transaction():
            for slot in slots:
                self._write(job, slot, plan.given_up(self.row(job, slot), state, now))
            if state == EXPIRED:
                self.register.expire(job, now - job.lookback)
            self._settle(job, slots[-1], Row(state), now)

    def baseline(self, names: Iterable[str], now: datetime) -> None:
        """Nothing of these jobs before now is owed, and what was given up is written off."""
        with self._state.transaction():
            for name in names:
                self.register.owe_nothing_before(now, name)
                self._db.execute(f"{_VOID} WHERE job = ? AND (exhausted OR state = 'expired')", (name,))

    def go_back(self, now: datetime) -> list[tuple[str, int, datetime, datetime]]:
        """The clock was ahead: what it made of slots that have not come is void.

        Return for each job how many slots that were, the first and the last.
        """
        ahead = (utc.text(now + EARLY),)
        with self._state.transaction():
            found = self._db.execute(f"{_SPANS} WHERE {_AHEAD} GROUP BY job", ahead).fetchall()
            self._db.execute(f"{_VOID} WHERE {_AHEAD}", ahead)
            self.register.go_back(now)
        return [(job, count, utc.moment(first), utc.moment(last)) for job, count, first, last in found]

    # --- inside a transaction ---

    def _must_be_claimable(self, job: Job, slot: datetime, row: Row | None, source: str, now: datetime) -> None:
        if row is not None and row.state == RUNNING:
            raise NotClaimed("already running")
        if source == OPERATOR:
            return
        standing = self.register.standings()[job.name]
        if not standing.enabled:
            raise NotClaimed("disabled")
        if row is not None and row.exhausted:
            raise NotClaimed(f"given up: {row.note or 'interrupted too often'}")
        if row is not None and row.is_finished:
            raise NotClaimed("already done" if row.state == SUCCEEDED else row.state)
        if not plan.is_time(row, now):
            raise NotClaimed("to be tried again by catch-up")
        if source == CATCHUP and slot <= standing.effective_from:
            raise NotClaimed("no longer owed")

    def _settle(self, job: Job, slot: datetime, row: Row, now: datetime) -> None:
        """Move settled_through over what is finished, or back before a slot that is not finished any more."""
        standing = self.register.standings()[job.name]
        settled = standing.settled_through
        if row.is_finished or slot > settled:
            settled = plan.settled_through(job, settled, self.rows(job, since=settled))
        elif slot > max(standing.effective_from, now - RETENTION) and not self._is_forgotten(job, slot):
            settled = slot - _ONE_SECOND
        if settled != standing.settled_through:
            self.register.settle(job, settled)

    def _is_forgotten(self, job: Job, slot: datetime) -> bool:
        through = self.register.forgotten_through(job)
        return through is not None and slot <= through

    def _forget(self, job: Job, now: datetime) -> None:
        """By the clock of the last pass, which was judged; a start from the crontab judges none."""
        trusted = min(now, self.register.high_water or now)
        self.register.forget(job, trusted - RETENTION - _ONE_SECOND)
        self._db.execute(_FORGET, (job.name,))

    def _write(self, job: Job, slot: datetime, row: Row) -> None:
        counts = row.attempts, row.interruptions, row.exhausted
        moments = utc.text(row.started_at), utc.text(row.ended_at)
        self._db.execute(_WRITE, (job.name, utc.text(slot), row.state, row.source, *counts, *moments, row.note))

    def _of(self, name: str, condition: str, *values: object) -> Slots:
        found = self._db.execute(f"{_ROWS} FROM occurrence WHERE job = ? {condition}", (name, *values))
        return {utc.moment(row[1]): _row(*row[2:]) for row in found}


def _row(state: str, source: str, attempts: int, interruptions: int, exhausted: int, *rest: Any) -> Row:
    started_at, ended_at, note = rest
    moments = utc.moment(started_at), utc.moment(ended_at)
    return Row(state, source, attempts, interruptions, bool(exhausted), *moments, note)
