"""The timelines that must hold, as seen from the cloud: S is what the phone shows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from editqueue import reading, services
from editqueue.guards import Wish
from editqueue.models import Edit
from tests.cloud.day import ack, body, edits, ingest, pending, post, today, worker

pytestmark = pytest.mark.django_db
GEN = 1_785_200_000


@pytest.fixture(autouse=True)
def a_day(client: Client) -> None:
    ingest(client, day_with(None, GEN))


def day_with(cell: str | None, gen: int) -> dict[str, Any]:
    people = [worker("0012", "สมชาย", {"2": "07:41"}), worker("A012", "THIDA", {"2": cell})]
    return body(gen=gen, workers=people)


def tap(status: str) -> None:
    services.mark(Wish(today(), 2, "A012", status), now=timezone.now(), source="phone")


def shown() -> tuple[str | None, str | None]:
    """The cell as the phone shows it, and its flag."""
    merged = reading.merged_day(today(), timezone.now())
    assert merged is not None
    cell = next(person for person in merged.snapshot.workers if person.no == "A012").p[2]
    flag = merged.flags.get((2, "A012"))
    return cell, flag.kind if flag else None


def report(client: Client, *acks: dict[str, Any], nacks: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    answer: dict[str, Any] = post(client, "applied", {"acks": list(acks), "nacks": list(nacks)}).json()
    return answer


def test_1_a_changed_mind_in_flight_never_shows_the_old_wish(client: Client) -> None:
    tap("present")
    read = edits(client)[0]
    tap("late")
    seen = [shown()]

    answer = report(client, ack(read, gen=GEN + 1))
    seen.append(shown())
    ingest(client, day_with("present", GEN + 2))
    seen.append(shown())
    report(client, ack(edits(client)[0], gen=GEN + 3))
    seen.append(shown())
    ingest(client, day_with("late", GEN + 4))
    seen.append(shown())

    assert answer["ignored"][0]["reason"] == "newer_intention"
    assert seen == [("late", "pending")] * 3 + [("late", "saved"), ("late", None)]


def test_2_a_lost_ack_is_repeated_with_a_fresh_generation(client: Client) -> None:
    tap("late")
    read = edits(client)[0]
    assert shown() == ("late", "pending")

    again = edits(client)[0]
    report(client, ack(again, gen=GEN + 5))

    assert again == read
    assert shown() == ("late", "saved")


def test_3_only_the_first_of_replayed_acks_closes_anything(client: Client) -> None:
    tap("present")
    replay = ack(edits(client)[0], gen=GEN + 1)
    closed = [report(client, replay)["acked"] for _ in range(3)]
    tap("late")

    closed.append(report(client, replay)["acked"])

    assert closed == [1, 0, 0, 0]
    assert shown() == ("late", "pending")


def test_5_saved_stays_for_as_long_as_the_snapshot_takes(client: Client) -> None:
    tap("late")

    report(client, ack(edits(client)[0], gen=GEN + 1))
    Edit.objects.update(applied_at=timezone.now() - timedelta(days=20))

    assert shown() == ("late", "saved")


def test_6_an_old_snapshot_that_arrives_late_is_stale(client: Client) -> None:
    ingest(client, day_with("late", GEN + 9))

    assert ingest(client, day_with(None, GEN + 5)).status_code == 409
    assert shown() == ("late", None)


def test_7_a_snapshot_captured_before_the_write_does_not_end_the_overlay(client: Client) -> None:
    tap("late")
    report(client, ack(edits(client)[0], gen=GEN + 10))

    ingest(client, day_with(None, GEN + 9))
    before = shown()
    ingest(client, day_with("late", GEN + 11))

    assert (before, shown()) == (("late", "saved"), ("late", None))


def test_8_a_real_scan_always_wins(client: Client) -> None:
    tap("late")
    read = edits(client)[0]
    ingest(client, day_with("07:58", GEN + 1))
    while_waiting = shown()

    report(client, ack(read, outcome="superseded", gen=GEN + 2))

    assert while_waiting == ("07:58", "pending")
    assert shown() == ("07:58", "scanned")


def test_a_correction_made_at_the_factory_is_said_to_be_one(client: Client) -> None:
    tap("late")

    report(client, ack(edits(client)[0], outcome="superseded", gen=GEN + 1))

    assert shown() == (None, "changed")


def test_9_a_poisoned_row_delays_nobody(client: Client) -> None:
    people = [worker(f"{n:04}", "", {}) for n in range(251)]
    ingest(client, body(gen=GEN + 1, workers=people))
    for person in people:
        services.mark(Wish(today(), 2, person["no"], "present"), now=timezone.now(), source="phone")

    first, *good = post_all(client)

    answer = report(
        client,
        *[ack(edit, gen=GEN + 2) for edit in good],
        nacks=({**ack(first), "code": "unknown_employee", "error": "?", "final": True},),
    )
    assert (answer["acked"], answer["nacked"]) == (250, 1)
    assert Edit.objects.held().get().employee_no == first["employee_no"]


def post_all(client: Client) -> list[dict[str, Any]]:
    first = pending(client, limit=200).json()
    return [*first["edits"], *pending(client, limit=200, after=first["next"]).json()["edits"]]


def test_11_forty_cells_some_edited_five_times_are_forty_rows(client: Client) -> None:
    people = [worker(f"{n:04}", "", {}) for n in range(40)]
    ingest(client, body(gen=GEN + 1, workers=people))
    for status in ("present", "late", "absent", "present", "late"):
        for person in people[:8] if status != "present" else people:
            wish = Wish(today(), 2, person["no"], status)
            services.mark(wish, now=timezone.now(), source="phone")

    waiting = edits(client)

    assert len(waiting) == 40
    assert [edit["status"] for edit in waiting if edit["employee_no"] < "0008"] == ["late"] * 8


def test_13_a_cancel_ends_where_it_began(client: Client) -> None:
    ingest(client, day_with("present", GEN + 1))
    tap("absent")
    seen = [shown()]

    for gen in (GEN + 2, GEN + 3):
        report(client, *[ack(edit, gen=gen) for edit in edits(client)])
    seen.append(shown())
    ingest(client, day_with(None, GEN + 4))
    seen.append(shown())

    assert seen == [(None, "pending"), (None, "saved"), (None, None)]


def test_an_old_ack_without_generation_is_settled_by_a_snapshot_stored_after_it(client: Client) -> None:
    tap("late")
    edit = edits(client)[0]
    report(client, {"id": edit["id"], "status": "late"})
    before = shown()

    ingest(client, day_with("late", GEN + 1))

    assert (before, shown()) == (("late", "saved"), ("late", None))


def test_a_refused_wish_shows_the_snapshot_and_the_reason(client: Client) -> None:
    tap("late")
    edit = edits(client)[0]
    report(client, nacks=({**ack(edit), "code": "unknown_employee", "error": "ไม่มี", "final": True},))

    merged = reading.merged_day(today(), timezone.now())

    assert shown() == (None, "refused")
    assert merged is not None
    assert merged.snapshot.workers[1].er == {2: "unknown_employee"}
