"""When a job is due: the moments ("slots") a crontab expression names in a zone, as Debian's cron understands them.

Pure. `cronsim` does the calendar. It also takes what no crontab line may hold (seconds, ``L``, ``#``), and can step
back inside an hour that the clocks repeat; so expressions are checked here first, and slots are filtered in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

# How far from its slot a crontab line may start and still be that slot's run.
LATE, EARLY = timedelta(minutes=10), timedelta(seconds=30)

_FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
_NUMBER = r"[0-9]{1,2}"
_NAME = r"[A-Za-z]{3}"
_TERM = re.compile(rf"(?:(?:\*|{_NUMBER}-{_NUMBER}|{_NAME}-{_NAME})(?:/[0-9]{{1,2}})?|{_NUMBER}|{_NAME})")
_A_MOMENT = timedelta(microseconds=1)
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)


class BadCron(ValueError):
    """Not a crontab expression. The text says which field and why."""


def check_cron(text: str) -> str:
    """Return the expression with single blanks, or raise BadCron."""
    fields = text.split()
    if len(fields) != len(_FIELDS):
        raise BadCron(f'expected five fields ("20 0 * * *"), not {len(fields)}: {text!r}')
    for name, field in zip(_FIELDS, fields, strict=True):
        if not all(_TERM.fullmatch(term) for term in field.split(",")):
            raise BadCron(f"the {name} {field!r} is not what cron knows: *, 5, 1-5, */10, 1-30/2, or these with commas")
    expression = " ".join(fields)
    try:
        CronSim(expression, _ANY_DAY)
    except CronSimError as exc:
        raise BadCron(f"{str(exc).lower()} in {expression!r}") from exc
    return expression


def after(cron: str, zone: ZoneInfo, start: datetime) -> Iterator[datetime]:
    """Yield the slots later than ``start``, ascending, in UTC.

    A wall clock time that the clocks skip counts once, at the first minute that exists; one that they repeat counts
    once, the first time. Both hold for lines that name an hour and a minute; others follow the time that passes.
    """
    last = start
    for tick in CronSim(cron, start.astimezone(zone)):
        slot = tick.astimezone(UTC)
        if slot > last:
            last = slot
            yield slot


def between(cron: str, zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the slots in ``(start, end]``, ascending, in UTC."""
    return takewhile(lambda slot: slot <= end, after(cron, zone, start))


def slot_of_start(cron: str, zone: ZoneInfo, now: datetime) -> datetime | None:
    """Return the slot that a start from the crontab at ``now`` is for, or None if it is too far from any."""
    near = list(between(cron, zone, now - LATE - _A_MOMENT, now + EARLY))
    return near[-1] if near else None
