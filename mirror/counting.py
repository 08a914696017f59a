"""The counting rules R1-R9 of spec 04: the only place where anything about attendance is decided or counted.

Used by the agent when it builds a snapshot and by the cloud after it merged edits, so both sides cannot disagree.
Pure: no Django, no database, no clock of its own. All datetimes are naive factory wall time (UTC+7, no DST).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cache, partial
from itertools import pairwise, starmap
from typing import NamedTuple

from msgspec import UNSET

from mirror.wire import CLOCKS, LATE, MANUAL_MARKS, PRESENT, Period, Snapshot, Stat, Worker

RULES = 1
PULL_GRACE = timedelta(minutes=10)
DEFAULT_DAY_STARTS = time(4, 0)

WAIT, OPEN, SETTLING, END = "wait", "open", "settling", "end"
FULL, PARTIAL, ABSENT, OFF = "full", "partial", "absent", "off"

_DAY = 24 * 60
_NO_START = 10 * _DAY

Cells = Mapping[int, str | None]


class Window(NamedTuple):
    """One period's scan window of one day, half-open ``[start, end)``."""

    code: int
    start: datetime
    end: datetime
    late_after: time | None = None


class Rule(NamedTuple):
    """What counting needs to know of one period, in minutes: its place on the day's line, lateness and state.

    ``wraps_at`` is set for a window over midnight: a clock time before it is the next day's.
    """

    code: int
    order: int
    late_from: int | None
    wraps_at: int | None
    state: str


class Duty(NamedTuple):
    """The groups that count for somebody (R6), and those of them that have ended for him (R5)."""

    groups: tuple[tuple[int, ...], ...]
    ended: tuple[tuple[int, ...], ...]


class Verdict(NamedTuple):
    """One worker's day."""

    status: str
    late: bool


@dataclass
class Totals:
    """Everyone's day (R8). ``off`` stands outside ``active_total``; ``late`` cuts across the statuses."""

    full: int = 0
    partial: int = 0
    absent: int = 0
    wait: int = 0
    off: int = 0
    late: int = 0

    @property
    def active_total(self) -> int:
        return self.full + self.partial + self.absent + self.wait


@dataclass(frozen=True)
class DayRules:
    """One day's periods and groups, ready to judge workers. Make it with `day_rules`."""

    rules: Mapping[int, Rule]
    groups: tuple[tuple[int, ...], ...]
    _duties: dict[Collection[int] | None, Duty] = field(default_factory=dict)

    def duty(self, expected: frozenset[int] | None) -> Duty:
        """Return what somebody expected in these periods owes; the same few sets come again and again."""
        known = self._duties.get(expected)
        if known is None:
            groups = [g for g in self.groups if expected is None or any(code in expected for code in g)]
            ended = [group for group in groups if has_ended(self, group, expected)]
            known = self._duties[expected] = Duty(tuple(groups), tuple(ended))
        return known

    @property
    def is_open(self) -> bool:
        """R9: while any period has not ended, labels must say that the day is not over."""
        return any(rule.state != END for rule in self.rules.values())


# --- windows and scans (the factory's side) -------------------------------------------------------------------------


def window(
    code: int,
    day: date,
    *,
    start: time,
    end: time,
    late_after: time | None = None,
    day_offset: int | None = None,
    day_starts: time = DEFAULT_DAY_STARTS,
) -> Window:
    """Place a period on the calendar: a start before ``day_starts`` is the next morning unless ``day_offset`` says."""
    offset = day_offset if day_offset is not None else int(start < day_starts)
    begins = datetime.combine(day + timedelta(days=offset), start)
    ends = datetime.combine(begins.date() + timedelta(days=int(end <= start)), end)
    return Window(code, begins, ends, late_after)


def business_date(now: datetime, day_starts: time = DEFAULT_DAY_STARTS) -> date:
    """Return the day a moment belongs to: before ``day_starts`` it is still yesterday."""
    return now.date() - timedelta(days=int(now.time() < day_starts))


def judged_state(period: Period, day: date, *, now: datetime, day_starts: time) -> str:
    """R1 for a body that brings no state (v0): by the reader's clock, with ten minutes for pulling (spec 02)."""
    if period.start and period.end:
        start, end = time.fromisoformat(period.start), time.fromisoformat(period.end)
        win = window(period.code, day, start=start, end=end, day_offset=period.day_offset, day_starts=day_starts)
        return state_of(win, now=now, scans_through=None)
    today = business_date(now, day_starts)
    return END if day < today else OPEN if day == today else WAIT


def state_of(win: Window, *, now: datetime, scans_through: datetime | None) -> str:
    """R1. ``scans_through`` None: the factory cannot say how far it pulled, so ten minutes must do."""
    if now < win.start:
        return WAIT
    if now < win.end:
        return OPEN
    pulled = now >= win.end + PULL_GRACE if scans_through is None else scans_through >= win.end
    return END if pulled else SETTLING


def first_scans(
    scans: Iterable[datetime], windows: Sequence[Window], expected: Collection[int] | None
) -> dict[int, datetime]:
    """R2, R3: the first scan of each period. ``expected`` None means every period.

    A scan marks only periods the worker is expected in; only if it falls in none of those, any other that contains it.
    """
    marks: dict[int, datetime] = {}
    for scan in sorted(scans):
        hit = [win.code for win in windows if win.start <= scan < win.end]
        own = hit if expected is None else [code for code in hit if code in expected]
        for code in own or hit:
            marks.setdefault(code, scan)
    return marks


