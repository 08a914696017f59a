"""One person in one card: what is shown, and which taps are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from msgspec import UNSET

from dashboard import dates, statuses, words
from dashboard.freshness import Line
from dashboard.place import anchor
from dashboard.statuses import Look
from editqueue.merge import CHANGED, PENDING, REFUSED, SAVED, SCANNED, Flag
from mirror import counting
from mirror.wire import ABSENT, LATE, MANUAL_MARKS, PRESENT, Worker, is_clock


@dataclass(frozen=True)
class Button:
    """A tap: the name says what and which period, the value who."""

    name: str
    value: str
    text: str
    label: str
    tone: str


@dataclass(frozen=True)
class Note:
    """A line under the name: badges, then words. ``wrong`` marks a refusal of the tap just made."""

    badges: Sequence[Look] = ()
    text: str = ""
    wrong: bool = False


@dataclass(frozen=True)
class Row:
    anchor: str
    no: str
    name: str
    dept: str
    time: str = ""
    late: bool = False
    buttons: Sequence[Button] = ()
    notes: Sequence[Note] = ()


@dataclass(frozen=True)
class Person:
    """A worker with the cells and the result as the factory has them beside the merged ones."""

    worker: Worker
    factory_cells: dict[int, str | None]
    verdict: counting.Verdict
    factory_verdict: counting.Verdict

    @property
    def name(self) -> str:
        return self.worker.name or self.worker.no


@dataclass(frozen=True)
class Group:
    """A card's periods on one day. ``can_edit``: whether the day is inside the edit window."""

    card: str
    codes: tuple[int, ...]
    rules: counting.DayRules
    names: dict[int, str]
    flags: dict[tuple[int, str], Flag]
    line: Line
    can_edit: bool
    wrong: Mapping[str, str]

    @cached_property
    def touched(self) -> frozenset[str]:
        """The numbers of those whose cells differ from the factory's, or who must be told something."""
        return frozenset(no for code, no in self.flags if code in self.codes)

    def is_touched(self, person: Person) -> bool:
        return person.worker.no in self.touched or (bool(self.wrong) and bool(self.why_wrong(person)))

    def expected_codes(self, worker: Worker) -> tuple[int, ...]:
        expected = counting.expected_in(worker)
        return tuple(code for code in self.codes if expected is None or code in expected)

    def is_expected(self, person: Person) -> bool:
        expected = person.worker.e
        return expected is UNSET or any(code in expected for code in self.codes)

    def marks_of(self, person: Person) -> list[str]:
        cells = person.worker.p
        return [mark for code in self.codes if (mark := cells.get(code))]

    def has_come(self, person: Person) -> bool:
        return counting.has_come(self.codes, person.worker.p)

    def is_missing(self, person: Person) -> bool:
        return self.is_expected(person) and not self.has_come(person)

    def is_late(self, person: Person) -> bool:
        return counting.is_late(self.rules, self.codes, person.worker.p)

    def flags_of(self, person: Person) -> list[tuple[int, Flag]]:
        found = ((code, self.flags.get((code, person.worker.no))) for code in self.codes)
        return [(code, flag) for code, flag in found if flag is not None]

    def is_by_hand(self, person: Person) -> bool:
        """The factory holds a mark made by a person, or a correction or the tap just made met something else there."""
        if any(person.factory_cells.get(code) in MANUAL_MARKS for code in self.codes):
            return True
        return self.is_at_factory(person) and bool(self.flags_of(person) or self.why_wrong(person))

    def why_wrong(self, person: Person) -> str:
        """Why the tap just made was refused."""
        return self.wrong.get(anchor(self.card, person.worker.no), "")

    def is_at_factory(self, person: Person) -> bool:
        """The factory itself has something for this person, whatever waits here."""
        return any(person.factory_cells.get(code) for code in self.codes)


def row(group: Group, person: Person) -> Row:
    """Build a person's row with its buttons and its notes."""
    worker = person.worker
    return Row(
        anchor=anchor(group.card, worker.no),
        no=worker.no,
        name=person.name,
        dept=worker.g or "",
        time=_first_scan(group, worker),
        late=group.is_late(person),
        buttons=_buttons(group, person) if group.can_edit else (),
        notes=_notes(group, person),
    )


def _first_scan(group: Group, worker: Worker) -> str:
    return next((cell for code in group.codes if is_clock(cell := worker.p.get(code)) and cell), "")


def _buttons(group: Group, person: Person) -> list[Button]:
    """Cancel what was set by hand; else set the last period in which this person is expected."""
    worker = person.worker
    by_hand = [code for code in group.codes if worker.p.get(code) in MANUAL_MARKS]
    if by_hand:
        return [_cancel(group, person, code, several=len(by_hand) > 1) for code in by_hand]
    if group.has_come(person):
        return []
    code = (group.expected_codes(worker) or group.codes)[-1]
    return [_set(status, person, code) for status in (PRESENT, LATE)]


def _set(status: str, person: Person, code: int) -> Button:
    look = statuses.WISH[status]
    return Button(f"{status}-{code}", person.worker.no, str(look.label), f"{look.label} {person.name}", look.tone)


def _cancel(group: Group, person: Person, code: int, *, several: bool) -> Button:
    what = statuses.WISH[person.worker.p[code] or PRESENT].label
    text = _("Cancel")
    shown = f"{text} {group.names[code]}" if several else text
    return Button(f"{ABSENT}-{code}", person.worker.no, shown, f"{shown} {what} {person.name}", "")


def _notes(group: Group, person: Person) -> list[Note]:
    notes = []
    flags = dict(group.flags_of(person))
    for code in group.codes:
        cell = person.worker.p.get(code)
        where = f"{group.names[code]} · " if len(group.codes) > 1 else ""
        if code in flags:
            notes.append(_flagged(group, cell, flags[code], where))
        elif cell in MANUAL_MARKS:
            notes.append(Note([statuses.WISH[cell or PRESENT], statuses.EDIT["manual"]], where.removesuffix(" · ")))
    if person.worker.off and not group.has_come(person):
        notes.append(Note([statuses.DAY["off"]], person.worker.off))
    if sentence := group.why_wrong(person):
        notes.append(Note(text=sentence, wrong=True))
    return notes


def _flagged(group: Group, cell: str | None, flag: Flag, where: str) -> Note:
    asked_at = dates.time_of(flag.edit.created_at)
    mark = [statuses.WISH[cell]] if cell in MANUAL_MARKS and cell else []
    if flag.kind in (PENDING, SAVED):
        badges = [*mark, _overlay_look(group, flag)]
        if flag.edit.status == ABSENT:
            return Note(badges, where + _("cancelled %(time)s") % {"time": asked_at})
        return Note(badges, where + asked_at)
    if flag.kind == REFUSED:
        why = words.refusal(flag.edit.error_code, flag.edit.error)
        return Note([*mark, statuses.EDIT["refused"]], where + why)
    if flag.kind == SCANNED:
        return Note(
            [statuses.EDIT["scanned"]], where + _("%(time)s, nothing to correct") % {"time": dates.clock(cell or "")}
        )
    assert flag.kind == CHANGED
    return Note([*mark, statuses.EDIT["changed"]], where + asked_at)


def _overlay_look(group: Group, flag: Flag) -> Look:
    if flag.kind == PENDING and group.line.is_stuck(flag.edit.created_at):
        return statuses.EDIT["stuck"]
    return statuses.EDIT[flag.kind]
