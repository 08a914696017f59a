"""What stands in the date and time columns of real sites: nothing of it stops a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper

from onprem.factory import LegacyFactory
from onprem.ports import Cell
from tests.mariadb import MariaDB
from tests.onprem.relations import RELATIONS
from tests.onprem.site import (
    DAY,
    EVENING,
    add,
    add_mark,
    add_people,
    add_periods,
    add_scans,
    ask,
    captured,
    pointed_at,
    run,
    worker,
)


@pytest.fixture
def forgiving(mariadb: MariaDB) -> Iterator[None]:
    """A server that stores whatever it is given."""
    with pointed_at(mariadb.create("forgiving")):
        run("SET SESSION sql_mode = ''", *RELATIONS)
        add_periods()
        yield


@pytest.mark.usefixtures("forgiving")
def test_zero_dates_are_no_dates() -> None:
    add("employee", ("0012", "12", None, None, 1, "0000-00-00", "2026-00-00", None))
    add("employee", ("0013", "13", None, None, 1, "2020-01-00", "9999-12-31", None))

    assert [one.no for one in captured().workers] == ["0012", "0013"]


@pytest.mark.usefixtures("forgiving")
def test_a_scan_at_zero_is_listed_as_a_bad_row() -> None:
    add_people("0012")
    add_scans("0012", "0000-00-00 00:00:00", "2026-07-28 06:55:00")

    day = captured()

    assert worker(day, "0012").p[1] == "06:55"
    assert [one.kind for one in day.notices] == ["bad_row"]


@pytest.mark.usefixtures("forgiving")
def test_a_leave_with_a_zero_end_is_one_day() -> None:
    add_people("0012", "0013")
    add("dayoff", ("2026-07-28", "0000-00-00", "0012", "D", "ลา"), ("2026-07-27", "0000-00-00", "0013", "D", "ลา"))

    assert [one.off for one in captured().workers] == ["ลา", None]


@pytest.mark.parametrize(
    ("column", "value", "shown"),
    [("end_time", "24:00:00", ("23:00", "00:00")), ("end_time", "25:30:00", ("23:00", "01:30"))],
)
@pytest.mark.usefixtures("forgiving")
def test_midnight_and_beyond_is_the_next_morning(column: str, value: str, shown: tuple[str, str]) -> None:
    add("period", (9, "ดึก", "23:00:00", "23:59:00", None, 9, None, None))
    run(f"UPDATE attsync_period SET {column} = '{value}' WHERE code = 9")
    add_people("0012")
    add_scans("0012", "2026-07-28 23:59:59")

    day = captured(now=datetime.fromisoformat("2026-07-29T03:00:00"))

    assert (day.periods[-1].start, day.periods[-1].end, day.periods[-1].state) == (*shown, "end")
    assert worker(day, "0012").p[9] == "23:59"


def test_buddhist_years_are_ours(relations: BaseDatabaseWrapper) -> None:
    add_periods()
    add("employee", ("0012", "12", None, None, 1, "2560-01-01", None, None))
    add_scans("12", "2569-07-28 06:55:00")
    add_mark("0012", 2, "late", day="2569-07-28")
    add("dayoff", ("2569-07-28", "2569-07-28", "0012", "A", "ลากิจ"))

    found = worker(captured(), "0012")

    assert (found.p[1], found.p[2], found.e) == ("06:55", "late", [1, 2])


@pytest.mark.parametrize("stored", ["2569-07-28", "2026-07-28 00:00:00", "2026-07-28T00:00:00"])
def test_a_mark_is_found_and_set_however_its_day_is_written(legacy: BaseDatabaseWrapper, stored: str) -> None:
    run(*(text.replace("TEXT", "VARCHAR(40)") for text in TEXTS))
    add_periods()
    add_people("0012")
    add_mark("0012", 2, "late", day=stored)
    factory = LegacyFactory(clock=lambda: EVENING)

    assert factory.look(Cell(DAY, 2, "0012")) == "late"
    factory.set_mark(Cell(DAY, 2, "0012"), "present")
    assert ask("SELECT work_date, status FROM attsync_override") == [(stored, "present")]
    factory.set_mark(Cell(DAY, 2, "0012"), "absent")
    assert ask("SELECT COUNT(*) FROM attsync_override") == [(0,)]


TEXTS = tuple(
    statement.replace("DATETIME", "TEXT").replace(" DATE", " TEXT").replace(" TIME", " TEXT") for statement in RELATIONS
)


@pytest.mark.parametrize(
    "moment", ["2026-07-28T06:55:00", "2026-07-28 06:55:00.123456", "2026-07-28T06:55", "2026-07-28 06:55:00+07:00"]
)
def test_text_columns_are_read_in_every_spelling(legacy: BaseDatabaseWrapper, moment: str) -> None:
    if legacy.vendor == "sqlite":
        run(*TEXTS)
    else:
        run(*(text.replace("TEXT", "VARCHAR(40)") for text in TEXTS))
    add_periods()
    run("UPDATE attsync_period SET start_time = '05:30', end_time = '7:30' WHERE code = 1")
    add_people("0012")
    add_scans("0012", moment)

    assert worker(captured(), "0012").p[1] == "06:55"
    assert LegacyFactory(clock=lambda: EVENING).set_mark(Cell(DAY, 1, "0012"), "late") == "superseded"


@pytest.mark.parametrize("moment", ["2026-07-28 00:00:00", "2026-07-28T23:59:59"])
def test_the_edges_of_a_day_are_not_lost_to_text_comparison(relations: BaseDatabaseWrapper, moment: str) -> None:
    add("period", (1, "ทั้งวัน", "00:00:00", "24:00:00" if relations.vendor == "mysql" else "24:00", None, 1, None, 0))
    add_people("0012")
    add_scans("0012", moment)

    assert worker(captured(now=datetime.fromisoformat("2026-07-29T03:00:00")), "0012").p[1] == moment[11:16]


@pytest.mark.parametrize("moment", ["2026-07-29 00:59:59", "2026-07-29T00:59:59", "2569-07-29 00:59:59"])
@pytest.mark.usefixtures("relations")
def test_a_day_that_is_over_has_its_last_scan_in_every_spelling(moment: str) -> None:
    add("period", (1, "ดึก", "22:00:00", "01:00:00", None, 1, None, 0))
    add_people("0012")
    add_scans("0012", moment, "2026-07-29 01:00:00", "2026-07-29 08:00:00")

    assert worker(captured(now=datetime.fromisoformat("2026-07-30T12:00:00")), "0012").p[1] == "00:59"


def test_text_that_is_not_utf_8_is_read_all_the_same(relations: BaseDatabaseWrapper) -> None:
    add_periods()
    add_people("0012")
    if relations.vendor == "sqlite":
        run("UPDATE attsync_employee SET full_name = CAST(X'E0B8AAFF' AS TEXT)")
        assert worker(captured(), "0012").name == "ส\ufffd"
    else:
        run(
            "ALTER TABLE attsync_employee MODIFY full_name VARBINARY(200)",
            "UPDATE attsync_employee SET full_name = X'E0B8AAFF'",
        )
        assert worker(captured(), "0012").name == "ส?"
