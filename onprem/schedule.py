"""Which jobs there are: ours, and those a site adds in a TOML file.

Pure apart from reading that file. A mistake in it costs the job it is in, never the others: it becomes a sentence
that says where and what, for whoever runs the command to report.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from onprem.slots import check_cron

NONE, LATEST, ALL = "none", "latest", "all"
# The ledger of slots forgets after this, so nothing may look back further.
RETENTION = timedelta(days=90)

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")
_REQUIRED = ("name", "cron", "command")


@dataclass(frozen=True)
class Job:
    """What runs when. ``command`` may hold the placeholders of `onprem.slot`; ours are words after ``manage.py``."""

    name: str
    cron: str
    command: tuple[str, ...]
    zone: ZoneInfo
    catch_up: str = ALL
    lookback: timedelta = timedelta(days=3)
    max_attempts: int = 3
    needs_cloud: bool = False
    timeout: timedelta = timedelta(minutes=15)
    our_line: str = ""

    @property
    def is_ours(self) -> bool:
        return bool(self.our_line)

    @property
    def crontab_words(self) -> str:
        """What stands after ``manage.py`` in this job's own crontab line."""
        return self.our_line or f"run_job {self.name}"


@dataclass(frozen=True)
class Schedule:
    """The jobs in the order of the registry, and what is wrong with the site's file."""

    jobs: tuple[Job, ...]
    problems: tuple[str, ...] = ()

    def find(self, name: str) -> Job | None:
        return next((job for job in self.jobs if job.name == name), None)


class _Mistake(ValueError):
    """The text says which key and why."""


def our_jobs(zone: ZoneInfo) -> tuple[Job, ...]:
    """The minute's run is covered by the next minute's. At 00:20 the business day is still the day before, so the
    nightly run closes that day and its predecessor.
    """
    return (
        Job(
            *("minute_push", "* * * * *", ("push_cloud",), zone, NONE),
            our_line="push_cloud --listen 50",
        ),
        Job(
            *("nightly_push", "20 0 * * *", ("push_cloud", "--days=2", "--scheduled-for={scheduled_for}"), zone, ALL),
            lookback=timedelta(days=14),
            needs_cloud=True,
            timeout=timedelta(minutes=30),
            our_line="push_cloud --days=2 --job=nightly_push",
        ),
    )


def read(zone: str, file: Path | None) -> Schedule:
    """Return every job that can be used, and a problem for everything else."""
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Schedule((), (f"ONPREM_TIME_ZONE: there is no time zone {zone!r}",))
    ours = our_jobs(place)
    if file is None:
        return Schedule(ours)
    try:
        tables = _tables(file)
    except _Mistake as exc:
        return Schedule(ours, (f"{file}: {exc}",))
    return _with_the_sites(ours, tables, place, file)


def on_managed_list(jobs: Iterable[Job], managed: Iterable[str]) -> list[tuple[Job, str]]:
    """Return jobs that run a script whose crontab line the legacy site rewrites: its times are not ours to know."""
    names = list(managed)
    return [(job, name) for job in jobs for name in names if any(name in word for word in job.command)]


def _tables(file: Path) -> list[Any]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as exc:
        raise _Mistake(exc.strerror or str(exc)) from exc
    except ValueError as exc:
        raise _Mistake(str(exc)) from exc
    if unknown := sorted(content.keys() - {"job"}):
        raise _Mistake(f"unknown key {unknown[0]!r}: expected [[job]] tables and nothing else")
    tables = content.get("job", [])
    if not isinstance(tables, list):
        raise _Mistake("expected [[job]] with two brackets")
    return tables


def _with_the_sites(ours: tuple[Job, ...], tables: list[Any], zone: ZoneInfo, file: Path) -> Schedule:
    jobs, problems = list(ours), []
    for number, table in enumerate(tables, start=1):
        name = table.get("name") if isinstance(table, dict) else None
        try:
            job = _job(table, zone)
            _must_be_new(job, jobs)
        except ValueError as exc:
            problems.append(f"{file}: job {number}{f' ({name})' if isinstance(name, str) else ''}: {exc}")
        else:
            jobs.append(job)
    return Schedule(tuple(jobs), tuple(problems))


def _job(table: object, zone: ZoneInfo) -> Job:
    if not isinstance(table, dict):
        raise _Mistake("expected a table")
    for key in _REQUIRED:
        if key not in table:
            raise _Mistake(f"{key} is missing")
    values = {}
    for key, value in table.items():
        if key not in _READERS:
            raise _Mistake(f"unknown key {key!r}: expected one of {', '.join(_READERS)}")
        field, reader = _READERS[key]
        try:
            values[field] = reader(value)
        except ValueError as exc:
            raise _Mistake(f"{key}: {exc}") from exc
    return Job(zone=zone, **values)


def _must_be_new(job: Job, jobs: Iterable[Job]) -> None:
    for other in jobs:
        if other.name == job.name:
            raise _Mistake("name: one of our own jobs is called that" if other.is_ours else "name: used twice")


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _Mistake(f"expected up to 40 letters, digits, _ or -, not {value!r}")
    return value


def _cron(value: object) -> str:
    if not isinstance(value, str):
        raise _Mistake(f"expected a text, not {value!r}")
    return check_cron(value)


def _command(value: object) -> tuple[str, ...]:
    words = value if isinstance(value, list) else []
    if not words or not words[0] or not all(isinstance(word, str) and "\0" not in word for word in words):
        raise _Mistake(
            f'expected a list of texts, the program first (["php", "/path/x.php", "{{date}}"]), not {value!r}'
        )
    return tuple(words)


def _policy(value: object) -> str:
    if value not in (NONE, LATEST, ALL):
        raise _Mistake(f'expected "none", "latest" or "all", not {value!r}')
    return str(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Mistake(f"expected true or false, not {value!r}")
    return value


def _whole(low: int, high: int, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise _Mistake(f"expected a whole number from {low} to {high}, not {value!r}")
    return value


_READERS: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "name": ("name", _name),
    "cron": ("cron", _cron),
    "command": ("command", _command),
    "catch_up": ("catch_up", _policy),
    "lookback_days": ("lookback", lambda value: timedelta(days=_whole(1, RETENTION.days, value))),
    "max_attempts": ("max_attempts", lambda value: _whole(1, 10, value)),
    "needs_cloud": ("needs_cloud", _flag),
    "timeout_minutes": ("timeout", lambda value: timedelta(minutes=_whole(1, 24 * 60, value))),
}
