"""A whole group at once, for the day the terminal was dead: one request, one edit per person."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from editqueue import guards, reading, services
from editqueue.guards import Refusal, Wish
from editqueue.merge import MergedDay
from mirror import counting, factorytime
from mirror.models import DaySnapshot
from mirror.transactions import one_transaction
from mirror.wire import Worker


@dataclass(frozen=True)
class GroupMarked:
    """The day after it, how many people were marked, and how many needed no mark any more."""

    merged: MergedDay
    marked: int
    left_out: int


def missing(merged: MergedDay, codes: Collection[int]) -> Iterator[tuple[Worker, int]]:
    """Yield who is expected in the group and has no mark, with the period to mark: the last expected one."""
    for worker in merged.snapshot.workers:
        expected = counting.expected_in(worker)
        own = [code for code in codes if expected is None or code in expected]
        if own and not counting.has_come(codes, worker.p):
            yield worker, own[-1]


@one_transaction
def mark_group(
    day: date, codes: Sequence[int], status: str, people: Collection[str], *, now: datetime, source: str
) -> GroupMarked:
    """Mark those of ``people`` who are still missing in the group. Raise Refusal and then change nothing.

    Somebody who scanned since the names were listed is left out, and so is anybody not on that list.
    """
    queue = services.lock_queue()
    edits = reading.edits_of(day)
    row = DaySnapshot.objects.filter(day=day).first()
    merged = reading.merged(row, edits, now) if row else None
    if row is None or merged is None:
        raise Refusal(404, "no_day", _("The factory has not sent anything for this day yet."))
    if tuple(codes) not in merged.rules.groups:
        raise Refusal(400, "no_period", _("This day has no such period."))
    newest = DaySnapshot.objects.newest() or row
    guards.inside_edit_window(day, newest=newest.day, today=factorytime.today(now, newest.day_starts))
    latest = {(edit.period, edit.employee_no): edit for edit in edits}
    chosen = [(worker, code) for worker, code in missing(merged, codes) if worker.no in people]
    for worker, code in chosen:
        wish = Wish(day, code, worker.no, status)
        services.put(wish, worker.name or "", latest=latest.get((code, worker.no)), now=now, source=source)
    if chosen:
        services.bump(queue, now)
    after = reading.merged(row, reading.edits_of(day), now)
    assert after is not None  # the same text was read above
    return GroupMarked(after, len(chosen), len(people) - len(chosen))
