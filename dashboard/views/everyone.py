"""A whole group at once: first the names, then one form."""

from __future__ import annotations

import re

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from attsync_site.errors import answer
from dashboard import dates, daypage, factoryday, freshness, search, signin, statuses
from dashboard.cards import period_name
from dashboard.collation import thai_key
from dashboard.dayhead import Head
from dashboard.daypage import card_of
from dashboard.place import Place
from dashboard.summary import queue_count
from editqueue import group
from mirror.wire import parse_day

_CODES = re.compile(r"[0-9]{1,3}(?:-[0-9]{1,3})*")


@require_safe
@signin.page
def everyone(request: HttpRequest) -> HttpResponse:
    """Name everybody who would be marked; nothing is changed yet."""
    now = timezone.now()
    day, said = parse_day(request.GET.get("date", "")), request.GET.get("group", "")
    loaded = daypage.load(day, now) if day and _CODES.fullmatch(said) else None
    codes = tuple(map(int, said.split("-"))) if loaded else ()
    if loaded is None or day is None or loaded.merged is None or codes not in loaded.merged.rules.groups:
        return answer(request, 404, "no_period", _("Page not found"), _("This day has no such period."))
    merged, place = loaded.merged, Place.read(request.GET, day)
    names = {period.code: period_name(period) for period in merged.snapshot.periods}
    listed = {person.worker.no for person in search.listed(place)(loaded.people(place.dept))}
    missing = (worker for worker, _code in group.missing(merged, codes) if worker.no in listed)
    people = sorted(missing, key=lambda who: thai_key(who.name or ""))
    card = card_of(merged, codes[0])
    context = {
        "tab": "day",
        "count": queue_count(freshness.line(now)),
        "people": people,
        "numbers": msgspec.json.encode([worker.no for worker in people]).decode(),
        "group": said,
        "group_name": " · ".join(names[code] for code in codes),
        "day": day,
        "day_name": dates.weekday_day_month(day),
        "filters": [chip.text for chip in Head(place, factoryday.calendar(now), is_open=merged.rules.is_open).chips],
        "back": place.with_card(card).url(card),
        "can_edit": factoryday.calendar(now).can_edit(day),
        "wishes": [(status, statuses.WISH[status]) for status in ("present", "late")],
        "mark_url": reverse("mark"),
        "place": place.encoded(),
    }
    return render(request, "everyone.html", context)
