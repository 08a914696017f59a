"""The cloud's side of the long poll, as a server process sees it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import requests

from tests.loop.conftest import StartCloud
from tests.loop.phone import Phone, somebody_missing
from tests.loop.processes import Cloud
from tests.sides import KEY

HEADERS = {"X-API-KEY": KEY}


class Poll(threading.Thread):
    """One agent on the line; ``took`` and ``answer`` are there when it has ended."""

    def __init__(self, cloud: Cloud, *, wait: int = 20) -> None:
        super().__init__(daemon=True)
        self._cloud, self._wait = cloud, wait
        self.took = 0.0
        self.answer: dict[str, Any] = {}
        self.start()

    def run(self) -> None:
        started = time.monotonic()
        try:
            said = requests.get(f"{self._cloud.url}/pending", {"wait": self._wait}, headers=HEADERS, timeout=40)
            self.answer = said.json()
        except requests.RequestException:
            self.answer = {}
        self.took = time.monotonic() - started


@contextmanager
def waiting(cloud: Cloud, polls: int) -> Iterator[list[Poll]]:
    """So many polls on the line, all of them arrived."""
    threads = [Poll(cloud) for _ in range(polls)]
    time.sleep(1)
    yield threads


def push_a_day(cloud: Cloud) -> None:
    today = datetime.now(timezone(timedelta(hours=3))).date()
    people: list[dict[str, object]] = [{"no": no, "p": {}} for no in ("0012", "12", "A012")]
    day = {"date": today.isoformat(), "periods": [{"code": 1, "state": "end"}], "workers": people, "rules": 1}
    answer = requests.post(f"{cloud.url}/ingest", json=day, headers=HEADERS, timeout=10)
    assert answer.status_code == 200, answer.text


def test_a_tap_ends_the_wait_also_in_another_process(start_cloud: StartCloud, tmp_path: Path) -> None:
    shared = f"sqlite:///{tmp_path}/shared.sqlite3"
    cloud, other = start_cloud(DATABASE_URL=shared), start_cloud(DATABASE_URL=shared)
    push_a_day(cloud)
    phone = Phone(cloud.url)

    with waiting(other, 3) as polls:
        tapped = time.monotonic()
        phone.tap(somebody_missing(phone.day()), "late")
        for poll in polls:
            poll.join(5)

    assert time.monotonic() - tapped < 2
    assert [len(poll.answer["edits"]) for poll in polls] == [1, 1, 1]


def test_waiting_polls_never_block_people_and_cost_next_to_nothing(cloud: Cloud) -> None:
    push_a_day(cloud)
    phone = Phone(cloud.url)
    phone.day()

    with waiting(cloud, 12):
        before = cpu_seconds(cloud)
        slowest = max(timed(phone.day) for _ in range(10))
        time.sleep(5)
        spent = cpu_seconds(cloud) - before

    # Four wait, at four looks a second each; the others were sent away at once.
    assert slowest < 1
    assert spent < 1


def test_the_server_stops_within_five_seconds_whoever_waits(cloud: Cloud) -> None:
    push_a_day(cloud)

    with waiting(cloud, 4):
        started = time.monotonic()
        cloud.stop()

    assert time.monotonic() - started < 7


def timed(call: Any) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started


def cpu_seconds(cloud: Cloud) -> float:
    """What the server's processes have used so far."""
    port, ticks = f"--port\0{cloud.port}\0".encode(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if port in (process / "cmdline").read_bytes():
                fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
