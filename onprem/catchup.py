"""One pass of catching up: find what was missed, run it oldest first over all jobs, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from onprem import jobstatus, plan
from onprem.locks import AlreadyRunning, only_one
from onprem.occurrences import NotClaimed
from onprem.plan import CATCHUP, EXPIRED, SKIPPED, Rows
from onprem.register import Standing
from onprem.schedule import NONE, Job
from onprem.starter import NOT_NOW, Starter, between


@dataclass
class Report:
    """What came of it: how many runs failed, and of which job, and why, how many slots were put off."""

    failed: int = 0
    waiting: Counter[str] = field(default_factory=Counter)

    @property
    def put_off(self) -> int:
        return self.waiting.total()


@dataclass(frozen=True)
class Missed:
    """What one job has missed: to be run, too old to be run, passed over for a newer slot."""

    job: Job
    due: list[datetime] = field(default_factory=list)
    expired: list[datetime] = field(default_factory=list)
    skipped: list[datetime] = field(default_factory=list)


def catch_up(starter: Starter, jobs: Sequence[Job]) -> Report:
    """Do one pass. Raise ClockWrong if the clock cannot be planned by."""
    try:
        with only_one(starter.locks / "catchup.lock"):
            return _pass(starter, jobs)
    except AlreadyRunning:
        _be_seen(starter)
        starter.say("another pass is at work; leaving it to finish")
        return Report()


def accept_clock(starter: Starter, zone: ZoneInfo) -> None:
    """A person says that the clock is right: what was noted by another one gives way."""
    now = starter.clock()
    _follow_clock(starter, now, zone)
    for name in starter.occurrences.register.begin_no_later_than(now):
        starter.say(f"floor_moved {name}: its slots count from now on")


def prepare(starter: Starter, jobs: Sequence[Job], now: datetime) -> list[Missed]:
    """Bring the register and the ledger up to date with the clock and the schedule, and plan. Raise ClockWrong."""
    starter.occurrences.register.check_clock(now)
    _follow_clock(starter, now, jobs[0].zone)
    starter.meet(jobs, now)
    running = starter.occurrences.jobs_running()
    for job in jobs:
        if job.name in running:
            starter.note_interrupted(job)
    standings, rows = starter.occurrences.register.standings(), starter.occurrences.unsettled()
    return [_missed(job, standings[job.name], rows.get(job.name, {}), now) for job in jobs]


def expiry(job: Job, expired: Sequence[datetime]) -> str:
    """Return the one line that says how many slots nobody will run any more."""
    span = between(expired[0], expired[-1], job.zone)
    return f"expired {job.name} {len(expired)} ({span}): older than {job.lookback.days} days"


def _be_seen(starter: Starter) -> None:
    """A long pass is no outage. A clock that jumped too far meanwhile is the next pass's to judge."""
    now, high_water = starter.clock(), starter.occurrences.register.high_water
    if high_water is not None and now - high_water <= plan.LONGEST_JUMP:
        starter.occurrences.register.reach(now)


def _pass(starter: Starter, jobs: Sequence[Job]) -> Report:
    now = starter.clock()
    missed = prepare(starter, jobs, now)
    for one in missed:
        _give_up(starter, one, now)
    due = plan.in_order((one.job, one.due) for one in missed)
    report = _run(starter, due)
    if due:
        _be_seen(starter)
        _warn(starter, [one.job for one in missed if one.due])
    return report


def _follow_clock(starter: Starter, now: datetime, zone: ZoneInfo) -> None:
    register = starter.occurrences.register
    high_water = register.high_water
    if not starter.follow_clock_back(now, zone) and high_water is not None and now - high_water > plan.OUTAGE:
        starter.say(f"outage {between(high_water, now, zone)}")
    register.reach(now)


def _missed(job: Job, standing: Standing, rows: Rows, now: datetime) -> Missed:
    if job.catch_up == NONE or not standing.enabled:
        return Missed(job)
    floor = standing.settled_through
    due, expired = plan.plan(job, floor, rows, now)
    return Missed(job, due, expired, plan.passed_over(job, floor, rows, now))


def _give_up(starter: Starter, missed: Missed, now: datetime) -> None:
    job = missed.job
    if missed.expired:
        starter.occurrences.give_up(job, EXPIRED, missed.expired, now)
        starter.say(expiry(job, missed.expired))
    if missed.skipped:
        starter.occurrences.give_up(job, SKIPPED, missed.skipped, now)
        starter.say(f"skipped {job.name} {len(missed.skipped)}: only the newest counts")


def _run(starter: Starter, due: Sequence[tuple[Job, datetime]]) -> Report:
    report, busy, cloud = Report(), set[str](), None
    for job, at in due:
        if job.needs_cloud and cloud is None:
            cloud = starter.cloud_is_near()
        if job.needs_cloud and not cloud:
            report.waiting[f"{job.name} (the cloud cannot be reached)"] += 1
        elif job.name not in busy:
            code = _start(starter, job, at, busy)
            report.failed += code not in (0, NOT_NOW)
            report.waiting[f"{job.name} (exit code {NOT_NOW})"] += code == NOT_NOW
            # Its own way to the cloud may have ended: ask again before the next.
            cloud = None if code == NOT_NOW else cloud
    _tell_of_waiting(starter, report)
    return report


def _tell_of_waiting(starter: Starter, report: Report) -> None:
    """Once for each change: an outage of the cloud lasts for many passes."""
    reasons = ", ".join(f"{count} of {reason}" for reason, count in (+report.waiting).items())
    if starter.occurrences.register.notes_waiting(reasons) and reasons:
        starter.say(f"{report.put_off} slots are put off to the next pass: {reasons}")


def _start(starter: Starter, job: Job, at: datetime, busy: set[str]) -> int:
    try:
        return starter.start(job, at, source=CATCHUP)
    except NotClaimed:
        # Somebody ran it, or said that it is not wanted, since the pass began.
        return 0
    except AlreadyRunning:
        starter.say(f"{job.name}: busy; left for the next pass")
        busy.add(job.name)
        return 0


def _warn(starter: Starter, jobs: Sequence[Job]) -> None:
    standings = starter.occurrences.register.standings()
    for job in jobs:
        if jobstatus.line_is_gone(starter.occurrences.last_succeeded(job, 3), standings[job.name]):
            starter.say(jobstatus.LINE_GONE.format(job=job.name))
