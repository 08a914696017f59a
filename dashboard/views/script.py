"""The page's behaviours as one file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from dashboard import scripts


@require_safe
@gzip_page
def script(request: HttpRequest) -> HttpResponse:
    """Kept for ever under the name with the right version; under any other it is asked for again."""
    response = HttpResponse(scripts.joined(), content_type="text/javascript; charset=utf-8")
    kept = request.GET.get("v") == scripts.version()
    response["Cache-Control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
    return response
