"""The factory's commands as cron starts them: nothing in the environment, any directory, any locale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "LEGACY_DATABASE_URL": f"sqlite:///{tmp_path}/factory.sqlite3",
        "ONPREM_STATE_DIR": str(tmp_path / "state"),
        "ATTSYNC_URL": "http://127.0.0.1:9/att-sync",
        "ATTSYNC_KEY": "test-key-0123456789abcdefghijklmnopqrstuv",
    }


def manage(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments], env=env, cwd="/", capture_output=True, check=False
    )


def test_the_relations_may_be_called_otherwise(env: dict[str, str]) -> None:
    env["LEGACY_PREFIX"] = "fx_"

    assert manage(env, "simulate_factory", "--people=40").returncode == 0
    said = manage(env, "doctor", "--lang=en").stdout.decode()

    assert "✓ fx_employee: 40 rows, all columns there" in said


@pytest.mark.parametrize("encoding", [{}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}], ids=str)
def test_thai_comes_out_whatever_the_locale(env: dict[str, str], encoding: dict[str, str]) -> None:
    manage(env, "simulate_factory", "--people=40")

    done = manage({**env, **encoding}, "doctor")

    assert "✓ ตัวอักษรไทยอ่านถูก" in done.stdout.decode("utf-8")


def test_a_doctor_who_finds_something_wrong_ends_with_1(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "factory.sqlite3").touch()

    done = manage(env, "doctor", "--lang=en")

    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert "✗ attsync_employee cannot be used" in done.stdout.decode()


def test_a_mistyped_file_is_named_and_not_made(env: dict[str, str], tmp_path: Path) -> None:
    pushed = manage(env, "push_cloud")
    asked = manage(env, "doctor", "--lang=en")

    assert (pushed.returncode, asked.returncode) == (75, 1)
    for done in (pushed, asked):
        assert f"there is no file {tmp_path}/factory.sqlite3" in done.stdout.decode()
    assert not (tmp_path / "factory.sqlite3").exists()


def test_without_a_factory_database_there_is_nothing_to_simulate(env: dict[str, str]) -> None:
    del env["LEGACY_DATABASE_URL"]

    done = manage(env, "simulate_factory")

    assert (done.returncode, b"LEGACY_DATABASE_URL is not set" in done.stderr) == (2, True)


def test_a_messy_factory_takes_a_real_server(env: dict[str, str]) -> None:
    done = manage(env, "simulate_factory", "--schema=reference")

    assert (done.returncode, b"needs MariaDB" in done.stderr) == (2, True)
