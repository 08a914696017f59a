"""Ports for ``--dry-run``: a run as ever, but nothing is written at the factory and nothing reaches the cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from mirror.wire import Snapshot
from onprem.factory import LegacyFactory
from onprem.ports import Cell, Cloud, CloudTrouble, Offer


class WatchedFactory:
    """Reads the real one, and tells what that would do with a mark."""

    def __init__(self, factory: LegacyFactory) -> None:
        self._factory = factory

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        return self._factory.snapshots(days, now=now)

    def look(self, cell: Cell) -> str | None:
        return self._factory.look(cell)

    def has_ours(self, cell: Cell, status: str) -> bool:
        return self._factory.has_ours(cell, status)

    def set_mark(self, cell: Cell, status: str) -> str:
        return self._factory.would_set_mark(cell, status)


class SilentCloud:
    """Asks the real one what waits, without version, run or clock: the call leaves no trace beyond last seen."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._down: CloudTrouble | None = None

    def clock(self) -> int | None:
        return self._cloud.clock()

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        try:
            return self._cloud.pending({}, after=after, limit=limit)
        except CloudTrouble as exc:
            self._down = None if exc.of_one_call else exc
            raise

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        return frozenset()

    def ingest(self, body: bytes) -> int | None:
        """What keeps all calls away would keep this one away too."""
        if self._down is not None:
            raise CloudTrouble(str(self._down).replace("pending:", "ingest:", 1))
        return None
