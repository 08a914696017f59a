"""`manage.py doctor`: what the integrator runs first, and what he asks for by phone."""

from __future__ import annotations

import json
import re
import string
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from onprem import croncheck, cronplaces, days
from onprem.clocks import local_now
from onprem.doctor.words import WORDS
from onprem.locks import only_one
from onprem.state import State
from tests.mariadb import MariaDB
from tests.onprem.relations import RELATIONS
from tests.onprem.site import add, add_mark, add_people, add_periods, add_scans, ask, pointed_at, run
from tests.onprem.wirecloud import WireCloud

NOW = local_now().replace(microsecond=0)
YESTERDAY = (NOW - timedelta(days=1)).date()


class Doctor:
    """``says("✗", "...")``: whether a line with this mark and these words came out."""

    def __init__(self, *arguments: str) -> None:
        said, self.failed = StringIO(), False
        try:
            call_command("doctor", *arguments, "--lang=en", stdout=said)
        except CommandError as exc:
            self.failed = exc.returncode == 1
        self.lines = said.getvalue().splitlines()

    def says(self, mark: str, words: str) -> bool:
        return any(line.startswith(f"{mark} ") and re.search(words, line) for line in self.lines)

    @property
    def wrong(self) -> list[str]:
        return [line for line in self.lines if line.startswith("✗")]


@pytest.fixture(autouse=True)
def cloud(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[WireCloud]:
    """Everything around the factory is well: a cloud that accepts us, and a crontab with our lines."""
    monkeypatch.setattr(cronplaces, "read_cron_d", lambda: None)
    monkeypatch.setattr(cronplaces, "read_crontab", lambda: "\n".join(["", *croncheck.our_lines(), ""]))
    with WireCloud() as wire:
        settings.ATTSYNC_URL = wire.url
        wire.answers["pending"] = _pending(time.time())
        yield wire


def _pending(now: float) -> tuple[int, bytes]:
    return 200, json.dumps({"ok": True, "now": int(now), "gen": 1, "next": None, "edits": []}).encode()


@pytest.fixture
def factory(relations: BaseDatabaseWrapper) -> BaseDatabaseWrapper:
    """A site on which nothing is wrong: ten people who came yesterday."""
    add_periods()
    add_people(*(f"{i:04d}" for i in range(10)))
    for i in range(10):
        add_scans(f"{i:04d}", f"{YESTERDAY} 06:{i:02d}:00", f"{YESTERDAY} 12:{i:02d}:00", f"{YESTERDAY} 17:{i:02d}:00")
    add("pull", ("T1", f"{NOW:%Y-%m-%d %H:%M:%S}"))
    return relations


# --- as it should be ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("factory")
def test_where_nothing_is_wrong_it_says_so_and_ends_well() -> None:
    doctor = Doctor(YESTERDAY.isoformat())

    assert doctor.wrong == []
    assert not doctor.failed
    assert doctor.lines[-1] == "✓ nothing is wrong"
    assert doctor.says("✓", f"{YESTERDAY}: 10 people, full 10")


@pytest.mark.usefixtures("factory")
def test_it_speaks_thai_unless_told_otherwise() -> None:
    said = StringIO()

    call_command("doctor", stdout=said)

    assert "✓ ปกติทุกข้อ" in said.getvalue()


@pytest.mark.usefixtures("factory")
def test_it_changes_nothing_anywhere(cloud: WireCloud, tmp_path: Path) -> None:
    tables = ("employee", "scan", "period", "override", "pull", "dayoff")
    before = [ask(f"SELECT * FROM attsync_{table}") for table in tables]

    Doctor()

    assert [ask(f"SELECT * FROM attsync_{table}") for table in tables] == before
    assert list(tmp_path.iterdir()) == []
    assert cloud.calls == [("pending", {"limit": "1"})]


@pytest.mark.usefixtures("factory")
def test_a_sample_of_people_is_shown_as_the_page_will_show_them() -> None:
    assert Doctor().says("✓", r"a sample: 0000 คน 0000 \(ผลิต\)")


def test_every_sentence_is_there_in_both_languages_with_the_same_blanks() -> None:
    for thai, english in WORDS.values():
        blanks = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (thai, english)]
        assert blanks[0] == blanks[1]


