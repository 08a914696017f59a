"""What the queue forgets, a little at every report of the agent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from editqueue.models import Edit, EditEvent, Outcome
from mirror.models import DaySnapshot
from mirror.transactions import one_transaction

KEEP_CLOSED = timedelta(days=30)
MOST_AT_ONCE = 1000


@one_transaction
def purge(now: datetime) -> int:
    """Delete closed edits older than 30 days whose day has settled, and history past its days. Return how many.

    An edit whose snapshot has not arrived yet is all that shows its value, however old it is.
    """
    edits = _some(_settled().filter(applied_at__lt=now - KEEP_CLOSED), MOST_AT_ONCE)
    Edit.objects.filter(id__in=edits).delete()
    too_old = now - timedelta(days=settings.ATTSYNC_HISTORY_DAYS)
    events = _some(EditEvent.objects.filter(at__lt=too_old).order_by("at"), MOST_AT_ONCE - len(edits))
    EditEvent.objects.filter(id__in=events).delete()
    return len(edits) + len(events)


def _settled() -> QuerySet[Edit]:
    """Closed without a write, or written before the stored snapshot was captured (old acks: before it was stored)."""
    day = DaySnapshot.objects.filter(day=OuterRef("day"))
    by_gen = day.filter(gen__gte=OuterRef("applied_gen"))
    by_time = day.filter(stored_at__gt=OuterRef("applied_at"))
    return Edit.objects.filter(
        ~Q(outcome=Outcome.APPLIED) | Q(Exists(by_gen)) | Q(Exists(by_time), applied_gen=None)
    ).exclude(applied_at=None)


def _some(rows: QuerySet[Any], most: int) -> list[int]:
    return list(rows.values_list("id", flat=True)[:most])
