"""Two agents by mistake, at random: one factory, one cloud, a memory each, and one runs inside the other's run.

The cloud and both agents are the real ones, as in `tests.cloud.test_machine`. However they get in each other's way,
in the end the factory has the last wish, the page says so, and nobody goes on repeating himself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from editqueue import reading, services
from editqueue.guards import Wish
from editqueue.models import Edit, EditEvent
from mirror.models import DaySnapshot
from onprem.agent import Asked, run_once
from onprem.journal import Journal
from onprem.run import Run
from onprem.state import State
from tests.cloud.day import body, ingest, pending, today
from tests.cloud.test_machine import Factory, Faults, Line, PowerCut

WISHES = ("present", "late", "absent")
# One cell: they must meet.
CELL = (1, "0012")
# A run takes some fourteen steps; the first eight are the edit's.
STEPS = range(1, 9)
NO_CUT = 0
LIVES = 60
ROUNDS = 3


@dataclass
class Agent:
    """One of the two: its memory, its view of the factory they share, its line."""

    folder: Path
    factory: Factory
    line: Line = field(default_factory=Line)
    is_running: bool = False

    def run(self, faults: Faults) -> None:
        """Not while it runs already: its own lock keeps it from that."""
        if self.is_running:
            return
        self.is_running = True
        self.factory.faults = self.line.faults = faults
        state = self.factory.ledger = State.open(self.folder)
        try:
            run_once(Run(self.factory, self.line, state, Journal(lambda _line: None, verbosity=0), time.time), Asked())
        except PowerCut:
            pass
        finally:
            state.close()
            self.is_running = False


class Two:
    """The agents' life together, told by ``dice`` and kept in ``script``."""

    def __init__(self, folder: Path, dice: Random) -> None:
        first = Factory()
        second = Factory(marks=first.marks, scans=first.scans, by_hand=first.by_hand)
        self.agents = [Agent(folder / "a", first), Agent(folder / "b", second)]
        self.dice, self.script, self.wished = dice, list[Any](), ""
        self.agents[0].run(Faults())

    def tap(self) -> None:
        self.wished = self.dice.choice([wish for wish in WISHES if wish != (shown() or "absent")])
        self.script.append(self.wished)
        services.mark(Wish(today(), *CELL, self.wished), now=timezone.now(), source="phone")

    def live(self) -> None:
        """A wish, and a run of one agent; at some steps of it somebody taps again and the other agent runs."""
        which = self.dice.randrange(2)
        self.tap()
        happens: dict[int, Callable[[], None]] = {
            self.dice.choice(STEPS): partial(self.meanwhile, 1 - which) for _ in range(self.dice.randint(1, 2))
        }
        lost, cut = set(self.dice.choices([1, 2, 3], k=self.dice.choice([0, 0, 1]))), self.cut()
        self.script.append((which, sorted(happens), lost, cut))
        self.agents[which].run(Faults(set(), lost, cut, happens))

    def meanwhile(self, which: int) -> None:
        self.tap()
        cut = self.cut()
        self.script.append((which, cut))
        self.agents[which].run(Faults(power_cut=cut))

    def cut(self) -> int:
        return self.dice.choice([NO_CUT, NO_CUT, self.dice.choice(STEPS)])

    def settle(self) -> None:
        first = self.dice.randrange(2)
        for _ in range(ROUNDS):
            self.agents[first].run(Faults())
            self.agents[1 - first].run(Faults())


def history() -> list[Any]:
    return list(EditEvent.objects.order_by("id").values())


def shown() -> str | None:
    day = reading.merged_day(today(), timezone.now())
    assert day is not None
    return day.snapshot.workers[0].p[CELL[0]]


@pytest.mark.django_db
def test_however_two_agents_meet_both_sides_end_with_the_last_wish(tmp_path: Path) -> None:
    for seed in range(LIVES):
        for model in (Edit, DaySnapshot, EditEvent):
            model.objects.all().delete()
        two = Two(tmp_path / str(seed), Random(seed))
        for _ in range(ROUNDS):
            two.live()
        two.settle()
        said = history()
        two.settle()

        wanted = None if two.wished == "absent" else two.wished
        stands = two.agents[0].factory.marks.get(CELL)
        assert (stands, shown(), Edit.objects.waiting().count()) == (wanted, wanted, 0), (seed, two.script)
        assert history() == said, (seed, two.script)


@pytest.mark.django_db
def test_what_is_stored_during_the_long_poll_is_seen_at_its_end(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent stamps its next ack above it, and would never know."""
    ingest(client, body(gen=1_785_200_000))

    def wait(_seconds: float) -> None:
        ingest(client, body(gen=1_785_200_777, holiday="x"))

    monkeypatch.setattr("editqueue.offering.wait_for_an_edit", wait)

    assert pending(client, wait=25).json()["gen"] == 1_785_200_777


@pytest.mark.django_db
def test_what_the_other_one_sent_last_does_not_stay_when_it_is_stopped(tmp_path: Path) -> None:
    """The factory is again as we knew it, and a day that did not change is not sent."""
    two = Two(tmp_path, Random(0))
    services.mark(Wish(today(), *CELL, "late"), now=timezone.now(), source="phone")
    two.agents[1].run(Faults())
    two.agents[1].factory.marks.clear()

    two.agents[0].run(Faults())

    assert shown() is None
