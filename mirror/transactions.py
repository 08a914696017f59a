"""Transactions that meet each other: tried again from their very beginning, never half-way."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction

P = ParamSpec("P")
T = TypeVar("T")

ATTEMPTS = 6
# Somebody waits for the answer: the agent for 30 seconds, a person for less.
PATIENCE_S = 12
# Lock wait timeout, deadlock, snapshot isolation conflict (MariaDB 11.6 on).
_CONFLICTS = {1205, 1213, 1020}
_DUPLICATE_KEY = 1062


def one_transaction(work: Callable[P, T]) -> Callable[P, T]:
    """Run the function in a transaction of its own, and again if it lost against another one.

    A deadlock or a lost race for a first row undoes the whole transaction, so only the outermost block may be
    repeated. Inside somebody else's transaction the function runs once.
    """

    @functools.wraps(work)
    def repeated(*args: P.args, **kwargs: P.kwargs) -> T:
        deadline = time.monotonic() + PATIENCE_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with transaction.atomic():
                    return work(*args, **kwargs)
            except DatabaseError as exc:
                is_last = attempt == ATTEMPTS or time.monotonic() > deadline
                if connection.in_atomic_block or is_last or not is_conflict(exc):
                    raise
                time.sleep(random.uniform(0.005, 0.03) * attempt)  # noqa: S311 - spreads the losers, guards nothing
        raise AssertionError("unreachable")

    return repeated


def is_conflict(exc: DatabaseError) -> bool:
    """Tell whether the same work may succeed a moment later."""
    number = exc.args[0] if exc.args else None
    if isinstance(exc, IntegrityError):
        return number == _DUPLICATE_KEY or "UNIQUE constraint failed" in str(exc)
    return isinstance(exc, OperationalError) and (number in _CONFLICTS or "is locked" in str(exc))
