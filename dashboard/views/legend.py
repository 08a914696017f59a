"""What the colours and words mean, and how to keep the page at hand."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from dashboard import freshness, signin, statuses
from dashboard.summary import queue_count

_LEGEND = {
    "person": [statuses.DAY[name] for name in ("full", "partial", "absent", "late", "wait")],
    "edit": [statuses.EDIT[name] for name in ("pending", "saved", "scanned", "changed", "refused", "stuck", "manual")],
    "not_absent": [
        *(statuses.DAY[name] for name in ("holiday", "off", "nodata")),
        *(statuses.PERIOD[name] for name in ("wait", "settling")),
        statuses.EDIT["pending"],
    ],
    "line": [statuses.LINE[name] for name in ("ok", "slow", "offline")],
}


@require_safe
@signin.page
def help_page(request: HttpRequest) -> HttpResponse:
    context = {"tab": "help", "count": queue_count(freshness.line(timezone.now())), "legend": _LEGEND}
    return render(request, "help.html", context)
