"""From a stored row to the typed day."""

from __future__ import annotations

from datetime import datetime, time

from django.conf import settings

from mirror import counting, factorytime, intake
from mirror.models import DaySnapshot
from mirror.wire import Snapshot, decode_snapshot


def snapshot_of(row: DaySnapshot, now: datetime) -> Snapshot:
    """Return the day as a typed snapshot, ready to be counted.

    Old (v0) bodies and rows adopted from the PHP deployment bring neither groups nor period states: those are filled
    in here, the only place where the cloud's clock moves a state. Raise BadPayload for an unreadable adopted text.
    """
    if row.rules:
        return decode_snapshot(row.payload)
    snapshot = intake.parse(row.payload.encode(), day=row.day).snapshot
    snapshot.gen = row.gen
    fill_in(snapshot, now)
    count(snapshot)
    return snapshot


def fill_in(snapshot: Snapshot, now: datetime) -> None:
    """Give a v0 day the groups of the settings and each period its state at ``now``."""
    snapshot.groups = snapshot.groups or settings.ATTSYNC_GROUPS
    starts = time.fromisoformat(snapshot.day_starts) if snapshot.day_starts else counting.DEFAULT_DAY_STARTS
    day, local_now = datetime.fromisoformat(snapshot.date).date(), factorytime.local(now)
    for period in snapshot.periods:
        if period.state is None:
            period.state = counting.judged_state(period, day, now=local_now, day_starts=starts)


def count(snapshot: Snapshot) -> counting.Totals:
    """Write our own counts into the day, and return them with what the wire does not carry (late, off)."""
    totals = counting.total(counting.verdicts(counting.rules_of(snapshot), snapshot.workers))
    snapshot.active_total = totals.active_total
    snapshot.stat = counting.stat_of(totals)
    return totals


def is_open(snapshot: Snapshot) -> bool:
    """Tell whether any period has not ended."""
    return any(period.state != counting.END for period in snapshot.periods)
