"""What the screen shows as a table for the office: one day with its people, or one month with its days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext as _

from dashboard import dates, search, statuses
from dashboard.cards import in_order, period_name
from dashboard.daypage import Day, load
from dashboard.factoryday import Calendar
from dashboard.month import DayRow, month_after, rows_of
from dashboard.place import Place
from dashboard.rows import Person
from editqueue.merge import MergedDay
from editqueue.models import Edit
from mirror import counting
from mirror.wire import MANUAL_MARKS, Period

Value = str | int
FIGURES = ("full", "partial", "absent", "late", "wait", "off")


@dataclass(frozen=True)
class Table:
    """``first`` says what this is and how fresh; texts stay texts (an employee number is one), numbers numbers."""

    name: str
    first: str
    totals: Sequence[tuple[str, int]]
    head: Sequence[str]
    rows: Sequence[Sequence[Value]]


def day_table(place: Place, known: Calendar, now: datetime) -> Table | None:
    """Return the people that the page's filters list, or None if there is no data of the day."""
    day = load(place.day, now)
    merged = day.merged
    if merged is None:
        return None
    people = day.people(place.dept)
    totals = counting.total([person.verdict for person in people])
    periods = merged.snapshot.periods
    names = [period_name(period) for period in periods]
    return Table(
        name=place.day.isoformat(),
        first=_first_line(place, day, merged, known),
        totals=[(_label(name, merged), getattr(totals, name)) for name in FIGURES],
        head=[_("Number"), _("Name"), _("Department"), _("Result"), _("Late"), *names],
        rows=[_person(person, merged, periods) for person in in_order(search.listed(place, as_merged=True)(people))],
    )


def month_table(first: date, now: datetime, known: Calendar) -> Table:
    """Return every day of the month that has come, with its figures or the reason why it has none."""
    rows = {row.day: row for row in rows_of(first)}
    last = min(known.last, date.fromordinal(month_after(first).toordinal() - 1))
    days = [date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1)]
    waiting = Edit.objects.waiting().filter(day__gte=first, day__lt=month_after(first)).count()
    finished = [row for row in rows.values() if row.is_finished]
    heads = [str(statuses.DAY[name].label) for name in FIGURES]
    return Table(
        name=f"{first:%Y-%m}",
        first=" · ".join([dates.month_year(first), _as_of(now, known), _waiting(waiting)]),
        totals=[(str(statuses.DAY[name].label), _sum(finished, name)) for name in FIGURES],
        head=[_("Date"), _("Weekday"), *heads, _("Remark")],
        rows=[_day(day, rows.get(day)) for day in days],
    )


def _first_line(place: Place, day: Day, merged: MergedDay, known: Calendar) -> str:
    assert day.row is not None  # there is no merged day without one
    said = [dates.short_day(place.day), _("data of %(time)s") % {"time": dates.moment(day.row.data_time, known.today)}]
    said.append(_waiting(merged.waiting))
    if merged.rules.is_open:
        said.append(str(_("the day is not over")))
    if place.dept:
        said.append(_("Department %(name)s") % {"name": place.dept})
    if place.query:
        said.append(f"“{place.query}”")
    if place.show:
        said.append(_label(place.show, merged))
    return " · ".join(said)


def _as_of(now: datetime, known: Calendar) -> str:
    return _("as of %(time)s") % {"time": f"{dates.day_month(known.today)} {dates.time_of(now)}"}


def _waiting(number: int) -> str:
    return _("waiting to sync %(n)s") % {"n": number}


def _label(status: str, merged: MergedDay) -> str:
    return str(statuses.day_label(status, is_open=merged.rules.is_open))


def _person(person: Person, merged: MergedDay, periods: Sequence[Period]) -> list[Value]:
    worker, verdict = person.worker, person.verdict
    result = str(statuses.DAY[verdict.status].label)
    if verdict.status == counting.OFF:
        result = worker.off or result
    elif verdict.status == counting.ABSENT and merged.rules.is_open:
        result = str(statuses.NOT_COME_YET.label)
    late = str(statuses.DAY["late"].label) if verdict.late else ""
    cells = [_mark(merged, worker.no, period.code, worker.p.get(period.code)) for period in periods]
    return [worker.no, worker.name or "", worker.g or "", result, late, *cells]


def _mark(merged: MergedDay, employee_no: str, code: int, cell: str | None) -> str:
    """``06:55``, or a word with its origin, or nothing; and what waits for the factory."""
    said = [cell or ""]
    if cell in MANUAL_MARKS and cell:
        said = [str(statuses.WISH[cell].label), str(statuses.EDIT["manual"].label)]
    flag = merged.flags.get((code, employee_no))
    if flag:
        said.append(str(statuses.EDIT[flag.kind].label))
    return " · ".join(filter(None, said))


def _day(day: date, row: DayRow | None) -> list[Value]:
    start: list[Value] = [dates.numbers(day), dates.weekday(day)]
    if row is None:
        return [*start, *[""] * len(FIGURES), _("no data")]
    remark = row.holiday or (_("the day is not over") if row.is_open else "")
    figures = {"wait": "waiting"}
    return [*start, *(getattr(row, figures.get(name, name)) for name in FIGURES), remark]


def _sum(rows: Sequence[DayRow], name: str) -> int:
    return sum(getattr(row, "waiting" if name == "wait" else name) for row in rows)
