"""What just happened, and the way back. Read from the queue, so that a reload still says the truth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import people, statuses
from editqueue.models import Edit, Outcome
from editqueue.undo import WINDOW, stamp_of
from mirror.wire import parse_day

_ONE = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")
_ALL = re.compile(r"([0-9-]{10})\.([0-9]{1,17})")
_UNDONE = "undone."


@dataclass(frozen=True)
class Toast:
    """``undo_name`` and ``undo_value`` make the undo button; empty where there is nothing to take back."""

    text: str
    name: str = ""
    undo_name: str = ""
    undo_value: str = ""


def name_of(edit: Edit) -> str:
    """Return what ``done=`` says after one tap."""
    return f"{edit.id}.{edit.rev}"


def name_of_all(day: date, asked_at: datetime) -> str:
    """Return what ``done=`` says after a whole group."""
    return f"{day.isoformat()}.{stamp_of(asked_at)}"


def after(done: str, now: datetime, periods: Mapping[int, str] | None = None) -> Toast | None:
    """Return the message for what was done, or None if that is long ago or something newer came.

    ``periods`` names the periods of the day shown; without one they are looked up.
    """
    undone = done.startswith(_UNDONE)
    done = done.removeprefix(_UNDONE)
    if match := _ONE.fullmatch(done):
        return _one((int(match[1]), int(match[2])), now, periods, undone=undone)
    if match := _ALL.fullmatch(done):
        return _all(parse_day(match[1]), done, now, undone=undone)
    return None


def _one(
    id_and_rev: tuple[int, int], now: datetime, periods: Mapping[int, str] | None, *, undone: bool
) -> Toast | None:
    edit_id, rev = id_and_rev
    edit = Edit.objects.filter(id=edit_id, rev=rev, created_at__gt=now - WINDOW).first()
    if edit is None:
        return None
    if periods is None:
        periods = {code: name or "" for (_day, code), name in people.period_names([edit.day], now).items()}
    where = periods.get(edit.period) or _("Period %(code)s") % {"code": edit.period}
    said = f"{where} = {statuses.WISH[edit.status].label}{_reached([edit])}"
    name = edit.full_name or edit.employee_no
    if undone:
        return Toast(_("taken back") + f" · {said}", name)
    return Toast(said, name, "undo", f"{edit.id}.{edit.rev}")


def _reached(edits: Sequence[Edit]) -> str:
    """How far they have come: whatever still waits, else what became of all of them, else nothing."""
    reached = {_answer(edit) for edit in edits}
    if "pending" in reached:
        return f" · {statuses.EDIT['pending'].label}"
    return f" · {statuses.EDIT[reached.pop()].label}" if len(reached) == 1 and "" not in reached else ""


def _answer(edit: Edit) -> str:
    if edit.applied_at is None:
        return "refused" if edit.held_at else "pending"
    return {Outcome.APPLIED: "saved", Outcome.SUPERSEDED: "scanned"}.get(Outcome(edit.outcome), "")


def _all(day: date | None, done: str, now: datetime, *, undone: bool) -> Toast | None:
    if day is None:
        return None
    stamp = int(done.rpartition(".")[2])
    recent = Edit.objects.filter(day=day, created_at__gt=now - WINDOW)
    edits = [edit for edit in recent if stamp_of(edit.created_at) == stamp]
    if not edits:
        return None
    n = len(edits)
    if undone:
        return Toast(ngettext("%(n)s correction taken back", "%(n)s corrections taken back", n) % {"n": n})
    text = ngettext("%(n)s person marked", "%(n)s people marked", n) % {"n": n}
    return Toast(text + _reached(edits), "", "undo_all", done)
