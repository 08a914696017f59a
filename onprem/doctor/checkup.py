"""All checks in the order in which one would ask: is it set up, does it reach anybody, does it make sense?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time

from django.conf import settings

from mirror import counting
from onprem import utc
from onprem.doctor import catchingup, database, people, recent, surroundings, writing
from onprem.doctor.finding import BAD, Finding, bad
from onprem.ports import FactoryTrouble


def findings(day: date, *, now: datetime, day_starts: time) -> Iterator[Finding]:
    """Each check by itself: one that cannot be made does not keep the others from being made."""
    line, said = surroundings.settings_said()
    yield said
    yield from surroundings.state_directory()
    yield from surroundings.lock()
    yield from surroundings.cron()
    yield from catchingup.look_at_jobs(utc.now())
    yield from surroundings.last_success(counting.business_date(now, day_starts))
    if line is not None:
        yield from surroundings.cloud(line)
    if settings.LEGACY_DATABASE_URL:
        yield from factory(day, now=now, day_starts=day_starts)


def factory(day: date, *, now: datetime, day_starts: time) -> Iterator[Finding]:
    there = list(database.reachable(now))
    yield from there
    if any(finding.word == "database_bad" for finding in there):
        return
    whole = list(database.complete())
    yield from whole
    yield from writing.writable()
    yield from database.grants()
    if any(finding.mark == BAD for finding in whole):
        return
    try:
        yield from people.look_at_people()
        yield from recent.look_at_days(day, now=now, day_starts=day_starts)
    except FactoryTrouble as exc:
        yield bad("database_bad", words=exc)
