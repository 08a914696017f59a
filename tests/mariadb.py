"""A throwaway MariaDB server: own folder, socket only, gone with the process that started it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import MySQLdb

# Debian keeps the server outside the PATH of ordinary users.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
START_SECONDS = 60


class MariaDB:
    """``with MariaDB(folder) as server: server.url("name")``. It may be killed and started again in between.

    The folder must be short (a socket's path has room for about 100 characters) and is left to its owner to remove.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Return once the server answers. What was in the folder before is still there."""
        data = self.folder / "data"
        if not data.exists():
            install = [_found("mariadb-install-db"), "--no-defaults", "--auth-root-authentication-method=normal"]
            subprocess.run(
                [*install, "--skip-test-db", f"--datadir={data}", *_as_root()], check=True, stdout=subprocess.DEVNULL
            )
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*_dies_with_us(), _found("mariadbd"), *self._options()], stdout=log, stderr=log, process_group=0
            )
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Shut down as an administrator would: open transactions are lost, committed ones are not."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Pull the plug."""
        self._end(signal.SIGKILL)

    def url(self, database: str) -> str:
        """The form that DATABASE_URL and LEGACY_DATABASE_URL take."""
        return f"mysql://root@localhost/{database}?unix_socket={self.socket}"

    def create(self, database: str, *, charset: str = "utf8mb4") -> str:
        """Make an empty database, instead of what had the name before, and return its URL."""
        self.execute(f"DROP DATABASE IF EXISTS `{database}`")
        self.execute(f"CREATE DATABASE `{database}` CHARACTER SET {charset}")
        return self.url(database)

    def execute(self, sql: str, *parameters: object, database: str = "") -> list[tuple[Any, ...]]:
        """Run one statement on a connection of its own, committed; return its rows."""
        connection = MySQLdb.connect(unix_socket=str(self.socket), user="root", database=database, charset="utf8mb4")
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql, parameters or None)
                rows = list(cursor.fetchall())
            connection.commit()
        finally:
            connection.close()
        return rows

    def _options(self) -> list[str]:
        return [
            "--no-defaults",
            *_as_root(),
            f"--datadir={self.folder / 'data'}",
            f"--socket={self.socket}",
            f"--pid-file={self.folder / 'pid'}",
            f"--tmpdir={self.folder}",
            "--skip-networking",
            "--skip-log-bin",
            # As Debian ships it. A site's own server may differ: such tests name the charset themselves.
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_general_ci",
            "--max-allowed-packet=16M",
            # Speed: what is committed survives `kill`, it need not survive a power cut.
            "--innodb-flush-log-at-trx-commit=2",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=32M",
            "--performance-schema=OFF",
        ]

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except MySQLdb.OperationalError as exc:
                if time.monotonic() > deadline or self._process is None or self._process.poll() is not None:
                    log = (self.folder / "log").read_text(errors="replace")
                    raise RuntimeError(f"the MariaDB server did not start:\n{log[-2000:]}") from exc
                time.sleep(0.05)
            else:
                return

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


def _found(program: str) -> str:
    path = shutil.which(program, path=SEARCH_PATH)
    if path is None:
        raise RuntimeError(f"{program} is missing: apt-get install mariadb-server")
    return path


def _as_root() -> list[str]:
    """The server refuses to run as root unless told so."""
    return ["--user=root"] if os.geteuid() == 0 else []


def _dies_with_us() -> list[str]:
    """Even after `kill -9` of the tests no server stays behind."""
    return [_found("setpriv"), "--pdeathsig", "KILL", "--"]
