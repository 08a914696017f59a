"""The rules of catching up that no timeline tells, on a simulated machine."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem import direct
from onprem.catchup import accept_clock
from onprem.jobstatus import lines
from onprem.locks import only_one
from onprem.occurrences import NotClaimed, Occurrences
from onprem.plan import CATCHUP, OPERATOR, ClockWrong
from onprem.rehearsal import rehearse
from onprem.rerun import chosen, rerun
from onprem.schedule import ALL, LATEST, NONE, RETENTION, Job, Schedule
from onprem.slot import Slot
from onprem.state import State
from tests.pure.machine import BANGKOK, NIGHTLY, Machine, PowerCut, local, machine_since, said

ONE_DAY = timedelta(days=1)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its job N counts since the morning of 2 November."""
    return machine_since(tmp_path, "02 00:00")


def dies(_slot: Slot) -> int:
    raise PowerCut


# --- starting from the crontab --------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["10 00:19:30", "10 00:20:00", "10 00:24:00", "10 00:30:00"])
def test_a_late_or_early_crond_changes_nothing(machine: Machine, at: str) -> None:
    machine.direct(at)

    assert [said(slot.at) for slot in machine.runs] == ["10 00:20"]
    assert not machine.runs[0].is_replay


@pytest.mark.parametrize("at", ["10 00:30:01", "10 12:00", "10 00:19:29"])
def test_a_start_far_from_any_slot_does_nothing_and_says_so(machine: Machine, at: str) -> None:
    assert machine.direct(at) == 0
    assert machine.runs == []
    assert "nothing done" in machine.lines[-1]


