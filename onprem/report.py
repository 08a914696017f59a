"""What a run leaves undone, for its exit code and for the heartbeat."""

from __future__ import annotations

from dataclasses import dataclass, field

_MOST_NAMED = 3
DONE, REFUSED, TRY_AGAIN = 0, 1, 75

# The heartbeat carries one word; what needs a person most comes first.
_BY_WEIGHT = (
    "state_unwritable",
    "factory_down",
    "view_missing",
    "bad_windows",
    "suspicious",
    "clock_off",
    "second_agent",
    "cron_missing",
)


@dataclass
class Report:
    """Each part of a run ("edits", a day, "clock" …) notes its own trouble and takes it back when it went well."""

    unanswered: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    troubles: dict[str, str] = field(default_factory=dict)

    def went_well(self, part: str) -> None:
        self.unanswered.discard(part)
        self.refused.discard(part)
        self.troubles.pop(part, None)

    @property
    def error(self) -> str:
        """The heaviest trouble's word on the wire, or nothing."""
        return next((word for word in _BY_WEIGHT if word in self.troubles.values()), "")

    @property
    def exit_code(self) -> int:
        """What will be tried again outweighs what was refused: a caller that retries brings both to an end."""
        if self.unanswered:
            return TRY_AGAIN
        return REFUSED if self.refused else DONE

    def __str__(self) -> str:
        undone = [f"will be tried again: {_named(self.unanswered)}"] if self.unanswered else []
        undone += [f"refused: {_named(self.refused)}"] if self.refused else []
        return "; ".join(undone) or "all done"


def _named(parts: set[str]) -> str:
    """Name many days by the first and the last."""
    days = sorted(part for part in parts if part[0].isdigit())
    others = sorted(parts.difference(days))
    if len(days) > _MOST_NAMED:
        days = [f"{len(days)} days from {days[0]} to {days[-1]}"]
    return ", ".join([*days, *others])
