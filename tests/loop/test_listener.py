"""The listener as a site runs it: seconds from tap to row, hours beside nothing to do, and databases that go away."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.loop.conftest import CLOUD
from tests.loop.phone import Cell
from tests.loop.plant import Plant, planted
from tests.loop.processes import Cloud, Installation
from tests.mariadb import MariaDB


@pytest.fixture
def cloud(tmp_path: Path) -> Iterator[Cloud]:
    cloud = Cloud(Installation(tmp_path / "cloud", CLOUD))
    cloud.start()
    yield cloud
    cloud.stop()


@pytest.fixture
def plant(cloud: Cloud, tmp_path: Path) -> Iterator[Plant]:
    with planted(cloud, tmp_path) as plant:
        yield plant


@contextmanager
def listening(plant: Plant, *, seconds: int) -> Iterator[subprocess.Popen[bytes]]:
    log = plant.folder / "listener.log"
    process = plant.agent.start("push_cloud", f"--listen={seconds}", log=log)
    wait_for(lambda: "unchanged" in log.read_text(), seconds=20)
    yield process
    process.wait(seconds + 30)
    print(log.read_text())


def is_late_at_the_factory(plant: Plant, cell: Cell) -> bool:
    return plant.rows(cell) == ["late"]


def is_settled(plant: Plant, cell: Cell) -> bool:
    return plant.shows(cell) == ("late", "")


def wait_for(true: Callable[[], bool], *, seconds: float) -> float:
    """Return how long it took."""
    started = time.monotonic()
    while not true():
        assert time.monotonic() - started < seconds, "it never came"
        time.sleep(0.02)
    return time.monotonic() - started


def test_a_tap_is_a_row_within_a_moment(plant: Plant) -> None:
    took = []
    with listening(plant, seconds=25) as listener:
        for _ in range(7):
            cell = plant.new_cell()
            plant.tap(cell, "late")
            took.append(wait_for(partial(is_late_at_the_factory, plant, cell), seconds=10))
            wait_for(partial(is_settled, plant, cell), seconds=10)

    assert listener.returncode == 0
    assert statistics.median(took) <= 1.5


def test_an_idle_minute_costs_next_to_nothing(plant: Plant) -> None:
    """Started by hand and not by the plant, so that the kernel's account of this one process can be read."""
    command = plant.agent.command("push_cloud", "--listen=50")
    pid = os.posix_spawn("/usr/bin/env", ["env", *command], {"PATH": "/usr/bin:/bin"})

    peak = 0
    while True:
        ended, status, used = os.wait4(pid, os.WNOHANG)
        if ended:
            break
        peak = peak_memory(pid) or peak
        time.sleep(0.5)

    assert os.waitstatus_to_exitcode(status) == 0
    # 0.7 on a quiet machine; a busy one lends its processor less generously.
    assert used.ru_utime + used.ru_stime <= 1.4
    assert 20 * 1024 < peak <= 70 * 1024


def peak_memory(pid: int) -> int:
    """KiB; 0 once the process is over. Not ru_maxrss: that one starts with what the parent had when it forked."""
    of_pid = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(of_pid.get("VmHWM", "0 kB").split()[0])


def test_a_cloud_that_is_restarted_is_found_again(plant: Plant) -> None:
    cell = plant.new_cell()
    with listening(plant, seconds=30) as listener:
        plant.cloud.kill()
        time.sleep(2)
        plant.cloud.start()
        plant.tap(cell, "late")
        wait_for(lambda: plant.shows(cell) == ("late", ""), seconds=20)

    assert (listener.returncode, plant.rows(cell)) == (0, ["late"])


def test_a_factory_database_that_is_restarted_is_found_again(
    cloud: Cloud, tmp_path: Path, mortal_mariadb: MariaDB
) -> None:
    def ask(sql: str) -> list[tuple[Any, ...]]:
        return mortal_mariadb.execute(sql, database="factory")

    with planted(cloud, tmp_path, factory_url=mortal_mariadb.create("factory"), query=ask) as plant:
        cell, other = plant.new_cell(), plant.new_cell()
        with listening(plant, seconds=35) as listener:
            mortal_mariadb.kill()
            plant.tap(cell, "late")
            wait_for(lambda: plant.in_cloud("SELECT error FROM att_link") == [("factory_down",)], seconds=20)
            mortal_mariadb.start()
            plant.tap(other, "present")
            wait_for(lambda: plant.shows(other) == ("present", ""), seconds=20)

        assert listener.returncode == 0
        assert (plant.rows(cell), plant.rows(other)) == (["late"], ["present"])
        assert plant.in_cloud("SELECT error FROM att_link") == [("",)]
        assert plant.in_cloud("SELECT sum(attempts) FROM att_edit") == [(0,)]


def test_a_killed_listener_leaves_the_lock_to_the_next_minute(plant: Plant) -> None:
    with listening(plant, seconds=50) as listener:
        listener.kill()
        listener.wait()

        code, said = plant.run()

    assert code == 0
    assert "another run is listening" not in said
