"""Capture of one day against the bare queries for it: run by `bench.agent` with the factory's settings."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "onprem.settings")
django.setup()

from django.db import connections  # noqa: E402

from bench.table import in_turn_ms  # noqa: E402
from onprem.clocks import local_now  # noqa: E402
from onprem.factory import LegacyFactory  # noqa: E402

QUERIES = (
    "SELECT emp_no, device_no, full_name, grp, active, hire_date, end_date, shift_code FROM attsync_employee",
    "SELECT code, label, start_time, end_time, late_after, grp, shift_code, day_offset FROM attsync_period",
    "SELECT device_no, scanned_at FROM attsync_scan WHERE scanned_at >= ? AND scanned_at < ?",
    "SELECT work_date, period, emp_no, status, updated_at FROM attsync_override WHERE work_date >= ? AND work_date < ?",
    "SELECT device, pulled_through FROM attsync_pull",
    "SELECT date_from, date_to, emp_no, part, label FROM attsync_dayoff WHERE date_from < ? AND date_to >= ?",
)


def main() -> None:
    now = local_now()
    day = (now - timedelta(days=3)).date()
    bare, ask = _bare(day)
    (scans,) = ask("SELECT count(*) FROM attsync_scan", [])[0]
    standing = LegacyFactory()
    people = len(next(standing.snapshots([day], now=now)).workers)
    captures = {
        f"{people:,} people, {scans:,} scans": lambda: list(LegacyFactory().snapshots([day], now=now)),
        "  again in one process": lambda: list(standing.snapshots([day], now=now)),
    }
    for size, capture in captures.items():
        ours, _, ratio = in_turn_ms(capture, bare, runs=25)
        print(f"{size}\t{ours}\t{ratio}")


def _bare(day: date) -> tuple[Callable[[], object], Callable[[str, list[str]], Any]]:
    """The queries over the driver alone, and a way to ask it something else."""
    bounds = [day.isoformat(), (day + timedelta(days=1)).isoformat()]
    ask = _driver()
    return lambda: [ask(query, bounds[: query.count("?")]) for query in QUERIES], ask


def _driver() -> Callable[[str, list[str]], Any]:
    if connections["legacy"].vendor == "sqlite":
        database = sqlite3.connect(connections["legacy"].settings_dict["NAME"])
        return lambda query, bounds: database.execute(query, bounds).fetchall()
    cursor = connections["legacy"].get_new_connection(connections["legacy"].get_connection_params()).cursor()

    def ask(query: str, bounds: list[str]) -> Any:
        cursor.execute(query.replace("?", "%s"), bounds)
        return cursor.fetchall()

    return ask


if __name__ == "__main__":
    main()
