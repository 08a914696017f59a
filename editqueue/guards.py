"""May this be asked? The checks of a tap, in their order, on the server, always: hiding a button is no guard."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from mirror.wire import ABSENT, MANUAL_MARKS, MAX_NO_LENGTH, WISHES, Snapshot, Worker, is_clock, parse_day

_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


class Refusal(Exception):
    """A tap that cannot become a wish: machine word, HTTP status and a sentence a supervisor understands."""

    def __init__(self, status: int, code: str, sentence: str | Promise) -> None:
        super().__init__(code)
        self.status, self.code, self.sentence = status, code, sentence


@dataclass(frozen=True)
class Wish:
    """What a tap asks for. ``employee_no`` exactly as sent: repairing it would hit another person."""

    day: date
    period: int
    employee_no: str
    status: str


def wish(said: Mapping[str, Any]) -> Wish:
    """Read the four fields of a tap, from a form or JSON. Raise Refusal ``incomplete``."""
    day, period = parse_day(said.get("date")), _period(said.get("period"))
    employee_no, status = said.get("employee_no"), said.get("status")
    if day is None:
        raise _incomplete(_("The date is missing or is not a real day."))
    if period is None:
        raise _incomplete(_("The period is missing or is not a number."))
    if (
        not isinstance(employee_no, str)
        or not employee_no
        or len(employee_no) > MAX_NO_LENGTH
        or not _storable(employee_no)
    ):
        raise _incomplete(_("The employee number is missing or is not one."))
    if not isinstance(status, str) or status not in WISHES:
        raise _incomplete(_("What to set is missing: present, late or cancel."))
    return Wish(day, period, employee_no, status)


def known_cell(asked: Wish, snapshot: Snapshot | None) -> Worker:
    """Return the worker whose cell is meant. Raise Refusal ``no_day``, ``no_period`` or ``no_worker``."""
    if snapshot is None:
        raise no_day()
    if all(period.code != asked.period for period in snapshot.periods):
        raise Refusal(400, "no_period", _("This day has no such period."))
    for worker in snapshot.workers:
        if worker.no == asked.employee_no:
            return worker
    raise Refusal(404, "no_worker", _("This day has nobody with that number."))


def inside_edit_window(day: date, *, newest: date, today: date) -> None:
    """Raise Refusal ``closed`` for a day too old to edit, or later than both the newest snapshot and today."""
    limit = settings.ATTSYNC_EDIT_DAYS
    if limit and day < today - timedelta(days=limit):
        raise Refusal(409, "closed", _("This day is too long ago to be changed from here."))
    if day > newest and day > today:
        raise Refusal(409, "closed", _("This day has not begun yet."))


def changeable(status: str, cell: str | None) -> None:
    """Raise Refusal if the merged cell cannot take the wish: real scans are never touched from the cloud."""
    if status == ABSENT and cell not in MANUAL_MARKS:
        raise Refusal(409, "not_manual", _("Only a mark set by hand can be cancelled; real scans stay."))
    if status != ABSENT and is_clock(cell):
        raise Refusal(409, "scanned", _("Scanned at %(time)s already, nothing to set.") % {"time": cell})


def no_day() -> Refusal:
    return Refusal(404, "no_day", _("The factory has not sent anything for this day yet."))


def _incomplete(sentence: str | Promise) -> Refusal:
    return Refusal(400, "incomplete", sentence)


def _period(said: object) -> int | None:
    if isinstance(said, int) and not isinstance(said, bool):
        return said
    return int(said) if isinstance(said, str) and _WHOLE_NUMBER.fullmatch(said) else None


def _storable(text: str) -> bool:
    """NUL and lone surrogates cannot be stored; no roster holds such a number anyway."""
    return "\0" not in text and text.encode("utf-8", "ignore").decode() == text
