"""Applying one edit exactly once, whatever crashes or is delivered again.

The intent is on disk before the factory is touched, the deed before the cloud hears of it. What was done is never
written a second time: by then a foreman may have corrected it. What the cloud has not been heard to take stays
`unheard`: with another agent at work it may not be asked for again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from mirror.wire import ABSENT
from onprem import days
from onprem.offered import Edit, Name
from onprem.ports import Cell, Factory, Refused
from onprem.state import State

APPLIED, SUPERSEDED = "applied", "superseded"
# Closed edits are forgotten by the cloud after a month; a year and a bit is for whoever wonders later.
_KEPT_SECONDS = 400 * 24 * 3600


class Deed(NamedTuple):
    """What to tell the cloud. ``is_repeat``: this revision was done before, nothing was written now."""

    outcome: str
    gen: int
    is_repeat: bool = False


class _Entry(NamedTuple):
    rev: int
    found: str | None
    outcome: str | None
    skipped_rev: int | None


def apply(edit: Edit, *, factory: Factory, state: State, now: float, today: date) -> Deed | None:
    """Make the cell what the edit wants. Return None if a newer intention for the cell was done already.

    Raise Refused where the factory cannot, FactoryTrouble where it is the factory's own trouble; the intent stays
    noted then and is resolved when the edit is delivered again. What lies after ``today`` is refused only at first
    sight: a clock that was set back undoes nothing.
    """
    entry = _entry(state, edit.cell)
    if entry is not None and entry.rev > edit.name.rev:
        return _outdated(edit, entry, state=state, now=now)
    if entry is not None and entry.rev == edit.name.rev:
        if entry.outcome is not None:
            return _done(edit, entry.outcome, state=state, now=now, is_repeat=True)
        outcome = _resolve(edit, entry.found, factory=factory, state=state)
    else:
        if edit.cell.day > today:
            raise Refused("future_day", f"at the factory it is {today}", final=True)
        _note_intent(edit, factory.look(edit.cell), state=state, now=now)
        outcome = _set(edit, factory=factory, state=state)
    return _done(edit, outcome, state=state, now=now)


def _outdated(edit: Edit, entry: _Entry, *, state: State, now: float) -> Deed | None:
    """A late copy of an older wish is left alone. One that the next run is offered again is all that a cloud restored
    from a backup remembers, and would wait for ever: something newer stands there.
    """
    if entry.skipped_rev == edit.name.rev:
        return Deed(SUPERSEDED, state.stamp(now), is_repeat=True)
    state.db.execute(
        "UPDATE ledger SET skipped_rev = ? WHERE day = ? AND period = ? AND employee_no = ?",
        (edit.name.rev, *_key(edit.cell)),
    )
    return None


def unheard(state: State) -> list[Edit]:
    """Return what was done, or may have been in a run that broke off, and the cloud may not know of."""
    rows = state.db.execute(
        "SELECT edit_id, rev, status, day, period, employee_no FROM ledger WHERE is_heard = 0 ORDER BY edit_id"
    )
    return [
        Edit(Name(edit_id, rev, status), Cell(date.fromisoformat(day), period, no))
        for edit_id, rev, status, day, period, no in rows
    ]


def hear(state: State, names: Iterable[Name]) -> None:
    """The cloud has taken these intentions as the newest, or been told that they are not."""
    with state.transaction():
        state.db.executemany(
            "UPDATE ledger SET is_heard = 1 WHERE is_heard = 0 AND edit_id = ? AND rev = ?",
            [(name.id, name.rev) for name in names],
        )


def forget_old(state: State, *, now: float) -> None:
    state.db.execute("DELETE FROM ledger WHERE noted_at < ?", (int(now) - _KEPT_SECONDS,))


def _resolve(edit: Edit, found: str | None, *, factory: Factory, state: State) -> str:
    """An intent is open: a run ended between noting it and noting the deed. What stands there now tells which."""
    now_there = factory.look(edit.cell)
    if now_there == _wanted(edit):
        return APPLIED
    if now_there != found:
        return SUPERSEDED
    return _set(edit, factory=factory, state=state)


def _wanted(edit: Edit) -> str | None:
    return None if edit.name.status == ABSENT else edit.name.status


def _set(edit: Edit, *, factory: Factory, state: State) -> str:
    try:
        return factory.set_mark(edit.cell, edit.name.status)
    except Refused:
        # We are alive to see what the attempt has left behind: that is no foreman's correction.
        _note_found(edit.cell, factory.look(edit.cell), state)
        raise


def _done(edit: Edit, outcome: str, *, state: State, now: float, is_repeat: bool = False) -> Deed:
    """Stamp after the write, so that a snapshot at or above this generation is sure to contain it."""
    with state.transaction():
        gen = state.stamp(now)
        state.db.execute(
            "UPDATE ledger SET outcome = ?, edit_id = ?, is_heard = 0 WHERE day = ? AND period = ? AND employee_no = ?",
            (outcome, edit.name.id, *_key(edit.cell)),
        )
        days.owe(state, edit.cell.day, gen=gen)
    return Deed(outcome, gen, is_repeat)


def _note_intent(edit: Edit, found: str | None, *, state: State, now: float) -> None:
    with state.transaction():
        state.db.execute(
            "INSERT OR REPLACE INTO ledger (day, period, employee_no, rev, status, found, noted_at, edit_id, is_heard) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (*_key(edit.cell), edit.name.rev, edit.name.status, found, int(now), edit.name.id),
        )
        days.owe(state, edit.cell.day)


def _note_found(cell: Cell, found: str | None, state: State) -> None:
    state.db.execute(
        "UPDATE ledger SET found = ? WHERE day = ? AND period = ? AND employee_no = ?", (found, *_key(cell))
    )


def _entry(state: State, cell: Cell) -> _Entry | None:
    row = state.db.execute(
        "SELECT rev, found, outcome, skipped_rev FROM ledger WHERE day = ? AND period = ? AND employee_no = ?",
        _key(cell),
    ).fetchone()
    return None if row is None else _Entry(*row)


def _key(cell: Cell) -> tuple[str, int, str]:
    return cell.day.isoformat(), cell.period, cell.employee_no
