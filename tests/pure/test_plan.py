from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onprem import slots
from onprem.plan import (
    EXPIRED,
    FAILED,
    GRACE,
    INTERRUPTED,
    MAX_SLOTS,
    RUNNING,
    SKIPPED,
    SUCCEEDED,
    VOID,
    ClockWrong,
    Row,
    check_clock,
    ended,
    in_order,
    interrupted,
    passed_over,
    plan,
    settled_through,
    started,
    went_back,
)
from onprem.schedule import ALL, LATEST, NONE, Job
from tests.pure.machine import BANGKOK, NIGHTLY, local, said

FLOOR = local("01 12:00")
NEWEST = replace(NIGHTLY, catch_up=LATEST)
DONE = Row(SUCCEEDED, attempts=1)


def days(moments: list[datetime]) -> list[int]:
    return [moment.astimezone(BANGKOK).day for moment in moments]


def rows(**states: Row) -> dict[datetime, Row]:
    """``rows(d5=DONE)``: the slot of 5 November is done."""
    return {local(f"{int(day[1:]):02d} 00:20"): row for day, row in states.items()}


def test_without_rows_everything_since_the_floor_is_due() -> None:
    assert days(plan(NIGHTLY, FLOOR, {}, local("04 08:00")).due) == [2, 3, 4]


def test_a_slot_at_the_floor_is_not_owed() -> None:
    assert days(plan(NIGHTLY, local("02 00:20"), {}, local("03 08:00")).due) == [3]


@pytest.mark.parametrize("state", [SUCCEEDED, SKIPPED, EXPIRED])
def test_what_is_finished_is_neither_due_nor_expired(state: str) -> None:
    assert plan(NIGHTLY, FLOOR, rows(d2=Row(state)), local("02 08:00")) == ([], [])


@pytest.mark.parametrize("state", [FAILED, INTERRUPTED])
def test_what_is_exhausted_is_never_touched_again(state: str) -> None:
    assert plan(NIGHTLY, FLOOR, rows(d2=Row(state, exhausted=True)), local("30 08:00")).expired[0] > local("02 00:20")


def test_what_is_being_run_is_neither_due_nor_expired() -> None:
    running = rows(d2=Row(RUNNING, attempts=1))

    assert days(plan(NIGHTLY, FLOOR, running, local("03 08:00")).due) == [3]
    assert days(plan(NIGHTLY, FLOOR, running, local("07 08:00")).expired) == [3, 4]


def test_what_was_void_is_owed_when_its_time_comes() -> None:
    assert days(plan(NIGHTLY, FLOOR, rows(d2=Row(VOID)), local("02 00:22")).due) == [2]


@pytest.mark.parametrize(
    ("attempts", "minutes", "is_due"), [(1, 4, False), (1, 5, True), (2, 14, False), (2, 15, True)]
)
def test_the_second_attempt_waits_five_minutes_and_the_third_fifteen(attempts: int, minutes: int, is_due: bool) -> None:
    failed = Row(FAILED, attempts=attempts, ended_at=local("02 08:00"))

    due = plan(NIGHTLY, FLOOR, rows(d2=failed), local("02 08:00") + timedelta(minutes=minutes)).due

    assert bool(due) is is_due


def test_the_next_pass_may_come_some_seconds_early() -> None:
    failed = Row(FAILED, attempts=1, ended_at=local("02 08:00:20"))

    assert plan(NIGHTLY, FLOOR, rows(d2=failed), local("02 08:05:01")).due


def test_a_failure_noted_in_the_future_holds_nothing_up() -> None:
    failed = Row(FAILED, attempts=1, ended_at=local("09 08:00"))

    assert plan(NIGHTLY, FLOOR, rows(d2=failed), local("02 08:00")).due


def test_a_failure_that_gets_too_old_expires() -> None:
    failed = Row(FAILED, attempts=1, ended_at=local("02 08:00"))

    assert days(plan(NIGHTLY, FLOOR, rows(d2=failed), local("05 08:00")).expired) == [2]


