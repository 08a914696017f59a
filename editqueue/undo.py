"""Taking a tap back: a new wish for what was wanted, or was so, before it. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from django.utils.translation import gettext_lazy as _

from editqueue import guards, reading, services
from editqueue.guards import Refusal, Wish
from editqueue.merge import EditState, Stamp, shown
from editqueue.models import Edit, EditEvent
from mirror.transactions import one_transaction
from mirror.wire import ABSENT, MANUAL_MARKS, Worker

WINDOW = timedelta(minutes=10)
_INTENTIONS = (EditEvent.Kind.ASKED, EditEvent.Kind.REQUEUED)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp_of(asked_at: datetime) -> int:
    """Return what names all wishes of one request: its moment, in microseconds."""
    return (asked_at - _EPOCH) // timedelta(microseconds=1)


@one_transaction
def undo(edit_id: int, *, rev: int, now: datetime, source: str) -> Edit:
    """Take one wish back and return the edit as it is then.

    Raise Refusal ``changed`` if somebody has asked for something newer, ``too_late`` after ten minutes, or what the
    guards say (a real scan meanwhile).
    """
    queue = services.lock_queue()
    edit = Edit.objects.filter(id=edit_id).first()
    if edit is None or edit.rev != rev:
        raise Refusal(409, "changed", _("Somebody has asked for something newer here; look again."))
    _take_back([edit], now=now, source=source)
    services.bump(queue, now)
    edit.refresh_from_db()
    return edit


@one_transaction
def undo_all(day: date, stamp: int, *, now: datetime, source: str) -> int:
    """Take back every wish of one request that is still the newest of its cell. Return how many."""
    queue = services.lock_queue()
    asked_at = _EPOCH + timedelta(microseconds=stamp)
    edits = list(Edit.objects.filter(day=day, created_at=asked_at))
    if not edits:
        raise Refusal(409, "changed", _("Somebody has asked for something newer here; look again."))
    taken = _take_back(edits, now=now, source=source)
    services.bump(queue, now)
    return taken


def _take_back(edits: Sequence[Edit], *, now: datetime, source: str) -> int:
    """Write the earlier wish of each cell. A single edit raises its refusal; of many, those refused are left out."""
    day = edits[0].day
    if now - edits[0].created_at > WINDOW:
        raise Refusal(409, "too_late", _("This can be undone for ten minutes only; change it on the day's page."))
    stored = reading.stored_day(day, now)
    if stored is None:
        raise guards.no_day()
    states = {(state.period, state.employee_no): state for state in reading.edits_of(day)}
    workers = {worker.no: worker for worker in stored.snapshot.workers}
    taken = 0
    for edit in edits:
        latest = states[edit.period, edit.employee_no]
        try:
            wish, name = _earlier(edit, workers.get(edit.employee_no), latest, stored.stamp)
        except Refusal:
            if len(edits) == 1:
                raise
            continue
        services.put(wish, name, latest=latest, now=now, source=source)
        taken += 1
    return taken


def _earlier(edit: Edit, worker: Worker | None, latest: EditState, stamp: Stamp) -> tuple[Wish, str]:
    """The history's newest earlier intention, else the mark the factory has from a person, else nothing."""
    if worker is None:
        raise Refusal(404, "no_worker", _("This day has nobody with that number."))
    cell = worker.p.get(edit.period)
    status = _asked_before(edit) or (cell if cell in MANUAL_MARKS and cell else ABSENT)
    if shown(cell, latest, stamp).cell != (None if status == ABSENT else status):
        guards.changeable(status, shown(cell, latest, stamp).cell)
    return Wish(edit.day, edit.period, edit.employee_no, status), worker.name or ""


def _asked_before(edit: Edit) -> str | None:
    events = EditEvent.objects.filter(
        day=edit.day, period=edit.period, employee_no=edit.employee_no, kind__in=_INTENTIONS, rev__lt=edit.rev
    )
    return events.order_by("-rev").values_list("status", flat=True).first()
