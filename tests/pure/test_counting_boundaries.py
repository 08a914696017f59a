"""The seconds and minutes at which a rule turns over."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest

from mirror import counting
from mirror.counting import ABSENT, END, FULL, OFF, OPEN, PARTIAL, SETTLING, WAIT, Verdict
from mirror.wire import Period, Worker
from tests.pure.workday import DAY, DAY_SHIFT, NIGHT_SHIFT, Shift, at, judged

EVENING = at("20:00:00")
MORNING = counting.window(2, DAY, start=time(7, 30), end=time(9, 0), late_after=time(8, 0))

# --- R1 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "state"),
    [("07:29:59", WAIT), ("07:30:00", OPEN), ("08:59:59", OPEN), ("09:00:00", END)],
)
def test_a_window_opens_at_its_start_and_is_over_at_its_end(now: str, state: str) -> None:
    assert counting.state_of(MORNING, now=at(now), scans_through=at(now)) == state


@pytest.mark.parametrize(("through", "state"), [("08:59:59", SETTLING), ("09:00:00", END)])
def test_an_ended_window_settles_until_the_terminals_are_pulled_through_its_end(through: str, state: str) -> None:
    assert counting.state_of(MORNING, now=at("12:00:00"), scans_through=at(through)) == state


@pytest.mark.parametrize(("now", "state"), [("09:09:59", SETTLING), ("09:10:00", END)])
def test_ten_minutes_must_do_where_nobody_says_how_far_it_pulled(now: str, state: str) -> None:
    assert counting.state_of(MORNING, now=at(now), scans_through=None) == state


# --- windows and the business day -----------------------------------------------------------------------------------


def test_a_window_before_the_start_of_the_day_is_the_next_morning() -> None:
    win = counting.window(6, DAY, start=time(0, 0), end=time(1, 30))

    assert (win.start, win.end) == (at("00:00:00", day=29), at("01:30:00", day=29))


def test_a_window_at_the_very_start_of_the_day_is_today() -> None:
    assert counting.window(1, DAY, start=time(4, 0), end=time(5, 0)).start == at("04:00:00")


def test_a_window_that_ends_before_it_starts_crosses_midnight() -> None:
    assert counting.window(5, DAY, start=time(22, 0), end=time(2, 0)).end == at("02:00:00", day=29)


def test_a_window_that_ends_where_it_starts_lasts_a_whole_day() -> None:
    assert counting.window(1, DAY, start=time(6, 0), end=time(6, 0)).end == at("06:00:00", day=29)


@pytest.mark.parametrize(("offset", "day"), [(0, 28), (1, 29)])
def test_a_day_offset_decides_instead_of_the_clock(offset: int, day: int) -> None:
    assert counting.window(7, DAY, start=time(3, 0), end=time(5, 0), day_offset=offset).start == at("03:00", day=day)


@pytest.mark.parametrize(("now", "day"), [("03:59:59", date(2026, 7, 27)), ("04:00:00", DAY)])
def test_the_business_day_turns_at_its_own_hour(now: str, day: date) -> None:
    assert counting.business_date(at(now)) == day


def test_windows_that_touch_do_not_overlap() -> None:
    assert counting.overlapping(DAY_SHIFT.windows()) is None


def test_one_shared_second_is_an_overlap() -> None:
    late_end = counting.window(1, DAY, start=time(5, 30), end=time(7, 30, 1))

    assert counting.overlapping([MORNING, late_end]) == (1, 2)


# --- R2, R3 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scan", "marked"),
    [("07:29:59", [1]), ("07:30:00", [2]), ("08:59:59", [2]), ("09:00:00", []), ("05:29:59", [])],
)
def test_a_scan_belongs_to_the_half_open_window_it_falls_in(scan: str, marked: list[int]) -> None:
    assert list(counting.first_scans([at(scan)], DAY_SHIFT.windows(), None)) == marked


def test_the_first_scan_of_a_window_counts_whatever_the_order() -> None:
    scans = [at("08:30:00"), at("07:45:00"), at("08:59:00")]

    assert counting.first_scans(scans, DAY_SHIFT.windows(), None) == {2: at("07:45:00")}


def test_a_scan_in_two_shifts_windows_marks_only_his_own() -> None:
    windows = [MORNING, counting.window(9, DAY, start=time(8, 0), end=time(10, 0))]

    assert counting.first_scans([at("08:30:00")], windows, {9}) == {9: at("08:30:00")}


def test_a_scan_outside_his_own_windows_marks_the_other_one() -> None:
    assert counting.first_scans([at("08:30:00")], [MORNING], {9}) == {2: at("08:30:00")}


# --- R4 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scan", "late"), [("08:00:00", False), ("08:00:59", False), ("08:01:00", True)])
def test_the_equal_minute_is_on_time(scan: str, late: bool) -> None:
    assert judged(DAY_SHIFT, [at(scan)], now=EVENING).late is late


@pytest.mark.parametrize(
    ("scan", "late"),
    [(at("23:50:00"), False), (at("00:15:00", day=29), False), (at("00:16:00", day=29), True)],
)
def test_lateness_in_a_window_over_midnight_follows_the_windows_own_line(scan: datetime, late: bool) -> None:
    over_midnight = Shift(periods=[(1, "23:00", "02:00", "00:15")], groups=[[1]])

    assert judged(over_midnight, [scan], now=at("03:00:00", day=29)).late is late


def test_before_midnight_is_late_where_late_begins_before_midnight() -> None:
    over_midnight = Shift(periods=[(1, "23:00", "02:00", "23:30")], groups=[[1]])

    assert judged(over_midnight, [at("00:05:00", day=29)], now=at("03:00:00", day=29)).late


def test_a_manual_present_is_never_late() -> None:
    assert not judged(DAY_SHIFT, [], now=EVENING, overrides={2: "present"}).late


def test_late_still_counts_as_came() -> None:
    scans = [at("08:30:00"), at("13:20:00"), at("17:00:00")]

    assert judged(DAY_SHIFT, scans, now=EVENING) == Verdict(FULL, True)


# --- R5 -------------------------------------------------------------------------------------------------------------


def test_an_on_time_first_period_covers_a_late_second_one_of_the_group() -> None:
    assert not judged(DAY_SHIFT, [at("06:00:00"), at("08:30:00")], now=EVENING).late


def test_a_group_ends_when_the_last_period_he_is_expected_in_ends() -> None:
    now = at("08:00:00")

    assert judged(DAY_SHIFT, [], now=now, expected=[1]).status == ABSENT
    assert judged(DAY_SHIFT, [], now=now, expected=[1, 2]).status == WAIT


def test_a_period_in_no_group_is_a_group_of_its_own() -> None:
    loose = Shift(periods=DAY_SHIFT.periods, groups=[[1, 2]])

    assert loose.rules(EVENING, EVENING).groups == ((1, 2), (3,), (4,))


def test_groups_of_periods_that_do_not_exist_vanish() -> None:
    few = Shift(periods=DAY_SHIFT.periods[:2], groups=[[1, 2], [3], [4]])

    assert few.rules(EVENING, EVENING).groups == ((1, 2),)


# --- R6 -------------------------------------------------------------------------------------------------------------


def test_who_is_expected_nowhere_and_stays_away_is_off() -> None:
    assert judged(DAY_SHIFT, [], now=EVENING, expected=[]) == Verdict(OFF, False)


def test_a_day_off_worked_counts_by_the_groups_that_came() -> None:
    assert judged(DAY_SHIFT, [at("08:30:00")], now=EVENING, expected=[]) == Verdict(FULL, True)


def test_a_day_off_worked_waits_for_the_group_that_came() -> None:
    assert judged(DAY_SHIFT, [at("08:30:00")], now=at("08:45:00"), expected=[]).status == WAIT


def test_half_a_days_leave_asks_only_for_the_other_half() -> None:
    assert judged(DAY_SHIFT, [at("07:45:00")], now=EVENING, expected=[1, 2]).status == FULL


# --- R7, R8 ---------------------------------------------------------------------------------------------------------


def test_somebody_who_has_just_scanned_in_an_open_period_is_not_absent() -> None:
    assert judged(DAY_SHIFT, [at("12:30:00")], now=at("12:31:00")).status == PARTIAL


def test_nobody_is_judged_before_a_group_has_ended() -> None:
    assert judged(DAY_SHIFT, [], now=at("08:59:59")).status == WAIT


def test_a_night_shift_is_judged_on_the_day_it_began() -> None:
    scans = [at("19:55:00"), at("00:44:00", day=29), at("05:10:00", day=29)]

    assert judged(NIGHT_SHIFT, scans, now=at("06:30:00", day=29)) == Verdict(FULL, False)


def test_two_shifts_in_one_list_are_judged_each_by_their_own_periods() -> None:
    both = Shift(periods=[*DAY_SHIFT.periods, (8, "20:00", "22:00", "21:00")], groups=[[1, 2], [3], [4], [8]])
    now = at("23:00:00")

    assert judged(both, [at("20:30:00")], now=now, expected=[8]).status == FULL
    assert judged(both, [at("20:30:00")], now=now, expected=[1, 2, 3, 4]).status == ABSENT


def test_the_total_leaves_out_who_is_off() -> None:
    totals = counting.total([Verdict(FULL, True), Verdict(OFF, False), Verdict(WAIT, False), Verdict(ABSENT, False)])

    assert (totals.active_total, totals.off, totals.late) == (3, 1, 1)


# --- R9 and old bodies ----------------------------------------------------------------------------------------------


def test_the_day_is_open_until_its_last_period_has_ended() -> None:
    assert DAY_SHIFT.rules(at("18:59:59"), at("18:59:59")).is_open
    assert not DAY_SHIFT.rules(at("19:00:00"), at("19:00:00")).is_open


@pytest.mark.parametrize(("now", "state"), [("09:09:59", SETTLING), ("09:10:00", END), ("07:00:00", WAIT)])
def test_a_body_without_states_is_judged_by_the_readers_clock(now: str, state: str) -> None:
    period = Period(code=2, start="07:30", end="09:00")

    assert counting.judged_state(period, DAY, now=at(now), day_starts=time(4)) == state


@pytest.mark.parametrize(("ago", "state"), [(0, OPEN), (1, END), (-1, WAIT)])
def test_a_body_without_windows_is_open_today_and_over_afterwards(ago: int, state: str) -> None:
    now = at("12:00:00") + timedelta(days=ago)

    assert counting.judged_state(Period(code=2), DAY, now=now, day_starts=time(4)) == state


def test_a_worker_without_e_is_expected_in_every_period() -> None:
    assert counting.expected_in(Worker(no="1")) is None
    assert counting.expected_in(Worker(no="1", e=[])) == frozenset()
