"""A whole group at once, for the day the terminal was dead: one request, one edit per person."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime

from django.utils.translation import gettext_lazy as _

from editqueue import guards, reading, services
from editqueue.guards import Refusal, Wish
from editqueue.merge import MergedDay, merge
from editqueue.models import Edit
from mirror import counting
from mirror.transactions import one_transaction
from mirror.wire import Worker


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
) -> MergedDay:
    """Mark those of ``people`` who are still missing in the group; return the day after it.

    Raise Refusal and then change nothing. Somebody who scanned since the names were listed is left out, and so is
    anybody not on that list.
    """
    queue = services.lock_queue()
    edits = reading.edits_of(day)
    stored = reading.stored_day(day, now)
    if stored is None:
        raise guards.no_day()
    merged = merge(stored.snapshot, edits, stored.stamp)
    if tuple(codes) not in merged.rules.groups:
        raise Refusal(400, "no_period", _("This day has no such period."))
    services.demand_editable(day, now)
    latest = {(edit.period, edit.employee_no): edit for edit in edits}
    wishes = [
        (Wish(day, code, worker.no, status), worker.name or "", latest.get((code, worker.no)))
        for worker, code in missing(merged, codes)
        if worker.no in people
    ]
    if wishes:
        services.put_all(wishes, now=now, source=source)
        services.bump(queue, now)
    return merge(stored.snapshot, reading.edits_of(day), stored.stamp)


def asked_at(day: date, codes: Collection[int], people: Collection[str]) -> datetime | None:
    """Return when the newest wish for one of these people was asked for: a form sent twice was heard the first time."""
    edits = Edit.objects.filter(day=day, period__in=codes).order_by("-created_at")
    return next((edit.created_at for edit in edits if edit.employee_no in people), None)
