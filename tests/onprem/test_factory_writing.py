"""One mark is set, whatever table or view it lands in."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import CaptureQueriesContext

from onprem.factory import LegacyFactory
from onprem.models import Override
from onprem.override import Attempt, keeps
from onprem.ports import Cell, Refused
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

CELL = Cell(DAY, 2, "0012")


@pytest.fixture
def factory(relations: BaseDatabaseWrapper) -> LegacyFactory:
    add_periods()
    add_people("0012", "0013")
    return LegacyFactory(clock=lambda: EVENING)


def marks() -> list[tuple[object, ...]]:
    return ask("SELECT period, emp_no, status, source FROM attsync_override ORDER BY period, emp_no, status")


def test_a_mark_is_set_and_read_back(factory: LegacyFactory) -> None:
    assert factory.set_mark(CELL, "late") == "applied"
    assert factory.look(CELL) == "late"
    assert worker(captured(), "0012").p[2] == "late"


def test_the_row_says_who_wrote_it_and_when(factory: LegacyFactory) -> None:
    factory.set_mark(CELL, "late")

    assert ask("SELECT emp_no, source, CAST(updated_at AS CHAR) FROM attsync_override") == [
        ("0012", "attsync", "2026-07-28 20:00:00")
    ]


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


def test_a_repeated_cancel_is_a_success(factory: LegacyFactory) -> None:
    assert [factory.set_mark(CELL, "absent") for _ in range(2)] == ["applied", "applied"]


def test_a_mark_is_ours_while_it_is_as_we_set_it(factory: LegacyFactory) -> None:
    def is_ours() -> list[bool]:
        return [factory.has_ours(CELL, status) for status in ("late", "present", "absent")]

    assert is_ours() == [False, False, True]
    factory.set_mark(CELL, "late")
    assert is_ours() == [True, False, False]
    run("UPDATE attsync_override SET source = 'web'")
    assert is_ours() == [False, False, False]
    assert not factory.has_ours(Cell(DAY, 2, "9999"), "absent")


def test_another_systems_word_is_seen_and_replaced(factory: LegacyFactory) -> None:
    add_mark("0012", 2, "sick")

    assert factory.look(CELL) == "sick"
    assert factory.set_mark(CELL, "present") == "applied"
    assert factory.look(CELL) == "present"


# --- a real scan was there first ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["present", "late"])
def test_over_a_real_scan_nothing_is_written(factory: LegacyFactory, status: str) -> None:
    add_scans("0012", "2026-07-28 08:30:00")

    assert factory.set_mark(CELL, status) == "superseded"
    assert marks() == []


def test_a_cancel_is_done_scan_or_not(factory: LegacyFactory) -> None:
    add_scans("0012", "2026-07-28 08:30:00")
    add_mark("0012", 2, "late")

    assert factory.set_mark(CELL, "absent") == "applied"
    assert marks() == []


@pytest.mark.parametrize(
    ("device", "at"),
    [
        ("0012", "2026-07-28 09:00:00"),
        ("0012", "2026-07-28 07:29:59"),
        ("0012", "2026-07-27 08:30:00"),
        ("0012", "2027-07-28 08:30:00"),
        ("0013", "2026-07-28 08:30:00"),
        ("00120", "2026-07-28 08:30:00"),
        ("12", "2026-07-28 08:30:00"),
    ],
)
def test_a_scan_elsewhere_is_in_nobodys_way(factory: LegacyFactory, device: str, at: str) -> None:
    add_scans(device, at)

    assert factory.set_mark(CELL, "late") == "applied"


def test_a_scan_with_blanks_around_its_number_is_a_scan(factory: LegacyFactory) -> None:
    add_scans(" 0012 ", "2026-07-28 08:30:00")

    assert factory.set_mark(CELL, "late") == "superseded"


def test_a_scan_of_a_number_two_people_have_is_nobodys(factory: LegacyFactory) -> None:
    add("employee", ("0099", "0012", None, None, 1, None, None, None))
    add_scans("0012", "2026-07-28 08:30:00")

    assert factory.set_mark(CELL, "late") == "applied"


def test_a_scan_of_the_future_is_no_scan_yet(factory: LegacyFactory) -> None:
    add_scans("0012", "2026-07-28 08:30:00")
    early = LegacyFactory(clock=lambda: EVENING.replace(hour=8, minute=20))

    assert early.set_mark(CELL, "late") == "applied"


def test_the_day_and_the_cell_judge_a_scan_alike(factory: LegacyFactory) -> None:
    run("UPDATE attsync_period SET shift_code = 'D' WHERE code = 2")
    add("period", (5, "กะ N", "08:00:00", "10:00:00", None, 5, "N", None))
    run("UPDATE attsync_employee SET shift_code = 'N' WHERE emp_no = '0012'")
    add_scans("0012", "2026-07-28 08:30:00")

    assert worker(captured(), "0012").p == {1: None, 2: None, 5: "08:30", 3: None, 4: None}
    assert factory.set_mark(CELL, "late") == "applied"
    assert factory.set_mark(Cell(DAY, 5, "0012"), "late") == "superseded"


# --- blanks that are no spaces --------------------------------------------------------------------------------------


@pytest.mark.parametrize("blanks", ["{}\t", "{}\r\n", "\u3000{}\u00a0", " {}"])
def test_a_person_whose_number_has_blanks_around_it_can_be_marked(factory: LegacyFactory, blanks: str) -> None:
    no = blanks.format("W049")
    add("employee", (no, no, "คน", "ผลิต", 1, None, None, None))

    assert worker(captured(), "W049").no == "W049"
    assert factory.set_mark(Cell(DAY, 2, "W049"), "late") == "applied"


@pytest.mark.parametrize("blanks", ["{}\t", "{}\r\n", "\u3000{}\u00a0", " {}"])
def test_a_scan_is_the_same_to_the_day_and_to_the_cell(factory: LegacyFactory, blanks: str) -> None:
    add_scans(blanks.format("0012"), "2026-07-28 08:30:00")

    assert worker(captured(), "0012").p[2] == "08:30"
    assert factory.set_mark(CELL, "late") == "superseded"


@pytest.mark.parametrize("blanks", ["{}\t", "{}\r\n", "\u3000{}\u00a0", " {}"])
def test_a_mark_with_blanks_around_its_number_is_replaced_and_taken_back(factory: LegacyFactory, blanks: str) -> None:
    add_mark(blanks.format("0012"), 2, "late")
    add_mark("0013", 2, "late")

    assert factory.look(CELL) == "late"
    factory.set_mark(CELL, "present")
    assert marks() == sorted([(2, blanks.format("0012"), "present", "attsync"), (2, "0013", "late", "web")])

    factory.set_mark(CELL, "absent")
    assert marks() == [(2, "0013", "late", "web")]


@pytest.mark.parametrize("no", ["50%", "5_0", "5!0", "5\\0", "5'0", "%", "!%"])
def test_a_number_of_any_letters_is_found_as_it_is(factory: LegacyFactory, no: str) -> None:
    add_people(no, "500", "5x0")
    add_mark("500", 2, "late")

    assert factory.look(Cell(DAY, 2, no)) is None
    assert factory.set_mark(Cell(DAY, 2, no), "present") == "applied"
    assert factory.look(Cell(DAY, 2, "500")) == "late"


def test_a_period_is_the_same_to_the_day_and_to_the_cell(factory: LegacyFactory) -> None:
    run("DROP TABLE attsync_override", TEXT_TABLE)
    add_mark("0013", "x", "late")
    add_mark("0012", "02\r", "late")

    factory.set_mark(CELL, "present")

    assert marks() == [("02\r", "0012", "present", "attsync"), ("x", "0013", "late", "web")]


TEXT_TABLE = (
    "CREATE TABLE attsync_override (work_date VARCHAR(20), period VARCHAR(8), emp_no VARCHAR(32), status VARCHAR(16),"
    " source VARCHAR(32), updated_at VARCHAR(32))"
)


# --- rows that can never be set -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        (Cell(DAY, 2, "9999"), "unknown_employee"),
        (Cell(DAY, 2, "12"), "unknown_employee"),
        (Cell(DAY, 2, "0012 OR 1=1"), "unknown_employee"),
        (Cell(DAY, 77, "0012"), "unknown_period"),
    ],
)
def test_nobody_and_never_are_final(factory: LegacyFactory, cell: Cell, code: str) -> None:
    with pytest.raises(Refused) as refused:
        factory.look(cell)

    assert (refused.value.code, refused.value.final) == (code, True)


# --- what sites make of the override --------------------------------------------------------------------------------

TABLE = (
    "CREATE TABLE att_manual (work_date DATE NOT NULL, period TINYINT UNSIGNED NOT NULL,"
    " emp_code VARCHAR(12) NOT NULL, status VARCHAR(10) NOT NULL, by_user VARCHAR(40), note VARCHAR(120),"
    " updated_at DATETIME{key}) ENGINE={engine} DEFAULT CHARSET=utf8 COLLATE=utf8_unicode_ci"
)
VIEW = (
    "CREATE VIEW attsync_override AS SELECT work_date, period, emp_code AS emp_no, status, by_user AS source,"
    " updated_at FROM att_manual"
)
KEY = ", PRIMARY KEY (work_date, period, emp_code)"


@pytest.fixture(params=[("InnoDB", KEY), ("InnoDB", ""), ("MyISAM", KEY), ("MyISAM", "")], ids=str)
def limited(request: pytest.FixtureRequest, mariadb: MariaDB) -> Iterator[LegacyFactory]:
    """The override is a view; the account has only the rights that were promised to be enough."""
    engine, key = request.param
    mariadb.create("limited")
    mariadb.execute("CREATE OR REPLACE USER agent@localhost IDENTIFIED BY 'a'")
    with pointed_at(mariadb.url("limited")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine=engine, key=key), VIEW)
        add_periods()
        add_people("0012")
    for relation in ("employee", "scan", "period", "override", "pull", "dayoff"):
        mariadb.execute(f"GRANT SELECT ON limited.attsync_{relation} TO agent@localhost")
    mariadb.execute("GRANT INSERT, UPDATE, DELETE ON limited.attsync_override TO agent@localhost")
    with pointed_at(mariadb.url("limited").replace("root@", "agent:a@")):
        yield LegacyFactory(clock=lambda: EVENING)
    mariadb.execute("DROP USER agent@localhost")


def test_a_view_is_written_with_no_more_rights_than_promised(limited: LegacyFactory) -> None:
    for status in ("late", "late", "present"):
        limited.set_mark(CELL, status)
    assert marks() == [(2, "0012", "present", "attsync")]

    limited.set_mark(CELL, "absent")
    assert marks() == []


def said(mark: Callable[[Cell, str], str], status: str) -> str:
    try:
        return mark(CELL, status)
    except Refused as exc:
        return f"{exc.code}: {exc}"


@pytest.mark.parametrize("right", ["INSERT", "UPDATE", "DELETE"])
@pytest.mark.parametrize("stands", [False, True])
@pytest.mark.parametrize("status", ["present", "absent"])
def test_a_rehearsal_says_beforehand_what_a_missing_right_comes_to(
    limited: LegacyFactory, mariadb: MariaDB, right: str, stands: bool, status: str
) -> None:
    if stands:
        limited.set_mark(CELL, "late")
    mariadb.execute(f"REVOKE {right} ON limited.attsync_override FROM agent@localhost")
    before = marks()

    beforehand = said(limited.would_set_mark, status)

    assert marks() == before
    assert said(limited.set_mark, status) == beforehand


def test_a_number_in_other_letters_is_another_person(limited: LegacyFactory, mariadb: MariaDB) -> None:
    mariadb.execute(
        "INSERT INTO att_manual VALUES ('2026-07-28', 2, 'A12', 'late', 'web', NULL, NULL)", database="limited"
    )

    limited.set_mark(Cell(DAY, 2, "a12"), "absent")

    assert marks() == [(2, "A12", "late", "web")]


def test_letters_the_sites_charset_does_not_have_are_nobodys_number(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("tis620", charset="tis620")):
        run(*RELATIONS)
        add_periods()
        add_people("0012", "ก12")
        factory = LegacyFactory(clock=lambda: EVENING)

        assert factory.set_mark(Cell(DAY, 2, "ก12"), "late") == "applied"
        with pytest.raises(Refused, match="nobody"):
            factory.look(Cell(DAY, 2, "😀12"))


def test_all_rows_of_a_cell_are_set_where_nothing_keeps_them_single(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("doubled")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="MyISAM", key=""), VIEW)
        add_periods()
        add_people("0012")
        for status in ("late", "present"):
            add_mark("0012", 2, status)
        factory = LegacyFactory(clock=lambda: EVENING)

        factory.set_mark(CELL, "late")
        assert marks() == [(2, "0012", "late", "attsync")] * 2

        factory.set_mark(CELL, "absent")
        assert marks() == []


@pytest.mark.parametrize(("engine", "key"), [("InnoDB", KEY), ("InnoDB", ""), ("MyISAM", KEY), ("MyISAM", "")])
@pytest.mark.parametrize("wishes", [("late", "late"), ("late", "absent"), ("present", "late")])
def test_two_agents_at_the_same_cell_at_once_take_nothing_from_each_other(
    mariadb: MariaDB, engine: str, key: str, wishes: tuple[str, str]
) -> None:
    """By mistake there may be two. Each wish is set, or was overtaken by the other; none is undone."""
    people = [f"{n:04}" for n in range(1, 41)]
    url = mariadb.create("raced")
    start = threading.Barrier(2, timeout=30)

    def agent(wish: str) -> set[str]:
        with pointed_at(url):
            factory = LegacyFactory(clock=lambda: EVENING)
            return {_at_once(start, factory, Cell(DAY, 2, no), wish) for no in people}

    with pointed_at(url):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine=engine, key=key), VIEW)
        add_periods()
        add_people(*people)
        with ThreadPoolExecutor(2) as pool:
            outcomes = set.union(*pool.map(agent, wishes))

        if engine == "InnoDB" or len(set(wishes)) == 1:
            assert outcomes == {"applied"}
        stands = {str(no): status for _, no, status, _ in marks()}
        assert set(stands.values()) <= set(wishes)
        assert "absent" in wishes or stands.keys() == set(people)


def _at_once(start: threading.Barrier, factory: LegacyFactory, cell: Cell, wish: str) -> str:
    start.wait()
    try:
        return factory.set_mark(cell, wish)
    except Refused as exc:
        return str(exc)


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_a_row_that_was_in_the_way_is_left_there(
    mariadb: MariaDB, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Killed right after that, nobody would set it again: the cloud has taken the other agent's word for it."""
    create = Override.objects.create

    def too_late(**values: object) -> Override:
        monkeypatch.setattr(Override.objects, "create", create)
        create(**values)
        return create(**values)

    with pointed_at(mariadb.create("in_the_way")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine=engine, key=KEY), VIEW)
        add_periods()
        add_people("0012")
        monkeypatch.setattr(Override.objects, "create", too_late)
        monkeypatch.setattr(Attempt, "undo", lambda _attempt: pytest.fail("undone"))

        assert LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "late") == "applied"
        assert marks() == [(2, "0012", "late", "attsync")]


