"""A million closed rows must not be in anybody's way: the statements that run all the time use an index."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from editqueue.models import Edit, EditEvent
from editqueue.offering import Cursor, page
from mirror.models import DaySnapshot
from tests.cloud.day import today

pytestmark = pytest.mark.django_db


@pytest.fixture
def many_rows() -> None:
    """Enough closed rows that a planner prefers an index if there is one."""
    now = timezone.now()
    days = [today() - timedelta(days=n) for n in range(40)]
    Edit.objects.bulk_create(
        Edit(
            day=day,
            period=1,
            employee_no=f"{n:04}",
            status="late",
            created_at=now,
            applied_at=now,
            rev=n + 1,
            outcome="applied",
        )
        for day in days
        for n in range(100)
    )
    EditEvent.objects.bulk_create(
        EditEvent(at=now, day=day, period=1, employee_no=f"{n:04}", kind="asked", status="late", rev=1)
        for day in days
        for n in range(50)
    )


def plan(rows: QuerySet[Any]) -> str:
    return rows.explain()


STATEMENTS: dict[str, Callable[[], QuerySet[Any]]] = {
    "offering": lambda: Edit.objects.waiting().in_offering_order()[:200],
    "edits of a day": lambda: Edit.objects.filter(day=today()),
    "one cell": lambda: Edit.objects.filter(day=today(), period=1, employee_no="0001"),
    "held": Edit.objects.held,
    "one person's history": lambda: EditEvent.objects.filter(employee_no="0001"),
    "days of a month": lambda: DaySnapshot.objects.for_month(today()),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_uses_an_index(many_rows: None, name: str) -> None:
    said = plan(STATEMENTS[name]())

    if connection.vendor == "sqlite":
        assert "SEARCH" in said
        assert "SCAN" not in said
    else:
        assert " ALL " not in said.replace("\t", " ").replace("|", " ")


def test_the_offering_needs_no_sorting(many_rows: None) -> None:
    said = plan(Edit.objects.waiting().in_offering_order()[:200])

    assert "TEMP B-TREE" not in said
    assert "filesort" not in said


def test_paging_reads_each_waiting_row_once(many_rows: None) -> None:
    Edit.objects.update(applied_at=None)
    seen: list[int] = []
    after: Cursor | None = None
    while True:
        edits, following = page(after, 97)
        seen += [edit.id for edit in edits]
        if following is None:
            break
        after = Cursor.parse(following)

    assert len(seen) == len(set(seen)) == 4000