@pytest.mark.usefixtures("legacy")
def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(CommandError, match="YYYY-MM-DD"):
        call_command("doctor", "20260728")


# --- surroundings ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("factory")
def test_a_missing_setting_is_named(settings: Settings) -> None:
    settings.ATTSYNC_KEY = ""

    assert Doctor().says("✗", "ATTSYNC_KEY is not set")


def test_without_a_database_setting_the_rest_is_still_looked_at(settings: Settings) -> None:
    settings.LEGACY_DATABASE_URL = ""

    doctor = Doctor()

    assert doctor.says("✗", "LEGACY_DATABASE_URL is not set")
    assert doctor.says("✓", "no run is going on")


@pytest.mark.usefixtures("factory")
def test_a_cloud_that_is_not_there_is_wrong(settings: Settings) -> None:
    settings.ATTSYNC_URL = "http://127.0.0.1:9/att-sync"

    assert Doctor().says("✗", "cloud cannot be used: .*connection refused")


@pytest.mark.usefixtures("factory")
def test_a_key_the_cloud_refuses_is_wrong(cloud: WireCloud, settings: Settings) -> None:
    del cloud.answers["pending"]
    settings.ATTSYNC_KEY = "another-key-another-key-another-key"

    doctor = Doctor()

    assert doctor.says("✗", "refuses our key")
    assert "another-key" not in "".join(doctor.lines)


@pytest.mark.parametrize(("ahead", "mark", "words"), [(600, "✗", r"clock is \+0:10:0"), (-60, "✓", "clock agrees")])
@pytest.mark.usefixtures("factory")
def test_a_clock_that_is_off_is_wrong(cloud: WireCloud, ahead: int, mark: str, words: str) -> None:
    cloud.answers["pending"] = _pending(time.time() - ahead)

    assert Doctor().says(mark, words)


@pytest.mark.usefixtures("factory")
def test_a_state_directory_that_cannot_be_used_is_wrong(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings.ONPREM_STATE_DIR = tmp_path / "file" / "state"

    assert Doctor().says("✗", "state directory .* cannot be written")


@pytest.mark.usefixtures("factory")
def test_a_run_at_work_is_seen(settings: Settings) -> None:
    settings.ONPREM_STATE_DIR.mkdir()

    with only_one(settings.ONPREM_STATE_DIR / "work.lock"):
        assert Doctor().says("✓", "at work right now")


@pytest.mark.usefixtures("factory")
def test_the_last_success_is_told(settings: Settings) -> None:
    state = State.open(settings.ONPREM_STATE_DIR)
    assert Doctor().says("!", "nothing was ever sent")

    state.put("last_success", NOW.date().isoformat())
    assert Doctor().says("✓", f"last success was for {NOW.date()}")

    days.owe(state, YESTERDAY)
    state.close()
    assert Doctor().says("!", "1 days are owed")


@pytest.mark.usefixtures("factory")
def test_cron_lines_that_are_not_there_yet_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cronplaces, "read_crontab", lambda: "")

    assert Doctor().says("!", "not in cron yet: .*push_cloud")


@pytest.mark.usefixtures("factory")
def test_a_cron_line_that_will_be_deleted_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    block = ["# ATT_PERIODS_AUTO_BEGIN", *croncheck.our_lines(), "# ATT_PERIODS_AUTO_END", ""]
    monkeypatch.setattr(cronplaces, "read_crontab", lambda: "\n".join(block))

    assert Doctor().says("✗", "cron line will not work")


