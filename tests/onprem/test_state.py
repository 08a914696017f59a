"""The agent's memory: durable, never going back, and no reason to stop when it is lost."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem import ledger, tables
from onprem.occurrences import Occurrences
from onprem.plan import CATCHUP, EXPIRED, FAILED, INTERRUPTED, RUNNING, SKIPPED, SUCCEEDED, VOID
from onprem.schedule import Job
from onprem.state import NAME, State, StateUnwritable

NOW = datetime(2026, 7, 28, 5, tzinfo=UTC)


@contextmanager
def opened(folder: Path) -> Iterator[State]:
    state = State.open(folder)
    yield state
    state.close()


def test_the_first_open_makes_the_folder_and_says_so(tmp_path: Path) -> None:
    with opened(tmp_path / "deep" / "state") as state:
        assert state.news == [
            "the state is new: each day is pushed once more, edits and jobs done before are not remembered"
        ]


def test_the_second_open_has_nothing_to_say(tmp_path: Path) -> None:
    State.open(tmp_path).close()

    with opened(tmp_path) as state:
        assert state.news == []


def test_it_waits_for_the_disk_with_every_commit(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        assert state.db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert state.db.execute("PRAGMA journal_mode").fetchone() == ("truncate",)


def test_a_generation_is_on_disk_before_anybody_can_use_it(tmp_path: Path) -> None:
    with opened(tmp_path) as state, opened(tmp_path) as other:
        assert state.stamp(1000) == 1000
        assert other.gen == 1000


def test_stamps_of_captures_are_noted_only_when_they_are_used(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        assert list(state.next_stamps(1000, count=3)) == [1000, 1001, 1002]
        state.raise_gen(1001)

        assert list(state.next_stamps(900, count=2)) == [1002, 1003]


@pytest.mark.parametrize("clock", [1000.9, 999, 0, -5], ids=["same second", "back", "epoch", "before the epoch"])
def test_generations_grow_whatever_the_clock_does(tmp_path: Path, clock: float) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)

        assert state.stamp(clock) == 1001


def test_a_higher_generation_heard_of_is_passed(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        state.raise_gen(5000)

        assert state.stamp(1000) == 5001


@pytest.mark.parametrize("heard", [None, 0, 999])
def test_what_is_no_higher_generation_changes_nothing(tmp_path: Path, heard: int | None) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
        state.raise_gen(heard)

        assert state.gen == 1000


def test_a_block_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        with pytest.raises(ZeroDivisionError), state.transaction():
            state.put("gen", 7)
            state.put("other", 1 // 0)

        assert state.gen == 0
        assert not state.db.in_transaction


def test_an_inner_block_belongs_to_the_outer_one(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        with pytest.raises(ZeroDivisionError), state.transaction():
            state.stamp(7)
            state.put("other", 1 // 0)

        assert state.gen == 0


DAMAGES = {
    "no database": b"\x00garbage" * 2000,
    "text": "ไม่ใช่ฐานข้อมูล".encode(),
    "half a header": b"SQLite format 3\x00",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_kept_aside_and_a_new_one_begun(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / NAME).write_bytes(damage)

    with opened(tmp_path) as state:
        assert state.news[0].startswith("the state was damaged and is kept as state.sqlite3.corrupt-")
        assert state.gen == 0
    assert [path.read_bytes() for path in tmp_path.glob("*.corrupt-*")] == [damage]


def test_a_torn_page_is_found_when_the_file_is_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
    content = bytearray((tmp_path / NAME).read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    (tmp_path / NAME).write_bytes(content)

    with opened(tmp_path) as state:
        assert "damaged" in state.news[0]


SENSELESS = [
    "INSERT INTO owed VALUES ('garbage', 0)",
    "INSERT INTO owed VALUES ('0026-07-28', 0)",
    "INSERT INTO owed VALUES ('2026-07-28', x'00')",
    "INSERT INTO owed VALUES ('2026-07-28', 1 << 53)",
    "INSERT INTO owed VALUES (NULL, 0)",
    "INSERT INTO day VALUES ('2026-13-01', '', 0, 0)",
    "INSERT INTO day VALUES ('2026-02-29', '', 0, 0)",
    "INSERT INTO day VALUES ('2026-07-28', CAST(x'c328' AS TEXT), 0, 0)",
    "INSERT INTO day VALUES ('2026-07-28', '', 1.5, 0)",
    "INSERT INTO day VALUES ('2026-07-28', '', 'x', 0)",
    "INSERT INTO ledger VALUES ('2026-07-28', 0, '0012', 5, 'late', NULL, NULL, 1000, 7, 0, NULL)",
    "INSERT INTO ledger VALUES ('2026-07-28', 1, '0012', 5, 'lbte', NULL, NULL, 1000, 7, 0, NULL)",
    "INSERT INTO ledger VALUES ('2026-07-28', 1, '0012', 5, 'late', NULL, 'x', 1000, 7, 0, NULL)",
    "INSERT INTO ledger VALUES ('2026-07-28', 1, '0012', 5, 'late', NULL, NULL, 1000, NULL, 0, NULL)",
    "INSERT INTO ledger VALUES ('2026-07-28', 1, x'30', 5, 'late', NULL, NULL, 1000, 7, 0, NULL)",
    "INSERT INTO meta VALUES ('last_success', 'x')",
    "INSERT INTO meta VALUES ('checked_day', 20260728)",
    "INSERT INTO meta VALUES ('gen', 'x')",
    "INSERT INTO meta VALUES ('gen', x'3130')",
    "INSERT INTO meta VALUES ('taken_gen', NULL)",
    "INSERT INTO meta VALUES ('ahead_s', 1 << 50)",
    "INSERT INTO meta VALUES ('home', x'3130')",
    "INSERT INTO meta VALUES ('catchup_high_water', '2026-07-28T05:00:00')",
    "UPDATE job SET settled_through = '2026-07-28T05:00:00'",
    "UPDATE job SET effective_from = '2026-07-28T05:00:00+07:00'",
    "UPDATE job SET direct_at = '2026-02-31T05:00:00+00:00'",
    "UPDATE job SET direct_at = '2026-07-32T05:00:00+00:00'",
    "UPDATE job SET enabled = 'x'",
    "UPDATE forgotten SET through = ''",
    "UPDATE occurrence SET scheduled_for = '2026-07-28 05:00:00+00:00'",
    "UPDATE occurrence SET started_at = 1",
    "UPDATE occurrence SET state = 'succeedee'",
    "UPDATE occurrence SET exhausted = 1 << 50",
    "UPDATE occurrence SET attempts = 1 << 62",
    "ALTER TABLE meta RENAME COLUMN value TO valve",
    "ALTER TABLE ledger ADD COLUMN more",
    "ALTER TABLE occurrence RENAME COLUMN note TO note_",
    "ALTER TABLE occurrence RENAME TO occurrencf",
    "DROP TABLE ledger",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = -2147483646",
]


@pytest.mark.parametrize("damage", SENSELESS)
def test_what_makes_no_sense_is_damage_too(tmp_path: Path, damage: str) -> None:
    with opened(tmp_path) as state:
        prepare_all(state)
        state.db.execute(damage)

    assert State.peek(tmp_path).gen == 0
    with opened(tmp_path) as state:
        assert "damaged" in state.news[0]


def prepare_all(state: State) -> None:
    """Make the tables of catching up too, with a row in each."""
    occurrences, job = Occurrences(state), Job("nightly", "30 18 * * *", ("true",), ZoneInfo("Asia/Bangkok"))
    occurrences.register.meet([job], NOW - timedelta(days=1))
    occurrences.finish(occurrences.claim(job, NOW, source=CATCHUP, now=NOW), now=NOW)


@pytest.mark.parametrize("name", [RUNNING, SUCCEEDED, FAILED, INTERRUPTED, SKIPPED, EXPIRED, VOID])
def test_every_state_that_a_slot_may_be_in_makes_sense(tmp_path: Path, name: str) -> None:
    with opened(tmp_path) as state:
        prepare_all(state)
        state.db.execute("UPDATE occurrence SET state = ?", (name,))

    with opened(tmp_path) as state:
        assert state.news == []


@pytest.mark.parametrize(
    "strange",
    [
        f"INSERT INTO ledger VALUES ('1969-12-31', 255, 'ก', {2**63 - 1}, 'absent', '', NULL, -5, 7, 0, NULL)",
        f"INSERT INTO owed VALUES ('2106-02-07', {2**52})",
        "INSERT INTO meta VALUES ('ahead_s', -1785214800)",
        "INSERT INTO meta VALUES ('home', 'a name that nobody reads as more than a text')",
        "UPDATE job SET effective_from = '1970-01-01T00:00:00+00:00', expired_through = '2106-02-07T06:28:15+00:00'",
        "ANALYZE",
    ],
)
def test_what_is_strange_but_possible_is_no_damage(tmp_path: Path, strange: str) -> None:
    with opened(tmp_path) as state:
        prepare_all(state)
        state.db.execute(strange)

    with opened(tmp_path) as state:
        assert state.news == []


def test_an_index_that_does_not_fit_its_table_is_damage(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        state.db.execute("INSERT INTO ledger VALUES ('2026-07-28', 1, '0012', 5, 'late', NULL, NULL, 1000, 7, 1, NULL)")
        state.db.execute("PRAGMA writable_schema = ON")
        state.db.execute("UPDATE sqlite_master SET sql = replace(sql, '= 0', '= 1') WHERE type = 'index'")

    with opened(tmp_path) as state:
        assert "damaged" in state.news[0]


@pytest.mark.parametrize(("place", "byte"), [(18, 3), (47, 9)], ids=["write format", "schema format"])
def test_a_format_of_which_nobody_knows_is_damage(tmp_path: Path, place: int, byte: int) -> None:
    with opened(tmp_path):
        content = bytearray((tmp_path / NAME).read_bytes())
    content[place] = byte
    (tmp_path / NAME).write_bytes(content)

    with opened(tmp_path) as state:
        assert "damaged" in state.news[0]
        state.put("x", 1)


def test_the_file_of_a_newer_agent_is_no_damage(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
        state.db.execute("ALTER TABLE day ADD COLUMN more")
        state.db.execute("PRAGMA user_version = 99")

    with opened(tmp_path) as state:
        assert (state.news, state.gen) == ([], 1000)


def test_a_file_that_is_locked_too_long_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
        state.db.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(tables, "BUSY_SECONDS", 0.1)

        with pytest.raises(StateUnwritable, match="locked"):
            State.open(tmp_path)
        state.db.execute("ROLLBACK")

    with opened(tmp_path) as state:
        assert (state.news, state.gen) == ([], 1000)


def test_damage_that_shows_only_later_is_kept_aside_for_the_next_run(tmp_path: Path) -> None:
    with pytest.raises(StateUnwritable, match="not a database"), State.opened(tmp_path) as state:
        state.stamp(1000)
        (tmp_path / NAME).write_bytes(b"power cut" * 4096)
        state.stamp(1000)

    assert len(list(tmp_path.glob("*.corrupt-*"))) == 1
    with State.opened(tmp_path) as state:
        assert "the state is new" in state.news[0]


def test_what_another_run_has_begun_anew_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(StateUnwritable, match="malformed"), State.opened(tmp_path):
        (tmp_path / NAME).rename(tmp_path / "elsewhere")
        State.open(tmp_path).close()
        raise sqlite3.DatabaseError("database disk image is malformed")

    assert list(tmp_path.glob("*.corrupt-*")) == []


def test_trouble_that_passes_sets_nothing_aside(tmp_path: Path) -> None:
    with pytest.raises(StateUnwritable, match="full"), State.opened(tmp_path):
        raise sqlite3.OperationalError("database or disk is full")

    assert list(tmp_path.glob("*.corrupt-*")) == []


def test_a_file_of_the_first_version_is_brought_up_to_date_and_forgets_nothing(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / NAME)
    db.executescript(
        """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE day (day TEXT PRIMARY KEY, hash TEXT NOT NULL, gen INTEGER NOT NULL, is_open INTEGER NOT NULL);
        CREATE TABLE owed (day TEXT PRIMARY KEY, gen INTEGER NOT NULL);
        CREATE TABLE ledger (
            day TEXT NOT NULL, period INTEGER NOT NULL, employee_no TEXT NOT NULL,
            rev INTEGER NOT NULL, status TEXT NOT NULL, found TEXT, outcome TEXT, noted_at INTEGER NOT NULL,
            PRIMARY KEY (day, period, employee_no)
        ) WITHOUT ROWID;
        INSERT INTO meta VALUES ('gen', 1000);
        INSERT INTO ledger VALUES ('2026-07-28', 1, '0012', 5, 'late', NULL, 'applied', 1000);
        INSERT INTO ledger VALUES ('2026-07-28', 2, '0012', 5, 'late', NULL, NULL, 1000);
        PRAGMA user_version = 1;
        """
    )
    db.close()

    for _ in range(2):
        with opened(tmp_path) as state:
            assert (state.news, state.gen) == ([], 1000)
            assert state.db.execute("SELECT count(*), count(outcome) FROM ledger").fetchone() == (2, 1)
            assert ledger.unheard(state) == []


def test_only_the_newest_damaged_files_are_kept(tmp_path: Path) -> None:
    for year in range(2001, 2009):
        (tmp_path / f"{NAME}.corrupt-{year}0101-000000").touch()
    (tmp_path / NAME).write_bytes(b"x" * 9000)

    State.open(tmp_path).close()

    assert len(list(tmp_path.glob("*.corrupt-*"))) == 3
    assert not (tmp_path / f"{NAME}.corrupt-20050101-000000").exists()


@pytest.mark.parametrize("folder", ["/proc/attsync", "/dev/null/attsync"])
def test_a_folder_that_cannot_be_is_told_in_words(folder: str) -> None:
    with pytest.raises(StateUnwritable, match=f"state directory {folder}: "):
        State.open(Path(folder))


def test_something_else_in_the_place_of_the_file_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()

    with pytest.raises(StateUnwritable, match="unable to open"):
        State.open(tmp_path)


def test_a_peek_at_nothing_makes_nothing(tmp_path: Path) -> None:
    state = State.peek(tmp_path / "state")

    assert state.stamp(1000) == 1000
    assert list(tmp_path.iterdir()) == []


def test_a_peek_sees_everything_and_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
    before = contents(tmp_path)

    peeked = State.peek(tmp_path)

    assert peeked.stamp(7) == 1001
    peeked.close()
    assert contents(tmp_path) == before


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A folder as a power cut in the middle of a commit leaves it."""
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with opened(tmp_path) as state:
        state.stamp(1000)
        with pytest.raises(KeyboardInterrupt), state.transaction():
            # A cache that holds nothing spills into the file, so that there is something to roll back.
            state.db.execute("PRAGMA cache_size = 1")
            state.put("gen", 2000)
            for n in range(500):
                state.put(f"filler {n}", "x" * 200)
            for path in tmp_path.glob(f"{NAME}*"):
                (crashed / path.name).write_bytes(path.read_bytes())
            raise KeyboardInterrupt
    assert (crashed / f"{NAME}-journal").stat().st_size > 0
    return crashed


