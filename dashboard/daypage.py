"""Everything one day's page shows, put together from the merged day; the template only prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.utils.translation import gettext as _

from dashboard import banners, factoryday, freshness, search, words
from dashboard.banners import Banner
from dashboard.cards import FIRST_ROWS, Card, in_order, period_name
from dashboard.collation import thai_key
from dashboard.dayhead import Head
from dashboard.deck import Deck
from dashboard.freshness import Freshness
from dashboard.nothing import Nothing, nothing
from dashboard.place import Place
from dashboard.rows import Person
from dashboard.summary import QueueCount, Summary, queue_count, summary
from dashboard.trend import Trend, trend
from editqueue.merge import MergedDay, Stamp, merge
from editqueue.reading import edits_of
from mirror import counting
from mirror.models import DaySnapshot
from mirror.reading import snapshot_of
from mirror.wire import BadPayload, Period, ScanRow, Snapshot, Worker

MOST_STRANGERS = 200


@dataclass(frozen=True)
class Day:
    """One day as the factory sent it, and merged; both None if there is nothing readable."""

    row: DaySnapshot | None
    factory: Snapshot | None = None
    merged: MergedDay | None = None

    def people(self, dept: str = "") -> list[Person]:
        """Return everybody, or a department."""
        if self.merged is None or self.factory is None:
            return []
        both = zip(self.merged.snapshot.workers, self.factory.workers, self.merged.verdicts, strict=True)
        return [
            Person(worker, as_sent.p, verdict, self._factory_verdict(worker, as_sent, verdict))
            for worker, as_sent, verdict in both
            if not dept or worker.g == dept
        ]

    def _factory_verdict(self, worker: Worker, as_sent: Worker, verdict: counting.Verdict) -> counting.Verdict:
        if self.merged is None or worker.p == as_sent.p:
            return verdict
        return counting.judge(self.merged.rules, as_sent.p, counting.expected_in(as_sent))


@dataclass(frozen=True)
class Stranger:
    """A scan of somebody who is not on the roster."""

    scan: ScanRow
    period: str


@dataclass(frozen=True)
class Figures:
    """The part of the page that needs a snapshot."""

    merged: MergedDay
    summary: Summary
    cards: Sequence[Card]
    trend: Trend
    depts: Sequence[str]
    strangers: Sequence[Stranger]
    strangers_total: int
    notices: Sequence[str]
    off: Sequence[Person]
    nobody_found: bool
    can_edit: bool

    @property
    def is_open(self) -> bool:
        return self.merged.rules.is_open

    @property
    def more_off(self) -> bool:
        return self.summary.totals.off > len(self.off)

    @property
    def more_strangers(self) -> int:
        return self.strangers_total - len(self.strangers)

    @property
    def spoken(self) -> str:
        """One sentence for who cannot see what changed."""
        tiles = [self.summary.lead, *self.summary.others]
        said = [f"{tile.label} {tile.value}" for tile in tiles]
        if self.merged.waiting:
            said.append(_("waiting to sync %(n)s") % {"n": self.merged.waiting})
        return " · ".join(said)


@dataclass(frozen=True)
class DayPage:
    """``figures`` is None, and ``nothing`` says why, if the factory sent nothing readable."""

    place: Place
    head: Head
    fresh: Freshness
    count: QueueCount
    banners: Sequence[Banner] = field(default_factory=list)
    figures: Figures | None = None
    nothing: Nothing | None = None

    @property
    def period_names(self) -> dict[int, str]:
        if self.figures is None:
            return {}
        return {period.code: period_name(period) for period in self.figures.merged.snapshot.periods}


def card_of(merged: MergedDay, period: int | None) -> str:
    """Return the id of the card that a period belongs to, or an empty text."""
    numbered = enumerate(merged.rules.groups, start=1)
    return next((f"g{number}" for number, codes in numbered if period in codes), "")


def load(day: date, now: datetime) -> Day:
    """Read a day. Edits first: snapshot first could show a value that neither the old nor the new state had."""
    edits = edits_of(day)
    row = DaySnapshot.objects.filter(day=day).first()
    if row is None:
        return Day(None)
    try:
        factory = snapshot_of(row, now)
    except BadPayload:
        return Day(row)
    return Day(row, factory, merge(factory, edits, Stamp(row.gen, row.stored_at)))


def build(place: Place, now: datetime, *, wrong: Mapping[str, str] | None = None) -> DayPage:
    """Put the page together. ``wrong`` holds the refusal of a tap, by the id of the person's row."""
    calendar, line, day = factoryday.calendar(now), freshness.line(now), load(place.day, now)
    merged = day.merged
    fresh = freshness.of_day(day.row, line, calendar.today)
    count = queue_count(line)
    notes = list(banners.of_line(fresh, count))
    if merged is None:
        why = nothing(place, calendar, line, is_unreadable=day.row is not None)
        return DayPage(place, Head(place, calendar, is_open=False), fresh, count, notes, nothing=why)
    notes += banners.of_day(merged, place.day, today=calendar.today)
    deck = Deck(place, merged, day.people(place.dept), line, calendar.can_edit(place.day), wrong or {})
    head = Head(place, calendar, is_open=merged.rules.is_open)
    return DayPage(place, head, fresh, count, notes, figures=_figures(deck, merged, today=calendar.today))


def _figures(deck: Deck, merged: MergedDay, *, today: date) -> Figures:
    people, place, is_open = deck.people, deck.place, merged.rules.is_open
    totals = counting.total([person.verdict for person in people])
    strangers = _strangers(merged.snapshot.periods)
    off = in_order(person for person in people if person.verdict.status == counting.OFF)
    return Figures(
        merged=merged,
        summary=summary(totals, place, is_open=is_open),
        cards=deck.cards(),
        trend=trend(place.day, merged.totals.absent, is_open=is_open, today=today),
        depts=sorted({worker.g for worker in merged.snapshot.workers if worker.g}, key=thai_key),
        strangers=strangers[:MOST_STRANGERS],
        strangers_total=len(strangers),
        notices=[words.notice(notice.kind, notice.n) for notice in merged.snapshot.notices],
        off=() if place.picks_people else off[:FIRST_ROWS],
        nobody_found=bool(people) and not search.listed(place)(people),
        can_edit=deck.can_edit,
    )


def _strangers(periods: Sequence[Period]) -> list[Stranger]:
    found = [Stranger(scan, period_name(period)) for period in periods for scan in period.scan]
    return sorted(found, key=lambda stranger: stranger.scan.t or "")
