"""What a run of the agent needs from its two neighbours, and the ways they fail.

`onprem.agent` is written against these; tests hand it fakes of ten lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from mirror.wire import Snapshot


class Cell(NamedTuple):
    """The smallest thing a person can edit."""

    day: date
    period: int
    employee_no: str


class FactoryTrouble(Exception):
    """The factory's own trouble, never a row's fault. ``code`` is the heartbeat's word for it."""

    code = "factory_down"


class FactoryDown(FactoryTrouble):
    """The database cannot be reached, or went away."""


class ViewMissing(FactoryTrouble):
    """A relation or a column of it is not there; the text names it."""

    code = "view_missing"


class BadWindows(FactoryTrouble):
    """Two windows of one shift share a moment; the text names them."""

    code = "bad_windows"


class Refused(Exception):
    """This edit cannot be set: ``code`` is a nack word of the wire contract; ``final`` ends the attempts."""

    def __init__(self, code: str, text: str, *, final: bool) -> None:
        super().__init__(text)
        self.code, self.final = code, final


class Factory(Protocol):
    """The factory's database. Every method may raise FactoryTrouble."""

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        """Yield each day as it is, counted, without ``gen``; ``now`` is naive factory wall time.

        One range query per relation for all days together. Lazy: reading begins when the first one is asked for.
        """

    def look(self, cell: Cell) -> str | None:
        """Return the manual mark stored for the cell ("present", "late", another system's word) or None.

        Raise Refused (final) for an unknown employee or period.
        """

    def has_ours(self, cell: Cell, status: str) -> bool:
        """Tell whether the cell is as an agent sets it: so marked in our name, or not at all for "absent".

        False for an unknown employee or period.
        """

    def set_mark(self, cell: Cell, status: str) -> str:
        """Make the stored mark be ``status`` ("absent" deletes it) in one transaction and read it back.

        Return "applied", or "superseded" if a real scan inside the window was there first (present/late only:
        nothing written). Raise Refused("write_failed") when the row cannot be written or reads back different.
        """


class CloudTrouble(Exception):
    """No trustworthy answer: the line, a wrong key, a block page. Nothing was lost, the next run tries again.

    ``now``: the clock of whoever did answer (unix seconds), None if nobody did or said. ``of_one_call``: somebody did,
    and nothing says that all other calls will fare the same.
    """

    now: int | None = None
    of_one_call: bool = False


class ContentRefused(Exception):
    """The cloud has read what was sent and does not take it: sending the same again will not help."""

    now: int | None = None


class Suspicious(ContentRefused):
    """The day lost more than half of its workers; only a person's ``--force`` sends it through."""


class Stale(Exception):
    """The cloud already has a newer state of the day. ``gen`` is what it has."""

    def __init__(self, gen: int) -> None:
        super().__init__(f"the cloud already has generation {gen}")
        self.gen = gen


class Offer(NamedTuple):
    """One page of waiting edits as they came, not validated. ``next`` None: the last page of the cycle.

    ``now`` is the cloud's clock (unix seconds), ``gen`` the highest generation it knows; None where it did not say.
    """

    edits: Sequence[object]
    next: str | None = None
    now: int | None = None
    gen: int | None = None


class Cloud(Protocol):
    """The cloud's routes. Every method but `clock` may raise CloudTrouble or ContentRefused."""

    def clock(self) -> int | None:
        """Ask for nothing but the time: the cloud's clock (unix seconds), None if it does not tell."""

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        """Fetch a page of edits and be heard; hold the line up to ``wait`` seconds while there is none."""

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        """Report what was done. Returning means that the cloud has judged every entry.

        Return the ids of those for whose cell somebody has asked for something newer meanwhile.
        """

    def ingest(self, body: bytes) -> int | None:
        """Store one day; return the generation it was stored with. May also raise Stale or Suspicious."""
