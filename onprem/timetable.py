"""One day's windows and groups, and who is expected in which of them. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from mirror import counting
from mirror.counting import Window
from onprem.ports import BadWindows
from onprem.rows import FULL_DAY, MORNING, DayOffRow, PeriodRow, Person

NOON = time(12, 0)
HOLIDAY, LEAVE = "วันหยุด", "ลา"


class Timetable(NamedTuple):
    """The periods of one day in the order of their windows.

    ``neighbours``: windows (with their shifts) of the day before and after that share a moment with one of these.
    """

    day: date
    periods: tuple[PeriodRow, ...]
    windows: tuple[Window, ...]
    groups: tuple[tuple[int, ...], ...]
    begins: datetime
    ends: datetime
    neighbours: tuple[tuple[str | None, Window], ...]

    @property
    def codes(self) -> tuple[int, ...]:
        return tuple(period.code for period in self.periods)

    def window(self, code: int) -> Window | None:
        return next((win for win in self.windows if win.code == code), None)

    def of_shift(self, shift: str | None) -> tuple[int, ...] | None:
        """The codes of this shift and those for everyone; None (every period) for a person without a shift."""
        if shift is None:
            return None
        return tuple(period.code for period in self.periods if period.shift in (None, shift))


class Expected(NamedTuple):
    """``codes`` None: every period. ``off`` says why there are fewer than the shift has."""

    codes: tuple[int, ...] | None
    off: str | None = None


def timetable(day: date, periods: Sequence[PeriodRow], *, day_starts: time) -> Timetable:
    """Place the periods on the calendar. Raise BadWindows for what nobody could count by."""
    rows, windows = _placed(day, periods, day_starts)
    _demand_clear_windows(rows, windows)
    starts = datetime.combine(day, day_starts)
    return Timetable(
        day=day,
        periods=rows,
        windows=windows,
        groups=_groups(rows),
        begins=min([starts, *(win.start for win in windows)]),
        ends=max([starts + timedelta(days=1), *(win.end for win in windows)]),
        neighbours=tuple(_neighbours(day, periods, windows, day_starts)),
    )


def marking(
    times: Iterable[datetime], person: Person, table: Timetable, codes: Collection[int] | None
) -> list[datetime]:
    """The scans that may mark this day: not those that belong to a window of his on the day before or after.

    A day worker who comes in the morning has not closed the night shift of yesterday, though its last window is open.
    """
    if not table.neighbours:
        return list(times)
    own = [win for win in table.windows if codes is None or win.code in codes]
    elsewhere = [win for shift, win in table.neighbours if person.shift is None or shift in (None, person.shift)]
    return [at for at in times if _is_inside(at, own) or not _is_inside(at, elsewhere)]


def expected(person: Person, table: Timetable, days_off: Iterable[DayOffRow]) -> Expected:
    """R6: his shift's periods less holidays and leave. ``days_off`` are those of this day, for him or everyone."""
    codes = table.of_shift(person.shift)
    rows = sorted(days_off, key=lambda row: (row.no is not None, row.label or "", row.part))
    if not rows:
        return Expected(codes)
    every = table.codes if codes is None else codes
    taken = {code for row in rows for code in _taken(row, table, every)}
    left = tuple(code for code in every if code not in taken)
    labels = dict.fromkeys(row.label or (HOLIDAY if row.no is None else LEAVE) for row in rows)
    return Expected(left, ", ".join(labels)) if taken or not every else Expected(codes)


def holiday(days_off: Iterable[DayOffRow]) -> str | None:
    """The name of a day off for the whole factory, or None."""
    rows = [row for row in days_off if row.no is None and row.part == FULL_DAY]
    labels = sorted({row.label or HOLIDAY for row in rows})
    return ", ".join(labels) or None


def shifts_of(periods: Iterable[PeriodRow]) -> list[str | None]:
    """Every shift that has periods of its own, or [None] where there are no shifts."""
    named = sorted({period.shift for period in periods if period.shift is not None})
    return [*named] or [None]


def overlaps(table_periods: Sequence[PeriodRow], windows: Sequence[Window]) -> Iterator[tuple[str | None, int, int]]:
    """Yield (shift, code, code) for two windows that one and the same worker could be expected in at one moment."""
    for shift in shifts_of(table_periods):
        own = [win for period, win in zip(table_periods, windows, strict=True) if period.shift in (None, shift)]
        if clash := counting.overlapping(own):
            yield shift, *clash


def _placed(
    day: date, periods: Iterable[PeriodRow], day_starts: time
) -> tuple[tuple[PeriodRow, ...], tuple[Window, ...]]:
    pairs = sorted(((_window(period, day, day_starts), period) for period in periods), key=lambda pair: _place(pair[0]))
    return tuple(period for _, period in pairs), tuple(win for win, _ in pairs)


def _window(period: PeriodRow, day: date, day_starts: time) -> Window:
    return counting.window(
        period.code,
        day,
        start=period.start,
        end=period.end,
        late_after=period.late_after,
        day_offset=period.day_offset,
        day_starts=day_starts,
    )


def _place(win: Window) -> tuple[datetime, datetime, int]:
    return win.start, win.end, win.code


def _neighbours(
    day: date, periods: Sequence[PeriodRow], windows: Sequence[Window], day_starts: time
) -> list[tuple[str | None, Window]]:
    around = [_placed(day + timedelta(days=step), periods, day_starts) for step in (-1, 1)]
    others = [(period.shift, other) for rows, wins in around for period, other in zip(rows, wins, strict=True)]
    return [(shift, other) for shift, other in others if any(_share_a_moment(win, other) for win in windows)]


def _share_a_moment(one: Window, other: Window) -> bool:
    return one.start < other.end and other.start < one.end


def _is_inside(at: datetime, windows: Iterable[Window]) -> bool:
    return any(win.start <= at < win.end for win in windows)


def _demand_clear_windows(periods: Sequence[PeriodRow], windows: Sequence[Window]) -> None:
    if not periods:
        raise BadWindows("there is no period at all")
    by_code: dict[int, PeriodRow] = {}
    for period in periods:
        if period.code in by_code:
            raise BadWindows(f"period {period.code} is there twice, {_span(by_code[period.code])} and {_span(period)}")
        by_code[period.code] = period
    for shift, one, other in overlaps(periods, windows):
        in_shift = f" of shift {shift}" if shift is not None else ""
        raise BadWindows(
            f"periods {one} ({_span(by_code[one])}) and {other} ({_span(by_code[other])}){in_shift} overlap"
        )


def _span(period: PeriodRow) -> str:
    return f"{period.start:%H:%M}-{period.end:%H:%M}"


def _groups(periods: Sequence[PeriodRow]) -> tuple[tuple[int, ...], ...]:
    """Periods with one group number are one group; a period without is a group of its own. In the day's order."""
    groups: dict[tuple[str | None, int], list[int]] = {}
    for period in periods:
        key = (period.group, 0) if period.group is not None else (None, period.code)
        groups.setdefault(key, []).append(period.code)
    return tuple(tuple(group) for group in groups.values())


def _taken(row: DayOffRow, table: Timetable, codes: Collection[int]) -> set[int]:
    """The codes a day off takes away: M the groups that start before noon, A the rest."""
    if row.part == FULL_DAY:
        return set(codes)
    starts: Mapping[int, datetime] = {win.code: win.start for win in table.windows}
    noon = datetime.combine(table.day, NOON)
    taken: set[int] = set()
    for group in table.groups:
        own = [code for code in group if code in codes]
        if own and (min(starts[code] for code in own) < noon) == (row.part == MORNING):
            taken.update(own)
    return taken
