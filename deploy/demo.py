#!/usr/bin/env python3
"""`make demo`: a simulated factory, the agent and the cloud on this machine, until Ctrl-C.

Everything it makes lies under `var/demo`. Each start begins a new day at a new factory; the key, the password and the
sign-ins stay. A real server in place of SQLite: DATABASE_URL for the cloud, LEGACY_DATABASE_URL for the factory.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VAR = ROOT / "var" / "demo"
SECRETS = VAR / "secrets.json"
PYTHON = sys.executable
START_SECONDS = 30
STOP_SECONDS = 8
LISTEN_SECONDS = 50
PAUSE_SECONDS = 5
HISTORY_DAYS = 7
# Even if the demo is killed, nothing of it goes on.
DIES_WITH_US = ("setpriv", "--pdeathsig", "TERM", "--")


class DemoFailed(Exception):
    """The text says what to do about it."""


class Part:
    """One of the three programs: its lines come out under its name, and it ends with the demo."""

    def __init__(self, name: str, command: list[str], env: Mapping[str, str]) -> None:
        self.name = name
        self._started = time.monotonic()
        # A session of its own: Ctrl-C reaches the demo alone, which then ends the parts in order.
        self._process = subprocess.Popen(
            [*DIES_WITH_US, *command],
            cwd=ROOT,
            env=env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=self._tell, daemon=True).start()

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def is_new(self) -> bool:
        return time.monotonic() - self._started < PAUSE_SECONDS

    def end(self) -> None:
        """Ask, wait a little, insist; its children too."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)

    def _tell(self) -> None:
        for line in self._process.stdout or ():
            say(f"{self.name:>7} | {line.rstrip().removeprefix(f'{self.name}: ')}")


def main() -> int:
    host, port = os.environ.get("HOST") or "127.0.0.1", int(os.environ.get("PORT") or 8000)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    parts: list[Part] = []
    try:
        refuse_a_taken_port(host, port)
        show(host, port, parts)
    except KeyboardInterrupt:
        say("\nstopping …")
    except DemoFailed as exc:
        say(f"\nThe demo ends: {exc}")
        return 1
    finally:
        for part in reversed(parts):
            part.end()
    return 0


def show(host: str, port: int, parts: list[Part]) -> None:
    """Run until somebody stops it. Whatever was started is in ``parts``, also when this raises."""
    start_afresh()
    known = remembered_secrets()
    cloud, factory = cloud_settings(known, host), factory_settings(known, port)
    run("migrate", "--noinput", env=cloud)
    run("collectstatic", "--noinput", "--verbosity=0", env=cloud)
    run("simulate_factory", "--reset", "--around-now", f"--days={HISTORY_DAYS}", env=factory)

    server = ["-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port), "--blocking-threads", "16"]
    server += ["--workers-kill-timeout", "5", "attsync_site.wsgi:application"]
    parts.append(Part("cloud", [PYTHON, *server], cloud))
    wait_for_the_cloud(parts[0], host, port)
    run("push_cloud", f"--days={HISTORY_DAYS}", env=factory)
    parts.append(Part("factory", [PYTHON, "manage.py", "simulate_factory", "--live"], factory))
    agent = [PYTHON, "manage.py", "push_cloud", f"--listen={LISTEN_SECONDS}"]
    parts.append(Part("agent", agent, factory))
    say(welcome(host, port, known["password"]))
    while not any(part.ended for part in parts[:2]):
        time.sleep(0.5)
        if parts[2].ended and not parts[2].is_new:
            # The crontab would start it at the next minute.
            parts[2] = Part("agent", agent, factory)
    raise DemoFailed(f"the {next(part.name for part in parts if part.ended)} has stopped, see its lines above")


def refuse_a_taken_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as exc:
            advice = f"another one goes like this: make demo PORT={port + 1}"
            raise DemoFailed(f"cannot listen on {host} port {port} ({exc.strerror}); {advice}") from exc


def start_afresh() -> None:
    VAR.mkdir(parents=True, exist_ok=True)
    for left in VAR.iterdir():
        if left.is_dir():
            shutil.rmtree(left)
        elif left != SECRETS:
            left.unlink()


def remembered_secrets() -> dict[str, str]:
    """Made once, so that a browser that signed in stays signed in."""
    if not SECRETS.exists():
        made = {
            "secret_key": secrets.token_urlsafe(50),
            "key": secrets.token_urlsafe(32),
            "password": secrets.token_hex(5),
        }
        SECRETS.touch(mode=0o600)
        SECRETS.write_text(json.dumps(made))
    return dict(json.loads(SECRETS.read_text()))


def cloud_settings(known: Mapping[str, str], host: str) -> dict[str, str]:
    """Everything that decides how the cloud behaves, so that a `.env` in the project does not."""
    return {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "attsync_site.settings",
        "SECRET_KEY": known["secret_key"],
        "DEBUG": "False",
        "HTTPS_ONLY": "False",
        "BEHIND_TLS_PROXY": "False",
        "ALLOWED_HOSTS": ",".join(["localhost", "127.0.0.1", "[::1]", host, *own_addresses(host)]),
        "CSRF_TRUSTED_ORIGINS": "",
        "CACHE_URL": "",
        "DATABASE_URL": os.environ.get("DATABASE_URL") or f"sqlite:///{VAR / 'cloud.sqlite3'}",
        "ATTSYNC_KEY": known["key"],
        "ATTSYNC_PASSWORD": known["password"],
        "ATTSYNC_PASSWORD_HASH": "",
        "ATTSYNC_TRUSTED_PROXIES": "",
    }


def factory_settings(known: Mapping[str, str], port: int) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "DJANGO_SETTINGS_MODULE": "onprem.settings",
        "LEGACY_DATABASE_URL": os.environ.get("LEGACY_DATABASE_URL") or f"sqlite:///{VAR / 'factory.sqlite3'}",
        "ATTSYNC_URL": f"http://127.0.0.1:{port}/att-sync",
        "ATTSYNC_KEY": known["key"],
        "ATTSYNC_PROXY": "",
        "ONPREM_STATE_DIR": str(VAR / "agent"),
        "ONPREM_LOG_DIR": str(VAR / "log"),
        "ONPREM_JOBS_FILE": "",
    }


def own_addresses(host: str) -> list[str]:
    """Under which others reach a server that listens on all interfaces."""
    if host not in ("0.0.0.0", "::"):  # noqa: S104 - asked for by HOST=
        return []
    listed = subprocess.run(["hostname", "-I"], check=False, capture_output=True, text=True).stdout.split()  # noqa: S607
    return [*(address for address in listed if ":" not in address), socket.gethostname()]


def run(*words: str, env: Mapping[str, str]) -> None:
    """One of manage.py's commands, to its end; its words are shown only if it fails."""
    done = subprocess.run([PYTHON, "manage.py", *words], check=False, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode:
        raise DemoFailed(f"`manage.py {words[0]}` failed:\n{done.stdout}{done.stderr}")


def wait_for_the_cloud(cloud: Part, host: str, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not cloud.ended and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://{reached_at(host)}:{port}/att-sync/health", timeout=2).close()
            return
        time.sleep(0.1)
    raise DemoFailed("the cloud did not start, see its lines above")


def reached_at(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 - asked for by HOST=


def welcome(host: str, port: int, password: str) -> str:
    hosts = [reached_at(host), *own_addresses(host)[:-1]]
    addresses = "\n".join(f"    http://{name}:{port}/att-sync/" for name in hosts)
    return f"""
  The page:
{addresses}
  The password:
    {password}

  Tap มา or สาย on somebody: the factory's override row appears below. Ctrl-C ends everything.
"""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
