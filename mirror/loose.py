"""Single values as PHP writes them, read one way or refused with their place.

Each function takes the value and where it stood (``workers[3].no``) and raises BadPayload naming that place.
"""

from __future__ import annotations

import re

from mirror.wire import LATE, MAX_GEN, MAX_NO_LENGTH, PRESENT, BadPayload, parse_day

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


def gen(value: Loose) -> int | None:
    if value is None:
        return None
    said = number(value, "gen")
    if not 1 <= said <= MAX_GEN:
        raise BadPayload("gen: expected 1 to 2^53-1")
    return said


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


def scan_time(value: Loose, at: str) -> str | None:
    clock = window_clock(value, at)
    return clock[:5] if clock else None


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
