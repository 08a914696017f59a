"""Where the agent's commands speak: a log that may lie on a full disk, under any locale or none."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand


class AgentCommand(BaseCommand):
    """A command of the agent: it can say Thai anywhere, and what cannot be written ends nobody's work."""

    def __init__(self, *args: Any, **options: Any) -> None:
        for name in ("stdout", "stderr"):
            # Not where somebody else listens, as tests do.
            if (stream := getattr(sys, name)) is getattr(sys, f"__{name}__"):
                setattr(sys, name, _patient(stream))
        super().__init__(*args, **options)


class _Lossy(io.FileIO):
    """A full disk, a closed pipe: the words are lost. Kept back, they would fail again with each that follow."""

    def write(self, data: Any) -> int:
        try:
            written: int | None = super().write(data)
        except OSError:
            written = None
        # None: a pipe that nobody empties, and that must not be waited for.
        return len(data) if written is None else written


def _patient(stream: Any) -> IO[str]:
    if stream is None:
        # Closed from the start (``>&-``).
        return Path(os.devnull).open("w", encoding="utf-8")
    stream.flush()
    raw = io.BufferedWriter(_Lossy(stream.fileno(), "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=stream.line_buffering)
