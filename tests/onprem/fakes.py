"""A factory and a cloud of a few lines each, that remember what was done to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from mirror.wire import ABSENT, Period, Snapshot, Worker, decode_snapshot
from onprem.journal import Journal
from onprem.ports import Cell, CloudTrouble, Offer, Refused, Stale
from onprem.run import Run
from onprem.state import State

DAY = date(2026, 7, 28)
# 2026-07-28 12:00 at the factory.
NOON = 1785214800.0


@dataclass
class FakeFactory:
    """Two workers and one period. ``scans`` are real ones, ``foreign`` marks are not an agent's; ``down`` is raised."""

    marks: dict[Cell, str] = field(default_factory=dict)
    scans: dict[Cell, str] = field(default_factory=dict)
    people: tuple[str, ...] = ("0012", "777")
    state: str = "open"
    open_days: frozenset[date] = frozenset()
    down: Exception | None = None
    unwritable: set[Cell] = field(default_factory=set)
    foreign: set[Cell] = field(default_factory=set)
    writes: list[tuple[Cell, str]] = field(default_factory=list)
    captured: list[date] = field(default_factory=list)

    def snapshots(self, days: Sequence[date], *, now: datetime) -> Iterator[Snapshot]:
        for day in days:
            self._must_be_up()
            self.captured.append(day)
            state = "open" if day in self.open_days or day == now.date() else "end"
            workers = [Worker(no=no, p={1: self._cell(Cell(day, 1, no))}) for no in self.people]
            periods, read_at = [Period(code=1, state=state)], now.isoformat()
            yield Snapshot(date=day.isoformat(), periods=periods, workers=workers, rules=1, captured_at=read_at)

    def look(self, cell: Cell) -> str | None:
        self._must_be_up()
        if cell.employee_no not in self.people:
            raise Refused("unknown_employee", f"nobody has the number {cell.employee_no}", final=True)
        return self.marks.get(cell)

    def has_ours(self, cell: Cell, status: str) -> bool:
        self._must_be_up()
        return cell not in self.foreign and self.marks.get(cell) == (None if status == ABSENT else status)

    def set_mark(self, cell: Cell, status: str) -> str:
        self._must_be_up()
        if cell in self.unwritable:
            raise Refused("write_failed", "the row cannot be written", final=False)
        if status != ABSENT and cell in self.scans:
            return "superseded"
        self.writes.append((cell, status))
        if status == ABSENT:
            self.marks.pop(cell, None)
        else:
            self.marks[cell] = status
        return "applied"

    def _cell(self, cell: Cell) -> str | None:
        return self.scans.get(cell) or self.marks.get(cell)

    def _must_be_up(self) -> None:
        if self.down is not None:
            raise self.down


@dataclass
class FakeCloud:
    """Keeps days by generation and closes edits by their revision. ``lines`` break before or after the deed."""

    edits: list[dict[str, Any]] = field(default_factory=list)
    days: dict[str, Snapshot] = field(default_factory=dict)
    acks: list[Mapping[str, Any]] = field(default_factory=list)
    nacks: list[Mapping[str, Any]] = field(default_factory=list)
    beats: list[Mapping[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    now: int | None = int(NOON)
    gen: int | None = None
    page: int = 200
    before: dict[str, Exception] = field(default_factory=dict)
    after: dict[str, Exception] = field(default_factory=dict)

    def clock(self) -> int | None:
        return self.now

    def pending(self, beat: Mapping[str, str | int], *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        self._may_break("pending", self.before)
        self.beats.append(dict(beat))
        start = int(after or 0)
        page = self.edits[start : start + min(limit, self.page)]
        following = start + len(page)
        self._may_break("pending", self.after)
        return Offer(page, str(following) if following < len(self.edits) else None, now=self.now, gen=self.gen)

    def applied(self, acks: Sequence[Mapping[str, object]], nacks: Sequence[Mapping[str, object]]) -> frozenset[int]:
        self._may_break("applied", self.before)
        self.acks += acks
        self.nacks += nacks
        self._may_break("applied", self.after)
        return frozenset()

    def close_answered(self) -> None:
        """Between two cycles: what was acked or finally refused is offered no more."""
        closed = {(one["id"], one["rev"]) for one in [*self.acks, *(nack for nack in self.nacks if nack["final"])]}
        self.edits = [edit for edit in self.edits if (edit.get("id"), edit.get("rev")) not in closed]

    def ingest(self, body: bytes) -> int | None:
        self._may_break("ingest", self.before)
        self.bodies.append(body)
        snapshot = decode_snapshot(body)
        stored, gen = self.days.get(snapshot.date), snapshot.gen or 0
        if stored is not None and gen < (stored.gen or 0):
            raise Stale(stored.gen or 0)
        self.days[snapshot.date] = snapshot
        self._may_break("ingest", self.after)
        return gen

    def _may_break(self, route: str, lines: dict[str, Exception]) -> None:
        if route in lines:
            raise lines[route]


CUT = CloudTrouble("connection lost before the whole answer came")


def edit(no: str = "0012", status: str = "late", *, rev: int = 5, id: int = 7, **fields: object) -> dict[str, Any]:  # noqa: A002
    return {"id": id, "rev": rev, "d": "2026-07-28", "period": 1, "employee_no": no, "status": status, **fields}


def cell(no: str = "0012", day: date = DAY) -> Cell:
    return Cell(day, 1, no)


@dataclass
class Stage:
    """Everything a run needs, and what it wrote into its log. ``run()`` is a new process with the same memory."""

    state: State
    factory: FakeFactory = field(default_factory=FakeFactory)
    cloud: FakeCloud = field(default_factory=FakeCloud)
    now: float = NOON
    log: list[str] = field(default_factory=list)
    verbosity: int = 1

    def run(self) -> Run:
        self.state.news = []
        journal = Journal(self.log.append, verbosity=self.verbosity)
        return Run(self.factory, self.cloud, self.state, journal, clock=lambda: self.now)

    def lines(self) -> list[str]:
        """The log without its stamps."""
        return [line.split("] ", 1)[1] for line in self.log]
