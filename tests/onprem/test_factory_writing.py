from __future__ import annotations

import pytest

from onprem.factory import LegacyFactory
from onprem.ports import Cell
from tests.onprem.site import DAY, EVENING, add_mark, add_people, add_periods, add_scans, ask

pytestmark = pytest.mark.usefixtures("relations")

CELL = Cell(DAY, 2, "0012")


@pytest.fixture
def factory() -> LegacyFactory:
    add_periods()
    add_people("0012", "0013")
    return LegacyFactory(clock=lambda: EVENING)


def marks() -> list[tuple[object, ...]]:
    return ask("SELECT period, emp_no, status, source FROM attsync_override ORDER BY period, emp_no")


def test_a_mark_is_set_and_read_back(factory: LegacyFactory) -> None:
    assert factory.set_mark(CELL, "late") == "applied"
    assert factory.look(CELL) == "late"
    assert marks() == [(2, "0012", "late", "attsync")]


def test_setting_it_again_or_otherwise_keeps_one_row(factory: LegacyFactory) -> None:
    for status in ("late", "late", "present"):
        factory.set_mark(CELL, status)

    assert marks() == [(2, "0012", "present", "attsync")]


def test_a_cancel_deletes_this_row_only(factory: LegacyFactory) -> None:
    add_mark("0012", 2, "late")
    add_mark("0012", 3, "late")
    add_mark("0013", 2, "late")

    factory.set_mark(CELL, "absent")

    assert marks() == [(2, "0013", "late", "web"), (3, "0012", "late", "web")]


def test_a_real_scan_was_there_first(factory: LegacyFactory) -> None:
    add_scans("0012", "2026-07-28 08:30:00")

    assert factory.set_mark(CELL, "present") == "superseded"
    assert marks() == []
