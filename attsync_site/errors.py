"""Every failure in the right clothes: JSON for machines and scripts, a page in words for people."""

from __future__ import annotations

import sys

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError, ProgrammingError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from mirror.answers import json_error

ROOT = "/att-sync/"
MACHINE_ROUTES = frozenset(ROOT + name for name in ("ingest", "pending", "applied", "api", "health"))
# Neither key nor token opens more than reading here, so the method is judged before them.
ONLY_READ = frozenset(ROOT + name for name in ("api", "health"))
PERSON_POSTS = frozenset(ROOT + name for name in ("login", "logout", "mark"))
_NO_SUCH_TABLE = 1146
RETRY_AFTER_S = "10"


def never_redirects(request: HttpRequest) -> bool:
    """A redirected POST becomes an empty GET, so these refuse instead."""
    return request.path in MACHINE_ROUTES or request.path in PERSON_POSTS


def wants_json(request: HttpRequest) -> bool:
    return request.path in MACHINE_ROUTES or "application/json" in request.headers.get("Accept", "")


def answer(
    request: HttpRequest, status: int, code: str, title: str | Promise, text: str | Promise, *, back: str = ""
) -> HttpResponse:
    """Return the failure as JSON or as a page with a way ``back``. The page needs no session and no database."""
    if wants_json(request):
        return json_error(status, code, str(text))
    page = render_to_string("error.html", {"title": title, "text": text, "back": back})
    response = HttpResponse(page, status=status)
    response["Cache-Control"] = "no-store, private"
    return response


def answer_for(request: HttpRequest, exc: BaseException | None) -> HttpResponse | None:
    """Return the answer for an exception that has one of its own, else None (a bug: 500)."""
    if isinstance(exc, RequestDataTooBig):
        return answer(request, 413, "too_large", _("Too much at once"), _("What was sent is too large."))
    if isinstance(exc, (OperationalError, InterfaceError)) or _is_missing_table(exc):
        return _unavailable(request, exc)
    return None


def wrong_host(request: HttpRequest) -> HttpResponse:
    return answer(request, 400, "bad_host", _("Wrong address"), _("This site is not served under this address."))


def only_read(request: HttpRequest) -> HttpResponse:
    response = json_error(405, "method_not_allowed", "this route takes GET")
    response["Allow"] = "GET, HEAD"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return answer(request, 413, "too_large", _("Too much at once"), _("What was sent is too large."))
    code = "bad_request" if isinstance(exception, SuspiciousOperation) else "bad_payload"
    return answer(request, 400, code, _("Not understood"), _("The request could not be understood."))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 403, "forbidden", _("Not allowed"), _("You may not open this page."))


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 404, "not_found", _("Page not found"), _("There is nothing at this address."))


def server_error(request: HttpRequest) -> HttpResponse:
    """Called inside the failing except block, so a database that is away is still known as such."""
    known = answer_for(request, sys.exc_info()[1])
    text = _("Something is broken here. It has been noted; please try again later.")
    return known or answer(request, 500, "server_error", _("A fault on our side"), text)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = _("This page was open for too long. Open it again and repeat what you did.")
    place = request.POST.get("place", "")
    back = ROOT + ("queue" if place == "queue" else f"?{QueryDict(place).urlencode()}")
    return answer(request, 403, "csrf", _("Please open the page again"), text, back=back)


def _unavailable(request: HttpRequest, exc: BaseException | None) -> HttpResponse:
    if _is_missing_table(exc):
        text: str | Promise = _("The database has no tables yet: run “manage.py migrate”.")
    else:
        text = _("The database cannot be reached right now. Nothing was changed; please try again.")
    if wants_json(request):
        response = json_error(503, "unavailable", str(text), db=False)
    else:
        response = answer(request, 503, "unavailable", _("Not available right now"), text)
    response["Retry-After"] = RETRY_AFTER_S
    return response


def _is_missing_table(exc: BaseException | None) -> bool:
    if not isinstance(exc, DatabaseError):
        return False
    is_mysql = isinstance(exc, ProgrammingError) and exc.args[:1] == (_NO_SUCH_TABLE,)
    return is_mysql or "no such table" in str(exc)
