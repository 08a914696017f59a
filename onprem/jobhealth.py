"""The three numbers that say whether catching up is well: what the heartbeat carries.

Light on purpose: every minute's run asks, and knows nothing else of jobs.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from onprem import utc
from onprem.state import State

HIGH_WATER = "catchup_high_water"
# Three passes of every five minutes.
OLD_PASS = timedelta(minutes=15)

_IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'occurrence'"
_GIVEN_UP = """
SELECT COALESCE(SUM(exhausted), 0), COALESCE(SUM(state = 'expired'), 0) FROM occurrence
WHERE exhausted OR state = 'expired'
"""


class Health(NamedTuple):
    """How many slots were given up, how many were too old to be run, and when catching up was alive last."""

    exhausted: int
    expired: int
    last_pass: datetime | None

    def is_good(self, now: datetime) -> bool:
        return not (self.exhausted or self.expired or self.pass_is_old(now))

    def pass_is_old(self, now: datetime) -> bool:
        """Also true of one that lies ahead: nobody knows how old it is."""
        return self.last_pass is None or abs(now - self.last_pass) > OLD_PASS

    def __str__(self) -> str:
        """The form of the wire contract: ``<exhausted>,<expired>,<last pass, unix seconds>``."""
        unix = 0 if self.last_pass is None else int(self.last_pass.timestamp())
        return f"{self.exhausted},{self.expired},{unix}"


def health(state: State) -> Health | None:
    """Return the sums over all jobs, or None where no job has ever been noted.

    Jobs that are in no file any more count too: nobody has settled what they owe.
    """
    if state.db.execute(_IS_THERE).fetchone() is None:
        return None
    exhausted, expired = state.db.execute(_GIVEN_UP).fetchone()
    return Health(exhausted, expired, utc.moment(state.get(HIGH_WATER)))