def test_what_another_agent_has_set_for_others_is_not_undone(mariadb: MariaDB) -> None:
    """The other one writes the same name in the same second, and our own attempt is refused."""
    with pointed_at(mariadb.create("meddling")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="MyISAM", key=""), VIEW)
        run(
            "CREATE TRIGGER t BEFORE INSERT ON att_manual FOR EACH ROW"
            " SET NEW.status = IF(NEW.emp_code = '0012', 'sick', NEW.status)"
        )
        add_periods()
        add_people("0012", "0145")

        attempt = Attempt(CELL, "late", EVENING)
        attempt.look()
        LegacyFactory(clock=lambda: EVENING).set_mark(Cell(DAY, 2, "0145"), "late")
        with pytest.raises(Refused, match="read back sick"):
            attempt.make()
        attempt.undo()

        assert marks() == [(2, "0145", "late", "attsync")]


def test_of_several_rows_of_a_cell_the_newest_counts(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("doubled")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="InnoDB", key=""), VIEW)
        add_periods()
        add_people("0012")
        add("override", ("2026-07-28", 2, "0012", "late", "x", "2026-07-28 10:00:00"))
        add("override", ("2026-07-28", 2, "0012", "present", "x", "2026-07-28 09:00:00"))

        assert worker(captured(), "0012").p[2] == "late"
        assert LegacyFactory().look(CELL) == "late"


