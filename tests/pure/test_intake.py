"""What the cloud makes of a body, without any server: `tests/cloud/test_ingest.py` has the refusals."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirror import intake
from mirror.looseday import Ingest
from mirror.wire import BadPayload, decode_snapshot, encode

cells = st.one_of(st.none(), st.sampled_from(["present", "late", "00:00", "23:59"]))
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
workers = st.lists(
    st.fixed_dictionaries(
        {"no": texts.filter(bool), "name": st.none() | texts, "g": st.none() | texts},
        optional={
            "p": st.dictionaries(st.sampled_from("123"), cells),
            "e": st.lists(st.sampled_from([1, 2, 3]), unique=True),
            "off": st.none() | texts,
        },
    ),
    unique_by=lambda person: str(person["no"]),
    max_size=5,
)


def parse(**said: Any) -> Ingest:
    body = {"date": "2026-07-28", "periods": [{"code": 1}, {"code": 2}, {"code": 3}], **said}
    return intake.parse(json.dumps(body).encode())


@given(workers)
def test_the_canonical_form_is_its_own_canonical_form(people: list[dict[str, Any]]) -> None:
    first = parse(workers=people).snapshot

    assert intake.parse(encode(first)).snapshot == first
    assert decode_snapshot(encode(first)) == first


@given(st.binary(max_size=60))
def test_no_bytes_at_all_raise_anything_but_a_refusal(body: bytes) -> None:
    with pytest.raises(BadPayload):
        intake.parse(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(
        "date gen stat groups periods workers scans_through holiday notices rules force day_starts".split()
    ),
    json_values,
)
def test_any_value_in_any_field_is_taken_or_refused_with_its_place(name: str, value: Any) -> None:
    with suppress(BadPayload):
        assert parse(**{name: value}).snapshot.periods


@pytest.mark.parametrize("x", [0, False, "0", None, ""])
def test_a_row_is_on_the_roster_unless_x_says_otherwise(x: object) -> None:
    sent = parse(periods=[{"code": 1, "scan": [{"no": "1", "t": "07:00", "x": x}]}])

    assert [person.no for person in sent.snapshot.workers] == ["1"]


def test_an_escaped_backslash_before_u0000_is_harmless_text() -> None:
    assert parse(holiday="\\u0000").snapshot.holiday == "\\u0000"


def test_cells_of_periods_that_the_day_has_not_are_left_out() -> None:
    sent = parse(workers=[{"no": "1", "p": {"1": "07:00", "9": "late"}}])

    assert sent.snapshot.workers[0].p == {1: "07:00", 2: None, 3: None}


@pytest.mark.parametrize(
    ("clock", "kept"), [("06:00", "06:00"), ("06:00:00", "06:00"), ("06:00:30", "06:00:30"), ("24:00", "00:00")]
)
def test_window_times_keep_seconds_only_where_they_matter(clock: str, kept: str) -> None:
    assert parse(periods=[{"code": 1, "start": clock}]).snapshot.periods[0].start == kept
