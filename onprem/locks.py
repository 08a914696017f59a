"""Kernel locks between processes: freed by the kernel at a crash, a kill or a power cut."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BETWEEN_TRIES = 0.1


class AlreadyRunning(Exception):
    """Another process holds the lock. The text is the lock's name."""


class LockUnusable(Exception):
    """The lock file cannot be opened or made. The text says which and why."""


@contextmanager
def only_one(path: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock file for the block, or raise AlreadyRunning after ``wait`` seconds; LockUnusable at once.

    Waiting is trying and sleeping: timed waits on Python's own locks never return under a faked clock.
    """
    deadline = time.monotonic() + wait
    while (descriptor := _taken(path)) is None:
        if time.monotonic() >= deadline:
            raise AlreadyRunning(path.stem)
        time.sleep(_BETWEEN_TRIES)
    try:
        yield
    finally:
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as exc:
        raise LockUnusable(str(exc)) from exc
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _is_still(path, descriptor):
            return descriptor
    except BlockingIOError:
        pass
    os.close(descriptor)
    return None


def _is_still(path: Path, descriptor: int) -> bool:
    """A lock on a file that was deleted meanwhile excludes nobody who comes later."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
