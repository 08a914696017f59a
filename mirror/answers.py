"""What the machine routes have in common: who may call, and JSON whatever happens."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from hmac import compare_digest
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from mirror import services
from mirror.wire import encode

logger = logging.getLogger(__name__)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def json_answer(data: object, *, status: int = 200) -> HttpResponse:
    return HttpResponse(encode(data), status=status, content_type="application/json; charset=utf-8")


def json_error(status: int, code: str, error: str, **more: object) -> HttpResponse:
    """Return the one form of every refusal: a machine word and a sentence."""
    return json_answer({"ok": False, "code": code, "error": error, **more}, status=status)


def agent_route(method: str) -> Callable[[View[P]], View[P]]:
    """Guard a view for the factory's agent: the key first, then the method. The cookie opens nothing here."""

    def guard(view: View[P]) -> View[P]:
        @csrf_exempt
        @functools.wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not key_is_good(request.headers.get("X-API-KEY", "")):
                _remember_knock()
                return json_error(401, "unauthorized", "the X-API-KEY header is missing or not one of the keys")
            if request.method != method:
                answer = json_error(405, "method_not_allowed", f"this route takes {method}")
                answer["Allow"] = method
                return answer
            answer = view(request, *args, **kwargs)
            answer["Cache-Control"] = "no-store"
            return answer

        return guarded

    return guard


def key_is_good(sent: str) -> bool:
    """Compare bytes in constant time with every live key; without a key of ours nobody is let in."""
    said = sent.strip().encode("utf-8", "surrogatepass")
    matches = [compare_digest(said, key.encode("utf-8", "surrogatepass")) for key in settings.ATTSYNC_KEYS]
    return any(matches)


def _remember_knock() -> None:
    try:
        services.note_wrong_key(timezone.now())
    except DatabaseError:
        logger.warning("a call with a wrong key; the database is away too")
