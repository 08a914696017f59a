"""The jobs of this installation, as its settings say, and what it takes to start them here."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings

from onprem import preflight, program, schedule, utc
from onprem.locks import LockUnusable
from onprem.occurrences import Occurrences
from onprem.schedule import Job, Schedule
from onprem.slot import Slot
from onprem.starter import Starter
from onprem.state import State, StateUnwritable


def installed() -> Schedule:
    """Return our jobs and the site's."""
    name = settings.ONPREM_JOBS_FILE.strip()
    return schedule.read(settings.ONPREM_TIME_ZONE, Path(settings.BASE_DIR, name) if name else None)


@contextmanager
def opened_state(say: Callable[[str], None]) -> Iterator[State]:
    """Open the state and say what was found of it. Raise StateUnwritable, also for what fails while it is open."""
    with _in_words(), closing(State.open(settings.ONPREM_STATE_DIR)) as state:
        for sentence in state.news:
            say(sentence)
        yield state


@contextmanager
def copied_state() -> Iterator[State]:
    """A copy: nothing that is done to it leaves a trace. Raise StateUnwritable if it cannot be read."""
    with _in_words(), closing(State.peek(settings.ONPREM_STATE_DIR)) as state:
        yield state


def starter(
    state: State, say: Callable[[str], None], *, work: Callable[[Job, Slot], tuple[int, str]] | None = None
) -> Starter:
    """Return what starts jobs on this machine; ``work`` does it in this process instead of a program of its own."""
    return Starter(
        Occurrences(state),
        locks=settings.ONPREM_STATE_DIR,
        work=work or run,
        end_leftovers=lambda slot: program.end_those_with(slot.marks()),
        cloud_is_near=lambda: preflight.is_reachable(settings.ATTSYNC_PROXY or settings.ATTSYNC_URL),
        clock=utc.now,
        say=say,
    )


def run(job: Job, slot: Slot) -> tuple[int, str]:
    """Run the job's program to its end, or to the end of its time."""
    words = slot.fill(job.command, settings.ONPREM_DAY_STARTS)
    ours = [sys.executable, str(settings.BASE_DIR / "manage.py")] if job.is_ours else []
    return program.run([*ours, *words], slot.environment(), seconds=job.timeout.total_seconds())


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except (LockUnusable, sqlite3.Error) as exc:
        raise StateUnwritable(f"state directory {settings.ONPREM_STATE_DIR}: {exc}") from exc
