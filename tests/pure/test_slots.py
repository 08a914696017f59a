from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onprem.slots import BadCron, between, check_cron, slot_of_start
from tests.pure.machine import BANGKOK, local, said

ZONES = ["Asia/Bangkok", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "UTC"]
HOURLY = ["*/5 * * * *", "*/15 1-3 * * *", "* 2 * * *", "0 * * * *", "7 * * * 0"]
NIGHTLY = ["30 2 * * *", "0 0 * * *", "15,45 1,2 * * *", "59 23 31 * *", "0 3 1 * 1", "20 0 * 3,10,11 *"]
# Three days from each of these hold a night in which one of the zones changes its clocks.
SHIFTS = [
    datetime(2026, month, day, tzinfo=UTC) for month, day in ((3, 7), (3, 28), (4, 4), (10, 3), (10, 24), (10, 31))
]


@pytest.mark.parametrize(
    "text", ["20 0 * * *", "*/5 * * * *", "0 6 1-7,15 JAN-MAR mon", "0 0 29 2 *", "5-50/5 8-18 * * 1-5", "0 0 * * 7"]
)
def test_what_cron_knows_is_accepted(text: str) -> None:
    assert check_cron(text) == text


def test_blanks_say_nothing() -> None:
    assert check_cron("  20\t0  * * * ") == "20 0 * * *"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("* * * *", "five fields"),
        ("0 20 0 * * *", "five fields"),
        ("@daily", "five fields"),
        ("", "five fields"),
        ("60 0 * * *", "minute"),
        ("0 24 * * *", "hour"),
        ("0 0 32 * *", "day-of-month"),
        ("0 0 * foo *", "month"),
        ("0 0 * * fri-mon", "day-of-week"),
        ("*/0 * * * *", "minute"),
        ("5/15 * * * *", "minute '5/15'"),
        ("0 0 L * *", "day of the month 'L'"),
        ("0 0 * * 5#2", "day of the week '5#2'"),
        ("0 0 * * 5L", "day of the week '5L'"),
        ("๒๐ 0 * * *", "minute"),
        ("0 0 31 2 *", "day-of-month"),
        ("1, 0 * * *", "minute"),
        ("-1 0 * * *", "minute"),
    ],
)
def test_what_no_crontab_line_may_hold_is_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(BadCron, match=reason):
        check_cron(text)


@pytest.mark.parametrize("begin", SHIFTS)
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("cron", HOURLY + NIGHTLY)
def test_slots_ascend_and_do_not_depend_on_where_one_begins(zone: str, cron: str, begin: datetime) -> None:
    place, end = ZoneInfo(zone), begin + timedelta(days=3)
    every = list(between(cron, place, begin, end))

    assert every == sorted(set(every))
    for minutes in range(0, 3 * 24 * 60, 97):
        start = begin + timedelta(minutes=minutes)
        assert next(between(cron, place, start, end), None) == next((slot for slot in every if slot > start), None)


@pytest.mark.parametrize("begin", SHIFTS)
@pytest.mark.parametrize("zone", ["Asia/Bangkok", "Europe/Berlin", "America/New_York", "America/Havana"])
def test_lines_without_an_hour_follow_the_time_that_passes(zone: str, begin: datetime) -> None:
    every = between("0 * * * *", ZoneInfo(zone), begin, begin + timedelta(days=3))

    assert {later - earlier for earlier, later in pairwise(every)} == {timedelta(hours=1)}


@given(
    st.sampled_from(ZONES),
    st.integers(0, 59),
    st.integers(0, 23),
    st.integers(0, 730).map(lambda days: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days)),
)
def test_a_daily_line_comes_once_each_day(zone: str, minute: int, hour: int, start: datetime) -> None:
    place = ZoneInfo(zone)
    end = start + timedelta(days=5)

    dates = [slot.astimezone(place).date() for slot in between(f"{minute} {hour} * * *", place, start, end)]

    assert dates == sorted(set(dates))
    assert len(dates) in (4, 5, 6)


@pytest.mark.parametrize(
    ("now", "slot"),
    [
        ("10 00:19:29", None),
        ("10 00:19:30", "10 00:20"),
        ("10 00:20:01", "10 00:20"),
        ("10 00:24:00", "10 00:20"),
        ("10 00:30:00", "10 00:20"),
        ("10 00:30:01", None),
    ],
)
def test_a_start_belongs_to_the_slot_it_is_near(now: str, slot: str | None) -> None:
    found = slot_of_start("20 0 * * *", BANGKOK, local(now))

    assert (found and said(found)) == slot


def test_of_several_slots_a_start_belongs_to_the_newest() -> None:
    found = slot_of_start("*/5 * * * *", BANGKOK, local("10 00:20:01"))

    assert found == local("10 00:20")
