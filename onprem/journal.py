"""The agent's log: one line per thing done, for a person who reads it months later."""

from __future__ import annotations

from collections.abc import Callable

from onprem.clocks import local_now

# Lines at these levels need the command's verbosity to be at least that high.
ALWAYS, IDLE, CHATTY = 0, 1, 2


class Journal:
    def __init__(self, write: Callable[[str], object], *, verbosity: int) -> None:
        self._write = write
        self._verbosity = verbosity

    def say(self, text: str, *, level: int = ALWAYS) -> None:
        """Write one line; what others have put into it cannot make it two."""
        if level <= self._verbosity:
            line = "".join(character if character.isprintable() else " " for character in text)
            self._write(f"[{local_now():%Y-%m-%d %H:%M:%S}] {line}")