def overlapping(windows: Sequence[Window]) -> tuple[int, int] | None:
    """Return the codes of two windows that share a moment, or None. Inside one shift that is a configuration error."""
    ordered = sorted(windows, key=lambda win: (win.start, win.end, win.code))
    for before, after in pairwise(ordered):
        if after.start < before.end:
            return before.code, after.code
    return None


# --- judging and counting (both sides) ------------------------------------------------------------------------------


def day_rules(periods: Iterable[Period], groups: Iterable[Iterable[int]], day_starts: time | None) -> DayRules:
    """Prepare one day: ``periods`` as on the wire, ``groups`` of codes, filtered to the periods of the day (R5)."""
    starts = _minute((day_starts or DEFAULT_DAY_STARTS).strftime("%H:%M"))
    rules = {rule.code: rule for rule in (_rule(period, starts) for period in periods)}
    in_line = sorted(rules, key=lambda code: (rules[code].order, code))
    named = {tuple(code for code in in_line if code in set(group)) for group in groups} - {()}
    alone = {(code,) for code in rules if not any(code in group for group in named)}
    return DayRules(rules, tuple(sorted(named | alone, key=lambda group: [in_line.index(code) for code in group])))


def judge(day: DayRules, cells: Cells, expected: frozenset[int] | None) -> Verdict:
    """R6, R7 and the late half of R4 for one worker. ``expected`` None means every period."""
    groups, ended = day.duty(expected)
    came = [group for group in (groups or day.groups) if any(map(cells.get, group))]
    if not groups:
        # Nothing expected: the groups that came become the expected ones, whole.
        groups = tuple(came)
        ended = tuple(group for group in groups if has_ended(day, group, None))
    if not groups:
        return Verdict(OFF, False)
    late = any(is_late(day, group, cells) for group in came)
    if not ended:
        return Verdict(WAIT, late)
    if all(group in came for group in ended):
        return Verdict(FULL, late)
    return Verdict(PARTIAL if came else ABSENT, late)


def has_come(group: Iterable[int], cells: Cells) -> bool:
    """R5: any period of the group is marked."""
    return any(map(cells.get, group))


def has_ended(day: DayRules, group: Iterable[int], expected: Collection[int] | None) -> bool:
    """R5: all periods of the group that the worker is expected in have ended."""
    return all(day.rules[code].state == END for code in group if expected is None or code in expected)


def is_late(day: DayRules, group: Sequence[int], cells: Cells) -> bool:
    """R5: the group's first marked period is late."""
    for code in group:
        mark = cells.get(code)
        if mark:
            return is_late_mark(day.rules[code], mark)
    return False


def is_late_mark(rule: Rule, mark: str | None) -> bool:
    """R4: a manual "late", or a scan after ``late_after`` on the window's own line; the equal minute is on time."""
    if mark == LATE:
        return True
    if rule.late_from is None or mark is None or mark == PRESENT:
        return False
    return _on_line(rule, _minute(mark)) > rule.late_from


def expected_in(worker: Worker) -> frozenset[int] | None:
    """The period codes this worker is expected in, or None for every period."""
    return None if worker.e is UNSET else frozenset(worker.e)


def verdicts(day: DayRules, workers: Iterable[Worker]) -> list[Verdict]:
    """Judge every worker, in the order given: once for all whose cells differ in nothing but the minute."""
    kind, known, judged = cache(partial(_kind, day.rules)), dict[object, Verdict](), []
    for worker in workers:
        expected = expected_in(worker)
        pattern = expected, *starmap(kind, worker.p.items())
        judged.append(known.get(pattern) or known.setdefault(pattern, judge(day, worker.p, expected)))
    return judged


def total(judged: Sequence[Verdict]) -> Totals:
    """R8: add up. Off-roster scans are not workers and never get here."""
    return Totals(**Counter(verdict.status for verdict in judged), late=sum(verdict.late for verdict in judged))


def stat_of(totals: Totals) -> Stat:
    """Return the totals as they travel."""
    return Stat(full=totals.full, partial=totals.partial, absent=totals.absent, wait=totals.wait)


def rules_of(snapshot: Snapshot, default_groups: Iterable[Iterable[int]] = ()) -> DayRules:
    """Prepare a snapshot's day. ``default_groups`` serve bodies that name none (v0)."""
    starts = time.fromisoformat(snapshot.day_starts) if snapshot.day_starts else None
    return day_rules(snapshot.periods, snapshot.groups or default_groups, starts)


# --- private --------------------------------------------------------------------------------------------------------


def _kind(rules: Mapping[int, Rule], code: int, mark: str | None) -> tuple[int, object]:
    """What of a cell a verdict can depend on."""
    is_plain = code in rules and (mark in CLOCKS or mark in MANUAL_MARKS)
    return code, is_late_mark(rules[code], mark) if is_plain else mark


def _rule(period: Period, day_starts: int) -> Rule:
    start = _minute(period.start) if period.start else None
    wraps = bool(period.start and period.end and period.end <= period.start)
    late_from = _minute(period.late_after) if period.late_after else None
    if late_from is not None and wraps and start is not None and late_from < start:
        late_from += _DAY
    if start is None:
        order = _NO_START + period.code
    else:
        order = start + _DAY * (period.day_offset if period.day_offset is not None else int(start < day_starts))
    return Rule(period.code, order, late_from, start if wraps else None, period.state or END)


def _on_line(rule: Rule, minute: int) -> int:
    return minute + _DAY if rule.wraps_at is not None and minute < rule.wraps_at else minute


def _minute(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])
