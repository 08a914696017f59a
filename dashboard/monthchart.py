"""The share of absent people per day as a line, with the month before as a paler one; made on the server."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from dashboard import dates
from dashboard.month import DayRow

WIDTH, HEIGHT = 320.0, 96.0
_LEFT, _TOP, _BASE = 4.0, 13.0, 95.5


@dataclass(frozen=True)
class MonthChart:
    """Paths in the chart's own units; ``last`` is the newest point, ``marks`` the days on the axis."""

    line: str
    before: str
    last: tuple[float, float]
    sentence: str
    label: str
    names: tuple[str, str]
    marks: Sequence[int]


def chart(first: date, rows: Sequence[DayRow], before: Sequence[DayRow]) -> MonthChart | None:
    """Return the chart, or None while no day of the month has ended."""
    ours = [row for row in rows if row.is_finished]
    theirs = [row for row in before if row.is_finished]
    if not ours:
        return None
    most = max(row.share for row in [*ours, *theirs]) or 1.0
    worst = max(ours, key=lambda row: row.share)
    return MonthChart(
        line=_path(ours, most),
        before=_path(theirs, most),
        last=_point(ours[-1], most),
        sentence=_sentence(ours, theirs, worst),
        label=_("Line chart of the share of people absent per day in %(month)s") % {"month": dates.month_year(first)},
        marks=(1, 8, 15, 22, calendar.monthrange(first.year, first.month)[1]),
        names=(dates.short_month(first), dates.short_month(before[0].day) if before else ""),
    )


def percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def _sentence(ours: Sequence[DayRow], theirs: Sequence[DayRow], worst: DayRow) -> str:
    text = _("%(share)s of those expected were absent; most on %(day)s with %(most)s.") % {
        "share": percent(_share(ours)),
        "day": dates.weekday_number(worst.day),
        "most": percent(worst.share),
    }
    if not theirs:
        return text
    return text + " " + _("In %(month)s it was %(share)s.") % _before(theirs)


def _before(theirs: Sequence[DayRow]) -> dict[str, str]:
    return {"month": dates.words().months[theirs[0].day.month - 1], "share": percent(_share(theirs))}


def _share(rows: Sequence[DayRow]) -> float:
    expected = sum(row.active_total for row in rows)
    return sum(row.absent for row in rows) / expected if expected else 0.0


def _point(row: DayRow, most: float) -> tuple[float, float]:
    last = calendar.monthrange(row.day.year, row.day.month)[1]
    x = _LEFT + (row.day.day - 1) * (WIDTH - 2 * _LEFT) / (last - 1)
    return round(x, 1), round(_BASE - row.share / most * (_BASE - _TOP), 1)


def _path(rows: Sequence[DayRow], most: float) -> str:
    points = [_point(row, most) for row in rows]
    return "M" + "L".join(f"{x} {y}" for x, y in points) if points else ""
