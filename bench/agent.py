"""The agent as whole processes between a real server and a simulated factory, and its capture inside one process."""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.table import Row, Rows, in_turn_ms, median_ms
from tests.loop.phone import Phone, somebody_missing
from tests.loop.processes import Cloud, Installation
from tests.mariadb import MariaDB
from tests.sides import CLOUD, KEY, forget_the_environment

PEOPLE = 1000
HISTORY = 60
JOBS = 40


def rows() -> Rows:
    with tempfile.TemporaryDirectory(prefix="attsync-bench-") as folder, _site(Path(folder)) as (cloud, agent):
        yield from _runs(agent)
        yield from _catch_up(agent)
        yield from _capture(agent)
        yield from _backfill(agent)
        yield from _listening(cloud, agent)


@contextmanager
def _site(folder: Path) -> Iterator[tuple[Cloud, Installation]]:
    """A cloud that answers, and a factory of 1,000 people with 60 days behind them that has pushed today."""
    forget_the_environment()
    cloud = Cloud(Installation(folder / "cloud", CLOUD))
    jobs = folder / "jobs.toml"
    jobs.write_text("\n".join(_job(n) for n in range(JOBS)))
    settings = {
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "ATTSYNC_URL": cloud.url,
        "ATTSYNC_KEY": KEY,
        "LEGACY_DATABASE_URL": f"sqlite:///{folder}/factory.sqlite3",
        "ONPREM_STATE_DIR": folder / "state",
        "ONPREM_JOBS_FILE": jobs,
    }
    agent = Installation(folder / "agent", settings)
    _run(agent, "simulate_factory", "--people", PEOPLE, "--days", HISTORY, "--around-now")
    cloud.start()
    try:
        _run(agent, "push_cloud")
        yield cloud, agent
    finally:
        cloud.stop()


def _job(number: int) -> str:
    return f'[[job]]\nname = "job{number}"\ncron = "{number} 3 * * *"\ncommand = ["true"]\ncatch_up = "all"\n'


def _run(agent: Installation, *words: object) -> None:
    done = agent.manage(*words, seconds=600)
    assert done.returncode == 0, done.stdout


def _empty(agent: Installation) -> Callable[[], None]:
    """``manage.py`` with these settings and nothing to do."""
    return lambda: _run(agent, "version")


def _runs(agent: Installation) -> Rows:
    _run(agent, "push_cloud")
    ours, _, ratio = in_turn_ms(lambda: _run(agent, "push_cloud"), _empty(agent), runs=7)
    yield Row("agent, a run with little changed", "1,000 workers", f"{ours:.0f} ms", ratio, "≤ 1.4×")
    peak = _peak_kib(agent.command("push_cloud"))
    yield Row("  its peak memory", "1,000 workers", f"{peak / 1024:.0f} MiB", None, "≤ 70 MB")


def _catch_up(agent: Installation) -> Rows:
    _run(agent, "catchup")
    ours, _, ratio = in_turn_ms(lambda: _run(agent, "catchup"), _empty(agent), runs=7)
    yield Row("catch-up pass, nothing due", f"{JOBS} jobs", f"{ours:.0f} ms", ratio, "≤ 1.4×")


def _capture(agent: Installation) -> Rows:
    """On the factory of the other rows, and on what real ones have: MariaDB, behind plain tables and messy views."""
    settings = _settings_of(agent)
    yield from _captured(settings, "SQLite")
    with tempfile.TemporaryDirectory(prefix="attsync-") as folder, MariaDB(Path(folder)) as server:
        for schema in ("plain", "reference"):
            on_server = {**settings, "LEGACY_DATABASE_URL": server.create(schema)}
            agent.configure(on_server)
            _run(agent, "simulate_factory", "--people", PEOPLE, "--days", HISTORY, "--schema", schema)
            yield from _captured(on_server, f"MariaDB, {schema}")
    agent.configure(settings)


def _captured(settings: dict[str, str], database: str) -> Rows:
    """In a process of its own: the factory's settings are others than the cloud's."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.capture"],
        env={**settings, "PATH": os.environ["PATH"]},
        check=True,
        capture_output=True,
        text=True,
    )
    for line in done.stdout.splitlines():
        size, ours, ratio = line.split("\t")
        yield Row(f"capture of a day, {database}", size, f"{float(ours):.0f} ms", float(ratio), "≤ 2× the bare queries")


def _settings_of(agent: Installation) -> dict[str, str]:
    lines = (agent.folder / ".env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def _backfill(agent: Installation) -> Rows:
    single = median_ms(lambda: _run(agent, "push_cloud", "--force", "--no-edits"), runs=5)
    started = time.perf_counter()
    _run(agent, "push_cloud", f"--days={HISTORY}", "--force", "--no-edits")
    whole = (time.perf_counter() - started) * 1000
    faster = single * HISTORY / whole
    yield Row(
        f"backfill --days={HISTORY}", "1,000 workers", f"{whole:.0f} ms", faster, f"≥ 10× faster than {HISTORY} runs"
    )


def _listening(cloud: Cloud, agent: Installation) -> Rows:
    factory = agent.folder.parent / "factory.sqlite3"
    listener = subprocess.Popen(agent.command("push_cloud", "--listen", 50), stdout=subprocess.DEVNULL)
    time.sleep(4)
    phone, times = Phone(cloud.url), []
    for _ in range(9):
        cell = somebody_missing(phone.day())
        tapped = time.perf_counter()
        phone.tap(cell, "late")
        _wait_for_row(factory, cell.employee_no)
        times.append(time.perf_counter() - tapped)
    yield Row(
        "tap → row in the factory, listening", "1,000 workers", f"{statistics.median(times):.2f} s", None, "≤ 1.5 s"
    )
    listener.wait()
    used = _cpu_seconds(agent.command("push_cloud", "--listen", 50))
    yield Row("idle minute of the listener", "1,000 workers", f"{used:.2f} s CPU", None, "≤ 0.7 s")


def _wait_for_row(factory: Path, no: str) -> None:
    with sqlite3.connect(factory) as database:
        while not database.execute(
            "SELECT 1 FROM attsync_override WHERE emp_no = ? AND source = 'attsync'", [no]
        ).fetchone():
            time.sleep(0.01)


def _cpu_seconds(command: list[str]) -> float:
    """User and system time of a whole process."""
    return _usage(command)[0]


def _peak_kib(command: list[str]) -> int:
    return _usage(command)[1]


# Started by a process smaller than itself: the kernel's record of a peak begins with the parent's at the fork.
_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def _usage(command: list[str]) -> tuple[float, int]:
    done = subprocess.run([sys.executable, "-c", _MEASURED, *command], check=True, capture_output=True, text=True)
    seconds, kib = done.stdout.split()
    return float(seconds), int(kib)
