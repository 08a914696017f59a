"""Whether a run can keep its files in the state directory: found out without leaving any there.

Raised is the OSError that a run would meet, word for word.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path


def must_be_usable(directory: Path, names: Iterable[str]) -> None:
    """For a run to come: it may have to make the directory, and it writes."""
    if directory.is_dir():
        must_take(directory, names)
        _must_have_room(directory)
    else:
        _must_be_made(directory)


def must_take(directory: Path, names: Iterable[str]) -> None:
    """Files of these names can be written, or made."""
    for path in map(directory.joinpath, names):
        place, rights = (path, os.R_OK | os.W_OK) if path.exists() else (directory, os.W_OK | os.X_OK)
        if not os.access(place, rights, effective_ids=True):
            is_read_only = os.statvfs(place).f_flag & os.ST_RDONLY
            raise _error(errno.EROFS if is_read_only else errno.EACCES, path)


def _must_be_made(directory: Path) -> None:
    if directory.exists():
        raise _error(errno.EEXIST, directory)
    first, place = directory, directory.parent
    while not place.exists():
        first, place = place, place.parent
    if not place.is_dir():
        raise _error(errno.ENOTDIR, directory)
    must_take(place, [first.name])
    _must_have_room(place)


def _must_have_room(place: Path) -> None:
    """Some file systems count no blocks. What is kept back for root is room for root."""
    room = os.statvfs(place)
    if room.f_blocks and not (room.f_bavail if os.geteuid() else room.f_bfree):
        raise OSError("database or disk is full")


def _error(number: int, path: Path) -> OSError:
    return OSError(number, os.strerror(number), str(path))
