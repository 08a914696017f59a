from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from editqueue import retention, services
from editqueue.guards import Wish
from editqueue.models import Edit, EditEvent
from tests.cloud.day import ack, body, edits, ingest, post, today

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def a_day(client: Client) -> None:
    ingest(client)


def tap(status: str = "present", no: str = "A012", period: int = 2) -> None:
    services.mark(Wish(today(), period, no, status), now=timezone.now(), source="test")


def report(client: Client, **said: Any) -> dict[str, Any]:
    answer: dict[str, Any] = post(client, "applied", said).json()
    return answer


def the_edit() -> Edit:
    return Edit.objects.get()


def test_an_ack_closes_the_intention_it_names(client: Client) -> None:
    tap()

    answer = report(client, acks=[ack(edits(client)[0], gen=1_785_200_130)])

    assert answer == {"ok": True, "acked": 1, "nacked": 0, "ignored": []}
    assert (the_edit().outcome, the_edit().applied_gen) == ("applied", 1_785_200_130)


def test_an_old_agents_ack_of_id_and_status_is_enough(client: Client) -> None:
    tap()
    edit = edits(client)[0]

    assert report(client, acks=[{"id": str(edit["id"]), "status": "present"}])["acked"] == 1


def test_a_second_ack_changes_nothing(client: Client) -> None:
    tap()
    entry = ack(edits(client)[0], gen=5)
    report(client, acks=[entry])
    closed_at = the_edit().applied_at

    answer = report(client, acks=[entry, entry])

    assert [ignored["reason"] for ignored in answer["ignored"]] == ["already", "already"]
    assert the_edit().applied_at == closed_at


def test_an_ack_for_an_older_wish_leaves_the_newer_one_open(client: Client) -> None:
    tap()
    entry = ack(edits(client)[0])
    tap("late")

    answer = report(client, acks=[entry])

    assert answer["ignored"] == [{"id": entry["id"], "reason": "newer_intention"}]
    assert the_edit().applied_at is None


def test_present_late_present_with_a_delayed_ack_keeps_the_third_wish_open(client: Client) -> None:
    tap("present")
    delayed = ack(edits(client)[0], gen=1)
    tap("late")
    report(client, acks=[ack(edits(client)[0], gen=2)])
    tap("present")

    answer = report(client, acks=[delayed])

    assert answer["ignored"][0]["reason"] == "newer_intention"
    assert [edit["status"] for edit in edits(client)] == ["present"]


@pytest.mark.parametrize("outcome", ["applied", "superseded"])
def test_a_wish_that_an_older_one_was_set_after_is_offered_again(client: Client, outcome: str) -> None:
    """Two agents by mistake, one of them with an old answer in hand."""
    tap("present")
    old = edits(client)[0]
    tap("late")
    newest = edits(client)[0]
    report(client, acks=[ack(newest, gen=100, outcome=outcome)])

    answer = report(client, acks=[ack(old, gen=101)])

    assert answer["ignored"] == [{"id": old["id"], "reason": "newer_intention"}]
    (again,) = edits(client)
    assert (again["status"], again["rev"] > newest["rev"]) == ("late", True)
    assert [event.kind for event in EditEvent.objects.order_by("id")] == ["asked", "asked", outcome, "reoffered"]


@pytest.mark.parametrize("changes", [{"gen": 99}, {"gen": 100}, {"gen": None}, {"gen": 101, "outcome": "superseded"}])
def test_a_copy_of_an_old_ack_opens_nothing(client: Client, changes: dict[str, Any]) -> None:
    tap("present")
    old = edits(client)[0]
    tap("late")
    report(client, acks=[ack(edits(client)[0], gen=100)])

    report(client, acks=[ack(old, **changes)])

    assert edits(client) == []


def test_an_unknown_id_is_gone(client: Client) -> None:
    assert report(client, acks=[{"id": 999, "status": "late"}])["ignored"] == [{"id": 999, "reason": "gone"}]


@pytest.mark.parametrize(
    "entry",
    [
        None,
        7,
        [],
        {},
        {"id": True, "status": "late"},
        {"id": "๗", "status": "late"},
        {"id": 9223372036854775808, "status": "late"},
        {"id": 10**40, "status": "late"},
        {"id": -1, "status": "late"},
        {"id": 1, "status": "gone"},
        {"id": 1, "status": ["late"]},
        {"id": 1, "status": "late", "rev": "x"},
        {"id": 1, "status": "late", "gen": 2**53},
        {"id": 1, "status": "late", "outcome": "lost"},
        {"id": 1, "status": "late", "outcome": {}},
    ],
)
def test_a_malformed_entry_is_counted_and_the_others_go_through(client: Client, entry: object) -> None:
    tap()

    answer = report(client, acks=[entry, ack(edits(client)[0])])

    assert (answer["acked"], [ignored["reason"] for ignored in answer["ignored"]]) == (1, ["invalid"])


