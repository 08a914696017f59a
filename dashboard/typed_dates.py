"""Dates as people type them: ``28/07/2569``, ``๒๘/๐๗/๒๕๖๙``, ``28 ก.ค. 2569``, ``2026-07-28`` are one day.

A year is shifted once, here, and only if it can be nothing but Buddhist; a year that is neither makes no sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard.dates import BUDDHIST_YEARS, ENGLISH, THAI
from mirror.wire import parse_day

_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")
_ISO = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_ISO_MONTH = re.compile(r"([0-9]{4})-([0-9]{1,2})")
_WORD = r"[^0-9/\-\s]+"
_BETWEEN = r"\s*[/.\-\s]\s*"
# Digits need something between them; a month in words stands out by itself: `28ก.ค.2569`.
_WRITTEN = re.compile(
    rf"(?:วันที่)?\s*([0-9]{{1,2}})(?:{_BETWEEN}([0-9]{{1,2}}){_BETWEEN}|\s*-?\s*({_WORD})\s*-?\s*)([0-9]{{1,6}})"
)
_WRITTEN_MONTH = re.compile(rf"(?:([0-9]{{1,2}}){_BETWEEN}|({_WORD})\s*-?\s*)([0-9]{{1,6}})")
_WEEKDAYS = sorted((*THAI.weekdays, *THAI.short_weekdays, *ENGLISH.weekdays, *ENGLISH.short_weekdays), key=len)
# As our own pages write them: `วันนี้ จ. 30 พ.ย. 2569`, `วันจันทร์ที่ 30 พฤศจิกายน พ.ศ. 2569`.
_WEEKDAY = re.compile(
    rf"^(?:(?:วันนี้|today)[\s,]*)?(?:วัน)?(?:{'|'.join(map(re.escape, reversed(_WEEKDAYS)))})(?:ที่)?[\s,]*(?=[0-9])",
    re.IGNORECASE,
)
_ERA = re.compile(r"พ\.?\s?ศ\.?\s*(?=[0-9]{4}$)")
_FIRST_YEAR, _LAST_YEAR = 2000, 2100


class NotADate(ValueError):
    """What was typed names no day. ``sentence`` says why, to the person who typed it."""

    def __init__(self, sentence: str | Promise) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


def day_from(text: str) -> date:
    """Return the day. Raise NotADate."""
    text = _WEEKDAY.sub("", _plain(text), count=1)
    if match := _ISO.fullmatch(text):
        year, month, day = match.groups()
    elif match := _WRITTEN.fullmatch(text):
        day, month, year = _filled(match)
    else:
        raise NotADate(_("This is not a date. Type it like 28/07/2569."))
    return _checked(
        _gregorian(year),
        _month_number(month),
        int(day),
        _("There is no such day in the calendar. Try one like 28/02/2569."),
    )


def month_from(text: str) -> date:
    """Return the first day of the month. Raise NotADate."""
    text = _plain(text)
    if match := _ISO_MONTH.fullmatch(text):
        year, month = match.groups()
    elif match := _WRITTEN_MONTH.fullmatch(text):
        month, year = _filled(match)
    else:
        raise NotADate(_("This is not a month. Type it like 07/2569."))
    return _checked(_gregorian(year), _month_number(month), 1, _("This is not a month. Type it like 07/2569."))


def _filled(match: re.Match[str]) -> list[str]:
    """The groups of the alternative that matched."""
    return [group for group in match.groups() if group is not None]


def _plain(text: str) -> str:
    return _ERA.sub("", text.translate(_THAI_DIGITS).replace("\N{NO-BREAK SPACE}", " ").strip())


def _gregorian(text: str) -> int:
    year = int(text)
    if len(text) != 4:
        raise NotADate(_("Type the year with four digits, like 2569."))
    for candidate in (year, year - BUDDHIST_YEARS):
        if _FIRST_YEAR <= candidate <= _LAST_YEAR:
            return candidate
    raise NotADate(_("The year %(year)s makes no sense here. This year is like 2569 or 2026.") % {"year": year})


def _month_number(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    for number, names in enumerate(_month_names(), start=1):
        if _key(text) in names:
            return number
    raise NotADate(_("“%(month)s” is no month. Type it like 28/07/2569.") % {"month": text})


def _month_names() -> Iterator[set[str]]:
    names = zip(THAI.months, THAI.short_months, ENGLISH.months, ENGLISH.short_months, strict=True)
    return ({_key(name) for name in month} for month in names)


def _key(name: str) -> str:
    return name.replace(".", "").removeprefix("เดือน").casefold()


def _checked(year: int, month: int, day: int, why_not: str | Promise) -> date:
    found = parse_day(f"{year:04}-{month:02}-{day:02}")
    if found is None:
        raise NotADate(why_not)
    return found
