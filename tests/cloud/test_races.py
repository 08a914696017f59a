"""Races, raced: real threads, on whichever database the run is for."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from editqueue import report, services
from editqueue.guards import Wish
from editqueue.models import Edit, EditEvent
from mirror.models import DaySnapshot
from tests.cloud.day import ack, body, edits, ingest, pending, post, today, worker
from tests.race import race, race_of

pytestmark = pytest.mark.django_db(transaction=True)


def tap(status: str = "present") -> services.Marked:
    return services.mark(Wish(today(), 2, "A012", status), now=timezone.now(), source="phone")


def test_of_two_parallel_ingests_the_newer_stays(client: Client) -> None:
    newer, older = body(gen=1001, holiday="newer"), body(gen=1000, holiday="older")

    answers = race_of(*[lambda said=said: ingest(Client(), said) for said in (older, newer) * 4])

    assert DaySnapshot.objects.get().holiday == "newer"
    assert {answer.status_code for answer in answers} <= {200, 409}


def test_of_many_first_ingests_none_fails_and_the_newest_stays() -> None:
    generation = itertools.count(1000)

    answers = race(8, lambda: ingest(Client(), body(gen=next(generation))))

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert DaySnapshot.objects.get().gen == 1007


def test_of_many_concurrent_acks_exactly_one_wins(client: Client) -> None:
    ingest(client)
    tap()
    entry = ack(edits(client)[0], gen=1)

    wins = race(8, lambda: report.take([entry], [], now=timezone.now()).acked)

    assert sorted(wins) == [0] * 7 + [1]


def test_two_taps_at_once_leave_one_row_and_the_later_wins(client: Client) -> None:
    ingest(client)

    marked = race_of(*[lambda status=status: tap(status) for status in ("present", "late") * 4])

    edit, last = Edit.objects.get(), EditEvent.objects.latest("id")
    assert len(marked) == 8
    assert (edit.status, edit.rev) == (last.status, last.rev)


def test_an_ack_against_a_new_wish_never_loses_the_wish(client: Client) -> None:
    ingest(client)
    for turn in range(10):
        tap("present")
        entry = ack(edits(client)[0], gen=turn + 1)

        race_of(lambda: post(Client(), "applied", {"acks": [entry]}), lambda: tap("late"))  # noqa: B023

        edit = Edit.objects.get()
        assert (edit.status, edit.applied_at) == ("late", None)
        report.take([ack(edits(client)[0])], [], now=timezone.now())


def test_many_first_heartbeats_at_once_are_all_answered() -> None:
    answers: list[Any] = race(6, lambda: pending(Client(), v="1", boot="a"))

    assert [answer.status_code for answer in answers] == [200] * 6


def test_taps_on_many_people_at_once_are_all_kept(client: Client) -> None:
    people = [f"{n:04}" for n in range(12)]
    ingest(client, body(workers=[worker(no, "", {}) for no in people]))

    race_of(
        *[
            lambda no=no: services.mark(Wish(today(), 2, no, "late"), now=timezone.now(), source="phone")
            for no in people
        ]
    )

    assert sorted(edit["employee_no"] for edit in edits(client)) == people
