"""One worker's day from plain words: windows, scans, overrides and wishes in; states and a verdict out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from mirror import counting
from mirror.counting import DayRules, Verdict, Window
from mirror.wire import ABSENT, Period

DAY = date(2026, 7, 28)


def at(clock: str, *, day: int = 28) -> datetime:
    return datetime.fromisoformat(f"2026-07-{day:02d}T{clock}")


@dataclass(frozen=True)
class Shift:
    """``periods`` are (code, start, end, late_after) in clock texts."""

    periods: Sequence[tuple[int, str, str, str | None]]
    groups: Sequence[Sequence[int]]
    day_starts: str = "04:00"

    def windows(self, day: date = DAY) -> list[Window]:
        return [
            counting.window(
                code,
                day,
                start=time.fromisoformat(start),
                end=time.fromisoformat(end),
                late_after=time.fromisoformat(late) if late else None,
                day_starts=time.fromisoformat(self.day_starts),
            )
            for code, start, end, late in self.periods
        ]

    def rules(self, now: datetime, through: datetime | None, day: date = DAY) -> DayRules:
        states = {win.code: counting.state_of(win, now=now, scans_through=through) for win in self.windows(day)}
        periods = [
            Period(code=code, start=start, end=end, late_after=late, state=states[code])
            for code, start, end, late in self.periods
        ]
        return counting.day_rules(periods, self.groups, time.fromisoformat(self.day_starts))


DAY_SHIFT = Shift(
    periods=[
        (1, "05:30", "07:30", None),
        (2, "07:30", "09:00", "08:00"),
        (3, "12:00", "13:30", "13:00"),
        (4, "16:30", "19:00", None),
    ],
    groups=[[1, 2], [3], [4]],
)
NIGHT_SHIFT = Shift(
    periods=[(5, "19:30", "21:00", "20:00"), (6, "00:00", "01:30", "00:45"), (7, "05:00", "06:30", None)],
    groups=[[5], [6], [7]],
    day_starts="12:00",
)


def cells(
    windows: Sequence[Window],
    scans: Iterable[datetime],
    *,
    overrides: Mapping[int, str] | None = None,
    wishes: Mapping[int, str] | None = None,
    expected: Collection[int] | None = None,
) -> dict[int, str | None]:
    """R2: a real scan beats a waiting wish, which beats the stored override."""
    firsts = counting.first_scans(scans, windows, expected)
    marks = {**(overrides or {}), **{code: None if wish == ABSENT else wish for code, wish in (wishes or {}).items()}}
    return {
        win.code: firsts[win.code].strftime("%H:%M") if win.code in firsts else marks.get(win.code) for win in windows
    }


def judged(
    shift: Shift,
    scans: Iterable[datetime],
    *,
    now: datetime,
    through: datetime | None = None,
    overrides: Mapping[int, str] | None = None,
    expected: Collection[int] | None = None,
) -> Verdict:
    """The verdict of one worker; ``through`` defaults to now: everything has been pulled."""
    own = None if expected is None else frozenset(expected)
    found = cells(shift.windows(), scans, overrides=overrides, expected=own)
    return counting.judge(shift.rules(now, through or now), found, own)
