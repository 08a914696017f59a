"""Our lines in root's crontab, or in a file of their own, and whether they will stay there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from onprem import croncheck, cronplaces, crontab, jobs
from onprem.cronplaces import CRON_D, CronTrouble
from onprem.crontab import Finding, WouldVanish
from onprem.voice import AgentCommand

CRONTAB, CRON_D_TARGET = "crontab", "cron.d"
# Somebody else may write the crontab between our reading and our writing.
_TRIES = 3


class Command(AgentCommand):
    help = "Install, show, check or remove the agent's cron lines; other lines are never touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["show", "check", "install", "remove"])
        parser.add_argument(
            "--target",
            choices=[CRONTAB, CRON_D_TARGET],
            default=CRONTAB,
            help=f"root's crontab (default), or {CRON_D}, which no other system rewrites",
        )

    def handle(self, *, action: str, target: str, **_options: Any) -> None:
        actions: dict[str, Callable[[str], None]] = {
            "show": self._show,
            "check": self._check,
            "install": self._install,
            "remove": self._remove,
        }
        try:
            actions[action](target)
        except CronTrouble as exc:
            raise CommandError(f"{exc}\nRun this as root, or allow it through sudo -n.", returncode=1) from exc
        except WouldVanish as exc:
            text = f"nothing was changed, for the lines would be deleted: {exc}. Choose --target=cron.d"
            raise CommandError(text, returncode=1) from exc

    def _show(self, target: str) -> None:
        for line in _lines(target):
            self.stdout.write(line)
        self._demand_sound_jobs("these lines are not all")

    def _check(self, _target: str) -> None:
        findings = croncheck.look()
        for finding in findings:
            self.stdout.write(str(finding))
        self._demand_sound_jobs("nobody can say whether the lines of all jobs are there")
        if any(finding.trouble for finding in findings):
            raise CommandError(f"cron will not do what it should; {_advice(findings)}", returncode=1)

    def _install(self, target: str) -> None:
        """In one place only: two would do everything twice. What is refused leaves no trace, not even a folder."""
        self._demand_sound_jobs("nothing was changed, for the lines of jobs that cannot be read now would be lost")
        place = "root's crontab"
        if target == CRON_D_TARGET:
            place = str(CRON_D)
            cronplaces.make_folder(settings.ONPREM_LOG_DIR)
            cronplaces.write_cron_d(_lines(target))
            self._rewrite(crontab.removed)
        else:
            _with_ours(cronplaces.read_crontab())
            cronplaces.make_folder(settings.ONPREM_LOG_DIR)
            self._rewrite(_with_ours)
            if cronplaces.remove_cron_d():
                self.stdout.write(f"{CRON_D} is removed")
        self.stdout.write(f"the lines are in {place}")

    def _remove(self, _target: str) -> None:
        self._rewrite(crontab.removed)
        cronplaces.remove_cron_d()
        self.stdout.write("our lines are removed")

    def _demand_sound_jobs(self, consequence: str) -> None:
        if problems := jobs.installed().problems:
            raise CommandError("\n".join([*problems, consequence]), returncode=1)

    def _rewrite(self, change: Callable[[str], str]) -> None:
        for _ in range(_TRIES):
            before = cronplaces.read_crontab()
            wanted = change(before)
            if wanted == before:
                return
            cronplaces.write_crontab(wanted)
        if change(after := cronplaces.read_crontab()) != after:
            raise CronTrouble("somebody else rewrites the crontab at this moment; try again")


def _lines(target: str) -> list[str]:
    return croncheck.our_lines(user="root" if target == CRON_D_TARGET else "")


def _with_ours(text: str) -> str:
    """Raise WouldVanish where the legacy site would delete our lines."""
    return crontab.installed(text, _lines(CRONTAB), croncheck.rewriter())


def _advice(findings: Sequence[Finding]) -> str:
    """A job that is not ours to time gets no line by any install, and a line outside our block stays as it is."""
    wrong = [finding for finding in findings if finding.trouble]
    try:
        _with_ours(cronplaces.read_crontab())
    except WouldVanish:
        return f"the crontab is no place for them: manage.py crontab install --target={CRON_D_TARGET}"
    if all(finding.is_of_a_job for finding in wrong):
        return "take what the legacy site times out of ONPREM_JOBS_FILE"
    if all(finding.is_by_hand for finding in wrong):
        return f"manage.py crontab install touches no line outside {crontab.BEGIN}: delete it by hand, or change it"
    if any(finding.is_by_hand for finding in wrong):
        return f"manage.py crontab install puts it right, except lines outside {crontab.BEGIN}: change those by hand"
    return "manage.py crontab install puts it right"
