"""What a pass would do and why it would leave the rest, told from a copy of the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from onprem import plan, slots
from onprem.catchup import Missed, expiry, prepare
from onprem.plan import GRACE, MAX_SLOTS, RUNNING, Row, Rows
from onprem.register import Standing
from onprem.schedule import NONE, Job
from onprem.starter import Starter


def rehearse(starter: Starter, jobs: Sequence[Job]) -> None:
    """Name every slot that a pass would run now, in its order, then the others. Raise ClockWrong."""
    now = starter.clock()
    # What is news for the log is so for the pass that meets it.
    missed = prepare(replace(starter, say=lambda _line: None), jobs, now)
    due = plan.in_order((one.job, one.due) for one in missed)
    away = any(job.needs_cloud for job, _ in due) and not starter.cloud_is_near()
    for job, at in due:
        starter.name(job, at, "waits: the cloud cannot be reached" if job.needs_cloud and away else "would run")
    standings, rows = starter.occurrences.register.standings(), starter.occurrences.unsettled()
    for one in missed:
        name = one.job.name
        reasons = [*_given_up(starter, one.job, standings[name], now)]
        for reason in [*reasons, *_reasons(one, standings[name], rows.get(name, {}), now)]:
            starter.say(reason)


def _given_up(starter: Starter, job: Job, standing: Standing, now: datetime) -> Iterator[str]:
    """Those that no plan looks at any more. The others are told in their place."""
    for at, row in starter.occurrences.exhausted(job.name).items():
        if at <= standing.settled_through:
            yield _not_now_since(job, at, _reason(job, row, at, now))


def _reasons(missed: Missed, standing: Standing, rows: Rows, now: datetime) -> Iterator[str]:
    job = missed.job
    if job.catch_up == NONE:
        return
    if not standing.enabled:
        yield f"disabled {job.name}: nothing is owed until it is enabled"
        return
    if missed.expired:
        yield expiry(job, missed.expired)
    if missed.skipped:
        yield f"skipped {job.name} {len(missed.skipped)}: only the newest counts"
    yield from _not_now(missed, standing.settled_through, rows, now)


def _not_now(missed: Missed, floor: datetime, rows: Rows, now: datetime) -> Iterator[str]:
    job = missed.job
    told = {*missed.due, *missed.expired, *missed.skipped}
    rest = [at for at in slots.between(job.cron, job.zone, floor, now) if at not in told]
    beyond = [at for at in rest if _reason(job, rows.get(at), at, now) is None and not _is_finished(rows.get(at))]
    for at in rest:
        if reason := _reason(job, rows.get(at), at, now):
            yield _not_now_since(job, at, reason)
    if beyond:
        yield f"not now {job.name}: {len(beyond)} more, for one pass runs {MAX_SLOTS}"


def _not_now_since(job: Job, at: datetime, reason: str | None) -> str:
    return f"not now {job.name}: {at.astimezone(job.zone).isoformat()} {reason}"


def _reason(job: Job, row: Row | None, at: datetime, now: datetime) -> str | None:
    if now - at < GRACE:
        return "has only just come, its own crontab line may still run it"
    if row is None or (row.is_finished and not row.exhausted):
        return None
    if row.exhausted:
        return f"is given up after {row.attempts} attempts and {row.interruptions} interruptions {row.note}".rstrip()
    if row.state == RUNNING:
        return "is running"
    if not plan.is_time(row, now):
        return f"failed ({row.note}), attempt {row.attempts + 1} of {job.max_attempts} comes later"
    return None


def _is_finished(row: Row | None) -> bool:
    return row is not None and row.is_finished
