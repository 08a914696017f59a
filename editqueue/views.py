"""``GET pending`` and ``POST applied`` for the agent, ``GET health`` for a monitor."""

from __future__ import annotations

import re

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from editqueue import monitor, offering, report, retention
from mirror import heartbeat
from mirror.answers import agent_route, json_answer, json_error
from mirror.body import UnsupportedBody, read_body, refusal
from mirror.wire import BadPayload, TooLarge, clean_json, decode_json, demand_finite_numbers

MAX_PAGE = 500
PAGE = 200
_NUMBER = re.compile(r"[0-9]{1,9}")
_REPORT = msgspec.json.Decoder(dict[str, object])


@agent_route("GET")
def pending(request: HttpRequest) -> HttpResponse:
    try:
        after = _cursor(request.GET.get("after", ""))
        limit = _number(request, "limit", default=PAGE, most=MAX_PAGE) or 1
        wait = _number(request, "wait", default=0, most=offering.MAX_WAIT_S)
    except BadPayload as exc:
        return json_error(400, "bad_payload", str(exc))
    gen = heartbeat.hear(heartbeat.read(request.GET), now=timezone.now())
    if wait and after is None:
        offering.wait_for_an_edit(wait)
        # What somebody else stored meanwhile is news to the agent, which stamps above it with its next ack.
        gen = heartbeat.highest_gen()
    edits, following = offering.page(after, limit)
    answer = json_answer(
        {
            "ok": True,
            "now": int(timezone.now().timestamp()),
            "gen": gen,
            "next": following,
            "edits": [offering.as_sent(edit) for edit in edits],
        }
    )
    answer["Accept-Encoding"] = "gzip"
    return answer


@agent_route("POST")
def applied(request: HttpRequest) -> HttpResponse:
    try:
        body = clean_json(read_body(request))
        demand_finite_numbers(body)
        said = decode_json(body, _REPORT)
        acks, nacks = _entries(said, "acks"), _entries(said, "nacks")
    except (TooLarge, UnsupportedBody, BadPayload) as exc:
        return refusal(exc)
    now = timezone.now()
    result = report.take(acks, nacks, now=now)
    retention.purge(now)
    return json_answer({"ok": True, "acked": result.acked, "nacked": result.nacked, "ignored": result.ignored})


def health(request: HttpRequest) -> HttpResponse:
    """Tell a monitor how things are, without personal data; 503 when the database is away (the middleware's answer)."""
    return json_answer({"ok": True, "db": True, **monitor.state(timezone.now())})


def _cursor(text: str) -> offering.Cursor | None:
    if not text:
        return None
    cursor = offering.Cursor.parse(text)
    if cursor is None:
        raise BadPayload("after: expected the `next` of an earlier page")
    return cursor


def _number(request: HttpRequest, name: str, *, default: int, most: int) -> int:
    text = request.GET.get(name, "")
    if not text:
        return default
    if not _NUMBER.fullmatch(text):
        raise BadPayload(f"{name}: expected a whole number")
    return min(int(text), most)


def _entries(said: dict[str, object], name: str) -> list[object]:
    entries = said.get(name) or []
    if not isinstance(entries, list):
        raise BadPayload(f"{name}: expected a list")
    return entries
