from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from onprem import direct, jobs
from onprem.starter import NOT_NOW
from onprem.state import StateUnwritable
from onprem.voice import AgentCommand


class Command(AgentCommand):
    help = "Run a job for the slot that has just come. This is what its crontab line calls."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *, name: str, **_options: Any) -> None:
        schedule = jobs.installed()
        job = schedule.find(name)
        if job is None:
            raise CommandError("\n".join([f"there is no job {name!r}", *schedule.problems]), returncode=2)
        try:
            with jobs.opened_state(self._say) as state:
                code = direct.start(jobs.starter(state, self._say), job)
        except StateUnwritable as exc:
            raise CommandError(str(exc), returncode=NOT_NOW if exc.is_passing else 1) from exc
        if code:
            raise CommandError(f"{name}: exit code {code}", returncode=code if code == NOT_NOW else 1)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
