"""Conditional GETs: what makes a page new, and what it costs when nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.words import TROUBLES
from tests.cloud.day import AGENT, ack, at, body, edits, ingest, pending, post, worker
from tests.cloud.people import sign_in, tap, text_of

pytestmark = pytest.mark.django_db

DAY = "2026-07-21"
NOON = at(f"{DAY}T12:00:00")


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    with time_machine.travel(NOON, tick=False):
        ingest(client, body(date.fromisoformat(DAY)))
        heard(client)
        sign_in(client)
        yield client


def heard(client: Client, **parameters: str | int) -> None:
    pending(client, v="1", boot="a.1", clock=int(timezone.now().timestamp()), **parameters)


def again(client: Client, path: str, first: Any, **headers: str) -> int:
    return int(client.get(path, headers={"If-None-Match": first.headers["ETag"], **headers}).status_code)


PAGE, API = f"/att-sync/?date={DAY}", f"/att-sync/api?date={DAY}"


@pytest.mark.parametrize("path", [PAGE, API])
def test_nothing_new_is_304_without_rendering_and_without_reading_the_day(
    phone: Client, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = phone.get(path)
    monkeypatch.delattr("dashboard.daypage.build")
    monkeypatch.delattr("editqueue.reading.day_json")
    with CaptureQueriesContext(connection) as queries:
        answer = phone.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert (answer.status_code, answer.content) == (304, b"")
    assert not any("payload" in query["sql"] for query in queries.captured_queries)


def test_an_unchanged_page_weighs_less_than_400_bytes(phone: Client) -> None:
    first = phone.get(PAGE)
    answer = phone.get(PAGE, headers={"If-None-Match": first.headers["ETag"]})

    lines = ["HTTP/1.1 304 Not Modified", *(f"{name}: {value}" for name, value in answer.headers.items())]
    lines += [f"date: {timezone.now():%a, %d %b %Y %H:%M:%S} GMT", "server: granian", "", ""]
    assert len("\r\n".join(lines)) < 400, lines


@pytest.mark.parametrize("path", [PAGE, API])
def test_a_tap_makes_a_page_new_and_so_does_its_ack(phone: Client, path: str) -> None:
    first = phone.get(path)
    tap(phone, DAY, 2, "A012", "late")
    second = phone.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200

    post(phone, "applied", {"acks": [ack(edits(phone)[0], gen=1_785_300_000)]})
    assert again(phone, path, second) == 200


@pytest.mark.parametrize("path", [PAGE, API])
def test_a_new_snapshot_makes_a_page_new(phone: Client, path: str) -> None:
    first = phone.get(path)
    ingest(
        phone, body(date.fromisoformat(DAY), gen=1_785_200_001, workers=[worker("1", "ใหม่", {}), worker("2", "x", {})])
    )

    assert again(phone, path, first) == 200


def test_a_heartbeat_alone_makes_nothing_new_but_is_told_in_the_header(phone: Client) -> None:
    first = phone.get(PAGE)
    with time_machine.travel(NOON + timedelta(minutes=2), tick=False):
        heard(phone, day=DAY, captured=int(timezone.now().timestamp()))
        answer = phone.get(PAGE, headers={"If-None-Match": first.headers["ETag"]})

    moment = int((NOON + timedelta(minutes=2)).timestamp())
    assert (answer.status_code, answer.headers["X-Fresh"]) == (304, f"{moment} {moment}")


@pytest.mark.parametrize("minutes", [6, 16])
def test_a_line_that_went_slow_or_dead_makes_the_page_new(phone: Client, minutes: int) -> None:
    first = phone.get(PAGE)
    with time_machine.travel(NOON + timedelta(minutes=minutes), tick=False):
        assert again(phone, PAGE, first) == 200


def test_an_edit_that_got_stuck_makes_the_page_new(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    first = phone.get(PAGE)
    with time_machine.travel(NOON + timedelta(minutes=11), tick=False):
        heard(phone)
        assert again(phone, PAGE, first) == 200


@pytest.mark.parametrize("query", ["&q=thida", "&show=absent", "&open=g1", "&came=g1.30"])
def test_another_view_is_another_page(phone: Client, query: str) -> None:
    assert again(phone, PAGE + query, phone.get(PAGE)) == 200


def test_another_language_is_another_page(phone: Client) -> None:
    first = phone.get(PAGE)
    phone.cookies["django_language"] = "en"

    assert again(phone, PAGE, first) == 200


def test_the_next_business_day_makes_the_page_of_today_new(phone: Client) -> None:
    first = phone.get("/att-sync/")
    with time_machine.travel(NOON + timedelta(days=1), tick=False):
        heard(phone)
        assert again(phone, "/att-sync/", first) == 200


def test_an_old_agents_day_is_new_when_the_clock_moves_a_period(phone: Client) -> None:
    windows = [
        {"code": 2, "start": "12:00", "end": "13:00", "scan": [{"no": "1", "t": "12:01"}], "miss": [{"no": "2"}]}
    ]
    ingest(phone, {"date": "2026-07-22", "gen": 1, "periods": windows})
    path = "/att-sync/api?date=2026-07-22"
    first = phone.get(path)
    with time_machine.travel(NOON + timedelta(days=1, minutes=5), tick=False):
        assert again(phone, path, first) == 200


def test_signed_out_a_page_is_never_304(phone: Client) -> None:
    first = phone.get(PAGE)
    phone.post("/att-sync/logout")

    assert again(phone, PAGE, first) == 200
    assert again(phone, API, first) == 401


# --- the day as JSON ------------------------------------------------------------------------------------------------


def test_the_api_gives_the_merged_day_and_what_waits(phone: Client) -> None:
    tap(phone, DAY, 2, "A012", "late")
    said = phone.get(API).json()

    assert (said["ok"], said["pending"], said["held"], said["data"]["pending"]) == (True, 1, 0, 1)
    assert said["data"]["workers"][2]["p"]["2"] == "late"
    assert said["data"]["stat"] == {"full": 1, "partial": 2, "absent": 0, "wait": 0}


def test_the_api_gives_today_without_a_date(phone: Client) -> None:
    assert phone.get("/att-sync/api").json()["data"]["date"] == DAY


def test_the_api_refuses_strangers_in_json(client: Client) -> None:
    answer = client.get(API)

    assert (answer.status_code, answer.json()["code"]) == (401, "auth")


def test_the_agents_key_opens_no_page(client: Client) -> None:
    assert client.get(API, headers=AGENT).status_code == 401


def test_a_day_that_is_not_there_is_not_unchanged_either(phone: Client) -> None:
    assert phone.get("/att-sync/api?date=2026-07-01", headers={"If-None-Match": "*"}).status_code == 404
    assert phone.get(API, headers={"If-None-Match": "*"}).status_code == 304


def test_the_api_has_no_day_that_the_factory_never_sent(phone: Client) -> None:
    answer = phone.get("/att-sync/api?date=2026-01-01")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_day")


@pytest.mark.parametrize("typed", ["20260721", "2026-02-30", "2026-W30-2", "2026-07-21%0A", "๒๐๒๖-๐๗-๒๑", "28/07/2569"])
def test_the_api_takes_real_iso_dates_only(phone: Client, typed: str) -> None:
    assert phone.get(f"/att-sync/api?date={typed}").status_code == 400


def test_the_number_of_queries_does_not_grow_with_the_people(phone: Client) -> None:
    def queries(people: int) -> int:
        crowd = [worker(f"{n:04}", f"คน {n}", {}) for n in range(people)]
        ingest(phone, body(date.fromisoformat(DAY), gen=1_785_200_000 + people, workers=crowd))
        with CaptureQueriesContext(connection) as captured:
            assert phone.get(PAGE).status_code == 200
        return len(captured)

    assert queries(3) == queries(300)


def test_the_clock_that_ticks_is_the_clouds(phone: Client) -> None:
    moment: datetime = NOON
    assert f'data-now="{int(moment.timestamp())}"' in phone.get(PAGE).content.decode()


@pytest.mark.parametrize("error", ["view_missing", "factory_down", "bad_windows"])
def test_a_factory_that_cannot_be_read_is_not_called_normal(client: Client, error: str) -> None:
    sign_in(client)
    ingest(client)
    pending(client, v="1", boot="a.1", error=error)

    page = text_of(client.get("/att-sync/"))

    assert "โรงงานมีปัญหา" in page
    assert str(TROUBLES[error]) in page
    assert "ปกติ" not in page.split("data-state", 1)[1][:200]