@pytest.mark.parametrize("said", [b"[]", b"7", b"", b'{"acks": 7}', b'{"acks": "x"}', b'{"a": "\\u0000"}'])
def test_a_body_that_is_no_report_is_400(client: Client, said: bytes) -> None:
    answer = post(client, "applied", said)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_payload")


def test_an_empty_report_is_fine(client: Client) -> None:
    assert report(client)["ok"]


# --- refusals -------------------------------------------------------------------------------------------------------


def nack(edit: dict[str, Any], **changes: Any) -> dict[str, Any]:
    entry = {"id": edit["id"], "rev": edit["rev"], "status": edit["status"]}
    return {**entry, "code": "write_failed", "error": "ดิสก์เต็ม", **changes}


def test_a_final_nack_holds_the_row_with_its_reason(client: Client) -> None:
    tap()

    answer = report(client, nacks=[nack(edits(client)[0], code="unknown_employee", final=True)])

    assert answer["nacked"] == 1
    assert the_edit().held_at is not None
    assert (the_edit().error_code, the_edit().error) == ("unknown_employee", "ดิสก์เต็ม")


def test_the_sixth_failure_holds_the_row(client: Client) -> None:
    tap()
    edit = edits(client)[0]

    for _ in range(5):
        report(client, nacks=[nack(edit)])
    assert the_edit().held_at is None
    report(client, nacks=[nack(edit)])

    assert (the_edit().attempts, the_edit().held_at is not None) == (6, True)


def test_a_nack_for_an_older_wish_is_ignored(client: Client) -> None:
    tap()
    entry = nack(edits(client)[0], final=True)
    tap("late")

    assert report(client, nacks=[entry])["ignored"][0]["reason"] == "newer_intention"
    assert the_edit().held_at is None


def test_a_held_row_may_be_closed_by_an_ack_of_its_revision(client: Client) -> None:
    tap()
    edit = edits(client)[0]
    report(client, nacks=[nack(edit, final=True)])

    assert report(client, acks=[ack(edit, gen=3)])["acked"] == 1
    assert [event.kind for event in EditEvent.objects.order_by("id")] == ["asked", "held", "applied"]


def test_a_new_wish_frees_a_held_row(client: Client) -> None:
    tap()
    report(client, nacks=[nack(edits(client)[0], final=True)])

    tap("late")

    assert (the_edit().held_at, the_edit().error_code, the_edit().attempts) == (None, "", 0)


def test_a_requeued_row_has_a_higher_revision(client: Client) -> None:
    tap()
    edit = edits(client)[0]
    report(client, nacks=[nack(edit, final=True)])

    assert services.requeue(edit["id"], now=timezone.now(), source="admin")

    assert edits(client)[0]["rev"] > edit["rev"]


def test_a_discarded_row_is_closed_and_not_offered(client: Client) -> None:
    tap()
    edit = edits(client)[0]

    assert services.discard(edit["id"], now=timezone.now(), source="admin")
    assert not services.discard(edit["id"], now=timezone.now(), source="admin")
    assert edits(client) == []


# --- retention ------------------------------------------------------------------------------------------------------


def age(days: float) -> None:
    then = timezone.now() - timedelta(days=days)
    Edit.objects.update(applied_at=then)
    EditEvent.objects.update(at=then)


def test_closed_rows_are_purged_after_thirty_days(client: Client) -> None:
    tap()
    report(client, acks=[ack(edits(client)[0], gen=1)])

    age(29.9)
    retention.purge(timezone.now())
    assert Edit.objects.exists()
    age(30.1)
    report(client)

    assert not Edit.objects.exists()


def test_a_row_whose_day_has_not_settled_is_kept(client: Client) -> None:
    tap()
    report(client, acks=[ack(edits(client)[0], gen=2_000_000_000)])
    age(100)

    retention.purge(timezone.now())

    assert Edit.objects.exists()
    ingest(client, body(gen=2_000_000_000))
    retention.purge(timezone.now())
    assert not Edit.objects.exists()


def test_an_open_row_is_never_purged(client: Client) -> None:
    tap()

    retention.purge(timezone.now() + timedelta(days=1000))

    assert Edit.objects.exists()


def test_history_is_kept_for_its_days_and_no_longer(client: Client, settings: Any) -> None:
    settings.ATTSYNC_HISTORY_DAYS = 10
    tap()

    age(9.9)
    retention.purge(timezone.now())
    assert EditEvent.objects.exists()
    age(10.1)
    retention.purge(timezone.now())

    assert not EditEvent.objects.exists()
