from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

from django.core.management.base import CommandError, CommandParser

from onprem import catchup, jobs, jobstatus, rerun
from onprem.plan import ClockWrong
from onprem.rehearsal import rehearse
from onprem.schedule import NONE, Job, Schedule
from onprem.starter import NOT_NOW, Starter
from onprem.state import State, StateUnwritable
from onprem.voice import AgentCommand


class Command(AgentCommand):
    help = "Run what cron has missed: the slots of jobs that must be complete, oldest first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="name what would run, and why the rest would not")
        parser.add_argument("--only", metavar="JOB", type=_name, help="look after this job alone")
        parser.add_argument("--accept-clock", action="store_true", help="the clock is right, whatever was noted before")
        parser.add_argument("--from", dest="first", metavar="DAY", type=_day, help="first day of --rerun")
        parser.add_argument("--to", dest="last", metavar="DAY", type=_day, help="last day of --rerun")
        parser.add_argument("--include-succeeded", action="store_true", help="--rerun also what went well")
        parser.add_argument("--force", action="store_true", help="--baseline although slots have been run")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--status", action="store_true", help="how the jobs stand; exit code 1 if not well")
        what.add_argument("--rerun", metavar="JOB", type=_name, help="run the slots of these days again")
        what.add_argument("--baseline", action="store_true", help="nothing before now is owed")
        what.add_argument("--enable", metavar="JOB", type=_name, help="catch this job up again, from now on")
        what.add_argument("--disable", metavar="JOB", type=_name, help="owe nothing of this job until it is enabled")

    def handle(self, **options: Any) -> None:
        _must_make_sense(options)
        schedule = jobs.installed()
        for problem in schedule.problems:
            self.stderr.write(problem)
        if not schedule.jobs:
            raise SystemExit(1)
        try:
            code = self._do(schedule, options)
        except StateUnwritable as exc:
            raise CommandError(str(exc), returncode=NOT_NOW if exc.is_passing else 1) from exc
        except ClockWrong as exc:
            words = f"{exc}: nothing is planned. If the clock is right: manage.py catchup --accept-clock"
            raise CommandError(words, returncode=1) from exc
        if code or schedule.problems:
            raise SystemExit(code or 1)

    def _do(self, schedule: Schedule, options: dict[str, Any]) -> int:
        with self._state(changes_nothing=options["dry_run"] or options["status"]) as state:
            order = next((order for name, order in _ORDERS.items() if options[name]), _catch_up)
            return order(jobs.starter(state, self._say), schedule, options)

    def _state(self, *, changes_nothing: bool) -> AbstractContextManager[State]:
        return jobs.copied_state() if changes_nothing else jobs.opened_state(self._say)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _catch_up(starter: Starter, schedule: Schedule, options: dict[str, Any]) -> int:
    chosen = _chosen(schedule, options["only"])
    if options["accept_clock"]:
        catchup.accept_clock(starter, schedule.jobs[0].zone)
    if options["dry_run"]:
        rehearse(starter, chosen)
        return 0
    # What is put off is the next pass's, and nothing is wrong.
    return 1 if catchup.catch_up(starter, chosen).failed else 0


def _status(starter: Starter, schedule: Schedule, _options: dict[str, Any]) -> int:
    now, ledger = starter.clock(), starter.occurrences
    for line in jobstatus.lines(ledger, schedule, now):
        starter.say(line)
    ahead = jobstatus.floors_ahead(ledger.register.standings(), schedule, now)
    return 0 if ledger.health().is_good(now) and not (ahead or jobstatus.clock_trouble(ledger.register, now)) else 1


def _baseline(starter: Starter, schedule: Schedule, options: dict[str, Any]) -> int:
    now, ledger, only = starter.clock(), starter.occurrences, options["only"]
    # A job that is in no file any more can be settled by its name.
    is_gone = bool(only) and schedule.find(only) is None and only in ledger.register.standings()
    chosen = () if is_gone else _chosen(schedule, only)
    if not (options["force"] or ledger.is_empty(only or "")):
        starter.say("slots have been run here: --force gives up whatever is owed and writes off what was given up")
        return 1
    starter.meet(chosen, now)
    ledger.baseline([only] if only else ledger.register.standings(), now)
    starter.say(f"nothing of {only} before now is owed" if only else "nothing before now is owed")
    return 0


def _enable(starter: Starter, schedule: Schedule, options: dict[str, Any]) -> int:
    job, now = _find(schedule, options["enable"]), starter.clock()
    starter.meet([job], now)
    starter.occurrences.register.enable(job, now)
    return 0


def _disable(starter: Starter, schedule: Schedule, options: dict[str, Any]) -> int:
    job, now = _find(schedule, options["disable"]), starter.clock()
    if job.is_ours and job.catch_up == NONE:
        raise CommandError(f"{job.name} runs by its crontab line alone: take that away", returncode=2)
    starter.meet([job], now)
    starter.occurrences.register.disable(job, now)
    return 0


def _rerun(starter: Starter, schedule: Schedule, options: dict[str, Any]) -> int:
    job, first, last = _find(schedule, options["rerun"]), options["first"], options["last"]
    if job.catch_up == NONE:
        raise CommandError(f"{job.name} keeps no ledger: start it by hand", returncode=2)
    chosen = rerun.chosen(starter, job, first, last, include_succeeded=options["include_succeeded"])
    if options["dry_run"]:
        for at in chosen:
            starter.name(job, at, "would run")
        return 0
    report = rerun.rerun(starter, job, chosen)
    return 1 if report.failed else NOT_NOW if report.put_off else 0


_ORDERS = {"status": _status, "baseline": _baseline, "enable": _enable, "disable": _disable, "rerun": _rerun}


def _must_make_sense(options: dict[str, Any]) -> None:
    """What argparse cannot say of options that need each other."""
    days = options["first"], options["last"]
    if options["rerun"] and (None in days or days[0] > days[1]):
        raise CommandError("--rerun needs --from and --to, in this order of time", returncode=2)
    if not options["rerun"] and (any(days) or options["include_succeeded"]):
        raise CommandError("--from, --to and --include-succeeded belong to --rerun", returncode=2)
    if options["force"] and not options["baseline"]:
        raise CommandError("--force belongs to --baseline", returncode=2)
    if options["dry_run"] and any(options[name] for name in ("status", "baseline", "enable", "disable")):
        raise CommandError("--dry-run is for a pass or a --rerun", returncode=2)
    if options["only"] and any(options[name] for name in ("status", "rerun", "enable", "disable")):
        raise CommandError("--only is for a pass or a --baseline", returncode=2)
    if options["accept_clock"] and any(options[name] for name in _ORDERS):
        raise CommandError("--accept-clock is for a pass", returncode=2)


def _chosen(schedule: Schedule, only: str | None) -> Sequence[Job]:
    return [_find(schedule, only)] if only else schedule.jobs


def _find(schedule: Schedule, name: str) -> Job:
    job = schedule.find(name)
    if job is None:
        raise CommandError(
            f"there is no job {name!r}, only {', '.join(job.name for job in schedule.jobs)}", returncode=2
        )
    return job


def _name(text: str) -> str:
    """An empty one, of a variable that a script forgot to set, is not the same as no option."""
    if not text:
        raise ArgumentTypeError("expected the name of a job")
    return text


def _day(text: str) -> date:
    # Every five minutes a pass starts without it.
    from mirror.wire import parse_day  # noqa: PLC0415

    day = parse_day(text)
    if day is None:
        raise ArgumentTypeError(f"expected YYYY-MM-DD, not {text!r}")
    return day
