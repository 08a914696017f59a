"""The day's groups as cards: who has not come, who was marked by hand, who came.

Cards go by group, because "missing in period 1" would name nearly everybody who rightly came in period 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from dashboard.collation import thai_key
from dashboard.place import Place
from dashboard.rows import Group, Person, Row, row
from dashboard.statuses import Look
from mirror import counting
from mirror.wire import Period

FIRST_ROWS = 30
MORE_ROWS = 300
# A card that is closed prints its rows as well, so that it opens without a request, until the page holds this many.
ROWS_OF_A_PAGE = 60


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
    """``filled``: its rows are printed; otherwise ``url`` brings them.

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
    def is_blank(self) -> bool:
        """Not begun and nobody has a mark: nothing to list, nobody to count as missing."""
        return self.state == counting.WAIT and not (self.came or self.by_hand.total or self.scanned.total)

    @property
    def lists_anybody(self) -> bool:
        return bool(self.todo.total + self.by_hand.total + self.scanned.total + self.off.total)

    @property
    def is_complete(self) -> bool:
        return bool(self.came) and not self.missing and not self.todo.total


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


def fill(card: Card, group: Group, people: Sequence[Person], listed: Callable[[Person], bool], place: Place) -> None:
    """Count the group over ``people``, and list those of them that the filters let through."""
    todo, by_hand, scanned, off = _sorted_out(group, people)
    came = [person for person in people if group.has_come(person)]
    card.came = len(came)
    card.late = sum(group.is_late(person) for person in came)
    card.missing = sum(group.is_missing(person) for person in people)
    shown = [in_order(filter(listed, some)) for some in (todo, by_hand, scanned, off)]
    card.todo_missing = sum(map(group.is_missing, shown[0]))
    card.todo = _listing(group, shown[0], place.rows.get(card.id, FIRST_ROWS))
    card.todo.more_url = place.with_rows(card.id, len(card.todo.rows) + MORE_ROWS).url(card.id)
    card.by_hand = _listing(group, shown[1], len(shown[1]))
    asked = place.came.get(card.id, 0)
    card.scanned_open = bool(asked) or place.picks_people
    card.scanned = _listing(group, shown[2], max(asked, FIRST_ROWS if place.picks_people else 0))
    card.scanned.more_url = place.with_came(card.id, len(card.scanned.rows) + MORE_ROWS).url(card.id)
    card.scanned_url = place.with_came(card.id, FIRST_ROWS).url(card.id)
    card.off = _listing(group, shown[3], FIRST_ROWS) if place.picks_people else Listing()


def print_rows(cards: Sequence[Card]) -> None:
    """Decide which cards print their rows: those that are open, then others as long as the page stays small."""
    room = ROWS_OF_A_PAGE
    for card in sorted(cards, key=lambda card: not card.is_open):
        size = len(card.todo.rows) + len(card.by_hand.rows)
        card.filled = card.is_open or size <= room
        room -= size if card.filled else 0


def _sorted_out(group: Group, people: Sequence[Person]) -> tuple[list[Person], ...]:
    """Split into: to do (the factory has no mark yet), by hand, scanned, off.

    Somebody just marked here stays in the first list until the factory has the mark, so that no row moves away under
    a thumb.
    """
    todo: list[Person] = []
    by_hand: list[Person] = []
    scanned: list[Person] = []
    off: list[Person] = []
    for person in people:
        if group.is_by_hand(person):
            by_hand.append(person)
        elif group.is_at_factory(person):
            scanned.append(person)
        elif group.expected_codes(person.worker) or group.has_come(person):
            todo.append(person)
        else:
            off.append(person)
    return todo, by_hand, scanned, off


def in_order(people: Iterable[Person]) -> list[Person]:
    return sorted(people, key=lambda person: (thai_key(person.name), person.worker.no))


def _listing(group: Group, people: Sequence[Person], most: int) -> Listing:
    rows = [row(group, person) for person in people[:most]]
    return Listing(total=len(people), rows=rows, more=min(MORE_ROWS, len(people) - len(rows)))