# --- the database ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", ["employee", "scan", "period", "override"])
@pytest.mark.usefixtures("factory")
def test_a_missing_view_is_wrong(relation: str) -> None:
    run(f"DROP TABLE attsync_{relation}")

    doctor = Doctor()

    assert doctor.says("✗", f"attsync_{relation} cannot be used")
    assert doctor.failed


@pytest.mark.parametrize("relation", ["pull", "dayoff"])
@pytest.mark.usefixtures("factory")
def test_a_missing_optional_view_is_only_mentioned(relation: str) -> None:
    run(f"DROP TABLE attsync_{relation}")

    doctor = Doctor()

    assert doctor.says("!", rf"no attsync_{relation}, or no right to read it \(optional\)")
    assert doctor.wrong == []


@pytest.mark.parametrize("relation", ["pull", "dayoff"])
@pytest.mark.usefixtures("factory")
def test_an_optional_view_that_earlier_runs_could_read_is_missed(settings: Settings, relation: str) -> None:
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        state.put("optional", relation)
    run(f"DROP TABLE attsync_{relation}")

    assert Doctor().says("✗", f"attsync_{relation} could be read before .* push_cloud --force")


@pytest.mark.usefixtures("factory")
def test_every_missing_column_is_named() -> None:
    run(
        "ALTER TABLE attsync_employee RENAME COLUMN hire_date TO a",
        "ALTER TABLE attsync_employee RENAME COLUMN grp TO b",
    )

    assert Doctor().says("✗", "attsync_employee: column grp, hire_date is missing")


@pytest.mark.usefixtures("factory")
def test_a_view_without_people_is_wrong() -> None:
    run("DELETE FROM attsync_employee")

    assert Doctor().says("✗", "attsync_employee: can be read but has no rows")


def test_a_database_that_is_not_there_is_wrong_and_said_once() -> None:
    with pointed_at("mysql://root@localhost/x?unix_socket=/nowhere/s"):
        doctor = Doctor()

    assert doctor.says("✗", "database cannot be reached: .*/nowhere/s")
    assert len(doctor.wrong) == 1


def test_an_override_that_is_a_view_on_sqlite_is_wrong(factory: BaseDatabaseWrapper) -> None:
    if factory.vendor == "sqlite":
        run("ALTER TABLE attsync_override RENAME TO o", "CREATE VIEW attsync_override AS SELECT * FROM o")
    else:
        run("RENAME TABLE attsync_override TO o", "CREATE VIEW attsync_override AS SELECT DISTINCT * FROM o")

    doctor = Doctor()

    assert [doctor.says("✗", f"attsync_override: no {command}") for command in ("UPDATE", "INSERT", "DELETE")] == [
        True
    ] * 3


@pytest.fixture
def account(mariadb: MariaDB) -> Iterator[MariaDB]:
    """A site whose account has no rights yet."""
    mariadb.create("doctored")
    mariadb.execute("CREATE OR REPLACE USER doc@localhost IDENTIFIED BY 'd'")
    with pointed_at(mariadb.url("doctored")):
        run(*RELATIONS)
        add_periods()
        add_people("0001")
    yield mariadb
    mariadb.execute("DROP USER doc@localhost")


def as_account(server: MariaDB, *grants: str) -> Doctor:
    for grant in grants:
        server.execute(f"GRANT {grant} TO doc@localhost")
    with pointed_at(server.url("doctored").replace("root@", "doc:d@")):
        return Doctor()


READ_ALL = tuple(
    f"SELECT ON doctored.attsync_{name}" for name in ("employee", "scan", "period", "override", "pull", "dayoff")
)
WRITE = "INSERT, UPDATE, DELETE ON doctored.attsync_override"


def test_the_promised_rights_are_enough(account: MariaDB) -> None:
    doctor = as_account(account, *READ_ALL, WRITE)

    assert doctor.wrong == []
    assert not doctor.says("!", "more than it needs")


