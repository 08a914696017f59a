"""`manage.py check` on the factory's side."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command, load_command_class
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from onprem import jobs
from onprem.schedule import Schedule


@pytest.fixture
def file(settings: Settings, tmp_path: Path) -> Path:
    settings.ONPREM_JOBS_FILE = str(tmp_path / "jobs.toml")
    return tmp_path / "jobs.toml"


def ours() -> list[CheckMessage]:
    return [found for found in run_checks() if str(found.id).startswith("onprem.")]


def test_our_own_jobs_are_sound() -> None:
    assert ours() == []


def test_a_mistake_in_the_jobs_file_is_an_error(file: Path) -> None:
    file.write_text('[[job]]\nname = "x"\ncron = "0 6 * *"\ncommand = ["true"]\n')

    (found,) = ours()

    assert (found.id, "job 1 (x): cron: expected five fields" in found.msg) == ("onprem.E001", True)
    with pytest.raises(SystemCheckError):
        call_command("check")


def test_a_lookback_beyond_the_retention_is_an_error(file: Path) -> None:
    file.write_text('[[job]]\nname = "x"\ncron = "0 6 * * *"\ncommand = ["true"]\nlookback_days = 91\n')

    assert "lookback_days: expected a whole number from 1 to 90" in ours()[0].msg


def test_so_is_one_of_a_job_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    minute, nightly = jobs.installed().jobs
    forgetful = Schedule((minute, replace(nightly, lookback=timedelta(days=91))))
    monkeypatch.setattr(jobs, "installed", lambda: forgetful)

    assert [found.id for found in ours()] == ["onprem.E002"]


def test_a_job_whose_line_the_legacy_site_rewrites_is_warned_of(file: Path) -> None:
    file.write_text('[[job]]\nname = "x"\ncron = "0 6 * * *"\ncommand = ["php", "/var/www/line_notify.php"]\n')

    (found,) = ours()

    assert (found.id, "line_notify.php" in found.msg) == ("onprem.W001", True)


@pytest.mark.parametrize("name", ["catchup", "run_job", "push_cloud", "crontab", "doctor"])
def test_a_mistake_keeps_no_command_from_its_work(name: str) -> None:
    assert not load_command_class("onprem", name).requires_system_checks
