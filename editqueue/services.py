"""Everything that happens to an edit: asked, applied, refused, sent again, discarded. The only writer of the queue.

Every function is one transaction that takes the queue's row first, so taps, acks and an operator's actions come one
after another; every closing is one conditional UPDATE, judged by its row count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.db.models import F

from editqueue import guards, reading
from editqueue.guards import Wish
from editqueue.merge import EditState, MergedDay, merge, shown
from editqueue.models import Edit, EditEvent, Outcome, QueueVersion
from mirror import factorytime
from mirror.models import DaySnapshot
from mirror.transactions import one_transaction

FULL_NAME_LENGTH = 120
# Rows of one statement: well below the largest packet, and the variables SQLite takes.
BATCH = 500
_CELL = ["day", "period", "employee_no"]
_OPEN_AGAIN: dict[str, Any] = {
    "applied_at": None,
    "applied_gen": None,
    "outcome": "",
    "attempts": 0,
    "held_at": None,
    "error_code": "",
    "error": "",
}


@dataclass(frozen=True)
class Marked:
    """The day after a tap. ``changed`` False: the newest edit was already waiting for the same (a double tap)."""

    merged: MergedDay
    changed: bool


@one_transaction
def mark(asked: Wish, *, now: datetime, source: str) -> Marked:
    """Queue one wish, replacing any older one of the same cell. Raise guards.Refusal and then change nothing."""
    queue = lock_queue()
    edits = reading.edits_of(asked.day)
    stored = reading.stored_day(asked.day, now)
    worker = guards.known_cell(asked, stored.snapshot if stored else None)
    assert stored is not None  # known_cell refuses a day that is not there
    demand_editable(asked.day, now)
    latest = _edit_of(asked, edits)
    changed = not (latest and latest.is_waiting and latest.status == asked.status)
    if changed:
        guards.changeable(asked.status, shown(worker.p.get(asked.period), latest, stored.stamp).cell)
        put(asked, worker.name or "", latest=latest, now=now, source=source)
        bump(queue, now)
        edits = reading.edits_of(asked.day)
    return Marked(merge(stored.snapshot, edits, stored.stamp), changed)


def demand_editable(day: date, now: datetime) -> None:
    """Raise guards.Refusal ``closed`` for a day outside the edit window, by the calendar of the newest snapshot."""
    newest = DaySnapshot.objects.newest()
    if newest is not None:
        guards.inside_edit_window(day, newest=newest.day, today=factorytime.today(now, newest.day_starts))


def put(asked: Wish, name: str, *, latest: EditState | None, now: datetime, source: str) -> None:
    """Write the wish as the cell's newest intention. The caller holds the queue's lock and has asked the guards."""
    put_all([(asked, name, latest)], now=now, source=source)


def put_all(wishes: Sequence[tuple[Wish, str, EditState | None]], *, now: datetime, source: str) -> None:
    """Write many wishes, each with the person's name and the cell's newest edit so far, in a few statements."""
    edits = [_edit(asked, name, latest, now) for asked, name, latest in wishes]
    # MariaDB finds the conflict by whichever key it is; SQLite wants to be told.
    named = connection.features.supports_update_conflicts_with_target
    Edit.objects.bulk_create(
        edits,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=_CELL if named else None,
        update_fields=["status", "full_name", "rev", "created_at", *_OPEN_AGAIN],
    )
    events = [event(edit, EditEvent.Kind.ASKED, now=now, source=source) for edit in edits]
    EditEvent.objects.bulk_create(events, batch_size=BATCH)


def _edit(asked: Wish, name: str, latest: EditState | None, now: datetime) -> Edit:
    return Edit(
        day=asked.day,
        period=asked.period,
        employee_no=asked.employee_no,
        full_name=name[:FULL_NAME_LENGTH],
        status=asked.status,
        rev=max(_milliseconds(now), latest.rev + 1 if latest else 0),
        created_at=now,
        **_OPEN_AGAIN,
    )


def acknowledge(edit_id: int, *, rev: int | None, status: str, outcome: str, gen: int | None, now: datetime) -> bool:
    """Close the edit, unless the person has asked for something newer since the agent read it.

    Return False if nothing was closed: the row stays as it is. A held row may be closed: the ack is the factory's
    later word. The caller's transaction holds the queue's lock and writes the history.
    """
    seen = Edit.objects.open().filter(id=edit_id, status=status)
    if rev is not None:
        seen = seen.filter(rev=rev)
    return seen.update(applied_at=now, applied_gen=gen, outcome=outcome, held_at=None, error_code="", error="") == 1


def offer_overwritten(edit_id: int, *, rev: int, status: str, gen: int, now: datetime) -> Edit | None:
    """Offer the newest wish again if an older one was set at the factory after it: two agents, one with old news.

    The generations of the two acks tell which was set later, so a copy of an old ack changes nothing. Return the edit
    as it is offered now, or None if there was no such harm. The caller as above.
    """
    newer = Edit.objects.filter(id=edit_id, rev__gt=rev, applied_gen__lt=gen).exclude(applied_at=None)
    # To the agent with the newer wish the older one's mark may have looked like a correction made at the factory.
    edit = newer.filter(outcome__in=[Outcome.APPLIED, Outcome.SUPERSEDED]).exclude(status=status).first()
    if edit is not None:
        _offer_again(edit, now)
    return edit


def refuse(edit_id: int, *, rev: int | None, status: str, code: str, text: str, held_at: datetime | None) -> bool:
    """Count a failed attempt, and with ``held_at`` hold the row for a person.

    Return False if the row was not waiting for this intention. The caller as above.
    """
    seen = Edit.objects.waiting().filter(id=edit_id, status=status)
    if rev is not None:
        seen = seen.filter(rev=rev)
    return seen.update(attempts=F("attempts") + 1, error_code=code[:32], error=text[:255], held_at=held_at) == 1


@one_transaction
def requeue(edit_id: int, *, now: datetime, source: str) -> bool:
    """Offer a held or waiting edit again as a new intention. Return False if it is closed or gone."""
    queue = lock_queue()
    edit = Edit.objects.open().filter(id=edit_id).first()
    if edit is None:
        return False
    _offer_again(edit, now)
    event(edit, EditEvent.Kind.REQUEUED, now=now, source=source).save()
    bump(queue, now)
    return True


@one_transaction
def discard(edit_id: int, *, now: datetime, source: str) -> bool:
    """Close an open edit without setting anything at the factory. Return False if it is closed or gone."""
    queue = lock_queue()
    if Edit.objects.open().filter(id=edit_id).update(applied_at=now, outcome=Outcome.DISCARDED, held_at=None) != 1:
        return False
    event(Edit.objects.get(id=edit_id), EditEvent.Kind.DISCARDED, now=now, source=source).save()
    bump(queue, now)
    return True


def event(edit: Edit, kind: str, *, now: datetime, source: str, **more: Any) -> EditEvent:
    """Return a line of the history about the edit's present intention, not saved yet."""
    return EditEvent(
        at=now,
        day=edit.day,
        period=edit.period,
        employee_no=edit.employee_no,
        kind=kind,
        status=edit.status,
        rev=edit.rev,
        source=source[:120],
        **more,
    )


def lock_queue() -> QueueVersion:
    """Return the queue's row, locked until the transaction ends."""
    return QueueVersion.objects.select_for_update().get_or_create(id=QueueVersion.ONLY)[0]


def bump(queue: QueueVersion, now: datetime) -> None:
    """Tell waiting polls and open pages that something changed. Never repeats, also after a database restore."""
    queue.version = max(_milliseconds(now), queue.version + 1)
    queue.save(update_fields=["version"])


def _offer_again(edit: Edit, now: datetime) -> None:
    edit.rev = max(_milliseconds(now), edit.rev + 1)
    Edit.objects.filter(id=edit.id).update(rev=edit.rev, created_at=now, **_OPEN_AGAIN)


def _edit_of(asked: Wish, edits: list[EditState]) -> EditState | None:
    cell = (asked.period, asked.employee_no)
    return next((edit for edit in edits if (edit.period, edit.employee_no) == cell), None)


def _milliseconds(now: datetime) -> int:
    return int(now.timestamp() * 1000)
