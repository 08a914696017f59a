"""Days and times in words. Thai labels show the Buddhist year; URLs and forms stay ISO and Gregorian.

The only place that turns a Gregorian year into a Buddhist one (`typed_dates` is the only way back).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils.translation import gettext, ngettext

from dashboard.language import is_thai
from mirror.factorytime import local

BUDDHIST_YEARS = 543
NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Words:
    """The calendar of one language; weekdays start on Monday, like `date.weekday`."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]


THAI = Words(
    months=(
        *("มกราคม", "กุมภาพันธ์", "มีนาคม", "เมษายน", "พฤษภาคม", "มิถุนายน"),
        *("กรกฎาคม", "สิงหาคม", "กันยายน", "ตุลาคม", "พฤศจิกายน", "ธันวาคม"),
    ),
    short_months=("ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค."),
    weekdays=("จันทร์", "อังคาร", "พุธ", "พฤหัสบดี", "ศุกร์", "เสาร์", "อาทิตย์"),
    short_weekdays=("จ.", "อ.", "พ.", "พฤ.", "ศ.", "ส.", "อา."),
)
ENGLISH = Words(
    months=(
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    short_months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    short_weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
)


def words() -> Words:
    return THAI if is_thai() else ENGLISH


def year(day: date) -> int:
    """Return the year as people of the active language count it."""
    return day.year + BUDDHIST_YEARS if is_thai() else day.year


def weekday(day: date) -> str:
    return words().weekdays[day.weekday()]


def weekday_number(day: date) -> str:
    """``จ. 20``"""
    return f"{words().short_weekdays[day.weekday()]}{NBSP}{day.day}"


def day_month(day: date) -> str:
    """``20 ก.ค.``"""
    return f"{day.day}{NBSP}{words().short_months[day.month - 1]}"


def weekday_day_month(day: date) -> str:
    """``จ. 20 ก.ค.``"""
    return f"{weekday_number(day)}{NBSP}{words().short_months[day.month - 1]}"


def short_day(day: date) -> str:
    """``จ. 20 ก.ค. 2569``"""
    return f"{weekday_day_month(day)} {year(day)}"


def long_day(day: date) -> str:
    """``วันจันทร์ที่ 20 กรกฎาคม 2569``"""
    written = f"{day.day} {month_year(day)}"
    return f"วัน{weekday(day)}ที่ {written}" if is_thai() else f"{weekday(day)} {written}"


def month_year(day: date) -> str:
    """``กรกฎาคม 2569``"""
    return f"{words().months[day.month - 1]} {year(day)}"


def short_month(day: date) -> str:
    return words().short_months[day.month - 1]


def short_month_year(day: date) -> str:
    """``ก.ค. 2569``"""
    return f"{short_month(day)} {year(day)}"


def numbers(day: date) -> str:
    """``20/07/2569``, the form people type."""
    return f"{day.day:02}/{day.month:02}/{year(day)}"


def month_numbers(day: date) -> str:
    """``07/2569``"""
    return f"{day.month:02}/{year(day)}"


def clock(hours_minutes: str) -> str:
    """``09:26 น.``"""
    return f"{hours_minutes}{NBSP}น." if is_thai() else hours_minutes


def time_of(moment: datetime) -> str:
    """An aware moment as factory wall time, ``09:26 น.``"""
    return clock(f"{local(moment):%H:%M}")


def moment(when: datetime, today: date) -> str:
    """Say when, as shortly as possible: the time today, "yesterday" and the time, else the date as well."""
    day = local(when).date()
    if day == today:
        return time_of(when)
    if day == today - timedelta(days=1):
        return gettext("yesterday %(time)s") % {"time": time_of(when)}
    return f"{day_month(day)} {time_of(when)}"


def age(seconds: float) -> str:
    """``2 นาทีที่แล้ว``"""
    minutes = int(seconds // 60)
    if minutes < 1:
        return gettext("just now")
    if minutes < 60:
        return _minutes(minutes) % {"n": minutes}
    if minutes < 48 * 60:
        return _hours(minutes // 60) % {"n": minutes // 60}
    days = minutes // (24 * 60)
    return _days(days) % {"n": days}


def age_words() -> str:
    """The words of `age` for the script that keeps them true: just now, minutes, hours, days."""
    several = (form(2) % {"n": "{n}"} for form in (_minutes, _hours, _days))
    return "|".join([gettext("just now"), *several])


def clock_words() -> str:
    """The words of `clock`, for the same script."""
    return clock("{t}")


def _minutes(n: int) -> str:
    return ngettext("%(n)s minute ago", "%(n)s minutes ago", n)


def _hours(n: int) -> str:
    return ngettext("%(n)s hour ago", "%(n)s hours ago", n)


def _days(n: int) -> str:
    return ngettext("%(n)s day ago", "%(n)s days ago", n)
