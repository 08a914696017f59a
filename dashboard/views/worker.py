"""One person's page. ``date`` in its address is the day that it was opened from, and leads back there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from attsync_site.errors import answer
from dashboard import dates, factoryday, freshness, signin, statuses
from dashboard.history import history
from dashboard.place import Place
from dashboard.summary import queue_count
from dashboard.views.month import asked_month, month_bar
from dashboard.worker import worker_month
from mirror.wire import MAX_NO_LENGTH, parse_day

FIGURES = ("full", "partial", "absent", "late")


@require_safe
@signin.page
def worker(request: HttpRequest, no: str) -> HttpResponse:
    now = timezone.now()
    known = factoryday.calendar(now)
    came_from = parse_day(request.GET.get("date"))
    first, problem = asked_month(request, known, came_from)
    entries = history(no, first, now, known.today) if len(no) <= MAX_NO_LENGTH else []
    shown = worker_month(no, first, known, now)
    if not shown.is_known and not entries and "m" not in request.GET:
        return answer(request, 404, "no_worker", _("Nobody has this number"), _("This month has nobody with it."))
    context = {
        "tab": "day",
        "back": Place(came_from).url() if came_from else reverse("day"),
        "came_from": came_from,
        "count": queue_count(freshness.line(now)),
        "worker": shown,
        "history": entries,
        "figures": [(statuses.SHORT[name], getattr(shown.counts, name)) for name in FIGURES],
        "short_title": dates.short_month_year(first),
        **month_bar(request, first, problem, known),
    }
    return render(request, "worker.html", context, status=400 if problem else 200)
