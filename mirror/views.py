"""``POST ingest``: one day from the factory."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from mirror import services
from mirror.answers import agent_route, json_answer, json_error
from mirror.body import UnsupportedBody, read_body, refusal
from mirror.intake import parse
from mirror.looseday import Ingest
from mirror.wire import BadPayload, TooLarge, parse_day

MAX_DAYS_AHEAD = 366


@agent_route("POST")
def ingest(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    try:
        stored = services.store(_read(request), now=now)
    except (TooLarge, UnsupportedBody, BadPayload) as exc:
        return refusal(exc)
    except services.Stale as exc:
        return json_error(409, "stale", str(exc), gen=exc.gen)
    except services.Suspicious as exc:
        return json_error(409, "suspicious", str(exc), gen=exc.gen)
    return json_answer({"ok": True, "date": stored.date, "workers": stored.workers, "gen": stored.gen})


def _read(request: HttpRequest) -> Ingest:
    sent = parse(read_body(request))
    day = parse_day(sent.snapshot.date)
    if day is not None and (day - timezone.localdate()).days > MAX_DAYS_AHEAD:
        raise BadPayload("date: lies more than a year ahead; the factory's clock is wrong")
    return sent
