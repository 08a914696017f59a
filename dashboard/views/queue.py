"""The queue's page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard import banners, factoryday, freshness, queuepage, signin, statuses, toasts
from dashboard.summary import queue_count


@require_safe
@signin.page
def queue(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    line, known = freshness.line(now), factoryday.calendar(now)
    count = queue_count(line)
    fresh = freshness.of_day(None, line, known.today)
    context = {
        "tab": "queue",
        "count": count,
        "fresh": fresh,
        "banners": [banner for banner in banners.of_line(fresh, count) if not banner.url],
        "queue": queuepage.queue(line, known.today, count),
        "toast": toasts.after(request.GET.get("done", ""), now),
        "toast_place": "queue",
        "stuck_look": statuses.EDIT["refused"],
        "waiting_look": statuses.EDIT["pending"],
        "done_look": statuses.DAY["full"],
    }
    return render(request, "queue.html", context)