def test_of_a_job_that_wants_the_latest_only_that_is_due() -> None:
    now = local("04 08:00")

    assert days(plan(NEWEST, FLOOR, {}, now).due) == [4]
    assert days(passed_over(NEWEST, FLOOR, {}, now)) == [2, 3]


def test_a_newer_run_makes_older_slots_of_a_latest_job_pointless() -> None:
    now, done = local("04 08:00"), rows(d4=DONE)

    assert plan(NEWEST, FLOOR, done, now).due == []
    assert days(passed_over(NEWEST, FLOOR, done, now)) == [2, 3]


def test_a_void_slot_of_the_future_passes_over_nothing() -> None:
    assert days(plan(NEWEST, FLOOR, rows(d9=Row(VOID)), local("04 08:00")).due) == [4]


def test_a_latest_job_waits_for_its_newest_slot_only() -> None:
    failed = Row(FAILED, attempts=1, ended_at=local("04 07:59"))

    assert plan(NEWEST, FLOOR, rows(d4=failed), local("04 08:00")).due == []


def test_a_job_without_catching_up_owes_nothing() -> None:
    assert plan(replace(NIGHTLY, catch_up=NONE), FLOOR, {}, local("30 08:00")) == ([], [])


def test_slots_are_settled_as_far_as_no_gap_is_left() -> None:
    assert settled_through(NIGHTLY, FLOOR, rows(d2=DONE, d3=Row(SKIPPED), d5=DONE)) == local("03 00:20")
    assert settled_through(NIGHTLY, FLOOR, rows(d3=DONE)) == FLOOR


def test_starts_are_merged_by_slot_and_then_by_registry() -> None:
    other = replace(NIGHTLY, name="A")
    two, three = local("02 00:20"), local("03 00:20")

    assert in_order([(NIGHTLY, [two, three]), (other, [two])]) == [(NIGHTLY, two), (other, two), (NIGHTLY, three)]


# --- rows -----------------------------------------------------------------------------------------------------------


def test_the_last_attempt_exhausts_the_slot() -> None:
    running = Row(RUNNING, attempts=3)

    assert ended(running, NIGHTLY, now=FLOOR, failure="exit code 1").exhausted
    assert not ended(running, NIGHTLY, now=FLOOR).exhausted
    assert not ended(replace(running, attempts=2), NIGHTLY, now=FLOOR, failure="exit code 1").exhausted


def test_an_interruption_gives_the_attempt_back() -> None:
    cut = interrupted(Row(RUNNING, attempts=2), NIGHTLY)

    assert (cut.state, cut.attempts, cut.interruptions, cut.exhausted) == (INTERRUPTED, 1, 1, False)


def test_the_third_interruption_exhausts_the_slot() -> None:
    assert interrupted(Row(RUNNING, attempts=1, interruptions=2), NIGHTLY).exhausted


def test_with_a_single_attempt_a_started_run_counts() -> None:
    cut = interrupted(Row(RUNNING, attempts=1), replace(NIGHTLY, max_attempts=1))

    assert (cut.attempts, cut.exhausted) == (1, True)


def test_a_void_row_starts_afresh() -> None:
    row = started(Row(VOID, attempts=3, interruptions=2), "direct", FLOOR)

    assert (row.state, row.attempts, row.interruptions) == (RUNNING, 1, 0)


# --- the clock ------------------------------------------------------------------------------------------------------


def test_a_clock_before_every_floor_is_refused() -> None:
    with pytest.raises(ClockWrong, match="jobs began"):
        check_clock(local("01 11:00"), high_water=None, floors=[FLOOR, local("05 12:00")])


def is_believed(now: datetime, *, high_water: datetime | None, floors: list[datetime]) -> bool:
    try:
        check_clock(now, high_water=high_water, floors=floors)
    except ClockWrong:
        return False
    return True


def test_one_job_from_the_future_does_not_stop_the_others() -> None:
    assert is_believed(local("02 12:00"), high_water=None, floors=[FLOOR, local("05 12:00")])


@pytest.mark.parametrize("jump", [timedelta(days=30, seconds=1), timedelta(days=9000)])
def test_a_clock_that_jumps_more_than_thirty_days_is_refused(jump: timedelta) -> None:
    with pytest.raises(ClockWrong, match="jumped"):
        check_clock(FLOOR + jump, high_water=FLOOR, floors=[FLOOR])


