"""The crontab's own start of a job: it finds its slot and claims it, so that a pass sees it done."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from onprem import slots
from onprem.locks import AlreadyRunning
from onprem.occurrences import NotClaimed
from onprem.plan import DIRECT, ClockWrong
from onprem.schedule import NONE, Job
from onprem.starter import NOT_NOW, Starter

_ONE_SECOND = timedelta(seconds=1)


def start(starter: Starter, job: Job) -> int:
    """Run the slot that now belongs to and return the exit code: 0 also if it is done already, 75 if not now."""
    now = starter.clock()
    at = slots.slot_of_start(job.cron, job.zone, now)
    if at is None:
        starter.say(f"{job.name}: no slot in the last {slots.LATE.seconds // 60} minutes, nothing done")
        return 0
    try:
        if job.catch_up == NONE:
            return _start_unnoted(starter, job, at)
        _follow_clock_back(starter, job, now)
        # Seen for the first time it owes what it is started for.
        starter.meet([job], min(now, at - _ONE_SECOND))
        starter.occurrences.register.saw_direct_start(job, now)
        if job.needs_cloud and not starter.cloud_is_near():
            starter.say(f"{job.name}: the cloud cannot be reached, left to catch-up")
            return NOT_NOW
        return starter.start(job, at, source=DIRECT, wait=job.timeout.total_seconds())
    except NotClaimed as exc:
        starter.say(f"{job.name}: {at.astimezone(job.zone).isoformat()} is {exc}, nothing done")
        return 0
    except AlreadyRunning:
        starter.say(f"{job.name}: still busy with another slot, left to catch-up")
        return NOT_NOW


def _follow_clock_back(starter: Starter, job: Job, now: datetime) -> None:
    """Before a pass does: what it would still take for run may be the slot of tonight."""
    with suppress(ClockWrong):
        starter.occurrences.register.check_clock(now)
        starter.follow_clock_back(now, job.zone)


def _start_unnoted(starter: Starter, job: Job, at: datetime) -> int:
    """What is not done now its next run covers."""
    standing = starter.occurrences.register.standings().get(job.name)
    if standing is not None and not standing.enabled:
        raise NotClaimed("disabled")
    if job.needs_cloud and not starter.cloud_is_near():
        starter.say(f"{job.name}: the cloud cannot be reached, left to its next run")
        return NOT_NOW
    return starter.start_unnoted(job, at)