# --- what a column would change -------------------------------------------------------------------------------------


@pytest.fixture(params=["MyISAM", "InnoDB"])
def numeric(request: pytest.FixtureRequest, mariadb: MariaDB) -> Iterator[LegacyFactory]:
    """The site keeps numbers as numbers, and nothing keeps its rows single."""
    with pointed_at(mariadb.create("numeric")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine=request.param, key=""), VIEW)
        run("ALTER TABLE att_manual MODIFY emp_code INT NOT NULL")
        add_periods()
        add_people("0012", "12")
        yield LegacyFactory(clock=lambda: EVENING)


def test_a_number_that_the_column_would_change_is_not_written_at_all(numeric: LegacyFactory) -> None:
    seen = set()
    for _ in range(3):
        with pytest.raises(Refused, match="emp_no is int.* cannot hold 0012") as refused:
            numeric.set_mark(CELL, "present")
        seen.add((refused.value.code, refused.value.final))

    assert seen == {("write_failed", False)}
    assert marks() == []


def test_a_number_that_the_column_keeps_as_it_is_can_be_marked(numeric: LegacyFactory) -> None:
    assert numeric.set_mark(Cell(DAY, 2, "12"), "present") == "applied"
    assert numeric.set_mark(CELL, "absent") == "applied"
    assert marks() == [(2, 12, "present", "attsync")]


