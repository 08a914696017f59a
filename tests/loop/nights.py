"""A factory machine in other nights: real commands, started as cron starts them, at any time of the clock."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.sides import KEY

BANGKOK = ZoneInfo("Asia/Bangkok")
NIGHTLY = 'name = "N"\ncron = "20 0 * * *"\ncommand = ["{script}", "{{date}}", "{{scheduled_for}}", "{{catchup}}"]\n'
# Notes the slot it was given, then does what a file beside it says, if there is one.
SCRIPT = """#!/bin/sh
echo "$1 $2 $3 $ATTSYNC_SCHEDULED_FOR $ATTSYNC_CATCHUP" >> "{folder}/runs"
if [ -e "{folder}/then" ]; then . "{folder}/then"; fi
"""


@dataclass
class Started:
    """A command under way."""

    process: subprocess.Popen[bytes]
    log: Path

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait(30)

    def said(self) -> tuple[int, str]:
        """Wait for it and return its exit code and words."""
        return self.process.wait(60), self.log.read_text()


@dataclass
class Machine:
    """``installation`` is a copy of the project that has no `.env`; what it would say is in ``settings``."""

    installation: Path
    folder: Path
    settings: dict[str, object] = field(default_factory=dict)
    started: int = 0

    def __post_init__(self) -> None:
        self.settings = {
            "DJANGO_SETTINGS_MODULE": "onprem.settings",
            "ATTSYNC_URL": "http://127.0.0.1:9/att-sync",
            "ATTSYNC_KEY": KEY,
            "ONPREM_STATE_DIR": self.folder / "state",
            "ONPREM_JOBS_FILE": self.folder / "jobs.toml",
            **self.settings,
        }
        script = self.folder / "job.sh"
        script.write_text(SCRIPT.format(folder=self.folder))
        script.chmod(0o755)
        self.schedule(NIGHTLY.format(script=script))

    def schedule(self, *jobs: str) -> None:
        Path(self.folder, "jobs.toml").write_text("".join(f"[[job]]\n{job}\n" for job in jobs))

    def then(self, shell: str) -> None:
        """From now on the job does this after noting its slot; an empty text ends it."""
        (self.folder / "then").write_text(shell.format(folder=self.folder))

    def run(self, at: str, *words: str, zone: ZoneInfo = BANGKOK) -> subprocess.CompletedProcess[str]:
        """Run ``manage.py`` to its end at this moment of November 2026; stdout and stderr come back together."""
        command = self.command(at, *words, zone=zone)
        done = subprocess.run(command, check=False, cwd="/", capture_output=True, text=True, timeout=60)
        done.stdout += done.stderr
        return done

    def start(self, at: str, *words: str) -> Started:
        """Start ``manage.py`` and leave it running. A file takes what it says: a pipe would wait for orphans."""
        self.started += 1
        log = self.folder / f"log-{self.started}"
        with log.open("w") as out:
            return Started(subprocess.Popen(self.command(at, *words), cwd="/", stdout=out, stderr=out), log)

    def command(self, at: str, *words: str, zone: ZoneInfo = BANGKOK) -> list[str]:
        moment = datetime.fromisoformat(at if at.count("-") == 2 else f"2026-11-{at}").replace(tzinfo=zone)
        # What `faketime` does, without its process in between: a test has to kill ours.
        clock = [f"LD_PRELOAD={_faketime()}", "TZ=UTC", f"FAKETIME=@{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"]
        environment = [*clock, *(f"{name}={value}" for name, value in self.settings.items())]
        manage = str(self.installation / "manage.py")
        return ["env", "-i", "PATH=/usr/bin:/bin", *environment, sys.executable, manage, *words]

    @property
    def runs(self) -> list[str]:
        """What the job has noted: business date, slot, replay; and the latter two again from its environment."""
        file = self.folder / "runs"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def days(self) -> list[str]:
        """The days of November of the slots that were run."""
        return [run.split()[1][8:10] for run in self.runs]

    def rows(self) -> list[tuple[str, str, int, int, int]]:
        """Day of November, state, attempts, interruptions, exhausted, oldest first."""
        columns = "scheduled_for, state, attempts, interruptions, exhausted"
        with closing(sqlite3.connect(self.database)) as db:
            found = db.execute(f"SELECT {columns} FROM occurrence WHERE job = 'N' ORDER BY scheduled_for").fetchall()
        return [(f"{datetime.fromisoformat(at).astimezone(BANGKOK):%d}", *rest) for at, *rest in found]

    def dump(self) -> list[str]:
        with closing(sqlite3.connect(self.database)) as db:
            return list(db.iterdump())

    @property
    def database(self) -> Path:
        return self.folder / "state" / "state.sqlite3"


def _faketime() -> Path:
    found = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    assert found, "no faketime here: apt-get install faketime"
    return found


def slot_lines(said: str, job: str = "N") -> list[str]:
    """The slots that the output names as run or to be run."""
    words = [line.split() for line in said.splitlines() if line.startswith(f"{job} ")]
    return [found[1] for found in words]
