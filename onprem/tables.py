"""The tables of the agent's own database, and what each version of the file is made of."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

BUSY_SECONDS = 10

# day: what the cloud has accepted last. owed: what it must still get; ``gen`` is the lowest generation that will do
# (0: any, also one that was sent before). ledger: the newest intention per cell; ``outcome`` NULL is an intent whose
# write may or may not have happened, ``found`` the mark that was there before.
_FIRST = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE day (day TEXT PRIMARY KEY, hash TEXT NOT NULL, gen INTEGER NOT NULL, is_open INTEGER NOT NULL);
CREATE TABLE owed (day TEXT PRIMARY KEY, gen INTEGER NOT NULL);
CREATE TABLE ledger (
    day TEXT NOT NULL, period INTEGER NOT NULL, employee_no TEXT NOT NULL,
    rev INTEGER NOT NULL, status TEXT NOT NULL, found TEXT, outcome TEXT, noted_at INTEGER NOT NULL,
    PRIMARY KEY (day, period, employee_no)
) WITHOUT ROWID;
"""
# ``is_heard`` 0: the cloud has not been heard to take this as the newest intention for the cell. ``skipped_rev``: an
# older one that was offered after it.
_UNHEARD = """
ALTER TABLE ledger ADD COLUMN edit_id INTEGER;
ALTER TABLE ledger ADD COLUMN is_heard INTEGER NOT NULL DEFAULT 1;
ALTER TABLE ledger ADD COLUMN skipped_rev INTEGER;
CREATE INDEX ledger_unheard ON ledger (edit_id) WHERE is_heard = 0;
"""
# What makes each version of the file from the one before. Careful: a file is taken for damaged unless it has just the
# columns of its version, or of CATCHING_UP.
SCHEMA = (_FIRST, _UNHEARD)

# What catching up adds, where there are jobs. job: slots up to ``effective_from`` are not owed, all up to
# ``settled_through`` are finished, so a pass has to look at later ones only. forgotten: slots up to here have rows no
# more, and all of them were settled. Passes and heartbeats ask for running and given up slots all the time, and there
# are hardly any.
CATCHING_UP = (
    """
    CREATE TABLE IF NOT EXISTS job (
        name TEXT PRIMARY KEY, cron TEXT NOT NULL, zone TEXT NOT NULL, catch_up TEXT NOT NULL, enabled INTEGER NOT NULL,
        effective_from TEXT NOT NULL, settled_through TEXT NOT NULL, expired_through TEXT, direct_at TEXT
    ) WITHOUT ROWID
    """,
    "CREATE TABLE IF NOT EXISTS forgotten (job TEXT PRIMARY KEY, through TEXT NOT NULL) WITHOUT ROWID",
    """
    CREATE TABLE IF NOT EXISTS occurrence (
        job TEXT NOT NULL, scheduled_for TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL,
        attempts INTEGER NOT NULL, interruptions INTEGER NOT NULL, exhausted INTEGER NOT NULL,
        started_at TEXT, ended_at TEXT, note TEXT NOT NULL,
        UNIQUE (job, scheduled_for)
    )
    """,
    "CREATE INDEX IF NOT EXISTS occurrence_running ON occurrence (job) WHERE state = 'running'",
    "CREATE INDEX IF NOT EXISTS occurrence_given_up ON occurrence (job) WHERE exhausted OR state = 'expired'",
)

_COLUMNS = """
SELECT made.name, "column".name, "column".type, "notnull", dflt_value, pk
FROM sqlite_master AS made, pragma_table_info(made.name) AS "column"
WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%' ORDER BY made.name, cid
"""

# Of each column: name, declared type, whether NULL is forbidden, default, place in the primary key.
Columns = tuple[tuple[str, str, int, str | None, int], ...]


def connect(name: str, *, uri: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)


def connect_to(path: Path, *, mode: str) -> sqlite3.Connection:
    """Connect to a file that is there; ``mode`` is ``ro`` or ``rw``."""
    return connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)


def version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def make(db: sqlite3.Connection) -> None:
    """Bring the file to the newest version."""
    for number, step in enumerate(SCHEMA[version(db) :], start=version(db) + 1):
        db.executescript(f"BEGIN IMMEDIATE; {step} PRAGMA user_version = {number}; COMMIT;")


def columns(db: sqlite3.Connection) -> dict[str, Columns]:
    """Return the columns of each table."""
    found: dict[str, Columns] = {}
    for table, *column in db.execute(_COLUMNS):
        found[table] = (*found.get(table, ()), tuple(column))
    return found


def expected(number: int) -> tuple[dict[str, Columns], dict[str, Columns]]:
    """Return the columns that a file of this version has, and those that it may have besides."""
    with closing(connect(":memory:")) as db:
        db.executescript("".join(SCHEMA[:number]))
        needed = columns(db)
        db.executescript(";".join(CATCHING_UP))
        return needed, columns(db)
