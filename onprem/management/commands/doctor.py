from __future__ import annotations

import argparse
from datetime import date
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from mirror.counting import business_date
from mirror.wire import parse_day
from onprem.clocks import local_now
from onprem.doctor import checkup
from onprem.doctor.finding import BAD, LANGUAGES, Finding, bad, good
from onprem.voice import AgentCommand


class Command(AgentCommand):
    help = "Look at everything the agent stands on and say it in words. Changes nothing. Exit 1 if anything is wrong."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("date", nargs="?", type=_day, metavar="DATE", help="YYYY-MM-DD, default: today")
        parser.add_argument("--lang", choices=LANGUAGES, default="th", help="default: th")

    def handle(self, *, lang: str, **options: Any) -> None:
        now = local_now().replace(microsecond=0)
        day = options["date"] or business_date(now, settings.ONPREM_DAY_STARTS)
        findings: list[Finding] = []
        for finding in checkup.findings(day, now=now, day_starts=settings.ONPREM_DAY_STARTS):
            findings.append(finding)
            self.stdout.write(finding.text(lang))
        wrong = sum(finding.mark == BAD for finding in findings)
        if wrong:
            raise CommandError(bad("wrong", count=wrong).text(lang), returncode=1)
        self.stdout.write(good("all_good").text(lang))


def _day(text: str) -> date:
    day = parse_day(text)
    if day is None:
        raise argparse.ArgumentTypeError(f"expected a day as YYYY-MM-DD, not {text!r}")
    return day
