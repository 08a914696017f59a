"""The factory's wall time: UTC+7 without daylight saving, whatever the host's zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone

from mirror import counting

ZONE = timezone(timedelta(hours=7))


def local(now: datetime) -> datetime:
    """Return an aware moment as naive factory wall time."""
    return now.astimezone(ZONE).replace(tzinfo=None)


def aware(local_moment: datetime) -> datetime:
    """Return naive factory wall time as an aware moment."""
    return local_moment.replace(tzinfo=ZONE)


def today(now: datetime, day_starts: str) -> date:
    """Return the business date at an aware moment, for a factory whose day starts at ``HH:MM``."""
    return counting.business_date(local(now), time.fromisoformat(day_starts))
