"""A small factory to start from: four periods, a handful of people, and short words for the rows a test adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import load_backend

from mirror.wire import Snapshot, Worker
from onprem.factory import LegacyFactory
from onprem.settings import _legacy

DAY = date(2026, 7, 28)
EVENING = datetime.fromisoformat("2026-07-28T20:00")

Value = str | int | None

PERIODS: Sequence[Sequence[Value]] = (
    (1, "เช้า 1", "05:30:00", "07:30:00", None, 1, None, None),
    (2, "เช้า 2", "07:30:00", "09:00:00", "08:00:00", 1, None, None),
    (3, "บ่าย", "12:00:00", "13:30:00", "13:00:00", 2, None, None),
    (4, "เย็น", "16:30:00", "19:00:00", None, 3, None, None),
)


def add(relation: str, *rows: Sequence[Value]) -> None:
    """Insert full rows, in the order of the relation's columns."""
    with connections["legacy"].cursor() as cursor:
        for row in rows:
            cursor.execute(f"INSERT INTO attsync_{relation} VALUES ({', '.join(['%s'] * len(row))})", row)


def add_periods() -> None:
    add("period", *PERIODS)


def add_people(*numbers: str) -> None:
    """Each with his own number at the terminals."""
    add("employee", *((no, no, f"คน {no}", "ผลิต", 1, None, None, None) for no in numbers))


def add_scans(device_no: str | None, *moments: str | None) -> None:
    (first,) = ask("SELECT COALESCE(MAX(scan_id), 0) + 1 FROM attsync_scan")[0]
    add("scan", *((first + i, device_no, at, "T1") for i, at in enumerate(moments)))


def add_mark(no: str, period: int | str, status: str, *, day: str = "2026-07-28") -> None:
    add("override", (day, period, no, status, "web", "2026-07-28 09:00:00"))


def ask(sql: str) -> list[tuple[Any, ...]]:
    with connections["legacy"].cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def run(*statements: str) -> None:
    with connections["legacy"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def captured(day: date = DAY, now: datetime = EVENING) -> Snapshot:
    (snapshot,) = LegacyFactory().snapshots([day], now=now)
    return snapshot


def worker(snapshot: Snapshot, no: str) -> Worker:
    (found,) = [one for one in snapshot.workers if one.no == no]
    return found


def notice(snapshot: Snapshot, kind: str) -> tuple[int, list[str]]:
    """How many and which; nothing of the kind is (0, [])."""
    return next(((one.n, one.sample) for one in snapshot.notices if one.kind == kind), (0, []))


@contextmanager
def pointed_at(url: str) -> Iterator[BaseDatabaseWrapper]:
    """For a while the factory's database is the one at this URL."""
    before = connections["legacy"]
    configured = connections.configure_settings({"default": {}, "legacy": _legacy(url)})["legacy"]
    connections["legacy"] = load_backend(configured["ENGINE"]).DatabaseWrapper(configured, "legacy")
    try:
        yield connections["legacy"]
    finally:
        connections["legacy"].close()
        connections["legacy"] = before
