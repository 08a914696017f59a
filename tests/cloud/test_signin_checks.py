from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import pytest
from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import RequestFactory

from attsync_site import checks
from dashboard.address import UNREADABLE, client_address, device_of


def found(settings: Any, **changes: Any) -> set[str]:
    for name, value in changes.items():
        setattr(settings, name, value)
    return {str(message.id) for message in [*checks.secrets(None), *checks.limits(None)]}


def test_the_settings_of_these_tests_are_faultless(settings: Any) -> None:
    assert found(settings) == set()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ATTSYNC_PASSWORD": ""}, "attsync.W001"),
        ({"ATTSYNC_PASSWORD_HASH": "$2y$10$abc"}, "attsync.E001"),
        ({"ATTSYNC_PASSWORD_HASH": "pbkdf2_sha256$abc$salt$hash"}, "attsync.E001"),
        ({"SECRET_KEY": "short"}, "attsync.E002"),
        ({"ATTSYNC_KEYS": []}, "attsync.W003"),
        ({"ATTSYNC_KEYS": ["k" * 40, "short"]}, "attsync.W004"),
        ({"CACHES": {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}}, "attsync.E003"),
        ({"CACHES": {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache"}}}, "attsync.E003"),
        ({"CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}}, "attsync.E005"),
        ({"ATTSYNC_TRUSTED_PROXIES": ["10.0.0.0/8", "nginx"]}, "attsync.E006"),
    ],
)
def test_each_mistake_is_named(settings: Any, changes: dict[str, Any], expected: str) -> None:
    assert expected in found(settings, **changes)


def test_a_hash_beside_a_plain_password_is_worth_a_word(settings: Any) -> None:
    assert found(settings, ATTSYNC_PASSWORD_HASH=make_password("x", hasher="pbkdf2_sha256")) == {"attsync.W002"}


def test_a_short_key_is_told_how_to_make_a_better_one(settings: Any) -> None:
    settings.ATTSYNC_KEYS = ["short"]

    assert "manage.py new_key" in str(checks.secrets(None)[0].hint)


@pytest.mark.parametrize("name", ["GRANIAN_WORKERS", "WEB_CONCURRENCY"])
def test_several_processes_with_a_cache_in_memory_do_not_start(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "4")

    assert "attsync.E004" in {message.id for message in checks.limits(None)}
    with pytest.raises(ImproperlyConfigured, match="redis"):
        checks.refuse_wrong_combinations()


@pytest.mark.parametrize("words", [["--workers", "3"], ["--workers=3"]])
def test_the_servers_own_option_is_seen(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["granian", *words, "attsync_site.wsgi:application"])

    assert checks.processes() == 3


def test_several_processes_with_a_shared_cache_start(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("GRANIAN_WORKERS", "4")
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://x"}}

    checks.refuse_wrong_combinations()


@pytest.mark.django_db
def test_the_database_takes_the_largest_day() -> None:
    assert checks.packet(None, databases=["default"]) == []


def test_new_key_makes_a_key_that_passes_the_checks(settings: Any) -> None:
    out = io.StringIO()
    call_command("new_key", stdout=out)
    key = out.getvalue().strip()

    assert found(settings, ATTSYNC_KEYS=[key], SECRET_KEY=key) == set()


def test_new_key_works_before_there_is_a_secret_key() -> None:
    bare = {name: value for name, value in os.environ.items() if name != "SECRET_KEY"}
    made = subprocess.run(
        [sys.executable, "manage.py", "new_key"], env=bare, capture_output=True, text=True, check=True
    )

    assert len(made.stdout.strip()) >= 50


def test_hash_password_prints_the_line_for_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("รหัสลับ\n"))
    out = io.StringIO()
    call_command("hash_password", stdout=out)
    name, _, value = out.getvalue().strip().partition("=")

    assert (name, value[0], value[-1]) == ("ATTSYNC_PASSWORD_HASH", "'", "'")
    assert check_password("รหัสลับ", value.strip("'"))


def test_hash_password_refuses_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))

    with pytest.raises(CommandError):
        call_command("hash_password")


# --- whose request is this ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remote", "forwarded", "address"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        ("203.0.113.9", "6.6.6.6", "203.0.113.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "6.6.6.6, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("127.0.0.1", "10.1.2.3", "10.1.2.3"),
        ("127.0.0.1", "203.0.113.9, unknown", UNREADABLE),
        ("127.0.0.1", "203.0.113.9:5678", UNREADABLE),
        ("", "203.0.113.9", UNREADABLE),
        ("::ffff:203.0.113.9", "", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
    ],
)
def test_the_address_is_the_first_that_is_no_proxy_of_ours(
    settings: Any, remote: str, forwarded: str, address: str
) -> None:
    settings.ATTSYNC_TRUSTED_PROXIES = ["127.0.0.1", "10.0.0.0/8"]
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}

    assert client_address(RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers)) == address


def test_the_history_names_the_kind_of_device() -> None:
    request = RequestFactory().get("/", headers={"User-Agent": "Mozilla/5.0 (Linux; Android 14) Chrome/126"})

    assert device_of(request) == "Android 127.0.0.1"
