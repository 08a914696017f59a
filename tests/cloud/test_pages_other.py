"""Month, person, queue, help, and the page that names a whole group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from editqueue.models import Edit
from tests.cloud.day import ack, at, body, edits, ingest, pending, post, worker
from tests.cloud.people import press, sign_in, tap, text_of
from tests.cloud.test_pages_day import plain, today

pytestmark = pytest.mark.django_db

NINE = at("2026-07-21T09:26:40")
DAY = "2026-07-21"


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    with time_machine.travel(NINE, tick=False):
        ingest(client, today())
        pending(client, v="1", boot="a.1", clock=int(NINE.timestamp()))
        sign_in(client)
        yield client


def crowd(absent: int, came: int) -> list[dict[str, Any]]:
    scanned: dict[str, str | None] = {"1": "06:55", "3": "12:40", "4": "17:05"}
    return [worker(f"{n:03}", f"คน {n}", {} if n < absent else scanned) for n in range(absent + came)]


def shown(client: Client, path: str) -> str:
    answer = client.get(f"/att-sync/{path}")
    assert answer.status_code == 200, answer.content
    return text_of(answer)


# --- month ----------------------------------------------------------------------------------------------------------


def test_the_month_colours_days_by_the_share_of_absent_people(phone: Client) -> None:
    for day, absent in ((6, 0), (7, 1), (8, 2)):
        ingest(phone, body(date(2026, 7, day), workers=crowd(absent, 20 - absent)))
    page = shown(phone, "month?m=2026-07")

    assert re.findall(r'<td class="(l[123])"><a href="[^"]*2026-07-0([678])', page) == [
        ("l1", "6"),
        ("l2", "7"),
        ("l3", "8"),
    ]


def test_the_month_says_the_numbers_aloud(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 8), workers=crowd(2, 18)))

    assert "พุธ ขาด 2 คน" in shown(phone, "month?m=2026-07")


def test_the_month_averages_finished_days_only(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 6), workers=crowd(1, 9)))
    ingest(phone, body(date(2026, 7, 7), workers=crowd(4, 6)))
    page = plain(shown(phone, "month?m=2026-07"))

    assert "เฉลี่ยต่อวัน จาก 2 วันที่จบแล้ว" in page
    assert "2.5 ขาด" in page


def test_days_without_data_holidays_and_days_to_come_look_different(phone: Client) -> None:
    ingest(phone, body(date(2026, 7, 6), holiday="วันหยุดชดเชย"))
    page = shown(phone, "month?m=2026-07")

    assert '<td class="off"><a href="/att-sync/?date=2026-07-06">' in page
    assert '<td class="nodata"><a href="/att-sync/?date=2026-07-07">' in page
    assert '<td class="future"><span class="c"><span class="d">22</span></span></td>' in page
    assert "6 ก.ค. วันหยุดชดเชย" in page


def test_an_open_day_is_never_red_in_the_month(phone: Client) -> None:
    assert re.search(r'<td class="l2"><a href="[^"]*2026-07-21" aria-current="date">', shown(phone, "month"))


def test_the_month_reads_no_payload(phone: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        shown(phone, "month?m=2026-07")

    assert not any('"payload"' in query["sql"] or "`payload`" in query["sql"] for query in captured)


@pytest.mark.parametrize("month", ["2026-13", "13/2569", "x"])
def test_a_senseless_month_gets_a_sentence(phone: Client, month: str) -> None:
    answer = phone.get(f"/att-sync/month?m={month}")

    assert answer.status_code == 400
    assert "date-problem" in text_of(answer)


# --- one person -----------------------------------------------------------------------------------------------------


def test_a_person_has_every_day_with_its_times_and_their_origin(phone: Client) -> None:
    people = [worker("A012", "THIDA AYE", {"2": "08:10", "3": "late"})]
    ingest(phone, body(date(2026, 7, 20), workers=people))
    page = plain(shown(phone, "worker/A012?m=2026-07"))

    assert "จ. 20 มาบางช่วง 08:10 สาย สาย แก้มือ –" in page
    assert "ส. 18 ไม่มีข้อมูล" in page


def test_from_a_persons_page_one_comes_back_to_the_day_one_came_from(phone: Client) -> None:
    ingest(phone, body(date(2026, 6, 30), workers=[worker("A012", "THIDA AYE", {})]))
    who = re.search(r'class="who" href="/att-sync/(worker/A012[^"]*)"', shown(phone, "?date=2026-06-30&open=g2"))
    assert who

    page = shown(phone, who[1])
    assert "อ. 30" in plain(page)
    earlier = re.search(r'href="([?]m=2026-05[^"]*)"', page)
    assert earlier
    for shown_page in (page, shown(phone, "worker/A012" + unescape(earlier[1]))):
        assert '<a class="ib" href="/att-sync/?date=2026-06-30"' in shown_page


def test_a_person_on_the_day_that_runs_is_not_absent(phone: Client) -> None:
    page = plain(shown(phone, "worker/A012?m=2026-07"))

    assert "อ. 21 ยังไม่มาเลย ยังไม่จบ – ยังไม่ถึง ยังไม่ถึง" in page


def test_a_persons_history_says_who_asked_and_what_the_factory_answered(phone: Client) -> None:
    agent = {"User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)"}
    tap(phone, DAY, 2, "A012", "late", **agent)
    post(phone, "applied", {"acks": [ack(edits(phone)[0], gen=1)]})
    page = plain(shown(phone, "worker/A012?m=2026-07"))

    assert "ช่วง 2 อ. 21 ก.ค. → สาย ลงที่โรงงานแล้ว" in page
    assert "09:26 น. · iPhone" in page


def test_a_number_nobody_ever_had_is_404_in_thai(phone: Client) -> None:
    answer = phone.get("/att-sync/worker/nobody")

    assert answer.status_code == 404
    assert "ไม่พบพนักงานรหัสนี้" in text_of(answer)


def test_a_person_is_read_from_an_old_agents_day_too(phone: Client) -> None:
    row = {"no": "77", "name": "เก่า", "t": "07:45"}
    ingest(phone, {"date": "2026-07-20", "gen": 1, "periods": [{"code": 2, "scan": [row]}]})

    assert "07:45" in shown(phone, "worker/77?m=2026-07")


def test_two_people_whose_numbers_look_alike_are_not_mixed_up(phone: Client) -> None:
    assert "สมชาย ใจดี" in shown(phone, "worker/0012")
    assert "สมชาย ใจดี" not in shown(phone, "worker/12")


# --- queue ----------------------------------------------------------------------------------------------------------


def test_the_queue_says_when_nothing_waits(phone: Client) -> None:
    assert "ไม่มีรายการรอซิงก์" in shown(phone, "queue")


def test_the_queue_lists_what_waits_with_its_undo(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    page = shown(phone, "queue")

    assert "สาย รอซิงก์ ช่วง 2 อ. 21 ก.ค. แตะเมื่อ 09:26 น." in plain(page)
    assert 'name="undo"' in page


def test_after_ten_minutes_the_queue_offers_no_undo(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    with time_machine.travel(NINE + timedelta(minutes=11), tick=False):
        assert 'name="undo"' not in shown(phone, "queue")


def test_the_queue_says_why_something_is_stuck_and_offers_to_send_it_again(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    post(phone, "applied", {"nacks": [{**ack(edits(phone)[0]), "code": "write_failed", "error": "x", "final": True}]})
    page = shown(phone, "queue")

    assert "ฐานข้อมูลของโรงงานไม่รับ" in page
    assert 'name="again"' in page


def test_the_queue_shows_what_was_done_in_the_last_day(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    post(phone, "applied", {"acks": [ack(edits(phone)[0], gen=1)]})
    assert "เสร็จใน 24 ชั่วโมง" in shown(phone, "queue")

    with time_machine.travel(NINE + timedelta(hours=25), tick=False):
        assert "เสร็จใน 24 ชั่วโมง" not in shown(phone, "queue")


def test_what_is_stuck_does_not_drown_in_what_is_new(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    refused = {**ack(edits(phone)[0]), "code": "unknown_employee", "final": True}
    post(phone, "applied", {"acks": [], "nacks": [refused]})
    with time_machine.travel(NINE + timedelta(minutes=1), tick=False):
        ingest(phone, {**today(), "gen": 1_785_300_000, "workers": crowd(absent=250, came=1), "force": True})
        mark_everybody(phone, f"everyone?date={DAY}&group=1-2")
        page = plain(shown(phone, "queue"))

    assert "THIDA AYE" in page
    assert re.search(r"ค้าง 1 รอซิงก์ 250|ค้าง 1 รอ 250", page)
    assert "มีรายการเก่ากว่าอีก 50 รายการที่ไม่ได้แสดง" in page


def test_a_whole_group_can_be_taken_back_from_the_queue_too(phone: Client) -> None:
    ingest(phone, {**today(), "gen": 1_785_300_000, "workers": crowd(absent=3, came=1), "force": True})
    mark_everybody(phone, f"everyone?date={DAY}&group=1-2")
    value = shown(phone, "queue").partition('name="undo_all" value="')[2].partition('"')[0]
    answer = phone.post("/att-sync/mark", {"undo_all": value, "place": "queue"})

    assert "เลิกทำแล้ว 3 รายการ" in text_of(phone.get(answer.headers["Location"]))
    assert set(Edit.objects.values_list("status", flat=True)) == {"absent"}


def test_the_queues_message_names_the_period(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    edit = Edit.objects.get()
    answer = phone.post("/att-sync/mark", {"undo": f"{edit.id}.{edit.rev}", "place": "queue"})

    assert "ช่วง 2 = ยกเลิก" in text_of(phone.get(answer.headers["Location"]))


def test_undoing_on_the_queue_comes_back_to_the_queue(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    edit = Edit.objects.get()
    answer = phone.post("/att-sync/mark", {"undo": f"{edit.id}.{edit.rev}", "place": "queue"})

    assert answer.headers["Location"].startswith("/att-sync/queue?done=")
    assert "เลิกทำแล้ว" in text_of(phone.get(answer.headers["Location"]))


def test_every_page_counts_what_is_open_on_its_tab(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")

    assert all('class="dot"' in shown(phone, path) for path in ("", "month", "queue", "help", "worker/A012"))


# --- a whole group --------------------------------------------------------------------------------------------------


def test_the_group_page_names_who_would_be_marked(phone: Client) -> None:
    page = shown(phone, f"everyone?date={DAY}&group=1-2")

    assert "THIDA AYE" in page
    assert "สมชาย" not in page
    assert not Edit.objects.exists()


def mark_everybody(phone: Client, path: str) -> Any:
    page = shown(phone, path)
    fields = dict(re.findall(r'<input type="hidden" name="(date|group|people|place)" value="([^"]*)">', page))
    said = {name: value.replace("&quot;", '"').replace("&amp;", "&") for name, value in fields.items()}
    return phone.post("/att-sync/mark", {**said, "status": "present"})


def test_the_group_page_names_those_whom_the_filter_left_and_says_so(phone: Client) -> None:
    people = [{**one, "g": "QC" if n < 2 else "คลัง"} for n, one in enumerate(crowd(absent=5, came=1))]
    ingest(phone, {**today(), "gen": 1_785_300_000, "workers": people, "force": True})
    day = shown(phone, f"?date={DAY}&g=QC&open=g1")
    link = re.search(r'href="/att-sync/(everyone[^"]*)"', day)
    assert link is not None
    path = link[1].replace("&amp;", "&")

    assert "เฉพาะ: แผนก QC" in plain(shown(phone, path))
    answer = mark_everybody(phone, path)
    assert sorted(Edit.objects.values_list("employee_no", flat=True)) == ["000", "001"]
    assert "g=QC" in answer.headers["Location"]


def test_the_group_page_marks_exactly_those_it_names(phone: Client) -> None:
    answer = mark_everybody(phone, f"everyone?date={DAY}&group=1-2")

    assert answer.status_code == 303
    assert list(Edit.objects.values_list("employee_no", "status")) == [("A012", "present")]


@pytest.mark.parametrize(
    "query", ["", "date=x&group=1-2", f"date={DAY}&group=1", f"date={DAY}&group=x", "date=2026-01-01&group=3"]
)
def test_a_group_page_of_nothing_is_404(phone: Client, query: str) -> None:
    assert phone.get(f"/att-sync/everyone?{query}").status_code == 404


# --- words ----------------------------------------------------------------------------------------------------------


def test_the_language_switch_is_kept_in_a_cookie_and_leads_back(phone: Client) -> None:
    answer = phone.post("/att-sync/language", {"language": "en", "next": f"/att-sync/?date={DAY}"})

    assert answer.headers["Location"] == f"/att-sync/?date={DAY}"
    assert "not come yet" in shown(phone, "")


def test_a_phone_that_speaks_english_gets_thai_first(client: Client) -> None:
    page = text_of(client.get("/att-sync/", headers={"Accept-Language": "en-US,en;q=0.9"}))

    assert '<html lang="th">' in page


def test_refusals_speak_english_with_the_english_page(phone: Client) -> None:
    phone.cookies["django_language"] = "en"
    answer = tap(phone, DAY, 1, "0012", "late")

    assert answer.json()["error"] == "Scanned at 06:55 already, nothing to set."


def test_reloading_the_address_of_a_form_leads_to_the_page(phone: Client) -> None:
    answers = [phone.get(f"/att-sync/{route}") for route in ("login", "mark")]

    assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [(302, "/att-sync/")] * 2


def test_a_tap_without_a_script_on_a_filtered_page_keeps_its_place(phone: Client) -> None:
    answer = press(phone, DAY, "late-2", "A012", place=f"date={DAY}&show=absent&rows=g1.230")

    assert "show=absent&open=g1&rows=g1.230" in answer.headers["Location"]