@pytest.mark.parametrize("missing", ["INSERT", "UPDATE", "DELETE"])
def test_a_missing_right_is_named(account: MariaDB, missing: str) -> None:
    rest = ", ".join(right for right in ("INSERT", "UPDATE", "DELETE") if right != missing)

    doctor = as_account(account, *READ_ALL, f"{rest} ON doctored.attsync_override")

    assert [line for line in doctor.wrong if f"no {missing}" in line] == doctor.wrong
    assert doctor.failed


@pytest.mark.parametrize(
    "grant",
    [
        "ALL PRIVILEGES ON doctored.*",
        "SELECT ON *.*",
        "UPDATE ON doctored.attsync_employee",
        "DROP ON doctored.attsync_override",
    ],
)
def test_rights_that_are_too_wide_are_mentioned(account: MariaDB, grant: str) -> None:
    doctor = as_account(account, *READ_ALL, WRITE, grant)

    assert doctor.says("!", "more than it needs")
    assert doctor.wrong == []


@pytest.mark.parametrize(
    ("column", "declared", "words"),
    [
        ("emp_no", "INT", "emp_no is a number"),
        ("emp_no", "DECIMAL(10,0)", "emp_no is a number"),
        ("emp_no", "CHAR(3)", r"emp_no is char\(3\), which cannot hold: 0001"),
        ("status", "CHAR(4)", r"status is char\(4\), which cannot hold: present"),
        ("status", "ENUM('late','P')", "cannot hold: present"),
        ("source", "CHAR(6)", "cannot hold: attsync"),
    ],
)
def test_a_column_that_would_change_a_mark_is_wrong(account: MariaDB, column: str, declared: str, words: str) -> None:
    account.execute(f"ALTER TABLE attsync_override MODIFY {column} {declared} NOT NULL", database="doctored")

    doctor = as_account(account, *READ_ALL, WRITE)

    assert doctor.failed
    assert doctor.says("✗", words)
    assert not doctor.says("✓", "attsync_override can be written")


# --- people and windows ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("factory")
def test_names_in_a_wrong_charset_are_shown_with_what_they_were() -> None:
    add("employee", ("0999", "999", "สมชาย".encode("cp874").decode("latin-1"), None, 1, None, None, None))

    assert Doctor().says("✗", "attsync_employee.full_name is read in a wrong charset in 1 rows: .*→ สมชาย")


@pytest.mark.usefixtures("factory")
def test_one_device_number_on_two_people_is_wrong() -> None:
    add("employee", ("0999", "0001", None, None, 1, None, None, None))

    assert Doctor().says("✗", "one device number on several people.*0001 → 0001, 0999")


@pytest.mark.usefixtures("factory")
def test_numbers_that_fold_together_are_named() -> None:
    add("employee", ("1", "1001", None, None, 1, None, None, None))

    assert Doctor().says("!", "0001 / 1")


@pytest.mark.usefixtures("factory")
def test_people_without_a_device_number_are_named() -> None:
    add("employee", ("0999", None, None, None, 1, None, None, None))

    assert Doctor().says("!", "1 people have no device number: 0999")


@pytest.mark.usefixtures("factory")
def test_a_shift_without_windows_is_named() -> None:
    add("employee", ("0999", "999", None, None, 1, None, None, "Z"))

    assert Doctor().says("!", "shift Z has no window")


@pytest.mark.usefixtures("factory")
def test_overlapping_windows_are_wrong() -> None:
    add("period", (5, "ซ้อน", "08:30:00", "09:30:00", None, 9, None, None))

    doctor = Doctor()

    assert doctor.says("✗", r"periods 2 \(07:30-09:00\) and 5 \(08:30-09:30\) overlap")
    assert doctor.failed


@pytest.mark.usefixtures("factory")
def test_a_late_time_outside_its_window_is_named() -> None:
    run("UPDATE attsync_period SET late_after = '10:00:00' WHERE code = 2")

    assert Doctor().says("!", "period 2: late after 10:00 lies outside its window 07:30-09:00")


