"""The cards of one day, one per group, in the order of the day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode
from msgspec import UNSET

from dashboard import search, statuses
from dashboard.cards import Card, PeriodLine, fill, group_state, period_name, print_rows, span
from dashboard.freshness import Line
from dashboard.place import Place
from dashboard.rows import Group, Person
from editqueue.merge import MergedDay
from mirror import counting
from mirror.wire import Period


@dataclass(frozen=True)
class Deck:
    """What the cards are made from. ``people`` are those the department filter leaves."""

    place: Place
    merged: MergedDay
    people: Sequence[Person]
    line: Line
    can_edit: bool
    wrong: Mapping[str, str]

    def cards(self) -> list[Card]:
        cards = [_card(self, number, codes) for number, codes in enumerate(self.merged.rules.groups, start=1)]
        _open(cards, self)
        print_rows(cards)
        return cards

    def periods(self, codes: Sequence[int]) -> list[Period]:
        by_code = {period.code: period for period in self.merged.snapshot.periods}
        return [by_code[code] for code in codes]


def _card(deck: Deck, number: int, codes: tuple[int, ...]) -> Card:
    periods, place, card_id = deck.periods(codes), deck.place, f"g{number}"
    state = group_state(deck.merged.rules, codes)
    card = Card(
        id=card_id,
        name=" · ".join(period_name(period) for period in periods),
        span=span(periods),
        look=statuses.PERIOD[state],
        state=state,
        starts=periods[0].start or "",
        url=place.with_card(card_id).url(card_id),
        codes=codes,
        everyone_url=_everyone(place, codes),
    )
    group = _group(deck, card)
    fill(card, group, deck.people, search.listed(place), place)
    if group.codes != codes:
        card.chosen_period, card.span = group.names[group.codes[0]], span(deck.periods(group.codes))
        card.whole_url = place.with_period(card.id, None).url(card.id)
    elif len(codes) > 1:
        card.periods = list(_period_lines(deck, card, group))
    return card


def _group(deck: Deck, card: Card) -> Group:
    """The card's periods, or the one of them that the URL asks for."""
    period = deck.place.period
    chosen = (period,) if period is not None and period in card.codes and card.id in deck.place.open else card.codes
    return Group(
        card=card.id,
        codes=chosen,
        rules=deck.merged.rules,
        names={period.code: period_name(period) for period in deck.periods(card.codes)},
        flags=deck.merged.flags,
        line=deck.line,
        can_edit=deck.can_edit,
        wrong=deck.wrong,
    )


def _period_lines(deck: Deck, card: Card, group: Group) -> Iterator[PeriodLine]:
    for period in deck.periods(card.codes):
        code, people = period.code, deck.people
        marks = [mark for person in people if (mark := person.worker.p.get(code))]
        yield PeriodLine(
            name=group.names[code],
            span=span([period]),
            came=len(marks),
            missing=sum(not p.worker.p.get(code) and _is_expected(p, code) for p in people),
            late=sum(counting.is_late_mark(group.rules.rules[code], mark) for mark in marks),
            url=deck.place.with_period(card.id, code).url(card.id),
        )


def _is_expected(person: Person, code: int) -> bool:
    expected = person.worker.e
    return expected is UNSET or code in expected


def _everyone(place: Place, codes: Sequence[int]) -> str:
    """The page of names, with the same filters: it must name those whom the button counts."""
    group = "-".join(map(str, codes))
    return f"{reverse('everyone')}?{place.on(place.day).encoded()}&{urlencode({'group': group})}"


def _open(cards: Sequence[Card], deck: Deck) -> None:
    """Open what the URL says; else what a search found; else, while the day runs, the latest group that has begun."""
    place = deck.place
    for card in cards:
        card.is_open = card.id in place.open or (place.picks_people and card.lists_anybody)
    begun = [card for card in cards if card.state != counting.WAIT]
    if begun and deck.merged.rules.is_open and not place.open and not place.picks_people:
        begun[-1].is_open = True
