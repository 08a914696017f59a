"""The main job, end to end: a real web server, the real agent started as cron starts it, real HTTP between them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.loop.conftest import StartCloud
from tests.loop.phone import Cell, Phone, shown, somebody_missing
from tests.loop.processes import Cloud, Installation
from tests.mariadb import MariaDB
from tests.relay import Relay
from tests.sides import KEY

OVERRIDES = "SELECT period, emp_no, status, source FROM attsync_override"


@dataclass
class Factory:
    """A simulated factory and its agent's installation."""

    agent: Installation
    query: Callable[[str], list[tuple[Any, ...]]]

    def run(self, *words: str) -> tuple[int, str]:
        done = self.agent.manage("push_cloud", *words)
        print(done.stdout)  # Shown by pytest when the test has failed.
        return done.returncode, done.stdout

    def override_of(self, cell: Cell) -> tuple[str, str] | None:
        rows = {(int(period), no): (status, source) for period, no, status, source in self.query(OVERRIDES)}
        return rows.get((cell.period, cell.employee_no))


@pytest.fixture(params=["sqlite", "mariadb"])
def urls(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Where the cloud and the factory keep their data."""
    if request.param == "sqlite":
        return {"cloud": "sqlite:///var/attsync.sqlite3", "factory": f"sqlite:///{tmp_path}/factory.sqlite3"}
    server: MariaDB = request.getfixturevalue("mariadb")
    return {"cloud": server.create("loop_cloud"), "factory": server.create("loop_factory")}


@pytest.fixture
def cloud(start_cloud: StartCloud, urls: dict[str, str]) -> Cloud:
    return start_cloud(DATABASE_URL=urls["cloud"])


@pytest.fixture
def line(cloud: Cloud) -> Iterator[Relay]:
    """What the agent's connection goes through."""
    with Relay(cloud.port) as relay:
        yield relay


@pytest.fixture
def factory(request: pytest.FixtureRequest, line: Relay, urls: dict[str, str], tmp_path: Path) -> Factory:
    settings = {
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "LEGACY_DATABASE_URL": urls["factory"],
        "ATTSYNC_URL": f"{line.url}/att-sync/ingest",
        "ATTSYNC_KEY": KEY,
        "ONPREM_STATE_DIR": tmp_path / "state",
        "ONPREM_LOG_DIR": tmp_path / "log",
    }
    agent = Installation(tmp_path / "factory", settings)
    made = agent.manage("simulate_factory", "--people=40", "--days=2")
    assert made.returncode == 0, made.stdout

    def query(sql: str) -> list[tuple[Any, ...]]:
        if urls["factory"].startswith("sqlite"):
            with sqlite3.connect(tmp_path / "factory.sqlite3") as database:
                return database.execute(sql).fetchall()
        server: MariaDB = request.getfixturevalue("mariadb")
        return server.execute(sql, database="loop_factory")

    return Factory(agent, query)


def test_a_tap_becomes_a_row_at_the_factory_and_a_cancel_takes_it_back(
    cloud: Cloud, line: Relay, factory: Factory
) -> None:
    assert factory.run()[0] == 0
    phone = Phone(cloud.url)
    before = phone.day()
    cell = somebody_missing(before)

    assert phone.tap(cell, "late").status_code == 303
    assert shown(phone.day(), cell) == ("late", "pending")

    # The line is cut between the ack and the snapshot.
    line.block(b"POST /att-sync/ingest")
    assert factory.run()[0] == 75
    assert factory.override_of(cell) == ("late", "attsync")
    assert shown(phone.day(), cell) == ("late", "saved")
    assert "บันทึกที่โรงงานแล้ว" in phone.page(cell.day)

    line.mend()
    assert factory.run()[0] == 0
    assert shown(phone.day(), cell) == ("late", "")

    assert phone.tap(cell, "absent").status_code == 303
    assert factory.run()[0] == 0
    after = phone.day()
    assert factory.override_of(cell) is None
    assert shown(after, cell) == (None, "")
    assert (after["stat"], after["active_total"]) == (before["stat"], before["active_total"])


def test_an_ack_that_did_not_arrive_is_repeated_without_a_second_write(
    cloud: Cloud, line: Relay, factory: Factory
) -> None:
    factory.run()
    phone = Phone(cloud.url)
    cell = somebody_missing(phone.day())
    phone.tap(cell, "present")
    line.block(b"POST /att-sync/applied")
    factory.run()
    written = factory.query("SELECT updated_at FROM attsync_override")

    line.mend()
    factory.run()

    assert shown(phone.day(), cell) == ("present", "")
    assert factory.query("SELECT updated_at FROM attsync_override") == written
