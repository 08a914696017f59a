"""How far two clocks are apart, in words."""

from __future__ import annotations

from datetime import timedelta

TOLERANCE = timedelta(minutes=5)


def is_off(apart: timedelta) -> bool:
    return abs(apart) > TOLERANCE


def span(apart: timedelta) -> str:
    """``+7:00:12`` or ``-0:06:00``."""
    sign = "-" if apart < timedelta() else "+"
    return f"{sign}{timedelta(seconds=round(abs(apart).total_seconds()))}"
