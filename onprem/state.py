"""The agent's own memory: one small SQLite file that survives SIGKILL and power cuts at any instruction.

Losing it costs an extra push and the memory of what was done before, never a wrong value.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from onprem import place, tables
from onprem.locks import AlreadyRunning, LockUnusable, only_one
from onprem.soundness import is_sound

NAME = "state.sqlite3"
_LOCK = "state.lock"
_FILES = (_LOCK, NAME, f"{NAME}-journal")
_KEPT_ASIDE = 3


class StateUnwritable(Exception):
    """The state directory cannot be used (read-only, full, not ours). The text says which and why.

    ``is_passing``: other runs hold it, and will let it go.
    """

    is_passing = False


@contextmanager
def in_words(directory: Path, *also: type[OSError]) -> Iterator[None]:
    """Raise StateUnwritable for whatever keeps the block from its memory."""
    troubles: tuple[type[Exception], ...] = (LockUnusable, sqlite3.Error, *also)
    try:
        yield
    except troubles as exc:
        raise StateUnwritable(f"state directory {directory}: {exc}") from exc


def must_be_usable(directory: Path) -> None:
    """Raise StateUnwritable, in the words of a run that could not use the directory, and leave no trace there."""
    with in_words(directory, OSError):
        place.must_be_usable(directory, _FILES)


class State:
    """An open state file. ``db`` is in autocommit mode; use `transaction` for more than one statement.

    ``news`` are sentences for the log about what opening found: a new file, or a damaged one kept aside.
    """

    def __init__(self, db: sqlite3.Connection, news: list[str]) -> None:
        self.db = db
        self.news = news

    @classmethod
    def open(cls, directory: Path) -> State:
        """Open or make the state in this directory. Raise StateUnwritable in words."""
        try:
            with in_words(directory, OSError):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
                with _only_one(directory):
                    place.must_take(directory, _FILES)
                    return _open_sound(directory / NAME)
        except AlreadyRunning as exc:
            busy = StateUnwritable(f"state directory {directory}: others are at it for {tables.BUSY_SECONDS} s")
            busy.is_passing = True
            raise busy from exc

    @classmethod
    @contextmanager
    def opened(cls, directory: Path) -> Iterator[State]:
        """Open it for a block. Raise StateUnwritable also for what goes wrong with it there.

        Damage that shows only there is kept aside, so that the next run begins anew.
        """
        with in_words(directory), closing(cls.open(directory)) as state:
            opened = (directory / NAME).stat()
            try:
                yield state
            except sqlite3.DatabaseError as exc:
                if _is_damage(exc):
                    _set_aside_if_still(opened, directory)
                raise

    @classmethod
    def peek(cls, directory: Path) -> State:
        """Return a copy in memory, empty where there is none or it is damaged: nothing done to it leaves a trace.

        Raise StateUnwritable if it cannot be read.
        """
        memory, news = tables.connect(":memory:"), []
        with in_words(directory, OSError):
            if (directory / NAME).exists() and not _copy(directory / NAME, memory):
                news.append("the state is damaged: a run keeps it aside and begins a new one")
            tables.make(memory)
        return cls(memory, news)

    def close(self) -> None:
        self.db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on disk when the outermost block is left."""
        if self.db.in_transaction:
            yield self.db
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield self.db
            self.db.execute("COMMIT")
        finally:
            self._roll_back_the_rest()

    def _roll_back_the_rest(self) -> None:
        """Nothing is left after a commit; after some errors SQLite has rolled back by itself."""
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def get(self, name: str) -> str | None:
        """Return a noted value as text, or None."""
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, name: str, value: str | int) -> None:
        self.db.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))

    @property
    def gen(self) -> int:
        """The last generation given out or heard of."""
        return int(self.get("gen") or 0)

    def stamp(self, now: float) -> int:
        """Give out the next generation, noted before anybody can use it.

        It follows the clock (unix seconds) while that goes forward, and counts on when that steps back.
        """
        with self.transaction():
            gen = self.next_stamps(now, count=1)[0]
            self.raise_gen(gen)
        return gen

    def next_stamps(self, now: float, *, count: int) -> range:
        """Return the generations that come next, for captures that may turn out to be of no use.

        Nobody else stamps while the caller holds the work lock; a stamp that is used is noted with `raise_gen` first.
        """
        first = max(int(now), self.gen + 1)
        return range(first, first + count)

    def raise_gen(self, used: int | None) -> None:
        """Never stamp again at or below this, which we have used or the cloud has seen from whomever."""
        if used is not None and used > self.gen:
            self._raise("gen", used)

    @property
    def heard_gen(self) -> int:
        """The highest generation that the cloud must still know, or it has lost something; 0: it never told.

        What it has taken from us counts only once it has been seen to count it: some always tell the same number.
        """
        told, taken = int(self.get("heard_gen") or 0), int(self.get("taken_gen") or 0)
        return max(told, taken) if self.get("counts_ours") == "1" else told

    def hear_gen(self, told: int) -> None:
        """The cloud says that this is the highest generation it has."""
        if told > self.heard_gen:
            self._raise("heard_gen", told)
        if 0 < int(self.get("taken_gen") or 0) <= told and self.get("counts_ours") != "1":
            self.put("counts_ours", 1)

    def hear_stored(self, gen: int | None) -> None:
        """The cloud has taken this generation."""
        if gen is not None:
            self._raise("taken_gen", gen)

    def hear_loss(self, told: int) -> None:
        """The cloud was restored from a time when this was the highest generation it had.

        Or it always tells the same number after all: it has to count what we send once more before it is believed.
        """
        with self.transaction():
            self.put("heard_gen", told)
            self.put("taken_gen", told)
            self.put("counts_ours", 0)

    def _raise(self, name: str, value: int) -> None:
        """Another process may raise it at the same moment."""
        self.db.execute(
            "INSERT INTO meta (name, value) VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
            (name, value),
        )