@pytest.mark.parametrize("column", ["emp_code", "status"])
def test_a_column_that_is_too_short_is_named_before_anything_is_written(mariadb: MariaDB, column: str) -> None:
    with pointed_at(mariadb.create("short")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="MyISAM", key=""), VIEW)
        run(f"ALTER TABLE att_manual MODIFY {column} CHAR(4) NOT NULL")
        add_periods()
        add_people("00012")

        factory = LegacyFactory(clock=lambda: EVENING)
        for mark in (factory.would_set_mark, factory.set_mark):
            with pytest.raises(Refused, match=r"is char\(4\), which cannot hold (00012|present)"):
                mark(Cell(DAY, 2, "00012"), "present")
        assert marks() == []


ON_WRITE = "CREATE TRIGGER t{n} BEFORE {what} ON att_manual FOR EACH ROW SET NEW.{change}"


@pytest.mark.parametrize(
    ("engine", "updated"),
    [("InnoDB", "DATETIME"), *(("MyISAM", kind) for kind in ("DATETIME", "DATETIME(6)", "DATE", "VARCHAR(30)"))],
)
@pytest.mark.parametrize("change", ["emp_code = TRIM(LEADING '0' FROM NEW.emp_code)", "status = 'sick'"])
def test_what_reads_back_different_is_taken_away_again(
    mariadb: MariaDB, engine: str, updated: str, change: str
) -> None:
    with pointed_at(mariadb.create("meddling")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine=engine, key=""), VIEW)
        run(f"ALTER TABLE att_manual MODIFY updated_at {updated}")
        run(ON_WRITE.format(n=1, what="INSERT", change=change))
        add_periods()
        add_people("0012")
        add_mark("13", 2, "late")
        before = marks()

        with pytest.raises(Refused, match="read back"):
            LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "present")

        assert marks() == before


