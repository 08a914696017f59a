"""What a page depends on, in one short tag: a conditional GET is answered from it without reading a day.

The tag covers the snapshots, the queue, the line's state, what lies open, the language, the clock where it moves a
state, and the program itself. The moments that move on although nothing changed travel beside it in a header.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256

from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import get_language

from dashboard import factoryday, freshness, scripts
from dashboard.freshness import Line
from dashboard.place import Place
from dashboard.summary import queue_count
from editqueue import reading
from editqueue.reading import Versions

# Agent last heard and data captured, as Unix times: the script keeps the line of the two clocks true with them.
FRESH_HEADER = "X-Fresh"


@dataclass(frozen=True)
class Tag:
    etag: str
    fresh: str

    def sign(self, response: HttpResponse | HttpResponseBase) -> HttpResponse:
        assert isinstance(response, HttpResponse)
        response["ETag"] = self.etag
        response[FRESH_HEADER] = self.fresh
        response["Cache-Control"] = "no-store, private"
        return response


def of_data(day: date, now: datetime) -> str | None:
    """The tag of the day's data alone; None: there is no such day."""
    versions = reading.versions(day)
    if versions.stored_at is None:
        return None
    return _etag(versions.queue, versions.gen, versions.stored_at, _clock(versions, now))


def of_page(place: Place, now: datetime) -> Tag:
    versions = reading.versions(place.day)
    line = freshness.line(now)
    count = queue_count(line)
    said = [
        *(versions.queue, versions.gen, versions.stored_at, _clock(versions, now)),
        *_line_state(line),
        *(count.waiting, count.stuck, factoryday.calendar(now).today),
        *(place.encoded(), get_language(), scripts.version()),
    ]
    captured = versions.captured_at or versions.stored_at
    return Tag(_etag(*said), f"{_epoch(line.heard_at)} {_epoch(captured)}")


def _line_state(line: Line) -> tuple[object, ...]:
    link = line.link
    troubles = link.error, line.clock_error_minutes, line.wrong_key_since_heard, link.second_agent_at, line.missed_runs
    return line.state, link.gen, *troubles


def _clock(versions: Versions, now: datetime) -> str:
    """The minute, for a day whose periods are judged by our own clock; empty for all others."""
    return f"{now:%Y%m%d%H%M}" if versions.is_judged_by_clock else ""


def _etag(*parts: object) -> str:
    return f'"{sha256(repr(parts).encode()).hexdigest()[:16]}"'


def _epoch(moment: datetime | None) -> int:
    return int(moment.timestamp()) if moment else 0
