"""Bring the cloud up to date and carry out what people asked for there."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from typing import Any

from django.core.management.base import CommandError, CommandParser

from mirror.wire import parse_day
from onprem import session
from onprem.agent import Asked
from onprem.journal import Journal
from onprem.line import BadSettings
from onprem.locks import AlreadyRunning
from onprem.progress import Bar
from onprem.report import REFUSED, TRY_AGAIN, Report
from onprem.state import StateUnwritable
from onprem.voice import AgentCommand

USAGE = 2
MOST_DAYS = 3660
LONGEST_LISTEN_S = 24 * 3600


class Command(AgentCommand):
    help = "Apply the edits that wait in the cloud, then push the days that have changed."
    # Started every minute: what the checks would find, `doctor` finds.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("dates", nargs="*", type=_day, metavar="DATE", help="YYYY-MM-DD; default: today by the business date")
        add("--days", type=_whole(1, MOST_DAYS), default=0, metavar="N", help="the last N days up to DATE/today")
        add("--force", action="store_true", help="push unchanged days, and over the cloud's guards")
        add("--no-edits", action="store_true", help="do not fetch edits")
        add("--dry-run", action="store_true", help="say what would be done; change nothing anywhere")
        add(
            "--listen", type=_whole(0, LONGEST_LISTEN_S), default=0, metavar="S", help="stay S seconds on the long poll"
        )
        add("--job", default="", metavar="NAME", help="the scheduled job that this run is")
        # How catching up says for which slot this run is; it holds the claim.
        add("--scheduled-for", default="", help=argparse.SUPPRESS)

    def handle(self, *, verbosity: int, dry_run: bool, listen: int, scheduled_for: str, **options: Any) -> None:
        asked, bar = _asked(options), Bar(self.stdout)
        try:
            walk = _walk(bar, verbosity=verbosity, dry_run=dry_run, listen=listen)
            if asked.job or scheduled_for:
                # The minute's run does without it, and starts faster.
                from onprem import pushjob  # noqa: PLC0415

                say = Journal(bar.write, verbosity=verbosity).say
                code, words = pushjob.push(asked, walk, say, scheduled_for=scheduled_for, dry_run=dry_run)
            else:
                report = walk(asked)
                code, words = report.exit_code, str(report)
        except BadSettings as exc:
            raise CommandError(str(exc), returncode=USAGE) from exc
        except AlreadyRunning as exc:
            text = f"another run holds the {exc} lock; what was asked for is remembered"
            raise CommandError(text, returncode=TRY_AGAIN) from exc
        except StateUnwritable as exc:
            code = TRY_AGAIN if exc.is_passing else REFUSED
            raise CommandError(f"the state cannot be used, stopping here: {exc}", returncode=code) from exc
        if code:
            raise CommandError(words, returncode=code)


def _walk(bar: Bar, *, verbosity: int, dry_run: bool, listen: int) -> Callable[[Asked], Report]:
    line = session.checked_line()
    if dry_run:
        return lambda asked: session.rehearse(line, asked, bar, verbosity=verbosity)
    return lambda asked: session.walk(line, asked, bar, verbosity=verbosity, listen=listen)


def _asked(options: dict[str, Any]) -> Asked:
    return Asked(
        dates=options["dates"],
        count=options["days"],
        force=options["force"],
        edits=not options["no_edits"],
        job=options["job"],
    )


def _day(text: str) -> date:
    day = parse_day(text)
    if day is None:
        raise argparse.ArgumentTypeError(f"expected a day as YYYY-MM-DD, not {text!r}")
    return day


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, not {text!r}")
        return int(text)

    return read
