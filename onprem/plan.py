"""What is to be run now, and what it is too late for: the rules of catching up.

Pure: slots and moments are aware UTC datetimes, the ledger's rows come in as values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from onprem import slots
from onprem.schedule import LATEST, NONE, Job

GRACE = timedelta(minutes=2)
MAX_SLOTS = 50
MAX_INTERRUPTIONS = 3
RETRY_AFTER = (timedelta(minutes=5), timedelta(minutes=15))
# Cron starts a line some seconds late, and not always the same: five minutes later may be 4:58.
RETRY_SLACK = timedelta(seconds=30)

# A step back of a few seconds is the clock being put right.
CLOCK_SLACK = timedelta(seconds=5)
LONGEST_JUMP = timedelta(days=30)
OUTAGE = timedelta(minutes=10)

RUNNING, SUCCEEDED, FAILED, INTERRUPTED = "running", "succeeded", "failed", "interrupted"
SKIPPED, EXPIRED, VOID = "skipped", "expired", "void"
DIRECT, CATCHUP, OPERATOR = "direct", "catchup", "operator"

_DONE = frozenset({SUCCEEDED, SKIPPED, EXPIRED})


@dataclass(frozen=True)
class Row:
    """What the ledger knows of one slot. ``ended_at`` is when the last attempt succeeded, failed or was given up."""

    state: str
    source: str = CATCHUP
    attempts: int = 0
    interruptions: int = 0
    exhausted: bool = False
    started_at: datetime | None = None
    ended_at: datetime | None = None
    note: str = ""

    @property
    def is_finished(self) -> bool:
        """Nobody but a person runs it again."""
        return self.exhausted or self.state in _DONE


Rows = Mapping[datetime, Row]


class Plan(NamedTuple):
    """``due`` is what to run, ``expired`` what is older than the lookback; both oldest first."""

    due: list[datetime]
    expired: list[datetime]


def plan(job: Job, floor: datetime, rows: Rows, now: datetime) -> Plan:
    """Decide about one job. ``rows`` must hold every row later than ``floor``."""
    unfinished = _unfinished(job, floor, rows, now)
    expired = [slot for slot in unfinished if now - slot > job.lookback]
    eligible = unfinished[len(expired) :]
    if job.catch_up == LATEST:
        eligible = eligible[len(_passed_over(eligible, rows)) :]
    return Plan([slot for slot in eligible if is_time(rows.get(slot), now)][:MAX_SLOTS], expired)


def passed_over(job: Job, floor: datetime, rows: Rows, now: datetime) -> list[datetime]:
    """Return the slots of a ``latest`` job that nobody waits for any more: a newer one is due or was run already."""
    if job.catch_up != LATEST:
        return []
    return _passed_over([slot for slot in _unfinished(job, floor, rows, now) if now - slot <= job.lookback], rows)


def is_time(row: Row | None, now: datetime) -> bool:
    """Tell whether the next attempt may start. A failure in the future was noted before the clock was put right."""
    if row is None or row.state != FAILED or row.ended_at is None or now < row.ended_at:
        return True
    return now >= row.ended_at + pause_after(row.attempts) - RETRY_SLACK


def pause_after(attempts: int) -> timedelta:
    return RETRY_AFTER[min(max(attempts, 1), len(RETRY_AFTER)) - 1]


def in_order(due: Iterable[tuple[Job, Sequence[datetime]]]) -> list[tuple[Job, datetime]]:
    """Merge the jobs' slots: oldest first, jobs of the same slot in the order they come in."""
    merged = [(job, slot) for job, planned in due for slot in planned]
    return sorted(merged, key=lambda start: start[1])


def settled_through(job: Job, floor: datetime, rows: Rows) -> datetime:
    """Return the last slot up to which every slot after ``floor`` is finished, or ``floor``."""
    settled = floor
    for slot in slots.after(job.cron, job.zone, floor):
        row = rows.get(slot)
        if row is None or not row.is_finished:
            break
        settled = slot
    return settled


# --- what becomes of a row ------------------------------------------------------------------------------------------


def started(before: Row | None, source: str, now: datetime) -> Row:
    """A row as it is written before the work. ``void`` was never run as far as the true clock knows."""
    if before is None or before.state == VOID:
        return Row(RUNNING, source, attempts=1, started_at=now)
    attempts = before.attempts + 1
    return replace(before, state=RUNNING, source=source, attempts=attempts, exhausted=False, started_at=now, note="")


def ended(row: Row, job: Job, *, now: datetime, failure: str = "") -> Row:
    """A row as it is written after the work. ``failure`` says why it failed; empty means it did not."""
    exhausted = bool(failure) and row.attempts >= job.max_attempts
    return replace(row, state=FAILED if failure else SUCCEEDED, exhausted=exhausted, ended_at=now, note=failure)


def given_up(before: Row | None, state: str, now: datetime) -> Row:
    """A row for what nobody will run any more: EXPIRED or SKIPPED."""
    return replace(before or Row(state), state=state, exhausted=False, ended_at=now)


def interrupted(row: Row, job: Job) -> Row:
    """A run that a power cut or a kill ended. It is no attempt, but a job that ends the machine must not go on so.

    With a single attempt a started run counts: the work may have happened.
    """
    counts = job.max_attempts == 1
    interruptions = row.interruptions + 1
    return replace(
        row,
        state=INTERRUPTED,
        attempts=row.attempts - (not counts),
        interruptions=interruptions,
        exhausted=counts or interruptions >= MAX_INTERRUPTIONS,
    )


# --- the clock ------------------------------------------------------------------------------------------------------


class ClockWrong(Exception):
    """Nothing may be planned by this clock. The text says why."""


def check_clock(now: datetime, *, high_water: datetime | None, floors: Sequence[datetime]) -> None:
    """Raise ClockWrong for a clock that stands before every job began, or that jumped too far ahead to be believed."""
    if floors and all(now < floor - CLOCK_SLACK for floor in floors):
        raise ClockWrong(f"the clock says {_said(now)}, but the jobs began at {_said(min(floors))}")
    if high_water is not None and now - high_water > LONGEST_JUMP:
        raise ClockWrong(
            f"the clock jumped more than {LONGEST_JUMP.days} days, from {_said(high_water)} to {_said(now)}"
        )


def went_back(now: datetime, high_water: datetime | None) -> bool:
    return high_water is not None and now < high_water - CLOCK_SLACK


def _said(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _unfinished(job: Job, floor: datetime, rows: Rows, now: datetime) -> list[datetime]:
    """The slots past their grace that are neither finished nor being run."""
    if job.catch_up == NONE:
        return []
    past = slots.between(job.cron, job.zone, floor, now - GRACE)
    return [slot for slot in past if (row := rows.get(slot)) is None or not (row.is_finished or row.state == RUNNING)]


def _passed_over(eligible: Sequence[datetime], rows: Rows) -> list[datetime]:
    run = [slot for slot, row in rows.items() if row.state not in (VOID, SKIPPED, EXPIRED)]
    newest = max([*run, *eligible], default=None)
    return [slot for slot in eligible if newest is not None and slot < newest]
