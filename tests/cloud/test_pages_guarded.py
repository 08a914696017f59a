"""Who may see what, and what no page may do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dashboard import scripts
from tests.cloud.day import AGENT, at, ingest
from tests.cloud.people import sign_in, text_of
from tests.cloud.test_pages_day import today

pytestmark = pytest.mark.django_db

DAY = "2026-07-21"
# What a stranger gets from each address: every new one has to be thought about here.
ANONYMOUS = {
    "": 302,
    "att-sync": 302,
    "att-sync/": 200,
    "att-sync/ingest": 401,
    "att-sync/pending": 401,
    "att-sync/applied": 401,
    "att-sync/health": 200,
    "att-sync/api": 401,
    "att-sync/mark": 302,
    "att-sync/login": 302,
    "att-sync/logout": 405,
    "att-sync/month": 302,
    "att-sync/worker/<number:no>": 302,
    "att-sync/queue": 302,
    "att-sync/everyone": 302,
    "att-sync/export": 302,
    "att-sync/print": 302,
    "att-sync/help": 302,
    "att-sync/language": 302,
    "att-sync/script.js": 200,
}
PAGES = ["", "month", "worker/0012", "queue", f"everyone?date={DAY}&group=1-2", "print", "help", "api"]


@pytest.fixture
def phone(client: Client) -> Iterator[Client]:
    with time_machine.travel(at(f"{DAY}T09:26:40"), tick=False):
        ingest(client, today())
        sign_in(client)
        yield client


def addresses(resolver: URLResolver | None = None, before: str = "") -> Iterator[str]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield route
        elif not route.startswith("admin/"):
            yield from addresses(entry, route)


def test_every_address_has_a_known_answer_for_strangers(client: Client) -> None:
    answers = {route: client.get("/" + route.replace("<number:no>", "0012")).status_code for route in addresses()}

    assert answers == ANONYMOUS


def test_no_answer_to_a_stranger_holds_a_name(phone: Client) -> None:
    stranger = Client()
    for route in addresses():
        answer = stranger.get("/" + route.replace("<number:no>", "0012"), follow=True)
        assert "สมชาย" not in text_of(answer), route


def test_the_admins_pages_want_an_admin(phone: Client) -> None:
    assert phone.get("/admin/editqueue/edit/").status_code == 302


def test_the_agents_key_opens_no_page_and_the_cookie_no_machine_route(phone: Client) -> None:
    pages = {path: Client().get(f"/att-sync/{path}", headers=AGENT).status_code for path in PAGES if path}
    machine = [phone.get("/att-sync/pending").status_code, phone.post("/att-sync/ingest").status_code]

    assert set(pages.values()) == {302, 401}
    assert machine == [401, 401]


@pytest.mark.parametrize("path", [*PAGES, f"export?date={DAY}&format=csv"])
def test_nothing_with_names_is_kept_anywhere(phone: Client, path: str) -> None:
    answer = phone.get(f"/att-sync/{path}")

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store, private"


def test_the_sign_in_form_is_kept_nowhere_either(client: Client) -> None:
    assert client.get("/att-sync/").headers["Cache-Control"] == "no-store, private"


@pytest.mark.parametrize("path", [*PAGES[:-1], "nowhere", f"?date={DAY}&open=g1&came=g1.30", "?date=x"])
def test_no_page_has_anything_inline_or_from_elsewhere(phone: Client, path: str) -> None:
    answer = phone.get(f"/att-sync/{path}")
    html = answer.content.decode()

    assert not re.search(r"<[^>]+\s(style|on[a-z]+)\s*=", html)
    assert not re.search(r"<style|<script(?![^>]* src=)", html)
    assert not re.findall(r'(?:src|action|rel="stylesheet" href)="(?:https?:)?//[^"]*', html)


@pytest.mark.parametrize("path", ["", "month", "nowhere"])
def test_the_policy_allows_only_ourselves(phone: Client, path: str) -> None:
    policy = phone.get(f"/att-sync/{path}").headers["Content-Security-Policy"]
    sources = {part.split()[0]: part.split()[1:] for part in policy.split("; ")}

    assert sources.pop("default-src") == ["'none'"]
    assert {source for part in sources.values() for source in part} == {"'self'", "'none'"}


@pytest.mark.parametrize("path", ["", "month", "nowhere", "script.js"])
def test_robots_are_kept_out(phone: Client, path: str) -> None:
    assert phone.get(f"/att-sync/{path}").headers["X-Robots-Tag"] == "noindex, nofollow"


def test_a_share_names_nobody(phone: Client) -> None:
    share = re.search(r'id="share" href="([^"]+)" rel="noopener" data-text="([^"]+)"', text_of(phone.get("/att-sync/")))

    assert share
    assert share[1].startswith("https://line.me/R/share?text=")
    assert "มาครบทุกช่วงที่ผ่านมา 3 · มาบางช่วง 0 · ยังไม่มาเลย 1 · สาย 1" in share[2]
    assert "สมชาย" not in share[2]


def test_the_script_is_kept_for_ever_under_its_version_only(client: Client) -> None:
    html = client.get("/att-sync/", follow=True).content.decode()
    assert "<script" not in html  # the sign-in form needs none
    versioned = client.get(f"/att-sync/script.js?v={scripts.version()}").headers["Cache-Control"]
    old = client.get("/att-sync/script.js?v=old").headers["Cache-Control"]

    assert (versioned, old) == ("public, max-age=31536000, immutable", "no-cache")


def test_each_behaviour_of_the_script_is_a_file_closed_in_itself() -> None:
    files = sorted((Path(settings.BASE_DIR) / "static" / "js").glob("*.js"))

    assert len(files) >= 6
    for file in files:
        text = file.read_text()
        assert text.startswith("// "), file
        assert text.rstrip().endswith("})();"), file


def test_the_manifest_can_be_installed() -> None:
    folder = Path(settings.BASE_DIR) / "static"
    manifest = json.loads((folder / "manifest.webmanifest").read_text())
    icons = {(icon["sizes"], icon.get("purpose", "any")): icon["src"] for icon in manifest["icons"]}

    assert (manifest["display"], manifest["start_url"], manifest["scope"]) == ("standalone", "/att-sync/", "/att-sync/")
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= set(icons)
    assert all((folder / source).is_file() for source in icons.values())


def test_only_one_factory_day_is_read_for_a_page(phone: Client, django_assert_max_num_queries: Any) -> None:
    for day in range(1, 20):
        ingest(phone, {**today(), "date": date(2026, 7, day).isoformat()})
    with django_assert_max_num_queries(16):
        assert phone.get("/att-sync/").status_code == 200
