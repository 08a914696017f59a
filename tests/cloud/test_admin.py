from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from editqueue import services
from editqueue.guards import Wish
from editqueue.models import Edit, EditEvent
from tests.cloud.day import ack, body, edits, ingest, post, today, worker

pytestmark = pytest.mark.django_db
EDITS = "/admin/editqueue/edit/"
MODELS = ["mirror/daysnapshot", "mirror/factorylink", "editqueue/edit", "editqueue/editevent", "auth/user"]


@pytest.fixture
def held(client: Client) -> Edit:
    ingest(client, body(workers=[worker("<b>1</b>", "<script>alert(1)</script>", {}), worker("2", "", {})]))
    tap("<b>1</b>")
    refused = {**ack(edits(client)[0]), "code": "unknown_employee", "error": "<i>gone</i>", "final": True}
    post(client, "applied", {"nacks": [refused]})
    return Edit.objects.get()


def tap(no: str) -> None:
    services.mark(Wish(today(), 2, no, "late"), now=timezone.now(), source="phone")


def act(client: Client, action: str, edit: Edit, **more: str) -> Any:
    return client.post(EDITS, {"action": action, "_selected_action": [edit.id], **more}, follow=True)


@pytest.mark.parametrize("model", MODELS)
def test_every_list_opens_with_a_search(admin_client: Client, held: Edit, model: str) -> None:
    assert admin_client.get(f"/admin/{model}/", {"q": "1"}).status_code == 200


@pytest.mark.parametrize("model", MODELS)
def test_every_row_opens(admin_client: Client, held: Edit, model: str) -> None:
    app, name = model.split("/")
    first = apps.get_model(app, name)._default_manager.first()

    assert admin_client.get(f"/admin/{model}/{first.pk}/change/").status_code == 200


def test_nothing_can_be_added_or_deleted_by_hand(admin_client: Client, held: Edit) -> None:
    assert admin_client.get(f"{EDITS}add/").status_code == 403
    assert admin_client.post(f"{EDITS}{held.id}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("path", [EDITS, "/admin/editqueue/editevent/", "/admin/mirror/daysnapshot/"])
def test_what_came_from_outside_is_escaped(admin_client: Client, held: Edit, path: str) -> None:
    page = admin_client.get(path).content.decode()
    row = admin_client.get(f"/admin/mirror/daysnapshot/{today()}/change/").content.decode()

    assert "<script>alert" not in page + row
    assert "<b>1</b>" not in page + row


def test_the_reason_of_a_held_row_is_shown(admin_client: Client, held: Edit) -> None:
    assert "unknown_employee" in admin_client.get(EDITS).content.decode()


@pytest.mark.parametrize(("state", "found"), [("stuck", 1), ("held", 1), ("waiting", 1), ("settled", 0), ("saved", 0)])
def test_the_filter_finds_rows_by_state(admin_client: Client, held: Edit, state: str, found: int) -> None:
    tap("2")

    assert admin_client.get(EDITS, {"state": state}).context["cl"].result_count == found


def test_a_held_row_can_be_sent_again(admin_client: Client, held: Edit) -> None:
    act(admin_client, "requeue", held)

    again = Edit.objects.get()
    assert (again.held_at, again.rev > held.rev) == (None, True)
    assert EditEvent.objects.latest("id").source == "admin: admin"
    assert LogEntry.objects.count() == 1


def test_discarding_asks_once(admin_client: Client, held: Edit) -> None:
    asked = act(admin_client, "discard", held)
    assert Edit.objects.get().applied_at is None

    act(admin_client, "discard", held, confirmed="1")

    assert "confirmed" in asked.content.decode()
    assert Edit.objects.get().outcome == "discarded"


def test_a_person_without_the_right_has_no_actions(client: Client, held: Edit) -> None:
    looker = User.objects.create_user("looker", password="x", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(looker)

    act(client, "requeue", held)

    assert Edit.objects.get().rev == held.rev


def test_the_shared_password_opens_no_admin_page(client: Client) -> None:
    assert client.get(EDITS).status_code == 302


def test_the_list_asks_no_query_per_row(admin_client: Client, client: Client) -> None:
    people = [f"{n:04}" for n in range(20)]
    ingest(client, body(workers=[worker(no, "", {}) for no in people]))

    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            admin_client.get(EDITS)
        return len(context)

    tap(people[0])
    few = queries()
    for no in people[1:]:
        tap(no)

    assert queries() <= few
