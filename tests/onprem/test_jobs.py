"""Starting a site's program: what it gets to see, and whose processes are whose."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pytest_django import Settings

from onprem import jobs
from onprem.schedule import Job
from onprem.slot import Slot
from onprem.state import State, StateUnwritable

ZONE = ZoneInfo("Asia/Bangkok")
SLOT = Slot("stats", datetime(2026, 11, 10, 18, 30, tzinfo=ZONE), is_replay=False)


def environment_of_a_job(folder: Path) -> dict[str, str]:
    job = Job("stats", "30 18 * * *", ("/bin/sh", "-c", f"env -0 > {folder}/env"), ZONE)
    assert jobs.run(job, SLOT) == (0, "")
    entries = (folder / "env").read_text().split("\0")
    return dict(entry.split("=", 1) for entry in entries if entry)


def test_a_job_sees_none_of_our_secrets_and_nothing_of_the_env_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ATTSYNC_KEY", "LEGACY_DATABASE_URL", "DJANGO_SETTINGS_MODULE", "READ_FROM_DOT_ENV"):
        monkeypatch.setenv(name, "x")

    seen = environment_of_a_job(tmp_path)

    assert seen.keys().isdisjoint({"ATTSYNC_KEY", "LEGACY_DATABASE_URL", "DJANGO_SETTINGS_MODULE", "READ_FROM_DOT_ENV"})
    assert seen["HOME"] == os.environ["HOME"]


def test_secrets_that_we_were_started_with_are_withheld(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = {"PATH": os.environ["PATH"], "TZ": "Asia/Tokyo", "ATTSYNC_KEY": "x", "LEGACY_DATABASE_URL": "x"}
    monkeypatch.setattr("onprem.program.environment_at_start", lambda: started)

    seen = environment_of_a_job(tmp_path)

    assert (seen["TZ"], "ATTSYNC_KEY" in seen, "LEGACY_DATABASE_URL" in seen) == ("Asia/Tokyo", False, False)


def test_a_job_knows_its_slot(tmp_path: Path, settings: Settings) -> None:
    seen = environment_of_a_job(tmp_path)

    assert {name: value for name, value in seen.items() if name.startswith("ATTSYNC_")} == {
        "ATTSYNC_JOB": "stats",
        "ATTSYNC_SCHEDULED_FOR": "2026-11-10T18:30:00+07:00",
        "ATTSYNC_CATCHUP": "0",
        "ATTSYNC_STATE_DIR": str(settings.ONPREM_STATE_DIR),
    }


@contextmanager
def left_running(state: object) -> Iterator[subprocess.Popen[bytes]]:
    marks = {**SLOT.environment(), "ATTSYNC_STATE_DIR": str(state)}
    with subprocess.Popen(["sleep", "60"], env=marks) as process:
        yield process
        process.kill()


def test_the_processes_of_another_installation_are_not_ours_to_end(settings: Settings, tmp_path: Path) -> None:
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state, left_running(tmp_path / "other") as others:
        starter = jobs.starter(state, lambda _line: None)

        assert starter.end_leftovers(SLOT) == 0
        assert others.poll() is None


def test_what_a_run_of_ours_has_left_is_ended(settings: Settings) -> None:
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state, left_running(settings.ONPREM_STATE_DIR):
        assert jobs.starter(state, lambda _line: None).end_leftovers(SLOT) == 1


@pytest.mark.parametrize("place", ["file", "file/state"])
def test_a_state_that_no_pass_could_use_is_told_by_a_look_too(tmp_path: Path, settings: Settings, place: str) -> None:
    (tmp_path / "file").touch()
    settings.ONPREM_STATE_DIR = tmp_path / place

    with pytest.raises(StateUnwritable, match="File exists|Not a directory"), jobs.copied_state():
        pass


@pytest.mark.parametrize("damage", ["all", "a page", "a value"])
def test_a_damaged_state_is_told_by_a_look_too_and_left_alone(settings: Settings, damage: str) -> None:
    with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        file = settings.ONPREM_STATE_DIR / "state.sqlite3"
        state.put("catchup_high_water", "x" if damage == "a value" else "2026-07-28T05:00:00+00:00")
    content = file.read_bytes()
    kept = {"all": 0, "a page": 4096}.get(damage, len(content))
    file.write_bytes(content[:kept] + b"garbage!" * (len(content[kept:]) // 8))
    before = file.read_bytes()

    with pytest.raises(StateUnwritable, match=r"state\.sqlite3 is damaged"), jobs.copied_state():
        pass
    assert file.read_bytes() == before
