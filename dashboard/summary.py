"""The figures on top: one that leads, three exceptions, and what the queue holds. All are links that filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from dashboard import statuses
from dashboard.freshness import Line
from dashboard.place import Place
from dashboard.statuses import Look
from editqueue.models import Edit
from mirror.counting import Totals

GAP = 0.005


@dataclass(frozen=True)
class Tile:
    status: str
    look: Look
    label: str | Promise
    value: int
    url: str
    is_on: bool


@dataclass(frozen=True)
class Segment:
    """A stretch of the share bar, in people."""

    tone: str
    start: float
    width: float


@dataclass(frozen=True)
class Summary:
    lead: Tile
    others: Sequence[Tile]
    totals: Totals
    share: Sequence[Segment]
    aside: str

    @property
    def share_width(self) -> int:
        return max(1, self.totals.active_total)


@dataclass(frozen=True)
class QueueCount:
    """The whole queue: what waits, what the factory refused, and what of both needs a person."""

    waiting: int
    held: int
    stuck: int

    @property
    def open(self) -> int:
        return self.waiting + self.held


def summary(totals: Totals, place: Place, *, is_open: bool) -> Summary:
    lead, *others = (_tile(status, totals, place, is_open=is_open) for status in ("full", "partial", "absent", "late"))
    return Summary(lead, others, totals, _share(totals), _aside(totals))


def queue_count(line: Line) -> QueueCount:
    """Count the open edits of all days."""
    late = Q(held_at=None, created_at__lt=line.stuck_before)
    found = Edit.objects.open().aggregate(
        waiting=Count("id", filter=Q(held_at=None)), held=Count("held_at"), late=Count("id", filter=late)
    )
    return QueueCount(found["waiting"], found["held"], found["held"] + (found["late"] if line.is_heard else 0))


def _tile(status: str, totals: Totals, place: Place, *, is_open: bool) -> Tile:
    return Tile(
        status=status,
        look=statuses.DAY[status],
        label=statuses.day_label(status, is_open=is_open),
        value=getattr(totals, status),
        url=place.showing(status).url(),
        is_on=place.show == status,
    )


def _aside(totals: Totals) -> str:
    """``จาก 302 คน · รอผล 9 · หยุด 4``"""
    parts = [_("of %(n)s people") % {"n": totals.active_total}]
    if totals.wait:
        parts.append(_("no result yet %(n)s") % {"n": totals.wait})
    if totals.off:
        parts.append(_("off %(n)s") % {"n": totals.off})
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _share(totals: Totals) -> list[Segment]:
    """Full, partly and absent side by side; the rest of the bar has no result yet."""
    segments: list[Segment] = []
    start = 0.0
    gap = totals.active_total * GAP
    for status in ("full", "partial", "absent"):
        people = getattr(totals, status)
        if people:
            indent = gap if segments else 0.0
            segments.append(Segment(status, round(start + indent, 2), round(max(gap, people - indent), 2)))
        start += people
    return segments
