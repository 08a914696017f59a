"""Running a job's program: in a session of its own, so that all of it can be ended when its time is over."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

DID_NOT_START = 127
TIMED_OUT = 124
_LAST_WORDS_SECONDS = 10
_BETWEEN_LOOKS = 0.1


def run(
    command: Sequence[str], environment: Mapping[str, str], *, seconds: float, marks: Mapping[str, str]
) -> tuple[int, str]:
    """Return the exit code and, unless that is 0, what happened in words. Its output goes where ours goes.

    ``marks`` are variables of the environment by which all that it has started is found.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    with _ended_by_sigterm():
        try:
            process = subprocess.Popen(
                list(command), env=dict(environment), stdin=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as exc:
            return DID_NOT_START, f"{command[0]}: {exc.strerror}"
        try:
            return _said(process.wait(timeout=seconds))
        except subprocess.TimeoutExpired:
            return TIMED_OUT, f"not over after {seconds:g} s"
        finally:
            if process.poll() is None:
                _end_group(process)
                # What has left the session for one of its own goes on otherwise, beside the next attempt.
                end_those_with(marks)
            _end_line()


def environment_at_start() -> dict[str, str]:
    """Return the variables that this process was started with, without what it has added since."""
    raw = Path("/proc/self/environ").read_bytes()
    pairs = (os.fsdecode(entry).partition("=") for entry in raw.split(b"\0") if b"=" in entry)
    return {name: value for name, _, value in pairs}


def end_those_with(environment: Mapping[str, str]) -> int:
    """Kill every process that was started with these variables; return how many that were. None mark nobody."""
    if not environment:
        return 0
    marks = {f"{name}={value}".encode() for name, value in environment.items()}
    found = [pid for pid, variables in _environments() if marks <= variables]
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """A polite end of ours is the program's too, as with Ctrl-C. Signals are the main thread's business."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, _frame: object) -> None:
    # A second one must not keep us from ending the program.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _end_line() -> None:
    """What we say next begins a line, though the program has left one open. Only a file can be asked."""
    try:
        if not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
            return
        with Path(f"/proc/self/fd/{sys.stdout.fileno()}").open("rb") as file:
            is_open = file.seek(0, os.SEEK_END) > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
    except (OSError, ValueError):
        # Not even a file of the system's, or one that we may only write.
        return
    if is_open:
        sys.stdout.write("\n")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + _LAST_WORDS_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(_BETWEEN_LOOKS)
    # Also for those of the group who outlived their leader.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _said(code: int) -> tuple[int, str]:
    if code < 0:
        return code, f"killed by signal {-code}"
    return code, f"exit code {code}" if code else ""


def _environments() -> Iterator[tuple[int, set[bytes]]]:
    for entry in Path("/proc").glob("[0-9]*"):
        pid = int(entry.name)
        if pid == os.getpid():
            continue
        try:
            yield pid, set((entry / "environ").read_bytes().split(b"\0"))
        except OSError:
            # Gone, or somebody else's.
            continue
