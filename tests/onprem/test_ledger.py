"""Applying one edit exactly once: crashes, repeats, foremen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from onprem import days, ledger
from onprem.ledger import Deed
from onprem.offered import read
from onprem.ports import Cell, FactoryDown, Refused
from onprem.state import State
from tests.onprem.fakes import DAY, NOON, FakeFactory, cell, edit


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State.open(tmp_path)
    yield state
    state.close()


class PowerCut(BaseException):
    """The process is gone at this instruction."""


class DyingFactory(FakeFactory):
    """Dies with the write ("before" or "after" it)."""

    dies: str = ""

    def set_mark(self, cell: Cell, status: str) -> str:
        if self.dies == "before":
            raise PowerCut
        outcome = super().set_mark(cell, status)
        if self.dies == "after":
            raise PowerCut
        return outcome


class GarblingFactory(FakeFactory):
    """A table without transactions and a column that is too narrow."""

    def set_mark(self, cell: Cell, status: str) -> str:
        if cell in self.unwritable:
            self.marks[cell] = status[:3]
        return super().set_mark(cell, status)


def apply(factory: FakeFactory, state: State, **wish: object) -> Deed | None:
    return ledger.apply(read(edit(**wish)), factory=factory, state=state, now=NOON, today=DAY)  # type: ignore[arg-type]


def test_a_wish_is_set_stamped_and_its_day_owed_from_that_stamp(state: State) -> None:
    factory = FakeFactory()

    deed = apply(factory, state)

    assert deed == Deed("applied", int(NOON))
    assert factory.marks == {cell(): "late"}
    assert days.owed(state) == {DAY: int(NOON)}


def test_a_cancel_deletes(state: State) -> None:
    factory = FakeFactory(marks={cell(): "late"})

    apply(factory, state, status="absent")

    assert factory.marks == {}


def test_a_real_scan_is_never_overwritten(state: State) -> None:
    factory = FakeFactory(scans={cell(): "06:55"})

    deed = apply(factory, state)

    assert deed == Deed("superseded", int(NOON))
    assert factory.writes == []


def test_a_revision_that_was_done_is_acked_again_but_not_written_again(state: State) -> None:
    factory = FakeFactory()
    apply(factory, state)
    factory.marks[cell()] = "present"  # a foreman

    deed = apply(factory, state)

    assert deed == Deed("applied", int(NOON) + 1, is_repeat=True)
    assert factory.marks == {cell(): "present"}
    assert days.owed(state) == {DAY: int(NOON) + 1}


def test_a_superseded_revision_is_repeated_as_superseded(state: State) -> None:
    factory = FakeFactory(scans={cell(): "06:55"})
    apply(factory, state)

    assert apply(factory, state) == Deed("superseded", int(NOON) + 1, is_repeat=True)


def test_an_older_revision_than_the_one_done_is_skipped(state: State) -> None:
    factory = FakeFactory()
    apply(factory, state, rev=9)

    assert apply(factory, state, rev=8, status="present") is None
    assert factory.marks == {cell(): "late"}


def test_a_newer_revision_is_set(state: State) -> None:
    factory = FakeFactory()
    apply(factory, state, rev=5)

    apply(factory, state, rev=6, status="present")

    assert factory.writes == [(cell(), "late"), (cell(), "present")]


def test_two_people_who_differ_by_a_letters_case_are_two_people(state: State) -> None:
    factory = FakeFactory(people=("a1", "A1"))
    apply(factory, state, no="a1", rev=9)

    apply(factory, state, no="A1", rev=5, status="present")

    assert factory.marks == {cell("a1"): "late", cell("A1"): "present"}


def test_a_crash_before_the_write_leads_to_the_write(state: State) -> None:
    factory = DyingFactory()
    crash(factory, state, "before")

    assert apply(factory, state) == Deed("applied", int(NOON))
    assert factory.writes == [(cell(), "late")]


def test_a_crash_after_the_write_does_not_lead_to_a_second_one(state: State) -> None:
    factory = DyingFactory()
    crash(factory, state, "after")

    assert apply(factory, state) == Deed("applied", int(NOON))
    assert factory.writes == [(cell(), "late")]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_crash_leaves_the_day_owed(state: State, moment: str) -> None:
    crash(DyingFactory(), state, moment)

    assert days.owed(state) == {DAY: 0}


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_correction_made_at_the_factory_after_a_crash_is_left_alone(state: State, moment: str) -> None:
    factory = DyingFactory()
    crash(factory, state, moment)
    factory.marks[cell()] = "present"  # a foreman

    assert apply(factory, state) == Deed("superseded", int(NOON))
    assert factory.marks == {cell(): "present"}


def test_a_correction_that_deletes_is_one_too(state: State) -> None:
    factory = DyingFactory(marks={cell(): "present"})
    crash(factory, state, "after")
    del factory.marks[cell()]  # a foreman

    assert apply(factory, state) == Deed("superseded", int(NOON))
    assert factory.marks == {}


def test_a_cancel_that_crashed_after_the_delete_is_done(state: State) -> None:
    factory = DyingFactory(marks={cell(): "present"})
    with pytest.raises(PowerCut):
        factory.dies = "after"
        apply(factory, state, status="absent")
    factory.dies = ""

    assert apply(factory, state, status="absent") == Deed("applied", int(NOON))
    assert factory.writes == [(cell(), "absent")]


def test_a_newer_wish_after_a_crash_is_simply_set(state: State) -> None:
    factory = DyingFactory()
    crash(factory, state, "after")

    assert apply(factory, state, rev=6, status="present") == Deed("applied", int(NOON))
    assert factory.marks == {cell(): "present"}


def test_a_failed_write_is_tried_again_when_the_edit_comes_back(state: State) -> None:
    factory = FakeFactory(unwritable={cell()})
    with pytest.raises(Refused, match="cannot be written"):
        apply(factory, state)
    factory.unwritable.clear()

    assert apply(factory, state) == Deed("applied", int(NOON))


def test_what_a_failed_write_left_behind_is_not_taken_for_a_correction(state: State) -> None:
    factory = GarblingFactory(unwritable={cell()})
    with pytest.raises(Refused):
        apply(factory, state)
    assert factory.marks == {cell(): "lat"}
    factory.unwritable.clear()

    assert apply(factory, state) == Deed("applied", int(NOON))
    assert factory.marks == {cell(): "late"}


def test_an_unknown_person_leaves_no_trace_in_the_ledger(state: State) -> None:
    with pytest.raises(Refused, match="nobody"):
        apply(FakeFactory(), state, no="999")

    assert state.db.execute("SELECT count(*) FROM ledger").fetchone() == (0,)
    assert days.owed(state) == {}


def test_a_factory_that_is_away_leaves_the_edit_as_it_was(state: State) -> None:
    factory = FakeFactory(down=FactoryDown("gone"))
    with pytest.raises(FactoryDown):
        apply(factory, state)
    factory.down = None

    assert apply(factory, state) == Deed("applied", int(NOON))


def test_a_clock_set_back_does_not_turn_a_deed_into_a_refusal(state: State) -> None:
    factory = FakeFactory()
    apply(factory, state)

    again = ledger.apply(read(edit()), factory=factory, state=state, now=NOON, today=DAY - timedelta(days=1))

    assert again == Deed("applied", int(NOON) + 1, is_repeat=True)


def test_deeds_are_forgotten_after_more_than_a_year(state: State) -> None:
    apply(FakeFactory(), state)

    ledger.forget_old(state, now=NOON + 399 * 86400)
    assert state.db.execute("SELECT count(*) FROM ledger").fetchone() == (1,)
    ledger.forget_old(state, now=NOON + 401 * 86400)
    assert state.db.execute("SELECT count(*) FROM ledger").fetchone() == (0,)


def crash(factory: DyingFactory, state: State, moment: str) -> None:
    factory.dies = moment
    with pytest.raises(PowerCut):
        apply(factory, state)
    factory.dies = ""
