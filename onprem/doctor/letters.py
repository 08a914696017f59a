"""Thai read in the wrong charset, and what it probably was. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

# UTF-8 or tis620 bytes taken for Latin letters; a lone é or ü is a foreign name.
_WRONG_LETTERS = re.compile(
    "[\u0080-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2122]{2,}"
)
_LOST_LETTERS = re.compile(r"\?{2,}|\ufffd")
_THAI = re.compile("[\u0e01-\u0e5b]")


def garbled(texts: Iterable[str | None]) -> list[str]:
    """Those that were read in a wrong charset."""
    return [text for text in texts if text and (_LOST_LETTERS.search(text) or _is_mojibake(text))]


def probably(text: str) -> str | None:
    """The Thai it was before, or None if it cannot be got back."""
    for taken_for in ("latin-1", "cp1252"):
        for was in ("utf-8", "cp874"):
            try:
                guess = text.encode(taken_for).decode(was)
            except UnicodeError:
                continue
            if _THAI.search(guess) and not _is_mojibake(guess):
                return guess
    return None


def _is_mojibake(text: str) -> bool:
    return _WRONG_LETTERS.search(text) is not None and _THAI.search(text) is None
