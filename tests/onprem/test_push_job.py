"""`push_cloud` as the nightly job: which days it pushes, and what the ledger says of it afterwards."""

from __future__ import annotations

import fcntl
import io
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from onprem import jobs, session, slot
from onprem.occurrences import Occurrences
from onprem.plan import Row
from onprem.run import Run
from onprem.state import State
from tests.onprem.fakes import edit
from tests.onprem.site import add_people, add_periods
from tests.onprem.wirecloud import WireCloud

SLOT = datetime.fromisoformat("2026-11-14T00:20:00+07:00")
NIGHTLY = ("--days=2", "--job=nightly_push")
REPLAY = ("--days=2", f"--scheduled-for={SLOT.isoformat()}")


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    """Cron has just started the line."""
    with time_machine.travel(SLOT + timedelta(seconds=1)) as traveller:
        yield traveller


@pytest.fixture
def cloud(settings: Settings, clock: time_machine.Traveller) -> Iterator[WireCloud]:
    with WireCloud() as cloud:
        settings.ATTSYNC_URL = cloud.url
        cloud.cloud.now = int((SLOT + timedelta(seconds=1)).timestamp())
        yield cloud


@pytest.fixture(autouse=True)
def factory(relations: BaseDatabaseWrapper) -> None:
    add_periods()
    add_people("0012")


