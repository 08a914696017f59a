"""Thai first: English only for those who asked for it with the switch, whatever language their phone speaks."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

GetResponse = Callable[[HttpRequest], HttpResponse]


def thai_first(get_response: GetResponse) -> GetResponse:
    """Middleware. A phone set to English in a Thai factory is common, so `Accept-Language` does not decide."""
    known = {code for code, _name in settings.LANGUAGES}

    def answer(request: HttpRequest) -> HttpResponse:
        chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
        with translation.override(chosen if chosen in known else settings.LANGUAGE_CODE):
            response = get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
            return response

    return answer


def is_thai() -> bool:
    return (translation.get_language() or settings.LANGUAGE_CODE).startswith("th")
