"""What the agent remembers of each day: what the cloud has of it, and what the cloud must still get."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from onprem.state import State

_KEPT = timedelta(days=400)


class Known(NamedTuple):
    """The content (its hash) and generation that the cloud accepted last, and whether a period had not ended."""

    hash: str
    gen: int
    is_open: bool


def owe(state: State, day: date, *, gen: int = 0) -> None:
    """Remember across crashes that the day must be looked at, and sent unless the cloud has it from ``gen`` on."""
    state.db.execute(
        "INSERT INTO owed (day, gen) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET gen = max(gen, excluded.gen)",
        (day.isoformat(), gen),
    )


def owed(state: State) -> dict[date, int]:
    """Return the owed days with the lowest generation that will do for each."""
    return {date.fromisoformat(day): gen for day, gen in state.db.execute("SELECT day, gen FROM owed").fetchall()}


def known(state: State, day: date) -> Known | None:
    row = state.db.execute("SELECT hash, gen, is_open FROM day WHERE day = ?", (day.isoformat(),)).fetchone()
    return None if row is None else Known(row[0], row[1], bool(row[2]))


def open_days(state: State, *, since: date, before: date) -> set[date]:
    """Days whose periods had not all ended when they were seen last (night shifts, terminals not pulled yet)."""
    rows = state.db.execute(
        "SELECT day FROM day WHERE is_open AND day >= ? AND day < ?", (since.isoformat(), before.isoformat())
    )
    return {date.fromisoformat(day) for (day,) in rows.fetchall()}


def accept(state: State, day: date, seen: Known) -> None:
    """The cloud has the day in this form. Whatever it is owed beyond this generation stays owed."""
    with state.transaction():
        state.db.execute(
            "INSERT OR REPLACE INTO day (day, hash, gen, is_open) VALUES (?, ?, ?, ?)", (day.isoformat(), *seen)
        )
        state.db.execute("DELETE FROM owed WHERE day = ? AND gen <= ?", (day.isoformat(), seen.gen))


def settle(state: State, day: date, gen: int) -> None:
    """What the cloud has from generation ``gen`` turned out to be all there is."""
    state.db.execute("DELETE FROM owed WHERE day = ? AND gen <= ?", (day.isoformat(), gen))


def forget_newer(state: State, gen: int, *, since: date) -> list[date]:
    """The cloud knows nothing beyond ``gen``: owe it what it had accepted later. Return those days."""
    rows = state.db.execute(
        "SELECT day FROM day WHERE gen > ? AND day >= ? ORDER BY day", (gen, since.isoformat())
    ).fetchall()
    lost = [date.fromisoformat(day) for (day,) in rows]
    with state.transaction():
        for day in lost:
            owe(state, day)
        state.db.execute("DELETE FROM day WHERE gen > ?", (gen,))
    return lost


def doubt(state: State, *, since: date) -> None:
    """What the cloud has of these days is not known any more: owe it each, whatever it was."""
    with state.transaction():
        state.db.execute(
            "INSERT OR IGNORE INTO owed (day, gen) SELECT day, 0 FROM day WHERE day >= ?", (since.isoformat(),)
        )
        state.db.execute("UPDATE day SET hash = '' WHERE day >= ?", (since.isoformat(),))


def forget_old(state: State, today: date) -> None:
    state.db.execute("DELETE FROM day WHERE day < ?", ((today - _KEPT).isoformat(),))


def span(first: date, last: date) -> list[date]:
    """Every day from ``first`` to ``last``, both included."""
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def last_days(ends: Iterable[date], count: int) -> list[date]:
    """The ``count`` days up to each of ``ends``, oldest first, none twice."""
    return sorted({day for end in ends for day in span(end - timedelta(days=count - 1), end)})