def _open_sound(path: Path) -> State:
    news = []
    if path.exists() and not is_sound(path):
        news.append(f"the state was damaged and is kept as {_set_aside(path)}")
    is_new = not path.exists() or path.stat().st_size == 0
    db = tables.connect(str(path))
    db.execute("PRAGMA journal_mode = TRUNCATE")
    db.execute("PRAGMA synchronous = FULL")
    tables.make(db)
    if is_new:
        news.append("the state is new: each day is pushed once more, edits and jobs done before are not remembered")
    return State(db, news)


def _set_aside(path: Path) -> str:
    """Keep the newest few damaged files for whoever looks into it: a dying disk must not fill itself with them."""
    kept = path.with_name(f"{path.name}.corrupt-{time.strftime('%Y%m%d-%H%M%S')}")
    path.rename(kept)
    _journal(path).unlink(missing_ok=True)
    for oldest in sorted(path.parent.glob(f"{path.name}.corrupt-*"))[:-_KEPT_ASIDE]:
        oldest.unlink()
    return kept.name


def _is_damage(exc: sqlite3.DatabaseError) -> bool:
    """What passes (a lock, a full disk, a read that failed) is an OperationalError, a mistake of ours some other."""
    return type(exc) is sqlite3.DatabaseError


def _set_aside_if_still(opened: os.stat_result, directory: Path) -> None:
    """Another run may have found it damaged too, and begun a new one."""
    with _only_one(directory), suppress(OSError):
        if os.path.samestat(opened, (directory / NAME).stat()):
            _set_aside(directory / NAME)


def _copy(path: Path, memory: sqlite3.Connection) -> bool:
    """Return False if it is damaged; nothing is copied then."""
    try:
        return _copy_sound(path, memory, mode="ro")
    except sqlite3.OperationalError:
        if not _journal(path).exists() or not _journal(path).stat().st_size:
            raise
        return _copy_of_crashed(path, memory)


def _copy_of_crashed(path: Path, memory: sqlite3.Connection) -> bool:
    """A file left in the middle of a commit is rolled back in a place of its own."""
    with TemporaryDirectory() as folder:
        shutil.copy(path, folder)
        with suppress(FileNotFoundError):
            # Another run may have rolled it back by now.
            shutil.copy(_journal(path), folder)
        return _copy_sound(Path(folder, path.name), memory, mode="rw")


def _copy_sound(path: Path, memory: sqlite3.Connection, *, mode: str) -> bool:
    if not is_sound(path, mode=mode):
        return False
    with closing(tables.connect_to(path, mode=mode)) as source:
        source.backup(memory)
    return True


def _journal(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _only_one(directory: Path) -> AbstractContextManager[None]:
    return only_one(directory / _LOCK, wait=tables.BUSY_SECONDS)
