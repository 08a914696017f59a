"""Running a job's program: in a session of its own, so that all of it can be ended when its time is over."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

DID_NOT_START = 127
TIMED_OUT = 124
_LAST_WORDS_SECONDS = 10
_BETWEEN_LOOKS = 0.1


def run(command: Sequence[str], environment: Mapping[str, str], *, seconds: float) -> tuple[int, str]:
    """Return the exit code and, unless that is 0, what happened in words. Its output goes where ours goes."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        process = subprocess.Popen(
            list(command), env={**os.environ, **environment}, stdin=subprocess.DEVNULL, start_new_session=True
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


def end_those_with(environment: Mapping[str, str]) -> int:
    """Kill every process that was started with these variables; return how many that were."""
    marks = {f"{name}={value}".encode() for name, value in environment.items()}
    found = [pid for pid, variables in _environments() if marks <= variables]
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


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
