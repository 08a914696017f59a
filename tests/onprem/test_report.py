"""What is left undone, in one code and one line."""

from __future__ import annotations

import pytest

from onprem.report import Report


def test_nothing_undone_is_0() -> None:
    assert (Report().exit_code, str(Report())) == (0, "all done")


def test_what_is_tried_again_outweighs_what_was_refused() -> None:
    report = Report(unanswered={"edits"}, refused={"2026-07-28"})

    assert report.exit_code == 75
    assert str(report) == "will be tried again: edits; refused: 2026-07-28"


def test_many_days_are_named_by_the_first_and_the_last() -> None:
    report = Report(unanswered={f"2026-07-{day}" for day in range(10, 30)} | {"days"})

    assert str(report) == "will be tried again: 20 days from 2026-07-10 to 2026-07-29, days"


def test_a_part_that_went_well_leaves_no_trace() -> None:
    report = Report(unanswered={"days"}, refused={"days"}, troubles={"days": "factory_down"})

    report.went_well("days")

    assert report == Report()


@pytest.mark.parametrize(
    ("troubles", "word"),
    [({}, ""), ({"cron": "cron_missing", "edits": "factory_down"}, "factory_down"), ({"x": "unheard of"}, "")],
)
def test_the_heartbeat_carries_the_heaviest_trouble(troubles: dict[str, str], word: str) -> None:
    assert Report(troubles=troubles).error == word
