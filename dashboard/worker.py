"""One person's month: every day with its times, where each mark comes from, and everything anybody asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import takewhile

from django.utils.translation import gettext as _

from dashboard import dates, statuses
from dashboard.cards import group_state, period_name
from dashboard.factoryday import Calendar
from dashboard.month import month_after
from dashboard.people import day_of
from dashboard.place import Place
from dashboard.statuses import Look
from editqueue.merge import PENDING, EditState, MergedDay, Stamp, merge
from editqueue.models import Edit
from mirror import counting
from mirror.models import DaySnapshot
from mirror.wire import MANUAL_MARKS, Period, Worker, is_clock

Column = tuple[int, ...]
# More columns than this do not fit beside each other on a phone.
MOST_COLUMNS = 4
SHORTEST_NAME = 3


@dataclass(frozen=True)
class Mark:
    """One period's mark inside a cell: a time or a word, and where it comes from."""

    text: str
    states: Sequence[Look] = ()
    is_time: bool = False


@dataclass(frozen=True)
class Field:
    """What a table cell shows: marks, or a word why there is none."""

    column: str
    marks: Sequence[Mark] = ()
    word: str = ""


@dataclass(frozen=True)
class WorkerDay:
    """A row of the table. ``plain`` and ``icon`` stand in for the fields of a day without attendance."""

    day: date
    label: str
    url: str
    states: Sequence[Look] = ()
    fields: Sequence[Field] = ()
    plain: str = ""
    icon: str = ""


@dataclass
class WorkerMonth:
    no: str
    name: str = ""
    dept: str = ""
    columns: dict[Column, str] = field(default_factory=dict)
    days: list[WorkerDay] = field(default_factory=list)
    counts: counting.Totals = field(default_factory=counting.Totals)

    @property
    def is_known(self) -> bool:
        return bool(self.name)

    @property
    def is_wide(self) -> bool:
        return len(self.columns) > MOST_COLUMNS


def worker_month(employee_no: str, first: date, known: Calendar, now: datetime) -> WorkerMonth:
    """Read the person's month, newest day first."""
    edits = _edits(employee_no, first)
    rows = list(DaySnapshot.objects.filter(day__gte=first, day__lt=month_after(first)).order_by("day"))
    merged = {row.day: _merged(row, employee_no, edits.get(row.day, []), now) for row in rows}
    month = WorkerMonth(employee_no)
    for day in merged.values():
        _learn(month, day)
    last = min(known.last, date.fromordinal(month_after(first).toordinal() - 1))
    for number in range(last.toordinal(), first.toordinal() - 1, -1):
        when = date.fromordinal(number)
        month.days.append(_worker_day(when, merged.get(when), month.columns))
    return month


def _edits(employee_no: str, first: date) -> dict[date, list[EditState]]:
    found: dict[date, list[EditState]] = {}
    edits = Edit.objects.filter(employee_no=employee_no, day__gte=first, day__lt=month_after(first))
    for day, *columns in edits.values_list("day", *EditState._fields):
        found.setdefault(day, []).append(EditState(*columns))
    return found


def _merged(row: DaySnapshot, employee_no: str, edits: list[EditState], now: datetime) -> MergedDay | None:
    snapshot = day_of(row, employee_no, now)
    return merge(snapshot, edits, Stamp(row.gen, row.stored_at)) if snapshot else None


def _learn(month: WorkerMonth, day: MergedDay | None) -> None:
    """Take over the newest name and department, the day's columns, and its result."""
    if day is None or not day.snapshot.workers:
        return
    worker = day.snapshot.workers[0]
    month.name, month.dept = worker.name or worker.no, worker.g or ""
    periods = {period.code: period for period in day.snapshot.periods}
    for codes in day.rules.groups:
        month.columns[codes] = _column_name([period_name(periods[code]) for code in codes])
    if not day.rules.is_open and not day.snapshot.holiday:
        verdict = day.verdicts[0]
        setattr(month.counts, verdict.status, getattr(month.counts, verdict.status) + 1)
        month.counts.late += verdict.late


def _column_name(names: Sequence[str]) -> str:
    """A narrow column's heading: ``เช้า`` for "เช้า 1" and "เช้า 2"."""
    letters = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
    common = "".join(column[0] for column in letters).rstrip(" 0123456789-") if len(names) > 1 else ""
    return common if len(common) >= SHORTEST_NAME else " · ".join(names)


def _worker_day(when: date, day: MergedDay | None, columns: Mapping[Column, str]) -> WorkerDay:
    label, url = dates.weekday_number(when), Place(when).url()
    if day is None:
        return WorkerDay(when, label, url, plain=_("no data"), icon="nodata")
    if not day.snapshot.workers:
        return WorkerDay(when, label, url, plain=_("not on the roster"), icon="nodata")
    worker, verdict = day.snapshot.workers[0], day.verdicts[0]
    if verdict.status == counting.OFF:
        word = worker.off or day.snapshot.holiday or str(statuses.DAY["off"].label)
        return WorkerDay(when, label, url, plain=word, icon="month" if day.snapshot.holiday else "off")
    states = [statuses.DAY[verdict.status]]
    if day.rules.is_open:
        # Nobody is absent on a day that is not over.
        states = [statuses.NOT_COME_YET if verdict.status == counting.ABSENT else states[0], statuses.PERIOD["between"]]
    return WorkerDay(when, label, url, states, [_field(day, worker, codes, name) for codes, name in columns.items()])


def _field(day: MergedDay, worker: Worker, codes: Column, column: str) -> Field:
    if codes not in day.rules.groups:
        return Field(column, word=_("no such period"))
    periods = {period.code: period for period in day.snapshot.periods}
    marks = [mark for code in codes if (mark := _mark(day, worker, periods[code]))]
    if marks:
        return Field(column, marks)
    expected = counting.expected_in(worker)
    if expected is not None and not expected.intersection(codes):
        return Field(column, word=_("off"))
    state = group_state(day.rules, codes)
    return Field(column, word="–" if state == counting.END else str(statuses.PERIOD[state].label))


def _mark(day: MergedDay, worker: Worker, period: Period) -> Mark | None:
    cell = worker.p.get(period.code)
    flag = day.flags.get((period.code, worker.no))
    states = [statuses.EDIT[flag.kind]] if flag else []
    if is_clock(cell) and cell:
        late = counting.is_late_mark(day.rules.rules[period.code], cell)
        return Mark(cell, [statuses.DAY["late"], *states] if late else states, is_time=True)
    if cell in MANUAL_MARKS and cell:
        return Mark(str(statuses.WISH[cell].label), [statuses.EDIT["manual"], *states])
    if flag and flag.kind == PENDING:
        return Mark(str(statuses.WISH[flag.edit.status].label), states)
    return Mark("–", states) if flag else None
