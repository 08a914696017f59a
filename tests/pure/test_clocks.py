"""What columns of old databases hold where a date or a time should be."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onprem.clocks import in_buddhist_years, parse_clock, parse_date, parse_moment, says_for_ever


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-07-28 07:05:09", "2026-07-28T07:05:09"),
        ("2026-07-28T07:05:09", "2026-07-28T07:05:09"),
        (" 2026-07-28 07:05 ", "2026-07-28T07:05:00"),
        ("2026-7-8 7:05:09", "2026-07-08T07:05:09"),
        ("2026-07-28 07:05:09.999999", "2026-07-28T07:05:09"),
        ("2026-07-28 24:00:00", "2026-07-29T00:00:00"),
        ("2569-07-28 07:05:09", "2026-07-28T07:05:09"),
        ("2567-02-29 07:05:09", "2024-02-29T07:05:09"),
        ("1999-12-31 23:59:59", "1999-12-31T23:59:59"),
        ("2026-07-28T00:05:09Z", "2026-07-28T07:05:09"),
        ("2026-07-28 07:05:09+07:00", "2026-07-28T07:05:09"),
    ],
)
def test_a_moment_is_read_in_every_spelling(text: str, moment: str) -> None:
    assert parse_moment(text) == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "0000-00-00 00:00:00",
        "2026-00-00 07:00:00",
        "2026-02-30 07:00:00",
        "9999-12-31 23:59:59",
        "2026-07-28",
        "2026-07-28 25:00:00",
        "2026-07-28 07:60:00",
        "28/07/2026 07:00",
        "๒๐๒๖-๐๗-๒๘ ๐๗:๐๐:๐๐",
        "nonsense",
    ],
)
def test_what_is_no_moment_is_none(text: str | None) -> None:
    assert parse_moment(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-07-28", date(2026, 7, 28)),
        ("2026-07-28 00:00:00", date(2026, 7, 28)),
        ("2569-07-28", date(2026, 7, 28)),
        ("0000-00-00", None),
        ("2026-00-00", None),
        ("9999-12-31", None),
        ("2026-02-30", None),
        (None, None),
    ],
)
def test_a_date_is_read_or_none(text: str | None, day: date | None) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("07:30:00", time(7, 30)),
        ("7:30", time(7, 30)),
        ("24:00:00", time(0, 0)),
        ("25:30:00", time(1, 30)),
        ("07:30:00.000000", time(7, 30)),
        ("1899-12-30 07:30:00", time(7, 30)),
        ("-01:00:00", None),
        ("838:59:59", None),
        ("07:60", None),
        ("", None),
        (None, None),
    ],
)
def test_a_clock_time_is_read_or_none(text: str | None, clock: time | None) -> None:
    assert parse_clock(text) == clock


@pytest.mark.parametrize(
    ("text", "claim"), [("9999-12-31", True), ("2026-07-28", False), ("2569-07-28", False), (None, False)]
)
def test_a_last_day_may_mean_for_ever(text: str | None, claim: bool) -> None:
    assert says_for_ever(text) is claim


@given(st.dates(date(2000, 1, 1), date(2199, 12, 31)))
def test_a_day_in_buddhist_years_is_read_back(day: date) -> None:
    assert parse_date(in_buddhist_years(day, leap_day="02-29")) == day


@given(st.text(max_size=25))
def test_no_text_is_too_strange_to_read(text: str) -> None:
    assert isinstance(parse_moment(text), datetime | None)
    assert isinstance(parse_date(text), date | None)
    assert isinstance(parse_clock(text), time | None)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2199, 12, 31)))
def test_what_a_database_writes_is_read_back(moment: datetime) -> None:
    assert parse_moment(str(moment)) == moment.replace(microsecond=0)
