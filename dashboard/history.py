"""What happened to a person's corrections, newest first: who asked for what, and what the factory answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _

from dashboard import dates, people, statuses, words
from dashboard.month import month_after
from editqueue.models import EditEvent

MOST = 100
_Kind = EditEvent.Kind
_LOOKS = {
    _Kind.ASKED: ("wait", "manual"),
    _Kind.APPLIED: ("full", "saved"),
    _Kind.SUPERSEDED: ("wait", "scan"),
    _Kind.FAILED: ("late", "late"),
    _Kind.HELD: ("absent", "refused"),
    _Kind.REQUEUED: ("wait", "pending"),
    _Kind.REOFFERED: ("wait", "pending"),
    _Kind.DISCARDED: ("wait", "absent"),
}


@dataclass(frozen=True)
class Entry:
    """``by_person``: somebody asked for it; otherwise the factory answered."""

    tone: str
    icon: str
    where: str
    text: str
    when: str
    source: str
    by_person: bool


def history(employee_no: str, first: date, now: datetime, today: date) -> list[Entry]:
    """Return the entries about the days of one month."""
    events = list(EditEvent.objects.filter(employee_no=employee_no, day__gte=first, day__lt=month_after(first))[:MOST])
    names = people.period_names((event.day for event in events), now)
    return [_entry(event, names.get((event.day, event.period)), today) for event in events]


def _entry(event: EditEvent, period: str | None, today: date) -> Entry:
    tone, icon = _LOOKS[_Kind(event.kind)]
    by_person = event.kind in (_Kind.ASKED, _Kind.REQUEUED, _Kind.DISCARDED)
    name = period or _("Period %(code)s") % {"code": event.period}
    return Entry(
        tone=tone,
        icon=icon,
        where=f"{name} {dates.weekday_day_month(event.day)} → {statuses.WISH[event.status].label}",
        text="" if event.kind == _Kind.ASKED else _answer(event),
        when=dates.moment(event.at, today),
        source=event.source.partition(" ")[0] if by_person else "",
        by_person=by_person,
    )


def _answer(event: EditEvent) -> str:
    label = str(_Kind(event.kind).label)
    if event.kind in (_Kind.FAILED, _Kind.HELD):
        return f"{label}: {words.refusal(event.code, event.text)}"
    return label
