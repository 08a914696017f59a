"""One run: its neighbours, its memory, its clock, and what it has learnt from the cloud so far."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta

from mirror.counting import business_date
from onprem import days, heartbeat, rivals
from onprem.clocks import FACTORY_ZONE, is_believable
from onprem.journal import Journal
from onprem.ports import Cloud, CloudTrouble, ContentRefused, Factory, FactoryTrouble, Offer
from onprem.report import Report
from onprem.state import State

PAGE = 200
DRIFT_S = 5 * 60
FAR_S = 3600
WRONG_S = 24 * 3600


@dataclass
class Run:
    """``clock`` gives unix seconds; ``work`` is the lock held while applying, capturing and pushing.

    ``judged`` are offers that the cloud has taken our answer to: offered again, they are left for the next run.
    ``ahead_s`` is our clock minus the cloud's. ``told`` is the trouble that the cloud has heard of, None before the
    first call; ``carried`` is the last run's, until this one knows better. ``said`` keeps a lasting trouble from
    filling the log. In a ``rehearsal`` the ports change nothing and the lines say "would".
    """

    factory: Factory
    cloud: Cloud
    state: State
    journal: Journal
    clock: Callable[[], float]
    day_starts: time = time(4, 0)
    catchup_days: int = 60
    work: Callable[[], AbstractContextManager[None]] = nullcontext
    between_turns: Callable[[], None] = lambda: None
    progress: Callable[[int, int], None] = lambda _done, _total: None
    rehearsal: bool = False
    report: Report = field(default_factory=Report)
    judged: set[Hashable] = field(default_factory=set)
    ahead_s: int = 0
    told: str | None = None
    carried: str = ""
    beat_clock: int = 0
    said: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ahead_s = int(self.state.get("ahead_s") or 0)
        self.ahead_s = ahead_s if is_believable(self.clock() - ahead_s) else 0
        self.carried = self.state.get("trouble") or ""
        for sentence in self.state.news:
            self.journal.say(sentence)

    @property
    def clock_is_wrong(self) -> bool:
        """By more than a day, or by more than an hour and into another business date."""
        return abs(self.ahead_s) > WRONG_S or (abs(self.ahead_s) > FAR_S and self._date_at(0) != self._clouds_date)

    @property
    def now(self) -> datetime:
        """Naive factory wall time; the cloud's where our own clock is wrong."""
        return _factory_time(self.clock() - (self.ahead_s if self.clock_is_wrong else 0))

    @property
    def wall_clock(self) -> datetime:
        """Naive factory wall time by our own clock, right or wrong: the cloud knows by how much it is off."""
        return _factory_time(self.clock())

    @property
    def today(self) -> date:
        return business_date(self.now, self.day_starts)

    @property
    def latest_today(self) -> date:
        """Ours or the cloud's: a clock that is slow must not refuse what people can already see."""
        return max(self.today, self._clouds_date)

    @property
    def _clouds_date(self) -> date:
        return self._date_at(self.ahead_s)

    def _date_at(self, ahead_s: int) -> date:
        return business_date(_factory_time(self.clock() - ahead_s), self.day_starts)

    def ask(self, *, after: str | None = None, wait: int = 0) -> Offer:
        """Fetch a page of edits, be heard, and learn the cloud's clock and generation."""
        error = self.report.error or self.carried
        beat = {} if self.rehearsal else self._beat(error, is_new=after is None)
        # While this call waits, another run may push: what the cloud knew at the start is no less than this.
        heard = self.state.heard_gen
        try:
            offer = self.cloud.pending(beat, after=after, limit=PAGE, wait=wait)
        except (CloudTrouble, ContentRefused) as exc:
            self._learn_clock(exc.now)
            raise
        self.told = error
        self._learn_clock(offer.now)
        self._learn_gen(offer, heard)
        return offer

    def compare_clocks(self) -> None:
        """For a run that asks for no edits: which day it is must not rest on what an earlier run found."""
        self._learn_clock(self.cloud.clock())

    def attempt(self, part: str, work: Callable[[], object]) -> None:
        """Do a part of the run and note how it went: trouble ends this part only."""
        try:
            work()
        except CloudTrouble as exc:
            self.report.unanswered.add(part)
            self._say_once(part, str(exc))
        except ContentRefused as exc:
            self.report.refused.add(part)
            self._say_once(part, str(exc))
        except FactoryTrouble as exc:
            self.report.unanswered.add(part)
            self.report.troubles[part] = exc.code
            self._say_once(part, f"{exc.code}: {exc}")
        else:
            self.report.went_well(part)
            self.said.pop(part, None)

    def tell(self) -> None:
        """Let the cloud know of trouble (or of its end) now rather than with the next run."""
        self.carried, error = "", self.report.error
        if error != (self.state.get("trouble") or ""):
            self.state.put("trouble", error)
        if self.rehearsal or self.told in (None, error):
            return
        self.told = error
        with suppress(CloudTrouble, ContentRefused):
            self.cloud.pending(self._beat(error), limit=1)

    def _beat(self, error: str, *, is_new: bool = True) -> dict[str, str | int]:
        """The cloud takes a second call with the clock of an earlier one for a copy of that, as further pages are."""
        if is_new:
            self.beat_clock = max(int(self.clock()), self.beat_clock + 1)
        return heartbeat.beat(self.state, clock=self.beat_clock, error=error)

    def _say_once(self, part: str, text: str) -> None:
        if text not in self.said.values():
            self.journal.say(text)
        self.said[part] = text

    def _learn_clock(self, now: int | None) -> None:
        if now is None:
            return
        was_told = self.report.troubles.get("clock")
        self.ahead_s = round(self.clock() - now)
        is_off = abs(self.ahead_s) > DRIFT_S
        if str(kept := self.ahead_s if is_off else 0) != (self.state.get("ahead_s") or "0"):
            self.state.put("ahead_s", kept)
        if not is_off:
            self.report.went_well("clock")
        elif not was_told:
            self.report.troubles["clock"] = "clock_off"
            self.journal.say(f"careful: this machine's clock is {_off_by(self.ahead_s)} the cloud's; set it right")

    def _learn_gen(self, offer: Offer, heard: int) -> None:
        """A cloud restored from a backup knows less than it did, one with another agent more: days are sent again."""
        if offer.gen is None:
            return
        if 0 < self.state.gen < offer.gen:
            rivals.note(self.state)
        self.state.raise_gen(offer.gen)
        if offer.gen >= heard:
            self.state.hear_gen(offer.gen)
            return
        lost = days.forget_newer(self.state, offer.gen, since=self.today - timedelta(days=self.catchup_days))
        self.journal.say(f"the cloud has forgotten what it knew: {len(lost)} days are sent again")
        self.state.hear_loss(offer.gen)


def _factory_time(unix: float) -> datetime:
    return datetime.fromtimestamp(int(unix), FACTORY_ZONE).replace(tzinfo=None)


def _off_by(ahead_s: int) -> str:
    amount = f"{abs(ahead_s) // 60} minutes" if abs(ahead_s) < WRONG_S else f"{abs(ahead_s) // WRONG_S} days"
    return f"{amount} {'ahead of' if ahead_s > 0 else 'behind'}"
