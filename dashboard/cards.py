"""The day's groups as cards: who has not come, who was marked by hand, who came.

Cards go by group, because "missing in period 1" would name nearly everybody who rightly came in period 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.utils.translation import gettext as _

from dashboard.collation import thai_key
from dashboard.place import Place
from dashboard.rows import Group, Person, Row, row
from dashboard.statuses import Look
from mirror import counting
from mirror.wire import MANUAL_MARKS, Period

FIRST_ROWS = 30
MORE_ROWS = 300
# A card that is closed prints its rows as well, so that it opens without a request, until the page holds this many.
ROWS_OF_A_PAGE = 60

Listed = Callable[[Iterable[Person]], list[Person]]


@dataclass(frozen=True)
class PeriodLine:
    """One period inside a group, with its own link."""

    name: str
    span: str
    came: int
    missing: int
    late: int
    url: str


@dataclass
class Listing:
    """Some rows of a list, how many there are in all, and where the next ones are."""

    total: int = 0
    rows: Sequence[Row] = ()
    more: int = 0
    more_url: str = ""


@dataclass
class Card:
    """``filled``: its rows are printed; otherwise ``url`` brings them. ``is_blank``: not begun, and nobody has a mark.

    The counts are of everybody; ``todo_missing`` only of those whom the filters let through.
    """

    id: str
    name: str
    span: str
    look: Look
    state: str
    starts: str
    url: str
    codes: tuple[int, ...]
    is_open: bool = False
    is_blank: bool = False
    filled: bool = False
    came: int = 0
    missing: int = 0
    late: int = 0
    todo_missing: int = 0
    todo: Listing = field(default_factory=Listing)
    by_hand: Listing = field(default_factory=Listing)
    scanned: Listing = field(default_factory=Listing)
    off: Listing = field(default_factory=Listing)
    scanned_open: bool = False
    scanned_url: str = ""
    periods: Sequence[PeriodLine] = ()
    chosen_period: str = ""
    whole_url: str = ""
    everyone_url: str = ""

    @property
    def has_ended(self) -> bool:
        return self.state == counting.END

    @property
    def lists_anybody(self) -> bool:
        return bool(self.todo.total + self.by_hand.total + self.scanned.total + self.off.total)

    @property
    def is_complete(self) -> bool:
        return bool(self.came) and not self.missing and not self.todo.total


@dataclass
class Sorted:
    """A group's people by list, and their counts.

    To do: the factory has no mark yet. Somebody just marked here stays in it until the factory has the mark, so that
    no row moves away under a thumb.
    """

    todo: list[Person] = field(default_factory=list)
    by_hand: list[Person] = field(default_factory=list)
    scanned: list[Person] = field(default_factory=list)
    off: list[Person] = field(default_factory=list)
    came: int = 0
    late: int = 0
    missing: int = 0


def group_state(rules: counting.DayRules, codes: Iterable[int]) -> str:
    """Where a group stands: its periods' common state, the livelier one, or ``between`` two of them."""
    states = {rules.rules[code].state for code in codes}
    if len(states) == 1:
        return states.pop()
    return next((state for state in (counting.OPEN, counting.SETTLING) if state in states), "between")


def span(periods: Sequence[Period]) -> str:
    """``06:00–09:00``, from the first start to the last end; empty where a window is not known."""
    starts, ends = [period.start for period in periods], [period.end for period in periods]
    return f"{starts[0]}\N{EN DASH}{ends[-1]}" if starts[0] and ends[-1] else ""


def period_name(period: Period) -> str:
    return period.name or _("Period %(code)s") % {"code": period.code}


def fill(card: Card, group: Group, people: Sequence[Person], listed: Listed, place: Place) -> None:
    """Count the group over ``people``, and list those of them that the filters let through."""
    found = sort_out(group, people)
    card.came, card.late, card.missing = found.came, found.late, found.missing
    card.is_blank = card.state == counting.WAIT and not (found.came or found.by_hand or found.scanned)
    if card.is_blank:
        return
    todo = in_order(listed(found.todo))
    card.todo_missing = sum(map(group.is_missing, todo))
    card.todo = _listing(group, todo, place.rows.get(card.id, FIRST_ROWS))
    card.todo.more_url = place.with_rows(card.id, len(card.todo.rows) + MORE_ROWS).url(card.id)
    _fill_by_hand(card, group, in_order(listed(found.by_hand)), place)
    _fill_scanned(card, group, listed(found.scanned), place)
    if place.picks_people:
        card.off = _listing(group, in_order(listed(found.off)), FIRST_ROWS)


def _fill_by_hand(card: Card, group: Group, people: Sequence[Person], place: Place) -> None:
    """Nobody who must be told something is cut off, unless it is a whole group."""
    most = place.hand.get(card.id, FIRST_ROWS)
    shown = [*people[:most], *islice(filter(group.is_touched, people[most:]), FIRST_ROWS)]
    card.by_hand = _listing(group, shown, len(shown))
    card.by_hand.total, card.by_hand.more = len(people), min(MORE_ROWS, len(people) - len(shown))
    card.by_hand.more_url = place.with_hand(card.id, most + MORE_ROWS).url(card.id)


def _fill_scanned(card: Card, group: Group, people: Sequence[Person], place: Place) -> None:
    """Those who came are most of the factory: they are put in order and listed only when asked for."""
    asked = max(place.came.get(card.id, 0), FIRST_ROWS if place.picks_people else 0)
    card.scanned_open = bool(asked)
    card.scanned = _listing(group, in_order(people) if asked else people, asked)
    card.scanned.more_url = place.with_came(card.id, len(card.scanned.rows) + MORE_ROWS).url(card.id)
    card.scanned_url = place.with_came(card.id, FIRST_ROWS).url(card.id)


def print_rows(cards: Sequence[Card]) -> None:
    """Decide which cards print their rows: those that are open, then others as long as the page stays small."""
    room = ROWS_OF_A_PAGE
    for card in sorted(cards, key=lambda card: not card.is_open):
        size = len(card.todo.rows) + len(card.by_hand.rows)
        card.filled = card.is_open or size <= room
        room -= size if card.filled else 0


def sort_out(group: Group, people: Iterable[Person]) -> Sorted:
    """Count the group, and say of everybody which list is theirs."""
    found = Sorted()
    for person in people:
        marks = group.marks_of(person)
        if marks:
            found.came += 1
            found.late += group.is_late(person)
        elif group.is_expected(person):
            found.missing += 1
        _list_of(found, group, person, marks).append(person)
    return found


def _list_of(found: Sorted, group: Group, person: Person, marks: Sequence[str]) -> list[Person]:
    if group.is_touched(person):
        if group.is_by_hand(person):
            return found.by_hand
        if group.is_at_factory(person):
            return found.scanned
    elif marks:
        return found.scanned if MANUAL_MARKS.isdisjoint(marks) else found.by_hand
    return found.todo if marks or group.is_expected(person) else found.off


def in_order(people: Iterable[Person]) -> list[Person]:
    return sorted(people, key=lambda person: (thai_key(person.name), person.worker.no))


def _listing(group: Group, people: Sequence[Person], most: int) -> Listing:
    rows = [row(group, person) for person in people[:most]]
    return Listing(total=len(people), rows=rows, more=min(MORE_ROWS, len(people) - len(rows)))
