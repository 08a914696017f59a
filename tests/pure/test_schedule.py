from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem.schedule import RETENTION, Schedule, on_managed_list, our_jobs, read
from tests.pure.machine import BANGKOK

MONTH_STATS = """
[[job]]
name = "month_stats"
cron = "30 18 * * *"
command = ["php", "/var/www/html/att/cron/month_stats.php", "{date}"]
catch_up = "latest"
lookback_days = 5
max_attempts = 1
needs_cloud = true
timeout_minutes = 20
"""
SHORT = '[[job]]\nname = "short"\ncron = "0 6 * * *"\ncommand = ["true"]\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "jobs.toml"


def schedule(file: Path, text: str) -> Schedule:
    file.write_text(text, encoding="utf-8")
    return read("Asia/Bangkok", file)


def test_ours_are_there_without_a_file() -> None:
    found = read("Asia/Bangkok", None)

    assert [(job.name, job.cron, job.catch_up) for job in found.jobs] == [
        ("minute_push", "* * * * *", "none"),
        ("nightly_push", "20 0 * * *", "all"),
    ]
    assert found.problems == ()


def test_the_nightly_run_looks_back_two_weeks() -> None:
    nightly = our_jobs(BANGKOK)[1]

    assert (nightly.lookback, nightly.max_attempts, nightly.needs_cloud) == (timedelta(days=14), 3, True)


def test_no_job_of_ours_looks_back_beyond_the_retention() -> None:
    assert all(job.lookback <= RETENTION for job in our_jobs(BANGKOK))


def test_a_sites_job_is_read_as_written(file: Path) -> None:
    job = schedule(file, MONTH_STATS).jobs[2]

    assert (job.name, job.cron, job.catch_up) == ("month_stats", "30 18 * * *", "latest")
    assert job.command == ("php", "/var/www/html/att/cron/month_stats.php", "{date}")
    assert (job.lookback, job.max_attempts, job.needs_cloud) == (timedelta(days=5), 1, True)
    assert (job.timeout, job.zone) == (timedelta(minutes=20), BANGKOK)


def test_what_is_not_said_has_a_default(file: Path) -> None:
    job = schedule(file, SHORT).jobs[2]

    assert (job.catch_up, job.lookback, job.max_attempts) == ("all", timedelta(days=3), 3)
    assert (job.needs_cloud, job.timeout) == (False, timedelta(minutes=15))


def test_a_file_of_a_windows_editor_is_read(file: Path) -> None:
    assert schedule(file, f"\ufeff{SHORT}").problems == ()


def test_the_crontab_lines_claim_their_slots(file: Path) -> None:
    words = [job.crontab_words for job in schedule(file, SHORT).jobs]

    assert words == ["push_cloud --listen 50", "push_cloud --days=2 --job=nightly_push", "run_job short"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ('name = "x y"', "name: expected up to 40 letters"),
        ('name = "../../etc"', "name: expected"),
        ("name = 5", "name: expected"),
        ('cron = "0 0 6 * * *"', "cron: expected five fields"),
        ("cron = 6", "cron: expected a text"),
        ('command = "php x.php"', "command: expected a list of texts"),
        ("command = []", "command: expected a list"),
        ('command = [""]', "command: expected a list"),
        ('command = ["php", 5]', "command: expected a list"),
        ('command = ["php", "\\u0000"]', "command: expected a list"),
        ('catch_up = "newest"', 'catch_up: expected "none", "latest" or "all", not \'newest\''),
        ("lookback_days = 0", "lookback_days: expected a whole number from 1 to 90, not 0"),
        ("lookback_days = 91", "lookback_days: expected a whole number from 1 to 90, not 91"),
        ('lookback_days = "3"', "lookback_days: expected a whole number"),
        ("lookback_days = true", "lookback_days: expected a whole number"),
        ("max_attempts = 0", "max_attempts: expected a whole number from 1 to 10"),
        ("needs_cloud = 1", "needs_cloud: expected true or false"),
        ("timeout_minutes = 0", "timeout_minutes: expected a whole number from 1 to 1440"),
        ("lookback = 3", "unknown key 'lookback'"),
    ],
)
def test_a_mistake_is_told_with_its_place(file: Path, change: str, says: str) -> None:
    key = change.split(" = ", maxsplit=1)[0]
    kept = [line for line in SHORT.splitlines() if not line.startswith(f"{key} =")]

    (problem,) = schedule(file, "\n".join([*kept, change])).problems

    assert problem.startswith(f"{file}: job 1")
    assert says in problem


@pytest.mark.parametrize("key", ["name", "cron", "command"])
def test_what_a_job_cannot_do_without_is_asked_for(file: Path, key: str) -> None:
    text = "\n".join(line for line in SHORT.splitlines() if not line.startswith(key))

    (problem,) = schedule(file, text).problems

    assert problem.endswith(f": {key} is missing")


def test_one_bad_job_costs_no_other(file: Path) -> None:
    found = schedule(file, SHORT.replace("0 6", "99 6").replace("short", "bad") + MONTH_STATS)

    assert [job.name for job in found.jobs] == ["minute_push", "nightly_push", "month_stats"]
    assert [problem.split(": ")[1] for problem in found.problems] == ["job 1 (bad)"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[job]\n", "line 1"),
        ("[job]\nname = 'x'\n", "two brackets"),
        ("job = [5]\n", "expected a table"),
        ("[[jobs]]\n", "unknown key 'jobs'"),
        (SHORT + SHORT, "name: used twice"),
        (SHORT.replace("short", "nightly_push"), "one of our own"),
    ],
)
def test_a_file_that_is_no_list_of_jobs_is_told_so(file: Path, text: str, says: str) -> None:
    (problem,) = schedule(file, text).problems

    assert str(file) in problem
    assert says in problem


def test_ours_run_whatever_the_file_is(file: Path) -> None:
    assert [job.name for job in schedule(file, "\0").jobs] == ["minute_push", "nightly_push"]
    assert [job.name for job in read("Asia/Bangkok", file / "missing").jobs] == ["minute_push", "nightly_push"]


def test_a_file_in_another_encoding_is_a_problem(file: Path) -> None:
    file.write_bytes("# ค\n".encode("tis-620"))

    assert "utf-8" in read("Asia/Bangkok", file).problems[0]


@pytest.mark.parametrize("zone", ["Asia/Bankok", "", "../etc/passwd", "Asia", "a\0b"])
def test_an_unknown_zone_leaves_no_jobs(zone: str) -> None:
    found = read(zone, None)

    assert found.jobs == ()
    assert found.problems == (f"ONPREM_TIME_ZONE: there is no time zone {zone!r}",)


def test_scripts_whose_lines_the_legacy_site_rewrites_are_found(file: Path) -> None:
    jobs = schedule(file, MONTH_STATS + SHORT.replace("true", "/var/www/line_notify.php")).jobs

    assert [(job.name, script) for job, script in on_managed_list(jobs, ["pull_period_1.php", "line_notify.php"])] == [
        ("short", "line_notify.php")
    ]


def test_zones_are_taken_by_name(file: Path) -> None:
    assert read("Europe/Berlin", None).jobs[0].zone == ZoneInfo("Europe/Berlin")
