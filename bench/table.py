"""Timing and the table: medians of several runs, and a ratio to a baseline measured in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table. ``ratio`` to the baseline, or None where the aim is an absolute figure."""

    what: str
    size: str
    figure: str
    ratio: float | None
    aim: str

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}×"
        return f"{self.what:<44} {self.size:<22} {self.figure:>14} {ratio:>8}   {self.aim}"


Rows = Iterator[Row]


def median_ms(call: Callable[[], object], *, runs: int = 15) -> float:
    """The median time of a call in milliseconds, after one that is not counted."""
    call()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def in_turn_ms(
    call: Callable[[], object], baseline: Callable[[], object], *, runs: int = 15
) -> tuple[float, float, float]:
    """Medians of both and of their ratio, measured in turn, so that a machine that slows down slows both."""
    call()
    baseline()
    pairs = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        between = time.perf_counter()
        baseline()
        pairs.append(((between - started) * 1000, (time.perf_counter() - between) * 1000))
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours, theirs, statistics.median(one / other for one, other in pairs)


def against(
    what: str, size: str, call: Callable[[], object], baseline: Callable[[], object], aim: str, *, runs: int = 15
) -> Row:
    ours, _, ratio = in_turn_ms(call, baseline, runs=runs)
    return Row(what, size, f"{ours:.1f} ms", ratio, aim)
