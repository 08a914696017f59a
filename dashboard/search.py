"""Finding people by number or name, and by what became of their day."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from dashboard.place import Place
from dashboard.rows import Person

_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")


def listed(place: Place, *, as_merged: bool = False) -> Callable[[Iterable[Person]], list[Person]]:
    """Return what leaves of some people those that the filters of a place let through.

    On a page whoever was just marked stays listed until the factory has the mark: no row vanishes under a thumb.
    ``as_merged``: for a list that must add up.
    """
    if not place.picks_people:
        return list
    wanted = _plain(place.query)

    def test(person: Person) -> bool:
        return _has_status(person, place.show, as_merged=as_merged) and (
            not wanted or wanted in _plain(person.worker.no) or wanted in _plain(person.worker.name or "")
        )

    return lambda people: list(filter(test, people))


def _has_status(person: Person, show: str, *, as_merged: bool) -> bool:
    if not show:
        return True
    verdicts = [person.verdict] if as_merged else [person.verdict, person.factory_verdict]
    return any(verdict.late if show == "late" else verdict.status == show for verdict in verdicts)


def _plain(text: str) -> str:
    """One spelling for what looks the same: composed letters, Arabic digits, single blanks, lower case."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_THAI_DIGITS).casefold().split())
