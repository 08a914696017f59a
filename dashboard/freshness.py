"""How fresh is what the page shows? Four clocks, never one, all read by the cloud's.

Agent last heard · snapshot captured · terminals pulled through · page made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings

from dashboard import dates, statuses
from dashboard.statuses import Look
from mirror.models import DaySnapshot, FactoryLink

SLOW_AFTER = timedelta(minutes=5)
# Twice the agent's slowest pause would be a minute; a clock this far off shifts scans between periods.
CLOCK_WRONG_S = 120
# The agent is heard, but it cannot read its factory: the figures stand still, and nothing about that is normal.
BLIND = frozenset({"factory_down", "view_missing", "bad_windows"})


@dataclass(frozen=True)
class Line:
    """The line to the factory at one moment."""

    link: FactoryLink
    now: datetime

    @property
    def heard_at(self) -> datetime | None:
        return self.link.last_seen

    @property
    def silent_for(self) -> timedelta:
        return max(timedelta(), self.now - (self.link.last_seen or self.now))

    @property
    def state(self) -> str:
        """``ok``, ``trouble``, ``slow``, ``offline``, or ``never`` before the first call."""
        if self.link.last_seen is None:
            return "never"
        if self.silent_for > timedelta(minutes=settings.ATTSYNC_OFFLINE_MINUTES):
            return "offline"
        if self.silent_for > SLOW_AFTER:
            return "slow"
        return "trouble" if self.link.error in BLIND else "ok"

    @property
    def look(self) -> Look:
        return statuses.LINE[self.state]

    @property
    def is_heard(self) -> bool:
        """While the factory is silent a waiting edit is no sign of trouble."""
        return self.state in ("ok", "slow", "trouble")

    @property
    def age(self) -> str:
        return dates.age(self.silent_for.total_seconds())

    @property
    def clock_error_minutes(self) -> int:
        """How wrong the factory's clock is, in whole minutes; 0 if it is good enough or unknown."""
        ahead = self.link.clock_ahead_s or 0
        return round(abs(ahead) / 60) if abs(ahead) >= CLOCK_WRONG_S else 0

    @property
    def wrong_key_since_heard(self) -> bool:
        """Somebody knocks with a wrong key, and the agent has not been heard after that."""
        refused, heard = self.link.refused_at, self.link.last_seen
        return refused is not None and (heard is None or refused > heard)

    @property
    def missed_runs(self) -> int:
        """How many runs of the factory's jobs nobody makes good by himself any more: given up, or too old."""
        given_up_and_expired = self.link.jobs.split(",")[:2]
        return sum(int(count) for count in given_up_and_expired if count.isascii() and count.isdigit())

    @property
    def stuck_before(self) -> datetime:
        """Wishes asked for earlier than this have waited too long, if the factory is being heard."""
        return self.now - timedelta(minutes=settings.ATTSYNC_STUCK_MINUTES)

    def is_stuck(self, asked_at: datetime) -> bool:
        return self.is_heard and asked_at < self.stuck_before


@dataclass(frozen=True)
class Freshness:
    """The line that is always there. ``data_time`` is empty while there is no snapshot of the day."""

    line: Line
    data_at: datetime | None
    today: date

    @property
    def data_time(self) -> str:
        return dates.moment(self.data_at, self.today) if self.data_at else ""

    @property
    def heard_epoch(self) -> int:
        return int(self.line.heard_at.timestamp()) if self.line.heard_at else 0

    @property
    def data_epoch(self) -> int:
        return int(self.data_at.timestamp()) if self.data_at else 0


def line(now: datetime) -> Line:
    return Line(FactoryLink.objects.filter(id=FactoryLink.ONLY).first() or FactoryLink(), now)


def of_day(row: DaySnapshot | None, at: Line, today: date) -> Freshness:
    return Freshness(at, row.data_time if row else None, today)
