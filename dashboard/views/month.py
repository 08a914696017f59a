"""The month's page."""

from __future__ import annotations

from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.views.decorators.http import require_safe

from dashboard import dates, factoryday, freshness, monthchart, signin, statuses, typed_dates
from dashboard.factoryday import Calendar
from dashboard.month import month as month_of
from dashboard.month import month_after, month_before, rows_of
from dashboard.summary import queue_count
from dashboard.typed_dates import NotADate


@require_safe
@signin.page
def month(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    known = factoryday.calendar(now)
    first, problem = asked_month(request, known)
    shown = month_of(first, known)
    figures = ("absent", "partial", "late")
    context = {
        "tab": "month",
        "count": queue_count(freshness.line(now)),
        "month": shown,
        "title": dates.month_year(first),
        **month_bar(request, first, problem, known),
        "weekdays": _weekdays(),
        "averages": [(statuses.DAY[figure], shown.average(figure)) for figure in figures],
        "columns": [statuses.DAY[status] for status in ("full", "partial", "absent", "late")],
        "chart": monthchart.chart(first, shown.rows, rows_of(month_before(first))),
    }
    return render(request, "month.html", context, status=400 if problem else 200)


def asked_month(request: HttpRequest, known: Calendar, day: date | None = None) -> tuple[date, str | Promise]:
    """Return the first of the month asked for, else of this day's or of this month, with the reason why."""
    typed = request.GET.get("m", "")
    this = (day or known.today).replace(day=1)
    try:
        return (typed_dates.month_from(typed) if typed else this), ""
    except NotADate as exc:
        return this, exc.sentence


def month_bar(request: HttpRequest, first: date, problem: str | Promise, known: Calendar) -> dict[str, object]:
    """What the bar needs that leads to other months: the ones beside ``first``, and what was typed if it was wrong."""
    before, after = month_before(first), month_after(first)
    return {
        "typed_month": dates.month_numbers(first),
        "date_typed": request.GET.get("m", "")[:40] if problem else "",
        "date_problem": problem,
        "before": before,
        "before_name": dates.month_year(before),
        "after": after if after <= known.last else None,
        "after_name": dates.month_year(after),
    }


def _weekdays() -> list[tuple[str, str]]:
    """Short and long names, Sunday first as Thai calendars have it."""
    words = dates.words()
    order = (6, 0, 1, 2, 3, 4, 5)
    return [(words.short_weekdays[index], words.weekdays[index]) for index in order]
