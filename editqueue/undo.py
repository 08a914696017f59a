"""Taking a tap back: a new wish for what was wanted, or was so, before it. Nothing is ever deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.utils.translation import gettext_lazy as _

from editqueue import guards, reading, services
from editqueue.guards import Refusal, Wish
from editqueue.merge import EditState, Stamp, is_settled, shown
from editqueue.models import Edit, EditEvent
from mirror.transactions import one_transaction
from mirror.wire import ABSENT, MANUAL_MARKS, Worker

Cell = tuple[int, str]

WINDOW = timedelta(minutes=10)
_INTENTIONS = (EditEvent.Kind.ASKED, EditEvent.Kind.REQUEUED, EditEvent.Kind.REOFFERED)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def stamp_of(asked_at: datetime) -> int:
    """Return what names all wishes of one request: its moment, in microseconds."""
    return (asked_at - _EPOCH) // timedelta(microseconds=1)


@one_transaction
def undo(edit_id: int, *, rev: int, now: datetime, source: str) -> Edit:
    """Take one wish back and return the edit as it is then; the second time it is left so.

    Raise Refusal ``changed`` if somebody has asked for something newer, ``too_late`` after ten minutes, or what the
    guards say (a real scan meanwhile).
    """
    queue = services.lock_queue()
    edit = Edit.objects.filter(id=edit_id).first()
    if edit is not None and _is_undone(edit, rev, now):
        return edit
    if edit is None or edit.rev != rev:
        raise Refusal(409, "changed", _("Somebody has asked for something newer here; look again."))
    _take_back([edit], now=now, source=source)
    services.bump(queue, now)
    edit.refresh_from_db()
    return edit


def _is_undone(edit: Edit, rev: int, now: datetime) -> bool:
    """Whether the newest wish is what an undo of ``rev`` asks for: a button pressed twice has worked the first time."""
    cell = {"day": edit.day, "period": edit.period, "employee_no": edit.employee_no, "kind__in": _INTENTIONS}
    asked = list(EditEvent.objects.filter(**cell, rev__lte=edit.rev).order_by("-rev").values_list("rev", "status")[:3])
    if [told[0] for told in asked[:2]] != [edit.rev, rev]:
        return False
    before = asked[2][1] if len(asked) > 2 else _mark_at_factory(edit, now)
    return asked[0][1] == (ABSENT if before == asked[1][1] else before)


def _mark_at_factory(edit: Edit, now: datetime) -> str:
    stored = reading.stored_day(edit.day, now)
    cells = (
        worker.p.get(edit.period)
        for worker in (stored.snapshot.workers if stored else ())
        if worker.no == edit.employee_no
    )
    return next((cell for cell in cells if cell and cell in MANUAL_MARKS), ABSENT)


@one_transaction
def undo_all(day: date, stamp: int, *, now: datetime, source: str) -> int:
    """Take back every wish of one request that is still the newest of its cell. Return how many, 0 the second time."""
    queue = services.lock_queue()
    asked_at = _EPOCH + timedelta(microseconds=stamp)
    edits = list(Edit.objects.filter(day=day, created_at=asked_at))
    if not edits and EditEvent.objects.filter(day=day, at=asked_at, kind=EditEvent.Kind.ASKED).exists():
        return 0
    if not edits:
        raise Refusal(409, "changed", _("Somebody has asked for something newer here; look again."))
    taken = _take_back(edits, now=now, source=source)
    services.bump(queue, now)
    return taken


def _take_back(edits: Sequence[Edit], *, now: datetime, source: str) -> int:
    """Write the earlier wish of each cell. A single edit raises its refusal; of many, those refused are left out."""
    day = edits[0].day
    if now - edits[0].created_at > WINDOW:
        raise _too_late()
    stored = reading.stored_day(day, now)
    if stored is None:
        raise guards.no_day()
    cells = _Cells(
        latest={(state.period, state.employee_no): state for state in reading.edits_of(day)},
        workers={worker.no: worker for worker in stored.snapshot.workers},
        asked_before=_asked_before(edits),
        stamp=stored.stamp,
    )
    wishes = []
    for edit in edits:
        try:
            wishes.append(cells.earlier(edit))
        except Refusal:
            if len(edits) == 1:
                raise
    services.put_all(wishes, now=now, source=source)
    return len(wishes)


@dataclass(frozen=True)
class _Cells:
    """What is known of the cells of one day: newest edits, people, and what was wanted before, by period and number."""

    latest: Mapping[Cell, EditState]
    workers: Mapping[str, Worker]
    asked_before: Mapping[Cell, str]
    stamp: Stamp

    def earlier(self, edit: Edit) -> tuple[Wish, str, EditState]:
        """The history's newest earlier intention, else the mark the factory had from a person, else nothing."""
        worker, latest = self.workers.get(edit.employee_no), self.latest[edit.period, edit.employee_no]
        if worker is None:
            raise Refusal(404, "no_worker", _("This day has nobody with that number."))
        cell = worker.p.get(edit.period)
        status = self.asked_before.get((edit.period, edit.employee_no)) or self._at_factory_before(cell, latest)
        seen = shown(cell, latest, self.stamp).cell
        if seen != (None if status == ABSENT else status):
            guards.changeable(status, seen)
        return Wish(edit.day, edit.period, edit.employee_no, status), worker.name or "", latest

    def _at_factory_before(self, cell: str | None, latest: EditState) -> str:
        """Once the snapshot has the edit in it, the mark there is the one to be undone, and a cancelled one is gone."""
        mark = cell if cell in MANUAL_MARKS and cell else ABSENT
        if not is_settled(latest, self.stamp) or mark != latest.status:
            return mark
        if latest.status == ABSENT:
            raise _too_late()
        return ABSENT


def _too_late() -> Refusal:
    return Refusal(409, "too_late", _("This can be undone for ten minutes only; change it on the day's page."))


def _asked_before(edits: Sequence[Edit]) -> dict[Cell, str]:
    """Return the newest intention of each cell that is older than the one given."""
    revs = {(edit.period, edit.employee_no): edit.rev for edit in edits}
    events = EditEvent.objects.filter(day=edits[0].day, kind__in=_INTENTIONS).order_by("rev")
    if len(edits) == 1:
        events = events.filter(period=edits[0].period, employee_no=edits[0].employee_no)
    found = {}
    for period, no, rev, status in events.values_list("period", "employee_no", "rev", "status"):
        if rev < revs.get((period, no), 0):
            found[period, no] = status
    return found
