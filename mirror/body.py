"""The body of a machine's request: decompressed, bounded, read from the stream."""

from __future__ import annotations

import zlib

from django.http import HttpRequest, HttpResponse, UnreadablePostError

from mirror.answers import json_error
from mirror.wire import MAX_BODY_BYTES, BadPayload, TooLarge

_TOO_LARGE = f"a body may have up to {MAX_BODY_BYTES} bytes"


class UnsupportedBody(ValueError):
    """Neither JSON nor looking like it, or an encoding we do not read."""


def read_body(request: HttpRequest) -> bytes:
    """Return the decompressed body. Raise TooLarge, UnsupportedBody or BadPayload.

    Read from the stream: Django's own limit for ``request.body`` is 2.5 MB and answers HTML.
    """
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) > MAX_BODY_BYTES:
        raise TooLarge(_TOO_LARGE)
    try:
        body = request.read(MAX_BODY_BYTES + 1)
    except UnreadablePostError as exc:
        raise BadPayload("body: the connection broke") from exc
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding == "gzip":
        body = _gunzip(body)
    elif encoding not in ("", "identity"):
        raise UnsupportedBody(f"Content-Encoding {encoding[:40]} is not read here, only gzip")
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge(_TOO_LARGE)
    is_json_type = "json" in (request.content_type or "").lower()
    if not is_json_type and body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"", b"{", b"["):
        raise UnsupportedBody("expected a JSON body")
    return body


def refusal(exc: TooLarge | UnsupportedBody | BadPayload) -> HttpResponse:
    """Return the answer to a body that cannot be taken."""
    if isinstance(exc, TooLarge):
        return json_error(413, "too_large", str(exc))
    if isinstance(exc, UnsupportedBody):
        return json_error(415, "unsupported_type", str(exc))
    return json_error(400, "bad_payload", str(exc))


def _gunzip(body: bytes) -> bytes:
    """Decompress up to the limit and not a byte more: a bomb of 100 MB is 97 KB on the wire."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        plain = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error as exc:
        raise BadPayload("body: broken gzip") from exc
    if len(plain) > MAX_BODY_BYTES:
        raise TooLarge(_TOO_LARGE)
    if not inflater.eof or inflater.unused_data:
        raise BadPayload("body: broken gzip")
    return plain
