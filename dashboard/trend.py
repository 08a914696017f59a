"""The last fourteen days as bars: a server-made SVG with a sentence that says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dashboard import dates
from dashboard.month import ALARMING
from mirror.models import DaySnapshot

DAYS = 14
WIDTH, HEIGHT, BASE = 280, 80, 79.0
_STEP = WIDTH / DAYS
_BAR = 13.0
_TALLEST = 64.8
_COLUMNS = ("day", "absent", "active_total", "holiday")


@dataclass(frozen=True)
class Bar:
    """One day; without a height it is a dot: no data, or nobody was expected."""

    x: float
    y: float
    height: float
    kind: str


@dataclass(frozen=True)
class Trend:
    bars: Sequence[Bar]
    average_y: float | None
    sentence: str
    label: str
    first: str
    last: str


def trend(day: date, absent_now: int, *, is_open: bool, today: date) -> Trend:
    """Draw the days up to ``day``; its own figure is the merged one, the others are columns."""
    first = day - timedelta(days=DAYS - 1)
    rows = DaySnapshot.objects.filter(day__gte=first, day__lte=day).values_list(*_COLUMNS)
    expected = {when: people for when, _count, people, holiday in rows if people and not holiday}
    absent = {when: count for when, count, people, holiday in rows if people and not holiday}
    if day in expected:
        absent[day] = absent_now
    before = [count for when, count in absent.items() if when != day]
    average = sum(before) / len(before) if before else None
    days = [first + timedelta(days=index) for index in range(DAYS)]
    peak = max(absent.values(), default=0)
    return Trend(
        bars=[
            _bar(index, absent.get(when), peak, expected.get(when, 0), now=when == day and is_open)
            for index, when in enumerate(days)
        ],
        average_y=round(BASE - average / peak * _TALLEST, 1) if average is not None and peak else None,
        sentence=_sentence(absent_now, average, is_open=is_open)
        if day in expected
        else _("Nobody is expected on this day."),
        label=_label(first, day, absent),
        first=dates.day_month(first),
        last=_("today") if day == today else dates.day_month(day),
    )


def _bar(index: int, absent: int | None, peak: int, expected: int, *, now: bool) -> Bar:
    """Red is for a day that the calendar paints red as well."""
    x = index * _STEP + (_STEP - _BAR) / 2
    if absent is None:
        return Bar(index * _STEP + _STEP / 2, BASE - 5, 0, "none")
    height = round(max(absent / peak * _TALLEST, 1) if peak else 1, 1)
    kind = "now" if now else "many" if absent > ALARMING * expected else ""
    return Bar(round(x, 1), round(BASE - height, 1), height, kind)


def _sentence(absent: int, average: float | None, *, is_open: bool) -> str:
    usual = round(average) if average is not None else None
    if is_open:
        text = ngettext("%(n)s person not come yet", "%(n)s people not come yet", absent) % {"n": absent}
        text += _(", and the day is not over.")
        return text if usual is None else text + " " + _("Before, %(n)s were absent on average.") % {"n": usual}
    text = ngettext("%(n)s person absent", "%(n)s people absent", absent) % {"n": absent}
    return text if usual is None else f"{text} {_compared(absent, usual)}"


def _compared(absent: int, usual: int) -> str:
    if absent > usual:
        return _("more than the average of these days (%(n)s)") % {"n": usual}
    if absent < usual:
        return _("fewer than the average of these days (%(n)s)") % {"n": usual}
    return _("as many as the average of these days")


def _label(first: date, day: date, absent: Mapping[date, int]) -> str:
    worst = max(absent, key=lambda when: absent[when], default=day)
    return _("Bar chart of people absent per day, %(first)s to %(last)s; most: %(n)s on %(worst)s") % {
        "first": dates.day_month(first),
        "last": dates.day_month(day),
        "n": absent.get(worst, 0),
        "worst": dates.day_month(worst),
    }
