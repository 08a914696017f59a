"""The shipped views over other systems' tables: what is read of each is what a person reads in its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from pathlib import Path

import pytest

from mirror.wire import Snapshot
from onprem import simulator
from onprem.factory import LegacyFactory
from onprem.ports import Cell
from onprem.simulator.reference import statements
from tests.mariadb import MariaDB
from tests.onprem.site import DAY, EVENING, ask, captured, notice, pointed_at, worker

SHIPPED = Path(simulator.__file__).parent.parent / "sql"
VENDORS = Path(__file__).parent / "systems"

Site = Callable[[str], AbstractContextManager[None]]


@pytest.fixture
def site(mariadb: MariaDB) -> Site:
    """Make the vendor's database and ours beside it, with the agent's account and its rights only."""

    @contextmanager
    def made(name: str) -> Iterator[None]:
        files = [VENDORS / f"{name}.sql", SHIPPED / "own-tables.sql", SHIPPED / f"{name}.sql"]
        mariadb.execute("DROP DATABASE IF EXISTS attsync")
        mariadb.execute("DROP USER IF EXISTS attsync@localhost")
        for statement in [each for file in files for each in statements(file.read_text(encoding="utf-8"))]:
            mariadb.execute(statement)
        there = {row[0] for row in mariadb.execute("SHOW TABLES FROM attsync")}
        for statement in statements((SHIPPED / "grants.sql").read_text(encoding="utf-8")):
            if "attsync_" not in statement or any(f".{relation} " in statement for relation in there):
                mariadb.execute(statement)
        with pointed_at(mariadb.url("attsync").replace("root@", "attsync:change-me@")):
            yield

    return made


def cells(day: Snapshot) -> dict[str, list[str | None]]:
    return {one.no: [one.p[code] for code in (1, 2, 3, 4)] for one in day.workers}


def names(day: Snapshot) -> dict[str, tuple[str | None, str | None]]:
    return {one.no: (one.name, one.g) for one in day.workers}


def test_zkbiotime(site: Site) -> None:
    with site("zkbiotime"):
        day = captured()
        tomorrow = captured(date(2026, 7, 29))

    assert cells(day) == {
        "0012": ["06:55", None, "12:59", "17:05"],
        "0021": [None, None, None, None],
        "0023": [None, None, "12:00", None],
        "12": [None, "08:01", None, None],
        "A012": [None, None, None, None],
    }
    assert names(day)["12"] == ("สมหญิง 😀", "คลังสินค้า")
    assert names(day)["A012"] == (None, None)
    assert (day.scans_through, notice(day, "dead_terminal")) == ("2026-07-28T19:30:00", (1, ["เก่า"]))
    assert (notice(day, "unmatched"), notice(day, "duplicate")[0]) == ((1, ["555"]), 1)
    assert (day.holiday, tomorrow.holiday) == (None, "วันหยุดยาว")
    assert (day.active_total, day.stat.full, day.stat.partial, day.stat.absent) == (5, 1, 2, 2)


def test_zktime(site: Site) -> None:
    with site("zktime"):
        day = captured()
        songkran = captured(date(2026, 4, 15))

    assert cells(day) == {
        "0012": [None, "07:41", "12:40", None],
        "0013": [None, None, None, None],
        "0016": [None, None, "12:10", None],
        "0017": ["07:00", None, None, None],
        "0018": [None, None, None, None],
        "0019": [None, None, None, None],
        "0101": ["06:00", None, None, None],
    }
    assert {one.no: (one.e, one.off) for one in day.workers if one.off} == {
        "0016": ([3, 4], "ลาป่วย"),
        "0017": ([1, 2], "ลากิจ"),
        "0018": ([], "ไปศาล"),
        "0019": ([], "ลาป่วย"),
    }
    assert (notice(day, "unmatched"), day.scans_through) == ((1, ["999"]), None)
    assert songkran.holiday == "วันสงกรานต์"
    assert (day.active_total, day.stat.full, day.stat.partial, day.stat.absent) == (5, 1, 3, 1)


def test_ivms_4200(site: Site) -> None:
    with site("ivms4200"):
        day = captured()

    assert cells(day)["0012"] == ["06:55", None, None, None]
    assert cells(day)["12"] == [None, "08:30", None, None]
    assert cells(day)["A012"] == [None, None, None, None]
    assert names(day) == {"0012": ("สมชาย ใจดี", None), "12": (None, None), "A012": ("เอ 😀", None)}
    assert [(row.no, row.t) for row in day.periods[2].scan] == [("0500", "12:15")]


def test_people_001_whose_terminals_send_1(site: Site) -> None:
    with site("padded-codes"):
        day = captured()

    assert cells(day) == {
        "1-001": [None, None, None, "17:15"],
        "1-002": [None, "07:30", "12:30", None],
        "1-005": [None, None, None, None],
        "1-05": [None, None, None, None],
        "2-1": ["06:10", None, None, None],
        "2-A03": [None, None, "12:00", None],
    }
    assert names(day)["2-A03"] == (None, "ทีม 2")
    assert notice(day, "number_collision") == (1, ["1/5: 1-005, 1-05"])
    assert notice(day, "unmatched") == (1, ["1/3"])


def test_days_written_in_the_buddhist_era(site: Site) -> None:
    with site("buddhist-dates"):
        day = captured()

    assert cells(day) == {
        "1001": ["06:40", None, None, "17:00"],
        "1002": ["06:00", "08:35", None, None],
        "1004": [None, None, "12:00", None],
        "1006": [None, None, None, None],
    }
    assert names(day)["1001"] == ("นายสมชาย ใจดี", "ผลิต")
    # 30 February is a bad row of 28 February: the server lets it stand, and only that day's range meets it.
    assert (notice(day, "bad_row")[0], notice(day, "unmatched")) == (2, (1, ["9999"]))


@pytest.mark.parametrize("name", ["zkbiotime", "zktime", "ivms4200", "padded-codes", "buddhist-dates"])
def test_each_is_written_with_the_rights_that_are_given(site: Site, name: str) -> None:
    with site(name):
        factory = LegacyFactory(clock=lambda: EVENING)
        absent = next(one for one in captured().workers if not any(one.p.values()))
        cell = Cell(DAY, 2, absent.no)

        assert factory.set_mark(cell, "late") == "applied"
        assert worker(captured(), absent.no).p[2] == "late"
        factory.set_mark(cell, "absent")
        assert ask("SELECT COUNT(*) FROM attsync_override") == [(0,)]


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.sql")), ids=lambda file: file.stem)
def test_no_view_needs_more_than_an_old_server_allows(file: Path) -> None:
    said = " ".join(statements(file.read_text(encoding="utf-8"))).upper()

    assert not [word for word in ("FROM (", "JOIN (", " WITH ", " OVER ", "JSON_") if word in said]
