"""The top of the day page: which day, the days beside it, the filters that are on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from django.utils.translation import gettext as _

from dashboard import dates, statuses
from dashboard.factoryday import Calendar
from dashboard.place import Place


@dataclass(frozen=True)
class Chip:
    """A filter that is on, with the link that takes it away."""

    text: str
    url: str


@dataclass(frozen=True)
class Head:
    place: Place
    calendar: Calendar
    is_open: bool

    @property
    def is_today(self) -> bool:
        return self.place.day == self.calendar.today

    @property
    def short_day(self) -> str:
        return dates.short_day(self.place.day)

    @property
    def long_day(self) -> str:
        return dates.long_day(self.place.day)

    @property
    def typed_day(self) -> str:
        return dates.numbers(self.place.day)

    @property
    def month(self) -> str:
        return f"{self.place.day:%Y-%m}"

    @property
    def before(self) -> str:
        return dates.short_day(self.place.day - timedelta(days=1))

    @property
    def before_url(self) -> str:
        return self.place.on(self.place.day - timedelta(days=1)).url()

    @property
    def after(self) -> str:
        return dates.short_day(self.place.day + timedelta(days=1))

    @property
    def after_url(self) -> str:
        """Empty on the last day worth looking at."""
        return self.place.on(self.place.day + timedelta(days=1)).url() if self.place.day < self.calendar.last else ""

    @property
    def here_url(self) -> str:
        return self.place.url()

    @property
    def everybody_url(self) -> str:
        return replace(self.place.on(self.place.day), query="", show="").url()

    @property
    def chips(self) -> list[Chip]:
        return list(self._chips())

    def _chips(self) -> Iterator[Chip]:
        place = self.place.on(self.place.day)
        if place.query:
            yield Chip(f"“{place.query}”", replace(place, query="").url())
        if place.dept:
            yield Chip(_("Department %(name)s") % {"name": place.dept}, replace(place, dept="").url())
        if place.show:
            label = str(statuses.day_label(place.show, is_open=self.is_open))
            yield Chip(label, replace(place, show="").url())
