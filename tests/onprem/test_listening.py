"""Listening: edits the moment they arrive, today every 20 seconds, and no busy loop whatever the cloud answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from onprem import agent
from onprem.agent import Asked
from onprem.locks import AlreadyRunning
from onprem.ports import FactoryDown, Offer, Suspicious
from onprem.run import Run
from onprem.state import State
from tests.onprem.fakes import CUT, DAY, FakeCloud, Stage, cell, edit


class PollingCloud(FakeCloud):
    """Holds the line like the real one: an empty poll takes its time, and ``events`` happen at given polls."""

    holds = True
    tick: Callable[[float], None]

    def __init__(self, events: dict[int, Callable[[], None]]) -> None:
        super().__init__()
        self.events = events
        self.polls: list[int] = []

    def pending(self, beat: object, *, after: str | None = None, limit: int, wait: int = 0) -> Offer:
        if wait:
            self.polls.append(wait)
            self.events.get(len(self.polls), lambda: None)()
        offer = super().pending(beat, after=after, limit=limit, wait=wait)  # type: ignore[arg-type]
        if wait and self.holds and not offer.edits:
            self.tick(wait)
        return offer

    def applied(self, acks: object, nacks: object) -> frozenset[int]:
        outdated = super().applied(acks, nacks)  # type: ignore[arg-type]
        self.close_answered()
        return outdated


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock of the test's own: sleeping moves it."""
    pauses: list[float] = []
    now = [1000.0]

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("onprem.agent.time.sleep", sleep)
    monkeypatch.setattr("onprem.agent.time.monotonic", lambda: now[0])
    PollingCloud.tick = staticmethod(lambda seconds: now.__setitem__(0, now[0] + seconds))
    return pauses


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    state = State.open(tmp_path)
    yield Stage(state)
    state.close()


def listen(stage: Stage, *, seconds: float = 50, **events: Callable[[], None]) -> Run:
    """``at_3=…`` happens with the third poll."""
    stage.cloud = PollingCloud({int(name[3:]): event for name, event in events.items()})
    run = stage.run()
    agent.run_once(run, Asked())
    agent.listen(run, Asked(), seconds=seconds)
    return run


def polls(stage: Stage) -> list[int]:
    assert isinstance(stage.cloud, PollingCloud)
    return stage.cloud.polls


@pytest.mark.usefixtures("slept")
def test_fifty_seconds_are_three_polls_and_two_looks_at_today(stage: Stage) -> None:
    run = listen(stage)

    assert polls(stage) == [20, 20, 10]
    assert stage.factory.captured.count(DAY) == 3
    assert run.report.exit_code == 0


@pytest.mark.usefixtures("slept")
def test_an_idle_listener_writes_one_line(stage: Stage) -> None:
    listen(stage)
    stage.log.clear()
    listen(stage)

    assert stage.lines() == ["2026-07-28: unchanged"]


def test_an_edit_is_applied_and_its_day_pushed_without_a_pause(stage: Stage, slept: list[float]) -> None:
    listen(stage, at_2=lambda: stage.cloud.edits.append(edit()))

    assert stage.factory.marks == {cell(): "late"}
    assert (stage.cloud.days["2026-07-28"].gen or 0) >= stage.cloud.acks[0]["gen"]
    assert slept == []


@pytest.mark.usefixtures("slept")
def test_a_scan_reaches_the_cloud_at_the_next_look(stage: Stage) -> None:
    listen(stage, at_2=lambda: stage.factory.scans.update({cell(): "12:01"}))

    assert stage.cloud.days["2026-07-28"].workers[0].p == {1: "12:01"}


def test_a_cloud_that_holds_no_line_is_not_asked_in_a_loop(
    stage: Stage, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PollingCloud, "holds", False)
    listen(stage)

    assert len(polls(stage)) < 25
    assert set(slept) <= {agent.BREATH_S, *slept}
    assert sum(slept) > 40


