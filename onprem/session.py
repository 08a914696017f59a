"""Makes a run from the settings and walks it under its locks: what stands between the command and the agent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress

from django.conf import settings
from django.db import close_old_connections

from onprem import __version__, agent, relations
from onprem.agent import Asked
from onprem.cloud import HttpCloud
from onprem.dryrun import SilentCloud, WatchedFactory
from onprem.factory import LegacyFactory
from onprem.journal import IDLE, Journal
from onprem.line import BadSettings, Line, line_from_settings
from onprem.locks import AlreadyRunning, only_one
from onprem.ports import Cloud, CloudTrouble, ContentRefused
from onprem.progress import Bar
from onprem.report import Report
from onprem.run import Run
from onprem.state import State, StateUnwritable, must_be_usable

WORK, LISTEN = "work", "listen"
LOCK_WAIT_S = 50


def checked_line() -> Line:
    """Raise BadSettings for whatever is missing, before anything is touched."""
    if not settings.LEGACY_DATABASE_URL:
        raise BadSettings("LEGACY_DATABASE_URL is not set: the factory's database, mysql://user:password@host/name")
    return line_from_settings()


def rehearse(line: Line, asked: Asked, bar: Bar, *, verbosity: int) -> Report:
    """Say what a run would do. The state is a copy in memory, and nobody has to wait for anybody.

    Raise StateUnwritable where the run would.
    """
    must_be_usable(settings.ONPREM_STATE_DIR)
    with _cloud(line) as cloud, closing(State.peek(settings.ONPREM_STATE_DIR)) as state:
        run = _run(SilentCloud(cloud), state, bar, verbosity=verbosity, rehearsal=True)
        with _optional_relations(state, forget=asked.force):
            agent.run_once(run, asked)
    return run.report


def walk(line: Line, asked: Asked, bar: Bar, *, verbosity: int, listen: int) -> Report:
    """Do the run. If a listener is at work, a bare minute run leaves everything to it.

    Raise AlreadyRunning if another run's work did not end in time (asked days are owed then), or StateUnwritable.
    """
    end = time.monotonic() + listen
    with _cloud(line) as cloud, _state(cloud, is_heard=asked.edits) as state:
        run = _run(cloud, state, bar, verbosity=verbosity)
        run.work = lambda: _lock(WORK, wait=LOCK_WAIT_S)
        agent.note_owed(run, asked)
        _look_after_cron(run, is_of_a_pull_job=bool(asked.dates) and not bar.is_shown)
        with _optional_relations(state, forget=asked.force):
            if not asked.is_minute_run:
                agent.run_once(run, asked)
            if asked.is_minute_run or listen:
                _as_listener(run, asked, end=end)
    return run.report


@contextmanager
def _optional_relations(state: State, *, forget: bool) -> Iterator[None]:
    """Miss an optional relation that was readable before; a person's ``--force`` says that it is meant to be gone."""
    relations.had_before = set() if forget else _noted(state)
    relations.had_now, relations.done_without = set(), set()
    try:
        yield
    finally:
        had_now = relations.had_now
        relations.had_before, relations.had_now = set(), set()
    # What stands there now: another run may have been forced while this one listened.
    noted = _noted(state)
    has = (noted | had_now) - relations.done_without
    if has != noted:
        state.put("optional", ",".join(sorted(has)))


def _noted(state: State) -> set[str]:
    return set(filter(None, (state.get("optional") or "").split(",")))


def _look_after_cron(run: Run, *, is_of_a_pull_job: bool) -> None:
    """Runs that the legacy site's own jobs start notice when our lines are gone; so do all, until they are back."""
    was_missing = run.state.get("cron_missing") == "1"
    if not (is_of_a_pull_job or was_missing):
        return
    from onprem import croncheck  # noqa: PLC0415 - the run of each minute starts faster without it

    is_missing = croncheck.is_missing()
    if is_missing:
        run.report.troubles["cron"] = "cron_missing"
    elif run.carried == "cron_missing":
        run.carried = ""
    if is_missing != was_missing:
        run.state.put("cron_missing", int(is_missing))
        verdict = "are missing or will be deleted, see manage.py crontab check" if is_missing else "are back"
        run.journal.say(f"our cron lines {verdict}", level=IDLE)


def _as_listener(run: Run, asked: Asked, *, end: float) -> None:
    try:
        with _lock(LISTEN):
            if asked.is_minute_run:
                agent.run_once(run, asked)
            agent.listen(run, asked, seconds=end - time.monotonic())
    except AlreadyRunning as exc:
        if str(exc) != LISTEN:
            raise
        run.journal.say("another run is listening; leaving it to that one", level=IDLE)


def _lock(name: str, *, wait: float = 0) -> AbstractContextManager[None]:
    return only_one(settings.ONPREM_STATE_DIR / f"{name}.lock", wait=wait)


def _run(cloud: Cloud, state: State, bar: Bar, *, verbosity: int, rehearsal: bool = False) -> Run:
    factory = LegacyFactory(day_starts=settings.ONPREM_DAY_STARTS, clock=lambda: run.now)
    run: Run = Run(
        factory=WatchedFactory(factory) if rehearsal else factory,
        cloud=cloud,
        state=state,
        journal=Journal(bar.write, verbosity=verbosity),
        clock=time.time,
        day_starts=settings.ONPREM_DAY_STARTS,
        catchup_days=settings.ONPREM_CATCHUP_DAYS,
        progress=bar.show,
        # A database server that was restarted leaves a dead connection behind.
        between_turns=close_old_connections,
        rehearsal=rehearsal,
    )
    return run


@contextmanager
def _cloud(line: Line) -> Iterator[Cloud]:
    with closing(HttpCloud(line)) as cloud:
        yield cloud


@contextmanager
def _state(cloud: Cloud, *, is_heard: bool) -> Iterator[State]:
    """Without its memory the agent touches nothing; the cloud hears why, if anybody can still tell it."""
    try:
        with State.opened(settings.ONPREM_STATE_DIR) as state:
            yield state
    except StateUnwritable:
        if is_heard:
            beat: dict[str, str | int] = {"v": __version__, "clock": int(time.time()), "error": "state_unwritable"}
            with suppress(CloudTrouble, ContentRefused):
                cloud.pending(beat, limit=1)
        raise
