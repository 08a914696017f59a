"""How the jobs stand: for the person who asks, the heartbeat and the doctor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

from onprem.jobhealth import OLD_PASS
from onprem.occurrences import Occurrences, Slots
from onprem.plan import CATCHUP, FAILED, ClockWrong, pause_after, went_back
from onprem.register import Register, Standing
from onprem.schedule import NONE, Job, Schedule

LINE_GONE = (
    "warning {job}: its last three slots were run by catch-up only; is its crontab line gone (manage.py crontab check),"
    " or is the machine off at that time?"
)
FLOOR_AHEAD = (
    "counts only from {floor} on, which lies ahead of the clock; from now on: manage.py catchup --baseline --only {job}"
    " --force"
)


def floors_ahead(standings: Mapping[str, Standing], schedule: Schedule, now: datetime) -> list[Job]:
    """Return jobs that were added or changed while the clock was ahead: until their floor nothing of them is owed."""
    known = [(job, standings[job.name]) for job in schedule.jobs if job.name in standings and job.catch_up != NONE]
    return [job for job, standing in known if standing.enabled and went_back(now, standing.effective_from)]


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
    register, zone = occurrences.register, schedule.jobs[0].zone
    standings, clock = register.standings(), clock_trouble(register, now)
    ahead = [] if clock else floors_ahead(standings, schedule, now)
    yield last_pass(register.high_water, now, clock)
    for job in schedule.jobs:
        standing = standings.get(job.name)
        yield f"{job.name} ({job.cron}): {_standing(occurrences, job, standing)}"
        yield from _troubles(occurrences, job.name, zone)
        if standing is None:
            continue
        if job in ahead:
            yield f"  {FLOOR_AHEAD.format(job=job.name, floor=_said(zone, standing.effective_from))}"
        yield from _waiting(occurrences, job, standing)
        if line_is_gone(occurrences.last_succeeded(job, 3), standing):
            yield f"  {LINE_GONE.format(job=job.name)}"
    for name in sorted(occurrences.troubles().keys() - {job.name for job in schedule.jobs}):
        yield f"{name}: in the list of jobs no more; settled by: manage.py catchup --baseline --only {name} --force"
        yield from _troubles(occurrences, name, zone)


def clock_trouble(register: Register, now: datetime) -> str:
    """Tell why no pass plans anything by this clock, or nothing."""
    try:
        register.check_clock(now)
    except ClockWrong as exc:
        return str(exc)
    return ""


def last_pass(at: datetime | None, now: datetime, clock_trouble: str) -> str:
    if clock_trouble:
        return f"{clock_trouble}: nothing is planned. If the clock is right: manage.py catchup --accept-clock"
    if at is None:
        return "last pass: never"
    minutes = round((now - at).total_seconds() / 60)
    if minutes < 0:
        return f"last pass: {-minutes} minutes ahead of the clock, which was put back"
    old = ", which is old: is the crontab line gone?" if now - at > OLD_PASS else ""
    return f"last pass: {minutes} minutes ago{old}"


def _standing(occurrences: Occurrences, job: Job, standing: Standing | None) -> str:
    if job.catch_up == NONE:
        is_off = standing is not None and not standing.enabled
        return "disabled" if is_off else "not caught up, its next run covers a missed one"
    if standing is None:
        return "no pass has seen it yet"
    since = f"owed since {_said(job.zone, standing.effective_from)}" if standing.enabled else "disabled"
    done = "".join(
        f", last done {_said(job.zone, at)} ({row.source})" for at, row in occurrences.last_succeeded(job, 1).items()
    )
    return since + done


def _troubles(occurrences: Occurrences, name: str, zone: ZoneInfo) -> Iterator[str]:
    for at, row in occurrences.exhausted(name).items():
        counts = f"{row.attempts} attempts, {row.interruptions} interruptions"
        yield f"  given up: {_said(zone, at)} after {counts} {row.note}".rstrip()
    expired = occurrences.troubles().get(name, (0, 0))[1]
    if expired:
        yield f"  expired: {expired} slots were too old to be run"


def _waiting(occurrences: Occurrences, job: Job, standing: Standing) -> Iterator[str]:
    for at, row in occurrences.rows(job, since=standing.settled_through).items():
        if row.state == FAILED and not row.exhausted and row.ended_at is not None:
            then = _said(job.zone, row.ended_at + pause_after(row.attempts))
            tries = f"attempt {row.attempts + 1} of {job.max_attempts}"
            yield f"  waiting: {_said(job.zone, at)} failed ({row.note}), {tries} from {then} on"


def _said(zone: ZoneInfo, moment: datetime) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")
