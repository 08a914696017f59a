"""Dates and times of a legacy database, read as text: drivers choke on what such columns hold.

Everything here is naive factory wall time (UTC+7, no DST). What cannot be a date or a time is None, never a crash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone
from functools import lru_cache

FACTORY_ZONE = timezone(timedelta(hours=7))
BUDDHIST_ERA = 543

# 2000 to 2199, as for days (`mirror.wire.parse_day`).
_BELIEVED = range(946_684_800, 7_258_118_400)
_FIRST_BUDDHIST_YEAR, _LAST_BUDDHIST_YEAR = 2400, 2799
_ONE_DAY = timedelta(days=1)
# As nearly all of them are; the short ways make a day of many thousand scans cheap.
_USUAL = "0000-00-00 00:00:00"
_TO_SHAPE = str.maketrans("123456789T", "000000000 ")
_CLOCKS = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60))

_DATE = r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
_CLOCK = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]*)?)?"
_A_DATE = re.compile(rf"{_DATE}(?:[T ].*)?", re.DOTALL)
_A_CLOCK = re.compile(rf"(?:{_DATE}[T ])?{_CLOCK}")
# Compiled when it is needed, which is hardly ever.
_A_MOMENT = rf"{_DATE}[T ]+{_CLOCK} *(Z|[+-][0-9]{{2}}:?[0-9]{{2}})?"


def local_now() -> datetime:
    """The factory's wall clock, whatever zone the host is set to."""
    return datetime.now(FACTORY_ZONE).replace(tzinfo=None)


def is_believable(unix: float) -> bool:
    """Tell whether a clock can be right that shows these unix seconds. Beyond them dates soon cannot be counted."""
    return int(unix) in _BELIEVED


def parse_moment(text: str | None) -> datetime | None:
    """Read ``YYYY-MM-DD HH:MM:SS``, also with ``T``, fractions (dropped), an offset, ``24:00:00``, a Buddhist year."""
    if not text:
        return None
    if usual := parse_usual_moments([text]):
        return usual[0]
    match = re.fullmatch(_A_MOMENT, text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, offset = match.groups()
    on = _date(int(year), int(month), int(day))
    at = _clock(hour, minute, second)
    if on is None or at is None or int(hour) > 24:
        return None
    return _in_factory_zone(datetime.combine(on, at), _ONE_DAY if hour == "24" else timedelta(), offset)


def parse_usual_moments(texts: Sequence[str]) -> list[datetime] | None:
    """Read all at once, or None unless every one is just ``YYYY-MM-DD HH:MM:SS`` with a year before 2400."""
    if "\n".join(texts).translate(_TO_SHAPE) != "\n".join([_USUAL] * len(texts)):
        return None
    if max(texts, default="") >= str(_FIRST_BUDDHIST_YEAR):
        return None
    try:
        return list(map(datetime.fromisoformat, texts))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def parse_date(text: str | None) -> date | None:
    """Read ``YYYY-MM-DD``, also in front of a time or with a Buddhist year.

    Zero dates, impossible ones and ``9999-12-31`` are None: they are how old systems say "none".
    """
    match = _A_DATE.fullmatch(text.strip()) if text else None
    return _date(int(match[1]), int(match[2]), int(match[3])) if match else None


def parse_clock(text: str | None) -> time | None:
    """Read ``HH:MM[:SS]``, also behind a date. ``24:00`` and beyond (MySQL's TIME has them) are the next morning's."""
    match = _A_CLOCK.fullmatch(text.strip()) if text else None
    return _clock(match[4], match[5], match[6]) if match else None


def hh_mm(at: datetime) -> str:
    """The wall clock as cells show it; many times faster than `strftime`."""
    return _CLOCKS[at.hour * 60 + at.minute]


def says_for_ever(text: str | None) -> bool:
    """Tell whether this is a last day that stands for "no end": ``9999-12-31`` and its kin."""
    match = _A_DATE.fullmatch(text.strip()) if text else None
    return match is not None and int(match[1]) > _LAST_BUDDHIST_YEAR


def in_buddhist_years(day: date, *, leap_day: str = "02-28") -> str:
    """The same day as a column filled with Buddhist years writes it.

    Their years are leap years never or at other times than ours: 29 February becomes what ``leap_day`` says.
    """
    return f"{day.year + BUDDHIST_ERA:04d}-{leap_day if (day.month, day.day) == (2, 29) else day.strftime('%m-%d')}"


def _date(year: int, month: int, day: int) -> date | None:
    if _FIRST_BUDDHIST_YEAR <= year <= _LAST_BUDDHIST_YEAR:
        year -= BUDDHIST_ERA
    try:
        return date(year, month, day) if year <= _LAST_BUDDHIST_YEAR else None
    except ValueError:
        return None


def _clock(hour: str, minute: str, second: str | None) -> time | None:
    try:
        return time(int(hour) - 24 if 24 <= int(hour) < 48 else int(hour), int(minute), int(second or 0))
    except ValueError:
        return None


def _in_factory_zone(at: datetime, later: timedelta, offset: str | None) -> datetime | None:
    try:
        at += later
        if offset is None:
            return at
        return datetime.fromisoformat(f"{at.isoformat()}{offset}").astimezone(FACTORY_ZONE).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
