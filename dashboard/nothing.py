"""What to say instead of a page without figures: no data of the day, or an installation that is not complete yet."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from dashboard import dates
from dashboard.factoryday import Calendar
from dashboard.freshness import Line
from dashboard.place import Place


@dataclass(frozen=True)
class Nothing:
    icon: str
    title: str
    text: str
    url: str = ""
    link: str = ""


def nothing(place: Place, calendar: Calendar, line: Line, *, is_unreadable: bool) -> Nothing:
    """Say what is missing, and where something is."""
    if calendar.newest is None:
        return _first_run(line)
    if is_unreadable:
        return Nothing("nodata", _("The data of this day cannot be read"), _("It was stored by an older system."))
    url, link = "", ""
    if calendar.newest != place.day:
        url = Place(calendar.newest).url()
        link = _("See %(day)s") % {"day": dates.weekday_day_month(calendar.newest)}
    if place.day > calendar.last:
        return Nothing("wait", _("This day has not come yet"), _("Nobody counts as absent yet."), url, link)
    if place.day == calendar.today:
        text = _("The factory sends it as soon as the terminals begin. Nobody counts as absent yet.")
        return Nothing("nodata", _("No data of today yet"), text, url, link)
    text = _("The factory has sent nothing for this day. That does not mean that anybody was absent.")
    return Nothing("nodata", _("No data of this day"), text, url, link)


def _first_run(line: Line) -> Nothing:
    if not settings.ATTSYNC_KEYS:
        text = _("Set ATTSYNC_KEY here and at the factory (“manage.py new_key” makes one).")
        return Nothing("refused", _("The factory's key is not set yet"), text)
    if line.wrong_key_since_heard:
        text = _("Somebody called with a key that is not ours. Compare ATTSYNC_KEY on both sides.")
        return Nothing("refused", _("The factory calls with a wrong key"), text)
    if line.state == "never":
        text = _("The agent at the factory is not installed yet, or it cannot reach this address.")
        return Nothing("offline", _("The factory has never been heard"), text)
    text = _("The factory's agent calls, but it has not sent a day yet. That takes a minute or two.")
    return Nothing("nodata", _("Waiting for the first day"), text)
