from __future__ import annotations

import pytest

from tests.onprem.site import add_mark, add_people, add_periods, add_scans, captured, worker

pytestmark = pytest.mark.usefixtures("relations")


def test_a_day_is_read_and_counted() -> None:
    add_periods()
    add_people("0012", "0013", "0014")
    add_scans("0012", "2026-07-28 06:55:00", "2026-07-28 12:40:00", "2026-07-28 17:05:00")
    add_scans("0013", "2026-07-28 08:01:00")
    add_mark("0013", 3, "late")

    day = captured()

    assert worker(day, "0012").p == {1: "06:55", 2: None, 3: "12:40", 4: "17:05"}
    assert worker(day, "0013").p == {1: None, 2: "08:01", 3: "late", 4: None}
    assert (day.active_total, day.stat.full, day.stat.partial, day.stat.absent) == (3, 1, 1, 1)
