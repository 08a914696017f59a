"""Another agent at work, by mistake or on a restored machine: what the cloud has of our days is not sure any more.

Its generations are above all that we have given out. Today is sent once more, and again each minute that it goes on;
the two days before hourly: two agents that answer each other must not fill the line. Older days are left as they are:
there is no telling which it has sent, and what the factory says today of last month is not what it said then.
"""

from __future__ import annotations

from datetime import date, timedelta

from onprem import days
from onprem.state import State

_TODAY_EVERY_S = 60
_LATELY_EVERY_S = 3600
# What a nightly run sends.
_LATELY = timedelta(days=2)


def note(state: State) -> None:
    """Somebody else has stored something in the cloud, we know not what."""
    with state.transaction():
        state.put("doubt_today", 1)
        state.put("doubt_lately", 1)


def send_again(state: State, *, today: date, now: float) -> None:
    """Owe the cloud what it may have lost to the other one, as far as that is due."""
    _send_again(state, "lately", since=today - _LATELY, every=_LATELY_EVERY_S, now=int(now))
    _send_again(state, "today", since=today, every=_TODAY_EVERY_S, now=int(now))


def _send_again(state: State, which: str, *, since: date, every: int, now: int) -> None:
    if state.get(f"doubt_{which}") != "1" or abs(now - int(state.get(f"doubted_{which}_at") or 0)) < every:
        return
    with state.transaction():
        days.doubt(state, since=since)
        state.put(f"doubt_{which}", 0)
        state.put(f"doubted_{which}_at", now)
