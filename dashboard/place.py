"""Where on the day page somebody is: the day, the filters, and what lies open. All of it stands in the URL.

So a form can come back to the same place, a link can be shared, and a refresh changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import quote, urlencode

from django.http import QueryDict
from django.urls import reverse

SHOWN = ("full", "partial", "absent", "late", "wait", "off")
MAX_QUERY = 80
_CARD = re.compile(r"g[0-9]{1,3}")
_CARD_AND_NUMBER = re.compile(r"(g[0-9]{1,3})\.([0-9]{1,5})")
_PERIOD = re.compile(r"[0-9]{1,3}")
_ANCHOR = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Place:
    """``rows``, ``hand`` and ``came`` say how many rows of a card's lists are asked for, by card id."""

    day: date
    query: str = ""
    dept: str = ""
    show: str = ""
    open: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    hand: Mapping[str, int] = field(default_factory=dict)
    came: Mapping[str, int] = field(default_factory=dict)
    period: int | None = None

    @classmethod
    def read(cls, said: QueryDict, day: date) -> Place:
        """Read what the URL says. What makes no sense is left out."""
        period = said.get("period", "")
        show = said.get("show", "")
        return cls(
            day=day,
            query=_text(said.get("q", "")),
            dept=_text(said.get("g", "")),
            show=show if show in SHOWN else "",
            open=tuple(card for card in said.getlist("open") if _CARD.fullmatch(card)),
            rows=_numbers(said.getlist("rows")),
            hand=_numbers(said.getlist("hand")),
            came=_numbers(said.getlist("came")),
            period=int(period) if _PERIOD.fullmatch(period) else None,
        )

    @property
    def picks_people(self) -> bool:
        """Whether only some people are listed."""
        return bool(self.query or self.show)

    def encoded(self) -> str:
        """Return the query string, the same for the same place."""
        said = [("date", self.day.isoformat()), ("q", self.query), ("g", self.dept), ("show", self.show)]
        said += [("open", card) for card in self.open]
        said += [("rows", f"{card}.{number}") for card, number in self.rows.items()]
        said += [("hand", f"{card}.{number}") for card, number in self.hand.items()]
        said += [("came", f"{card}.{number}") for card, number in self.came.items()]
        said += [("period", str(self.period) if self.period is not None else "")]
        return urlencode([(name, value) for name, value in said if value])

    def url(self, anchor: str = "", **more: str) -> str:
        extra = "&" + urlencode(more) if more else ""
        return f"{reverse('day')}?{self.encoded()}{extra}" + (f"#{quote(anchor)}" if anchor else "")

    def on(self, day: date) -> Place:
        """The same filters on another day; what lay open there is another matter."""
        return Place(day=day, query=self.query, dept=self.dept, show=self.show)

    def showing(self, show: str) -> Place:
        """One filter on, or off if it already is."""
        return replace(self.on(self.day), show="" if show == self.show else show)

    def with_card(self, card: str) -> Place:
        return replace(self, open=self.open if card in self.open else (*self.open, card))

    def with_rows(self, card: str, number: int) -> Place:
        return replace(self.with_card(card), rows={**self.rows, card: number})

    def with_hand(self, card: str, number: int) -> Place:
        return replace(self.with_card(card), hand={**self.hand, card: number})

    def with_came(self, card: str, number: int) -> Place:
        return replace(self.with_card(card), came={**self.came, card: number})

    def with_period(self, card: str, period: int | None) -> Place:
        return replace(self.with_card(card), period=period)


def anchor(card: str, employee_no: str) -> str:
    """Return the id of a person's row; any number is allowed, but not any id."""
    if _ANCHOR.fullmatch(employee_no):
        return f"{card}-{employee_no}"
    return f"{card}-.{employee_no.encode().hex()}"


def _text(said: str) -> str:
    return " ".join(said.replace("\0", "").split())[:MAX_QUERY]


def _numbers(said: list[str]) -> dict[str, int]:
    found = (_CARD_AND_NUMBER.fullmatch(text) for text in said)
    return {match[1]: int(match[2]) for match in found if match}
