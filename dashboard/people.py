"""Reading one person, or the names of periods, out of stored days without decoding everybody else."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime

import msgspec
from django.conf import settings
from msgspec import Raw, Struct

from mirror.models import DaySnapshot
from mirror.reading import snapshot_of
from mirror.wire import BadPayload, Period, Snapshot, Worker, encode

MOST_DAYS = 62


class _Outline(Struct):
    """A stored day whose people are still text."""

    periods: list[Period] = []
    groups: list[list[int]] | None = None
    day_starts: str | None = None
    holiday: str | None = None
    workers: list[Raw] = []


class _Periods(Struct):
    periods: list[Period] = []


_OUTLINE = msgspec.json.Decoder(_Outline)
_PERIODS = msgspec.json.Decoder(_Periods)
_WORKER = msgspec.json.Decoder(Worker)


def day_of(row: DaySnapshot, employee_no: str, now: datetime) -> Snapshot | None:
    """Return the day with this person alone on it (or nobody), or None if it cannot be read."""
    if not row.rules:
        return _old_day(row, employee_no, now)
    outline = _OUTLINE.decode(row.payload)
    # The canonical text begins each person with the number.
    start = b'{"no":' + encode(employee_no) + b","
    found = [_WORKER.decode(raw) for raw in outline.workers if bytes(raw).startswith(start)]
    return Snapshot(
        date=row.day.isoformat(),
        periods=outline.periods,
        groups=outline.groups or settings.ATTSYNC_GROUPS,
        day_starts=outline.day_starts,
        holiday=outline.holiday,
        workers=found,
    )


def period_names(days: Iterable[date], now: datetime) -> dict[tuple[date, int], str | None]:
    """Return the names of the periods of these days, by day and code."""
    rows = DaySnapshot.objects.filter(day__in=sorted(set(days), reverse=True)[:MOST_DAYS])
    return {(row.day, period.code): period.name for row in rows for period in _periods(row, now)}


def _periods(row: DaySnapshot, now: datetime) -> list[Period]:
    if row.rules:
        return _PERIODS.decode(row.payload).periods
    try:
        return snapshot_of(row, now).periods
    except BadPayload:
        return []


def _old_day(row: DaySnapshot, employee_no: str, now: datetime) -> Snapshot | None:
    try:
        snapshot = snapshot_of(row, now)
    except BadPayload:
        return None
    return msgspec.structs.replace(snapshot, workers=[who for who in snapshot.workers if who.no == employee_no])
