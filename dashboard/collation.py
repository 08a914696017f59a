"""Thai names in the order of a Thai dictionary, which is not the order of their code points."""

from __future__ import annotations

import re
from functools import lru_cache

# A vowel written before its consonant (เ แ โ ใ ไ) is read, and sorted, after it.
_VOWEL_FIRST = re.compile("([เ-ไ])([ก-ฮ])")
# Tone marks and the like decide only between words that are otherwise the same.
_MARKS = re.compile("[็-๎]")


@lru_cache(maxsize=20_000)
def thai_key(text: str) -> tuple[str, str]:
    """Return a sort key: letters first, then the marks on them."""
    swapped = _VOWEL_FIRST.sub(r"\2\1", text)
    return _MARKS.sub("", swapped).casefold(), swapped
