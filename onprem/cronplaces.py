"""The two places for our lines: root's crontab, reached through its own program, and a file under /etc/cron.d."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

CRON_D = Path("/etc/cron.d/attsync")
_SECONDS = 20
_HEADER = ("SHELL=/bin/sh", "PATH=/usr/local/bin:/usr/bin:/bin")


class CronTrouble(Exception):
    """The crontab cannot be read or written. The text says why."""


def read_crontab() -> str:
    """Return root's crontab, empty if there is none. Whatever bytes are in it come back by `write_crontab`."""
    done = _as_root(["crontab", "-l"])
    if done.returncode == 0:
        return _text(done.stdout)
    if b"no crontab for" in done.stderr:
        return ""
    raise CronTrouble(f"crontab -l: {_words(done)}")


def write_crontab(text: str) -> None:
    done = _as_root(["crontab", "-"], given=text.encode("utf-8", "surrogateescape"))
    if done.returncode != 0:
        raise CronTrouble(f"crontab -: {_words(done)}")


def read_cron_d() -> str | None:
    """Return the file's text, None if there is no file."""
    try:
        return _text(CRON_D.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise CronTrouble(str(exc)) from exc


def write_cron_d(lines: Sequence[str]) -> None:
    """Put a whole file in place at once; cron passes over names with a dot, so it never reads half of one."""
    new = CRON_D.with_name(".attsync.new")
    with tempfile.NamedTemporaryFile(suffix=".attsync") as file:
        file.write("\n".join([*_HEADER, *lines, ""]).encode("utf-8", "surrogateescape"))
        file.flush()
        _demand(["install", "-o", "root", "-g", "root", "-m", "0644", file.name, str(new)])
    _demand(["mv", "-f", str(new), str(CRON_D)])


def remove_cron_d() -> bool:
    """Return whether there was a file to remove."""
    if not CRON_D.exists():
        return False
    _demand(["rm", "-f", str(CRON_D)])
    return True


def make_folder(folder: Path) -> None:
    """Without the folder of its log a line of cron does nothing at all, and tells nobody."""
    if not folder.is_dir():
        _demand(["mkdir", "-p", str(folder)])


def cron_d_trouble() -> str:
    """Tell why cron would not take the file, or nothing."""
    stat = CRON_D.stat()
    if stat.st_uid != 0:
        return "cron ignores it: its owner is not root"
    if stat.st_mode & 0o022:
        return "cron ignores it: others than root may write it"
    if not CRON_D.read_bytes().endswith(b"\n"):
        return "cron ignores its last line: no newline at the end"
    return ""


def _demand(command: list[str]) -> None:
    done = _as_root(command)
    if done.returncode != 0:
        raise CronTrouble(f"{command[0]}: {_words(done)}")


def _as_root(command: list[str], *, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    if os.geteuid() != 0:
        command = ["sudo", "-n", *command]
    try:
        return subprocess.run(
            command,
            check=False,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError as exc:
        raise CronTrouble(f"there is no program {command[0]} here") from exc
    except subprocess.TimeoutExpired as exc:
        raise CronTrouble(f"{' '.join(command)} does not come to an end") from exc


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _words(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
