"""The frame around every answer: hosts, plain http, failures, and the header that keeps robots out."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from attsync_site import errors
from mirror.answers import json_error

# What may stand beside "nothing changed": a phone asks often, and the page it keeps has the rest.
BESIDE_304 = frozenset({"cache-control", "date", "etag", "expires", "last-modified", "vary", "x-fresh"})


class GuardAnswers:
    """Outermost, so that nothing a machine asks for is ever answered with a redirect or a page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self._refuse(request) or self.get_response(request)
        if answer.status_code == HTTPStatus.NOT_MODIFIED:
            for name in [name for name in answer.headers if name.lower() not in BESIDE_304]:
                del answer[name]
        answer["X-Robots-Tag"] = "noindex, nofollow"
        return answer

    def process_exception(self, request: HttpRequest, exc: Exception) -> HttpResponse | None:
        return errors.answer_for(request, exc)

    def _refuse(self, request: HttpRequest) -> HttpResponse | None:
        try:
            request.get_host()
        except DisallowedHost:
            return errors.wrong_host(request)
        if settings.HTTPS_ONLY and not request.is_secure() and errors.never_redirects(request):
            return json_error(403, "https_required", "this address is served over https only")
        if request.path in errors.ONLY_READ and request.method not in ("GET", "HEAD"):
            return errors.only_read(request)
        return None
