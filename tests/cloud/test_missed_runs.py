"""What the factory's catch-up says of itself, on the page and in the admin."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from dashboard.freshness import Line
from mirror.models import FactoryLink
from tests.cloud.day import at, body, ingest, pending
from tests.cloud.people import sign_in

pytestmark = pytest.mark.django_db

DAY = "2026-07-21"
PAGE = f"/att-sync/?date={DAY}"
WORDS = "งานตามเวลาที่โรงงานพลาดไป"


@pytest.fixture
def phone(client: Client, noon: time_machine.Traveller) -> Client:
    ingest(client, body(date.fromisoformat(DAY)))
    sign_in(client)
    return client


@pytest.fixture(autouse=True)
def noon() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(at(f"{DAY}T12:00:00"), tick=False) as traveller:
        yield traveller


def page_after(client: Client, jobs: str) -> str:
    pending(client, v="1", boot="a.1", clock=int(timezone.now().timestamp()), jobs=jobs)
    return client.get(PAGE).content.decode()


@pytest.mark.parametrize(("jobs", "count"), [("1,0,1784610000", 1), ("2,7,1784610000", 9)])
def test_missed_runs_are_told_on_the_page(phone: Client, jobs: str, count: int) -> None:
    assert f"{WORDS} {count} รอบ" in page_after(phone, jobs)


def test_a_good_catch_up_is_not_worth_a_word(phone: Client) -> None:
    assert WORDS not in page_after(phone, "0,0,1784610000")


def test_the_page_is_new_when_a_run_was_missed_and_not_after_each_pass(
    phone: Client, noon: time_machine.Traveller
) -> None:
    tags = []
    for jobs in ("0,0,1784610000", "0,0,1784610300", "1,0,1784610600"):
        # A call with the same clock again would be a repetition, which changes nothing.
        noon.shift(10)
        page_after(phone, jobs)
        tags.append(phone.get(PAGE).headers["ETag"])

    assert tags[0] == tags[1] != tags[2]


@pytest.mark.parametrize("jobs", ["", "x", "-1,๒,3", "1", ",,,"])
def test_what_makes_no_sense_is_no_missed_run(jobs: str) -> None:
    assert Line(FactoryLink(jobs=jobs), timezone.now()).missed_runs == (1 if jobs == "1" else 0)
