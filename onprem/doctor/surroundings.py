"""Settings, state directory, lock, the cloud, and when it last went well."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

from django.conf import settings

from onprem import croncheck, days
from onprem.cloud import HttpCloud
from onprem.cronplaces import CronTrouble
from onprem.doctor.finding import Finding, bad, good, odd
from onprem.doctor.spans import is_off, span
from onprem.line import BadSettings, Line
from onprem.locks import AlreadyRunning, LockUnusable, only_one
from onprem.ports import CloudTrouble, ContentRefused
from onprem.session import LISTEN, WORK, checked_line
from onprem.state import State, StateUnwritable

LITTLE_SPACE_MIB = 50
MISSING = "is missing"


def settings_said() -> tuple[Line | None, Finding]:
    try:
        line = checked_line()
    except BadSettings as exc:
        return None, bad("settings_bad", words=exc)
    return line, good("settings_good", url=line.base)


def state_directory() -> Iterator[Finding]:
    path: Path = settings.ONPREM_STATE_DIR
    try:
        yield from _state_directory(path)
    except OSError as exc:
        yield bad("state_bad", path=path, words=exc.strerror or exc)


def _state_directory(path: Path) -> Iterator[Finding]:
    if not path.exists():
        above = next(parent for parent in path.parents if parent.exists())
        can_be_made = above.is_dir() and os.access(above, os.W_OK | os.X_OK)
        yield odd("state_none", path=path) if can_be_made else bad("state_bad", path=path, words=above)
        return
    refused = [str(each) for each in (path, *path.iterdir()) if not os.access(each, os.R_OK | os.W_OK)]
    if refused:
        yield bad("state_bad", path=path, words=", ".join(refused))
        return
    yield good("state_good", path=path)
    free = shutil.disk_usage(path).free // 2**20
    if free < LITTLE_SPACE_MIB:
        yield bad("disk_full", path=path, mib=free)


def lock() -> Iterator[Finding]:
    held = [name for name in (WORK, LISTEN) if _is_held(settings.ONPREM_STATE_DIR / f"{name}.lock")]
    yield good("lock_busy" if held else "lock_free")


def last_success(today: date) -> Iterator[Finding]:
    try:
        with closing(State.peek(settings.ONPREM_STATE_DIR)) as state:
            said, owed = state.get("last_success"), days.owed(state)
    except StateUnwritable as exc:
        yield bad("state_bad", path=settings.ONPREM_STATE_DIR, words=exc.__cause__)
        return
    if said is None:
        yield odd("success_never")
    elif owed or date.fromisoformat(said) < today - timedelta(days=1):
        yield odd("success_old", day=said, owed=len(owed))
    else:
        yield good("success_good", day=said)


def cron() -> Iterator[Finding]:
    """Our lines, and whether the system that rewrites the crontab would leave them alone."""
    try:
        found = croncheck.look()
    except CronTrouble as exc:
        yield odd("cron_unknown", words=exc)
        return
    # With systemd's timer in their place, none of them has to be there.
    gone = [finding for finding in found if finding.trouble == MISSING and not croncheck.TIMER.exists()]
    doomed = [finding for finding in found if finding.trouble not in ("", MISSING)]
    for finding in doomed:
        if finding.is_of_a_job:
            yield bad("job_managed", job=finding.line, words=finding.trouble)
        else:
            what = "cron_by_hand" if finding.is_by_hand else "cron_doomed"
            yield bad(what, line=finding.line, words=finding.trouble)
    if gone:
        yield odd("cron_missing", lines="; ".join(finding.line for finding in gone))
    if not gone and not doomed:
        yield good("cron_good", count=len(found))


def cloud(line: Line) -> Iterator[Finding]:
    """One call of `pending` that says nothing about us: it leaves no trace but that we were heard."""
    asked_at = time.time()
    with closing(HttpCloud(line)) as far:
        try:
            offer = far.pending({}, limit=1)
        except (CloudTrouble, ContentRefused) as exc:
            yield bad("key_refused" if ": 401" in str(exc) else "cloud_bad", words=exc)
            return
    yield good("cloud_good")
    if offer.now is None:
        return
    apart = timedelta(seconds=(asked_at + time.time()) / 2 - offer.now)
    if is_off(apart):
        yield bad("clock_off", words=span(apart))
    else:
        yield good("clock_good", seconds=round(apart.total_seconds()))


def _is_held(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        with only_one(path):
            return False
    except AlreadyRunning:
        return True
    except LockUnusable:
        return False
