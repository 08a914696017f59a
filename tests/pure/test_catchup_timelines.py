"""Timelines of outages, and exactly what is run after them. Nights are in November 2026, Bangkok time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem.schedule import NONE, Job
from onprem.slot import Slot
from tests.pure.machine import BANGKOK, NIGHTLY, Machine, PowerCut, local, machine_since, said

R = Job("R", "0 6 * * *", ("true",), BANGKOK)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its job N counts since the morning of 2 November."""
    return machine_since(tmp_path, "02 00:00")


def five_minutes_from(start: str, count: int) -> list[str]:
    begin = local(start)
    return [f"{(begin + timedelta(minutes=5 * n)).astimezone(BANGKOK):%d %H:%M:%S}" for n in range(count)]


def test_c01_a_power_cut_over_the_slot_is_made_good_after_boot(machine: Machine) -> None:
    machine.live_through(range(2, 11))

    assert machine.catch_up("11 00:25") == ["11 00:20"]
    assert [machine.brief("10 00:20"), machine.brief("11 00:20")] == ["succeeded/direct 1", "succeeded/catchup 1"]


def test_c01_the_next_pass_writes_its_high_water_mark_only(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.catch_up("11 00:25")
    notes = machine.notes()

    assert machine.catch_up("11 00:30") == []
    assert machine.notes() == notes
    assert machine.occurrences.register.high_water == local("11 00:30")


def test_c02_a_replay_knows_its_slot_and_the_days_at_the_slot(machine: Machine) -> None:
    machine.live_through(range(2, 14))

    assert machine.catch_up("14 08:05") == ["14 00:20"]
    assert machine.runs[-1] == Slot("N", local("14 00:20").astimezone(BANGKOK), is_replay=True)


def test_c03_a_weekend_off_is_three_runs_and_then_none(machine: Machine) -> None:
    machine.live_through(range(2, 14))

    assert machine.catch_up("16 08:05") == ["14 00:20", "15 00:20", "16 00:20"]
    assert machine.catch_up("16 08:10") == []


def test_c04_what_is_older_than_the_lookback_is_counted_once(machine: Machine) -> None:
    machine.live_through(range(2, 11))

    assert machine.catch_up("20 09:00") == ["18 00:20", "19 00:20", "20 00:20"]
    machine.catch_up("20 09:05")
    assert [line.split(" (")[0] for line in machine.logged("expired")] == ["expired N 7"]
    assert machine.occurrences.register.standings()["N"].expired_through == local("17 09:00")


def test_c05_a_longer_lookback_expires_nothing(machine: Machine) -> None:
    machine.change("N", lookback=timedelta(days=14))
    machine.live_through(range(2, 11))

    assert machine.catch_up("20 09:00") == [f"{day} 00:20" for day in range(11, 21)]
    assert not machine.logged("expired")


@pytest.mark.parametrize(
    ("at", "runs", "expired"),
    [("16 00:20:00", ["13 00:20", "14 00:20", "15 00:20"], 0), ("16 00:20:01", ["14 00:20", "15 00:20"], 1)],
)
def test_c06_exactly_the_lookback_is_inside_it(machine: Machine, at: str, runs: list[str], expired: int) -> None:
    machine.live_through(range(2, 13))

    assert machine.catch_up(at) == runs
    assert machine.occurrences.troubles().get("N", (0, 0)) == (0, expired)


def test_c07_a_pass_runs_fifty_slots_and_the_next_one_the_rest(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "10 06:00", Job("H", "0 * * * *", ("true",), BANGKOK))

    first, second, third = (machine.catch_up(at) for at in ("13 06:30", "13 06:35", "13 06:40"))

    assert (len(first), first[0], first[-1]) == (50, "10 07:00", "12 08:00")
    assert (len(second), second[0], second[-1]) == (22, "12 09:00", "13 06:00")
    assert third == []


def test_c08_a_job_without_catching_up_has_no_rows(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "10 06:00", Job("M", "* * * * *", ("true",), BANGKOK, NONE))

    assert machine.catch_up("10 12:00") == []
    assert machine.direct("10 12:01", "M") == 0
    assert machine.occurrences.is_empty()


@pytest.mark.parametrize(("at", "runs"), [("10 00:21:00", []), ("10 00:21:59", []), ("10 00:22:00", ["10 00:20"])])
def test_c10_a_slot_is_left_to_its_own_line_for_two_minutes(machine: Machine, at: str, runs: list[str]) -> None:
    machine.live_through(range(2, 10))

    assert machine.catch_up(at) == runs


def test_c11_a_short_reboot_over_the_slot_counts_too(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.catch_up("10 00:19")

    assert machine.catch_up("10 00:25") == ["10 00:20"]


def test_c12_a_first_installation_owes_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, [NIGHTLY, R])

    assert machine.catch_up("10 09:00") == []
    assert [machine.floor("N"), machine.floor("R")] == ["10 09:00", "10 09:00"]
    assert machine.catch_up("11 00:25") == ["N 11 00:20"]


def test_c13_a_new_job_owes_nothing_and_moves_nobody_elses_floor(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.jobs.append(R)

    assert machine.catch_up("10 09:00") == []
    assert machine.catch_up("11 06:05") == ["N 11 00:20", "R 11 06:00"]
    assert [machine.floor("N"), machine.floor("R")] == ["02 00:00", "10 09:00"]


def test_c14_a_deploy_after_an_outage_does_not_bury_what_was_missed(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.change("N", command=("true", "--new"), timeout=timedelta(minutes=5))

    assert machine.catch_up("11 08:15") == ["11 00:20"]


def test_c15_a_changed_time_counts_from_its_change_on(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.change("N", cron="30 8 * * *")

    assert machine.catch_up("10 09:00") == []
    assert machine.floor() == "10 09:00"
    assert len(machine.logged("schedule_changed")) == 1
    assert machine.catch_up("11 08:35") == ["11 08:30"]


def test_c17_time_off_is_not_owed(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.occurrences.register.disable(NIGHTLY, local("10 09:00"))

    assert machine.catch_up("11 00:25") == []
    machine.occurrences.register.enable(NIGHTLY, local("12 09:00"))
    assert machine.catch_up("12 09:05") == []
    assert machine.catch_up("13 00:25") == ["13 00:20"]


def test_c18_three_attempts_then_a_person_is_asked(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.work = lambda _slot: 1

    runs = {at: len(machine.catch_up(at)) for at in five_minutes_from("10 00:25", 56)}

    assert [at for at, count in runs.items() if count] == ["10 00:25:00", "10 00:30:00", "10 00:45:00"]
    assert (machine.brief("10 00:20"), machine.row("10 00:20").exhausted) == ("failed/catchup 3", True)


def test_c20_a_bad_slot_does_not_hold_up_later_ones(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.work = lambda slot: int(slot.at.day == 12)

    assert machine.catch_up("13 08:00") == ["11 00:20", "12 00:20", "13 00:20"]
    machine.work = lambda _slot: 0
    assert machine.catch_up("13 08:05") == ["12 00:20"]
    assert machine.brief("12 00:20") == "succeeded/catchup 2"


def test_c21_a_power_cut_in_the_middle_costs_no_attempt(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.work = power_cuts_on(12)

    assert machine.catch_up("13 08:00") == ["11 00:20", "12 00:20"]
    assert machine.row("12 00:20").state == "running"
    machine.work = lambda _slot: 0
    assert machine.catch_up("13 09:30") == ["12 00:20", "13 00:20"]
    assert (machine.brief("12 00:20"), machine.row("12 00:20").interruptions) == ("succeeded/catchup 1", 1)


def test_c22_a_job_that_ends_the_machine_is_given_up(machine: Machine) -> None:
    machine.live_through(range(2, 10))
    machine.work = power_cuts_on(10)

    assert [machine.catch_up(f"10 0{hour}:00") for hour in (1, 2, 3)] == [["10 00:20"]] * 3
    assert machine.catch_up("10 04:00") == []
    assert (machine.row("10 00:20").interruptions, machine.row("10 00:20").exhausted) == (3, True)


def test_c24_without_the_cloud_nothing_is_claimed_or_counted(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "09 12:00", replace(NIGHTLY, needs_cloud=True))
    machine.cloud_is_near = False

    assert machine.direct("10 00:20:01") == 75
    assert [machine.catch_up(at) for at in five_minutes_from("10 00:25", 97)] == [[]] * 97
    assert machine.occurrences.is_empty()
    machine.cloud_is_near = True
    assert machine.catch_up("10 08:30") == ["10 00:20"]
    assert machine.brief("10 00:20") == "succeeded/catchup 1"


def test_c26_a_line_started_twice_runs_once(machine: Machine) -> None:
    machine.live_through(range(2, 10))

    assert [machine.direct("10 00:20:01"), machine.direct("10 00:20:02")] == [0, 0]
    assert [said(slot.at) for slot in machine.runs].count("10 00:20") == 1
    assert "already done" in machine.lines[-1]


def test_c30_what_ran_in_a_wrong_future_is_void_and_runs_again(machine: Machine) -> None:
    machine.live_through(range(2, 11))

    assert machine.catch_up("13 08:00") == ["11 00:20", "12 00:20", "13 00:20"]
    assert machine.catch_up("10 08:10") == []
    assert len(machine.logged("clock_back")) == 1
    assert {machine.row(f"{day} 00:20").state for day in (11, 12, 13)} == {"void"}
    assert machine.direct("11 00:20:01") == 0
    assert machine.brief("11 00:20") == "succeeded/direct 1"
    assert machine.catch_up("12 00:25") == ["12 00:20"]


@pytest.mark.parametrize(
    ("zone", "since", "at", "runs"),
    [
        ("Europe/Berlin", "2026-03-27T12:00", "2026-03-30T12:00", ["28 02:30+01", "29 03:00+02", "30 02:30+02"]),
        ("Europe/Berlin", "2026-10-23T12:00", "2026-10-26T12:00", ["24 02:30+02", "25 02:30+02", "26 02:30+01"]),
        ("America/New_York", "2026-03-06T12:00", "2026-03-09T12:00", ["07 02:30-05", "08 03:00-04", "09 02:30-04"]),
        ("America/New_York", "2026-10-30T12:00", "2026-11-02T12:00", ["31 02:30-04", "01 02:30-05", "02 02:30-05"]),
    ],
)
def test_c33_c34_summer_time_skips_and_repeats_no_slot(
    tmp_path: Path, zone: str, since: str, at: str, runs: list[str]
) -> None:
    place = ZoneInfo(zone)
    machine = Machine(tmp_path, [Job("N", "30 2 * * *", ("true",), place, lookback=timedelta(days=4))])
    machine.catch_up(local(since, place))

    machine.catch_up(local(at, place))

    assert [f"{slot.at:%d %H:%M}{slot.at.isoformat()[19:22]}" for slot in machine.runs] == runs


def test_c34_new_york_repeats_the_hour_after_one(tmp_path: Path) -> None:
    place = ZoneInfo("America/New_York")
    machine = Machine(tmp_path, [Job("N", "30 1 * * *", ("true",), place)])
    machine.catch_up(local("2026-10-31T12:00", place))

    machine.catch_up(local("2026-11-01T12:00", place))

    assert [slot.at.isoformat() for slot in machine.runs] == ["2026-11-01T01:30:00-04:00"]


def test_c38_several_jobs_are_merged_by_slot(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "10 12:00", NIGHTLY, R)

    runs = machine.catch_up("13 08:00")

    assert runs == [f"{job} {day} {at}" for day in (11, 12, 13) for job, at in (("N", "00:20"), ("R", "06:00"))]


def test_c38_of_one_slot_the_registry_decides_the_order(tmp_path: Path) -> None:
    machine = machine_since(tmp_path, "10 12:00", replace(NIGHTLY, name="Z"), replace(NIGHTLY, name="A"))

    assert machine.catch_up("11 08:00") == ["Z 11 00:20", "A 11 00:20"]


def test_c42_a_person_reruns_days_whatever_their_age(machine: Machine) -> None:
    machine.live_through(range(2, 11))
    machine.catch_up("20 09:00")
    marks = machine.occurrences.register.high_water, machine.floor()
    machine.now = local("20 10:00")

    assert machine.rerun(10, 17) == [f"{day} 00:20" for day in range(11, 18)]
    assert machine.rerun(10, 11, include_succeeded=True) == ["10 00:20", "11 00:20"]
    assert machine.brief("11 00:20") == "succeeded/operator 2"
    assert (machine.occurrences.register.high_water, machine.floor()) == marks
    assert machine.occurrences.troubles() == {}


def power_cuts_on(day: int) -> Callable[[Slot], int]:
    def work(slot: Slot) -> int:
        if slot.at.day == day:
            raise PowerCut
        return 0

    return work
