"""SIGKILL at every step of a run: after the next good run both sides agree with the last wish."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.loop.conftest import CLOUD
from tests.loop.plant import Plant, Runner, planted
from tests.loop.processes import Cloud, Installation
from tests.mariadb import MariaDB

FEWEST_STEPS, MOST_STEPS = 60, 500
WISHES = ("present", "late")


@pytest.fixture
def plant(tmp_path: Path, mariadb: MariaDB) -> Iterator[Plant]:
    def ask(sql: str) -> list[tuple[Any, ...]]:
        return mariadb.execute(sql, database="kill")

    cloud = Cloud(Installation(tmp_path / "cloud", CLOUD))
    cloud.start()
    with planted(cloud, tmp_path, factory_url=mariadb.create("kill"), query=ask) as plant:
        yield plant
    cloud.stop()


@pytest.fixture
def runner(plant: Plant) -> Iterator[Runner]:
    runner = Runner(plant.agent)
    yield runner
    runner.close()


def test_a_run_killed_at_any_step_is_made_good_by_the_next_one(plant: Plant, runner: Runner) -> None:
    """Each step gets a wish of its own, killed in the middle; then the same cell's newer wish, and a good run."""
    wrong: list[tuple[int, object]] = []
    for step in range(1, MOST_STEPS):
        cell = plant.new_cell()
        wish, newer = WISHES[step % 2], WISHES[(step + 1) % 2]
        plant.tap(cell, wish)
        outcome = runner.run(killed_at=step)
        if step % 3 == 0:
            plant.tap(cell, newer)
            wish = newer
        after = runner.run()
        seen = (after, plant.rows(cell), plant.shows(cell))
        if seen != ("0", [wish], (wish, "")):
            wrong.append((step, seen))
        if outcome != "killed":
            break

    assert wrong == []
    assert FEWEST_STEPS < step < MOST_STEPS - 1


def test_killed_run_after_killed_run_something_gets_done_in_the_end(plant: Plant, runner: Runner) -> None:
    """Nobody looks in between: each run is killed a step later than the one before, until one lives."""
    wishes = {plant.new_cell(): WISHES[n % 2] for n in range(3)}
    for cell, wish in wishes.items():
        plant.tap(cell, wish)

    outcomes: list[str] = []
    while not outcomes or outcomes[-1] == "killed":
        outcomes.append(runner.run(killed_at=len(outcomes) + 1))

    assert outcomes[-1] == "0"
    assert {cell: plant.rows(cell) for cell in wishes} == {cell: [wish] for cell, wish in wishes.items()}
    assert {cell: plant.shows(cell) for cell in wishes} == {cell: (wish, "") for cell, wish in wishes.items()}


def test_a_foreman_who_corrects_after_a_crash_is_not_overwritten(plant: Plant, runner: Runner) -> None:
    """Killed at any step after the write: whatever the agent then knows, the foreman's word stays."""
    corrected = 0
    for step in range(1, MOST_STEPS):
        cell = plant.new_cell()
        plant.tap(cell, "late")
        outcome = runner.run(killed_at=step)
        wanted = "late"
        if plant.rows(cell) == ["late"]:
            plant.query(f"UPDATE attsync_override SET status = 'present' WHERE emp_no = '{cell.employee_no}'")
            wanted, corrected = "present", corrected + 1
        assert runner.run() == "0"
        assert (plant.rows(cell), plant.shows(cell)) == ([wanted], (wanted, "")), f"killed at step {step}"
        if outcome != "killed":
            break

    assert corrected > 10