def test_the_mark_that_was_there_is_put_back(mariadb: MariaDB) -> None:
    with pointed_at(mariadb.create("meddling")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="MyISAM", key=""), VIEW)
        run(
            "CREATE TRIGGER t BEFORE UPDATE ON att_manual FOR EACH ROW"
            " SET NEW.status = IF(NEW.status = 'present', 'sick', NEW.status)"
        )
        add_periods()
        add_people("0012")
        add_mark("0012", 2, "late")

        with pytest.raises(Refused, match="read back sick"):
            LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "present")

        assert marks() == [(2, "0012", "late", "web")]


def test_how_the_columns_are_declared_is_asked_once(factory: LegacyFactory) -> None:
    factory.set_mark(CELL, "late")
    with CaptureQueriesContext(connections["legacy"]) as asked:
        factory.set_mark(Cell(DAY, 3, "0013"), "late")

    assert not [query for query in asked.captured_queries if re.search("SHOW|PRAGMA", query["sql"])]


@pytest.mark.parametrize(
    ("declared", "kept", "changed"),
    [
        ("int(11)", ["12", "0", "120"], ["0012", "A12", "", "12.0", "-5", "๑๒"]),
        ("bigint(20) unsigned", ["12"], ["012"]),
        ("int(4) unsigned zerofill", ["0012", "12345"], ["12", "00012"]),
        ("decimal(10,0)", ["12"], ["0012"]),
        ("decimal(10,2)", [], ["12", "0012"]),
        ("double", [], ["12", "0012"]),
        ("varchar(4)", ["0012", "ก012"], ["00012"]),
        ("CHAR(4)", ["late"], ["present"]),
        ("enum('present','late')", ["late"], ["sick", "enum"]),
        ("text", ["0012"], []),
        ("", ["0012"], []),
    ],
)
def test_a_declaration_tells_what_a_column_keeps(declared: str, kept: list[str], changed: list[str]) -> None:
    assert [text for text in (*kept, *changed) if keeps(declared, text)] == kept


