"""``POST ingest``: one day from the factory."""

from __future__ import annotations

import zlib

from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import timezone

from mirror import services
from mirror.answers import agent_route, json_answer, json_error
from mirror.intake import parse
from mirror.looseday import Ingest
from mirror.wire import MAX_BODY_BYTES, BadPayload, parse_day

TOO_LARGE = f"a day may have up to {MAX_BODY_BYTES} bytes"
MAX_DAYS_AHEAD = 366


@agent_route("POST")
def ingest(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    try:
        stored = services.store(_read(request), now=now)
    except services.TooLarge as exc:
        return json_error(413, "too_large", str(exc))
    except UnsupportedBody as exc:
        return json_error(415, "unsupported_type", str(exc))
    except BadPayload as exc:
        return json_error(400, "bad_payload", str(exc))
    except services.Stale as exc:
        return json_error(409, "stale", str(exc), gen=exc.gen)
    except services.Suspicious as exc:
        return json_error(409, "suspicious", str(exc), gen=exc.gen)
    return json_answer({"ok": True, "date": stored.date, "workers": stored.workers, "gen": stored.gen})


class UnsupportedBody(ValueError):
    """Neither JSON nor looking like it, or an encoding we do not read."""


def read_body(request: HttpRequest) -> bytes:
    """Return the decompressed body. Raise TooLarge, UnsupportedBody or BadPayload.

    Read from the stream: Django's own limit for ``request.body`` is 2.5 MB and answers HTML.
    """
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) > MAX_BODY_BYTES:
        raise services.TooLarge(TOO_LARGE)
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
        raise services.TooLarge(TOO_LARGE)
    return body


def _read(request: HttpRequest) -> Ingest:
    body = read_body(request)
    is_json_type = "json" in (request.content_type or "").lower()
    start = body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not is_json_type and start not in (b"", b"{", b"["):
        raise UnsupportedBody("expected a JSON body")
    sent = parse(body)
    day = parse_day(sent.snapshot.date)
    if day is not None and (day - timezone.localdate()).days > MAX_DAYS_AHEAD:
        raise BadPayload("date: lies more than a year ahead; the factory's clock is wrong")
    return sent


def _gunzip(body: bytes) -> bytes:
    """Decompress up to the limit and not a byte more: a bomb of 100 MB is 97 KB on the wire."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        plain = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error as exc:
        raise BadPayload("body: broken gzip") from exc
    if len(plain) > MAX_BODY_BYTES:
        raise services.TooLarge(TOO_LARGE)
    if not inflater.eof or inflater.unused_data:
        raise BadPayload("body: broken gzip")
    return plain
