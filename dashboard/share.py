"""The day in one message for a chat: figures and a link, no names."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dashboard import dates, statuses
from dashboard.place import Place
from dashboard.summary import Summary

LINE = "https://line.me/R/share"


@dataclass(frozen=True)
class Share:
    text: str
    url: str

    @property
    def line_url(self) -> str:
        """For browsers that cannot share by themselves."""
        return f"{LINE}?{urlencode({'text': f'{self.text} {self.url}'})}"


def share(request: HttpRequest, place: Place, summary: Summary, *, is_open: bool, data_time: str) -> Share:
    figures = [(status, getattr(summary.totals, status)) for status in ("full", "partial", "absent", "late")]
    said = [f"{statuses.day_label(status, is_open=is_open)} {count}" for status, count in figures]
    title = _("Attendance %(day)s, data of %(time)s") % {"day": dates.short_day(place.day), "time": data_time}
    if place.dept:
        title += " · " + _("Department %(name)s") % {"name": place.dept}
    link = request.build_absolute_uri(Place(place.day, dept=place.dept).url())
    return Share("\n".join([title, " · ".join(said)]), link)
