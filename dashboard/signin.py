"""Who is signed in, checked on every request, and what the others get instead of a page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page

from dashboard import password
from mirror.answers import json_error

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

# Where a sign-in may lead: pages only, never anything that changes something or leaves the site.
PAGES = frozenset({"day", "month", "worker", "queue", "print", "help", "everyone"})
_FINGERPRINT, _SINCE = "attsync_fingerprint", "attsync_since"


def sign_in(request: HttpRequest) -> None:
    """Start a new session; a session id known before the sign-in is worth nothing after it."""
    request.session.cycle_key()
    request.session[_FINGERPRINT] = password.fingerprint()
    request.session[_SINCE] = timezone.now().timestamp()
    request.session.clear_expired()


def sign_out(request: HttpRequest) -> None:
    """End the session on the server, so that a copied cookie ends with it."""
    request.session.flush()


def is_signed_in(request: HttpRequest) -> bool:
    """Tell whether this session was opened with the password of today, and not too long ago."""
    ours, theirs = password.fingerprint(), request.session.get(_FINGERPRINT)
    if not ours or not isinstance(theirs, str) or not constant_time_compare(ours, theirs):
        return False
    age = timezone.now().timestamp() - request.session.get(_SINCE, 0)
    return bool(age < settings.ATTSYNC_REMEMBER_DAYS * 24 * 60 * 60)


def page(view: View[P]) -> View[P]:
    """Guard a page: signed-in people only, and nothing of it is kept by any browser or proxy."""

    @gzip_page
    @functools.wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if is_signed_in(request):
            response = view(request, *args, **kwargs)
        else:
            response = HttpResponseRedirect(f"{reverse('day')}?{urlencode({'next': request.get_full_path()})}")
        return kept_nowhere(response)

    return guarded


def json_route(view: View[P]) -> View[P]:
    """Guard a route that always answers JSON."""

    @functools.wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if is_signed_in(request):
            response = view(request, *args, **kwargs)
        else:
            response = json_error(401, "auth", _("Please sign in first."))
        return kept_nowhere(response)

    return guarded


def kept_nowhere(response: HttpResponse) -> HttpResponse:
    """`no-cache` is not enough: with it the Back button shows the names after signing out."""
    response["Cache-Control"] = "no-store, private"
    return response


def safe_next(target: str) -> str:
    """Return where to go after the sign-in: the page asked for, or the day page if it is none of ours."""
    if not url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        return reverse("day")
    try:
        match = resolve(urlsplit(target).path)
    except Resolver404:
        return reverse("day")
    return target if match.url_name in PAGES else reverse("day")
