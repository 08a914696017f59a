"""The merged day from the database. Edits first, then the snapshot, always.

Snapshot first could show a value that neither the old nor the new state had: the edit settles in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from editqueue.merge import EditState, MergedDay, Stamp, merge
from editqueue.models import Edit, QueueVersion
from mirror import reading
from mirror.models import DaySnapshot
from mirror.wire import BadPayload, Snapshot, encode

_COLUMNS = EditState._fields


@dataclass(frozen=True)
class Versions:
    """What a conditional GET compares: two small numbers and the moments that a page prints.

    ``is_judged_by_clock``: an old agent sent the day, so its periods move on by our clock alone.
    """

    queue: int
    gen: int
    stored_at: datetime | None
    captured_at: datetime | None
    is_judged_by_clock: bool = False


def edits_of(day: date) -> list[EditState]:
    """Return the newest edit of each cell of the day that has one."""
    rows = Edit.objects.filter(day=day).values_list(*_COLUMNS)
    return [EditState(*row) for row in rows]


class StoredDay(NamedTuple):
    """A row and what its text says."""

    row: DaySnapshot
    snapshot: Snapshot
    stamp: Stamp


def stored_day(day: date, now: datetime) -> StoredDay | None:
    """Return the day as the factory sent it, or None if it never did (or nothing readable)."""
    row = DaySnapshot.objects.filter(day=day).first()
    return _typed(row, now) if row else None


def merged_day(day: date, now: datetime) -> MergedDay | None:
    """Return the day as people should see it, or None if the factory never sent it (or nothing readable)."""
    edits = edits_of(day)
    stored = stored_day(day, now)
    return merge(stored.snapshot, edits, stored.stamp) if stored else None


def day_json(day: date, now: datetime) -> tuple[bytes, int, int] | None:
    """Return the merged day as JSON with the numbers of waiting and held edits, or None without a snapshot.

    With nothing laid over it the stored text already is the answer: no parsing, no encoding.
    """
    edits = edits_of(day)
    row = DaySnapshot.objects.filter(day=day).first()
    if row is None:
        return None
    stamp = Stamp(row.gen, row.stored_at)
    if row.rules and not any(_lies_over(edit, stamp) for edit in edits):
        return row.payload.encode(), 0, 0
    stored = _typed(row, now)
    if stored is None:
        return None
    merged = merge(stored.snapshot, edits, stamp)
    return encode(merged.snapshot), merged.waiting, merged.held


def versions(day: date) -> Versions:
    """Return what tells whether anything about the day has changed; gen 0 if there is no snapshot."""
    queue = QueueVersion.objects.filter(id=QueueVersion.ONLY).values_list("version", flat=True).first()
    row = DaySnapshot.objects.filter(day=day).values_list("gen", "stored_at", "captured_at", "rules").first()
    if row is None:
        return Versions(queue or 0, 0, None, None)
    gen, stored_at, captured_at, rules = row
    return Versions(queue or 0, gen, stored_at, captured_at, is_judged_by_clock=not rules)


def _typed(row: DaySnapshot, now: datetime) -> StoredDay | None:
    try:
        return StoredDay(row, reading.snapshot_of(row, now), Stamp(row.gen, row.stored_at))
    except BadPayload:
        return None


def _lies_over(edit: EditState, stamp: Stamp) -> bool:
    if edit.applied_at is None:
        return True
    return edit.outcome == "applied" and (edit.applied_gen is None or edit.applied_gen > stamp.gen)
