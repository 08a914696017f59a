"""The session on the factory's server is the same whatever the server is set to."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import CaptureQueriesContext

from onprem.factory import LegacyFactory
from onprem.mariadb.base import SESSION
from onprem.ports import Cell
from tests.mariadb import MariaDB
from tests.onprem.relations import RELATIONS
from tests.onprem.site import DAY, EVENING, add_people, add_periods, ask, captured, pointed_at, run, worker


@pytest.fixture
def server(mariadb: MariaDB) -> Iterator[BaseDatabaseWrapper]:
    """An old utf8 database on a server that forgives everything."""
    before = mariadb.execute("SELECT @@GLOBAL.sql_mode")[0][0]
    mariadb.execute("SET GLOBAL sql_mode = ''")
    with pointed_at(mariadb.create("session", charset="utf8")) as connection:
        yield connection
    mariadb.execute("SET GLOBAL sql_mode = %s", before)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("time_zone", "+07:00"),
        ("sql_mode", "STRICT_ALL_TABLES"),
        ("tx_isolation", "REPEATABLE-READ"),
        ("character_set_client", "utf8mb4"),
        ("character_set_connection", "utf8mb4"),
        ("character_set_results", "utf8mb4"),
        ("max_statement_time", 20),
        ("innodb_lock_wait_timeout", 5),
    ],
)
@pytest.mark.usefixtures("server")
def test_the_session_is_ours(variable: str, value: object) -> None:
    assert ask(f"SELECT @@SESSION.{variable}") == [(value,)]


def test_servers_from_5_5_on_are_accepted(server: BaseDatabaseWrapper) -> None:
    assert server.features.minimum_database_version == (5, 5)


def test_older_servers_read_past_the_limits_they_do_not_know() -> None:
    without_comments = SESSION.split("/*", maxsplit=1)[0]

    assert "max_statement_time" not in without_comments
    assert "max_execution_time" not in without_comments


def test_a_text_too_long_is_refused_and_not_cut(server: BaseDatabaseWrapper) -> None:
    run("CREATE TABLE t (c VARCHAR(3))")

    with pytest.raises(Exception, match="Data too long"):
        run("INSERT INTO t VALUES ('late')")


def test_only_sql_that_old_servers_understand_is_sent(server: BaseDatabaseWrapper) -> None:
    run(*RELATIONS)
    add_periods()
    add_people("0012")
    factory = LegacyFactory(clock=lambda: EVENING)

    with CaptureQueriesContext(server) as asked:
        list(factory.snapshots([DAY], now=EVENING))
        for status in ("late", "present", "absent"):
            factory.set_mark(Cell(DAY, 2, "0012"), status)

    said = " ".join(query["sql"].upper() for query in asked)
    assert not [word for word in (" WITH ", " OVER ", "RETURNING", "JSON", "JOIN", "EXCEPT") if word in said]


def test_employee_numbers_are_bound_as_text(server: BaseDatabaseWrapper) -> None:
    run(*RELATIONS)
    add_periods()
    add_people("12", "12A", "0012")
    factory = LegacyFactory(clock=lambda: EVENING)

    factory.set_mark(Cell(DAY, 2, "12"), "late")

    assert ask("SELECT emp_no FROM attsync_override") == [("12",)]
    assert factory.look(Cell(DAY, 2, "12A")) is None


class WithoutInnoDB(MariaDB):
    """As some old servers are still run."""

    def _options(self) -> list[str]:
        kept = [option for option in super()._options() if not option.startswith("--innodb")]
        return [*kept, "--skip-innodb", "--default-storage-engine=MyISAM"]


def test_a_server_without_innodb_is_read_and_written() -> None:
    with tempfile.TemporaryDirectory(prefix="attsync-") as folder, WithoutInnoDB(Path(folder)) as server:
        with pointed_at(server.create("old")):
            assert ask("SHOW VARIABLES LIKE 'innodb_lock_wait_timeout'") == []
            run(*RELATIONS)
            add_periods()
            add_people("0012")

            assert LegacyFactory(clock=lambda: EVENING).set_mark(Cell(DAY, 2, "0012"), "late") == "applied"
            assert worker(captured(), "0012").p[2] == "late"
