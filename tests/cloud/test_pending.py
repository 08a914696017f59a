from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from editqueue import offering, services
from editqueue.guards import Wish
from editqueue.models import Edit
from mirror.models import DaySnapshot, FactoryLink
from tests.cloud.day import AGENT, ack, at, body, edits, ingest, pending, post, today, worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd(client: Client) -> list[str]:
    """A day with 25 absent people; their numbers."""
    numbers = [f"{n:04}" for n in range(25)]
    ingest(client, body(workers=[worker(no, f"คน {no}", {}) for no in numbers]))
    return numbers


def tap(no: str, status: str = "present", period: int = 2) -> None:
    services.mark(Wish(today(), period, no, status), now=timezone.now(), source="test")


def test_nothing_waits_at_first(client: Client) -> None:
    answer = pending(client).json()

    assert (answer["ok"], answer["edits"], answer["next"], answer["gen"]) == (True, [], None, 0)
    assert abs(answer["now"] - time.time()) < 5


def test_a_wish_is_offered_with_all_its_fields(client: Client, crowd: list[str]) -> None:
    services.mark(Wish(today(), 2, "0003", "late"), now=at(f"{today()}T08:05:00"), source="test")

    (edit,) = edits(client)

    assert edit == {
        "id": Edit.objects.get().id,
        "rev": int(at(f"{today()}T08:05:00").timestamp() * 1000),
        "d": today().isoformat(),
        "period": 2,
        "employee_no": "0003",
        "full_name": "คน 0003",
        "status": "late",
        "created_at": f"{today()} 08:05:00",
    }


def test_the_highest_generation_is_told(client: Client, crowd: list[str]) -> None:
    tap("0001")
    post(client, "applied", {"acks": [ack(edits(client)[0], gen=1_900_000_000)]})

    assert pending(client).json()["gen"] == 1_900_000_000


def test_pages_follow_each_other_oldest_first(client: Client, crowd: list[str]) -> None:
    for no in crowd:
        tap(no)

    seen, after = [], ""
    while True:
        answer = pending(client, limit=10, after=after).json()
        seen += [edit["employee_no"] for edit in answer["edits"]]
        after = answer["next"]
        if after is None:
            break

    assert seen == crowd


def test_a_full_last_page_has_no_next(client: Client, crowd: list[str]) -> None:
    for no in crowd[:10]:
        tap(no)

    assert pending(client, limit=10).json()["next"] is None


def test_rows_that_failed_come_last(client: Client, crowd: list[str]) -> None:
    for no in crowd[:3]:
        tap(no)
    first = edits(client)[0]
    post(client, "applied", {"nacks": [{**ack(first), "code": "write_failed", "error": "x"}]})

    assert [edit["employee_no"] for edit in edits(client)] == ["0001", "0002", "0000"]


def test_held_rows_are_not_offered(client: Client, crowd: list[str]) -> None:
    tap("0001")
    post(client, "applied", {"nacks": [{**ack(edits(client)[0]), "code": "unknown_employee", "final": True}]})

    assert edits(client) == []


@pytest.mark.parametrize("parameters", [{"after": "x"}, {"limit": "many"}, {"wait": "-1"}])
def test_a_parameter_that_makes_no_sense_is_400(client: Client, parameters: dict[str, str]) -> None:
    answer = pending(client, **parameters)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_payload")


def test_the_key_is_demanded(client: Client) -> None:
    assert client.get("/att-sync/pending").status_code == 401


def test_gzip_is_advertised(client: Client) -> None:
    assert pending(client)["Accept-Encoding"] == "gzip"


