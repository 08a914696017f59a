"""A day out of the six relations: who is on it, whose scans are whose, and what is odd about it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from msgspec import UNSET

from mirror.intake import parse
from mirror.wire import encode
from onprem.factory import LegacyFactory
from onprem.ports import BadWindows
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
    notice,
    run,
    worker,
)


@pytest.fixture(autouse=True)
def _four_periods(relations: object) -> None:
    add_periods()


def test_a_day_is_read_and_counted() -> None:
    add_people("0012", "0013", "0014")
    add_scans("0012", "2026-07-28 06:55:00", "2026-07-28 12:40:00", "2026-07-28 17:05:00")
    add_scans("0013", "2026-07-28 08:01:00")
    add_mark("0013", 3, "late")

    day = captured()

    assert worker(day, "0012").p == {1: "06:55", 2: None, 3: "12:40", 4: "17:05"}
    assert worker(day, "0013").p == {1: None, 2: "08:01", 3: "late", 4: None}
    assert (day.active_total, day.stat.full, day.stat.partial, day.stat.absent) == (3, 1, 1, 1)


def test_the_snapshot_says_when_and_by_which_rules_it_was_taken() -> None:
    add_people("0012")

    day = captured()

    assert (day.date, day.captured_at, day.day_starts, day.rules) == ("2026-07-28", "2026-07-28T20:00:00", "04:00", 1)
    assert (day.gen, day.scans_through, day.holiday, day.notices) == (None, None, None, [])


def test_periods_come_in_the_order_of_their_windows_with_their_state() -> None:
    day = captured(now=datetime.fromisoformat("2026-07-28T12:10:00"))

    found = [(period.code, period.name, period.start, period.end, period.state) for period in day.periods]
    assert found[1:3] == [(2, "เช้า 2", "07:30", "09:00", "end"), (3, "บ่าย", "12:00", "13:30", "open")]
    assert [period.late_after for period in day.periods] == [None, "08:00", "13:00", None]


def test_one_group_number_is_one_group_and_none_is_its_own() -> None:
    run("UPDATE attsync_period SET grp = NULL WHERE code IN (3, 4)")

    assert captured().groups == [[1, 2], [3], [4]]


def test_the_same_rows_in_another_order_give_the_same_bytes() -> None:
    add_people("0014", "0012", "0013")
    add_scans("0012", "2026-07-28 17:05:00", "2026-07-28 06:55:00")
    first = encode(captured())

    run("DELETE FROM attsync_employee", "DELETE FROM attsync_scan", "DELETE FROM attsync_period")
    add_people("0012", "0013", "0014")
    add_scans("0012", "2026-07-28 06:55:00", "2026-07-28 17:05:00")
    add_periods()

    assert encode(captured()) == first


# --- the roster -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("active", "hired", "left", "is_there"),
    [
        (1, None, None, True),
        (0, None, None, False),
        (1, "2026-07-28", None, True),
        (1, "2026-07-29", None, False),
        (0, None, "2026-07-28", True),
        (1, None, "2026-07-27", False),
        (1, "2569-07-29", None, False),
    ],
)
def test_the_roster_follows_the_dates_and_then_the_active_flag(
    active: int, hired: str | None, left: str | None, is_there: bool
) -> None:
    add("employee", ("0012", "12", "สมชาย", None, active, hired, left, None))

    assert [one.no for one in captured().workers] == ["0012"] * is_there


def test_somebody_inactive_who_scans_is_on_the_roster_that_day() -> None:
    add("employee", ("0012", "12", "สมชาย", None, 0, None, None, None))
    add_scans("12", "2026-07-28 06:55:00")

    assert worker(captured(), "0012").p[1] == "06:55"
    assert captured(DAY + timedelta(days=1)).workers == []


def test_somebody_inactive_with_a_mark_is_on_the_roster_that_day() -> None:
    add("employee", ("0012", "12", "สมชาย", None, 0, None, None, None))
    add_mark("0012", 2, "present")

    assert worker(captured(), "0012").p[2] == "present"


def test_somebody_inactive_who_scans_between_the_windows_is_not() -> None:
    add("employee", ("0012", "12", "สมชาย", None, 0, None, None, None))
    add_scans("12", "2026-07-28 10:30:00")

    assert captured().workers == []


def test_an_empty_name_is_no_name() -> None:
    add("employee", ("0012", "12", "  ", "", 1, None, None, None))

    found = worker(captured(), "0012")

    assert (found.name, found.g) == (None, None)


def test_a_name_with_an_emoji_arrives_whole() -> None:
    add("employee", ("0012", "12", "สมชาย 😀", "ผลิต", 1, None, None, None))

    assert worker(captured(), "0012").name == "สมชาย 😀"


def test_numbers_that_look_alike_are_different_people() -> None:
    add("employee", *((no, device, None, None, 1, None, None, None) for no, device in
        [("0012", "12"), ("12", "1012"), ("A012", "9012")]))  # fmt: skip
    add_scans("12", "2026-07-28 06:55:00")
    add_scans("9012", "2026-07-28 06:56:00")

    day = captured()

    assert {one.no: one.p[1] for one in day.workers} == {"0012": "06:55", "12": None, "A012": "06:56"}


# --- shifts, leave, holidays ----------------------------------------------------------------------------------------


def test_somebody_without_a_shift_is_expected_in_every_period() -> None:
    add_people("0012")

    assert worker(captured(), "0012").e is UNSET


def test_a_shift_is_its_own_periods_and_those_for_everyone() -> None:
    run(
        "UPDATE attsync_period SET shift_code = '7' WHERE code = 3",
        "UPDATE attsync_period SET shift_code = '07' WHERE code = 4",
    )
    add("employee", ("0012", "12", None, None, 1, None, None, "7"))

    assert worker(captured(), "0012").e == [1, 2, 3]


def test_two_shifts_may_have_windows_at_the_same_time() -> None:
    add("period", (5, "กะ N", "12:30:00", "14:00:00", None, 5, "N", None))
    run("UPDATE attsync_period SET shift_code = 'D' WHERE code = 3")
    add("employee", ("0012", "12", None, None, 1, None, None, "D"), ("0013", "13", None, None, 1, None, None, "N"))
    add_scans("12", "2026-07-28 12:45:00")
    add_scans("13", "2026-07-28 12:45:00")

    day = captured()

    assert (worker(day, "0012").p[3], worker(day, "0012").p[5]) == ("12:45", None)
    assert (worker(day, "0013").p[3], worker(day, "0013").p[5]) == (None, "12:45")


def test_a_night_shift_belongs_to_the_day_it_began() -> None:
    run("DELETE FROM attsync_period")
    add(
        "period",
        (5, "เข้า", "19:30:00", "21:00:00", "20:00:00", 1, "N", None),
        (6, "พัก", "00:00:00", "01:30:00", None, 2, "N", None),
        (7, "ออก", "05:00:00", "06:30:00", None, 3, "N", 1),
    )
    add("employee", ("0012", "12", None, None, 1, None, None, "N"))
    add_scans("12", "2026-07-28 05:10:00", "2026-07-28 19:55:00", "2026-07-29 00:50:00", "2026-07-29 05:20:00")

    day = captured(now=datetime.fromisoformat("2026-07-29T07:00:00"))

    assert worker(day, "0012").p == {5: "19:55", 6: "00:50", 7: "05:20"}
    assert day.stat.full == 1


def test_a_day_workers_morning_does_not_close_the_night_shift_of_yesterday() -> None:
    add("period", (7, "กะดึก ออก", "05:00:00", "06:30:00", None, 7, "N", 1))
    run("UPDATE attsync_period SET shift_code = 'D' WHERE code < 5")
    add("employee", ("0012", "12", None, None, 1, None, None, "D"), ("0013", "13", None, None, 1, None, None, "N"))
    add("dayoff", ("2026-07-28", "2026-07-28", "0012", "D", "ลา"))
    add_scans("12", "2026-07-29 06:00:00")
    add_scans("13", "2026-07-29 06:00:00")

    today, tomorrow = LegacyFactory().snapshots([DAY, DAY + timedelta(days=1)], now=EVENING + timedelta(days=1))

    assert (worker(today, "0012").p[7], worker(tomorrow, "0012").p[1]) == (None, "06:00")
    assert (worker(today, "0013").p[7], worker(tomorrow, "0013").p[1]) == ("06:00", None)


@pytest.mark.parametrize(("part", "left"), [("D", []), ("M", [3, 4]), ("A", [1, 2]), ("d", []), (None, [])])
def test_leave_takes_its_part_of_the_day_away(part: str | None, left: list[int]) -> None:
    add_people("0012", "0013")
    add("dayoff", ("2026-07-27", "2026-07-28", "0012", part, "ลาป่วย"))

    found = worker(captured(), "0012")

    assert (found.e, found.off) == (left, "ลาป่วย")
    assert worker(captured(), "0013").e is UNSET


def test_leave_ends_with_its_last_day() -> None:
    add_people("0012")
    add("dayoff", ("2026-07-26", "2026-07-27", "0012", "D", "ลาป่วย"))

    assert worker(captured(), "0012").off is None


def test_leave_without_an_end_goes_on() -> None:
    add_people("0012")
    add("dayoff", ("2026-01-01", "9999-12-31", "0012", "D", "ลาคลอด"))

    assert worker(captured(), "0012").off == "ลาคลอด"


def test_a_holiday_is_everybodys_and_has_a_name() -> None:
    add_people("0012", "0013")
    add("dayoff", ("2026-07-28", "2026-07-28", None, "D", "วันเฉลิมพระชนมพรรษา"))

    day = captured()

    assert day.holiday == "วันเฉลิมพระชนมพรรษา"
    assert [(one.e, one.off) for one in day.workers] == [([], "วันเฉลิมพระชนมพรรษา")] * 2
    assert day.active_total == 0


def test_a_holiday_worked_is_counted() -> None:
    add_people("0012", "0013")
    add("dayoff", ("2026-07-28", "2026-07-28", None, "D", "วันหยุด"))
    add_scans("0012", "2026-07-28 06:55:00")

    assert (captured().active_total, captured().stat.full) == (1, 1)


# --- odd rows -------------------------------------------------------------------------------------------------------


def test_a_number_nobody_has_is_listed_and_shown_but_not_counted() -> None:
    add_people("0012")
    add_scans("777", "2026-07-28 06:55:00", "2026-07-28 06:58:00", "2026-07-28 12:10:00")

    day = captured()

    assert notice(day, "unmatched") == (3, ["777"])
    assert [(period.code, row.no, row.t, row.x) for period in day.periods for row in period.scan] == [
        (1, "777", "06:55", 1),
        (3, "777", "12:10", 1),
    ]
    assert day.active_total == 1


def test_a_scan_of_the_future_is_listed_and_not_counted() -> None:
    add_people("0012", "0013")
    add_scans("0012", "2026-07-28 17:05:01", "2027-01-01 07:00:00")
    add_scans("0013", "2026-07-28 17:05:00")

    day = captured(now=datetime.fromisoformat("2026-07-28T17:00:00"))

    assert (worker(day, "0012").p[4], worker(day, "0013").p[4]) == (None, "17:05")
    assert notice(day, "future_scan") == (2, ["0012 2026-07-28 17:05:01", "0012 2027-01-01 07:00:00"])


def test_an_ancient_scan_is_listed() -> None:
    add_scans("0012", "1999-12-31 23:59:59", "1970-01-01 07:00:00")

    assert notice(captured(), "old_scan")[0] == 2


def test_past_days_do_not_repeat_todays_oddities() -> None:
    add_scans("0012", "1970-01-01 07:00:00", "2027-01-01 07:00:00")

    assert captured(DAY - timedelta(days=1)).notices == []


def test_the_same_scan_twice_counts_once_and_is_listed() -> None:
    add_people("0012")
    add_scans("0012", "2026-07-28 06:55:00", "2026-07-28 06:55:00", "2026-07-28 06:57:00")

    day = captured()

    assert worker(day, "0012").p[1] == "06:55"
    assert notice(day, "duplicate") == (1, ["0012 2026-07-28 06:55:00"])


def test_the_same_scan_of_nobody_twice_is_one_unmatched() -> None:
    add_scans("777", "2026-07-28 06:55:00", "2026-07-28 06:55:00")

    day = captured()

    assert (notice(day, "unmatched"), notice(day, "duplicate")[0]) == ((1, ["777"]), 1)


def test_an_unknown_override_is_ignored_and_listed() -> None:
    add_people("0012")
    add_mark("0012", 2, "sick")

    day = captured()

    assert worker(day, "0012").p[2] is None
    assert notice(day, "unknown_override") == (1, ["0012 period 2: sick"])


def test_one_device_number_on_two_people_is_nobodys() -> None:
    add("employee", *((no, "12", None, None, 1, None, None, None) for no in ("0012", "0013")))
    add_scans("12", "2026-07-28 06:55:00")

    day = captured()

    assert [one.p[1] for one in day.workers] == [None, None]
    assert notice(day, "number_collision") == (1, ["12: 0012, 0013"])
    assert (notice(day, "unmatched"), day.periods[0].scan) == ((0, []), [])


def test_blanks_around_device_numbers_do_not_matter() -> None:
    add("employee", ("0012", " 12", None, None, 1, None, None, None))
    add_scans("12  ", "2026-07-28 06:55:00")

    assert worker(captured(), "0012").p[1] == "06:55"


@pytest.mark.parametrize(
    "rows",
    [
        [("employee", (" ", "12", "ไม่มีเลข", None, 1, None, None, None))],
        [("employee", ("x" * 33, "12", "ยาวไป", None, 1, None, None, None))],
        [("scan", (900, None, "2026-07-28 07:00:00", "T1"))],
        [("scan", (900, "12", None, "T1"))],
        [("period", (0, "ไม่มีรหัส", "20:00:00", "21:00:00", None, 9, None, None))],
        [("period", (8, "ไม่มีเวลา", None, "21:00:00", None, 9, None, None))],
        [("period", (8, "เกิน", "20:00:00", "21:00:00", None, 9, None, 5))],
        [("override", ("2026-07-28", 2, "9999", "late", "web", None))],
        [("override", ("2026-07-28", 77, "0012", "late", "web", None))],
        [("dayoff", ("2026-07-28", "2026-07-28", "0012", "X", "?"))],
        [("dayoff", ("2026-07-28", "2026-07-28", " ", "D", "ของใคร"))],
    ],
    ids=lambda rows: f"{rows[0][0]} {rows[0][1]}",
)
def test_one_bad_row_is_listed_and_stops_nothing(rows: list[tuple[str, tuple[str | int | None, ...]]]) -> None:
    if connections["legacy"].vendor == "mysql":
        run("ALTER TABLE attsync_employee MODIFY emp_no VARCHAR(64)")
    add_people("0012")
    add_scans("0012", "2026-07-28 06:55:00")
    for relation, row in rows:
        add(relation, row)

    day = captured()

    assert worker(day, "0012").p[1] == "06:55"
    assert notice(day, "bad_row")[0] == 1


# --- terminals ------------------------------------------------------------------------------------------------------


def test_the_day_is_pulled_as_far_as_the_oldest_terminal_that_lives() -> None:
    add("pull", ("A", "2026-07-28 19:00:00"), ("B", "2026-07-28 18:30:00"), ("C", "2026-07-27 19:59:59"), ("D", None))

    day = captured()

    assert day.scans_through == "2026-07-28T18:30:00"
    assert notice(day, "dead_terminal") == (2, ["C", "D"])
    assert [period.state for period in day.periods] == ["end", "end", "end", "settling"]


def test_a_terminal_that_lives_in_the_future_has_been_pulled_until_now() -> None:
    add("pull", ("A", "2026-07-28 23:00:00"))

    assert captured().scans_through == "2026-07-28T20:00:00"


def test_without_the_optional_relations_a_day_is_still_a_day() -> None:
    run("DROP TABLE attsync_pull", "DROP TABLE attsync_dayoff")
    add_people("0012")

    day = captured(now=datetime.fromisoformat("2026-07-28T19:09:59"))

    assert (day.scans_through, day.periods[3].state) == (None, "settling")


# --- what nobody can count by ---------------------------------------------------------------------------------------


def test_overlapping_windows_refuse_the_day_with_words() -> None:
    add("period", (5, "ซ้อน", "08:30:00", "09:30:00", None, 9, None, None))

    with pytest.raises(BadWindows, match=r"periods 2 \(07:30-09:00\) and 5 \(08:30-09:30\) overlap"):
        captured()


def test_a_shifts_window_may_not_overlap_one_for_everyone() -> None:
    add("period", (5, "ซ้อน", "08:30:00", "09:30:00", None, 9, "N", None))

    with pytest.raises(BadWindows, match="of shift N overlap"):
        captured()


def test_one_code_for_two_windows_refuses_the_day() -> None:
    add("period", (1, "อีกอัน", "20:00:00", "21:00:00", None, 9, None, None))

    with pytest.raises(BadWindows, match="period 1 is there twice"):
        captured()


def test_no_period_at_all_refuses_the_day() -> None:
    run("DELETE FROM attsync_period")

    with pytest.raises(BadWindows, match="no period"):
        captured()


# --- many days ------------------------------------------------------------------------------------------------------


def test_many_days_come_in_the_order_asked_for() -> None:
    add_people("0012")
    add_scans("0012", "2026-07-26 06:26:00", "2026-07-27 06:27:00", "2026-07-28 06:28:00")
    days = [DAY, DAY - timedelta(days=2), DAY - timedelta(days=1), DAY - timedelta(days=40)]

    found = list(LegacyFactory().snapshots(days, now=EVENING))

    assert [day.date for day in found] == [day.isoformat() for day in days]
    assert [worker(day, "0012").p[1] for day in found] == ["06:28", "06:26", "06:27", None]


def test_a_day_among_many_is_the_day_alone() -> None:
    add_people("0012")
    add("dayoff", ("2026-07-20", "2026-07-25", "0012", "M", "ลากิจ"))
    add_mark("0012", 2, "late", day="2026-07-24")
    add_scans("0012", *(f"2026-07-{day:02d} 12:{day:02d}:00" for day in range(10, 29)))
    days = [DAY - timedelta(days=back) for back in range(18)]

    together = list(LegacyFactory().snapshots(days, now=EVENING))

    assert together == [captured(day) for day in days]


MESS: list[tuple[str, tuple[str | int | None, ...]]] = [
    ("dayoff", ("2026-07-20", "2026-07-20", "0012", "X", "?")),
    ("dayoff", ("2026-07-15", "2026-07-17", " ", "D", "?")),
    ("dayoff", ("2569-07-15", "2569-07-17", " ", "D", "?")),
    ("dayoff", ("2026-07-16", "0000-00-00", "0012", "X", "?")),
    ("dayoff", ("0000-00-00", "2026-07-25", "0012", "D", "?")),
    ("dayoff", ("2026-07-00", "2026-07-25", "0012", "D", "?")),
    ("override", ("2026-07-20", "x", "0012", "late", "web", None)),
    ("override", ("2026-07-99", "2", "0012", "late", "web", None)),
    ("override", ("2026-07-2x", "2", "0012", "late", "web", None)),
    ("scan", (901, None, "2026-07-20 07:00:00", "T1")),
    ("scan", (902, "0012", "2026-07-20 25:61:00", "T1")),
    ("scan", (903, "0012", "2026-07-2x 07:00:00", "T1")),
    ("scan", (904, None, "2026-07-20 24:00:00", "T1")),
    ("scan", (905, None, "2026-07-20T23:30:00Z", "T1")),
]


@pytest.mark.parametrize(("relation", "row"), MESS, ids=str)
def test_a_bad_row_is_of_the_same_day_whatever_is_read_together_with_it(
    relation: str, row: tuple[str | int | None, ...]
) -> None:
    if connections["legacy"].vendor == "mysql":
        run(
            "ALTER TABLE attsync_scan MODIFY scanned_at VARCHAR(32)",
            "ALTER TABLE attsync_override MODIFY work_date VARCHAR(32), MODIFY period VARCHAR(8)",
            "ALTER TABLE attsync_dayoff MODIFY date_from VARCHAR(32), MODIFY date_to VARCHAR(32)",
        )
    add_people("0012")
    add(relation, row)
    days = [DAY - timedelta(days=back) for back in range(18)]

    together = list(LegacyFactory().snapshots(days, now=EVENING))

    assert together == [captured(day) for day in days]


def test_a_bad_day_off_is_listed_on_the_days_it_is_about() -> None:
    add_people("0012")
    add("dayoff", ("2026-07-20", "2026-07-21", "0012", "X", "?"))
    days = [date(2026, 7, day) for day in (19, 20, 21, 22)]

    found = LegacyFactory().snapshots(days, now=EVENING)

    assert [notice(day, "bad_row")[0] for day in found] == [0, 1, 1, 0]


def queries(days: int) -> int:
    return queries_of([DAY - timedelta(days=back) for back in range(days)])


def queries_of(days: list[date]) -> int:
    with CaptureQueriesContext(connections["legacy"]) as asked:
        list(LegacyFactory().snapshots(days, now=EVENING))
    return len(asked)


def test_the_number_of_queries_does_not_grow_with_people_or_scans() -> None:
    before = queries(1)
    add_people(*(f"{i:04d}" for i in range(50)))
    add_scans("0012", *(f"2026-07-28 06:{i:02d}:00" for i in range(60)))

    assert queries(1) == before


def test_a_week_takes_no_more_queries_than_a_day() -> None:
    assert queries(7) == queries(1)


def test_many_days_are_read_a_week_at_a_time() -> None:
    a_week_more = queries(14) - queries(7)

    assert a_week_more > 0
    assert queries(35) == queries(7) + 4 * a_week_more


def test_days_far_apart_do_not_read_what_lies_between() -> None:
    assert queries_of([DAY, DAY - timedelta(days=300)]) == queries(14)


def test_scans_are_found_by_their_index() -> None:
    with CaptureQueriesContext(connections["legacy"]) as asked:
        captured()
    about_scans = [query["sql"] for query in asked if "attsync_scan" in query["sql"]]

    assert len(about_scans) == 2
    assert all(_uses_index(sql) for sql in about_scans)


def _uses_index(sql: str) -> bool:
    """SQLite says SCAN for a walk through the whole index, too; a server with an empty table says what it could use."""
    if connections["legacy"].vendor == "sqlite":
        return not any(str(step[3]).startswith("SCAN") for step in ask(f"EXPLAIN QUERY PLAN {sql}"))
    return all(step[5] == "attsync_scan_at" for step in ask(f"EXPLAIN {sql}"))


def test_reading_begins_when_the_first_day_is_asked_for() -> None:
    with CaptureQueriesContext(connections["legacy"]) as asked:
        LegacyFactory().snapshots([DAY], now=EVENING)

    assert len(asked) == 0


# --- the other side -------------------------------------------------------------------------------------------------


def test_the_cloud_counts_what_the_factory_counted() -> None:
    add_people(*(f"{i:04d}" for i in range(9)))
    add_scans("0001", "2026-07-28 06:55:00", "2026-07-28 12:40:00", "2026-07-28 17:05:00")
    add_scans("0002", "2026-07-28 08:30:00")
    add_scans("777", "2026-07-28 08:30:00")
    add_mark("0003", 3, "late")
    add("dayoff", ("2026-07-28", "2026-07-28", "0004", "D", "ลา"), ("2026-07-28", "2026-07-28", "0005", "M", "ลา"))
    sent = captured()

    read = parse(encode(sent))

    counted = {"full": sent.stat.full, "partial": sent.stat.partial, "absent": sent.stat.absent, "wait": sent.stat.wait}
    assert read.claimed == {**counted, "active_total": sent.active_total}
    assert [one.p for one in read.snapshot.workers] == [one.p for one in sent.workers]
