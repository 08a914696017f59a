"""What the agent's own database notes of each job: since when it counts, and how far its slots are settled.

Also the high-water mark: the last moment at which catching up was alive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from onprem import plan, utc
from onprem.jobhealth import HIGH_WATER
from onprem.schedule import NONE, Job
from onprem.state import State

_FORGET = """
INSERT INTO forgotten (job, through) SELECT name, MIN(settled_through, ?) FROM job WHERE name = ?
ON CONFLICT (job) DO UPDATE SET through = MAX(through, excluded.through)
"""
_UNSETTLE = "UPDATE job SET settled_through = MAX(effective_from, MIN(settled_through, ?))"
_ALL = """
SELECT name, cron, zone, catch_up, enabled, effective_from, settled_through, expired_through, direct_at FROM job
"""
_BEGIN = """
INSERT INTO job (name, cron, zone, catch_up, enabled, effective_from, settled_through) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
    cron = excluded.cron, zone = excluded.zone, catch_up = excluded.catch_up, enabled = excluded.enabled,
    effective_from = excluded.effective_from, settled_through = excluded.settled_through, expired_through = NULL
"""

_WAITING = "catchup_waiting"


@dataclass(frozen=True)
class Standing:
    """What is noted of a job. ``direct_at`` is when its own crontab line was last seen to start."""

    name: str
    cron: str
    zone: str
    catch_up: str
    enabled: bool
    effective_from: datetime
    settled_through: datetime
    expired_through: datetime | None
    direct_at: datetime | None

    def is_of(self, job: Job) -> bool:
        """False after a change that makes the slots before it meaningless."""
        joins_the_ledger = self.catch_up == NONE and job.catch_up != NONE
        return (self.cron, self.zone) == (job.cron, job.zone.key) and not joins_the_ledger


class Register:
    """The jobs as noted in an open state."""

    def __init__(self, state: State) -> None:
        self._state, self._db = state, state.db

    def standings(self) -> dict[str, Standing]:
        return {row[0]: _standing(*row) for row in self._db.execute(_ALL)}

    def meet(self, jobs: Iterable[Job], now: datetime) -> list[tuple[Job, Standing | None]]:
        """Note jobs seen for the first time or changed: what they owe begins now. Return those, as they were."""
        known = self.standings()
        news = []
        for job in jobs:
            standing = known.get(job.name)
            if standing is None or not standing.is_of(job):
                self.begin(job, now, enabled=standing is None or standing.enabled)
                news.append((job, standing))
            elif standing.catch_up != job.catch_up:
                self._db.execute("UPDATE job SET catch_up = ? WHERE name = ?", (job.catch_up, job.name))
        return news

    def begin(self, job: Job, now: datetime, *, enabled: bool) -> None:
        """Owe nothing before now."""
        zone, moment = job.zone.key, utc.text(now)
        self._db.execute(_BEGIN, (job.name, job.cron, zone, job.catch_up, enabled, moment, moment))

    def enable(self, job: Job, now: datetime) -> None:
        """Time off is not owed. A job that is enabled stays as it is."""
        self.meet([job], now)
        if not self.standings()[job.name].enabled:
            self.begin(job, now, enabled=True)

    def disable(self, job: Job, now: datetime) -> None:
        self.meet([job], now)
        self._db.execute("UPDATE job SET enabled = 0 WHERE name = ?", (job.name,))

    def settle(self, job: Job, through: datetime) -> None:
        self._db.execute("UPDATE job SET settled_through = ? WHERE name = ?", (utc.text(through), job.name))

    def expire(self, job: Job, through: datetime) -> None:
        self._db.execute("UPDATE job SET expired_through = ? WHERE name = ?", (utc.text(through), job.name))

    def forget(self, job: Job, through: datetime) -> None:
        """Note that rows up to here are gone, as far as they were settled."""
        self._db.execute(_FORGET, (utc.text(through), job.name))

    def forgotten_through(self, job: Job) -> datetime | None:
        row = self._db.execute("SELECT through FROM forgotten WHERE job = ?", (job.name,)).fetchone()
        return None if row is None else utc.moment(row[0])

    def saw_direct_start(self, job: Job, now: datetime) -> None:
        self._db.execute("UPDATE job SET direct_at = ? WHERE name = ?", (utc.text(now), job.name))

    def owe_nothing_before(self, now: datetime, name: str) -> None:
        """Also of a job that is in no file any more."""
        again = "UPDATE job SET effective_from = ?, settled_through = ?, expired_through = NULL WHERE name = ?"
        self._db.execute(again, (utc.text(now), utc.text(now), name))

    def notes_waiting(self, words: str) -> bool:
        """Note what is put off, and return whether it is another than before."""
        is_news = words != (self._state.get(_WAITING) or "")
        if is_news:
            self._state.put(_WAITING, words)
        return is_news

    # --- time ---

    @property
    def high_water(self) -> datetime | None:
        return utc.moment(self._state.get(HIGH_WATER))

    @property
    def latest(self) -> datetime | None:
        """The last moment at which a pass or a crontab line was alive. Floors are no sign: a person may set them."""
        noted = [self.high_water, *(standing.direct_at for standing in self.standings().values())]
        return max(filter(None, noted), default=None)

    def check_clock(self, now: datetime) -> None:
        """Raise ClockWrong if nothing may be planned by this clock."""
        floors = [standing.effective_from for standing in self.standings().values()]
        plan.check_clock(now, high_water=self.high_water, floors=floors)

    def reach(self, now: datetime) -> None:
        """Move the high-water mark ahead. Only `go_back` moves it back, together with what was noted beyond."""
        if self.high_water is None or now > self.high_water:
            self._state.put(HIGH_WATER, utc.text(now))

    def go_back(self, now: datetime) -> None:
        """The clock was ahead: no slot later than now is settled. Floors stay: nothing before them was ever owed."""
        moment = utc.text(now)
        self._db.execute("UPDATE job SET direct_at = ? WHERE direct_at > ?", (moment, moment))
        self._db.execute("UPDATE job SET expired_through = ? WHERE expired_through > ?", (moment, moment))
        self._db.execute("UPDATE forgotten SET through = ? WHERE through > ?", (moment, moment))
        self._db.execute(_UNSETTLE, (moment,))
        self._state.put(HIGH_WATER, moment)

    def begin_no_later_than(self, now: datetime) -> list[str]:
        """A person says that the clock is right: no job begins in what is the future now. Return those that did."""
        names = [name for name, standing in self.standings().items() if standing.effective_from > now]
        for name in names:
            self.owe_nothing_before(now, name)
        return names


def _standing(  # noqa: PLR0913, PLR0917
    name: str,
    cron: str,
    zone: str,
    catch_up: str,
    enabled: int,
    effective_from: str,
    settled_through: str,
    expired_through: str | None,
    direct_at: str | None,
) -> Standing:
    since = utc.moment(effective_from), utc.moment(settled_through)
    return Standing(
        name, cron, zone, catch_up, bool(enabled), *since, utc.moment(expired_through), utc.moment(direct_at)
    )
