"""What a call of the agent tells about itself, kept in the link's row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.db.models import Q

from mirror.models import DaySnapshot, FactoryLink
from mirror.services import lock_link
from mirror.transactions import one_transaction
from mirror.wire import parse_day

_UNIX = re.compile(r"[0-9]{1,11}")


@dataclass(frozen=True)
class Heartbeat:
    """One call. ``day`` with ``captured``: at that factory time the day still equalled what the cloud has."""

    version: str | None = None
    boot: str | None = None
    clock: datetime | None = None
    error: str = ""
    jobs: str | None = None
    day: date | None = None
    captured: datetime | None = None

    @property
    def is_anonymous(self) -> bool:
        """A call without any of these (a dry run, an old agent) leaves no trace beyond "last seen"."""
        return self.version is None and self.boot is None and self.clock is None


def read(said: Mapping[str, str]) -> Heartbeat:
    """Read the optional parameters. One that makes no sense is left out: it must not cost the agent its edits."""
    return Heartbeat(
        version=_word(said.get("v"), 40),
        boot=_word(said.get("boot"), 64),
        clock=_moment(said.get("clock")),
        error=_word(said.get("error"), 64) or "",
        jobs=_word(said.get("jobs"), 64),
        day=parse_day(said.get("day")),
        captured=_moment(said.get("captured")),
    )


@one_transaction
def hear(beat: Heartbeat, *, now: datetime) -> int:
    """Record a call. Return the highest generation stored or acked so far (0 before the first)."""
    link = lock_link()
    link.last_seen = now
    if not beat.is_anonymous:
        _take_over(link, beat, now)
    link.save()
    if beat.day and beat.captured and beat.clock:
        _confirm(beat.day, beat.captured + (now - beat.clock), now)
    return link.gen


def _take_over(link: FactoryLink, beat: Heartbeat, now: datetime) -> None:
    link.agent_version = beat.version or link.agent_version
    link.error = beat.error
    link.jobs = beat.jobs if beat.jobs is not None else link.jobs
    if beat.clock:
        link.clock_ahead_s = round((beat.clock - now).total_seconds())
    if beat.boot:
        _notice_a_second_agent(link, beat.boot, now)


def _notice_a_second_agent(link: FactoryLink, boot: str, now: datetime) -> None:
    """Two installations that take turns are two agents; one that replaced another never comes back.

    What stands before the first dot of a run id names the installation, the rest the run.
    """
    ours, before, told = (text.partition(".")[0] for text in (link.boot, link.other_boot, boot))
    if told == before and told != ours:
        link.other_boot_at = now
    if told != ours:
        link.other_boot = link.boot
    link.boot = boot


def _confirm(day: date, at: datetime, now: datetime) -> None:
    """Move the data time on, never back and never past now."""
    at = min(at, now)
    older = Q(captured_at__lt=at) | Q(captured_at=None, stored_at__lt=at)
    DaySnapshot.objects.filter(older, day=day).update(captured_at=at)


def _word(value: str | None, length: int) -> str | None:
    return value.replace("\0", "")[:length] if value is not None else None


def _moment(value: str | None) -> datetime | None:
    if value is None or not _UNIX.fullmatch(value):
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(value))
