"""Single values as PHP writes them, read one way or refused with their place.

Each function takes the value and where it stood (``workers[3].no``) and raises BadPayload naming that place.
"""

from __future__ import annotations

import re
from typing import TypeVar

from mirror.wire import LATE, MAX_CODE, MAX_GEN, MAX_NO_LENGTH, PRESENT, BadPayload, parse_day

T = TypeVar("T")

Loose = str | int | float | bool | None

_NUMBER = re.compile(r"-?[0-9]{1,19}")
_WINDOW_CLOCK = re.compile(r"((?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)(:[0-5][0-9])?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])")


def text(value: Loose, at: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise BadPayload(f"{at}: expected text")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def no(value: Loose, at: str) -> str:
    said = text(value, at)
    if not said:
        raise BadPayload(f"{at}: expected text")
    if len(said) > MAX_NO_LENGTH:
        raise BadPayload(f"{at}: longer than {MAX_NO_LENGTH}")
    return said


def number(value: Loose, at: str, *, default: int | None = None) -> int:
    if value is None and default is not None:
        return default
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise BadPayload(f"{at}: expected a whole number")


def within(value: Loose, at: str, least: int, most: int) -> int:
    said = number(value, at)
    if not least <= said <= most:
        raise BadPayload(f"{at}: expected {least} to {most}")
    return said


def code(value: Loose, at: str) -> int:
    """A period code."""
    return within(value, at, 1, MAX_CODE)


def gen(value: Loose) -> int | None:
    if value is None:
        return None
    return within(value, "gen", 1, MAX_GEN)


def flag(value: Loose, at: str) -> bool:
    if value in (None, False, 0, "0", ""):
        return False
    if value in (True, 1, "1"):
        return True
    raise BadPayload(f"{at}: expected 0 or 1")


def window_clock(value: Loose, at: str) -> str | None:
    """Return HH:MM, or HH:MM:SS where the seconds matter; 24:00 is the next midnight."""
    if value in (None, ""):
        return None
    match = _WINDOW_CLOCK.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise BadPayload(f"{at}: expected HH:MM")
    seconds = match[2] if match[2] != ":00" else None
    return match[1].replace("24:00", "00:00") + (seconds or "")


def clock(value: Loose, at: str) -> str | None:
    """Return HH:MM; seconds are dropped."""
    said = window_clock(value, at)
    return said[:5] if said else None


def listed(sent: list[T] | dict[str, T] | None, at: str) -> list[tuple[str, T]]:
    """Return each item with its place. PHP writes a list with a hole in it, and an empty map, the wrong way round."""
    if isinstance(sent, dict):
        return [(f"{at}.{key}", item) for key, item in sent.items()]
    return [(f"{at}[{i}]", item) for i, item in enumerate(sent or [])]


def manual(value: Loose, at: str) -> str | None:
    if value in (PRESENT, LATE):
        return str(value)
    return PRESENT if flag(value, at) else None


def moment(value: Loose, at: str) -> str | None:
    if value in (None, ""):
        return None
    match = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if match is None or parse_day(match[1]) is None:
        raise BadPayload(f"{at}: expected YYYY-MM-DDTHH:MM:SS")
    return f"{match[1]}T{match[2]}"