def test_an_edit_that_was_put_off_is_not_tried_again_nor_asked_for_in_a_loop(stage: Stage, slept: list[float]) -> None:
    stage.factory.unwritable = {cell()}
    listen(stage, at_1=lambda: stage.cloud.edits.append(edit()))

    assert len(stage.cloud.nacks) == 1
    assert len(polls(stage)) < 25


@pytest.mark.usefixtures("slept")
def test_other_edits_go_on_beside_one_that_was_put_off(stage: Stage) -> None:
    stage.factory.unwritable = {cell()}
    listen(
        stage,
        at_1=lambda: stage.cloud.edits.append(edit()),
        at_4=lambda: stage.cloud.edits.append(edit("777", id=8)),
    )

    assert [ack["id"] for ack in stage.cloud.acks] == [8]


def test_a_line_that_is_down_is_said_once_and_asked_for_in_peace(stage: Stage, slept: list[float]) -> None:
    run = listen(stage, at_1=lambda: stage.cloud.before.update(pending=CUT, ingest=CUT))

    assert len(polls(stage)) < 25
    assert len([line for line in stage.lines() if "connection lost" in line]) == 1
    assert run.report.exit_code == 75


@pytest.mark.usefixtures("slept")
def test_a_line_that_comes_back_makes_all_well(stage: Stage) -> None:
    def down() -> None:
        stage.cloud.before.update(pending=CUT, ingest=CUT)

    def up() -> None:
        stage.cloud.before.clear()

    run = listen(stage, at_1=down, at_4=up)

    assert run.report.exit_code == 0


@pytest.mark.usefixtures("slept")
def test_a_factory_that_comes_back_makes_all_well(stage: Stage) -> None:
    def down() -> None:
        stage.factory.down = FactoryDown("gone")
        stage.cloud.edits.append(edit())

    def up() -> None:
        stage.factory.down = None

    run = listen(stage, at_1=down, at_3=up)

    assert stage.factory.marks == {cell(): "late"}
    assert run.report.exit_code == 0
    assert [beat.get("error") for beat in stage.cloud.beats].count("factory_down") >= 1
    assert stage.cloud.beats[-1].get("error") is None


@pytest.mark.usefixtures("slept")
def test_connections_are_looked_at_before_every_turn(stage: Stage) -> None:
    looked: list[int] = []
    stage.cloud = PollingCloud({})
    run = stage.run()
    run.between_turns = lambda: looked.append(len(polls(stage)))
    agent.listen(run, Asked(), seconds=50)

    assert looked == [0, 1, 2]


@pytest.mark.usefixtures("slept")
def test_a_lock_that_is_busy_for_long_does_not_end_the_listening(stage: Stage) -> None:
    busy = [True]

    def work() -> AbstractContextManager[None]:
        if busy.pop() if busy else False:
            raise AlreadyRunning("work")
        return NotLocked()

    stage.cloud = PollingCloud({1: lambda: stage.cloud.edits.append(edit())})
    run = stage.run()
    run.work = work
    agent.listen(run, Asked(), seconds=50)

    assert stage.factory.marks == {cell(): "late"}
    assert run.report.exit_code == 0


@pytest.mark.usefixtures("slept")
def test_a_refused_day_is_not_sent_again_at_every_look(stage: Stage) -> None:
    stage.cloud = PollingCloud({})
    stage.cloud.before["ingest"] = Suspicious("ingest: 409")
    run = stage.run()
    agent.run_once(run, Asked())
    agent.listen(run, Asked(), seconds=50)

    assert len([line for line in stage.lines() if "refused" in line]) == 1
    assert run.report.exit_code == 1


def test_without_edits_only_today_is_looked_at(stage: Stage, slept: list[float]) -> None:
    stage.cloud = PollingCloud({})
    agent.listen(stage.run(), Asked(edits=False), seconds=50)

    assert polls(stage) == []
    assert stage.factory.captured.count(DAY) == 2
    assert sum(slept) <= 50


class NotLocked(AbstractContextManager[None]):
    def __exit__(self, *_exc: object) -> None:
        pass
