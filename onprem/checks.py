"""System checks of the factory's side, for `manage.py check`. Commands that cron starts run none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.core.checks import Warning as Caution


@register()
def jobs_are_sound(app_configs: Sequence[AppConfig] | None, **_options: Any) -> list[CheckMessage]:
    """Every job can be planned; none looks back further than the ledger remembers, or runs what is not ours to time."""
    # Every command loads this module; few look at jobs.
    from django.conf import settings  # noqa: PLC0415

    from onprem import jobs, schedule  # noqa: PLC0415

    installed = jobs.installed()
    hint = "ONPREM_JOBS_FILE holds the site's jobs, ONPREM_TIME_ZONE their time zone."
    found: list[CheckMessage] = [Error(problem, hint=hint, id="onprem.E001") for problem in installed.problems]
    for job in installed.jobs:
        if job.lookback > schedule.RETENTION:
            text = f"{job.name} looks back {job.lookback.days} days, the ledger forgets after {schedule.RETENTION.days}"
            found.append(Error(text, id="onprem.E002"))
    for job, name in schedule.on_managed_list(installed.jobs, settings.ONPREM_CRON_MANAGED):
        text = f"job {job.name} runs {name}, whose crontab line the legacy site rewrites at will"
        found.append(Caution(text, hint="Leave its time to the legacy site: it must not be a job.", id="onprem.W001"))
    return found