def test_a_peek_after_a_crash_sees_what_was_committed_and_leaves_the_rest(crashed: Path) -> None:
    before = contents(crashed)

    assert State.peek(crashed).gen == 1000
    assert contents(crashed) == before


@pytest.mark.parametrize("start", [0, 4096], ids=["all", "some pages"])
def test_a_peek_at_a_damaged_file_takes_it_for_none_and_says_so(tmp_path: Path, start: int) -> None:
    with opened(tmp_path) as state:
        state.stamp(1000)
    content = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(content[:start] + b"x" * (len(content) - start))
    before = contents(tmp_path)

    peeked = State.peek(tmp_path)

    assert peeked.gen == 0
    assert peeked.news == ["the state is damaged: a run keeps it aside and begins a new one"]
    assert contents(tmp_path) == before


def test_a_peek_at_what_is_no_file_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()

    with pytest.raises(StateUnwritable, match="disk I/O error|unable to open"):
        State.peek(tmp_path)


def test_a_peek_after_a_crash_that_finds_no_room_is_told_in_words(
    crashed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_source: Path, _place: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("onprem.state.shutil.copy", full)

    with pytest.raises(StateUnwritable, match="No space left"):
        State.peek(crashed)


def test_another_process_waits_for_a_commit_instead_of_failing(tmp_path: Path) -> None:
    with opened(tmp_path) as state, opened(tmp_path) as other:
        other.db.execute("PRAGMA busy_timeout = 50")
        with state.transaction(), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.stamp(5)

        assert other.stamp(5) == 5


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_of_two_that_raise_the_generation_at_once_the_higher_stays(tmp_path: Path) -> None:
    with opened(tmp_path) as state, opened(tmp_path) as other:
        state.db.set_trace_callback(lambda sql: other.raise_gen(2000) if sql.startswith("INSERT") else None)

        state.raise_gen(1000)

        assert state.gen == 2000
