from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from dashboard import dates, typed_dates
from dashboard.collation import thai_key
from dashboard.typed_dates import NotADate
from tests.cloud.day import at, body, ingest
from tests.cloud.people import sign_in, text_of

DAY = date(2026, 7, 28)
TYPED = [
    *("28/07/2569", "๒๘/๐๗/๒๕๖๙", "28 ก.ค. 2569", "2026-07-28", "28 กรกฎาคม 2569", "28ก.ค.2569", "28 ก.ค 2569"),
    *("28/07/2026", "28.7.2569", "28-07-2569", "วันที่ 28 กรกฎาคม ๒๕๖๙", "28 Jul 2026", "28 july 2569", "2569-07-28"),
    *(" 28/07/2569 ", "28/7/2569", "อ. 28 ก.ค. 2569", "วันอังคารที่ 28 กรกฎาคม พ.ศ. 2569", "Tue 28 Jul 2026"),
    *("วันนี้ อ. 28 ก.ค. 2569", "Today Tue 28 Jul 2026"),
]
SENSELESS = [
    *("", "x", "20260728", "2026-W31-2", "28/07/69", "28/07/3112", "28/07/1483", "28/07/25690", "31/02/2569"),
    *("30/02/2026", "28/13/2569", "0/07/2569", "28 foo 2569", "28/07", "-1/07/2569", "²8/07/2569", "28/07/2569x"),
]


@pytest.mark.parametrize("typed", TYPED)
def test_however_it_is_typed_it_is_one_day(typed: str) -> None:
    assert typed_dates.day_from(typed) == DAY


@pytest.mark.parametrize("typed", SENSELESS)
def test_what_makes_no_sense_gets_a_thai_sentence(typed: str) -> None:
    with translation.override("th"), pytest.raises(NotADate) as refused:
        typed_dates.day_from(typed)

    assert re.search("[ก-๙]", str(refused.value.sentence))


@pytest.mark.parametrize(
    "typed", ["2026-07", "07/2569", "7/2569", "ก.ค. 2569", "กรกฎาคม 2569", "๐๗/๒๕๖๙", "Jul 2026", "กรกฎาคม พ.ศ. 2569"]
)
def test_a_month_is_understood_in_the_same_ways(typed: str) -> None:
    assert typed_dates.month_from(typed) == date(2026, 7, 1)


@given(st.dates(date(2000, 1, 1), date(2100, 12, 31)), st.sampled_from(["th", "en"]))
def test_every_label_of_a_day_typed_back_is_the_same_day(day: date, language: str) -> None:
    with translation.override(language):
        labels = [dates.numbers(day), dates.short_day(day), dates.long_day(day), day.isoformat()]
        assert {typed_dates.day_from(label) for label in labels} == {day}


def test_thai_labels_show_the_buddhist_year_and_english_ones_the_gregorian() -> None:
    with translation.override("th"):
        thai = [dates.short_day(DAY), dates.long_day(DAY), dates.month_year(DAY), dates.short_month_year(DAY)]
    with translation.override("en"):
        english = [dates.short_day(DAY), dates.long_day(DAY), dates.month_year(DAY), dates.short_month_year(DAY)]

    spaced = [label.replace(dates.NBSP, " ") for label in thai]
    assert spaced == ["อ. 28 ก.ค. 2569", "วันอังคารที่ 28 กรกฎาคม 2569", "กรกฎาคม 2569", "ก.ค. 2569"]
    assert all("2026" in label for label in english)


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2026-07-28T09:26:00", "09:26 น."),
        ("2026-07-27T19:20:00", "เมื่อวาน 19:20 น."),
        ("2026-07-21T00:20:00", "21 ก.ค. 00:20 น."),
    ],
)
def test_a_moment_is_said_as_shortly_as_possible(moment: str, said: str) -> None:
    with translation.override("th"):
        assert dates.moment(at(moment), DAY).replace(dates.NBSP, " ") == said


def test_names_sort_as_in_a_thai_dictionary() -> None:
    ordered = ["THIDA", "กนก", "กาน", "ก้าน", "เกษม", "ไก่", "ขวัญ", "เขียว", "นภา", "แมน", "สมชาย", "เอก"]

    mixed = ordered[::-1]
    assert sorted(mixed, key=thai_key) == ordered


# --- in the address of a page ---------------------------------------------------------------------------------------


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    with time_machine.travel(at("2026-07-28T12:00:00"), tick=False):
        ingest(client, body(DAY))
        sign_in(client)
        yield client


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["28/07/2569", "๒๘/๐๗/๒๕๖๙", "28 ก.ค. 2569", "2026-07-28"])
def test_the_date_field_opens_the_same_day(phone: Client, typed: str) -> None:
    answer = phone.get("/att-sync/", {"date": typed, "q": "thida"}, follow=True)

    assert "อ. 28 ก.ค. 2569" in text_of(answer)
    assert answer.request["QUERY_STRING"] in ("date=2026-07-28&q=thida", "date=2026-07-28&q=thida&")


@pytest.mark.django_db
@pytest.mark.parametrize("typed", ["31/02/2569", "28/07/3112", "เมื่อไหร่ดี"])
def test_a_senseless_date_keeps_the_field_open_with_what_was_typed(phone: Client, typed: str) -> None:
    answer = phone.get("/att-sync/", {"date": typed})
    shown = text_of(answer)

    assert answer.status_code == 400
    assert f'name="date" value="{typed}"' in shown
    assert 'aria-describedby="date-problem"' in shown


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["", "month", "worker/0012", "queue", "help", "print", "everyone?date=2026-07-28&group=3"]
)
def test_no_thai_page_shows_a_gregorian_year_or_one_shifted_twice(phone: Client, path: str) -> None:
    shown = text_of(phone.get(f"/att-sync/{path}"))
    read = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", shown, flags=re.DOTALL)

    assert not re.search(r"\b(20[2-3][0-9]|3[01][0-9]{2})\b", read), read


@pytest.mark.django_db
def test_the_english_page_shows_gregorian_years_only(phone: Client) -> None:
    phone.cookies["django_language"] = "en"
    shown = re.sub(r"<[^>]+>", " ", text_of(phone.get("/att-sync/")))

    assert "Tue 28 Jul 2026" in shown
    assert "2569" not in shown


@pytest.mark.django_db
def test_the_business_day_begins_when_the_factory_says(client: Client) -> None:
    with time_machine.travel(at("2026-07-28T11:00:00"), tick=False):
        ingest(client, body(date(2026, 7, 27), day_starts="12:00"))
        sign_in(client)
        assert "จ. 27 ก.ค. 2569" in text_of(client.get("/att-sync/"))

    noon: datetime = at("2026-07-28T11:00:00") + timedelta(hours=2)
    with time_machine.travel(noon, tick=False):
        assert "อ. 28 ก.ค. 2569" in text_of(client.get("/att-sync/"))
