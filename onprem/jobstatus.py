"""How the jobs stand: for the person who asks, the heartbeat and the doctor."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from onprem.jobhealth import OLD_PASS
from onprem.occurrences import Occurrences, Slots
from onprem.plan import CATCHUP
from onprem.register import Standing
from onprem.schedule import NONE, Job, Schedule

LINE_GONE = (
    "warning {job}: its last three slots were run by catch-up only; is its crontab line gone (manage.py crontab check),"
    " or is the machine off at that time?"
)


def line_is_gone(last: Slots, standing: Standing) -> bool:
    """Tell whether the last three slots, newest first, were run one by one by three passes, and by nobody else."""
    if len(last) < 3 or any(row.source != CATCHUP for row in last.values()):
        return False
    if standing.direct_at is not None and standing.direct_at >= min(last):
        return False
    return all(_apart(last, newer, older) for newer, older in pairwise(last))


def _apart(last: Slots, newer: datetime, older: datetime) -> bool:
    """After an outage one pass runs several slots; that says nothing about the crontab."""
    end, end_before = last[newer].ended_at, last[older].ended_at
    return end is not None and end_before is not None and end - end_before >= (newer - older) / 2


def lines(occurrences: Occurrences, schedule: Schedule, now: datetime) -> Iterator[str]:
    """Yield what a person wants to know of all jobs."""
    standings = occurrences.register.standings()
    yield last_pass(occurrences.register.high_water, now)
    for job in schedule.jobs:
        yield f"{job.name} ({job.cron}): {_standing(occurrences, job, standings.get(job.name))}"
        yield from _troubles(occurrences, job)
        if job.name in standings and line_is_gone(occurrences.last_succeeded(job, 3), standings[job.name]):
            yield f"  {LINE_GONE.format(job=job.name)}"


def last_pass(at: datetime | None, now: datetime) -> str:
    if at is None:
        return "last pass: never"
    old = ", which is old: is the crontab line gone?" if now - at > OLD_PASS else ""
    return f"last pass: {(now - at).total_seconds() / 60:.0f} minutes ago{old}"


def _standing(occurrences: Occurrences, job: Job, standing: Standing | None) -> str:
    if job.catch_up == NONE:
        return "not caught up, its next run covers a missed one"
    if standing is None:
        return "no pass has seen it yet"
    since = f"owed since {_said(job, standing.effective_from)}" if standing.enabled else "disabled"
    done = "".join(
        f", last done {_said(job, at)} ({row.source})" for at, row in occurrences.last_succeeded(job, 1).items()
    )
    return since + done


def _troubles(occurrences: Occurrences, job: Job) -> Iterator[str]:
    for at, row in occurrences.exhausted(job).items():
        counts = f"{row.attempts} attempts, {row.interruptions} interruptions"
        yield f"  given up: {_said(job, at)} after {counts} {row.note}".rstrip()
    expired = occurrences.troubles().get(job.name, (0, 0))[1]
    if expired:
        yield f"  expired: {expired} slots were too old to be run"


def _said(job: Job, moment: datetime) -> str:
    return moment.astimezone(job.zone).isoformat(timespec="seconds")
