"""Numbers about the queue and the line, for the health route and the pages."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min

from editqueue.models import Edit
from mirror.models import FactoryLink


def state(now: datetime) -> dict[str, int | None]:
    """Seconds since the agent was heard and since the oldest open edit was asked for; how many are held."""
    seen = FactoryLink.objects.filter(id=FactoryLink.ONLY).values_list("last_seen", flat=True).first()
    oldest = Edit.objects.open().aggregate(at=Min("created_at"))["at"]
    return {
        "agent_seen_s": _seconds(seen, now),
        "oldest_open_s": _seconds(oldest, now),
        "held": Edit.objects.held().count(),
    }


def _seconds(then: datetime | None, now: datetime) -> int | None:
    return max(0, int((now - then).total_seconds())) if then else None