def test_the_number_of_queries_does_not_grow_with_rows(client: Client, crowd: list[str]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as context:
            pending(client)
        return len(context)

    queries()
    tap("0001")
    few = queries()
    for no in crowd:
        tap(no, "late")

    assert queries() == few


# --- heartbeat ------------------------------------------------------------------------------------------------------


def link() -> FactoryLink:
    return FactoryLink.objects.get()


def test_every_call_is_the_heartbeat(client: Client) -> None:
    pending(client, v="1.0", boot="a.1", clock=int(time.time()) + 400, error="clock_off", jobs="1,2,3")

    assert link().last_seen is not None
    assert (link().agent_version, link().runs[-1][0], link().error, link().jobs) == ("1.0", "a.1", "clock_off", "1,2,3")
    assert abs((link().clock_ahead_s or 0) - 400) <= 2


def test_trouble_that_is_over_is_forgotten(client: Client) -> None:
    pending(client, v="1.0", boot="a.1", error="factory_down")

    pending(client, v="1.0", boot="a.2")

    assert link().error == ""


def test_a_dry_run_leaves_no_trace_beyond_last_seen(client: Client) -> None:
    pending(client, v="1.0", boot="a.1", error="factory_down")

    pending(client)

    assert ([boot for boot, _ in link().runs], link().error) == (["a.1"], "factory_down")


def test_nonsense_in_a_heartbeat_costs_nobody_his_edits(client: Client) -> None:
    answer = pending(client, v="x" * 500, boot="\0", clock="99999999999999999", day="2026-02-30", captured="soon")

    assert answer.status_code == 200


def test_two_agents_that_take_turns_are_noticed(client: Client) -> None:
    for boot in ("a.1", "a.2", "b.1"):
        pending(client, boot=boot)
    assert link().second_agent_at is None

    pending(client, boot="a.3")

    assert link().second_agent_at is not None


def test_an_unchanged_day_is_confirmed_by_the_clocks_of_the_same_exchange(client: Client) -> None:
    ingest(client, body(captured_at=f"{today() - timedelta(days=1)}T00:00:00"))
    before = DaySnapshot.objects.get().data_time
    fast = int(time.time()) + 3600

    pending(client, v="1", boot="a", clock=fast, day=today().isoformat(), captured=fast - 60)

    after = DaySnapshot.objects.get().data_time
    assert before < after
    assert 50 < (timezone.now() - after).total_seconds() < 70


def test_the_copy_of_an_old_call_does_not_make_data_look_fresher(client: Client) -> None:
    ingest(client, body(captured_at=f"{today() - timedelta(days=1)}T00:00:00"))
    call: dict[str, str | int] = {"v": "1", "boot": "a.1", "clock": int(time.time()) - 900, "day": today().isoformat()}
    call["captured"] = call["clock"]
    pending(client, **call)
    before = DaySnapshot.objects.get().data_time
    pending(client, v="1", boot="a.2", clock=int(time.time()), error="factory_down")

    pending(client, **call)

    assert (DaySnapshot.objects.get().data_time, link().error) == (before, "factory_down")


def test_the_data_time_never_goes_back(client: Client) -> None:
    ingest(client)
    before = DaySnapshot.objects.get().data_time

    pending(client, v="1", boot="a", clock=int(time.time()), day=today().isoformat(), captured=1000)

    assert DaySnapshot.objects.get().data_time == before


# --- long poll ------------------------------------------------------------------------------------------------------


def test_with_an_edit_waiting_nobody_waits(client: Client, crowd: list[str]) -> None:
    tap("0001")
    started = time.monotonic()

    pending(client, wait=20)

    assert time.monotonic() - started < 1


def test_an_empty_wait_ends_in_time(client: Client) -> None:
    started = time.monotonic()

    answer = pending(client, wait=1)

    assert answer.json()["edits"] == []
    assert 0.9 < time.monotonic() - started < 3


@pytest.mark.django_db(transaction=True)
def test_an_edit_that_arrives_ends_the_wait(client: Client) -> None:
    ingest(client, body(workers=[worker("0001", "", {})]))
    answers: list[Any] = []

    def poll() -> None:
        answers.append(Client().get("/att-sync/pending", {"wait": 20}, headers=AGENT).json())
        connection.close()

    waiter = threading.Thread(target=poll)
    waiter.start()
    time.sleep(0.6)
    started = time.monotonic()
    tap("0001")
    waiter.join(timeout=10)

    assert [edit["employee_no"] for edit in answers[0]["edits"]] == ["0001"]
    assert time.monotonic() - started < 2


def test_a_fifth_waiter_is_answered_at_once(client: Client) -> None:
    for _ in range(offering.MAX_WAITERS):
        offering._waiters.acquire()
    started = time.monotonic()
    try:
        pending(client, wait=20)
    finally:
        for _ in range(offering.MAX_WAITERS):
            offering._waiters.release()

    assert time.monotonic() - started < 1
