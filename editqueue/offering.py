"""What the agent is offered: pages of waiting edits, and the wait for the next one."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Q

from editqueue.models import Edit, QueueVersion
from mirror import factorytime

MAX_WAIT_S = 25
LOOK_EVERY_S = 0.25
# A waiter holds a server thread; more of them would leave none for people.
MAX_WAITERS = 4
_waiters = threading.BoundedSemaphore(MAX_WAITERS)
_CURSOR = re.compile(r"([0-9]{1,4})\.([0-9]{1,18})\.([0-9]{1,18})")


class Cursor(NamedTuple):
    """The place after the last edit of a page, in offering order."""

    attempts: int
    rev: int
    id: int

    @classmethod
    def parse(cls, text: str) -> Cursor | None:
        """Return the cursor a page's ``next`` named, or None for anything else."""
        match = _CURSOR.fullmatch(text)
        return cls(*map(int, match.groups())) if match else None

    def __str__(self) -> str:
        return f"{self.attempts}.{self.rev}.{self.id}"


class Page(NamedTuple):
    edits: Sequence[Edit]
    next: str | None


def page(after: Cursor | None, limit: int) -> Page:
    """Return up to ``limit`` waiting edits after the cursor; ``next`` is None on the last page of a cycle."""
    waiting = Edit.objects.waiting().in_offering_order()
    if after:
        later = Q(attempts__gt=after.attempts) | Q(attempts=after.attempts, rev__gt=after.rev)
        waiting = waiting.filter(later | Q(attempts=after.attempts, rev=after.rev, id__gt=after.id))
    edits = list(waiting[: limit + 1])
    if len(edits) <= limit:
        return Page(edits, None)
    last = edits[limit - 1]
    return Page(edits[:limit], str(Cursor(last.attempts, last.rev, last.id)))


def wait_for_an_edit(seconds: float) -> None:
    """Return as soon as an edit waits, or after ``seconds``; at once if four others of this process wait already.

    Holds no transaction and looks at one small row, so it costs next to nothing and works with several processes.
    """
    if not _waiters.acquire(blocking=False):
        return
    try:
        deadline, seen = time.monotonic() + seconds, None
        while True:
            version = QueueVersion.objects.filter(id=QueueVersion.ONLY).values_list("version", flat=True).first()
            if version != seen or seen is None:
                seen = version
                if Edit.objects.waiting().exists():
                    return
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(LOOK_EVERY_S, left))
    finally:
        _waiters.release()


def as_sent(edit: Edit) -> dict[str, object]:
    """One edit as it travels; ``created_at`` in factory time, whatever the host's zone."""
    return {
        "id": edit.id,
        "rev": edit.rev,
        "d": edit.day.isoformat(),
        "period": edit.period,
        "employee_no": edit.employee_no,
        "full_name": edit.full_name,
        "status": edit.status,
        "created_at": factorytime.local(edit.created_at).strftime("%Y-%m-%d %H:%M:%S"),
    }
