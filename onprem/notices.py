"""Oddities in the factory's data: left out of the count, never fatal, never silent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mirror.wire import Notice

UNMATCHED = "unmatched"
FUTURE_SCAN = "future_scan"
OLD_SCAN = "old_scan"
DUPLICATE = "duplicate"
UNKNOWN_OVERRIDE = "unknown_override"
DEAD_TERMINAL = "dead_terminal"
NUMBER_COLLISION = "number_collision"
BAD_ROW = "bad_row"

SAMPLES = 5
SAMPLE_LENGTH = 120


class Notices:
    """Counts what was odd, by kind, with a few examples. The order in which things are added changes nothing."""

    def __init__(self) -> None:
        self._found: dict[str, Counter[str]] = {}

    def add(self, kind: str, sample: str, *, times: int = 1) -> None:
        self._found.setdefault(kind, Counter())[sample[:SAMPLE_LENGTH]] += times

    def take(self, other: Notices) -> None:
        """Add everything another collection has."""
        for kind, samples in other._found.items():
            self._found.setdefault(kind, Counter()).update(samples)

    def on_wire(self) -> list[Notice]:
        return [
            Notice(kind=kind, n=samples.total(), sample=sorted(samples)[:SAMPLES])
            for kind, samples in sorted(self._found.items())
        ]

    def count(self, kind: str) -> int:
        return self._found.get(kind, Counter()).total()

    def samples(self, kind: str) -> Iterable[str]:
        return sorted(self._found.get(kind, ()))
