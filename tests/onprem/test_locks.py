"""Kernel locks: one holder, no wait longer than asked for, nothing left behind."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onprem.locks import AlreadyRunning, LockUnusable, only_one

HOLD = """
import sys, time
from pathlib import Path
from onprem.locks import only_one
with only_one(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_is_told_at_once(tmp_path: Path) -> None:
    with (
        only_one(tmp_path / "work.lock"),
        pytest.raises(AlreadyRunning, match="work"),
        only_one(tmp_path / "work.lock"),
    ):
        pass


def test_the_second_comes_in_when_the_first_has_left(tmp_path: Path) -> None:
    came_in = 0
    for _ in range(2):
        with only_one(tmp_path / "work.lock"):
            came_in += 1

    assert came_in == 2


def test_waiting_ends_when_the_time_is_over(tmp_path: Path) -> None:
    started = time.monotonic()
    with only_one(tmp_path / "a.lock"), pytest.raises(AlreadyRunning), only_one(tmp_path / "a.lock", wait=0.3):
        pass

    assert 0.3 <= time.monotonic() - started < 2


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "work.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(AlreadyRunning), only_one(lock):
        pass

    holder.kill()
    holder.communicate()

    with only_one(lock):
        pass


def test_a_lock_whose_file_was_deleted_still_excludes_the_next_two(tmp_path: Path) -> None:
    lock = tmp_path / "work.lock"
    with only_one(lock):
        lock.unlink()
        with only_one(lock), pytest.raises(AlreadyRunning), only_one(lock):
            pass


def test_a_lock_that_is_deleted_just_before_it_is_taken_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, real = tmp_path / "work.lock", fcntl.flock
    deleted: list[Path] = []

    def flock(descriptor: int, how: int) -> None:
        if not deleted:
            lock.unlink()
            deleted.append(lock)
        real(descriptor, how)

    monkeypatch.setattr("onprem.locks.fcntl.flock", flock)

    with only_one(lock, wait=2), pytest.raises(AlreadyRunning), only_one(lock):
        pass


def test_a_place_without_a_folder_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(LockUnusable, match="No such file"), only_one(tmp_path / "gone" / "work.lock"):
        pass
