"""A line on a terminal that tells how far a backfill is."""

from __future__ import annotations

from django.core.management.base import OutputWrapper

_WIDTH = 30
_CLEAR = "\r\033[K"


class Bar:
    """Log lines go above it. On anything but a terminal it is not there."""

    def __init__(self, out: OutputWrapper) -> None:
        self._out = out
        self._is_shown = out.isatty()
        self._line = ""

    @property
    def is_shown(self) -> bool:
        """A person is watching."""
        return self._is_shown

    def write(self, line: str) -> None:
        self._draw(f"{line}\n")

    def show(self, done: int, total: int) -> None:
        filled = _WIDTH * done // max(total, 1)
        is_over = done >= total
        self._line = "" if is_over or total < 2 else f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total} days"
        self._draw("")

    def _draw(self, line: str) -> None:
        if self._is_shown:
            line = f"{_CLEAR}{line}{self._line}"
        self._out.write(line, ending="")
        self._out.flush()
