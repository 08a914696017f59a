"""Which day is it at the factory, and which days can be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from editqueue import guards
from mirror import factorytime
from mirror.models import DaySnapshot


@dataclass(frozen=True)
class Calendar:
    """``today`` is the factory's business date; ``newest`` the newest day it has sent, if any."""

    today: date
    newest: date | None

    @property
    def last(self) -> date:
        """The last day worth looking at."""
        return max(self.today, self.newest) if self.newest else self.today

    def can_edit(self, day: date) -> bool:
        if self.newest is None:
            return False
        try:
            guards.inside_edit_window(day, newest=self.newest, today=self.today)
        except guards.Refusal:
            return False
        return True


def calendar(now: datetime) -> Calendar:
    newest = DaySnapshot.objects.newest()
    if newest is None:
        return Calendar(factorytime.today(now, "04:00"), None)
    ours = factorytime.today(now, newest.day_starts)
    # The factory says which day it is: around the change of day it may be a little ahead of us.
    ahead = newest.day == ours + timedelta(days=1)
    return Calendar(newest.day if ahead else ours, newest.day)
