"""What leaves the screen: files for the office, and a list for the wall."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from attsync_site.errors import answer
from dashboard import dates, factoryday, files, signin, typed_dates
from dashboard.factoryday import Calendar
from dashboard.place import Place
from dashboard.tables import Table, day_table, month_table
from dashboard.typed_dates import NotADate

FORMATS = {"xlsx": (files.as_xlsx, files.XLSX), "csv": (files.as_csv, files.CSV)}


@require_safe
@signin.page
def export(request: HttpRequest) -> HttpResponse:
    """The day or the month that the page shows, as a file."""
    wanted = FORMATS.get(request.GET.get("format", "xlsx"))
    if wanted is None:
        return answer(request, 400, "bad_format", _("Unknown format"), _("There are XLSX and CSV."))
    now = timezone.now()
    try:
        table = _table(request, factoryday.calendar(now), now)
    except NotADate as exc:
        return answer(request, 400, "incomplete", _("That did not work"), exc.sentence)
    if table is None:
        return _no_day(request)
    write, kind = wanted
    response = HttpResponse(write(table), content_type=kind)
    name = f"attendance-{table.name}.{request.GET.get('format', 'xlsx')}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@signin.page
def print_list(request: HttpRequest) -> HttpResponse:
    """The day on A4."""
    now = timezone.now()
    known = factoryday.calendar(now)
    typed = request.GET.get("date", "")
    try:
        day = typed_dates.day_from(typed) if typed else known.today
    except NotADate as exc:
        return answer(request, 400, "incomplete", _("That did not work"), exc.sentence)
    place = Place.read(request.GET, day)
    table = day_table(place, known, now)
    if table is None:
        return _no_day(request)
    context = {
        "table": table,
        "rows": [zip(table.head, row, strict=True) for row in table.rows],
        "long_day": dates.long_day(day),
        "back": place.url(),
        "printed": dates.time_of(now),
    }
    return render(request, "print.html", context)


def _table(request: HttpRequest, known: Calendar, now: datetime) -> Table | None:
    if month := request.GET.get("m", ""):
        return month_table(typed_dates.month_from(month), now, known)
    typed = request.GET.get("date", "")
    day = typed_dates.day_from(typed) if typed else known.today
    return day_table(Place.read(request.GET, day), known, now)


def _no_day(request: HttpRequest) -> HttpResponse:
    sentence = _("The factory has not sent anything for this day yet.")
    return answer(request, 404, "no_day", _("No data of this day"), sentence)
