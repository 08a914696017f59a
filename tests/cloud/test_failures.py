"""Whatever goes wrong, machines get JSON with the right status, and people get words."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.urls import reverse

from tests.cloud.day import AGENT, body, ingest, pending, worker
from tests.cloud.people import sign_in

MACHINE_ROUTES = ["ingest", "pending", "applied", "health", "api"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every statement fails as it does when the server is gone."""

    def gone(*_: object, **__: object) -> None:
        raise OperationalError(2006, "Server has gone away")

    monkeypatch.setattr(BaseDatabaseWrapper, "cursor", gone)


@pytest.fixture
def quiet() -> Client:
    """A client that shows what a server would answer instead of raising."""
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("route", MACHINE_ROUTES)
def test_a_wrong_host_is_json_400_on_machine_routes(quiet: Client, route: str) -> None:
    answer = quiet.get(f"/att-sync/{route}", headers={**AGENT, "Host": "evil.example"})

    assert (answer.status_code, answer.json()["ok"]) == (400, False)


def test_a_wrong_host_is_a_page_for_people(quiet: Client) -> None:
    answer = quiet.get("/att-sync/", headers={"Host": "evil.example"})

    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize("route", ["ingest", "pending", "applied", "health", "api", "mark", "login", "logout"])
def test_plain_http_is_refused_where_https_is_demanded_never_redirected(
    quiet: Client, settings: Any, route: str
) -> None:
    settings.HTTPS_ONLY = settings.SECURE_SSL_REDIRECT = True

    answer = quiet.post(f"/att-sync/{route}", headers=AGENT)

    assert (answer.status_code, answer.json()["code"]) == (403, "https_required")


def test_pages_redirect_to_https(quiet: Client, settings: Any) -> None:
    settings.HTTPS_ONLY = settings.SECURE_SSL_REDIRECT = True

    answer = quiet.get("/att-sync/help")

    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/att-sync/help")


@pytest.mark.parametrize("route", ["pending", "ingest"])
def test_a_database_that_is_away_is_503_with_retry_after(no_database: None, quiet: Client, route: str) -> None:
    answer = pending(quiet) if route == "pending" else ingest(quiet)

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert int(answer["Retry-After"]) > 0


def test_health_is_503_without_a_database(no_database: None, quiet: Client) -> None:
    answer = quiet.get("/att-sync/health")

    assert (answer.status_code, answer.json()["db"]) == (503, False)


def test_a_wrong_key_is_401_even_without_a_database(no_database: None, quiet: Client) -> None:
    answer = quiet.post("/att-sync/ingest", b"{}", content_type="application/json", headers={"X-API-KEY": "no"})

    assert answer.status_code == 401


def test_a_missing_table_is_a_503_that_names_the_cure(quiet: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirror.models.FactoryLink._meta.db_table", "att_missing")

    answer = pending(quiet)

    assert answer.status_code == 503
    assert "migrate" in answer.json()["error"]


def test_health_without_tables_names_the_cure_too(quiet: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mirror.models.FactoryLink._meta.db_table", "att_missing")

    answer = quiet.get("/att-sync/health")

    assert (answer.status_code, "migrate" in answer.json()["error"]) == (503, True)


@pytest.mark.parametrize("route", ["health", "api"])
@pytest.mark.parametrize("method", ["post", "put", "delete", "options"])
def test_another_method_is_405_in_json(method: str, route: str) -> None:
    answer = getattr(Client(enforce_csrf_checks=True), method)(f"/att-sync/{route}")

    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")


def test_health_tells_how_things_are(client: Client) -> None:
    ingest(client)

    answer = client.get("/att-sync/health").json()

    assert answer == {"ok": True, "db": True, "agent_seen_s": 0, "oldest_open_s": None, "held": 0}


def test_health_before_anything_was_heard(client: Client) -> None:
    assert client.get("/att-sync/health").json()["agent_seen_s"] is None


@pytest.mark.parametrize("path", ["/", "/att-sync", "/att-sync/health", "/att-sync/nothing-here", "/robots.txt"])
def test_robots_are_kept_out_of_every_answer(quiet: Client, path: str) -> None:
    assert quiet.get(path)["X-Robots-Tag"] == "noindex, nofollow"


@pytest.mark.parametrize(
    ("path", "target"),
    [("/", "/att-sync/"), ("/att-sync", "/att-sync/"), ("/att-sync?date=2026-07-28", "/att-sync/?date=2026-07-28")],
)
def test_short_addresses_lead_to_the_page(client: Client, path: str, target: str) -> None:
    assert client.get(path)["Location"] == target


def test_an_unknown_address_is_404_in_the_callers_language(quiet: Client) -> None:
    as_json = quiet.get("/att-sync/nothing-here", headers={"Accept": "application/json"})

    assert (as_json.status_code, as_json.json()["code"]) == (404, "not_found")
    assert quiet.get("/att-sync/nothing-here").status_code == 404


def test_with_a_session_a_tap_without_token_is_403_csrf() -> None:
    client = Client()
    sign_in(client)
    client.handler.enforce_csrf_checks = True

    answer = client.post("/att-sync/mark", headers={"Accept": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (403, "csrf")


@pytest.mark.parametrize("no", ["\n1", "a/b", "..", "<b>", "%2F", "?x#y"])
def test_no_employee_number_takes_a_page_away(client: Client, no: str) -> None:
    sign_in(client)
    ingest(client, body(workers=[worker(no, "", {})]))

    assert client.get("/att-sync/").status_code == 200
    assert client.get(reverse("worker", args=[no])).status_code == 200
