"""Running slots again because a person says so: whatever their age, attempts and floor, the marks of the pass stay."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, time, timedelta

from onprem import slots
from onprem.catchup import Report
from onprem.locks import AlreadyRunning
from onprem.occurrences import NotClaimed
from onprem.plan import OPERATOR, SUCCEEDED
from onprem.schedule import Job
from onprem.starter import NOT_NOW, Starter

_A_MOMENT = timedelta(microseconds=1)


def chosen(starter: Starter, job: Job, first: date, last: date, *, include_succeeded: bool) -> list[datetime]:
    """Return the slots on these days, by the wall clock of the jobs, that have come; oldest first."""
    start = datetime.combine(first, time(), job.zone) - _A_MOMENT
    end = min(datetime.combine(last + timedelta(days=1), time(), job.zone) - _A_MOMENT, starter.clock())
    rows = starter.occurrences.rows(job, since=start - _A_MOMENT)
    done = {slot for slot, row in rows.items() if row.state == SUCCEEDED and not include_succeeded}
    return [slot for slot in slots.between(job.cron, job.zone, start, end) if slot not in done]


def rerun(starter: Starter, job: Job, chosen: list[datetime]) -> Report:
    """Run them one after another, waiting for whoever runs the job now."""
    report = Report()
    starter.meet([job], starter.clock())
    if job.needs_cloud and chosen and not starter.cloud_is_near():
        starter.say("the cloud cannot be reached; nothing was run")
        return Report(waiting=Counter({job.name: len(chosen)}))
    for at in chosen:
        code = _start(starter, job, at)
        report.failed += code not in (0, NOT_NOW)
        report.waiting[job.name] += code == NOT_NOW
    return report


def _start(starter: Starter, job: Job, at: datetime) -> int:
    try:
        return starter.start(job, at, source=OPERATOR, wait=job.timeout.total_seconds())
    except (NotClaimed, AlreadyRunning) as exc:
        starter.say(f"{job.name}: {at.astimezone(job.zone).isoformat()} not run: {exc}")
        return NOT_NOW
