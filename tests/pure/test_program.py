from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from onprem.program import DID_NOT_START, TIMED_OUT, end_those_with, environment_at_start, run

MARKS = {"ATTSYNC_JOB": "N", "ATTSYNC_SCHEDULED_FOR": "then"}


def sh(script: str, *, seconds: float = 20, **environment: str) -> tuple[int, str]:
    return run(["/bin/sh", "-c", script], {**os.environ, **environment, **MARKS}, seconds=seconds, marks=MARKS)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """A zombie, which nobody of ours buries, has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_good_end_has_no_words() -> None:
    assert sh("exit 0") == (0, "")


def test_a_bad_end_says_its_code() -> None:
    assert sh("exit 3") == (3, "exit code 3")


def test_a_killed_program_says_by_what() -> None:
    assert sh("kill -9 $$") == (-9, "killed by signal 9")


@pytest.mark.parametrize("program", ["/nowhere/at/all", "/etc/passwd", "/"])
def test_what_cannot_be_started_is_told(program: str) -> None:
    code, words = run([program], {}, seconds=5, marks={})

    assert code == DID_NOT_START
    assert words.startswith(f"{program}: ")


def test_the_environment_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "1")

    run(["/bin/sh", "-c", f'echo "$OURS $MORE" > {tmp_path}/said'], {"MORE": "2"}, seconds=20, marks={})

    assert (tmp_path / "said").read_text() == " 2\n"


def test_what_was_added_since_the_start_is_not_of_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADDED", "1")

    assert "ADDED" not in environment_at_start()
    assert environment_at_start().items() >= {("HOME", os.environ["HOME"])}


def test_it_reads_nothing_from_us() -> None:
    assert sh("read line || exit 5")[0] == 5


def test_when_the_time_is_over_the_whole_group_ends(tmp_path: Path) -> None:
    script = f"sleep 60 & echo $! > {tmp_path}/child; sleep 60"

    assert sh(script, seconds=0.5) == (TIMED_OUT, "not over after 0.5 s")
    wait_for(lambda: not is_running(int((tmp_path / "child").read_text())))


def test_when_the_time_is_over_what_left_the_session_ends_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onprem.program._LAST_WORDS_SECONDS", 0.3)
    script = f"trap '' TERM; setsid sleep 60 & echo $! > {tmp_path}/child; sleep 60"

    assert sh(script, seconds=0.5)[0] == TIMED_OUT
    wait_for(lambda: not is_running(int((tmp_path / "child").read_text())))


def test_no_marks_are_nobodys() -> None:
    assert end_those_with({}) == 0


def test_a_line_left_open_is_ended_before_ours(tmp_path: Path) -> None:
    said = tmp_path / "said"
    script = (
        "from onprem.program import run\n"
        "for text in ('abc', 'abc\\n', ''):\n"
        "    run(['/usr/bin/printf', text], {}, seconds=5, marks={})\n"
        "    print('ours', flush=True)\n"
    )
    with said.open("ab") as out:
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)

    assert said.read_text() == "abc\nours\nabc\nours\nours\n"


def test_a_program_may_clean_up_when_its_time_is_over(tmp_path: Path) -> None:
    script = f"trap 'echo bye > {tmp_path}/said; exit 0' TERM; sleep 60 & wait"

    assert sh(script, seconds=0.5)[0] == TIMED_OUT
    assert (tmp_path / "said").read_text() == "bye\n"


def test_a_program_that_does_not_listen_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onprem.program._LAST_WORDS_SECONDS", 0.3)

    assert sh("trap '' TERM; sleep 60; sleep 60", seconds=0.3)[0] == TIMED_OUT


def test_what_goes_on_in_the_background_after_a_good_end_is_left_alone(tmp_path: Path) -> None:
    assert sh(f"sleep 20 & echo $! > {tmp_path}/child; exit 0") == (0, "")
    child = int((tmp_path / "child").read_text())

    assert is_running(child)
    os.kill(child, signal.SIGKILL)


def test_leftovers_are_known_by_their_environment() -> None:
    mine = {**os.environ, "ATTSYNC_JOB": "N", "ATTSYNC_SCHEDULED_FOR": "then"}
    others = {**mine, "ATTSYNC_SCHEDULED_FOR": "later"}
    with subprocess.Popen(["sleep", "60"], env=mine) as left, subprocess.Popen(["sleep", "60"], env=others) as other:
        assert end_those_with({"ATTSYNC_JOB": "N", "ATTSYNC_SCHEDULED_FOR": "then"}) == 1
        assert left.wait(10) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