def test_a_clock_that_jumps_thirty_days_is_believed() -> None:
    assert is_believed(FLOOR + timedelta(days=30), high_water=FLOOR, floors=[FLOOR])


def test_some_seconds_back_are_the_clock_being_put_right() -> None:
    assert not went_back(FLOOR, FLOOR + timedelta(seconds=5))
    assert went_back(FLOOR, FLOOR + timedelta(seconds=6))


# --- whatever the ledger holds --------------------------------------------------------------------------------------

JOBS = st.builds(
    lambda cron, policy, days, attempts: Job(
        "J", cron, ("true",), BANGKOK, policy, timedelta(days=days), max_attempts=attempts
    ),
    st.sampled_from(["20 0 * * *", "0 * * * *", "*/20 6-9 * * 1-5", "5,50 */7 1-15 * *"]),
    st.sampled_from([ALL, LATEST]),
    st.integers(1, 14),
    st.integers(1, 3),
)
SOME_ROW = st.builds(
    Row,
    st.sampled_from([RUNNING, SUCCEEDED, FAILED, INTERRUPTED, SKIPPED, EXPIRED, VOID]),
    attempts=st.integers(0, 3),
    exhausted=st.just(False),
    ended_at=st.none() | st.integers(0, 20 * 24 * 60).map(lambda minutes: FLOOR + timedelta(minutes=minutes)),
)


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[Job, dict[datetime, Row], datetime]:
    job, now = draw(JOBS), FLOOR + timedelta(minutes=draw(st.integers(0, 20 * 24 * 60)))
    every = list(slots.between(job.cron, job.zone, FLOOR, now + timedelta(days=1)))
    noted = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    return job, {slot: draw(SOME_ROW) for slot in noted}, now


@given(ledgers())
def test_nothing_is_due_outside_floor_lookback_and_grace(ledger: tuple[Job, dict[datetime, Row], datetime]) -> None:
    job, noted, now = ledger

    due, expired = plan(job, FLOOR, noted, now)

    assert due == sorted(due)
    assert len(due) <= MAX_SLOTS
    assert all(FLOOR < slot <= now - GRACE and now - slot <= job.lookback for slot in due)
    assert all(slot > FLOOR and now - slot > job.lookback for slot in expired)


@given(ledgers())
def test_every_past_slot_is_in_exactly_one_class(ledger: tuple[Job, dict[datetime, Row], datetime]) -> None:
    job, noted, now = ledger
    due, expired = plan(job, FLOOR, noted, now)
    past = set(slots.between(job.cron, job.zone, FLOOR, now - GRACE))
    finished = {slot for slot in past if slot in noted and noted[slot].is_finished}
    running = {slot for slot in past if slot in noted and noted[slot].state == RUNNING}
    skipped = set(passed_over(job, FLOOR, noted, now))
    later = {slot for slot in past if slot not in finished | running | skipped | {*due, *expired}}

    assert sum(map(len, (due, expired, finished, running, skipped, later))) == len(past)
    assert all(slot in noted and noted[slot].state == FAILED for slot in later) or len(due) == MAX_SLOTS


@settings(max_examples=30)
@given(ledgers())
def test_running_what_is_due_again_and_again_finishes_everything(
    ledger: tuple[Job, dict[datetime, Row], datetime],
) -> None:
    job, noted, now = ledger
    noted = {slot: row for slot, row in noted.items() if row.state != RUNNING}

    for _pass in range(40):
        now += timedelta(minutes=15)
        due, expired = plan(job, FLOOR, noted, now)
        skipped = passed_over(job, FLOOR, noted, now)
        noted |= dict.fromkeys(due, DONE) | {slot: Row(EXPIRED) for slot in expired}
        noted |= {slot: Row(SKIPPED) for slot in skipped}

    past = slots.between(job.cron, job.zone, FLOOR, now - GRACE)
    assert [said(slot) for slot in past if slot not in noted or not noted[slot].is_finished] == []
