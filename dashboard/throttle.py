"""How often one may guess and tap. Counted before anything is computed, in the shared cache."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.http import HttpRequest
from django.utils.module_loading import import_string
from django_ratelimit.core import get_usage

from dashboard import device
from dashboard.address import client_address

GUESSES = "10/m"
GUESSES_OF_STRANGERS = "30/m"
TAPS = "120/m"


class TooMany(Exception):
    """Over the limit; ``retry_after`` seconds until the count starts anew."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too many; again in {retry_after} s")
        self.retry_after = retry_after


class CounterAway(Exception):
    """The cache that holds the counts does not answer."""


def count_guess(request: HttpRequest) -> int:
    """Count one guess and return how many are left in this minute. Raise TooMany or CounterAway.

    A browser that signed in before has a lane of its own, so strangers cannot lock the owner out. Strangers share a
    limit besides their own address's, and only guesses inside the latter use it up: one address cannot spend it.
    """
    known = device.known_id(request)
    if known:
        return _count(request, "signin.device", known, GUESSES)
    left = _count(request, "signin.address", client_address(request), GUESSES)
    _count(request, "signin.strangers", "all", GUESSES_OF_STRANGERS)
    return left


def count_tap(request: HttpRequest) -> None:
    """Count one tap of this session: an office shares one address. Raise TooMany.

    Without the cache taps go on uncounted: whoever taps has signed in.
    """
    with suppress(CounterAway):
        _count(request, "mark", request.session.session_key or "", TAPS)


def _count(request: HttpRequest, group: str, value: str, rate: str) -> int:
    def key(_group: str, _request: HttpRequest) -> str:
        return value

    try:
        usage: dict[str, Any] | None = get_usage(request, group=group, key=key, rate=rate, increment=True)
    except _cache_errors() as exc:
        raise CounterAway from exc
    if usage is None:
        raise CounterAway
    if usage["time_left"] < 0:
        raise CounterAway
    if usage["should_limit"]:
        raise TooMany(max(1, usage["time_left"]))
    return int(usage["limit"] - usage["count"])


def _cache_errors() -> tuple[type[Exception], ...]:
    """Each client library raises a family of its own; only those installed can be in use."""
    families: list[type[Exception]] = [OSError]
    for path in ("redis.exceptions.RedisError", "pymemcache.exceptions.MemcacheError", "pylibmc.Error"):
        with suppress(ImportError):
            families.append(import_string(path))
    return tuple(families)
