"""The factory's own trouble has a name and never looks like a row's fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import MySQLdb
import pytest
from django.db import OperationalError

from onprem import relations
from onprem.factory import LegacyFactory
from onprem.faults import writing
from onprem.ports import Cell, FactoryDown, Refused, ViewMissing
from tests.mariadb import MariaDB
from tests.onprem.relations import RELATIONS
from tests.onprem.site import DAY, EVENING, add_people, add_periods, captured, pointed_at, run

CELL = Cell(DAY, 2, "0012")


@contextmanager
def held(server: MariaDB, database: str) -> Iterator[None]:
    """Somebody at the factory is about to write this very cell."""
    somebody = MySQLdb.connect(unix_socket=str(server.socket), user="root", database=database)
    with somebody.cursor() as cursor:
        cursor.execute("INSERT INTO attsync_override VALUES ('2026-07-28', 2, '0012', 'x', '', NULL)")
    yield
    somebody.close()


@pytest.mark.parametrize("relation", ["employee", "scan", "period", "override"])
@pytest.mark.usefixtures("relations")
def test_a_missing_relation_is_named(relation: str) -> None:
    add_periods()
    run(f"DROP TABLE attsync_{relation}")

    with pytest.raises(ViewMissing, match=f"attsync_{relation}"):
        captured()


@pytest.mark.parametrize(
    ("relation", "column"),
    [("employee", "hire_date"), ("scan", "device_no"), ("period", "day_offset"), ("pull", "device")],
)
@pytest.mark.usefixtures("relations")
def test_a_missing_column_is_named(relation: str, column: str) -> None:
    add_periods()
    run(f"ALTER TABLE attsync_{relation} RENAME COLUMN {column} TO something_else")

    with pytest.raises(ViewMissing, match=column):
        captured()


def test_a_view_over_something_that_is_gone_is_named(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("broken")):
        run(*RELATIONS, "RENAME TABLE attsync_employee TO employee")
        run("CREATE VIEW attsync_employee AS SELECT * FROM employee", "DROP TABLE employee")

        with pytest.raises(ViewMissing, match="attsync_employee"):
            captured()


@pytest.fixture
def reader(mariadb: MariaDB) -> Iterator[None]:
    """An account that may only read, and not the optional relations."""
    mariadb.create("readonly")
    mariadb.execute("CREATE OR REPLACE USER reader@localhost IDENTIFIED BY 'r'")
    with pointed_at(mariadb.url("readonly")):
        run(*RELATIONS, "DROP TABLE attsync_pull")
        add_periods()
        add_people("0012")
    for relation in ("employee", "scan", "period", "override"):
        mariadb.execute(f"GRANT SELECT ON readonly.attsync_{relation} TO reader@localhost")
    with pointed_at(mariadb.url("readonly").replace("root@", "reader:r@")):
        yield
    mariadb.execute("DROP USER reader@localhost")


@pytest.mark.usefixtures("reader")
def test_a_read_only_account_reads_the_day() -> None:
    assert len(captured().workers) == 1


@pytest.mark.usefixtures("reader")
def test_an_optional_relation_that_lost_its_right_is_missed_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "had_before", {"dayoff"})

    with pytest.raises(ViewMissing, match="attsync_dayoff"):
        captured()


@pytest.mark.parametrize("relation", ["dayoff", "pull"])
@pytest.mark.usefixtures("relations")
def test_an_optional_relation_that_was_there_before_is_missed_loudly(
    monkeypatch: pytest.MonkeyPatch, relation: str
) -> None:
    monkeypatch.setattr(relations, "had_before", {relation})
    add_periods()
    run(f"DROP TABLE attsync_{relation}")

    with pytest.raises(ViewMissing, match=f"attsync_{relation} could be read before.*--force"):
        captured()


@pytest.mark.usefixtures("relations")
def test_an_optional_relation_that_goes_while_we_listen_is_missed_loudly() -> None:
    add_periods()
    captured()
    run("DROP TABLE attsync_dayoff")

    with pytest.raises(ViewMissing, match="attsync_dayoff could be read before"):
        captured()


@pytest.mark.parametrize(("status", "command"), [("late", "UPDATE"), ("absent", "DELETE")])
@pytest.mark.usefixtures("reader")
def test_a_read_only_account_cannot_write_and_says_so(status: str, command: str) -> None:
    with pytest.raises(Refused, match=f"{command} command denied") as refused:
        LegacyFactory().set_mark(CELL, status)

    assert (refused.value.code, refused.value.final) == ("write_failed", False)


@pytest.fixture
def writer(mariadb: MariaDB) -> Iterator[LegacyFactory]:
    """An account that may write, but not where the server as a whole takes no writes."""
    mariadb.create("writable")
    mariadb.execute("CREATE OR REPLACE USER writer@localhost IDENTIFIED BY 'w'")
    mariadb.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON writable.* TO writer@localhost")
    with pointed_at(mariadb.url("writable")):
        run(*RELATIONS)
        add_periods()
        add_people("0012")
    with pointed_at(mariadb.url("writable").replace("root@", "writer:w@")):
        yield LegacyFactory(clock=lambda: EVENING)
    mariadb.execute("DROP USER writer@localhost")


def test_a_server_that_takes_no_writes_is_the_factorys_trouble(mariadb: MariaDB, writer: LegacyFactory) -> None:
    mariadb.execute("SET GLOBAL read_only = 1")
    try:
        with pytest.raises(FactoryDown, match="read-only"):
            writer.set_mark(CELL, "late")
    finally:
        mariadb.execute("SET GLOBAL read_only = 0")

    assert writer.set_mark(CELL, "late") == "applied"


def test_a_full_table_is_the_factorys_trouble(mariadb: MariaDB, writer: LegacyFactory) -> None:
    for change in ("DROP PRIMARY KEY", "ENGINE = MEMORY MAX_ROWS = 1"):
        mariadb.execute(f"ALTER TABLE attsync_override {change}", database="writable")
    mariadb.execute("SET GLOBAL max_heap_table_size = 16384")
    try:
        mariadb.execute("ALTER TABLE attsync_override ENGINE = MEMORY", database="writable")
        fill = "INSERT INTO attsync_override VALUES ('2020-01-01', 1, 'x', 'late', 'web', NULL)"
        with pytest.raises(MySQLdb.OperationalError, match="full"):
            for _ in range(100000):
                mariadb.execute(fill + ", ('2020-01-01', 1, 'x', 'late', 'web', NULL)" * 50, database="writable")
        with pytest.raises(FactoryDown, match="full"):
            writer.set_mark(CELL, "late")
    finally:
        mariadb.execute("SET GLOBAL max_heap_table_size = DEFAULT")


ROWS = (1048, 1062, 1142, 1264, 1292, 1364, 1366, 1369, 1406, 1452, 1644, 4025)
NOT_ROWS = (3, 28, 126, 145, 1021, 1030, 1036, 1114, 1194, 1195, 1205, 1290, 1665, 1836, 2013)


@pytest.mark.parametrize(("number", "blamed"), [*((n, Refused) for n in ROWS), *((n, FactoryDown) for n in NOT_ROWS)])
@pytest.mark.usefixtures("legacy")
def test_which_errors_a_row_is_blamed_for(number: int, blamed: type[Exception]) -> None:
    with pytest.raises(blamed), writing():
        raise OperationalError(number, "in the server's words")


@pytest.mark.parametrize(
    "words",
    [
        "attempt to write a readonly database",
        "database disk image is malformed",
        "database is locked",
        "database or disk is full",
        "disk I/O error",
        "file is not a database",
    ],
)
@pytest.mark.usefixtures("legacy")
def test_trouble_of_the_whole_file_is_not_the_rows(words: str) -> None:
    with pytest.raises(FactoryDown, match=words), writing():
        raise OperationalError(words)


def test_a_wrong_password_is_the_factorys_trouble(mariadb: MariaDB) -> None:
    with (
        pointed_at(mariadb.url("nowhere").replace("root@", "nobody:wrong@")),
        pytest.raises(FactoryDown, match="denied"),
    ):
        captured()


def test_a_server_that_is_not_there_is_the_factorys_trouble() -> None:
    with pointed_at("mysql://root@localhost/x?unix_socket=/nowhere/s"), pytest.raises(FactoryDown, match="/nowhere/s"):
        captured()


def test_a_server_that_comes_back_is_used_again(mortal_mariadb: MariaDB) -> None:
    with pointed_at(mortal_mariadb.create("mortal")):
        run(*RELATIONS)
        add_periods()
        add_people("0012")
        factory = LegacyFactory(clock=lambda: EVENING)
        factory.set_mark(CELL, "late")
        mortal_mariadb.kill()
        with pytest.raises(FactoryDown):
            factory.set_mark(CELL, "present")
        with pytest.raises(FactoryDown):
            captured()
        mortal_mariadb.start()

        assert factory.look(CELL) == "late"


def test_a_connection_that_was_dropped_in_between_is_renewed(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("dropped")) as connection:
        run(*RELATIONS)
        add_periods()
        add_people("0012")
        with connection.cursor() as cursor:
            cursor.execute("SELECT CONNECTION_ID()")
            mariadb.execute(f"KILL {cursor.fetchone()[0]}")

        assert LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "late") == "applied"


def test_a_lock_held_by_the_factory_is_not_the_rows_fault(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("locked")) as connection:
        run(*RELATIONS)
        add_periods()
        add_people("0012")
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION innodb_lock_wait_timeout = 1")
        with held(mariadb, "locked"), pytest.raises(FactoryDown, match="Lock wait timeout"):
            LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "late")


def test_a_statement_that_takes_too_long_is_the_factorys_trouble(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("slow")) as connection:
        run(*RELATIONS)
        run("RENAME TABLE attsync_period TO p", "CREATE VIEW attsync_period AS SELECT p.* FROM p WHERE SLEEP(2) = 0")
        add_people("0012")
        run("INSERT INTO p (code) VALUES (1)")
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION max_statement_time = 0.1")

        with pytest.raises(FactoryDown, match="max_statement_time"):
            captured()
