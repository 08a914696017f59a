from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from mirror.models import FactoryLink
from tests.cloud.day import AGENT, ack, at, body, edits, ingest, pending, period, post, worker
from tests.cloud.people import press, sign_in, tap, text_of

pytestmark = pytest.mark.django_db

DAY = "2026-07-21"
NINE = at(f"{DAY}T09:26:40")


@pytest.fixture
def morning() -> Iterator[datetime]:
    """It is 09:26 at the factory, on the day of the tests' snapshots."""
    with time_machine.travel(NINE, tick=False):
        yield NINE


@pytest.fixture
def phone(client: Client, morning: datetime) -> Client:
    sign_in(client)
    return client


def today(**changes: Any) -> dict[str, Any]:
    """The day as it stands at 09:26: the morning is over, the rest has not begun."""
    periods = [
        period(1, "06:00", "07:30"),
        period(2, "07:30", "09:00", late_after="08:00"),
        period(3, "12:00", "13:30", state="wait"),
        period(4, "16:30", "19:00", state="wait"),
    ]
    people = [
        worker("0012", "สมชาย ใจดี", {"1": "06:55"}),
        worker("12", "เอก ใจงาม", {"2": "08:10"}),
        worker("A012", "THIDA AYE", {}),
        worker("0013", "กมล ใจดี", {"2": "present"}),
    ]
    said = {"captured_at": f"{DAY}T09:26:00", "scans_through": f"{DAY}T09:26:00", "periods": periods, "workers": people}
    return body(date.fromisoformat(DAY), **{**said, **changes})


def heard(client: Client, **parameters: str | int) -> None:
    """The agent calls, with its clock right."""
    pending(client, v="1", boot="a.1", clock=int(timezone.now().timestamp()), **parameters)


def page(client: Client, query: str = "") -> str:
    answer = client.get(f"/att-sync/{query}")
    assert answer.status_code == 200, answer.content
    return text_of(answer)


