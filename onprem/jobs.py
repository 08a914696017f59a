"""The jobs of this installation, as its settings say, and what it takes to start them here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings

from onprem import preflight, program, schedule, utc
from onprem.occurrences import Occurrences
from onprem.schedule import Job, Schedule
from onprem.slot import Slot
from onprem.starter import Starter
from onprem.state import NAME, State, StateUnwritable, in_words, must_be_usable

_WITHHELD = frozenset({"ATTSYNC_KEY", "LEGACY_DATABASE_URL", "DJANGO_SETTINGS_MODULE"})
_STATE = "ATTSYNC_STATE_DIR"


def installed() -> Schedule:
    """Return our jobs and the site's."""
    name = settings.ONPREM_JOBS_FILE.strip()
    return schedule.read(settings.ONPREM_TIME_ZONE, Path(settings.BASE_DIR, name) if name else None)


@contextmanager
def opened_state(say: Callable[[str], None]) -> Iterator[State]:
    """Open the state and say what was found of it. Raise StateUnwritable, also for what fails while it is open."""
    with State.opened(settings.ONPREM_STATE_DIR) as state:
        for sentence in state.news:
            say(sentence)
        yield state


@contextmanager
def copied_state() -> Iterator[State]:
    """A copy: nothing that is done to it leaves a trace. Raise StateUnwritable if it cannot be read."""
    directory = settings.ONPREM_STATE_DIR
    must_be_usable(directory)
    with in_words(directory), closing(State.peek(directory)) as state:
        if state.news:
            raise StateUnwritable(f"state directory {directory}: {NAME} is damaged; a pass begins a new one")
        yield state


def starter(
    state: State, say: Callable[[str], None], *, work: Callable[[Job, Slot], tuple[int, str]] | None = None
) -> Starter:
    """Return what starts jobs on this machine; ``work`` does it in this process instead of a program of its own."""
    return Starter(
        Occurrences(state),
        locks=settings.ONPREM_STATE_DIR,
        work=work or run,
        end_leftovers=lambda slot: program.end_those_with(_marks(slot)),
        cloud_is_near=lambda: preflight.is_reachable(settings.ATTSYNC_PROXY or settings.ATTSYNC_URL),
        clock=utc.now,
        say=say,
    )


def run(job: Job, slot: Slot) -> tuple[int, str]:
    """Run the job's program to its end, or to the end of its time."""
    words = slot.fill(job.command, settings.ONPREM_DAY_STARTS)
    ours = [sys.executable, str(settings.BASE_DIR / "manage.py")] if job.is_ours else []
    environment = {**(os.environ if job.is_ours else _sites_environment()), **slot.environment(), **_marks(slot)}
    return program.run([*ours, *words], environment, seconds=job.timeout.total_seconds(), marks=_marks(slot))


def _sites_environment() -> dict[str, str]:
    """What cron gave us: a site's programs are none of our secrets' business, and Django's zone none of theirs."""
    return {name: value for name, value in program.environment_at_start().items() if name not in _WITHHELD}


def _marks(slot: Slot) -> dict[str, str]:
    """Another installation on this machine may run the same slot of a job of the same name."""
    return {**slot.marks(), _STATE: str(settings.ONPREM_STATE_DIR)}
