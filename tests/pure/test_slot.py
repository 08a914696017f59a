from __future__ import annotations

from datetime import date, datetime, time

import pytest

from onprem.slot import Slot, from_option, is_catchup_replay, running, scheduled_for

NIGHT = Slot("N", datetime.fromisoformat("2026-11-14T00:20:00+07:00"), is_replay=True)
STARTS = time(4, 0)


def test_after_midnight_the_business_date_is_still_the_day_before() -> None:
    assert NIGHT.day(STARTS) == date(2026, 11, 13)
    assert NIGHT.day(time(0, 0)) == date(2026, 11, 14)


def test_the_business_date_is_the_factorys_whatever_the_zone_of_the_jobs() -> None:
    assert Slot("N", datetime.fromisoformat("2026-11-13T18:20:00+01:00"), is_replay=False).day(STARTS) == date(
        2026, 11, 13
    )


def test_placeholders_are_replaced_anywhere_and_other_braces_left_alone() -> None:
    words = ["php", "--out=/tmp/{date}-{date}.txt", "{scheduled_for}{catchup}", "{x} {} {{date}} {Date} ${HOME}"]

    assert NIGHT.fill(words, STARTS) == [
        "php",
        "--out=/tmp/2026-11-13-2026-11-13.txt",
        "2026-11-14T00:20:00+07:001",
        "{x} {} {2026-11-13} {Date} ${HOME}",
    ]


def test_the_environment_names_slot_and_replay() -> None:
    assert NIGHT.environment() == {
        "ATTSYNC_SCHEDULED_FOR": "2026-11-14T00:20:00+07:00",
        "ATTSYNC_CATCHUP": "1",
        "ATTSYNC_JOB": "N",
    }


def test_our_commands_may_ask_for_their_slot() -> None:
    with running(NIGHT):
        assert (scheduled_for(), is_catchup_replay()) == (NIGHT.at, True)
    assert (scheduled_for(), is_catchup_replay()) == (None, False)


def test_the_option_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in NIGHT.environment().items():
        monkeypatch.setenv(name, value)

    assert from_option(NIGHT.at.isoformat()) == NIGHT


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-11-14", "2026-11-14T00:20:00"])
def test_a_slot_without_an_offset_is_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - some are fromisoformat's own words
        from_option(text)
