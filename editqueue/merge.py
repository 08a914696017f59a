"""The merged view: what the factory said, with what people asked for laid over it.

One pure function for page, api, guards and export. No timer and no comparison of values ends an overlay: only the
generation does. The stored snapshot is never modified, and a real scan always wins over any wish.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import msgspec

from mirror import counting
from mirror.counting import DayRules, Totals, Verdict
from mirror.wire import ABSENT, Snapshot, Worker, is_clock

PENDING, SAVED, REFUSED, SCANNED, CHANGED = "pending", "saved", "refused", "scanned", "changed"


class EditState(NamedTuple):
    """The newest edit of one cell, as merging sees it."""

    id: int
    period: int
    employee_no: str
    status: str
    rev: int
    created_at: datetime
    applied_at: datetime | None
    applied_gen: int | None
    held_at: datetime | None
    outcome: str
    error_code: str
    error: str

    @property
    def is_waiting(self) -> bool:
        return self.applied_at is None and self.held_at is None

    @property
    def is_held(self) -> bool:
        return self.applied_at is None and self.held_at is not None


class Stamp(NamedTuple):
    """What orders a stored snapshot against acks: its generation, and when the cloud stored it (v0 acks)."""

    gen: int
    stored_at: datetime


class Shown(NamedTuple):
    """What a cell shows, and why: None for a plain cell, else one of the flags above.

    ``scanned``: a real scan was there before the wish. ``changed``: somebody corrected the cell at the factory.
    """

    cell: str | None
    flag: str | None


class Flag(NamedTuple):
    kind: str
    edit: EditState


@dataclass
class MergedDay:
    """One day with the queue merged in. ``verdicts`` runs parallel to ``snapshot.workers``."""

    snapshot: Snapshot
    rules: DayRules
    verdicts: list[Verdict]
    totals: Totals
    stamp: Stamp
    flags: dict[tuple[int, str], Flag] = field(default_factory=dict)
    waiting: int = 0
    held: int = 0


def shown(cell: str | None, edit: EditState | None, stamp: Stamp) -> Shown:
    """Return what one cell shows, given the snapshot's value and the newest edit of the cell."""
    if edit is None:
        return Shown(cell, None)
    if edit.is_held:
        return Shown(cell, REFUSED)
    if edit.is_waiting:
        return Shown(_wish_over(cell, edit), PENDING)
    if edit.outcome == "superseded":
        return Shown(cell, SCANNED if is_clock(cell) else CHANGED)
    if edit.outcome == "applied" and not _contains(stamp, edit):
        return Shown(_wish_over(cell, edit), SAVED)
    return Shown(cell, None)


def is_settled(edit: EditState, stamp: Stamp) -> bool:
    """Whether the snapshot was made after the edit was set at the factory: what it says includes that."""
    return edit.outcome == "applied" and edit.applied_at is not None and _contains(stamp, edit)


def merge(snapshot: Snapshot, edits: Iterable[EditState], stamp: Stamp) -> MergedDay:
    """Lay the edits over a day whose groups and states are filled in. The snapshot given is left as it is."""
    by_person: dict[str, list[EditState]] = {}
    waiting = held = 0
    for edit in edits:
        by_person.setdefault(edit.employee_no, []).append(edit)
        waiting += edit.is_waiting
        held += edit.is_held
    flags: dict[tuple[int, str], Flag] = {}
    workers = [_overlaid(worker, by_person.get(worker.no), stamp, flags) for worker in snapshot.workers]
    rules = counting.rules_of(snapshot)
    verdicts = counting.verdicts(rules, workers)
    totals = counting.total(verdicts)
    merged = msgspec.structs.replace(
        snapshot,
        workers=workers,
        active_total=totals.active_total,
        stat=counting.stat_of(totals),
        pending=waiting,
    )
    return MergedDay(merged, rules, verdicts, totals, stamp, flags, waiting, held)


def _overlaid(
    worker: Worker, edits: list[EditState] | None, stamp: Stamp, flags: dict[tuple[int, str], Flag]
) -> Worker:
    if not edits:
        return worker
    cells = dict(worker.p)
    pending, saved, refused = {}, {}, {}
    for edit in edits:
        if edit.period not in cells:
            continue
        cells[edit.period], kind = shown(cells[edit.period], edit, stamp)
        if kind is not None:
            flags[edit.period, worker.no] = Flag(kind, edit)
        if kind == PENDING:
            pending[edit.period] = 1
        elif kind == SAVED:
            saved[edit.period] = 1
        elif kind == REFUSED:
            refused[edit.period] = edit.error_code or edit.error or REFUSED
    mark = {"pending": 1} if pending else {}
    return msgspec.structs.replace(worker, p=cells, pd=pending, sv=saved, er=refused, **mark)


def _wish_over(cell: str | None, edit: EditState) -> str | None:
    if is_clock(cell):
        return cell
    return None if edit.status == ABSENT else edit.status


def _contains(stamp: Stamp, edit: EditState) -> bool:
    """Tell whether the snapshot was captured after the write: the factory stamps both from one counter.

    A v0 ack brings no generation; then the snapshot must have been stored after the ack.
    """
    if edit.applied_gen is not None:
        return stamp.gen >= edit.applied_gen
    return edit.applied_at is not None and stamp.stored_at > edit.applied_at