def push(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("push_cloud", *words, stdout=out, stderr=out)
    except CommandError as exc:
        return exc.returncode, f"{out.getvalue()}{exc}\n"
    return 0, out.getvalue()


def row(settings: Settings) -> Row | None:
    nightly = jobs.installed().find("nightly_push")
    assert nightly is not None
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        return Occurrences(state).row(nightly, SLOT)


def test_the_nightly_run_pushes_the_day_it_closes_and_the_one_before(cloud: WireCloud, settings: Settings) -> None:
    code, said = push(*NIGHTLY)

    assert (code, list(cloud.cloud.days)) == (0, ["2026-11-12", "2026-11-13"])
    assert "] nightly_push 2026-11-14T00:20:00+07:00 succeeded in " in said
    done = row(settings)
    assert done is not None
    assert (done.state, done.source, done.attempts) == ("succeeded", "direct", 1)


def test_a_crond_four_minutes_late_changes_nothing(cloud: WireCloud, clock: time_machine.Traveller) -> None:
    clock.move_to(SLOT + timedelta(minutes=4))

    assert push(*NIGHTLY)[0] == 0
    assert list(cloud.cloud.days) == ["2026-11-12", "2026-11-13"]


def test_typed_at_noon_it_does_nothing_and_says_so(cloud: WireCloud, clock: time_machine.Traveller) -> None:
    clock.move_to(SLOT + timedelta(hours=12))

    code, said = push(*NIGHTLY)

    assert (code, cloud.calls) == (0, [])
    assert "no slot in the last 10 minutes" in said


def test_the_second_start_finds_it_done(cloud: WireCloud) -> None:
    push(*NIGHTLY)
    calls = len(cloud.calls)

    code, said = push(*NIGHTLY)

    assert (code, len(cloud.calls)) == (0, calls)
    assert "already done" in said


def test_a_replay_two_days_later_counts_its_days_from_the_slot(
    cloud: WireCloud, clock: time_machine.Traveller, settings: Settings
) -> None:
    clock.move_to(SLOT + timedelta(days=2))
    cloud.cloud.now = int((SLOT + timedelta(days=2)).timestamp())

    assert push(*REPLAY)[0] == 0
    assert list(cloud.cloud.days) == ["2026-11-12", "2026-11-13"]
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        assert Occurrences(state).is_empty()


def test_a_replay_and_a_direct_run_know_their_slot(cloud: WireCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[datetime | None, bool]] = []
    monkeypatch.setattr(Run, "tell", lambda _run: seen.append((slot.scheduled_for(), slot.is_catchup_replay())))
    push(*NIGHTLY)
    monkeypatch.setenv("ATTSYNC_CATCHUP", "1")
    push(*REPLAY)
    push("2026-11-01")

    assert seen == [(SLOT, False), (SLOT, True), (None, False)]


def test_a_cloud_that_is_away_leaves_the_slot_unclaimed(settings: Settings) -> None:
    settings.ATTSYNC_URL = "http://127.0.0.1:9/att-sync"

    code, said = push(*NIGHTLY)

    assert (code, row(settings)) == (75, None)
    assert "left to catch-up" in said


def test_a_cloud_in_trouble_costs_no_attempt(cloud: WireCloud, settings: Settings) -> None:
    cloud.answers["ingest"] = 503, b"busy"

    assert (push(*NIGHTLY)[0], row(settings)) == (75, None)


def test_a_refused_day_is_a_failed_attempt(cloud: WireCloud, settings: Settings) -> None:
    cloud.answers["ingest"] = 400, b'{"ok": false, "code": "bad_payload"}'

    code, said = push(*NIGHTLY)

    failed = row(settings)
    assert failed is not None
    assert (code, failed.state, failed.attempts) == (1, "failed", 1)
    assert "nightly_push 2026-11-14T00:20:00+07:00 failed" in said


def test_a_refused_edit_does_not_undo_the_slot(cloud: WireCloud, settings: Settings) -> None:
    cloud.cloud.edits = [edit("nobody", d="2026-11-13")]

    code, _ = push(*NIGHTLY)

    done = row(settings)
    assert done is not None
    assert (code, done.state) == (1, "succeeded")
    assert push(*REPLAY)[0] == 0


def test_a_busy_work_lock_leaves_the_slot_undone(
    cloud: WireCloud, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_WAIT_S", 0.2)
    settings.ONPREM_STATE_DIR.mkdir()
    with Path(settings.ONPREM_STATE_DIR, "work.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        code, said = push(*NIGHTLY)

    assert (code, row(settings)) == (75, None)
    assert "work lock" in said


def test_by_a_wrong_clock_nothing_is_done_and_no_attempt_burnt(cloud: WireCloud, settings: Settings) -> None:
    cloud.cloud.now = int((SLOT - timedelta(days=3)).timestamp())

    assert (push(*NIGHTLY)[0], row(settings)) == (75, None)
    assert cloud.cloud.days == {}


@pytest.mark.parametrize("words", [["--job=nope"], ["--scheduled-for=tomorrow"], ["--scheduled-for=2026-11-14"]])
def test_a_job_or_a_slot_that_does_not_exist_is_2(cloud: WireCloud, words: list[str]) -> None:
    assert (push(*words)[0], cloud.calls) == (2, [])


def test_a_dry_run_of_the_job_claims_nothing(cloud: WireCloud, settings: Settings) -> None:
    code, said = push(*NIGHTLY, "--dry-run")

    assert (code, cloud.cloud.days) == (0, {})
    assert "2026-11-13: would push" in said
    assert not settings.ONPREM_STATE_DIR.exists()


def test_a_dry_run_outside_the_slot_says_that_a_run_would_do_nothing(
    cloud: WireCloud, clock: time_machine.Traveller
) -> None:
    clock.shift(8 * 3600)

    assert "nightly_push: no slot has just come, a run would do nothing now" in push(*NIGHTLY, "--dry-run")[1]


def test_a_listener_does_not_keep_the_nightly_run_away(cloud: WireCloud, settings: Settings) -> None:
    settings.ONPREM_STATE_DIR.mkdir()
    with Path(settings.ONPREM_STATE_DIR, "listen.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert push(*NIGHTLY)[0] == 0
    assert list(cloud.cloud.days) == ["2026-11-12", "2026-11-13"]


@pytest.mark.parametrize("words", [[], ["--dry-run"]])
def test_a_sites_own_job_is_not_pushed(cloud: WireCloud, settings: Settings, tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('[[job]]\nname = "month"\ncron = "20 0 * * *"\ncommand = ["true"]\n')
    settings.ONPREM_JOBS_FILE = str(file)

    code, said = push("--job=month", *words)

    assert (code, cloud.cloud.days) == (2, {})
    assert "manage.py run_job month" in said
