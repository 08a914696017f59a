"""What a request says, from a form or from JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest, QueryDict

from mirror.wire import BadPayload, clean_json, decode_json

_OBJECT = msgspec.json.Decoder(dict[str, Any])


def said(request: HttpRequest) -> dict[str, Any] | QueryDict:
    """Return the fields. JSON that is no object says nothing, like an empty form."""
    if request.content_type != "application/json":
        return request.POST
    try:
        return decode_json(clean_json(request.body), _OBJECT)
    except BadPayload:
        return {}
