"""`make demo`, started as make starts it, used as a person would, ended by Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.loop.phone import Phone, somebody_missing
from tests.loop.processes import Installation, free_port

SECONDS = 60
T = TypeVar("T")


class Demo:
    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/att-sync"
        self.log = folder / "demo.log"
        self._folder = folder
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "deploy/demo.py"],
                cwd=folder,
                env={"PATH": "/usr/bin:/bin", "PORT": str(port)},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def says(self, pattern: str) -> re.Match[str]:
        """Wait until the log has it."""
        return self.until(lambda: re.search(pattern, self.log.read_text()), f"{pattern!r} in the log")

    def until(self, happens: Callable[[], T | None], what: str) -> T:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if found := happens():
                return found
            time.sleep(0.1)
        raise AssertionError(f"no {what}:\n{self.log.read_text()}")

    def left_behind(self) -> list[str]:
        """The processes that work in its folder."""
        processes = [
            path for path in Path("/proc").iterdir() if path.name.isdigit() and path.name != str(self.process.pid)
        ]
        return [path.name for path in processes if _works_in(path, self._folder)]


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    demo = Demo(Installation(tmp_path / "demo", {}).folder, free_port())
    yield demo
    demo.process.kill()
    demo.process.wait()


def test_a_tap_shows_as_a_row_in_the_log_and_ctrl_c_ends_everything(demo: Demo) -> None:
    password = demo.says(r"The password:\s+(\S+)")[1]
    phone = Phone(demo.url, password)
    cell = somebody_missing(phone.day())

    phone.tap(cell, "late")
    demo.says(rf"factory \| override {cell.day} period {cell.period} {cell.employee_no} late")
    phone.tap(cell, "absent")
    demo.says(rf"factory \| override {cell.day} period {cell.period} {cell.employee_no} removed")

    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(SECONDS) == 0
    assert demo.left_behind() == []


def test_killed_it_takes_its_parts_along(demo: Demo) -> None:
    demo.says("The password")

    demo.process.kill()

    assert demo.until(lambda: demo.left_behind() == [], "end of its parts")


def test_a_taken_port_is_said_in_words(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        demo = Demo(Installation(tmp_path / "demo", {}).folder, port)

        assert demo.process.wait(SECONDS) == 1

    assert f"make demo PORT={port + 1}" in demo.log.read_text()
    assert "Traceback" not in demo.log.read_text()


def _works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink() == folder
    except OSError:
        return False
