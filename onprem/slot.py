"""The slot that a run is for. Whatever a job reads, writes or names a file after comes from here, never from now.

Our own commands ask `scheduled_for` and `is_catchup_replay`; programs get the same in their environment and in place
of ``{date}``, ``{scheduled_for}`` and ``{catchup}`` in their arguments.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime, time

from onprem.clocks import FACTORY_ZONE

SCHEDULED_FOR, CATCHUP, JOB = "ATTSYNC_SCHEDULED_FOR", "ATTSYNC_CATCHUP", "ATTSYNC_JOB"


@dataclass(frozen=True)
class Slot:
    """``at`` is aware, in the zone of the jobs. A replay may skip telling people about the day before yesterday."""

    job: str
    at: datetime
    is_replay: bool

    def day(self, day_starts: time) -> date:
        """Return the business date at the slot."""
        # A pass that finds nothing to run does without it, and that is nearly every one.
        from mirror.counting import business_date  # noqa: PLC0415

        return business_date(self.at.astimezone(FACTORY_ZONE).replace(tzinfo=None), day_starts)

    def marks(self) -> dict[str, str]:
        """What tells the processes of this slot's runs from all others."""
        return {SCHEDULED_FOR: self.at.isoformat(), JOB: self.job}

    def environment(self) -> dict[str, str]:
        return {**self.marks(), CATCHUP: str(int(self.is_replay))}

    def fill(self, words: Sequence[str], day_starts: time) -> list[str]:
        """Replace the placeholders anywhere in the words; other braces are the program's own."""
        values = {
            "{date}": self.day(day_starts).isoformat(),
            "{scheduled_for}": self.at.isoformat(),
            "{catchup}": str(int(self.is_replay)),
        }
        return [_replaced(word, values) for word in words]


_running: ContextVar[Slot | None] = ContextVar("the slot this run is for", default=None)


@contextmanager
def running(slot: Slot) -> Iterator[None]:
    """Make this the slot that the block's work is done for."""
    token = _running.set(slot)
    try:
        yield
    finally:
        _running.reset(token)


def scheduled_for() -> datetime | None:
    """Return the moment this run was due, in the zone of the jobs, or None if no job is being run."""
    slot = _running.get()
    return None if slot is None else slot.at


def is_catchup_replay() -> bool:
    """Tell whether this run makes up for a missed one."""
    slot = _running.get()
    return slot is not None and slot.is_replay


def from_option(text: str) -> Slot:
    """Return the slot named by ``--scheduled-for``, as whoever claimed it put it there. Raise ValueError."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text}: expected an offset, as in 2026-11-14T00:20:00+07:00")
    return Slot(os.environ.get(JOB, ""), at, is_replay=os.environ.get(CATCHUP) == "1")


def _replaced(word: str, values: Mapping[str, str]) -> str:
    for placeholder, value in values.items():
        word = word.replace(placeholder, value)
    return word