def test_a_pass_before_a_late_crond_leaves_it_nothing_to_do(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.catch_up("10 00:22")

    assert machine.direct("10 00:24") == 0
    assert "already done" in machine.lines[-1]
    assert machine.brief("10 00:20") == "succeeded/catchup 1"


def test_a_failed_start_is_tried_again_by_the_pass(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.work = lambda _slot: 7

    assert machine.direct("10 00:20:01") == 7
    assert machine.row("10 00:20").note == "exit code 7"
    machine.work = lambda _slot: 0
    assert machine.catch_up("10 00:25") == ["10 00:20"]
    assert machine.brief("10 00:20") == "succeeded/catchup 2"


def test_the_first_start_ever_owes_its_slot(tmp_path: Path) -> None:
    machine = Machine(tmp_path, work=lambda _slot: 1)
    machine.direct("10 00:20:01")

    assert machine.catch_up("10 00:25") == ["10 00:20"]


def test_a_disabled_job_is_not_started(machine: Machine) -> None:
    machine.occurrences.register.disable(NIGHTLY, local("09 12:00"))

    assert machine.direct("10 00:20:01") == 0
    assert (machine.runs, "disabled" in machine.lines[-1]) == ([], True)


def test_a_job_without_a_ledger_can_be_disabled_too(machine: Machine) -> None:
    machine.change("N", catch_up=NONE)
    machine.occurrences.register.disable(machine.job("N"), local("09 12:00"))

    assert machine.direct("10 00:20:01") == 0
    assert (machine.runs, "disabled" in machine.lines[-1]) == ([], True)


def test_a_job_without_a_ledger_needs_its_cloud_too(machine: Machine) -> None:
    machine.change("N", catch_up=NONE, needs_cloud=True)
    machine.cloud_is_near = False

    assert (machine.direct("10 00:20:01"), machine.runs) == (75, [])
    machine.cloud_is_near = True
    assert (machine.direct("11 00:20:01"), len(machine.runs)) == (0, 1)


def test_starts_one_after_another_do_not_use_up_the_attempts(machine: Machine) -> None:
    machine.work = lambda _slot: 3
    for second in (1, 2, 3):
        machine.direct(f"10 00:20:0{second}")

    assert machine.brief("10 00:20") == "failed/direct 1"
    assert "is to be tried again by catch-up, nothing done" in machine.lines[-1]
    machine.catch_up("10 00:25:10")
    assert machine.brief("10 00:20") == "failed/catchup 2"


def test_a_start_leaves_alone_what_is_given_up(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = lambda _slot: 3
    machine.direct("10 00:20:01")
    machine.lines.clear()

    assert machine.direct("10 00:29:00") == 0
    assert len(machine.runs) == 1
    assert machine.lines == ["N: 2026-11-10T00:20:00+07:00 is given up: exit code 3, nothing done"]


def test_a_start_that_meets_a_changed_schedule_first_says_so(machine: Machine) -> None:
    machine.change("N", cron="30 8 * * *")
    machine.direct("10 08:30:01")

    assert len(machine.logged("schedule_changed")) == 1
    machine.catch_up("10 08:35")
    assert len(machine.logged("schedule_changed")) == 1


def test_a_start_waits_for_the_run_of_another_slot(machine: Machine) -> None:
    released = threading.Event()

    def hold() -> None:
        with only_one(machine.folder / "job-N.lock"):
            started.set()
            released.wait(10)

    started = threading.Event()
    holder = threading.Thread(target=hold)
    holder.start()
    started.wait(10)
    threading.Timer(0.5, released.set).start()

    assert machine.direct("10 00:20:01") == 0
    assert machine.brief("10 00:20") == "succeeded/direct 1"
    holder.join()


def test_a_start_does_not_wait_for_whoever_runs_its_slot(machine: Machine) -> None:
    machine.occurrences.claim(NIGHTLY, local("10 00:20"), source=CATCHUP, now=local("10 00:22"))

    with only_one(machine.folder / "job-N.lock"):
        assert machine.direct("10 00:23") == 0
    assert "already running" in machine.lines[-1]


def test_a_start_that_finds_its_own_run_cut_off_runs_it_again(machine: Machine) -> None:
    machine.work = dies
    assert machine.direct("10 00:20:01") is None
    machine.work = lambda _slot: 0

    assert machine.direct("10 00:26") == 0
    assert (machine.brief("10 00:20"), machine.row("10 00:20").interruptions) == ("succeeded/direct 1", 1)


def test_of_many_starts_at_once_one_runs(tmp_path: Path) -> None:
    State.open(tmp_path).close()
    runs: list[Slot] = []

    def note(slot: Slot) -> int:
        runs.append(slot)
        return 0

    def start(_number: int) -> int:
        machine = Machine(tmp_path, now=local("10 00:20:01"), work=note)
        with closing(State.open(tmp_path)) as state:
            machine.occurrences = Occurrences(state)
            return direct.start(machine.starter(), NIGHTLY)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(start, range(6))) == [0] * 6
    assert len(runs) == 1


# --- exit 75 --------------------------------------------------------------------------------------------------------


def test_exit_75_takes_the_claim_back(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.work = lambda _slot: 75

    assert machine.direct("10 00:20:01") == 75
    assert machine.catch_up("10 00:25") == ["10 00:20"]
    assert machine.report.put_off == 1
    with pytest.raises(AssertionError, match="no row"):
        machine.row("10 00:20")


def test_exit_75_leaves_earlier_attempts_as_they_were(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.work = lambda _slot: 1
    machine.catch_up("10 00:25")
    before = machine.row("10 00:20")
    machine.work = lambda _slot: 75

    assert machine.catch_up("10 00:30") == ["10 00:20"]
    assert machine.row("10 00:20") == before


def test_after_exit_75_the_way_to_the_cloud_is_asked_for_again(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, needs_cloud=True))

    def breaks(_slot: Slot) -> int:
        machine.cloud_is_near = False
        return 75

    machine.work = breaks

    assert machine.catch_up("04 08:00") == ["02 00:20"]
    assert machine.report.put_off == 3


def test_what_is_put_off_is_told_by_job_and_reason_once_for_each_change(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, needs_cloud=True), replace(NIGHTLY, name="R"))
    machine.cloud_is_near, machine.work = False, lambda _slot: 75
    machine.lines.clear()

    for at in ("02 08:00", "02 08:05", "03 08:00", "03 08:05"):
        machine.catch_up(at)
    machine.cloud_is_near, machine.work = True, lambda _slot: 0
    machine.catch_up("03 08:10")

    assert [line for line in machine.lines if "to the next pass" in line] == [
        "2 slots are put off to the next pass: 1 of N (the cloud cannot be reached), 1 of R (exit code 75)",
        "4 slots are put off to the next pass: 2 of N (the cloud cannot be reached), 2 of R (exit code 75)",
    ]


# --- passes ---------------------------------------------------------------------------------------------------------


def test_a_second_pass_leaves_the_first_to_finish(machine: Machine) -> None:
    with only_one(machine.folder / "catchup.lock"):
        assert machine.catch_up("03 08:00") == []
    assert machine.occurrences.register.high_water == local("03 08:00")


def test_a_busy_job_is_left_for_the_next_pass(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", NIGHTLY, replace(NIGHTLY, name="R"))

    with only_one(tmp_path / "job-N.lock"):
        assert machine.catch_up("03 08:00") == ["R 02 00:20", "R 03 00:20"]
    assert [line for line in machine.lines if "busy" in line] == ["N: busy; left for the next pass"]
    assert machine.catch_up("03 08:05") == ["N 02 00:20", "N 03 00:20"]


def test_a_job_disabled_during_the_pass_stops(machine: Machine) -> None:
    def disables(_slot: Slot) -> int:
        machine.occurrences.register.disable(NIGHTLY, machine.now)
        return 0

    machine.work = disables

    assert machine.catch_up("04 08:00") == ["02 00:20"]


def test_a_single_attempt_is_not_repeated_after_a_power_cut(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = dies
    machine.catch_up("02 00:25")

    assert machine.catch_up("02 00:30") == []
    assert machine.row("02 00:20").exhausted


def test_of_a_latest_job_older_slots_are_skipped(machine: Machine) -> None:
    machine.change("N", catch_up=LATEST)

    assert machine.catch_up("04 08:00") == ["04 00:20"]
    assert [machine.row(f"0{day} 00:20").state for day in (2, 3)] == ["skipped", "skipped"]


def test_a_job_that_joins_the_ledger_owes_nothing_of_before(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, catch_up=NONE))
    machine.change("N", catch_up=ALL)

    assert machine.catch_up("04 08:00") == []
    assert machine.catch_up("05 00:25") == ["05 00:20"]


def test_leaving_the_ledger_for_a_while_owes_nothing_of_it(machine: Machine) -> None:
    machine.change("N", catch_up=NONE)
    machine.catch_up("03 08:00")
    machine.change("N", catch_up=ALL)

    assert machine.catch_up("04 08:00") == []


def test_a_changed_schedule_enables_nothing(machine: Machine) -> None:
    machine.occurrences.register.disable(NIGHTLY, local("02 12:00"))
    machine.change("N", cron="30 8 * * *")
    machine.catch_up("03 08:00")

    assert machine.catch_up("03 08:35") == []


def test_the_zone_is_part_of_the_schedule(machine: Machine) -> None:
    machine.change("N", zone=ZoneInfo("Asia/Tokyo"))

    assert machine.catch_up("04 08:00") == []
    assert machine.logged("schedule_changed")


def test_a_gap_between_passes_is_an_outage_told_once(machine: Machine) -> None:
    machine.catch_up("02 23:53")
    machine.catch_up("02 23:58")
    machine.lines.clear()
    machine.catch_up("03 00:08")
    machine.catch_up("03 00:18:01")
    machine.catch_up("03 00:23")

    assert machine.logged("outage") == ["outage from 2026-11-03T00:08:00+07:00 to 2026-11-03T00:18:01+07:00"]


def test_rows_are_forgotten_after_ninety_days_and_not_missed(machine: Machine) -> None:
    machine.live_through(range(2, 31))
    for days in range(200):
        machine.catch_up(local("30 00:25") + days * ONE_DAY)

    assert min(machine.occurrences.rows(NIGHTLY, since=local("01 00:00"))) >= machine.now - RETENTION - ONE_DAY
    assert machine.logged("expired") == []


def test_rows_that_a_pass_must_still_see_are_kept_beyond_that(tmp_path: Path) -> None:
    """For a hundred days passes look after another job only, and one night is missed in the first week."""
    both = [NIGHTLY, replace(NIGHTLY, name="R")]
    machine = machine_since(tmp_path, "02 00:00", *both)
    for days in range(100):
        machine.jobs = both
        if days != 5:
            machine.direct(local("02 00:20:01") + days * ONE_DAY)
        machine.jobs = both[1:]
        machine.catch_up(machine.now + timedelta(minutes=5))
    machine.jobs = both
    machine.catch_up(machine.now + timedelta(minutes=5))

    assert machine.occurrences.troubles() == {"N": (0, 1)}


def test_three_nights_by_the_pass_alone_warn_that_the_line_is_gone(machine: Machine) -> None:
    for day in (2, 3, 4):
        machine.catch_up(f"{day:02d} 00:25")

    (warning,) = machine.logged("warning")
    assert "crontab line" in warning


def test_one_pass_after_three_nights_off_does_not_warn(machine: Machine) -> None:
    machine.catch_up("04 08:00")

    assert machine.logged("warning") == []


def test_a_line_that_starts_but_finds_no_cloud_is_not_gone(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, needs_cloud=True))
    for day in (2, 3, 4):
        machine.cloud_is_near = False
        machine.direct(f"{day:02d} 00:20:01")
        machine.cloud_is_near = True
        machine.catch_up(f"{day:02d} 00:25")

    assert machine.logged("warning") == []


# --- the clock ------------------------------------------------------------------------------------------------------


def test_a_clock_before_the_floor_plans_and_writes_nothing(machine: Machine) -> None:
    notes = machine.notes()

    with pytest.raises(ClockWrong):
        machine.catch_up("01 12:00")
    assert (machine.notes(), machine.occurrences.register.high_water) == (notes, local("02 00:00"))


def test_a_jump_of_more_than_thirty_days_waits_for_a_persons_word(machine: Machine) -> None:
    with pytest.raises(ClockWrong):
        machine.catch_up("2026-12-03T08:00")
    accept_clock(machine.starter(), BANGKOK)

    assert machine.catch_up("2026-12-03T08:00") == ["01 00:20", "02 00:20", "03 00:20"]


def test_a_persons_word_also_ends_a_floor_in_the_future(machine: Machine) -> None:
    machine.now = local("01 12:00")
    accept_clock(machine.starter(), BANGKOK)

    assert machine.logged("floor_moved") == ["floor_moved N: its slots count from now on"]
    assert machine.catch_up("02 00:25") == ["02 00:20"]
    assert machine.floor() == "01 12:00"


def test_a_persons_word_says_what_it_found_of_the_clock(machine: Machine) -> None:
    machine.now = local("05 12:00")
    accept_clock(machine.starter(), BANGKOK)
    machine.now = local("01 12:00")
    accept_clock(machine.starter(), BANGKOK)

    assert machine.lines[0] == "outage from 2026-11-02T00:00:00+07:00 to 2026-11-05T12:00:00+07:00"
    assert machine.lines[1].startswith("clock_back from 2026-11-05T12:00:00+07:00 to 2026-11-01T12:00:00+07:00")


def test_what_a_wrong_future_counted_as_too_old_is_told_once_and_stays(machine: Machine) -> None:
    machine.live_through(range(2, 5))
    machine.catch_up("20 08:00")

    assert machine.catch_up("06 08:00") == []
    assert machine.occurrences.troubles() == {"N": (0, 2)}
    assert len(machine.logged("expired")) == 1


def test_slots_to_come_that_were_counted_as_too_old_are_run_when_they_come(machine: Machine) -> None:
    machine.live_through(range(2, 5))
    machine.catch_up("20 08:00")
    machine.catch_up("06 08:00")

    assert machine.catch_up("08 08:00") == ["07 00:20", "08 00:20"]


@pytest.mark.parametrize("attempts", [1, 3])
@pytest.mark.parametrize("back", [timedelta(seconds=40), timedelta(hours=7), timedelta(days=2)])
def test_a_clock_put_back_repeats_nothing_of_the_past(machine: Machine, back: timedelta, attempts: int) -> None:
    machine.change("N", max_attempts=attempts)
    machine.catch_up("05 08:00")
    machine.runs.clear()

    machine.catch_up(local("05 08:00") - back)
    machine.direct("05 00:20:01")
    machine.catch_up("05 08:05")

    again = sorted(said(slot.at) for slot in machine.runs)
    assert again == (["04 00:20", "05 00:20"] if back > timedelta(days=1) else [])


def test_attempts_of_the_past_stay_counted_when_the_clock_is_put_back(machine: Machine) -> None:
    machine.work = lambda _slot: 1
    for at in ("02 08:00", "02 08:05", "02 01:00", "02 01:05"):
        machine.catch_up(at)

    assert machine.row("02 00:20").exhausted
    assert (len(machine.runs), machine.catch_up("02 01:30")) == (3, [])


def test_a_slot_given_up_in_the_past_stays_so_when_the_clock_is_put_back(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = lambda _slot: 1
    machine.catch_up("02 08:00")

    assert machine.catch_up("02 01:00") == []
    assert machine.occurrences.troubles() == {"N": (1, 0)}


def test_what_ran_in_its_time_is_not_too_old_after_a_wrong_step_back(machine: Machine) -> None:
    machine.change("N", lookback=timedelta(days=14))
    machine.live_through(range(2, 8))
    for at in ("06 08:00", "06 08:05"):
        machine.catch_up(at)

    assert machine.catch_up("11 08:00") == [f"{day:02d} 00:20" for day in range(7, 12)]
    assert machine.occurrences.troubles() == {}


def test_a_run_that_ends_before_its_slot_is_void(machine: Machine) -> None:
    def is_put_back(_slot: Slot) -> int:
        machine.now -= timedelta(days=1)
        return 0

    machine.work = is_put_back
    machine.direct("10 00:20:01")

    assert machine.row("10 00:20").state == "void"


def test_a_clock_put_back_during_a_pass_is_noticed_by_the_next(machine: Machine) -> None:
    machine.live_through(range(2, 6))

    def is_put_back_on_the_13th(slot: Slot) -> int:
        if slot.at.day == 13:
            machine.now = local("06 08:00")
        return 0

    machine.work = is_put_back_on_the_13th
    machine.catch_up("14 08:00")

    assert (said(machine.runs[-1].at), machine.occurrences.row(NIGHTLY, local("14 00:20"))) == ("13 00:20", None)
    assert machine.catch_up("06 08:05") == []
    assert machine.logged("clock_back")
    assert {machine.row(f"{day} 00:20").state for day in (12, 13)} == {"void"}


def test_a_slot_to_come_cannot_be_claimed_by_anybody(machine: Machine) -> None:
    with pytest.raises(NotClaimed, match="still to come"):
        machine.occurrences.claim(NIGHTLY, local("05 00:20"), source=OPERATOR, now=local("05 00:19:29"))


@pytest.mark.parametrize("at", ["02 20:00", "2026-12-20T08:00"])
def test_a_pass_that_finds_another_at_work_does_not_judge_the_clock(machine: Machine, at: str) -> None:
    machine.catch_up("03 08:00")
    high_water = machine.occurrences.register.high_water
    with only_one(machine.folder / "catchup.lock"):
        machine.catch_up(at)

    assert machine.occurrences.register.high_water == high_water


def test_what_was_forgotten_by_a_wrong_future_is_neither_owed_nor_too_old(machine: Machine) -> None:
    machine.change("N", lookback=RETENTION)
    for day in range(100):
        machine.catch_up(local("02 00:25") + day * ONE_DAY)
    ran, now = len(machine.runs), machine.now
    machine.catch_up(now + 20 * ONE_DAY)

    assert machine.catch_up(now + timedelta(minutes=5)) == []
    assert (len(machine.runs) - ran, machine.occurrences.troubles()) == (20, {})


def test_slots_to_come_that_a_wrong_future_forgot_are_run_when_they_come(machine: Machine) -> None:
    machine.now = local("2027-05-20T08:00")
    accept_clock(machine.starter(), BANGKOK)
    machine.catch_up("2027-05-20T08:00")
    machine.catch_up("10 08:00")

    assert machine.catch_up("11 00:25") == ["11 00:20"]


def test_a_floor_that_was_set_by_a_wrong_clock_stays(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", NIGHTLY, replace(NIGHTLY, name="R"))
    machine.occurrences.baseline(["R"], local("20 09:00"))
    machine.catch_up("10 08:00")

    assert (machine.floor("R"), machine.floor("N")) == ("20 09:00", "02 00:00")
    assert machine.logged("clock_back") == []


def test_an_hour_back_over_a_slot_makes_nothing_too_old(machine: Machine) -> None:
    for day in range(100):
        machine.catch_up(local("02 00:50") + day * ONE_DAY)
    night = machine.now.replace(second=0) + ONE_DAY
    machine.direct(night - timedelta(minutes=29))
    machine.catch_up(night)

    machine.catch_up(night - timedelta(minutes=55))

    assert machine.logged("clock_back")
    assert machine.occurrences.troubles() == {}


def test_a_failed_rerun_of_what_is_forgotten_owes_nothing_between(machine: Machine) -> None:
    for day in range(100):
        machine.catch_up(local("02 00:25") + day * ONE_DAY)
    now = machine.now
    machine.catch_up(now + 20 * ONE_DAY)
    machine.catch_up(now + timedelta(minutes=5))
    machine.work = lambda _slot: 1
    first = now.date() - timedelta(days=80)
    rerun(machine.starter(), NIGHTLY, chosen(machine.starter(), NIGHTLY, first, first, include_succeeded=True))

    machine.catch_up(now + timedelta(minutes=10))

    assert machine.occurrences.troubles() == {}


def test_a_start_with_a_clock_of_years_ahead_forgets_nothing(machine: Machine) -> None:
    machine.live_through(range(2, 8))
    machine.direct("2031-11-03T00:20:01")

    assert machine.brief("03 00:20") == "succeeded/direct 1"


@pytest.mark.parametrize("is_corrected_by", [Machine.catch_up, Machine.direct])
def test_what_ran_before_its_night_by_a_wrong_clock_runs_in_its_night(
    machine: Machine, is_corrected_by: Callable[[Machine, str], object]
) -> None:
    """Whoever is the first to see that the clock was put right."""
    machine.catch_up("10 08:00")
    machine.catch_up("13 08:00")
    machine.runs.clear()

    is_corrected_by(machine, "11 00:24")

    assert machine.logged("void")[0].startswith("void N 2 (from 2026-11-12T00:20:00+07:00")
    machine.catch_up("13 00:26")
    assert [said(slot.at) for slot in machine.runs] == ["12 00:20", "13 00:20"]


def test_a_start_by_a_clock_before_every_floor_voids_nothing(machine: Machine) -> None:
    machine.catch_up("03 08:00")
    machine.direct("2019-11-03T00:20:01")

    assert machine.logged("clock_back") == []
    assert machine.brief("03 00:20") == "succeeded/catchup 1"


def test_a_rerun_by_a_clock_that_was_ahead_is_void_although_no_pass_was_ahead(machine: Machine) -> None:
    machine.now = local("05 08:00")
    machine.rerun(5, 5)

    machine.catch_up("03 08:00")

    assert machine.row("05 00:20").state == "void"


def test_what_a_wrong_clock_noted_is_told_by_the_job(machine: Machine) -> None:
    machine.catch_up("02 08:00")
    machine.catch_up("05 08:00")
    machine.catch_up("03 08:00")

    assert machine.logged("void") == [
        "void N 2 (from 2026-11-04T00:20:00+07:00 to 2026-11-05T00:20:00+07:00): noted by a clock that was ahead"
    ]


def test_a_start_by_a_clock_that_was_ahead_is_void_although_no_pass_was_ahead(machine: Machine) -> None:
    machine.direct("05 00:20:01")
    for at in ("03 00:19", "05 00:19"):
        machine.catch_up(at)

    machine.direct("05 00:20:01")

    assert [said(slot.at) for slot in machine.runs].count("05 00:20") == 2


def test_a_clock_that_was_put_back_is_told_once(machine: Machine) -> None:
    machine.direct("05 00:20:01")
    for at in ("03 00:19", "03 00:24"):
        machine.catch_up(at)

    assert len(machine.logged("clock_back")) == 1


def test_a_skipped_slot_still_to_come_is_owed_again(machine: Machine) -> None:
    machine.change("N", catch_up=LATEST, cron="30 18 * * *")
    machine.catch_up("10 09:00")
    machine.catch_up("13 20:00")

    assert machine.catch_up("10 20:10") == []
    assert machine.catch_up("11 20:10") == ["11 18:30"]


@pytest.mark.parametrize("change", [{"cron": "0 6 * * *"}, {"zone": ZoneInfo("Asia/Jakarta"), "cron": "0 6 * * *"}])
def test_a_floor_noted_by_a_clock_that_was_ahead_stays_and_is_told_with_its_cure(
    tmp_path: Path, change: dict[str, object]
) -> None:
    machine = machine_since(tmp_path, "02 00:00", NIGHTLY, replace(NIGHTLY, name="R"))
    machine.change("R", **change)
    machine.jobs.append(replace(NIGHTLY, name="new"))
    machine.catch_up("20 09:00")
    machine.catch_up("10 09:10")

    assert (machine.floor("R"), machine.floor("new"), machine.floor("N")) == ("20 09:00", "20 09:00", "02 00:00")
    assert [line for line in status(machine) if "--force" in line] == [
        "  counts only from 2026-11-20T09:00:00+07:00 on, which lies ahead of the clock;"
        f" from now on: manage.py catchup --baseline --only {name} --force"
        for name in ("R", "new")
    ]
    machine.occurrences.baseline(["R"], machine.now)
    assert machine.catch_up("11 08:00") == ["N 11 00:20", "R 11 06:00"]


def test_the_seconds_of_a_run_are_never_less_than_none(machine: Machine) -> None:
    def is_put_back(_slot: Slot) -> int:
        machine.now -= timedelta(seconds=20)
        return 0

    machine.work = is_put_back
    machine.direct("10 00:20:01")

    assert machine.lines[-1].endswith("succeeded in 0 s")


# --- a person's word ------------------------------------------------------------------------------------------------


def test_a_rerun_does_not_reach_into_the_future(machine: Machine) -> None:
    machine.now = local("04 00:19")

    assert machine.rerun(2, 9) == ["02 00:20", "03 00:20"]


def test_a_rerun_ignores_attempts_and_the_floor(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "05 12:00")
    machine.work = lambda _slot: 1
    for at in ("06 00:25", "06 00:30", "06 00:45"):
        machine.catch_up(at)
    machine.work = lambda _slot: 0

    assert machine.rerun(5, 6) == ["05 00:20", "06 00:20"]
    assert machine.brief("06 00:20") == "succeeded/operator 4"
    assert machine.occurrences.troubles() == {}


def test_a_failed_rerun_of_a_good_slot_is_owed_again(machine: Machine) -> None:
    machine.live_through(range(2, 6))
    machine.work = lambda _slot: 1
    machine.now = local("05 08:00")
    machine.rerun(4, 4, include_succeeded=True)
    machine.work = lambda _slot: 0

    assert machine.catch_up("05 08:15") == ["04 00:20"]


def test_a_failed_rerun_of_an_old_slot_is_counted_as_too_old(machine: Machine) -> None:
    machine.live_through(range(2, 20))
    machine.work = lambda _slot: 1
    machine.now = local("19 08:00")
    machine.rerun(4, 4, include_succeeded=True)

    assert machine.catch_up("19 08:10") == []
    assert machine.occurrences.troubles() == {"N": (0, 1)}


def test_without_the_cloud_a_rerun_runs_nothing(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, needs_cloud=True))
    machine.cloud_is_near, machine.now = False, local("05 08:00")

    assert machine.rerun(2, 3) == []
    assert machine.report.put_off == 2


def test_the_pass_does_not_take_what_a_person_is_running(machine: Machine) -> None:
    machine.occurrences.claim(NIGHTLY, local("02 00:20"), source=OPERATOR, now=local("02 08:00"))

    with only_one(machine.folder / "job-N.lock"):
        assert machine.catch_up("02 08:05") == []


def test_enabling_what_is_enabled_moves_no_floor(machine: Machine) -> None:
    machine.occurrences.register.enable(NIGHTLY, local("05 12:00"))

    assert machine.floor() == "02 00:00"


def test_a_baseline_writes_off_what_was_given_up(machine: Machine) -> None:
    machine.catch_up("10 08:00")
    machine.occurrences.baseline(["N"], local("10 09:00"))

    assert machine.occurrences.troubles() == {}
    assert machine.floor() == "10 09:00"


def test_a_slot_before_the_floor_cannot_be_claimed_by_a_pass(machine: Machine) -> None:
    with pytest.raises(NotClaimed, match="no longer owed"):
        machine.occurrences.claim(NIGHTLY, local("01 00:20"), source=CATCHUP, now=local("10 08:00"))


# --- telling --------------------------------------------------------------------------------------------------------


def test_a_rehearsal_names_what_would_run_and_why_the_rest_would_not(tmp_path: Path) -> None:
    machine = machine_since(
        tmp_path,
        "02 00:00",
        NIGHTLY,
        replace(NIGHTLY, name="newest", catch_up=LATEST),
        replace(NIGHTLY, name="off"),
        Job("hourly", "0 * * * *", ("true",), BANGKOK),
        Job("M", "* * * * *", ("true",), BANGKOK, NONE),
    )
    machine.occurrences.register.disable(machine.job("off"), local("02 01:00"))
    machine.now = local("09 00:21")
    rehearse(machine.starter(), machine.jobs)

    names = [line.split()[0] for line in machine.lines]
    assert names.count("N") == 2
    assert "expired N 5" in "\n".join(machine.lines)
    assert "not now N: 2026-11-09T00:20:00+07:00 has only just come" in "\n".join(machine.lines)
    assert "skipped newest 1" in "\n".join(machine.lines)
    assert "disabled off" in "\n".join(machine.lines)
    assert "not now hourly: 22 more, for one pass runs 50" in "\n".join(machine.lines)
    assert (machine.runs, names.count("M")) == ([], 0)


def test_a_rehearsal_tells_of_attempts(machine: Machine) -> None:
    machine.work = lambda _slot: 1
    machine.catch_up("03 00:25")
    machine.now = local("03 00:26")
    machine.lines.clear()

    rehearse(machine.starter(), machine.jobs)

    assert machine.lines == [
        "not now N: 2026-11-02T00:20:00+07:00 failed (exit code 1), attempt 2 of 3 comes later",
        "not now N: 2026-11-03T00:20:00+07:00 failed (exit code 1), attempt 2 of 3 comes later",
    ]


def test_a_rehearsal_tells_of_what_is_given_up_and_settled(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = lambda _slot: 1
    machine.catch_up("02 00:25")
    machine.lines.clear()

    rehearse(machine.starter(), machine.jobs)

    assert machine.lines == [
        "not now N: 2026-11-02T00:20:00+07:00 is given up after 1 attempts and 0 interruptions exit code 1"
    ]


def test_a_rehearsal_tells_of_an_only_attempt_that_was_cut_off(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = dies
    machine.catch_up("02 00:25")
    machine.lines.clear()

    rehearse(machine.starter(), machine.jobs)

    assert machine.lines == ["not now N: 2026-11-02T00:20:00+07:00 is given up after 1 attempts and 1 interruptions"]


def status(machine: Machine) -> list[str]:
    return list(lines(machine.occurrences, Schedule(tuple(machine.jobs)), machine.now))


def test_the_status_names_what_waits_for_its_next_attempt(machine: Machine) -> None:
    machine.work = lambda _slot: 1
    machine.catch_up("02 00:25")

    assert status(machine)[2:] == [
        "  waiting: 2026-11-02T00:20:00+07:00 failed (exit code 1), attempt 2 of 3 from 2026-11-02T00:30:01+07:00 on"
    ]


def test_the_status_explains_what_a_renamed_job_has_left(machine: Machine) -> None:
    machine.change("N", max_attempts=1)
    machine.work = lambda _slot: 1
    machine.catch_up("02 00:25")
    machine.jobs = [replace(NIGHTLY, name="renamed")]

    assert status(machine)[-2:] == [
        "N: in the list of jobs no more; settled by: manage.py catchup --baseline --only N --force",
        "  given up: 2026-11-02T00:20:00+07:00 after 1 attempts, 0 interruptions exit code 1",
    ]


@pytest.mark.parametrize(
    ("at", "first"),
    [
        ("02 00:00:00", "last pass: 0 minutes ago"),
        ("2026-11-01T23:59:56", "last pass: 0 minutes ago"),
        ("02 00:16", "last pass: 16 minutes ago, which is old: is the crontab line gone?"),
        ("01 12:00", "the clock says 2026-11-01 05:00 UTC, but the jobs began at 2026-11-01 17:00 UTC: nothing is"),
        ("2026-12-20T00:00", "the clock jumped more than 30 days, from 2026-11-01 17:00 to 2026-12-19 17:00 UTC: n"),
    ],
)
def test_the_status_begins_with_the_last_pass_or_the_clock(machine: Machine, at: str, first: str) -> None:
    machine.now = local(at)

    assert status(machine)[0].replace(" UTC to", " to").startswith(first)


def test_the_status_of_a_clock_that_was_put_back_says_so(machine: Machine) -> None:
    machine.catch_up("04 08:00")
    machine.now = local("04 07:00")

    assert status(machine)[0] == "last pass: 60 minutes ahead of the clock, which was put back"
    assert not machine.occurrences.health().is_good(machine.now)


def test_a_rehearsal_says_what_waits_for_the_cloud(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "02 00:00", replace(NIGHTLY, needs_cloud=True))
    machine.cloud_is_near, machine.now = False, local("02 08:00")

    rehearse(machine.starter(), machine.jobs)

    assert machine.lines == ["N 2026-11-02T00:20:00+07:00 waits: the cloud cannot be reached"]


def test_health_is_three_numbers(machine: Machine) -> None:
    machine.work = lambda slot: int(slot.at.day == 9)
    for at in ("10 08:00", "10 08:05", "10 08:20"):
        machine.catch_up(at)

    health = machine.occurrences.health()

    assert str(health) == f"1,6,{int(local('10 08:20:01').timestamp())}"
    assert not health.is_good(machine.now)


def test_health_before_the_first_pass_is_bad(tmp_path: Path) -> None:
    health = Machine(tmp_path).occurrences.health()

    assert (str(health), health.is_good(local("10 08:00"))) == ("0,0,0", False)


@pytest.mark.parametrize(("minutes", "is_good"), [(15, True), (16, False)])
def test_an_old_pass_is_bad(machine: Machine, minutes: int, is_good: bool) -> None:
    now = local("02 00:00") + timedelta(minutes=minutes)

    assert machine.occurrences.health().is_good(now) is is_good
