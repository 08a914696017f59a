"""What a call of the agent tells about itself, kept in the link's row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from django.db.models import Q

from mirror.models import DaySnapshot, FactoryLink
from mirror.services import lock_link
from mirror.transactions import one_transaction
from mirror.wire import parse_day

# Enough to know a copy of an old call, and an agent that comes back, by its run.
RUNS_KEPT = 16

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
    is_news = not beat.is_anonymous and _is_news(link, beat)
    if is_news:
        _take_over(link, beat, now)
    link.save()
    if is_news and beat.day and beat.captured and beat.clock:
        _confirm(beat.day, beat.captured + (now - beat.clock), now)
    return link.gen


def highest_gen() -> int:
    """Return the highest generation stored or acked so far."""
    return FactoryLink.objects.values_list("gen", flat=True).first() or 0


def _is_news(link: FactoryLink, beat: Heartbeat) -> bool:
    """Tell whether this is later than all we know of the run: a copy of an old call must not look like a fresh one."""
    known = [clock for boot, clock in link.runs if boot == beat.boot]
    return not known or beat.clock is None or known[0] is None or beat.clock.timestamp() > known[0]


def _take_over(link: FactoryLink, beat: Heartbeat, now: datetime) -> None:
    link.agent_version = beat.version or link.agent_version
    link.error = beat.error
    link.jobs = beat.jobs if beat.jobs is not None else link.jobs
    if beat.clock:
        link.clock_ahead_s = round((beat.clock - now).total_seconds())
    if beat.boot:
        clock = int(beat.clock.timestamp()) if beat.clock else None
        others = [run for run in link.runs if run[0] != beat.boot][-RUNS_KEPT + 1 :]
        if _takes_turns(_installation(beat.boot), [_installation(boot) for boot, _ in link.runs]):
            link.second_agent_at = now
        link.runs = [*others, [beat.boot, clock]]


def _takes_turns(told: str, before: Sequence[str]) -> bool:
    """Two installations that take turns are two agents; one that replaced another never comes back."""
    return bool(before) and before[-1] != told and told in before


def _installation(boot: str) -> str:
    """What stands before the first dot of a run id names the installation, the rest the run."""
    return boot.partition(".")[0]


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
