"""Whether our lines are there and will stay, as the settings and the machine are."""

from __future__ import annotations

import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings

from onprem import cronplaces, crontab, jobs
from onprem.cronplaces import CronTrouble
from onprem.crontab import Finding, Rewriter
from onprem.schedule import on_managed_list, our_jobs

LOG = "push_cloud.log"
TIMER = Path("/etc/systemd/system/timers.target.wants/attsync-agent.timer")


def our_lines(*, user: str = "") -> list[str]:
    """Jobs whose script keeps a line of the legacy site's own get none of ours.

    Our own jobs keep theirs where the zone is mistyped: cron goes by the machine's zone anyway.
    """
    installed = jobs.installed().jobs or our_jobs(ZoneInfo("UTC"))
    theirs = {job.name for job, _ in on_managed_list(installed, settings.ONPREM_CRON_MANAGED)}
    return crontab.wanted_lines(
        [job for job in installed if job.name not in theirs],
        program=[sys.executable, str(settings.BASE_DIR / "manage.py")],
        log=settings.ONPREM_LOG_DIR / LOG,
        user=user,
    )


def rewriter() -> Rewriter:
    return Rewriter(settings.ONPREM_CRON_BEGIN, settings.ONPREM_CRON_END, settings.ONPREM_CRON_MANAGED)


def is_missing() -> bool:
    """Tell whether something of ours is no longer started, or soon will not be; one line of each kind is enough.

    A line at other times than its job's is there. Where nobody can say, or systemd starts us, it is not.
    """
    if TIMER.exists():
        return False
    try:
        found = look()
    except CronTrouble:
        return False
    survive = {crontab.role(finding.line) for finding in found if not finding.trouble or finding.is_stale}
    lines = [finding for finding in found if not (finding.is_of_a_job or finding.is_stale)]
    return any(finding.trouble and crontab.role(finding.line) not in survive for finding in lines)


def look() -> list[Finding]:
    """Return what becomes of each line of ours. Raise CronTrouble."""
    safe, schedule = cronplaces.read_cron_d(), jobs.installed()
    # A job that cannot be read now is not gone.
    times = None if schedule.problems else {job.name: job.cron for job in schedule.jobs}
    found = crontab.findings(cronplaces.read_crontab(), our_lines(), rewriter(), safe=safe or "", times=times)
    if safe is not None and (trouble := cronplaces.cron_d_trouble()):
        found.append(Finding(str(cronplaces.CRON_D), trouble))
    for job, name in on_managed_list(schedule.jobs, settings.ONPREM_CRON_MANAGED):
        trouble = f"runs {name}, whose times the legacy site sets: take it off our jobs"
        found.append(Finding(f"job {job.name}", trouble, is_of_a_job=True))
    return found
