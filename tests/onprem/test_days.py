"""What the agent remembers of each day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from onprem import days
from onprem.days import Known
from onprem.state import State
from tests.onprem.fakes import DAY


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State.open(tmp_path)
    yield state
    state.close()


@pytest.mark.parametrize("gens", [(5, 0), (0, 5), (5, 3), (3, 5)])
def test_the_highest_generation_asked_for_is_owed(state: State, gens: tuple[int, int]) -> None:
    for gen in gens:
        days.owe(state, DAY, gen=gen)

    assert days.owed(state) == {DAY: 5}


@pytest.mark.parametrize(("accepted", "left"), [(4, {DAY: 5}), (5, {}), (6, {})])
def test_only_what_is_new_enough_settles_a_debt(state: State, accepted: int, left: dict[date, int]) -> None:
    days.owe(state, DAY, gen=5)

    days.accept(state, DAY, Known("hash", accepted, is_open=False))

    assert days.owed(state) == left
    assert days.known(state, DAY) == Known("hash", accepted, is_open=False)


@pytest.mark.parametrize(("gen", "left"), [(4, {DAY: 5}), (5, {})])
def test_what_has_not_changed_settles_a_debt_by_the_same_rule(state: State, gen: int, left: dict[date, int]) -> None:
    days.owe(state, DAY, gen=5)

    days.settle(state, DAY, gen)

    assert days.owed(state) == left


def test_open_days_lie_before_today_and_not_too_far_back(state: State) -> None:
    for ago, is_open in ((0, True), (1, True), (2, False), (5, True), (9, True)):
        days.accept(state, DAY - timedelta(days=ago), Known("hash", 1, is_open))

    found = days.open_days(state, since=DAY - timedelta(days=5), before=DAY)

    assert found == {DAY - timedelta(days=1), DAY - timedelta(days=5)}


def test_what_a_restored_cloud_has_lost_is_owed_again(state: State) -> None:
    for ago in range(4):
        days.accept(state, DAY - timedelta(days=ago), Known("hash", 100 - ago, is_open=False))

    lost = days.forget_newer(state, 98, since=DAY - timedelta(days=60))

    assert lost == [DAY - timedelta(days=1), DAY]
    assert days.owed(state) == dict.fromkeys(lost, 0)
    assert [days.known(state, DAY - timedelta(days=ago)) is None for ago in range(4)] == [True, True, False, False]


def test_days_up_to_several_ends_are_named_once_and_oldest_first() -> None:
    assert days.last_days([DAY, DAY - timedelta(days=1)], 2) == [
        DAY - timedelta(days=2),
        DAY - timedelta(days=1),
        DAY,
    ]
