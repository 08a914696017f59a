"""One day in its canonical form: what our agent sends, what the cloud stores and answers.

Pure: no Django, no database, no clock. What older agents may send instead is the business of `mirror.intake`.
"""

from __future__ import annotations

import json
import math
import re
from datetime import date
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

MAX_BODY_BYTES = 8 * 1024 * 1024
MAX_GEN = 2**53 - 1
MAX_NO_LENGTH = 32
MAX_CODE = 255
MAX_RULES = 32767
PRESENT, LATE, ABSENT = "present", "late", "absent"
MANUAL_MARKS = frozenset({PRESENT, LATE})
WISHES = frozenset({PRESENT, LATE, ABSENT})
STATES = ("wait", "open", "settling", "end")

_HH_MM = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
CLOCKS = frozenset(f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60))
CELLS = CLOCKS | MANUAL_MARKS | {None}
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# An escape counts only after an even number of backslashes: "\\u0000" is six harmless characters.
_NUL_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_HUGE_NUMBER = re.compile(rb"[0-9][eE]\+?[0-9]{3}|[0-9]{200}")
_MOST_DIGITS = 300

T = TypeVar("T")

# ``$`` would let a newline through.
Code = Annotated[int, Meta(ge=1, le=MAX_CODE)]
DayOffset = Annotated[int, Meta(ge=0, le=1)]
Rules = Annotated[int, Meta(ge=0, le=MAX_RULES)]
No = Annotated[str, Meta(min_length=1, max_length=MAX_NO_LENGTH)]
Clock = Annotated[str, Meta(pattern=rf"^{_HH_MM}\Z")]
WindowClock = Annotated[str, Meta(pattern=rf"^{_HH_MM}(?::[0-5][0-9])?\Z")]
Moment = Annotated[str, Meta(pattern=rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T{_HH_MM}:[0-5][0-9]\Z")]
Gen = Annotated[int, Meta(ge=1, le=MAX_GEN)]
State = Annotated[str, Meta(pattern=r"^(?:wait|open|settling|end)\Z")]


class BadPayload(ValueError):
    """A body that cannot be taken. The text says where and what: ``workers[3].no: expected text``."""


class TooLarge(ValueError):
    """A body, or a day in canonical form, beyond what may be sent or stored."""


class ScanRow(Struct, kw_only=True):
    """Somebody off the roster who scanned inside a window: shown, never counted."""

    no: No
    name: str | None = None
    t: Clock | None = None
    g: str | None = None
    m: str | None = None
    x: int = 1


class Period(Struct, kw_only=True):
    """One scan window in factory wall time. ``state`` None (v0) means: judge it by the clock when the day is read."""

    code: Code
    name: str | None = None
    start: WindowClock | None = None
    end: WindowClock | None = None
    late_after: WindowClock | None = None
    day_offset: DayOffset | None = None
    state: State | None = None
    scan: list[ScanRow] = []


class Worker(Struct, kw_only=True):
    """One person's day: ``p`` maps each period code to None, "HH:MM" (a real scan), "present" or "late".

    ``e`` unset: expected in every period. ``pd``, ``sv``, ``er`` and ``pending`` exist only in the cloud's answers.
    """

    no: No
    name: str | None = None
    g: str | None = None
    p: dict[Code, str | None] = {}
    e: list[Code] | UnsetType = UNSET
    off: str | None = None
    pd: dict[int, int] | UnsetType = UNSET
    sv: dict[int, int] | UnsetType = UNSET
    er: dict[int, str] | UnsetType = UNSET
    pending: int | UnsetType = UNSET


class Stat(Struct, kw_only=True):
    full: int = 0
    partial: int = 0
    absent: int = 0
    wait: int = 0


class Notice(Struct, kw_only=True):
    """Something odd in the factory's data that was left out of the count: how many, and a few examples."""

    kind: str
    n: int = 0
    sample: list[str] = []


class Snapshot(Struct, kw_only=True):
    """Everything the factory knows about one day. ``rules`` 0 marks the body of an old (v0) agent."""

    date: str
    gen: Gen | None = None
    active_total: int = 0
    stat: Stat = msgspec.field(default_factory=Stat)
    groups: list[list[Code]] | None = None
    periods: list[Period] = []
    workers: list[Worker] = []
    scans_through: Moment | None = None
    captured_at: Moment | None = None
    day_starts: Clock | None = None
    holiday: str | None = None
    notices: list[Notice] = []
    rules: Rules = 0
    pending: int | UnsetType = UNSET


_SNAPSHOT = msgspec.json.Decoder(Snapshot)
_ENCODER = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """Return canonical JSON: UTF-8, Thai unescaped, no blanks."""
    return _ENCODER.encode(value)


def decode_snapshot(text: str | bytes) -> Snapshot:
    """Read a stored canonical text back. Raise BadPayload for anything else (an adopted PHP text, say)."""
    return decode_json(text, _SNAPSHOT)


def clean_json(body: bytes) -> bytes:
    """Return the body without a leading BOM, or raise BadPayload for what no text in it may hold.

    Checked on the whole body once, because a decoder skips unknown fields without looking into them.
    """
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise BadPayload(f"body: not UTF-8 at byte {exc.start}") from exc
    if b"\0" in body or (b"\\u0000" in body and _NUL_ESCAPE.search(body)):
        raise BadPayload("body: contains a NUL character")
    return body


def demand_finite_numbers(body: bytes) -> None:
    """Raise BadPayload for a number that others read as infinity (1e999), also in a field that nobody reads."""
    if not _HUGE_NUMBER.search(body):
        return
    try:
        json.loads(body, parse_int=_small, parse_float=_finite)
    except (ValueError, RecursionError) as exc:
        raise BadPayload(f"body: {exc}") from exc


def _small(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError("a number beyond all bounds")
    return int(digits)


def _finite(digits: str) -> float:
    if math.isinf(float(digits)):
        raise ValueError("a number beyond all bounds")
    return float(digits)


def decode_json(body: str | bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode, or raise BadPayload with the place in front of the reason."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as exc:
        raise BadPayload(_with_place_first(str(exc))) from exc
    except (msgspec.DecodeError, UnicodeDecodeError) as exc:
        raise BadPayload(f"body: {exc}") from exc
    except RecursionError as exc:
        raise BadPayload("body: nested too deeply") from exc


def parse_day(text: object) -> date | None:
    """Return the date a strict ``YYYY-MM-DD`` names, or None.

    `date.fromisoformat` alone also takes ``20260728`` and week dates; years outside 2000-2199 are mistakes
    (a Buddhist year, a dead clock battery).
    """
    if not isinstance(text, str) or not _DAY.fullmatch(text):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if 2000 <= day.year < 2200 else None


def is_clock(cell: str | None) -> bool:
    """Tell whether this is a wall clock time ``HH:MM``, which in a cell means a real scan."""
    return cell in CLOCKS


def _with_place_first(message: str) -> str:
    """``Expected `str`, got `int` - at `$.a[3].b` `` becomes ``a[3].b: expected `str`, got `int` ``."""
    reason, _, place = message.partition(" - at `")
    place = place.rstrip("`").removeprefix("$").removeprefix(".")
    return f"{place or 'body'}: {reason[:1].lower()}{reason[1:]}"
