"""The day's page, and the day as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from dashboard import dates, daypage, factoryday, signin, statuses, toasts, typed_dates, version
from dashboard.daypage import DayPage
from dashboard.place import Place
from dashboard.share import Share, share
from dashboard.typed_dates import NotADate
from dashboard.views.signin import form
from editqueue import reading
from mirror.answers import json_error
from mirror.wire import parse_day


@require_safe
@gzip_page
def day(request: HttpRequest) -> HttpResponse:
    """The page for those signed in, the sign-in form for the others."""
    if not signin.is_signed_in(request):
        return form(request)
    now = timezone.now()
    typed = request.GET.get("date", "")
    try:
        asked = typed_dates.day_from(typed) if typed else factoryday.calendar(now).today
    except NotADate as exc:
        return _not_a_date(request, typed, exc.sentence, now)
    if typed and asked.isoformat() != typed:
        return signin.kept_nowhere(HttpResponseRedirect(_with_date(request.GET, asked)))
    place = Place.read(request.GET, asked)
    tag = version.of_page(place, now)
    if unchanged := get_conditional_response(request, etag=tag.etag):
        return tag.sign(unchanged)
    return tag.sign(page(request, place, now, done=request.GET.get("done", ""), etag=tag.etag))


def page(
    request: HttpRequest,
    place: Place,
    now: datetime,
    *,
    status: int = 200,
    done: str = "",
    wrong: Mapping[str, str] | None = None,
    **more: object,
) -> HttpResponse:
    """Render the day. ``done`` names what was just done, ``wrong`` says beside a person why a tap was refused.

    ``more`` goes to the template.
    """
    built = daypage.build(place, now, wrong=wrong)
    context = {
        "tab": "day",
        "page": built,
        "count": built.count,
        "month": built.head.month,
        "day": place.day.isoformat(),
        "late_look": statuses.DAY["late"],
        "off_look": statuses.DAY["off"],
        "off_url": place.showing("off").url(),
        "toast": toasts.after(done, now, built.period_names),
        "toast_place": place.encoded(),
        "age_words": dates.age_words(),
        "clock_words": dates.clock_words(),
        "share": _share(request, built),
        **more,
    }
    return signin.kept_nowhere(render(request, "day.html", context, status=status))


def _share(request: HttpRequest, built: DayPage) -> Share | None:
    figures = built.figures
    if figures is None:
        return None
    return share(request, built.place, figures.summary, is_open=figures.is_open, data_time=built.fresh.data_time)


@signin.json_route
def api(request: HttpRequest) -> HttpResponse:
    """The merged day as JSON. Unchanged since the ETag sent along: 304, and nothing was read but two numbers."""
    now = timezone.now()
    typed = request.GET.get("date", "")
    asked = parse_day(typed) if typed else factoryday.calendar(now).today
    if asked is None:
        return json_error(400, "incomplete", _("The date is missing or is not a real day."))
    etag = version.of_data(asked, now)
    if unchanged := get_conditional_response(request, etag=etag):
        return unchanged
    found = reading.day_json(asked, now)
    if found is None:
        return json_error(404, "no_day", _("The factory has not sent anything for this day yet."))
    response = HttpResponse(merged_json(*found), content_type="application/json; charset=utf-8")
    if etag:
        response["ETag"] = etag
    return response


def merged_json(data: bytes, pending: int, held: int) -> bytes:
    """Wrap a day that is JSON already: decoding it to encode it again would cost more than everything else."""
    return b'{"ok":true,"data":%b,"pending":%d,"held":%d}' % (data, pending, held)


def _with_date(said: QueryDict, day: date) -> str:
    """URLs stay ISO and Gregorian, whatever was typed."""
    fields = said.copy()
    fields["date"] = day.isoformat()
    return f"?{fields.urlencode()}"


def _not_a_date(request: HttpRequest, typed: str, sentence: str | Promise, now: datetime) -> HttpResponse:
    """Today's page, with the field still open and the reason under it."""
    place = Place.read(request.GET, factoryday.calendar(now).today)
    return page(request, place, now, status=400, date_typed=typed[:40], date_problem=sentence)
