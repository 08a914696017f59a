"""The jobs: whether they can run, and whether what was missed is caught up."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings

from onprem import jobs, jobstatus
from onprem.doctor.finding import BAD, Finding, bad, good, odd
from onprem.jobhealth import Health
from onprem.occurrences import Occurrences
from onprem.register import Standing
from onprem.schedule import Schedule
from onprem.state import State, StateUnwritable

HOST_ZONE = Path("/etc/localtime")
# Summer time comes and goes.
_HALF_A_YEAR = timedelta(days=182)


def look_at_jobs(now: datetime) -> Iterator[Finding]:
    """``now`` is aware."""
    schedule = jobs.installed()
    found = [*_startable(schedule, now), *_caught_up(schedule, now)]
    yield from found
    if not any(finding.mark == BAD for finding in found):
        yield good("jobs_good", count=len(schedule.jobs))


def _startable(schedule: Schedule, now: datetime) -> Iterator[Finding]:
    for problem in schedule.problems:
        yield bad("jobs_bad", words=problem)
    for job in schedule.jobs:
        if not job.is_ours and shutil.which(job.command[0]) is None:
            yield bad("job_program", job=job.name, program=job.command[0])
    if schedule.jobs and _differs_from_crons(schedule.jobs[0].zone, now):
        yield odd("jobs_zone", zone=schedule.jobs[0].zone.key)


def _differs_from_crons(zone: ZoneInfo, now: datetime) -> bool:
    """Cron goes by the machine's zone, which this process has left for the factory's."""
    try:
        with HOST_ZONE.open("rb") as file:
            host = ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return False
    return any(at.astimezone(host).utcoffset() != at.astimezone(zone).utcoffset() for at in (now, now + _HALF_A_YEAR))


def _caught_up(schedule: Schedule, now: datetime) -> Iterator[Finding]:
    try:
        with closing(State.peek(settings.ONPREM_STATE_DIR)) as state:
            yield from _told(Occurrences(state), schedule, now)
    except StateUnwritable as exc:
        yield bad("state_bad", path=settings.ONPREM_STATE_DIR, words=exc.__cause__)


def _told(occurrences: Occurrences, schedule: Schedule, now: datetime) -> Iterator[Finding]:
    health, standings = occurrences.health(), occurrences.register.standings()
    if clock := jobstatus.clock_trouble(occurrences.register, now):
        yield bad("jobs_clock", words=clock)
    else:
        yield from _last_pass(health, now)
        yield from _floors_ahead(standings, schedule, now)
    for name, (exhausted, expired) in occurrences.troubles().items():
        yield bad("slots_given_up", job=name, exhausted=exhausted, expired=expired)
    for job in schedule.jobs:
        if job.name in standings and jobstatus.line_is_gone(occurrences.last_succeeded(job, 3), standings[job.name]):
            yield odd("line_gone", job=job.name)


def _last_pass(health: Health, now: datetime) -> Iterator[Finding]:
    if health.last_pass is None:
        yield odd("pass_never")
    elif health.pass_is_old(now) and health.last_pass > now:
        yield odd("pass_ahead", minutes=round((health.last_pass - now).total_seconds() / 60))
    elif health.pass_is_old(now):
        yield odd("pass_old", minutes=round((now - health.last_pass).total_seconds() / 60))


def _floors_ahead(standings: Mapping[str, Standing], schedule: Schedule, now: datetime) -> Iterator[Finding]:
    for job in jobstatus.floors_ahead(standings, schedule, now):
        yield bad("floor_ahead", job=job.name, floor=_said(job.zone, standings[job.name].effective_from))


def _said(zone: ZoneInfo, moment: datetime) -> str:
    return moment.astimezone(zone).isoformat(timespec="seconds")
