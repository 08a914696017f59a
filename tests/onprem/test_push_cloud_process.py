"""The command as a process: bare environments, odd locales, full disks, and the clock as it is."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import Settings

from onprem.clocks import local_now
from onprem.state import State
from tests.onprem.fakes import edit
from tests.onprem.site import add_people, add_periods, ask
from tests.onprem.wirecloud import WireCloud

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def cloud() -> Iterator[WireCloud]:
    with WireCloud() as cloud:
        cloud.cloud.now = int(time.time())
        yield cloud


@pytest.fixture(autouse=True)
def factory(relations: BaseDatabaseWrapper) -> None:
    add_periods()
    add_people("0012")


@pytest.fixture
def environment(cloud: WireCloud, settings: Settings) -> dict[str, str]:
    """What the process would read from its `.env`."""
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "ATTSYNC_URL": cloud.url,
        "ATTSYNC_KEY": settings.ATTSYNC_KEY,
        "LEGACY_DATABASE_URL": os.environ["LEGACY_DATABASE_URL"],
        "ONPREM_STATE_DIR": str(settings.ONPREM_STATE_DIR),
    }


def push(
    environment: dict[str, str], *words: str, before: Sequence[str] = (), manage: Path = ROOT / "manage.py"
) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, str(manage), "push_cloud", *words]
    return subprocess.run(command, check=False, cwd="/", env=environment, capture_output=True, encoding="utf-8")


def yesterday() -> str:
    """A day that may be edited at any hour."""
    return str(local_now().date() - timedelta(days=1))


MISTYPED = ["2026-02-30", "20260728", "๒๐๒๖-๐๗-๒๘", "--days=0", "--days=-1", "--days=๓", "--listen=x", "--what"]


@pytest.mark.parametrize("word", MISTYPED)
def test_a_mistyped_command_is_2(environment: dict[str, str], cloud: WireCloud, word: str) -> None:
    done = push(environment, word)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert cloud.calls == []


def test_an_empty_environment_and_another_directory_will_do(environment: dict[str, str], checkout: Path) -> None:
    (checkout / ".env").write_text("".join(f"{name}={value}\n" for name, value in environment.items()))

    done = push({"PATH": "/usr/bin:/bin"}, manage=checkout / "manage.py", before=["env", "-i", "PATH=/usr/bin:/bin"])

    assert (done.returncode, done.stderr) == (0, "")
    assert ": sent, 1 workers, 1 KiB" in done.stdout


BAD_SETTINGS = [
    "ONPREM_CATCHUP_DAYS=many",
    "ONPREM_CATCHUP_DAYS=99999999",
    "ONPREM_CATCHUP_DAYS=" + "9" * 5000,
    "ONPREM_DAY_STARTS=25:00",
    "ONPREM_CRON_BEGIN=",
    "ONPREM_CRON_END= ",
    "ATTSYNC_URL=http://x/",
    "LEGACY_DATABASE_URL=mysql://a:b@h:abc/x",
    "LEGACY_DATABASE_URL=mysql://a:b@h:99999/x",
    "ATTSYNC_USER_AGENT=โรงงาน",
]


@pytest.mark.parametrize("setting", BAD_SETTINGS, ids=lambda setting: setting[:30])
def test_a_setting_that_makes_no_sense_is_named(environment: dict[str, str], setting: str) -> None:
    name, value = setting.split("=")

    done = push(environment | {name: value})

    assert done.returncode == 2
    assert name in done.stderr
    assert "Traceback" not in done.stderr


LOCALES = {
    "nothing": {},
    "C": {"LC_ALL": "C"},
    "C without any help": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ascii by force": {"PYTHONIOENCODING": "ascii"},
}


@pytest.mark.parametrize("locale", LOCALES.values(), ids=LOCALES)
def test_thai_can_be_written_whatever_the_locale(
    environment: dict[str, str], cloud: WireCloud, locale: dict[str, str]
) -> None:
    cloud.cloud.edits = [edit("ก๑๒", id=3, d=yesterday())]

    done = push(environment | locale)

    assert "no ก๑๒ late: refused" in done.stdout


def test_a_full_disk_is_1_in_words_and_the_next_run_heals(environment: dict[str, str], cloud: WireCloud) -> None:
    """A limit on the size of files stands for the full disk: a write beyond it fails in the same place."""
    push(environment)
    cloud.cloud.edits = [edit(d=yesterday())]

    full = push(environment, before=["prlimit", "--fsize=4096", "--"])

    assert full.returncode == 1
    assert "the state cannot be used, stopping here: " in full.stderr
    assert "Traceback" not in full.stderr
    assert ask("SELECT count(*) FROM attsync_override") == [(0,)]
    assert push(environment).returncode == 0
    assert ask("SELECT status FROM attsync_override") == [("late",)]


@pytest.mark.parametrize("log", ["> /dev/full", ">&-", "| sleep 0"])
@pytest.mark.parametrize(("words", "code"), [("", 0), ("--listen=1", 0), ("--what", 2)])
def test_a_log_that_cannot_be_written_ends_no_work(
    environment: dict[str, str], cloud: WireCloud, words: str, code: int, log: str
) -> None:
    cloud.cloud.edits = [edit(d=yesterday())]
    command = f"{sys.executable} {ROOT / 'manage.py'} push_cloud {words} 2>&1 {log}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], check=False, cwd="/", env=environment)

    assert done.returncode == code
    assert ask("SELECT count(*) FROM attsync_override") == [(0 if code else 1,)]
    assert len(cloud.cloud.acks) >= (0 if code else 1)


def test_listening_applies_an_edit_within_seconds_and_ends_in_time(
    environment: dict[str, str], cloud: WireCloud
) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "push_cloud", "--listen=8"]
    started = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as listener:
        while len(cloud.calls) < 3:
            time.sleep(0.05)
        cloud.cloud.edits = [edit(d=yesterday())]
        said, _ = listener.communicate(timeout=40)

    # Eight seconds of listening, and the start of a process on a machine that does much else.
    assert time.monotonic() - started < 25
    assert listener.returncode == 0
    assert "late: applied" in said
    assert ask("SELECT status FROM attsync_override") == [("late",)]
    assert [route for route in cloud.routes if route != "pending"][-2:] == ["applied", "ingest"]


def test_a_listener_and_a_run_by_hand_work_side_by_side(environment: dict[str, str], cloud: WireCloud) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "push_cloud", "--listen=20"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as listener:
        while len(cloud.calls) < 3:
            time.sleep(0.05)

        minute, by_hand = push(environment), push(environment, "2026-07-28")
        listener.communicate(timeout=40)

    assert (minute.returncode, by_hand.returncode, listener.returncode) == (0, 0, 0)
    assert "another run is listening" in minute.stdout
    assert "2026-07-28: sent" in by_hand.stdout


def test_a_terminal_sees_how_far_a_backfill_is(environment: dict[str, str]) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "push_cloud", "2026-07-28", "--days=3", "--no-edits"]
    done = subprocess.run(
        ["script", "-qec", " ".join(command), "/dev/null"], check=True, env=environment, capture_output=True, text=True
    )

    assert "[##########....................] 1/3 days" in done.stdout
    assert "2026-07-28: sent" in done.stdout


def test_no_bar_where_nobody_looks(environment: dict[str, str]) -> None:
    done = push(environment, "--days=3", "--no-edits")

    assert len(done.stdout.splitlines()) == 4
    assert "#" not in done.stdout


def test_the_key_is_in_no_output(environment: dict[str, str], cloud: WireCloud) -> None:
    cloud.answers["pending"] = (302, environment["ATTSYNC_KEY"].encode())

    done = push(environment, "-v3")

    assert environment["ATTSYNC_KEY"] not in done.stdout + done.stderr


def test_two_agents_at_once_on_one_state_do_each_edit_once(
    environment: dict[str, str], cloud: WireCloud, settings: Settings
) -> None:
    cloud.cloud.edits = [edit(d=yesterday())]
    command = [sys.executable, str(ROOT / "manage.py"), "push_cloud", "--days=2"]
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=60)[0] for one in both]

    assert [one.returncode for one in both] == [0, 0]
    assert "".join(said).count("late: applied") == 1
    state = State.open(settings.ONPREM_STATE_DIR)
    assert state.news == []
    state.close()
