"""Whether a state file is damaged. A flipped bit that no check of SQLite's finds would stop every run later.

Judged are the pages, the tables, the type of each value, and what is read as more than a text: days, moments, states.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from onprem import tables
from onprem.tables import Columns

# A byte of the header: above 2, the file is of a time to come, and SQLite only reads it.
_WRITE_FORMAT = slice(18, 19)
_TYPES = {"TEXT": "= 'text'", "INTEGER": "= 'integer'", "": "IN ('integer', 'text')"}

# What is counted on from: as the wire contract has it, and far from where SQLite's numbers end.
_COUNT = "{0} BETWEEN 1 - (1 << 53) AND (1 << 53) - 1"
_NUMBER = f"typeof({{0}}) = 'integer' AND {_COUNT}"
# What SQLite reads and writes as it was: in the one form that sorts. Adding nothing makes it look into the calendar.
_DAY = "(date({0}, '+0 days') IS {0} AND {0} BETWEEN '1900' AND '9')"
_MOMENT = "(strftime('%Y-%m-%dT%H:%M:%S+00:00', {0}, '+0 days') IS {0} AND {0} BETWEEN '1900' AND '9')"
_CLAIM = "{0} IN (0, 1)"
_COLUMNS = {
    "day": _DAY,
    "period": "{0} BETWEEN 1 AND 255",
    "status": "{0} IN ('present', 'late', 'absent')",
    "outcome": "{0} IN ('applied', 'superseded')",
    "is_heard": f"{_CLAIM} AND ({{0}} OR edit_id IS NOT NULL)",
    "state": "{0} IN ('running', 'succeeded', 'failed', 'interrupted', 'skipped', 'expired', 'void')",
    **dict.fromkeys(("enabled", "exhausted"), _CLAIM),
    **dict.fromkeys(("gen", "attempts", "interruptions"), _COUNT),
    **dict.fromkeys(("effective_from", "settled_through", "expired_through", "direct_at", "through"), _MOMENT),
    **dict.fromkeys(("scheduled_for", "started_at", "ended_at"), _MOMENT),
}
_NOTED = {
    **dict.fromkeys(("last_success", "checked_day"), _DAY),
    **dict.fromkeys(("gen", "heard_gen", "taken_gen", "checked_at", "doubted_today_at", "doubted_lately_at"), _NUMBER),
    # Clocks differ by no more than a thousand years; dates end soon after.
    "ahead_s": f"{_NUMBER} AND {{0}} BETWEEN -(1 << 35) AND (1 << 35)",
    "catchup_high_water": _MOMENT,
}


def is_sound(path: Path, *, mode: str = "rw") -> bool:
    """Only damage is judged here; what keeps us from reading (no rights, a failing disk) raises OperationalError."""
    try:
        with closing(tables.connect_to(path, mode=mode)) as db:
            # Raises ValueError for what is no UTF-8.
            db.text_factory = bytes.decode
            if db.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok" or not _makes_sense(db):
                return False
    except sqlite3.OperationalError as exc:
        # What we ask is right: the file has other tables, or a format of which SQLite knows nothing.
        if exc.sqlite_errorcode == sqlite3.SQLITE_ERROR:
            return False
        raise
    except (sqlite3.DatabaseError, ValueError):
        return False
    # Careful: this closes the file, and with it go all locks that this process has on it; nobody holds one here.
    with path.open("rb") as file:
        return file.read(20)[_WRITE_FORMAT] <= b"\2"


def _makes_sense(db: sqlite3.Connection) -> bool:
    number, found = tables.version(db), tables.columns(db)
    if number > len(tables.SCHEMA):
        # Of a newer agent, which knows better.
        return True
    needed, possible = tables.expected(number)
    if not needed.items() <= found.items() <= possible.items():
        return False
    return all(_is_good(db, table, columns) for table, columns in found.items())


def _is_good(db: sqlite3.Connection, table: str, columns: Columns) -> bool:
    is_good = " AND ".join(_condition(table, *column) for column in columns)
    # All texts at once, to see that they are UTF-8.
    texts = ", ".join(f"group_concat({name})" for name, kind, *_ in columns if kind != "INTEGER")
    query = f"SELECT count(*) - coalesce(sum({is_good}), 0), {texts} FROM {table}"  # noqa: S608 - names of our own
    return bool(db.execute(query).fetchone()[0] == 0)


def _condition(table: str, name: str, kind: str, is_needed: int, _default: str | None, key: int) -> str:
    meaning = _noted_meaning() if table == "meta" and name == "value" else _COLUMNS.get(name, "1")
    condition = f"typeof({{0}}) {_TYPES[kind]} AND {meaning}".format(name)
    return f"({condition})" if is_needed or key or not kind else f"({name} IS NULL OR {condition})"


def _noted_meaning() -> str:
    cases = " ".join(f"WHEN '{name}' THEN {meaning}" for name, meaning in _NOTED.items())
    return f"CASE name {cases} ELSE 1 END"
