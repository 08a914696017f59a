"""Starting a job for one of its slots: lock, claim, work, record. The only way in which a slot is ever run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from onprem.locks import AlreadyRunning, only_one
from onprem.occurrences import Claim, NotClaimed, Occurrences
from onprem.plan import DIRECT, RUNNING, Row, went_back
from onprem.schedule import Job
from onprem.slot import Slot

# EX_TEMPFAIL: nothing was done, and it is nobody's fault.
NOT_NOW = 75
_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Starter:
    """What a start needs. ``work`` returns an exit code, and in words what went wrong if that is not 0."""

    occurrences: Occurrences
    locks: Path
    work: Callable[[Job, Slot], tuple[int, str]]
    end_leftovers: Callable[[Slot], int]
    cloud_is_near: Callable[[], bool]
    clock: Callable[[], datetime]
    say: Callable[[str], None]

    def start(self, job: Job, at: datetime, *, source: str, wait: float = 0.0) -> int:
        """Run the slot and return the exit code.

        Raise NotClaimed if it is not to be run, AlreadyRunning if the job is still busy after ``wait`` seconds.
        """
        with self._lock(job, at, wait=wait):
            self._note_interrupted(job)
            claim = self.occurrences.claim(job, at, source=source, now=self.clock())
            slot = Slot(job.name, at.astimezone(job.zone), is_replay=source != DIRECT)
            code, words = self.work(job, slot)
            self._record(claim, slot, code, words)
        return code

    def start_unnoted(self, job: Job, at: datetime) -> int:
        """Run a job that keeps no ledger, for its next run covers a missed one. Raise AlreadyRunning."""
        with only_one(self._lock_file(job)):
            return self.work(job, Slot(job.name, at.astimezone(job.zone), is_replay=False))[0]

    def note_interrupted(self, job: Job) -> None:
        """Note running slots that nobody is running. A busy job is left alone."""
        try:
            with only_one(self._lock_file(job)):
                self._note_interrupted(job)
        except AlreadyRunning:
            return

    def meet(self, jobs: Sequence[Job], now: datetime) -> None:
        """Note jobs that are new or changed, and say so: whoever sees it first is the only one who does."""
        for job, before in self.occurrences.register.meet(jobs, now):
            if before is None:
                self.say(f"new_job {job.name}: its slots count from now on")
            else:
                was, now_is = f"{before.cron!r} in {before.zone}", f"{job.cron!r} in {job.zone.key}"
                self.say(f"schedule_changed {job.name}: from {was} to {now_is}; its slots count from now on")

    def follow_clock_back(self, now: datetime, zone: ZoneInfo) -> bool:
        """If the clock was put back, void what was noted of slots that have not come by it, and say so."""
        latest = self.occurrences.latest
        # Asked again: whoever started a job since may be later than now, without any clock being wrong.
        if latest is None or not went_back(self.clock(), latest):
            return False
        voided = self.occurrences.go_back(now)
        self.say(f"clock_back {between(latest, now, zone)}: what was noted of slots still to come is void")
        for job, count, first, last in voided:
            self.say(f"void {job} {count} ({between(first, last, zone)}): noted by a clock that was ahead")
        return True

    def name(self, job: Job, at: datetime, words: str) -> None:
        """Say one line about a slot that is run or is to be."""
        self.say(f"{job.name} {at.astimezone(job.zone).isoformat()} {words}")

    @contextmanager
    def _lock(self, job: Job, at: datetime, *, wait: float) -> Iterator[None]:
        """One run per job at a time. There is no waiting for somebody who runs this very slot."""
        deadline = time.monotonic() + wait
        with ExitStack() as stack:
            while not _entered(stack, self._lock_file(job)):
                row = self.occurrences.row(job, at)
                if row is not None and row.state == RUNNING:
                    raise NotClaimed("already running")
                if time.monotonic() >= deadline:
                    raise AlreadyRunning(job.name)
                time.sleep(_BETWEEN_LOOKS)
            yield

    def _note_interrupted(self, job: Job) -> None:
        """The caller holds the job's lock. What is left of the run must not go on beside the next one."""
        for at in self.occurrences.running(job):
            self.end_leftovers(Slot(job.name, at.astimezone(job.zone), is_replay=False))
        for at, row in self.occurrences.interrupt(job, self.clock()).items():
            given_up = ", given up" if row.exhausted else ""
            self.say(f"{job.name}: the run of {at.astimezone(job.zone).isoformat()} was interrupted{given_up}")

    def _record(self, claim: Claim, slot: Slot, code: int, words: str) -> None:
        if code == NOT_NOW:
            self.occurrences.take_back(claim)
            self.say(f"{slot.job}: {slot.at.isoformat()} is put off: {words}")
            return
        row = self.occurrences.finish(claim, now=self.clock(), failure=(words or f"exit code {code}") if code else "")
        self.name(claim.job, slot.at, _outcome(row, claim.job))

    def _lock_file(self, job: Job) -> Path:
        return self.locks / f"job-{job.name}.lock"


def between(first: datetime, last: datetime, zone: ZoneInfo) -> str:
    """Two moments in words of the log."""
    start, end = (moment.astimezone(zone).isoformat(timespec="seconds") for moment in (first, last))
    return f"from {start} to {end}"


def _entered(stack: ExitStack, lock: Path) -> bool:
    try:
        stack.enter_context(only_one(lock))
    except AlreadyRunning:
        return False
    return True


def _outcome(row: Row, job: Job) -> str:
    assert row.started_at is not None
    assert row.ended_at is not None
    # The clock may have been put back meanwhile.
    seconds = max((row.ended_at - row.started_at).total_seconds(), 0)
    if not row.note:
        return f"{row.state} in {seconds:.0f} s"
    tries = "given up" if row.exhausted else f"attempt {row.attempts} of {job.max_attempts}"
    return f"{row.state} after {seconds:.0f} s: {row.note} ({tries})"
