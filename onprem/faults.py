"""What a database error means for a run: the factory's own trouble, or a row that cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError, InterfaceError, connections
from django.utils.connection import ConnectionDoesNotExist

from onprem.ports import FactoryDown, FactoryTrouble, Refused, ViewMissing

ALIAS = "legacy"

# MariaDB/MySQL error numbers: no such table, unknown column, a view over something that is gone, no right to read.
_NO_TABLE, _NO_COLUMN, _BROKEN_VIEW, _DENIED, _DENIED_COLUMN = 1146, 1054, 1356, 1142, 1143
_MISSING = frozenset({_NO_TABLE, _NO_COLUMN, _BROKEN_VIEW})
# A missing table that one has no rights on is "denied" too: the server does not tell which.
_UNREADABLE = _MISSING | {_DENIED, _DENIED_COLUMN}
# Nothing a row could be blamed for: below 1000 (the storage engines' own), 2xxx (the line), and these.
_AWAY = frozenset(
    {1040, 1042, 1043, 1044, 1045, 1049, 1053, 1077, 1078, 1079, 1080, 1129, 1130, 1135, 1152, 1158, 1159, 1160, 1161}
    | {1184, 1203, 1226, 1317, 1637, 1927, 3032, 3168, 3169, 4031}
)
# Locks, the time limit, a table being rebuilt.
_BUSY = frozenset({1020, 1099, 1192, 1205, 1206, 1213, 1223, 1297, 1412, 1614, 1615, 1969, 3024, 3572})
# The server or the whole table takes no writes: read-only, a replica, a binlog of the wrong kind, a cluster's vote.
_READ_ONLY = frozenset({1036, 1207, 1290, 1661, 1662, 1663, 1664, 1665, 1666, 1785, 1792, 1836, 3098, 3100, 3101})
# Disk, memory, damaged files.
_BROKEN = frozenset(
    {1004, 1005, 1009, 1012, 1014, 1015, 1016, 1017, 1018, 1021, 1023, 1024, 1026, 1030, 1033, 1034, 1035, 1037, 1038}
    | {1041, 1114, 1180, 1181, 1194, 1195, 1197, 1296, 1436, 1595, 1712, 1812, 1813, 1814, 1877, 1932, 1933}
)
# Two writers met: a changed record, a row that is there by now, a deadlock. The one that lost may try again at once.
_COLLISIONS = frozenset({1020, 1062, 1213})
_NO_ROWS_FAULT = _AWAY | _BUSY | _READ_ONLY | _BROKEN
_SQLITES_OWN = ("locked", "unable to open", "readonly", "disk", "malformed", "not a database", "out of memory")


@contextmanager
def reading() -> Iterator[None]:
    """Raise FactoryTrouble for whatever goes wrong in the database while reading. Not to be nested."""
    try:
        _wake()
        yield
    except (DatabaseError, InterfaceError) as exc:
        raise trouble_of(exc) from exc


@contextmanager
def writing() -> Iterator[None]:
    """Raise FactoryTrouble where the database is away, and Refused where it says no to this row."""
    try:
        _wake()
        yield
    except (DatabaseError, InterfaceError) as exc:
        if _is_passing(exc) or _is_missing(exc):
            raise trouble_of(exc) from exc
        raise Refused("write_failed", words_of(exc), final=False) from exc


def trouble_of(exc: Exception) -> FactoryTrouble:
    """Name the trouble a reading statement ran into, in the server's words."""
    unreadable = _number(exc) in _UNREADABLE or _is_missing(exc)
    return ViewMissing(words_of(exc)) if unreadable else FactoryDown(words_of(exc))


def is_absent(exc: Exception) -> bool:
    """Tell whether the whole relation is not there, as far as the server lets us see."""
    return _number(exc) in (_NO_TABLE, _DENIED) or str(exc).startswith("no such table")


def is_collision(exc: BaseException | None) -> bool:
    return isinstance(exc, DatabaseError) and _number(exc) in _COLLISIONS


def words_of(exc: Exception) -> str:
    """The server's own sentence, with its number behind it."""
    number = _number(exc)
    return f"{exc.args[1]} ({number})" if number is not None and len(exc.args) > 1 else str(exc)


def _wake() -> None:
    """Reconnect if the last use broke the connection or the server has dropped it since."""
    try:
        connection = connections[ALIAS]
    except ConnectionDoesNotExist as exc:
        raise FactoryDown("LEGACY_DATABASE_URL is not set") from exc
    connection.close_if_unusable_or_obsolete()
    if connection.connection is None and connection.vendor == "sqlite":
        _demand_file(str(connection.settings_dict["NAME"]))


def _demand_file(name: str) -> None:
    """SQLite would make the file of a mistyped name, and that would be a factory without anything in it."""
    if not name.startswith(("file:", ":memory:")) and not Path(name).exists():
        raise FactoryDown(f"there is no file {name} (LEGACY_DATABASE_URL)")


def _number(exc: Exception) -> int | None:
    return exc.args[0] if exc.args and isinstance(exc.args[0], int) else None


def _is_missing(exc: Exception) -> bool:
    return _number(exc) in _MISSING or str(exc).startswith(("no such table", "no such column"))


def _is_passing(exc: Exception) -> bool:
    number = _number(exc)
    if number is None:
        return isinstance(exc, InterfaceError) or any(words in str(exc) for words in _SQLITES_OWN)
    return number < 1000 or 2000 <= number < 3000 or number in _NO_ROWS_FAULT
