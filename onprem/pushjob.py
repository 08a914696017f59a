"""`push_cloud` as a job: its days are counted from its slot, and the slot is done when they are pushed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings

from onprem import days, direct, jobs, slot
from onprem.agent import Asked
from onprem.line import BadSettings
from onprem.locks import AlreadyRunning
from onprem.report import DONE, REFUSED, TRY_AGAIN, Report
from onprem.schedule import Job
from onprem.slot import Slot
from onprem.slots import slot_of_start
from onprem.utc import now

Walk = Callable[[Asked], Report]


def push(
    asked: Asked, walk: Walk, say: Callable[[str], None], *, scheduled_for: str = "", dry_run: bool = False
) -> tuple[int, str]:
    """Walk for a slot: the one that catching up holds a claim for, or the one that has just come.

    Return the exit code and words for it. Raise BadSettings for a job or a slot that does not exist.
    """
    if scheduled_for:
        own = _slot(scheduled_for)
        report = walk_for(own, asked, walk)
        return code_of(report, own, asked), str(report)
    if dry_run:
        report = walk(_rehearsed(asked, say))
        return report.exit_code, str(report)
    return _start(asked, walk, say)


def walk_for(own: Slot, asked: Asked, walk: Walk) -> Report:
    """Walk as if now were the slot."""
    with slot.running(own):
        try:
            return walk(_until(own, asked))
        except AlreadyRunning as exc:
            return Report(unanswered={f"{exc} lock", *_names(own, asked)})


def code_of(report: Report, own: Slot, asked: Asked) -> int:
    """Judge by the slot's own days only. By a clock that is wrong there are none yet."""
    names = _names(own, asked)
    if names & report.unanswered or ("clock" in report.refused and not asked.dates):
        return TRY_AGAIN
    return REFUSED if names & report.refused else DONE


def _start(asked: Asked, walk: Walk, say: Callable[[str], None]) -> tuple[int, str]:
    job, reports = _job(asked.job), list[Report]()

    def work(_job: Job, own: Slot) -> tuple[int, str]:
        report = walk_for(own, asked, walk)
        reports.append(report)
        return code_of(report, own, asked), str(report)

    with jobs.opened_state(say) as state:
        code = direct.start(jobs.starter(state, say, work=work), job)
    if not reports:
        return code, f"{job.name}: left to catch-up"
    # The slot may be done although something else went wrong on the way: a refused edit, a day owed from before.
    return code or reports[0].exit_code, str(reports[0])


def _rehearsed(asked: Asked, say: Callable[[str], None]) -> Asked:
    """Nothing is claimed, and without a slot the days are counted from today."""
    job = _job(asked.job)
    at = slot_of_start(job.cron, job.zone, now())
    if at is not None:
        return _until(Slot(job.name, at.astimezone(job.zone), is_replay=False), asked)
    say(f"{job.name}: no slot has just come, a run would do nothing now; in its time it would do for that day:")
    return asked


def _until(own: Slot, asked: Asked) -> Asked:
    return replace(asked, job=own.job, until=own.day(settings.ONPREM_DAY_STARTS))


def _names(own: Slot, asked: Asked) -> set[str]:
    ends = asked.dates or [own.day(settings.ONPREM_DAY_STARTS)]
    return {str(day) for day in days.last_days(ends, asked.count or 1)}


def _slot(scheduled_for: str) -> Slot:
    try:
        return slot.from_option(scheduled_for)
    except ValueError as exc:
        raise BadSettings(f"--scheduled-for: {exc}") from exc


def _job(name: str) -> Job:
    schedule = jobs.installed()
    job = schedule.find(name)
    if job is None:
        raise BadSettings("\n".join([f"there is no job {name!r}", *schedule.problems]))
    if not job.is_ours:
        raise BadSettings(f"--job: {name} is a program of this site's, started by: manage.py run_job {name}")
    return job
