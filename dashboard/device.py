"""A cookie that says: from this browser somebody signed in once. It opens nothing, it only chooses a lane."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse

COOKIE = "attsync_device"
_SALT = "attsync.device"
_PATH = "/att-sync/"
_SECONDS = 180 * 24 * 60 * 60


def known_id(request: HttpRequest) -> str:
    """Return the browser's id, or an empty text for one never seen before (or a forged cookie)."""
    return request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_SECONDS) or ""


def remember(request: HttpRequest, response: HttpResponse) -> None:
    response.set_signed_cookie(
        COOKIE,
        known_id(request) or secrets.token_urlsafe(16),
        salt=_SALT,
        max_age=_SECONDS,
        path=_PATH,
        secure=settings.HTTPS_ONLY,
        httponly=True,
        samesite="Lax",
    )