# --- the rows of the last days --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("factory")
def test_a_few_unmatched_numbers_are_mentioned() -> None:
    add_scans("777", f"{YESTERDAY} 07:00:00")

    doctor = Doctor()

    assert doctor.says("!", r"1 of 31 scans belong to nobody we know, numbers: 777 \(1\)")
    assert doctor.wrong == []


@pytest.mark.usefixtures("factory")
def test_many_unmatched_numbers_are_wrong_and_explained() -> None:
    for i in range(10):
        run(f"UPDATE attsync_employee SET device_no = 'x{i}' WHERE emp_no = '{i:04d}'")
    add("employee", ("0500", "5", None, None, 1, None, None, None))

    doctor = Doctor()

    assert doctor.says("✗", "30 of 30 scans belong to nobody")
    assert doctor.says("!", "0005 ~ 5")


@pytest.mark.usefixtures("factory")
def test_repeated_future_and_ancient_scans_are_counted() -> None:
    add_scans("0001", f"{YESTERDAY} 06:01:00", "1999-01-01 07:00:00", f"{NOW + timedelta(days=400):%Y-%m-%d} 07:00:00")

    doctor = Doctor()

    assert doctor.says("!", "1 scans are there twice")
    assert doctor.says("!", "1 scans are from before 2000")
    assert doctor.says("!", "1 scans are from the future")


@pytest.mark.usefixtures("factory")
def test_a_terminal_in_another_zone_is_wrong() -> None:
    for i in range(10):
        for at in ("23", "05", "10"):
            add("scan", (5000 + i * 100 + int(at), f"{i:04d}", f"{YESTERDAY} {at}:{i:02d}:00", "UTC"))

    assert Doctor().says("✗", "scans of UTC are -7 hours off")


@pytest.mark.usefixtures("factory")
def test_no_scan_at_all_is_mentioned() -> None:
    run("DELETE FROM attsync_scan")

    assert Doctor().says("!", "no scan in 30 days")


@pytest.mark.usefixtures("factory")
def test_words_and_doubles_among_the_marks_are_named() -> None:
    add_mark("0001", 2, "sick", day=YESTERDAY.isoformat())
    if connections["legacy"].vendor == "mysql":
        run("ALTER TABLE attsync_override DROP PRIMARY KEY")
        add_mark("0001", 2, "late", day=YESTERDAY.isoformat())
        assert Doctor().says("!", f"several rows for one cell in attsync_override: {YESTERDAY} 2 0001")

    assert Doctor().says("!", "1 marks with words we do not know.*0001 sick")


@pytest.mark.usefixtures("factory")
def test_a_silent_terminal_is_named() -> None:
    add("pull", ("T9", "2020-01-01 00:00:00"))

    assert Doctor().says("!", "terminals not heard for 24 hours: T9")


@pytest.mark.usefixtures("factory")
def test_bad_rows_are_named() -> None:
    add_scans(None, f"{YESTERDAY} 07:00:00")

    assert Doctor().says("!", "1 rows mean nothing: scan of nobody")


@pytest.mark.parametrize(
    "row",
    [
        (f"{YESTERDAY}", f"{YESTERDAY}", "0001", "X", "?"),
        (f"{YESTERDAY}", f"{YESTERDAY}", " ", "D", "?"),
        ("0000-00-00", "2019-01-01", "0001", "D", "?"),
    ],
)
@pytest.mark.usefixtures("factory")
def test_days_off_that_mean_nothing_are_named(row: tuple[str, ...]) -> None:
    if connections["legacy"].vendor == "mysql":
        run("ALTER TABLE attsync_dayoff MODIFY date_from VARCHAR(32), MODIFY date_to VARCHAR(32)")
    add("dayoff", row, ("2019-01-01", "2019-01-01", "0001", "X", "too old to be of interest"))

    assert Doctor().says("!", f"1 rows mean nothing: day off of .* from {row[0]}")
