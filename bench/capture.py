"""Capture of one day against the bare queries for it: run by `bench.agent` with the factory's settings."""

from __future__ import annotations

import os
import sqlite3
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "onprem.settings")
django.setup()

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
    database = sqlite3.connect(os.environ["LEGACY_DATABASE_URL"].removeprefix("sqlite:///"))
    scans = database.execute("SELECT count(*) FROM attsync_scan").fetchone()[0]
    now = local_now()
    day = (now - timedelta(days=3)).date()
    factory = LegacyFactory()

    def capture() -> object:
        return list(factory.snapshots([day], now=now))

    def bare() -> object:
        bounds = [day.isoformat(), (day + timedelta(days=1)).isoformat()]
        return [database.execute(query, bounds[: query.count("?")]).fetchall() for query in QUERIES]

    people = len(factory.snapshots([day], now=now).__next__().workers)
    ours, _, ratio = in_turn_ms(capture, bare, runs=15)
    print(f"{people} workers, {scans} scans\t{ours}\t{ratio}")


if __name__ == "__main__":
    main()
