"""Ports for ``--dry-run``: a run as ever, but nothing is written at the factory and nothing reaches the cloud."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime

from mirror.wire import ABSENT, Snapshot, is_clock
from onprem.ledger import APPLIED, SUPERSEDED
from onprem.ports import Cell, Cloud, Factory, Offer


class WatchedFactory:
    """Reads the real one. What that would refuse to overwrite is told from the day as it is."""

    def __init__(self, factory: Factory, *, now: datetime) -> None:
        self._factory, self._now = factory, now
        self._days: dict[date, Snapshot] = {}

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        return self._factory.snapshots(days, now=now)

    def look(self, cell: Cell) -> str | None:
        return self._factory.look(cell)

    def set_mark(self, cell: Cell, status: str) -> str:
        return SUPERSEDED if status != ABSENT and self._has_scan(cell) else APPLIED

    def _has_scan(self, cell: Cell) -> bool:
        if cell.day not in self._days:
            self._days[cell.day] = next(self._factory.snapshots([cell.day], now=self._now))
        workers = self._days[cell.day].workers
        return any(is_clock(worker.p.get(cell.period)) for worker in workers if worker.no == cell.employee_no)


class SilentCloud:
    """Asks the real one what waits, without version, run or clock: the call leaves no trace beyond last seen."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def clock(self) -> int | None:
        return self._cloud.clock()

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        return self._cloud.pending({}, after=after, limit=limit)

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        return frozenset()

    def ingest(self, body: bytes) -> int | None:
        return None
