"""The command: a real factory database, a real HTTP server, words and exit codes."""

from __future__ import annotations

import fcntl
import io
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from onprem import days, session
from onprem.state import NAME, State
from tests.onprem.fakes import NOON, edit
from tests.onprem.site import add_people, add_periods, add_scans, ask, run
from tests.onprem.wirecloud import WireCloud

STAMP = r"\[2026-07-28 12:00:0[0-9]\] "
DAY_S = 86400


@pytest.fixture(autouse=True)
def noon() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON) as traveller:
        yield traveller


@pytest.fixture(autouse=True)
def _cron_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the crontab of the machine that runs the tests says."""
    monkeypatch.setattr("onprem.croncheck.is_missing", lambda: False)


@pytest.fixture
def cloud(settings: Settings) -> Iterator[WireCloud]:
    with WireCloud() as cloud:
        settings.ATTSYNC_URL = f"{cloud.url}/ingest"
        yield cloud


@pytest.fixture(autouse=True)
def factory(relations: BaseDatabaseWrapper) -> None:
    add_periods()
    add_people("0012", "777")
    add_scans("777", "2026-07-28 06:55:00")


def push(*words: str, **options: object) -> tuple[int, str]:
    """Return the exit code and everything it said."""
    out = io.StringIO()
    try:
        call_command("push_cloud", *words, stdout=out, stderr=out, **options)
    except CommandError as exc:
        return exc.returncode, f"{out.getvalue()}{exc}\n"
    return 0, out.getvalue()


def overrides() -> list[tuple[object, ...]]:
    return ask("SELECT emp_no, period, status, source FROM attsync_override ORDER BY emp_no")


# --- one run --------------------------------------------------------------------------------------------------------


def test_the_lines_are_those_of_the_contract(cloud: WireCloud) -> None:
    cloud.cloud.edits = [edit(period=2)]

    code, said = push()

    assert code == 0
    lines = said.splitlines()
    assert re.fullmatch(rf"{STAMP}the state is new: .*", lines[0])
    assert re.fullmatch(rf"{STAMP}edit id=7 2026-07-28 period 2 no 0012 late: applied", lines[1])
    assert re.fullmatch(rf"{STAMP}2026-07-28: sent, 2 workers, 1 KiB", lines[2])
    assert len(lines) == 3


def test_an_edit_becomes_a_row_at_the_factory(cloud: WireCloud) -> None:
    cloud.cloud.edits = [edit(period=2)]

    push()

    assert overrides() == [("0012", 2, "late", "attsync")]
    assert cloud.cloud.edits == []
    (worker,) = [one for one in cloud.cloud.days["2026-07-28"].workers if one.no == "0012"]
    assert worker.p[2] == "late"


def test_an_idle_run_says_one_line_or_none(cloud: WireCloud) -> None:
    push()

    assert re.fullmatch(rf"{STAMP}2026-07-28: unchanged\n", push()[1])
    assert push(verbosity=0) == (0, "")


def test_a_real_scan_is_reported_as_superseding(cloud: WireCloud) -> None:
    cloud.cloud.edits = [edit("777", period=1)]

    code, said = push()

    assert (code, overrides()) == (0, [])
    assert "edit id=7 2026-07-28 period 1 no 777 late: superseded" in said


def test_several_days_are_pushed_oldest_first(cloud: WireCloud) -> None:
    assert push("2026-07-27", "2026-07-20", "--days", "2")[0] == 0

    assert list(cloud.cloud.days) == ["2026-07-19", "2026-07-20", "2026-07-26", "2026-07-27"]


def test_the_days_name_today_when_no_date_is_given(cloud: WireCloud) -> None:
    push("--days=3")

    assert list(cloud.cloud.days) == ["2026-07-26", "2026-07-27", "2026-07-28"]


@pytest.mark.parametrize("missing", ["ATTSYNC_URL", "ATTSYNC_KEY", "LEGACY_DATABASE_URL"])
def test_a_missing_setting_is_named_and_2(cloud: WireCloud, settings: Settings, missing: str) -> None:
    setattr(settings, missing, "")

    code, said = push()

    assert code == 2
    assert said.startswith(f"{missing} is not set: ")
    assert cloud.calls == []


def test_after_days_without_power_the_days_come_by_themselves(cloud: WireCloud, noon: time_machine.Traveller) -> None:
    push()
    noon.shift(timedelta(days=3))
    cloud.cloud.now = int(time.time())

    push()

    assert list(cloud.cloud.days) == ["2026-07-28", "2026-07-29", "2026-07-30", "2026-07-31"]


# --- exit codes -----------------------------------------------------------------------------------------------------

NO_ANSWERS = {
    "a block page": (200, b"<html>"),
    "401": (401, b"{}"),
    "403": (403, b""),
    "404": (404, b""),
    "429": (429, b""),
    "500": (500, b""),
    "a redirect": (302, b""),
    "not ok": (200, b'{"ok": false}'),
}


@pytest.mark.parametrize("route", ["pending", "applied", "ingest"])
@pytest.mark.parametrize("answer", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_without_a_trustworthy_answer_it_is_75_and_nothing_is_lost(
    cloud: WireCloud, route: str, answer: tuple[int, bytes]
) -> None:
    cloud.cloud.edits = [edit(period=2)]
    cloud.answers[route] = answer

    assert push()[0] == 75
    cloud.answers.clear()

    assert push()[0] == 0
    assert (cloud.cloud.edits, overrides()) == ([], [("0012", 2, "late", "attsync")])
    assert (cloud.cloud.days["2026-07-28"].gen or 0) >= cloud.cloud.acks[-1]["gen"]


@pytest.mark.parametrize("status", [400, 413])
def test_a_refused_day_is_1_and_stays_owed(cloud: WireCloud, settings: Settings, status: int) -> None:
    cloud.answers["ingest"] = (status, b'{"ok": false, "code": "bad_payload", "error": "workers[0].no"}')

    code, said = push()

    assert code == 1
    assert "2026-07-28: refused, ingest: " in said
    assert "workers[0].no" in said
    assert set(owed(settings)) == {"2026-07-28"}


def test_a_suspicious_day_is_1_and_force_settles_it(cloud: WireCloud, settings: Settings) -> None:
    cloud.answers["ingest"] = (409, b'{"ok": false, "code": "suspicious", "error": "2 of 400"}')
    assert push()[0] == 1
    assert cloud.calls[-1][1]["error"] == "suspicious"
    cloud.answers.clear()

    assert push("--force")[0] == 0
    assert owed(settings) == []


def test_a_refused_edit_is_1(cloud: WireCloud) -> None:
    cloud.cloud.edits = [edit("999")]

    code, said = push()

    assert code == 1
    assert "edit id=7 2026-07-28 period 1 no 999 late: refused, unknown_employee: " in said


def test_a_factory_that_is_away_is_75_and_told(cloud: WireCloud, settings: Settings) -> None:
    run("DROP TABLE attsync_scan")
    cloud.cloud.edits = [edit(period=2)]

    code, said = push()

    assert code == 75
    assert "view_missing: " in said
    assert cloud.calls[-1][1]["error"] == "view_missing"


def owed(settings: Settings) -> list[str]:
    state = State.open(settings.ONPREM_STATE_DIR)
    found = sorted(map(str, days.owed(state)))
    state.close()
    return found


# --- locks ----------------------------------------------------------------------------------------------------------


@contextmanager
def held(settings: Settings, name: str) -> Iterator[None]:
    settings.ONPREM_STATE_DIR.mkdir(exist_ok=True)
    with (settings.ONPREM_STATE_DIR / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.parametrize("words", [["push_cloud", "2026-07-27"], ["catchup"], ["run_job", "nightly_push"]])
def test_a_state_that_others_are_at_is_tried_again(
    cloud: WireCloud, settings: Settings, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("onprem.tables.BUSY_SECONDS", 0.1)
    with held(settings, "state"), pytest.raises(CommandError, match="others are at it") as refused:
        call_command(*words, stdout=io.StringIO(), stderr=io.StringIO())

    assert refused.value.returncode == 75


@pytest.mark.parametrize("words", [[], ["--listen=50"], ["--no-edits"]])
def test_the_minute_run_leaves_quietly_when_another_listens(
    cloud: WireCloud, settings: Settings, words: list[str]
) -> None:
    with held(settings, "listen"):
        code, said = push(*words)

    assert code == 0
    assert said.splitlines()[-1].endswith("another run is listening; leaving it to that one")
    assert cloud.calls == []


@pytest.mark.parametrize("words", [["2026-07-28"], ["--days=1"], ["--force"]])
def test_any_other_run_does_not_mind_a_listener(cloud: WireCloud, settings: Settings, words: list[str]) -> None:
    with held(settings, "listen"):
        code, _ = push(*words)

    assert code == 0
    assert "pending" in cloud.routes


def test_a_busy_work_lock_is_75_and_the_days_are_owed(
    cloud: WireCloud, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_WAIT_S", 0.2)
    with held(settings, "work"):
        code, said = push("2026-07-20")

    assert (code, cloud.calls) == (75, [])
    assert "another run holds the work lock" in said
    assert owed(settings) == ["2026-07-20"]
    push("2026-07-21")
    assert list(cloud.cloud.days) == ["2026-07-20", "2026-07-21"]


# --- state ----------------------------------------------------------------------------------------------------------


def test_a_deleted_state_costs_one_push(cloud: WireCloud, settings: Settings) -> None:
    push()
    for path in settings.ONPREM_STATE_DIR.iterdir():
        path.unlink()

    code, said = push()

    assert code == 0
    assert "the state is new" in said
    assert cloud.routes.count("ingest") == 2


def test_a_damaged_state_costs_one_push_and_is_kept(cloud: WireCloud, settings: Settings) -> None:
    push()
    (settings.ONPREM_STATE_DIR / NAME).write_bytes(b"power cut" * 1000)

    code, said = push()

    assert code == 0
    assert "the state was damaged and is kept as state.sqlite3.corrupt-" in said
    assert cloud.routes.count("ingest") == 2
    assert push()[1].endswith("unchanged\n")


def test_after_a_lost_state_generations_go_on_above_the_clouds(cloud: WireCloud, settings: Settings) -> None:
    push()
    cloud.cloud.days["2026-07-28"].gen = cloud.cloud.gen = int(NOON) + DAY_S
    (settings.ONPREM_STATE_DIR / NAME).unlink()

    assert push()[0] == 0
    assert (cloud.cloud.days["2026-07-28"].gen or 0) > NOON + DAY_S


@pytest.mark.parametrize("place", ["/proc/attsync", "/dev/null/attsync"])
def test_an_unusable_state_is_1_in_words_and_told(cloud: WireCloud, settings: Settings, place: str) -> None:
    settings.ONPREM_STATE_DIR = Path(place)
    cloud.cloud.edits = [edit(period=2)]

    code, said = push()

    assert code == 1
    assert said.startswith(f"the state cannot be used, stopping here: state directory {place}: ")
    assert [params.get("error") for _, params in cloud.calls] == ["state_unwritable"]
    assert overrides() == []


# --- dry run --------------------------------------------------------------------------------------------------------


def test_a_dry_run_says_what_a_run_would_do(cloud: WireCloud) -> None:
    cloud.cloud.edits = [edit(period=2), edit("777", id=8, period=1), edit("999", id=9), edit(id=10, period="x")]

    _, said = push("--dry-run", "2026-07-27")

    assert [line.split("] ", 1)[1] for line in said.splitlines()[:6]] == [
        "edit id=7 2026-07-28 period 2 no 0012 late: would apply",
        "edit id=8 2026-07-28 period 1 no 777 late: would be superseded",
        "edit id=9 2026-07-28 period 1 no 999 late: would be refused, unknown_employee: nobody has the number 999",
        "edit id=10: would be refused, bad_edit: period: expected a whole number from 1 to 255",
        "2026-07-27: would push, 2 workers, 1 KiB",
        "2026-07-28: would push, 2 workers, 1 KiB",
    ]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/att-sync", None])
def test_without_a_line_a_dry_run_says_what_a_run_says(cloud: WireCloud, settings: Settings, url: str | None) -> None:
    cloud.answers["pending"] = cloud.answers["ingest"] = (503, b"")
    settings.ATTSYNC_URL = url or settings.ATTSYNC_URL

    rehearsed, done = push("--dry-run", "--days=3"), push("--days=3")

    assert rehearsed[0] == done[0] == 75
    assert [line[22:] for line in rehearsed[1].splitlines()] == [
        line[22:] for line in done[1].splitlines() if "state is new" not in line
    ]


@pytest.mark.parametrize("with_state", [False, True])
def test_a_dry_run_changes_nothing_anywhere(cloud: WireCloud, settings: Settings, with_state: bool) -> None:
    if with_state:
        push()
    calls = len(cloud.calls)
    cloud.cloud.edits = [edit(period=2)]
    before = files(settings.ONPREM_STATE_DIR)

    push("--dry-run", "--days=3", "--force")

    assert files(settings.ONPREM_STATE_DIR) == before
    assert overrides() == []
    assert [(route, set(params)) for route, params in cloud.calls[calls:]] == [("pending", {"limit"})]


def test_a_dry_run_knows_what_is_unchanged(cloud: WireCloud) -> None:
    push()

    assert push("--dry-run")[1].endswith("2026-07-28: unchanged\n")


def test_a_dry_run_waits_for_nobody(cloud: WireCloud, settings: Settings) -> None:
    with held(settings, "work"), held(settings, "listen"):
        assert push("--dry-run")[0] == 0


DAMAGES: dict[str, Callable[[Path], object]] = {
    "all": lambda file: file.write_bytes(b"power cut" * 1000),
    "the pages": lambda file: file.write_bytes(file.read_bytes()[:4096] + b"x" * 40960),
    "a value": lambda file: run_in(file, "UPDATE meta SET value = 'x' WHERE name = 'gen'"),
    "a type": lambda file: run_in(file, "UPDATE day SET gen = x'00'"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_dry_run_with_a_damaged_state_is_one_without_memory(
    cloud: WireCloud, settings: Settings, damage: Callable[[Path], object]
) -> None:
    push()
    damage(settings.ONPREM_STATE_DIR / NAME)
    before = files(settings.ONPREM_STATE_DIR)

    code, said = push("--dry-run")

    assert code == 0
    assert [line.split("] ", 1)[1] for line in said.splitlines()] == [
        "the state is damaged: a run keeps it aside and begins a new one",
        "2026-07-28: would push, 2 workers, 1 KiB",
    ]
    assert files(settings.ONPREM_STATE_DIR) == before
    assert push()[0] == 0


def run_in(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(statement)


@pytest.mark.parametrize("place", ["/dev/null/attsync", "/dev/null"])
def test_a_dry_run_refuses_an_unusable_state_as_a_run_does(cloud: WireCloud, settings: Settings, place: str) -> None:
    settings.ONPREM_STATE_DIR = Path(place)

    assert push("--dry-run") == push()
    assert len(cloud.calls) == 1


def test_a_dry_run_refuses_a_full_disk_as_a_run_does(
    cloud: WireCloud, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    push()
    before = files(settings.ONPREM_STATE_DIR)
    full = SimpleNamespace(f_flag=0, f_blocks=50, f_bfree=0, f_bavail=0)
    monkeypatch.setattr("onprem.place.os.statvfs", lambda _place: full)

    words = f"the state cannot be used, stopping here: state directory {settings.ONPREM_STATE_DIR}: "
    assert push("--dry-run") == (1, f"{words}database or disk is full\n")
    assert files(settings.ONPREM_STATE_DIR) == before


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.exists() else {}


def remembered(settings: Settings) -> str | None:
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        return state.get("optional")


@pytest.mark.parametrize("relation", ["dayoff", "pull"])
@pytest.mark.parametrize("words", [(), ("--dry-run",), ("2026-07-27",)])
def test_an_optional_relation_that_is_gone_is_missed_loudly(
    cloud: WireCloud, relation: str, words: tuple[str, ...]
) -> None:
    push()
    run(f"DROP TABLE attsync_{relation}")
    pushed = len(cloud.cloud.bodies)

    code, said = push(*words)

    assert code == 75
    assert re.search(f"view_missing: .*attsync_{relation} could be read before: .*push_cloud --force", said)
    assert len(cloud.cloud.bodies) == pushed


def test_an_optional_relation_is_remembered_until_somebody_forces(cloud: WireCloud, settings: Settings) -> None:
    push()
    run("DROP TABLE attsync_dayoff")
    push()
    still_both = remembered(settings)

    assert push("--force")[0] == 0
    assert (still_both, remembered(settings)) == ("dayoff,pull", "pull")
    assert push()[0] == 0


def test_a_run_that_listened_meanwhile_does_not_undo_the_force(cloud: WireCloud, settings: Settings) -> None:
    push()
    run("DROP TABLE attsync_dayoff")
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state, session._optional_relations(state, forget=False):
        state.put("optional", "pull")

    assert remembered(settings) == "pull"


def test_a_forced_run_that_reads_nothing_forgets_nothing(cloud: WireCloud, settings: Settings) -> None:
    push()
    run("DROP TABLE attsync_employee")

    push("--force")

    assert remembered(settings) == "dayoff,pull"


def test_a_site_that_never_had_the_optional_relations_hears_nothing_of_them(cloud: WireCloud) -> None:
    run("DROP TABLE attsync_dayoff", "DROP TABLE attsync_pull")

    push()

    assert push()[0] == 0
