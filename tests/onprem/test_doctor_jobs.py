"""What the doctor says of the jobs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from onprem import croncheck, cronplaces, jobs, utc
from onprem.doctor import catchingup, surroundings
from onprem.doctor.catchingup import look_at_jobs
from onprem.occurrences import Occurrences
from onprem.plan import CATCHUP, EXPIRED
from onprem.schedule import Job
from onprem.state import State

NOW = utc.now()
Prepare = Callable[[Callable[[Occurrences, Job], object]], None]


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine in the zone of its jobs."""
    monkeypatch.setattr(catchingup, "HOST_ZONE", Path("/usr/share/zoneinfo/Asia/Bangkok"))


@pytest.fixture
def prepare(settings: Settings) -> Prepare:
    """Note something of the nightly job after a pass that has just been."""

    def note(change: Callable[[Occurrences, Job], object]) -> None:
        with closing(State.open(settings.ONPREM_STATE_DIR)) as state:
            occurrences, nightly = Occurrences(state), jobs.installed().jobs[1]
            occurrences.register.meet(jobs.installed().jobs, NOW - timedelta(days=30))
            occurrences.register.reach(NOW)
            change(occurrences, nightly)

    return note


def said() -> list[str]:
    return [finding.text("en") for finding in look_at_jobs(NOW)]


def test_jobs_that_are_well_are_one_line(prepare: Prepare) -> None:
    prepare(lambda _occurrences, _job: None)

    assert said() == ["✓ 2 scheduled jobs, nothing is left undone"]


def test_before_the_first_pass_it_says_so() -> None:
    assert said()[0] == "! catchup has never run: what is missed will stay missed"


def test_an_old_pass_is_odd(prepare: Prepare) -> None:
    prepare(lambda occurrences, _job: occurrences.go_back(NOW - timedelta(minutes=90)))

    assert said()[0].startswith("! catchup ran 90 minutes ago for the last time")


def test_a_pass_ahead_of_the_clock_is_odd(prepare: Prepare) -> None:
    prepare(lambda occurrences, _job: occurrences.register.reach(NOW + timedelta(hours=1)))

    assert said()[0] == "! catchup ran last at a moment 60 minutes ahead of this clock: was the clock wrong?"


@pytest.mark.parametrize(("days", "words"), [(-31, "but the jobs began"), (31, "the clock jumped more than 30 days")])
def test_a_clock_by_which_nothing_is_planned_is_wrong(prepare: Prepare, days: int, words: str) -> None:
    prepare(lambda _occurrences, _job: None)

    found = [finding.text("en") for finding in look_at_jobs(NOW + timedelta(days=days))]

    assert found[0].startswith("✗ no job is planned by this clock: ")
    assert (words in found[0], len(found)) == (True, 1)


def test_a_job_that_counts_from_a_moment_to_come_is_wrong(prepare: Prepare) -> None:
    prepare(lambda occurrences, job: occurrences.baseline([job.name], NOW + timedelta(days=3)))

    (line,) = said()
    assert line.startswith("✗ job nightly_push counts only from ")
    assert line.endswith("still to come (manage.py catchup --baseline --only nightly_push --force)")


def test_slots_nobody_will_run_are_wrong(prepare: Prepare) -> None:
    slot = NOW.replace(hour=17, minute=20, second=0, microsecond=0) - timedelta(days=20)
    prepare(lambda occurrences, job: occurrences.give_up(job, EXPIRED, [slot], NOW))

    assert said() == ["✗ job nightly_push: 0 runs given up, 1 too old to be run (manage.py catchup --status)"]


def test_a_crontab_line_that_seems_gone_is_odd(prepare: Prepare) -> None:
    def three_nights(occurrences: Occurrences, job: Job) -> None:
        for days in (3, 2, 1):
            at = NOW.replace(hour=17, minute=20, second=0, microsecond=0) - timedelta(days=days)
            claim = occurrences.claim(job, at, source=CATCHUP, now=at + timedelta(minutes=5))
            occurrences.finish(claim, now=at + timedelta(minutes=6))

    prepare(three_nights)

    assert said()[0].startswith("! job nightly_push: its last three runs were catchup's alone")


def test_mistakes_in_the_sites_file_are_wrong(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('[[job]]\nname = "x"\ncron = "1"\ncommand = ["true"]\n')
    settings.ONPREM_JOBS_FILE = str(file)

    assert any(line.startswith(f"✗ the list of jobs cannot be used: {file}: job 1 (x): cron") for line in said())


def test_a_program_that_is_not_there_is_wrong(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('[[job]]\nname = "x"\ncron = "0 6 * * *"\ncommand = ["/nowhere/php"]\n')
    settings.ONPREM_JOBS_FILE = str(file)

    assert "✗ job x: there is no program /nowhere/php" in said()


def test_a_job_that_the_legacy_site_times_is_no_matter_of_the_crontab(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('[[job]]\nname = "x"\ncron = "0 6 * * *"\ncommand = ["php", "/x/line_notify.php"]\n')
    settings.ONPREM_JOBS_FILE = str(file)
    monkeypatch.setattr(cronplaces, "read_crontab", lambda: "\n".join(croncheck.our_lines()))
    monkeypatch.setattr(cronplaces, "read_cron_d", lambda: None)

    assert [finding.text("en") for finding in surroundings.cron()] == [
        "✗ job x in ONPREM_JOBS_FILE runs line_notify.php, whose times the legacy site sets: take it off our jobs"
    ]


def test_a_machine_in_another_zone_is_odd(settings: Settings) -> None:
    settings.ONPREM_TIME_ZONE = "Asia/Kathmandu"

    assert any(line.startswith("! this machine's time zone is not Asia/Kathmandu") for line in said())
