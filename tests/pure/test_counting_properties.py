"""What must hold on any day, whatever the windows, the shifts, the scans and the marks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mirror import counting
from mirror.counting import ABSENT, OFF, DayRules, Verdict, Window
from mirror.wire import Period
from tests.pure.workday import DAY, cells

MIDNIGHT = datetime.combine(DAY, time())
MARKS = ("present", "late")


@dataclass(frozen=True)
class Man:
    scans: tuple[datetime, ...]
    overrides: dict[int, str]
    wishes: dict[int, str]
    expected: frozenset[int] | None


@dataclass(frozen=True)
class RandomDay:
    windows: tuple[Window, ...]
    groups: tuple[tuple[int, ...], ...]
    men: tuple[Man, ...]

    def rules(self, now: datetime, through: datetime | None) -> DayRules:
        return counting.day_rules([_period(win, now, through) for win in self.windows], self.groups, time(4))

    @property
    def over(self) -> datetime:
        return max(win.end for win in self.windows) + counting.PULL_GRACE

    def verdicts(self, now: datetime, through: datetime | None = None) -> list[Verdict]:
        rules = self.rules(now, through)
        return [counting.judge(rules, self.cells(man, until=now), man.expected) for man in self.men]

    def cells(self, man: Man, *, until: datetime) -> dict[int, str | None]:
        heard = [scan for scan in man.scans if scan <= until]
        return cells(self.windows, heard, overrides=man.overrides, wishes=man.wishes, expected=man.expected)


def _period(win: Window, now: datetime, through: datetime | None) -> Period:
    return Period(
        code=win.code,
        start=win.start.strftime("%H:%M"),
        end=win.end.strftime("%H:%M"),
        late_after=win.late_after.strftime("%H:%M") if win.late_after else None,
        day_offset=(win.start.date() - DAY).days,
        state=counting.state_of(win, now=now, scans_through=through),
    )


@st.composite
def windows(draw: st.DrawFn) -> tuple[Window, ...]:
    """One to four windows on the line from 04:00 to noon of the next day, in order, none overlapping."""
    edges = sorted(draw(st.lists(st.integers(240, 2160), min_size=2, max_size=8, unique=True)))
    spans = list(zip(edges[::2], edges[1::2], strict=False))
    found = []
    for code, (start, end) in enumerate(spans, 1):
        begin = MIDNIGHT + timedelta(minutes=start)
        late = draw(st.none() | st.integers(0, end - start - 1))
        late_after = None if late is None else (begin + timedelta(minutes=late)).time()
        found.append(Window(code, begin, MIDNIGHT + timedelta(minutes=end), late_after))
    return tuple(found)


@st.composite
def men(draw: st.DrawFn, codes: list[int]) -> Man:
    moments = st.integers(0, 2200 * 60).map(lambda seconds: MIDNIGHT + timedelta(seconds=seconds))
    some_codes = st.sampled_from(codes)
    return Man(
        scans=tuple(draw(st.lists(moments, max_size=5))),
        overrides=draw(st.dictionaries(some_codes, st.sampled_from(MARKS), max_size=3)),
        wishes=draw(st.dictionaries(some_codes, st.sampled_from((*MARKS, "absent")), max_size=3)),
        expected=draw(st.none() | st.frozensets(some_codes)),
    )


@st.composite
def days(draw: st.DrawFn) -> RandomDay:
    wins = draw(windows())
    codes = [win.code for win in wins]
    cuts = draw(st.frozensets(st.sampled_from(codes)))
    groups: list[list[int]] = [[]]
    for code in codes:
        if code in cuts:
            groups.append([])
        groups[-1].append(code)
    crew = draw(st.lists(men(codes), max_size=3))
    return RandomDay(wins, tuple(tuple(group) for group in groups if group), tuple(crew))


moments_of_the_day = st.integers(0, 2300).map(lambda minutes: MIDNIGHT + timedelta(minutes=minutes))


@given(days(), moments_of_the_day)
def test_totals_add_up(day: RandomDay, now: datetime) -> None:
    totals = counting.total(day.verdicts(now, now))

    assert totals.full + totals.partial + totals.absent + totals.wait + totals.off == len(day.men)
    assert totals.active_total == len(day.men) - totals.off


@given(days(), moments_of_the_day)
def test_who_is_absent_has_no_mark_in_any_group_he_is_expected_in(day: RandomDay, now: datetime) -> None:
    for man, verdict in zip(day.men, day.verdicts(now, now), strict=True):
        own = {code for group in day.groups for code in group if man.expected is None or man.expected & set(group)}
        marked = {code for code, mark in day.cells(man, until=now).items() if mark}
        assert verdict.status != ABSENT or not marked & own
        assert verdict.status != OFF or not marked


@given(days(), moments_of_the_day, st.randoms(use_true_random=False))
def test_the_order_of_input_changes_nothing(day: RandomDay, now: datetime, random: object) -> None:
    def shuffled(items: tuple[object, ...]) -> tuple[object, ...]:
        mixed = list(items)
        random.shuffle(mixed)  # type: ignore[attr-defined]
        return tuple(mixed)

    crew = tuple(Man(shuffled(man.scans), man.overrides, man.wishes, man.expected) for man in day.men)  # type: ignore[arg-type]
    mixed = RandomDay(shuffled(day.windows), shuffled(day.groups), crew)  # type: ignore[arg-type]

    assert mixed.verdicts(now, now) == day.verdicts(now, now)


@given(days(), moments_of_the_day)
def test_repeating_scans_changes_nothing(day: RandomDay, now: datetime) -> None:
    crew = tuple(Man(man.scans * 3, man.overrides, man.wishes, man.expected) for man in day.men)

    assert RandomDay(day.windows, day.groups, crew).verdicts(now, now) == day.verdicts(now, now)


@given(days(), moments_of_the_day)
def test_no_wish_and_no_override_removes_a_scan(day: RandomDay, now: datetime) -> None:
    for man in day.men:
        bare = Man(man.scans, {}, {}, man.expected)
        scanned = {code: mark for code, mark in day.cells(bare, until=now).items() if mark}
        assert scanned.items() <= day.cells(man, until=now).items()


@given(days(), st.lists(st.integers(0, 600), max_size=4))
def test_at_the_days_end_it_does_not_matter_when_it_was_polled(day: RandomDay, polls: list[int]) -> None:
    end = day.over
    for minutes in polls:
        day.verdicts(end - timedelta(minutes=minutes))

    later = [day.verdicts(end + timedelta(minutes=minutes)) for minutes in (0, 1, 1440)]

    assert later[0] == later[1] == later[2]


@given(days(), moments_of_the_day)
def test_the_same_scans_pulled_late_give_the_same_day(day: RandomDay, through: datetime) -> None:
    settled = day.verdicts(day.over + timedelta(days=1), day.over)

    assert day.verdicts(day.over + timedelta(days=1), max(through, day.over)) == settled


@given(days())
def test_more_marks_never_make_a_worse_day(day: RandomDay) -> None:
    for man, verdict in zip(day.men, day.verdicts(day.over), strict=True):
        everywhere = dict.fromkeys((win.code for win in day.windows), "present")
        better = RandomDay(day.windows, day.groups, (Man(man.scans, everywhere, {}, man.expected),))
        (best,) = better.verdicts(day.over)
        assert best.status == counting.FULL
        assert verdict.status in (counting.FULL, counting.PARTIAL, ABSENT, OFF)


@given(days(), moments_of_the_day)
def test_nobodys_day_depends_on_anybody_else(day: RandomDay, now: datetime) -> None:
    alone = [RandomDay(day.windows, day.groups, (man,)).verdicts(now, now)[0] for man in day.men]

    assert alone == day.verdicts(now, now)
