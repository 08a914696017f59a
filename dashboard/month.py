"""A month at a glance: a calendar of absences, averages, and the share of absent people against the month before.

Read from columns only; no day is ever parsed for this.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import dates, statuses
from dashboard.factoryday import Calendar
from dashboard.place import Place
from editqueue.models import Edit
from mirror.models import DaySnapshot

# Shares of absent people from which a day is not usual any more, and from which it is worth a look.
NOTABLE, ALARMING = 0.03, 0.08
_COLUMNS = ("day", "full", "partial", "absent", "waiting", "late", "off", "active_total", "holiday", "is_open")


@dataclass(frozen=True)
class DayRow:
    """The stored figures of one day."""

    day: date
    full: int
    partial: int
    absent: int
    waiting: int
    late: int
    off: int
    active_total: int
    holiday: str
    is_open: bool

    @property
    def is_work(self) -> bool:
        """Somebody was expected, and it is no holiday."""
        return bool(self.active_total) and not self.holiday

    @property
    def is_finished(self) -> bool:
        return self.is_work and not self.is_open

    @property
    def share(self) -> float:
        return self.absent / self.active_total if self.active_total else 0.0

    @property
    def label(self) -> str:
        return dates.weekday_number(self.day)

    @property
    def url(self) -> str:
        return Place(self.day).url()


@dataclass(frozen=True)
class Cell:
    """One field of the calendar; ``kind`` is its class, ``spoken`` what the number means."""

    kind: str
    number: int = 0
    figure: str = ""
    url: str = ""
    spoken: str = ""
    word: str = ""
    is_today: bool = False
    waiting: int = 0


@dataclass(frozen=True)
class Month:
    first: date
    rows: Sequence[DayRow]
    weeks: Sequence[Sequence[Cell]]
    holidays: str
    has_days_off: bool

    @property
    def finished(self) -> list[DayRow]:
        """Newest first."""
        return [row for row in reversed(self.rows) if row.is_finished]

    def average(self, figure: str) -> str:
        """Per finished day, with one decimal."""
        values = [getattr(row, figure) for row in self.finished]
        return f"{sum(values) / len(values):.1f}" if values else "–"


def rows_of(first: date) -> list[DayRow]:
    return [DayRow(*row) for row in DaySnapshot.objects.for_month(first).values_list(*_COLUMNS)]


def month(first: date, known: Calendar) -> Month:
    """Put the month together that begins on ``first``."""
    rows = rows_of(first)
    by_day = {row.day: row for row in rows}
    waiting = _waiting(first)
    weeks = calendar.Calendar(firstweekday=calendar.SUNDAY).monthdatescalendar(first.year, first.month)
    cells = [[_cell(day, first, by_day.get(day), known, waiting) for day in week] for week in weeks]
    named = [f"{dates.day_month(row.day)} {row.holiday}" for row in rows if row.holiday]
    return Month(first, rows, cells, " · ".join(named), any(cell.kind == "off" for week in cells for cell in week))


def month_after(first: date) -> date:
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def month_before(first: date) -> date:
    return (first - timedelta(days=1)).replace(day=1)


def _waiting(first: date) -> Mapping[date, int]:
    """How many edits wait, by day: the figures of those days are about to change."""
    edits = Edit.objects.waiting().filter(day__gte=first, day__lt=month_after(first))
    return dict(edits.order_by().values_list("day").annotate(Count("id")))


def _cell(day: date, first: date, row: DayRow | None, known: Calendar, waiting: Mapping[date, int]) -> Cell:
    if day.month != first.month:
        return Cell("pad")
    is_today = day == known.today
    if row and row.is_work:
        return _work(row, waiting.get(day, 0), is_today=is_today)
    if row:
        word = _("holiday") if row.holiday else _("off")
        spoken = f"{dates.weekday(day)} {row.holiday or statuses.DAY['off'].label}"
        return Cell("off", day.day, url=row.url, spoken=spoken, word=word, is_today=is_today)
    if day > known.last:
        return Cell("future", day.day)
    spoken = f"{dates.weekday(day)} {statuses.DAY['nodata'].label}"
    return Cell("nodata", day.day, "–", Place(day).url(), spoken, is_today=is_today)


def _work(row: DayRow, waiting: int, *, is_today: bool) -> Cell:
    if row.is_open:
        text = ngettext("not over, %(n)s not come yet", "not over, %(n)s not come yet", row.absent)
    else:
        text = ngettext("%(n)s person absent", "%(n)s people absent", row.absent)
    spoken = f"{dates.weekday(row.day)} {text % {'n': row.absent}}"
    if waiting:
        spoken += ", " + _("waiting to sync %(n)s") % {"n": waiting}
    kind = "l3" if row.share > ALARMING else "l2" if row.share > NOTABLE else "l1"
    if row.is_open:
        # Nobody is absent on a day that is not over: no red, however many have not come yet.
        kind = "l2"
    return Cell(kind, row.day.day, str(row.absent), row.url, spoken, is_today=is_today, waiting=waiting)