@pytest.mark.parametrize("declared", ["INTEGER", "NUMERIC(10)", "REAL"])
def test_sqlite_too_makes_numbers_of_digits(factory: LegacyFactory, declared: str) -> None:
    run("DROP TABLE attsync_override", TEXT_TABLE.replace("emp_no VARCHAR(32)", f"emp_no {declared}"))

    with pytest.raises(Refused, match="cannot hold 0012"):
        factory.set_mark(CELL, "late")


DISTINCT_VIEW = "DROP VIEW attsync_override; " + VIEW.replace("SELECT", "SELECT DISTINCT")
ON_INSERT = "CREATE TRIGGER t BEFORE INSERT ON att_manual FOR EACH ROW "


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (DISTINCT_VIEW, "not (updatable|insertable-into)"),
        ("ALTER TABLE att_manual MODIFY status VARCHAR(3) NOT NULL", r"status is varchar\(3\), .* hold late"),
        ("ALTER TABLE att_manual MODIFY status ENUM('present') NOT NULL", "status is enum.*, .* hold late"),
        (ON_INSERT + "SET NEW.status = 'present'", "read back present"),
        (ON_INSERT + "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'closed'", "closed"),
        ("ALTER TABLE att_manual ADD must VARCHAR(3) NOT NULL", "default value"),
    ],
)
def test_what_the_site_will_not_store_is_refused_in_its_own_words(mariadb: MariaDB, change: str, words: str) -> None:
    with pointed_at(mariadb.create("refusing")):
        run(*RELATIONS, "DROP TABLE attsync_override", TABLE.format(engine="InnoDB", key=KEY), VIEW)
        add_periods()
        add_people("0012")
        run(*change.split("; "))

        with pytest.raises(Refused, match=words) as refused:
            LegacyFactory(clock=lambda: EVENING).set_mark(CELL, "late")

        assert (refused.value.code, refused.value.final) == ("write_failed", False)
        assert marks() == []
