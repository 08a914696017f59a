"""Catching up as it happens at a site: whole processes, crashes, locks, commands, and a clock that is moved."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.loop.nights import Machine, slot_lines
from tests.loop.processes import NOT_COPIED, ROOT
from tests.onprem.relations import RELATIONS
from tests.onprem.wirecloud import WireCloud

RUNNING = "echo started > {folder}/started; sleep 60\n"


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy without anybody's `.env`."""
    return Path(shutil.copytree(ROOT, tmp_path_factory.mktemp("site") / "attsync", ignore=NOT_COPIED))


@pytest.fixture(scope="session")
def state_of_9_november(installation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first pass at noon has left."""
    machine = Machine(installation, tmp_path_factory.mktemp("first"))
    assert machine.run("09 12:00:00", "catchup").returncode == 0
    return machine.folder / "state"


@pytest.fixture
def machine(installation: Path, state_of_9_november: Path, tmp_path: Path) -> Machine:
    """Its jobs count since 9 November, noon. N runs at 00:20 and looks back three days."""
    shutil.copytree(state_of_9_november, tmp_path / "state")
    return Machine(installation, tmp_path)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)


def wait_for_start(machine: Machine) -> None:
    wait_for((machine.folder / "started").exists)
    (machine.folder / "started").unlink()


def processes_of(machine: Machine) -> list[str]:
    """What is running that this machine's jobs have started."""
    name = str(machine.folder / "job.sh").encode()
    return [entry.parent.name for entry in Path("/proc").glob("[0-9]*/cmdline") if name in _read(entry)]


def _read(entry: Path) -> bytes:
    try:
        return entry.read_bytes()
    except OSError:
        return b""


# --- nights off -----------------------------------------------------------------------------------------------------


def test_c03_each_replayed_night_gets_its_own_date(machine: Machine) -> None:
    said = machine.run("12 08:05:00", "catchup")

    assert said.returncode == 0
    assert slot_lines(said.stdout) == [f"2026-11-{day}T00:20:00+07:00" for day in (10, 11, 12)]
    assert machine.runs == [
        f"2026-11-{day - 1:02d} 2026-11-{day}T00:20:00+07:00 1 2026-11-{day}T00:20:00+07:00 1" for day in (10, 11, 12)
    ]
    assert slot_lines(machine.run("12 08:10:00", "catchup").stdout) == []


def test_three_nights_of_a_php_script_are_three_files(machine: Machine) -> None:
    script = machine.folder / "month_stats.php"
    script.write_text(
        "<?php [$_, $date, $slot] = $argv;"
        "$replay = getenv('ATTSYNC_CATCHUP') ? 'replay' : 'direct';"
        'file_put_contents(__DIR__ . "/stats-$date.txt", getenv(\'ATTSYNC_SCHEDULED_FOR\') . " $slot $replay");'
    )
    php = f'name = "stats"\ncron = "30 18 * * *"\ncommand = ["php", "{script}", "{{date}}", "{{scheduled_for}}"]\n'
    machine.schedule(php)
    machine.run("10 12:00:00", "catchup")

    said = machine.run("13 08:00:00", "catchup")

    assert slot_lines(said.stdout, "stats") == [f"2026-11-{day}T18:30:00+07:00" for day in (10, 11, 12)]
    assert {file.name: file.read_text() for file in machine.folder.glob("stats-*")} == {
        f"stats-2026-11-{day}.txt": f"2026-11-{day}T18:30:00+07:00 2026-11-{day}T18:30:00+07:00 replay"
        for day in (10, 11, 12)
    }


def test_a_direct_php_run_gets_the_same_and_is_no_replay(machine: Machine) -> None:
    script = machine.folder / "say.php"
    script.write_text("<?php echo $argv[1], getenv('ATTSYNC_SCHEDULED_FOR'), getenv('ATTSYNC_CATCHUP');")
    machine.schedule(f'name = "say"\ncron = "30 18 * * *"\ncommand = ["php", "{script}", "{{date}}{{x}} "]\n')

    machine.run("10 12:00:00", "catchup")

    said = machine.run("10 18:34:00", "run_job", "say")

    assert said.stdout.startswith("2026-11-10{x} 2026-11-10T18:30:00+07:000")
    assert slot_lines(said.stdout.split("+07:000", 1)[1], "say") == ["2026-11-10T18:30:00+07:00"]


def test_a_crond_four_minutes_late_changes_nothing(machine: Machine) -> None:
    machine.run("10 00:24:00", "run_job", "N")

    assert machine.runs == ["2026-11-09 2026-11-10T00:20:00+07:00 0 2026-11-10T00:20:00+07:00 0"]
    assert machine.rows() == [("10", "succeeded", 1, 0, 0)]


def test_started_at_another_time_it_does_nothing_and_says_so(machine: Machine) -> None:
    said = machine.run("10 12:00:00", "run_job", "N")

    assert (said.returncode, machine.runs) == (0, [])
    assert "no slot" in said.stdout


def test_a_job_sees_what_cron_gave_and_none_of_our_secrets(machine: Machine) -> None:
    machine.then("env > {folder}/env")
    machine.run("10 00:20:01", "run_job", "N")

    seen = (machine.folder / "env").read_text().splitlines()

    assert {"TZ=UTC", "ATTSYNC_JOB=N", "PATH=/usr/bin:/bin"} <= set(seen)
    assert [line for line in seen if line.startswith(("ATTSYNC_KEY", "DJANGO_SETTINGS_MODULE"))] == []


@pytest.mark.parametrize(
    ("zone", "since", "at", "slots"),
    [
        ("Europe/Berlin", "2026-03-28T12:00", "2026-03-30T12:00", ["29T03:00:00+02:00", "30T02:30:00+02:00"]),
        ("Europe/Berlin", "2026-10-24T12:00", "2026-10-26T12:00", ["25T02:30:00+02:00", "26T02:30:00+01:00"]),
        ("America/New_York", "2026-03-07T12:00", "2026-03-09T12:00", ["08T03:00:00-04:00", "09T02:30:00-04:00"]),
        ("America/New_York", "2026-10-31T12:00", "2026-11-02T12:00", ["01T02:30:00-05:00", "02T02:30:00-05:00"]),
    ],
)
def test_the_nights_of_summer_time(
    installation: Path, tmp_path: Path, zone: str, since: str, at: str, slots: list[str]
) -> None:
    machine = Machine(installation, tmp_path, {"ONPREM_TIME_ZONE": zone})
    machine.schedule('name = "N"\ncron = "30 2 * * *"\ncommand = ["true"]\n')
    machine.run(since, "catchup", zone=ZoneInfo(zone))

    said = machine.run(at, "catchup", zone=ZoneInfo(zone))

    assert [slot[8:] for slot in slot_lines(said.stdout)] == slots


# --- crashes --------------------------------------------------------------------------------------------------------


def test_c21_a_killed_pass_is_taken_up_where_it_was(machine: Machine) -> None:
    machine.then('case "$1" in 2026-11-10) ' + RUNNING + ";; esac")
    killed = machine.start("12 08:00:00", "catchup")
    wait_for_start(machine)
    killed.end(signal.SIGKILL)
    assert machine.rows() == [("10", "succeeded", 1, 0, 0), ("11", "running", 1, 0, 0)]
    assert processes_of(machine)
    machine.then("")

    said = machine.run("12 09:30:00", "catchup")

    assert "was interrupted" in said.stdout
    assert machine.days == ["10", "11", "11", "12"]
    assert machine.rows()[1:] == [("11", "succeeded", 1, 1, 0), ("12", "succeeded", 1, 0, 0)]
    assert processes_of(machine) == []


def test_c22_three_power_cuts_are_enough(machine: Machine) -> None:
    machine.then(RUNNING)
    for hour in (1, 2, 3):
        killed = machine.start(f"10 0{hour}:00:00", "catchup")
        wait_for_start(machine)
        killed.end(signal.SIGKILL)

    assert slot_lines(machine.run("10 04:00:00", "catchup").stdout) == []
    assert machine.rows() == [("10", "interrupted", 0, 3, 1)]
    assert machine.run("10 04:00:00", "catchup", "--status").returncode == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_pass_that_is_asked_to_stop_takes_its_job_along(machine: Machine, how: signal.Signals) -> None:
    machine.then(RUNNING)
    stopped = machine.start("10 01:00:00", "catchup")
    wait_for_start(machine)
    stopped.end(how)

    assert processes_of(machine) == []


# --- two at once ----------------------------------------------------------------------------------------------------


def test_two_passes_at_once_run_each_slot_once(machine: Machine) -> None:
    machine.then("sleep 0.3")
    both = [machine.start("12 08:00:00", "catchup") for _ in range(2)]
    codes, said = zip(*(started.said() for started in both), strict=True)

    assert codes == (0, 0)
    assert machine.days == ["10", "11", "12"]
    assert sum("another pass is at work" in one for one in said) == 1


def test_c26_a_line_started_twice_in_one_second_runs_once(machine: Machine) -> None:
    machine.then("sleep 0.3")
    both = [machine.start("10 00:20:01", "run_job", "N") for _ in range(2)]
    codes, said = zip(*(started.said() for started in both), strict=True)

    assert codes == (0, 0)
    assert machine.days == ["10"]
    assert sum("already" in one for one in said) == 1


def test_a_pass_leaves_a_busy_job_and_runs_the_others(machine: Machine) -> None:
    script = machine.folder / "job.sh"
    machine.schedule(
        f'name = "N"\ncron = "20 0 * * *"\ncommand = ["{script}", "{{date}}", "{{scheduled_for}}"]\n',
        'name = "R"\ncron = "25 0 * * *"\ncommand = ["true"]\n',
    )
    machine.run("09 12:05:00", "catchup")
    machine.then(RUNNING)
    direct = machine.start("11 00:20:01", "run_job", "N")
    wait_for_start(machine)

    said = machine.run("11 00:30:00", "catchup")

    assert (slot_lines(said.stdout), slot_lines(said.stdout, "R")) == (
        [],
        ["2026-11-10T00:25:00+07:00", "2026-11-11T00:25:00+07:00"],
    )
    assert "N: busy" in said.stdout
    direct.end(signal.SIGKILL)
    machine.then("")
    machine.run("11 00:35:00", "catchup")
    assert processes_of(machine) == []


# --- failures and the cloud -----------------------------------------------------------------------------------------


def test_c18_after_three_attempts_the_status_is_bad(machine: Machine) -> None:
    machine.then("exit 3")
    codes = [machine.run(f"10 00:{minute}:00", "catchup").returncode for minute in (25, 30, 35, 45, 50)]

    assert codes == [1, 1, 0, 1, 0]
    assert machine.rows() == [("10", "failed", 3, 0, 1)]
    status = machine.run("10 00:50:10", "catchup", "--status")
    assert status.returncode == 1
    assert "given up: 2026-11-10T00:20:00+07:00 after 3 attempts" in status.stdout


def test_the_status_of_a_healthy_machine_is_0(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")
    machine.run("10 00:25:00", "catchup")

    assert machine.run("10 00:26:00", "catchup", "--status").returncode == 0
    assert machine.run("10 00:41:00", "catchup", "--status").returncode == 1


def test_c24_the_nightly_push_waits_for_the_cloud(machine: Machine, tmp_path: Path) -> None:
    factory = tmp_path / "factory.sqlite3"
    with sqlite3.connect(factory) as db:
        for statement in RELATIONS:
            db.execute(statement)
        db.execute("INSERT INTO attsync_period VALUES (1, 'x', '08:00', '09:00', NULL, 1, NULL, NULL)")
        db.execute("INSERT INTO attsync_employee VALUES ('0012', '12', 'ก', '', 1, NULL, NULL, NULL)")
    machine.settings["LEGACY_DATABASE_URL"] = f"sqlite:///{factory}"
    machine.schedule()
    direct = machine.run("10 00:20:01", "push_cloud", "--days=2", "--job=nightly_push")
    passes = [machine.run(f"10 {at}:00", "catchup") for at in ("00:25", "00:30", "00:45", "04:00")]

    assert [done.returncode for done in (direct, *passes)] == [75, 0, 0, 0, 0]
    assert slot_lines("".join(done.stdout for done in passes), "nightly_push") == []
    assert not any('INSERT INTO "occurrence"' in line for line in machine.dump())

    with WireCloud() as cloud:
        machine.settings["ATTSYNC_URL"] = cloud.url
        # The job's own process reads the simulated time in the factory's zone, seven hours earlier.
        cloud.cloud.now = int(datetime.fromisoformat("2026-11-10T01:30:00+07:00").timestamp())
        said = machine.run("10 08:30:00", "catchup")

    assert (said.returncode, slot_lines(said.stdout, "nightly_push")) == (0, ["2026-11-10T00:20:00+07:00"])
    assert list(cloud.cloud.days) == ["2026-11-08", "2026-11-09"]
    assert any(
        "'nightly_push','2026-11-09T17:20:00+00:00','succeeded','catchup',1,0,0" in row for row in machine.dump()
    )


# --- commands -------------------------------------------------------------------------------------------------------


def test_c41_a_dry_run_after_a_week_off_tells_everything_and_writes_nothing(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")
    before = machine.database.read_bytes()

    said = machine.run("20 09:00:00", "catchup", "--dry-run", "--only=N")
    other = machine.run("20 09:00:00", "catchup", "--dry-run", "--only=minute_push")
    unknown = machine.run("20 09:00:00", "catchup", "--dry-run", "--only=nope")

    assert slot_lines(said.stdout) == [f"2026-11-{day}T00:20:00+07:00" for day in (18, 19, 20)]
    assert "expired N 7 (from 2026-11-11T00:20:00+07:00 to 2026-11-17T00:20:00+07:00): older than 3 days" in said.stdout
    assert (said.returncode, other.returncode, other.stdout) == (0, 0, "")
    assert unknown.returncode == 2
    assert machine.database.read_bytes() == before
    assert machine.days == ["10"]


def test_a_dry_run_before_anything_leaves_no_trace(installation: Path, tmp_path: Path) -> None:
    machine = Machine(installation, tmp_path)

    assert machine.run("10 09:00:00", "catchup", "--dry-run").returncode == 0
    assert not (tmp_path / "state").exists()


def test_only_one_job_can_be_looked_after(machine: Machine) -> None:
    said = machine.run("10 08:00:00", "catchup", "--only=N")

    assert (said.returncode, machine.days) == (0, ["10"])


def test_c42_a_person_reruns_days(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")
    machine.run("20 09:00:00", "catchup", "--only=N")
    said = machine.run("20 10:00:00", "catchup", "--rerun", "N", "--from", "2026-11-10", "--to", "2026-11-17")
    again = machine.run(
        *("20 10:00:00", "catchup", "--rerun", "N", "--from=2026-11-10", "--to=2026-11-11", "--include-succeeded")
    )

    assert slot_lines(said.stdout) == [f"2026-11-{day}T00:20:00+07:00" for day in range(11, 18)]
    assert slot_lines(again.stdout) == [f"2026-11-{day}T00:20:00+07:00" for day in (10, 11)]
    assert (said.returncode, again.returncode) == (0, 0)
    assert machine.run("20 09:01:00", "catchup", "--status").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--rerun=N"],
        ["--rerun=N", "--from=2026-11-10"],
        ["--rerun=N", "--from=2026-11-11", "--to=2026-11-10"],
        ["--rerun=N", "--from=20261110", "--to=2026-11-11"],
        ["--rerun=nope", "--from=2026-11-10", "--to=2026-11-11"],
        ["--rerun=minute_push", "--from=2026-11-10", "--to=2026-11-11"],
        ["--from=2026-11-10", "--to=2026-11-11"],
        ["--include-succeeded"],
        ["--force"],
        ["--status", "--baseline"],
        ["--dry-run", "--baseline"],
        ["--enable=nope"],
        ["--disable=nope"],
        ["--only=nope"],
        ["--only=N", "--status"],
        ["--only=N", "--rerun=N", "--from=2026-11-10", "--to=2026-11-10"],
        ["--only=nope", "--baseline", "--force"],
        ["--accept-clock", "--status"],
        ["--accept-clock", "--baseline", "--force"],
        ["--disable=minute_push"],
        ["--only="],
        ["--enable="],
        ["--disable="],
        ["--rerun=", "--from=2026-11-10", "--to=2026-11-10"],
        ["--baseline", "--only=", "--force"],
        ["--what"],
    ],
)
def test_a_command_that_makes_no_sense_is_2(machine: Machine, words: list[str]) -> None:
    before = machine.dump()
    done = machine.run("10 08:00:00", "catchup", *words)

    assert (done.returncode, "Traceback" in done.stdout) == (2, False)
    assert (machine.dump(), machine.runs) == (before, [])


def test_an_unknown_job_cannot_be_run(machine: Machine) -> None:
    assert machine.run("10 00:20:01", "run_job", "nope").returncode == 2


def test_c14_a_baseline_is_refused_where_anything_was_run(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")

    assert machine.run("11 08:10:00", "catchup", "--baseline").returncode == 1
    assert machine.run("11 08:15:00", "catchup", "--only=N").returncode == 0
    assert machine.days == ["10", "11"]


def test_a_baseline_by_force_owes_nothing_of_before(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")

    assert machine.run("12 08:10:00", "catchup", "--baseline", "--force").returncode == 0
    assert machine.run("12 08:15:00", "catchup").returncode == 0
    assert machine.days == ["10"]


def test_a_baseline_of_one_job_leaves_the_others_owed(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")
    refused = machine.run("11 00:25:00", "catchup", "--baseline", "--only=N")
    unknown = machine.run("11 00:25:00", "catchup", "--baseline", "--only=minute_push")
    done = machine.run("11 00:25:00", "catchup", "--baseline", "--only=N", "--force")
    due = machine.run("11 00:26:00", "catchup", "--dry-run").stdout

    assert [said.returncode for said in (refused, unknown, done)] == [1, 0, 0]
    assert (slot_lines(due), len(slot_lines(due, "nightly_push"))) == ([], 2)


def test_what_a_renamed_job_has_left_is_settled_by_its_old_name(machine: Machine) -> None:
    machine.then("exit 3")
    for minute in (25, 30, 45):
        machine.run(f"10 00:{minute}:00", "catchup", "--only=N")
    machine.schedule()
    before = machine.run("10 00:46:00", "catchup", "--status")

    settled = machine.run("10 00:46:00", "catchup", "--baseline", "--only=N", "--force")

    assert (before.returncode, settled.returncode) == (1, 0)
    assert "N: in the list of jobs no more" in before.stdout
    assert machine.run("10 00:46:00", "catchup", "--status").returncode == 0


def test_c17_time_off_is_not_owed(machine: Machine) -> None:
    machine.run("09 13:00:00", "catchup", "--disable=N")
    assert slot_lines(machine.run("10 00:25:00", "catchup").stdout) == []
    assert "disabled" in machine.run("11 00:20:01", "run_job", "N").stdout
    machine.run("11 09:00:00", "catchup", "--enable=N")
    assert slot_lines(machine.run("11 09:05:00", "catchup").stdout) == []

    assert slot_lines(machine.run("12 00:25:00", "catchup").stdout) == ["2026-11-12T00:20:00+07:00"]


def test_c30_a_clock_that_was_three_days_ahead(machine: Machine) -> None:
    machine.run("10 00:20:01", "run_job", "N")
    assert slot_lines(machine.run("13 08:00:00", "catchup").stdout) == [
        f"2026-11-{day}T00:20:00+07:00" for day in (11, 12, 13)
    ]

    back = machine.run("10 08:10:00", "catchup")

    assert slot_lines(back.stdout) == []
    assert back.stdout.startswith("clock_back from 2026-11-13T08:00:")
    assert [row[1] for row in machine.rows()] == ["succeeded", "void", "void", "void"]
    machine.run("11 00:20:01", "run_job", "N")
    assert machine.days == ["10", "11", "12", "13", "11"]


@pytest.mark.parametrize("at", ["2026-11-01 12:00:00", "2026-12-10 12:00:00"])
def test_a_clock_that_cannot_be_believed_waits_for_a_person(machine: Machine, at: str) -> None:
    dump = machine.dump()
    refused = machine.run(at, "catchup")

    assert (refused.returncode, machine.runs, machine.dump()) == (1, [], dump)
    assert "--accept-clock" in refused.stdout
    assert "Traceback" not in refused.stdout
    status = machine.run(at, "catchup", "--status")
    assert (status.returncode, "--accept-clock" in status.stdout) == (1, True)
    machine.run(at, "catchup", "--only=N", "--accept-clock")
    assert machine.run(at, "catchup", "--only=N").returncode == 0


def test_a_mistake_in_the_file_is_told_and_costs_no_other_job(machine: Machine) -> None:
    script = machine.folder / "job.sh"
    machine.schedule(
        'name = "bad"\ncron = "0 0 0 * * *"\ncommand = ["true"]\n',
        f'name = "N"\ncron = "20 0 * * *"\ncommand = ["{script}", "{{date}}", "{{scheduled_for}}"]\n',
    )

    done = machine.run("10 08:00:00", "catchup", "--only=N")

    assert (done.returncode, machine.days) == (1, ["10"])
    assert "job 1 (bad): cron: expected five fields" in done.stdout


def test_a_file_that_is_missing_stops_nothing_of_ours(machine: Machine) -> None:
    Path(machine.folder, "jobs.toml").unlink()

    done = machine.run("09 12:01:00", "catchup")

    assert done.returncode == 1
    assert "jobs.toml: No such file" in done.stdout


def test_a_zone_that_does_not_exist_is_told(machine: Machine) -> None:
    machine.settings["ONPREM_TIME_ZONE"] = "Asia/Bankok"

    done = machine.run("09 12:01:00", "catchup")

    assert done.returncode == 1
    assert "Asia/Bankok" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("words", [["catchup"], ["catchup", "--disable=N"], ["run_job", "N"], ["catchup", "--dry-run"]])
def test_a_state_that_cannot_be_written_is_told_in_words(machine: Machine, words: list[str]) -> None:
    machine.settings["ONPREM_STATE_DIR"] = machine.folder / "jobs.toml"

    done = machine.run("10 00:20:01", *words)

    assert (done.returncode, machine.runs) == (1, [])
    assert "jobs.toml" in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize("words", [["--status"], ["--dry-run"]])
def test_looking_needs_no_state(machine: Machine, words: list[str]) -> None:
    shutil.rmtree(machine.folder / "state")

    done = machine.run("10 00:20:01", "catchup", *words)

    assert "Traceback" not in done.stdout
    assert not (machine.folder / "state").exists()
