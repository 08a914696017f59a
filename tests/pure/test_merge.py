from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editqueue.merge import EditState, MergedDay, Stamp, merge, shown
from mirror.wire import Period, Snapshot, Worker, encode, is_clock

NOW = datetime(2026, 7, 28, 9, tzinfo=UTC)
STAMP = Stamp(gen=100, stored_at=NOW)

cells = st.one_of(st.none(), st.sampled_from(["present", "late", "06:55", "12:40"]))
wishes = st.sampled_from(["present", "late", "absent"])


def edit(status: str = "late", **changes: object) -> EditState:
    state = EditState(
        id=1,
        period=1,
        employee_no="0012",
        status=status,
        rev=1,
        created_at=NOW,
        applied_at=None,
        applied_gen=None,
        held_at=None,
        outcome="",
        error_code="",
        error="",
    )
    return state._replace(**changes)  # type: ignore[arg-type]


def applied(status: str = "late", **changes: object) -> EditState:
    return edit(status, **{"applied_at": NOW, "outcome": "applied", **changes})


def day(*people: Worker) -> Snapshot:
    periods = [Period(code=1, start="06:00", end="07:30", state="end"), Period(code=2, state="end")]
    return Snapshot(date="2026-07-28", gen=100, groups=[[1], [2]], periods=periods, workers=list(people), rules=1)


def merged(snapshot: Snapshot, *edits: EditState) -> MergedDay:
    return merge(snapshot, edits, STAMP)


@pytest.mark.parametrize(
    ("latest", "cell", "flag"),
    [
        (None, None, None),
        (edit("late"), "late", "pending"),
        (edit("absent"), None, "pending"),
        (applied(applied_gen=101), "late", "saved"),
        (applied(applied_gen=100), None, None),
        (applied(applied_gen=99), None, None),
        (applied(), "late", "saved"),
        (applied(applied_at=NOW - timedelta(seconds=1)), None, None),
        (edit(held_at=NOW), None, "refused"),
        (applied(outcome="superseded", applied_gen=101), None, "changed"),
        (applied(outcome="discarded", applied_gen=None), None, None),
    ],
)
def test_an_empty_cell_shows_what_the_table_says(latest: EditState | None, cell: str | None, flag: str | None) -> None:
    assert shown(None, latest, STAMP) == (cell, flag)


@given(wishes, st.booleans(), st.integers(90, 110))
def test_no_wish_ever_hides_a_real_scan(status: str, is_closed: bool, gen: int) -> None:
    latest = applied(status, applied_gen=gen) if is_closed else edit(status)

    assert shown("06:55", latest, STAMP).cell == "06:55"


@given(cells, wishes)
def test_no_clock_ends_an_overlay(cell: str | None, status: str) -> None:
    old = applied(status, applied_gen=101, applied_at=NOW - timedelta(days=3000))

    assert shown(cell, old, STAMP) == shown(cell, old._replace(applied_at=NOW + timedelta(days=3000)), STAMP)


@given(cells, cells, wishes)
def test_merging_leaves_the_snapshot_as_it_is(one: str | None, two: str | None, status: str) -> None:
    snapshot = day(Worker(no="0012", p={1: one, 2: two}), Worker(no="12", p={1: None, 2: None}))
    before = encode(snapshot)

    merged(snapshot, edit(status))

    assert encode(snapshot) == before


@given(st.lists(st.tuples(cells, cells), max_size=6), wishes)
def test_the_totals_add_up(people: list[tuple[str | None, str | None]], status: str) -> None:
    snapshot = day(*[Worker(no=str(n), p={1: one, 2: two}) for n, (one, two) in enumerate(people)])

    result = merged(snapshot, edit(status, employee_no="0"))

    stat = result.snapshot.stat
    assert result.snapshot.active_total == stat.full + stat.partial + stat.absent + stat.wait == len(people)


def test_a_wish_moves_the_counts() -> None:
    snapshot = day(Worker(no="0012", p={1: None, 2: None}))

    assert merged(snapshot).totals.absent == 1
    assert merged(snapshot, edit("late")).totals.partial == 1


def test_flags_name_the_cell_they_stand_for() -> None:
    snapshot = day(Worker(no="0012", p={1: None, 2: None}))
    refused = edit(period=2, held_at=NOW, error_code="unknown_employee")

    person = merged(snapshot, applied(applied_gen=101), refused).snapshot.workers[0]

    assert (person.sv, person.er, person.pd) == ({1: 1}, {2: "unknown_employee"}, {})


def test_an_edit_of_somebody_who_left_the_roster_counts_as_waiting_and_harms_nothing() -> None:
    result = merged(day(), edit(), edit(period=9))

    assert (result.waiting, result.flags) == (2, {})


@given(cells)
def test_a_cell_is_a_scan_exactly_if_it_is_a_clock_time(cell: str | None) -> None:
    assert is_clock(cell) == (cell not in (None, "present", "late"))
