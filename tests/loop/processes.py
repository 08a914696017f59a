"""The two sides as they run at a site: whole processes, each from a folder of its own with a `.env` of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import requests

ROOT = Path(__file__).resolve().parent.parent.parent
# Not part of a release, or somebody's own.
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".env", "var", "__pycache__", ".*_cache", "tests", "bench")
START_SECONDS = 30
STOP_SECONDS = 10
GRANIAN = ("--interface", "wsgi", "--blocking-threads", "16", "--workers-kill-timeout", "5")


class Installation:
    """A copy of the project with its `.env`. Its commands start as from cron: no environment, another directory."""

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self.folder = Path(shutil.copytree(ROOT, folder, ignore=NOT_COPIED))
        self.configure(settings)

    def configure(self, settings: Mapping[str, object]) -> None:
        (self.folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    def manage(self, *words: object, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """Run ``manage.py`` to its end, whatever its exit code; stdout and stderr come back together."""
        return subprocess.run(
            self.command(*words),
            check=False,
            cwd="/",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )

    def start(self, *words: object, log: Path) -> subprocess.Popen[bytes]:
        """Start ``manage.py`` and leave it running; the test ends it, or it dies with the tests."""
        with log.open("ab") as out:
            return subprocess.Popen(self.command(*words), cwd="/", stdout=out, stderr=subprocess.STDOUT)

    def command(self, *words: object) -> list[str]:
        return [*_bare(), sys.executable, str(self.folder / "manage.py"), *map(str, words)]


class Cloud:
    """The real web server on a port of its own. It may be stopped, killed and started again."""

    def __init__(self, installation: Installation) -> None:
        self.installation = installation
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/att-sync"
        self.log = installation.folder / "granian.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        migrated = self.installation.manage("migrate", "--noinput")
        assert migrated.returncode == 0, migrated.stdout
        server = [sys.executable, "-m", "granian", *GRANIAN, "--port", str(self.port), "attsync_site.wsgi:application"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*_bare(), *server], cwd=self.installation.folder, stdout=log, stderr=log, start_new_session=True
            )
        self._wait_until_it_answers()

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                requests.get(f"{self.url}/health", timeout=5)
            except requests.ConnectionError as exc:
                if time.monotonic() > deadline or self._process is None or self._process.poll() is not None:
                    raise RuntimeError(f"the cloud did not start:\n{self.log.read_text()[-2000:]}") from exc
                time.sleep(0.05)
            else:
                return

    def _end(self, how: signal.Signals) -> None:
        """The server's workers are processes too: the whole group goes."""
        if self._process is None:
            return
        os.killpg(self._process.pid, how)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = None


def _bare() -> list[str]:
    """What cron gives a job, and an end together with the tests, even if those are killed."""
    return ["setpriv", "--pdeathsig", "TERM", "--", "env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