def plain(html: str) -> str:
    """What is read, without the marks that make it."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


# --- labels that say no more than is known --------------------------------------------------------------------------


def test_at_nine_in_the_morning_nobody_is_absent_all_day(phone: Client) -> None:
    ingest(phone, today())
    shown = plain(page(phone))

    assert "มาครบทุกช่วงที่ผ่านมา 3 จาก 4 คน" in shown
    assert "1 ยังไม่มาเลย" in shown
    assert "วันนี้ยังไม่จบ นับเฉพาะช่วงที่ผ่านไปแล้ว" in shown
    assert "ขาดทั้งวัน" not in shown


def test_a_finished_day_says_absent_all_day(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 20)))
    shown = plain(page(phone, "?date=2026-07-20"))

    assert "มาเต็มวัน 1 จาก 3 คน" in shown
    assert "1 ขาดทั้งวัน" in shown
    assert "ยังไม่จบ" not in shown


def test_a_past_day_that_never_finished_says_so(phone: Client) -> None:
    ingest(phone, today())
    with time_machine.travel(NINE + timedelta(days=1)):
        assert "ข้อมูลของวันนี้ไม่เคยจบ" in page(phone, f"?date={DAY}")


def test_a_period_to_come_counts_nobody_as_missing(phone: Client) -> None:
    ingest(phone, today())
    card = page(phone).partition('id="g2"')[2].partition("</details>")[0]

    assert "เริ่ม 12:00 น." in card
    assert "ยังไม่ถึงเวลา ยังไม่นับใครว่าขาด" in card


def test_a_period_whose_terminals_are_not_pulled_is_no_absence(phone: Client) -> None:
    periods = today()["periods"]
    periods[1]["state"] = "settling"
    ingest(phone, today(periods=periods, scans_through=f"{DAY}T08:40:00"))
    shown = plain(page(phone))

    assert "เครื่องสแกนส่งข้อมูลถึง 08:40 น. ช่วง ช่วง 2 จึงยังไม่นับใครว่าขาด" in shown
    assert "รอข้อมูลเครื่องสแกน" in shown
    assert "ยังไม่มีสแกน 1" in shown


def test_a_holiday_says_its_name_and_who_came_all_the_same(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 20), holiday="วันอาสาฬหบูชา"))

    assert "วันหยุด วันอาสาฬหบูชา ไม่นับการมาทำงานในวันนี้ มีคนมาทำงาน 2 คน" in plain(page(phone, "?date=2026-07-20"))


def test_a_day_the_factory_never_sent_is_not_an_absence(phone: Client) -> None:
    ingest(phone, today())
    shown = plain(page(phone, "?date=2026-07-10"))

    assert "ไม่มีข้อมูลของวันนี้" in shown
    assert "ไม่ได้แปลว่ามีใครขาด" in shown
    assert "ขาดทั้งวัน" not in shown


def test_today_before_the_first_snapshot_points_to_the_last_day(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 20)))
    shown = page(phone)

    assert "ยังไม่มีข้อมูลของวันนี้" in shown
    assert "ดู จ. 20 ก.ค." in shown


def test_a_day_to_come_has_not_come_yet(phone: Client) -> None:
    ingest(phone, today())

    assert "ยังไม่ถึงวันนี้" in page(phone, "?date=2026-07-22")


def test_somebody_on_leave_stands_apart_with_the_reason(phone: Client) -> None:
    people = [*today()["workers"], {**worker("9", "ลาป่วย จริง", {}), "e": [], "off": "ลาป่วย"}]
    ingest(phone, today(workers=people))
    shown = plain(page(phone))

    assert "จาก 4 คน · หยุด/ลา 1" in shown
    assert "หยุดหรือลา 1 คน ไม่นับรวม" in shown
    assert "ไม่มา 1 คน" in shown


# --- cards ----------------------------------------------------------------------------------------------------------


def test_missing_in_one_period_is_not_missing_in_its_group(phone: Client) -> None:
    ingest(phone, today())
    shown = plain(page(phone))

    assert "ช่วง 1 · ช่วง 2 06:00–09:00 จบแล้ว มา 3 ไม่มา 1 สาย 1" in shown


def test_the_missing_come_first_in_the_order_of_a_thai_dictionary(phone: Client) -> None:
    names = ["เอกชัย", "กมล", "อำนาจ", "เกษม", "โสภา", "สมชาย", "ก้าน", "กาน"]
    ingest(phone, today(workers=[worker(str(n), name, {}) for n, name in enumerate(names)]))
    card = page(phone).partition('id="g1"')[2].partition('class="card"')[0]

    listed = re.findall(r'translate="no">([^<]+)</b>', card)
    assert listed == ["กมล", "กาน", "ก้าน", "เกษม", "สมชาย", "โสภา", "อำนาจ", "เอกชัย"]


def test_a_long_list_prints_thirty_and_says_how_many_more(phone: Client) -> None:
    ingest(phone, today(workers=[worker(f"{n:04}", f"คน {n:04}", {}) for n in range(100)]))
    shown = page(phone)

    assert shown.count('id="g1-') == 30 + len(["g1-periods"])
    assert "ดูอีก 70 คน" in shown
    href = re.search(r'href="([^"]+)" data-part="g1"', shown)
    assert href
    assert page(phone, href[1].replace("&amp;", "&").partition("/att-sync/")[2]).count('<li id="g1-') == 100


def test_who_came_by_scan_is_listed_when_asked_for(phone: Client) -> None:
    ingest(phone, today())
    shown = page(phone)
    assert "มาแล้ว 2 คน" in shown
    assert "08:10" not in shown

    assert "08:10" in page(phone, f"?date={DAY}&open=g1&came=g1.30")


def test_a_mark_by_hand_offers_to_cancel_it(phone: Client) -> None:
    ingest(phone, today())
    shown = page(phone)

    assert "แก้ด้วยมือ 1 คน" in shown
    assert 'name="absent-2" value="0013" aria-label="ยกเลิก มา กมล ใจดี"' in shown


def test_a_tap_marks_the_last_period_in_which_the_person_is_expected(phone: Client) -> None:
    people = [{**worker("A012", "THIDA", {}), "e": [1]}, worker("12", "เอก", {})]
    ingest(phone, today(workers=people))
    shown = page(phone)

    assert 'name="present-1" value="A012"' in shown
    assert 'name="present-2" value="12"' in shown


def test_a_card_can_show_one_of_its_periods(phone: Client) -> None:
    ingest(phone, today())
    shown = plain(page(phone, f"?date={DAY}&open=g1&period=1"))

    assert "ไม่มา 3 คน" in shown
    assert "ดูทั้ง ช่วง 1 · ช่วง 2" in shown


def test_a_waiting_mark_stays_where_it_was_tapped(phone: Client) -> None:
    ingest(phone, today())
    tap(phone, DAY, 2, "A012", "late")
    card = page(phone).partition('id="g1"')[2].partition("แก้ด้วยมือ")[0]

    assert 'id="g1-A012"' in card
    assert "รอซิงก์" in card


def test_a_day_too_old_to_edit_has_no_buttons(phone: Client, settings: Any) -> None:
    settings.ATTSYNC_EDIT_DAYS = 5
    ingest(phone, today())
    ingest(phone, body(date(2026, 7, 1)))

    assert 'name="present-2"' in page(phone)
    assert 'class="act' not in page(phone, "?date=2026-07-01&open=g1")


def test_many_strangers_are_counted_even_where_they_are_not_listed(phone: Client) -> None:
    day = today()
    day["periods"][0]["scan"] = [{"no": f"9{n:03}", "t": "06:01"} for n in range(250)]
    ingest(phone, day)
    shown = plain(page(phone))

    assert "250 รายการ ไม่นับรวม" in shown
    assert "มีอีก 50 รายการที่ไม่ได้แสดง" in shown


def test_who_was_just_marked_stays_in_the_list_of_absent_people_until_it_is_saved(phone: Client) -> None:
    ingest(phone, today())
    tap(phone, DAY, 2, "A012", "late")

    shown = plain(page(phone, f"?date={DAY}&show=absent"))
    assert "THIDA AYE" in shown
    assert re.search("THIDA AYE .*รอซิงก์", shown)
    assert "THIDA AYE" not in text_of(phone.get(f"/att-sync/print?date={DAY}&show=absent"))


def test_a_day_off_for_everybody_says_so_on_top(phone: Client) -> None:
    workers = [{**one, "e": [], "off": "วันหยุดประจำสัปดาห์", "p": dict.fromkeys(one["p"])} for one in today()["workers"]]
    ingest(phone, {**today(), "workers": workers})

    shown = plain(page(phone))

    assert "วันหยุดประจำสัปดาห์ วันนั้นไม่มีใครต้องมาทำงาน" in shown
    assert "14 วันล่าสุด วันนั้นไม่มีใครต้องมาทำงาน" in shown


def test_print_and_share_keep_the_department(phone: Client) -> None:
    workers = [{**one, "g": "QC"} for one in today()["workers"]]
    ingest(phone, {**today(), "workers": workers})
    shown = page(phone, f"?date={DAY}&g=QC")

    assert f"/att-sync/print?date={DAY}&amp;g=QC" in shown
    assert "แผนก QC" in shown.partition('id="share"')[2].partition("data-url")[0]


def test_scans_of_strangers_are_shown_and_not_counted(phone: Client) -> None:
    periods = today()["periods"]
    periods[0]["scan"] = [{"no": "T-07", "t": "07:12", "x": 1}]
    ingest(phone, today(periods=periods))
    shown = plain(page(phone))

    assert "สแกนของคนนอกรายชื่อ 1 รายการ ไม่นับรวม" in shown
    assert "T-07" in shown
    assert "จาก 4 คน" in shown


def test_odd_data_is_told_in_words(phone: Client) -> None:
    notices = [{"kind": "dead_terminal", "n": 2, "sample": []}, {"kind": "brand_new", "n": 1, "sample": []}]
    ingest(phone, today(notices=notices))
    shown = page(phone)

    assert "เครื่องสแกนที่ไม่ส่งข้อมูล 2 เครื่อง" in shown
    assert "brand_new: 1" in shown


def test_a_refused_edit_tells_the_factorys_reason(phone: Client) -> None:
    ingest(phone, today())
    tap(phone, DAY, 2, "A012", "late")
    nack = {**ack(edits(phone)[0]), "code": "unknown_employee", "error": "gone", "final": True}
    post(phone, "applied", {"nacks": [nack]})

    assert "โรงงานไม่รับ ช่วง 2 · รหัสนี้ไม่อยู่ในทะเบียนของโรงงานแล้ว" in plain(page(phone))


def test_a_wish_the_factory_leaves_unanswered_is_stuck(phone: Client) -> None:
    ingest(phone, today())
    tap(phone, DAY, 2, "A012", "late")
    with time_machine.travel(NINE + timedelta(minutes=11), tick=False):
        heard(phone)
        shown = plain(page(phone))

    assert "สาย ค้างนาน" in shown
    assert "มีรายการค้าง 1 รายการ" in shown


def test_while_the_factory_is_silent_nothing_counts_as_stuck(phone: Client) -> None:
    ingest(phone, today())
    heard(phone)
    tap(phone, DAY, 2, "A012", "late")
    with time_machine.travel(NINE + timedelta(minutes=30), tick=False):
        shown = page(phone)

    assert "ค้างนาน" not in shown
    assert "รอซิงก์" in shown


# --- finding people -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["A012", "a012", "thida", "AYE", "  thida  "])
def test_people_are_found_by_number_or_part_of_the_name(phone: Client, query: str) -> None:
    ingest(phone, today())
    shown = page(phone, f"?date={DAY}&q={query}")

    assert "THIDA AYE" in shown
    assert "กมล ใจดี" not in shown


def test_thai_digits_find_a_number(phone: Client) -> None:
    ingest(phone, today())

    assert "สมชาย" in page(phone, f"?date={DAY}&q=๐๐๑๒")


def test_nobody_found_says_what_was_looked_for(phone: Client) -> None:
    ingest(phone, today())

    assert "ไม่พบ “สมปอง”" in page(phone, f"?date={DAY}&q=สมปอง")


@pytest.mark.parametrize(
    ("show", "people"),
    [("absent", {"THIDA AYE"}), ("late", {"เอก ใจงาม"}), ("full", {"สมชาย ใจดี", "เอก ใจงาม", "กมล ใจดี"})],
)
def test_a_tile_lists_the_people_it_counts(phone: Client, show: str, people: set[str]) -> None:
    ingest(phone, today())
    cards = page(phone, f"?date={DAY}&show={show}").partition('id="cards"')[2].partition('class="aside"')[0]

    assert set(re.findall(r'translate="no">([^<]+)</b>', cards)) == people


def test_a_department_filters_people_and_figures(phone: Client) -> None:
    people = [worker("1", "หนึ่ง", {"1": "06:55"}), {**worker("2", "สอง", {}), "g": "คลัง"}]
    ingest(phone, today(workers=people))
    shown = plain(page(phone, f"?date={DAY}&g=คลัง"))

    assert "มาครบทุกช่วงที่ผ่านมา 0 จาก 1 คน" in shown
    assert "แผนก คลัง" in shown


# --- how fresh ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (0, "ซิงก์ล่าสุด เมื่อครู่ · ปกติ"),
        (5, "ซิงก์ล่าสุด 5 นาทีที่แล้ว · ปกติ"),
        (6, "ซิงก์ล่าสุด 6 นาทีที่แล้ว · ช้า"),
        (15, "ซิงก์ล่าสุด 15 นาทีที่แล้ว · ช้า"),
        (16, "ซิงก์ล่าสุด 16 นาทีที่แล้ว · โรงงานออฟไลน์"),
        (125, "ซิงก์ล่าสุด 2 ชั่วโมงที่แล้ว · โรงงานออฟไลน์"),
    ],
)
def test_the_line_says_how_long_the_factory_has_been_silent(phone: Client, minutes: int, said: str) -> None:
    ingest(phone, today())
    heard(phone)
    with time_machine.travel(NINE + timedelta(minutes=minutes), tick=False):
        shown = plain(page(phone))

    assert f"ข้อมูล ณ 09:26 น. {said}" in shown


def test_a_factory_offline_is_told_with_the_time_of_the_figures(phone: Client) -> None:
    ingest(phone, today())
    heard(phone)
    with time_machine.travel(NINE + timedelta(minutes=20), tick=False):
        shown = plain(page(phone))

    assert "โรงงานออฟไลน์ตั้งแต่ 09:26 น." in shown
    assert "ตัวเลขเป็นของเวลา 09:26 น. แก้ไขได้ จะส่งเมื่อกลับมา" in shown


def test_an_unchanged_day_moves_its_data_time_on(phone: Client) -> None:
    ingest(phone, today())
    with time_machine.travel(NINE + timedelta(minutes=34), tick=False):
        heard(phone, day=DAY, captured=int(timezone.now().timestamp()))
        shown = plain(page(phone))

    assert "ข้อมูล ณ 10:00 น. ซิงก์ล่าสุด เมื่อครู่" in shown


def test_a_wrong_clock_at_the_factory_is_told(phone: Client) -> None:
    ingest(phone, today())
    pending(phone, v="1", boot="a.1", clock=int((NINE + timedelta(minutes=12)).timestamp()))

    assert "นาฬิกาที่โรงงานเดินผิด 12 นาที" in page(phone)


def test_the_agents_own_trouble_is_told_in_words(phone: Client) -> None:
    ingest(phone, today())
    heard(phone, error="factory_down")

    assert "อ่านฐานข้อมูลของโรงงานไม่ได้" in page(phone)


def test_an_unknown_trouble_is_shown_as_it_is(phone: Client) -> None:
    ingest(phone, today())
    heard(phone, error="flood")

    assert "flood" in page(phone)


def test_a_call_with_a_wrong_key_after_the_last_good_one_is_told(phone: Client) -> None:
    ingest(phone, today())
    heard(phone)
    with time_machine.travel(NINE + timedelta(minutes=1), tick=False):
        phone.get("/att-sync/pending", headers={"X-API-KEY": "wrong"})
        assert "มีเครื่องติดต่อเข้ามาด้วยรหัสเชื่อมต่อที่ผิด" in page(phone)

    with time_machine.travel(NINE + timedelta(minutes=2), tick=False):
        heard(phone)
        assert "รหัสเชื่อมต่อที่ผิด" not in page(phone)


# --- before anything has come ---------------------------------------------------------------------------------------


def test_before_the_agent_ever_called_the_page_says_so(phone: Client) -> None:
    assert "ยังไม่เคยได้ยินจากโรงงาน" in page(phone)


def test_a_wrong_key_on_the_first_day_is_named(phone: Client) -> None:
    phone.get("/att-sync/pending", headers={"X-API-KEY": "wrong"})

    assert "รหัสเชื่อมต่อของโรงงานไม่ตรงกัน" in page(phone)


def test_an_agent_that_has_not_sent_a_day_yet_is_waited_for(phone: Client) -> None:
    phone.get("/att-sync/pending", headers=AGENT)

    assert "กำลังรอข้อมูลวันแรก" in page(phone)


def test_a_missing_key_is_named(phone: Client, settings: Any) -> None:
    settings.ATTSYNC_KEYS = []

    assert "ยังไม่ได้ตั้งรหัสเชื่อมต่อของโรงงาน" in page(phone)


def test_a_day_without_people_opens(phone: Client) -> None:
    ingest(phone, today(workers=[]))

    assert "จาก 0 คน" in plain(page(phone))


# --- old agents -----------------------------------------------------------------------------------------------------


def test_a_day_of_an_old_agent_shows_the_same_page(phone: Client) -> None:
    old = {
        "date": DAY,
        "gen": 1,
        "active_total": 2,
        "stat": {"full": 1, "partial": 0, "absent": 1},
        "periods": [
            {"code": 2, "scan": [{"no": "12", "name": "เอก", "t": "07:45"}], "miss": [{"no": "A012", "name": "THIDA"}]}
        ],
    }
    ingest(phone, old)
    shown = plain(page(phone))

    assert "มา 1" in shown
    assert "THIDA" in shown


# --- what is odd in names -------------------------------------------------------------------------------------------


def test_html_in_a_name_stays_text(phone: Client) -> None:
    evil = '<script>alert(1)</script>"><img src=x onerror=y>'
    ingest(phone, today(workers=[worker("1", evil, {}), worker("2", "x", {})]))
    shown = page(phone)
    page_after_tap = text_of(phone.get(press(phone, DAY, "late-2", "1").headers["Location"]))

    assert "<script>alert" not in shown + page_after_tap
    assert "<img" not in shown + page_after_tap
    assert "&lt;script&gt;alert" in shown


@pytest.mark.parametrize("number", ["a b", "ก-1", "1/2", "x#y", "..", "A?1", "%41", "นาย 1"])
def test_any_number_has_a_row_and_a_page_of_its_own(phone: Client, number: str) -> None:
    ingest(phone, today(workers=[worker(number, "แปลก", {}), worker("0", "อื่น", {})]))
    location = press(phone, DAY, "late-2", number).headers["Location"]
    anchor = location.partition("#")[2]

    assert f'<li id="{anchor}">' in text_of(phone.get(location))


def test_four_clocks_stand_in_the_page(phone: Client) -> None:
    ingest(phone, today())
    heard(phone)
    shown = page(phone)

    link = FactoryLink.objects.get()
    assert link.last_seen
    assert f'data-heard="{int(link.last_seen.timestamp())}"' in shown
    assert f'data-data="{int(at(f"{DAY}T09:26:00").timestamp())}"' in shown
    assert f'data-now="{int(NINE.timestamp())}"' in shown
