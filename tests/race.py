"""The same call from many threads at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def race(runners: int, call: Callable[[], T]) -> list[T]:
    """Return what each of them got. If any raised, raise all of it together.

    Each thread has database connections of its own, so the test needs `django_db(transaction=True)`.
    """
    return race_of(*[call] * runners)


def race_of(*calls: Callable[[], T]) -> list[T]:
    """Different calls against each other; the answers come in the order of the calls."""
    together = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        # Connect first: otherwise the race is decided by who connects fastest.
        for connection in connections.all():
            connection.ensure_connection()
        try:
            together.wait()
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(run, call) for call in calls]
    failures = [failure for future in futures if (failure := future.exception())]
    if failures:
        raise BaseExceptionGroup("in a race", failures)
    return [future.result() for future in futures]
