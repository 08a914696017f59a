"""`manage.py simulate_factory`: makes a factory, never harms a real one, and tells what happens to its marks."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from mirror.counting import business_date
from onprem.clocks import local_now
from onprem.factory import LegacyFactory
from onprem.simulator.live import LiveFactory
from onprem.simulator.plain import PlainSchema
from onprem.simulator.workday import periods_around
from onprem.timetable import timetable
from tests.mariadb import MariaDB
from tests.onprem.site import add_mark, ask, pointed_at, run

pytestmark = pytest.mark.usefixtures("legacy")


def simulate(*arguments: str) -> str:
    said = StringIO()
    call_command("simulate_factory", *arguments, stdout=said)
    return said.getvalue()


def test_it_says_what_it_made() -> None:
    assert simulate("--people=40", "--days=3").startswith("factory: 40 people, 3 days, ")


def test_it_makes_a_day_that_can_be_counted() -> None:
    simulate("--people=40", "--days=3")
    now = local_now()

    (snapshot,) = LegacyFactory().snapshots([business_date(now) - timedelta(days=1)], now=now)

    assert len(snapshot.workers) == 39
    assert snapshot.active_total == snapshot.stat.full + snapshot.stat.partial + snapshot.stat.absent
    assert snapshot.stat.full > 20


def test_the_same_seed_makes_the_same_factory() -> None:
    simulate("--people=40", "--seed=5")
    first = ask("SELECT full_name FROM attsync_employee ORDER BY emp_no")

    simulate("--people=40", "--seed=5", "--reset")

    assert ask("SELECT full_name FROM attsync_employee ORDER BY emp_no") == first


def test_a_second_start_keeps_what_is_there() -> None:
    simulate("--people=40")
    before = ask("SELECT COUNT(*) FROM attsync_scan")

    assert "already there" in simulate("--people=60")
    assert ask("SELECT COUNT(*) FROM attsync_scan") == before


def test_reset_makes_it_anew() -> None:
    simulate("--people=40")

    simulate("--people=60", "--reset")

    assert ask("SELECT COUNT(*) FROM attsync_employee") == [(60,)]


@pytest.mark.parametrize("arguments", [(), ("--reset",), ("--reset", "--live")])
def test_a_real_factory_is_left_alone_whatever_is_asked(arguments: tuple[str, ...]) -> None:
    run("CREATE TABLE attsync_period (code INTEGER)", "INSERT INTO attsync_period VALUES (7)")

    with pytest.raises(CommandError, match="attsync_period"):
        simulate(*arguments)

    assert ask("SELECT code FROM attsync_period") == [(7,)]
    assert connections["legacy"].introspection.table_names() == ["attsync_period"]


def test_a_real_site_is_left_alone_also_by_the_reference_schema(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("real")):
        run("CREATE TABLE employee (emp_id INTEGER)")

        with pytest.raises(CommandError, match="employee"):
            simulate("--schema=reference", "--reset")
        with pytest.raises(CommandError, match="employee"):
            simulate("--schema=plain", "--reset")


def test_reset_drops_nothing_but_its_own() -> None:
    run("CREATE TABLE payroll (a INTEGER)")
    simulate("--people=40")

    simulate("--people=40", "--reset")

    assert "payroll" in connections["legacy"].introspection.table_names()


def test_the_reference_schema_is_made_and_made_anew(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("made", charset="latin1")):
        simulate("--schema=reference", "--people=40", "--night")
        assert "40 people" in simulate("--schema=reference", "--people=40", "--reset")
        assert "40 people" in simulate("--schema=plain", "--people=40", "--reset")


@pytest.mark.parametrize("people", ["39", "2001"])
def test_sizes_that_make_no_factory_are_refused(people: str) -> None:
    with pytest.raises(CommandError, match="40 to 2000"):
        simulate(f"--people={people}")


# --- a working day happening now ------------------------------------------------------------------------------------


@pytest.mark.parametrize("hour", range(24))
@pytest.mark.parametrize("minute", [0, 3, 59])
@pytest.mark.parametrize("starts", [time(4), time(12)], ids=str)
def test_whatever_the_hour_one_window_is_open_now(hour: int, minute: int, starts: time) -> None:
    now = datetime.fromisoformat("2026-07-28T00:00:30").replace(hour=hour, minute=minute)
    day = business_date(now, starts)

    table = timetable(day, periods_around(now, day), day_starts=starts)

    assert [win.code for win in table.windows if win.start <= now < win.end] == [3]
    assert [win.code for win in table.windows if win.end <= now] == [1, 2]


@pytest.fixture
def live() -> tuple[LiveFactory, list[str]]:
    simulate("--people=40", "--days=1", "--around-now")
    told: list[str] = []
    factory = LiveFactory(PlainSchema(connections["legacy"]), time(4), every=3, tell=told.append)
    factory.begin(local_now())
    return factory, told


def test_people_go_on_scanning_while_it_lives(live: tuple[LiveFactory, list[str]]) -> None:
    before = ask("SELECT COUNT(*) FROM attsync_scan")[0][0]

    for step in range(3):
        live[0].step(local_now() + timedelta(seconds=3 * step))

    assert ask("SELECT COUNT(*) FROM attsync_scan")[0][0] == before + 3


def test_nobody_scans_twice_in_the_open_window(live: tuple[LiveFactory, list[str]]) -> None:
    now = local_now()
    start = now - timedelta(seconds=1)
    for step in range(60):
        live[0].step(now + timedelta(seconds=3 * step))

    came = ask(f"SELECT device_no FROM attsync_scan WHERE scanned_at >= '{start:%Y-%m-%d %H:%M:%S}'")
    assert len(came) == len(set(came))


def test_the_terminals_are_pulled_as_time_passes(live: tuple[LiveFactory, list[str]]) -> None:
    later = local_now().replace(microsecond=0) + timedelta(minutes=1)

    live[0].step(later)

    assert ask("SELECT MIN(CAST(pulled_through AS CHAR)) FROM attsync_pull") == [(f"{later:%Y-%m-%d %H:%M:%S}",)]


def test_every_change_of_a_mark_is_told_once(live: tuple[LiveFactory, list[str]], legacy: BaseDatabaseWrapper) -> None:
    factory, told = live
    day = local_now().date().isoformat()
    add_mark("0012", 2, "late", day=day)
    factory.step(local_now())
    run("UPDATE attsync_override SET status = 'present'")
    factory.step(local_now())
    factory.step(local_now())
    run("DELETE FROM attsync_override")
    factory.step(local_now())

    assert told == [f"factory: override {day} period 2 0012 {word}" for word in ("late", "present", "removed")]
