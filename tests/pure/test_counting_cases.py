"""The worked examples that came with the counting rules."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from mirror import counting
from tests.pure.workday import Shift, cells

CASES = json.loads((Path(__file__).parent.parent / "cases" / "counting.json").read_text(encoding="utf-8"))


def shift_of(case: dict[str, Any]) -> Shift:
    """The case's shift, with the periods that exist on its day."""
    raw = CASES["shifts"][case["shift"]]
    there = [p for p in raw["periods"] if p["code"] in case["periods_that_day"]]
    periods = [(p["code"], p["start"], p["end"], p["late_after"]) for p in there]
    return Shift(periods=periods, groups=raw["groups"], day_starts=raw["day_starts"])


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["why"])
def test_the_example_comes_out_as_written(case: dict[str, Any]) -> None:
    shift, day = shift_of(case), date.fromisoformat(case["day"])
    now, through = datetime.fromisoformat(case["now"]), datetime.fromisoformat(case["scans_through"])
    rules = shift.rules(now, through, day)
    expected = None if case["expected"] is None else frozenset(case["expected"])
    found = cells(
        shift.windows(day),
        [datetime.fromisoformat(scan) for scan in case["scans"]],
        overrides={int(code): status for code, status in case["overrides"].items()},
        wishes={int(code): status for code, status in case["waiting_edits"].items()},
        expected=expected,
    )

    status, late = counting.judge(rules, found, expected)

    states = {str(code): rule.state for code, rule in rules.rules.items()}
    assert {"status": status, "late": late, "states": states} == case["want"]
