"""Bits that flip in the state file, anywhere: it is as good as before, or it is kept aside and a new one begun."""

from __future__ import annotations

import random
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from onprem import agent, catchup, days, jobstatus
from onprem.agent import Asked
from onprem.days import Known
from onprem.occurrences import Occurrences
from onprem.plan import CATCHUP, EXPIRED, ClockWrong
from onprem.schedule import ALL, Job, Schedule
from onprem.starter import Starter
from onprem.state import NAME, State, StateUnwritable
from tests.onprem.fakes import DAY, NOON, FakeCloud, FakeFactory, Stage, edit

TRIES = 150
NOW = datetime.fromtimestamp(NOON, UTC)
ZONE = ZoneInfo("Asia/Bangkok")
JOBS = tuple(Job(name, "30 18 * * *", ("true",), ZONE, catch_up=ALL) for name in ("nightly", "stats", "monthly"))


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with rows in every table."""
    folder = tmp_path_factory.mktemp("healthy")
    with State.opened(folder) as state:
        Occurrences(state).register.meet(JOBS, NOW - timedelta(days=30))
        _work(state, folder)
        _note_days(state)
        _note_slots(Occurrences(state))
    return (folder / NAME).read_bytes()


def test_whatever_bits_flip_the_next_run_but_one_is_well(healthy: bytes, tmp_path: Path) -> None:
    for seed in range(TRIES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / NAME).write_bytes(damaged(healthy, random.Random(seed)))
        before = contents(folder)

        with closing(State.peek(folder)) as copy:
            _work(copy, folder / "rehearsal")
        assert contents(folder) == before, f"seed {seed}"
        with suppress(StateUnwritable):
            _use(folder)
        _use(folder)
        with closing(State.open(folder)) as state:
            assert state.news == [], f"seed {seed}"


def damaged(content: bytes, dice: random.Random) -> bytes:
    """Flip one bit or a few where something stands, or lose a sector or the end."""
    spoilt = bytearray(content)
    if dice.random() < 0.1:
        start = dice.randrange(0, len(content), 512)
        spoilt[start : start + 512] = bytes(512)
        return bytes(spoilt[: start + 512] if dice.random() < 0.5 else spoilt)
    places = [place for place, byte in enumerate(content) if byte]
    for place in dice.choices(places, k=dice.choice((1, 1, 1, 2, 5))):
        spoilt[place] ^= 1 << dice.randrange(8)
    return bytes(spoilt)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def _use(folder: Path) -> None:
    with State.opened(folder) as state:
        _work(state, folder)


def _work(state: State, folder: Path) -> None:
    """A run and a pass, and what people may ask."""
    stage = Stage(state, FakeFactory(), FakeCloud(edits=[edit()]))
    run = stage.run()
    agent.note_owed(run, Asked(dates=[DAY]))
    agent.run_once(run, Asked())
    days.forget_newer(state, int(NOON), since=DAY)
    state.hear_loss(int(NOON))
    state.hear_gen(int(NOON) + 9)
    occurrences = Occurrences(state)
    folder.mkdir(exist_ok=True)
    starter = Starter(
        occurrences,
        locks=folder,
        work=lambda _job, _slot: (0, ""),
        end_leftovers=lambda _slot: 0,
        cloud_is_near=lambda: True,
        clock=lambda: NOW,
        say=lambda _line: None,
    )
    with suppress(ClockWrong):
        catchup.catch_up(starter, JOBS)
    for job in JOBS:
        occurrences.exhausted(job.name)
    list(jobstatus.lines(occurrences, Schedule(JOBS), NOW))


def _note_days(state: State) -> None:
    with state.transaction():
        for n in range(30):
            day = DAY - timedelta(days=n)
            days.accept(state, day, Known(f"{n:064x}", int(NOON) + n, is_open=n < 3))
            found, outcome = "present" if n % 3 else None, "applied" if n % 5 else None
            values = (str(day), 1, f"{n:04}", 5, "late", found, outcome, int(NOON), n + 1, n % 2, n % 4 or None)
            state.db.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            if n % 5 == 0:
                days.owe(state, day, gen=int(NOON) + n)


def _note_slots(occurrences: Occurrences) -> None:
    for job, ending in zip(JOBS, ("", "exit code 1", None), strict=True):
        for n in range(3, 9):
            claim = occurrences.claim(job, NOW - timedelta(days=n), source=CATCHUP, now=NOW)
            if ending is not None:
                occurrences.finish(claim, now=NOW, failure=ending)
        occurrences.give_up(job, EXPIRED, [NOW - timedelta(days=9)], NOW)
