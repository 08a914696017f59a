"""Runs ``push_cloud`` over and over, each time in a fork that kills itself at the step it is told.

A step is the moment before or after a statement to either database or a piece sent to or read from the line. Reads
step numbers from stdin, 0 for a run that lives; writes "killed" or the exit code. Only the test knows of all this.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import django
from django.core.management import CommandError, call_command, load_command_class

STEPS = frozenset(
    {
        "Connection.execute",
        "Connection.executescript",
        "Connection.commit",
        "Cursor.execute",
        "connection.query",
        "connection.commit",
        "socket.send",
        "socket.sendall",
        "socket.recv_into",
    }
)


def main(folder: Path) -> None:
    """What can be imported before the forks is."""
    sys.path[0] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "onprem.settings"
    django.setup()
    load_command_class("onprem", "push_cloud")
    for line in sys.stdin:
        print(outcome(int(line)), flush=True)


def outcome(killed_at: int) -> str:
    pid = os.fork()
    if pid == 0:
        live(killed_at)
    status = os.waitpid(pid, 0)[1]
    return "killed" if os.WIFSIGNALED(status) else str(os.waitstatus_to_exitcode(status))


def live(killed_at: int) -> None:
    os.dup2(2, 1)
    code = 0
    if killed_at:
        sys.setprofile(killer(killed_at))
    try:
        call_command("push_cloud", "-v0")
    except CommandError as exc:
        code = exc.returncode
    finally:
        sys.setprofile(None)
        os._exit(code)


def killer(at: int) -> Callable[[FrameType, str, object], None]:
    passed = 0

    def count(_frame: FrameType, event: str, called: object) -> None:
        nonlocal passed
        if event in ("c_call", "c_return") and getattr(called, "__qualname__", "") in STEPS:
            passed += 1
            if passed == at:
                os.kill(os.getpid(), signal.SIGKILL)

    return count


if __name__ == "__main__":
    main(Path(sys.argv[1]))
