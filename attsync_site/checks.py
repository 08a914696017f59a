"""What is wrong with the settings, in words and before it hurts.

Web servers run no checks, so what must never be served is refused again in `attsync_site.wsgi`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Caution
from django.core.exceptions import ImproperlyConfigured
from django.db import connections

from dashboard import password
from dashboard.address import network_of
from mirror.wire import MAX_BODY_BYTES

SHORT_SECRET, SHORT_KEY = 32, 32
FEWEST_ENTRIES = 100_000
# Statement and protocol stand around the day that is stored.
PACKET_FRAME = 64 * 1024
_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
# These count wrongly: they read, add and write in separate steps, or not at all.
_INEXACT = ("db.DatabaseCache", "filebased.FileBasedCache", "dummy.DummyCache")


@register(Tags.security)
def secrets(app_configs: Sequence[AppConfig] | None, **_options: Any) -> list[CheckMessage]:
    """Passwords and keys: missing, short or malformed."""
    return [*_password(), *_keys()]


@register(Tags.caches)
def limits(app_configs: Sequence[AppConfig] | None, **_options: Any) -> list[CheckMessage]:
    """The cache that counts guesses, and the addresses they are counted by."""
    return [*_cache(), *_proxies()]


@register(Tags.database)
def packet(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **_options: Any
) -> list[CheckMessage]:
    """Runs with `check --database default`: a day of the largest size must fit into one statement."""
    return [message for alias in databases or () for message in _packet(alias)]


def refuse_wrong_combinations() -> None:
    """Raise ImproperlyConfigured for settings under which the limits on guessing would not hold."""
    for message in _cache():
        if isinstance(message, Error):
            raise ImproperlyConfigured(f"{message.msg} {message.hint}")


def processes() -> int:
    """Return how many processes the web server was told to start, as far as that can be seen from inside."""
    asked = [os.environ.get("GRANIAN_WORKERS", ""), os.environ.get("WEB_CONCURRENCY", "")]
    for word, following in pairwise([*sys.argv, ""]):
        name, _, value = word.partition("=")
        if name in ("--workers", "-w"):
            asked.append(value or following)
    return max([1, *(int(text) for text in asked if text.isascii() and text.isdigit())])


def _password() -> Iterator[CheckMessage]:
    hashed, plain = settings.ATTSYNC_PASSWORD_HASH, settings.ATTSYNC_PASSWORD
    if hashed and not password.is_well_formed(hashed):
        hint = "Make it with `manage.py hash_password`; write PHP's $2y$… as bcrypt$$2y$…."
        yield Error("ATTSYNC_PASSWORD_HASH is not a complete password hash.", hint=hint, id="attsync.E001")
    elif hashed and plain:
        yield Caution("ATTSYNC_PASSWORD is set too, but ATTSYNC_PASSWORD_HASH wins.", id="attsync.W002")
    if not hashed and not plain:
        hint = "Set ATTSYNC_PASSWORD_HASH (`manage.py hash_password`) or ATTSYNC_PASSWORD."
        yield Caution("No password is set, so nobody can sign in.", hint=hint, id="attsync.W001")


def _keys() -> Iterator[CheckMessage]:
    hint = "Make one with `manage.py new_key`."
    if len(settings.SECRET_KEY) < SHORT_SECRET:
        yield Error(f"SECRET_KEY is shorter than {SHORT_SECRET} characters.", hint=hint, id="attsync.E002")
    if not settings.ATTSYNC_KEYS:
        yield Caution("ATTSYNC_KEY is not set, so every agent is refused.", hint=hint, id="attsync.W003")
    if any(len(key) < SHORT_KEY for key in settings.ATTSYNC_KEYS):
        yield Caution(f"ATTSYNC_KEY is shorter than {SHORT_KEY} characters.", hint=hint, id="attsync.W004")


def _cache() -> Iterator[CheckMessage]:
    cache: Mapping[str, Any] = settings.CACHES["default"]
    backend = str(cache["BACKEND"])
    hint = "Leave CACHE_URL empty with one process, or set it to redis://…."
    if backend.endswith(_INEXACT):
        yield Error("CACHE_URL names a cache that cannot count guesses.", hint=hint, id="attsync.E003")
    if backend == _MEMORY and processes() > 1:
        text = "Several web processes, but each counts guesses in its own memory."
        yield Error(text, hint="Start one process, or set CACHE_URL to redis://….", id="attsync.E004")
    if backend == _MEMORY and cache.get("OPTIONS", {}).get("MAX_ENTRIES", 0) < FEWEST_ENTRIES:
        text = "CACHE_URL names a cache in memory that forgets counts when it is full."
        yield Error(text, hint=hint, id="attsync.E005")


def _proxies() -> Iterator[CheckMessage]:
    for text in settings.ATTSYNC_TRUSTED_PROXIES:
        if network_of(text) is None:
            hint = "Expected addresses or networks like 127.0.0.1, 10.0.0.0/8."
            yield Error(f"ATTSYNC_TRUSTED_PROXIES: {text!r} is neither.", hint=hint, id="attsync.E006")


def _packet(alias: str) -> Iterator[CheckMessage]:
    connection = connections[alias]
    if connection.vendor != "mysql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT @@max_allowed_packet")
        (allowed,) = cursor.fetchone()
    needed = MAX_BODY_BYTES + PACKET_FRAME
    if allowed < needed:
        text = f"max_allowed_packet is {allowed} bytes, but a day may take {MAX_BODY_BYTES}."
        yield Error(text, hint="Set max_allowed_packet=16M in the database server.", id="attsync.E007")
