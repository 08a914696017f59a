"""A small factory without surprises, its agent, a cloud and a phone: what the tests of a bad line play with.

Everything is a process of its own except the phone and the line between the two sides.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.loop.phone import Cell, Phone, shown
from tests.loop.processes import Cloud, Installation
from tests.onprem.relations import RELATIONS
from tests.relay import Relay
from tests.sides import KEY

PEOPLE = 300
Query = Callable[[str], list[tuple[Any, ...]]]


@dataclass
class Plant:
    """``cells`` hands out a cell that nobody has touched yet."""

    cloud: Cloud
    line: Relay
    agent: Installation
    query: Query
    folder: Path
    phone: Phone = field(init=False)
    _next: int = 0

    def __post_init__(self) -> None:
        assert self.run()[0] == 0
        self.phone = Phone(self.cloud.url)
        self.today = str(self.phone.day()["date"])

    def run(self, *words: str) -> tuple[int, str]:
        done = self.agent.manage("push_cloud", *words)
        # Shown by pytest when the test has failed.
        print(done.stdout)
        return done.returncode, done.stdout

    def new_cell(self) -> Cell:
        self._next += 1
        return Cell(self.today, 2, f"{self._next:04}")

    def tap(self, cell: Cell, status: str) -> None:
        answer = self.phone.tap(cell, status)
        if answer.status_code == 429:
            # Nobody taps like a test does; another phone has a limit of its own.
            self.phone = Phone(self.cloud.url)
            answer = self.phone.tap(cell, status)
        assert answer.status_code == 303, answer.text

    def shows(self, cell: Cell) -> tuple[str | None, str]:
        return shown(self.phone.day(), cell)

    def rows(self, cell: Cell) -> list[str]:
        """Every row of the cell at the factory: the table has no key that would hide a second one."""
        return [
            str(status)
            for (status,) in self.query(
                f"SELECT status FROM attsync_override WHERE emp_no = '{cell.employee_no}' AND period = {cell.period}"
            )
        ]

    def settings(self, **changes: object) -> dict[str, object]:
        return agent_settings(self.folder, self.line, self.factory_url) | changes

    @property
    def factory_url(self) -> str:
        return next(
            line.split("=", 1)[1]
            for line in (self.agent.folder / ".env").read_text().splitlines()
            if line.startswith("LEGACY_DATABASE_URL=")
        )

    def in_cloud(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Look into (or into the works of) the cloud's own database, embedded SQLite."""
        with sqlite3.connect(self.cloud.installation.folder / "var" / "attsync.sqlite3", timeout=20) as database:
            return database.execute(sql, parameters).fetchall()


def agent_settings(folder: Path, line: Relay, factory_url: str) -> dict[str, object]:
    return {
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "LEGACY_DATABASE_URL": factory_url,
        "ATTSYNC_URL": f"{line.url}/att-sync/ingest",
        "ATTSYNC_KEY": KEY,
        "ONPREM_STATE_DIR": folder / "state",
        "ONPREM_LOG_DIR": folder / "log",
    }


@contextmanager
def planted(cloud: Cloud, folder: Path, *, factory_url: str = "", query: Query | None = None) -> Iterator[Plant]:
    """Make the factory (embedded SQLite unless a server is named) and push its first day."""
    factory_url = factory_url or f"sqlite:///{folder}/factory.sqlite3"
    ask = query or sqlite_query(folder / "factory.sqlite3")
    furnish(ask)
    with Relay(cloud.port) as line:
        yield Plant(cloud, line, Installation(folder / "agent", agent_settings(folder, line, factory_url)), ask, folder)


def sqlite_query(path: Path) -> Query:
    def ask(sql: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(path, timeout=20) as database:
            return database.execute(sql).fetchall()

    return ask


def furnish(ask: Query) -> None:
    for statement in RELATIONS:
        # Without its key a row written twice would show.
        ask(statement.replace(", PRIMARY KEY (work_date, period, emp_no)", ""))
    periods = (
        "(1, 'เช้า 1', '06:00:00', '07:30:00', NULL, 1, NULL, NULL)",
        "(2, 'เช้า 2', '07:30:00', '09:00:00', NULL, 1, NULL, NULL)",
        "(3, 'บ่าย', '12:30:00', '13:30:00', NULL, 2, NULL, NULL)",
    )
    ask(f"INSERT INTO attsync_period VALUES {', '.join(periods)}")
    people = (f"('{n:04}', '{n:04}', 'คนที่ {n}', 'ผลิต A', 1, NULL, NULL, NULL)" for n in range(PEOPLE))
    ask(f"INSERT INTO attsync_employee VALUES {', '.join(people)}")


class Runner:
    """The agent in a process that forks for each run, and kills the run at a chosen step: see `tests/loop/killing.py`.

    Forking saves the second that a start takes, and there are some hundred steps.
    """

    def __init__(self, agent: Installation) -> None:
        script = Path(__file__).with_name("killing.py")
        self._process = subprocess.Popen(
            ["env", "-i", "PATH=/usr/bin:/bin", sys.executable, str(script), str(agent.folder)],
            cwd="/",
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, *, killed_at: int = 0) -> str:
        """Return "killed" or the exit code. 0: never killed."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{killed_at}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        self._process.communicate()
