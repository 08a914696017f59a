from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from editqueue import guards, reading, services
from editqueue.guards import Refusal, Wish
from editqueue.models import Edit, EditEvent, QueueVersion
from mirror.models import DaySnapshot
from tests.cloud.day import body, ingest, today, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def a_day(client: Client) -> None:
    ingest(client)


def tap(status: str = "present", no: str = "A012", period: int = 2, day: date | None = None) -> services.Marked:
    return services.mark(Wish(day or today(), period, no, status), now=timezone.now(), source="phone")


def refusal(**changes: Any) -> tuple[int, str]:
    with pytest.raises(Refusal) as caught:
        tap(**changes)
    return caught.value.status, caught.value.code


def test_a_tap_leaves_one_waiting_row(client: Client) -> None:
    tap("present")
    tap("late")

    edit = Edit.objects.get()
    assert (edit.status, edit.applied_at, edit.full_name) == ("late", None, "THIDA AYE")


def test_the_merged_day_shows_the_wish_and_follows_it_in_its_counts(client: Client) -> None:
    merged = tap("late").merged

    person = next(person for person in merged.snapshot.workers if person.no == "A012")
    assert (person.p[2], person.pd, person.pending) == ("late", {2: 1}, 1)
    assert (merged.totals.absent, merged.totals.partial, merged.waiting) == (0, 2, 1)
    assert merged.snapshot.pending == 1


def test_a_double_tap_changes_nothing(client: Client) -> None:
    tap("late")
    before = Edit.objects.values().get()

    assert not tap("late").changed
    assert Edit.objects.values().get() == before
    assert EditEvent.objects.count() == 1


def test_each_intention_gets_a_higher_revision(client: Client) -> None:
    revs = []
    for status in ("present", "late", "present"):
        tap(status)
        revs.append(Edit.objects.get().rev)

    assert revs == sorted(set(revs))


def test_revisions_grow_when_the_clock_is_set_back(client: Client) -> None:
    tap("present")
    first = Edit.objects.get().rev

    wish = Wish(today(), 2, "A012", "late")
    services.mark(wish, now=timezone.now() - timedelta(hours=5), source="phone")

    assert Edit.objects.get().rev == first + 1


def test_the_queue_version_moves_only_with_the_queue(client: Client) -> None:
    tap("late")
    first = QueueVersion.objects.get().version
    tap("late")
    assert QueueVersion.objects.get().version == first

    tap("present")

    assert QueueVersion.objects.get().version > first


def test_the_intention_stands_in_the_history(client: Client) -> None:
    tap("late")

    event = EditEvent.objects.get()
    assert (event.kind, event.status, event.source, event.rev) == ("asked", "late", "phone", Edit.objects.get().rev)


def test_a_day_without_snapshot_is_404(client: Client) -> None:
    assert refusal(day=today() - timedelta(days=1)) == (404, "no_day")


def test_an_unknown_period_is_400(client: Client) -> None:
    assert refusal(period=9) == (400, "no_period")


@pytest.mark.parametrize("no", ["012", "a012", "A012 ", " A012", "A０12", "12A"])
def test_a_number_is_never_repaired(client: Client, no: str) -> None:
    assert refusal(no=no) == (404, "no_worker")


def test_a_day_outside_the_edit_window_is_closed(client: Client, settings: Any) -> None:
    old = today() - timedelta(days=63)
    ingest(client, body(old))

    assert refusal(day=old) == (409, "closed")
    settings.ATTSYNC_EDIT_DAYS = 0
    assert tap(day=old).changed


def test_the_last_day_of_the_window_is_open(client: Client) -> None:
    edge = today() - timedelta(days=62)
    ingest(client, body(edge))

    assert tap(day=edge).changed


def test_a_real_scan_cannot_be_overwritten_or_cancelled(client: Client) -> None:
    assert refusal(no="0012", period=1) == (409, "scanned")
    assert refusal(no="0012", period=1, status="absent") == (409, "not_manual")


def test_an_empty_cell_cannot_be_cancelled(client: Client) -> None:
    assert refusal(status="absent") == (409, "not_manual")


def test_a_wish_can_be_taken_back_while_it_waits(client: Client) -> None:
    tap("present")

    person = next(p for p in tap("absent").merged.snapshot.workers if p.no == "A012")

    assert (person.p[2], person.pd) == (None, {2: 1})


def test_a_refused_tap_changes_nothing(client: Client) -> None:
    refusal(status="absent")

    assert not Edit.objects.exists()
    assert not EditEvent.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"date": "2026-02-30"},
        {"date": "20260728"},
        {"period": "x"},
        {"period": "๒"},
        {"period": True},
        {"period": 1.0},
        {"period": None},
        {"status": "gone"},
        {"status": ["late"]},
        {"employee_no": ""},
        {"employee_no": 12},
        {"employee_no": "x" * 33},
        {"employee_no": "a\0b"},
        {"employee_no": "\ud800"},
    ],
)
def test_a_tap_that_is_not_complete_is_400(said: dict[str, Any]) -> None:
    good = {"date": "2026-07-28", "period": "2", "employee_no": "0012", "status": "late"}

    with pytest.raises(Refusal) as caught:
        guards.wish({**good, **said} if said else {})

    assert (caught.value.status, caught.value.code) == (400, "incomplete")


def test_the_number_in_a_wish_is_exactly_what_was_sent() -> None:
    said = {"date": "2026-07-28", "period": 2, "employee_no": "๑๒๓ ", "status": "late"}

    assert guards.wish(said).employee_no == "๑๒๓ "


@pytest.mark.parametrize("others", [["a1", "A1", "a1 "], ["กา", "ก้า"], ["😀", "😎"], ["0012", "12", "A012"]])
def test_numbers_that_look_alike_are_different_people(client: Client, others: list[str]) -> None:
    ingest(client, body(gen=1_785_200_001, workers=[worker(no, "", {}) for no in others]))

    for no in others:
        tap("late", no=no)

    assert sorted(Edit.objects.values_list("employee_no", flat=True)) == sorted(others)


def test_a_long_name_is_cut_in_the_queue_only(client: Client) -> None:
    ingest(client, body(gen=1_785_200_001, workers=[worker("1", "ก" * 300, {}), worker("2", "", {})]))

    tap(no="1")

    assert len(Edit.objects.get().full_name) == 120
    assert len(reading.merged_day(today(), timezone.now()).snapshot.workers[0].name) == 300  # type: ignore[union-attr,arg-type]


def test_reading_a_day_never_changes_what_is_stored(client: Client) -> None:
    before = DaySnapshot.objects.get().payload
    tap("late")

    reading.merged_day(today(), timezone.now())

    assert DaySnapshot.objects.get().payload == before
