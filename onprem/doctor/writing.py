"""Whether marks can be written, and whether they will stand there as they were meant."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError, InterfaceError, transaction

from mirror.wire import MANUAL_MARKS
from onprem import relations, rows
from onprem.doctor.finding import Finding, bad, good, some
from onprem.faults import ALIAS, reading, words_of
from onprem.models import relation_name
from onprem.notices import Notices
from onprem.override import SOURCE, TRIALS, is_numeric, keeps, try_command
from onprem.ports import FactoryTrouble


def writable() -> Iterator[Finding]:
    """Tried with statements that touch no row, and asked of how the columns are declared."""
    override = relation_name("override")
    tried = {command: _refusal(command) for command in TRIALS}
    refused = [
        bad("override_bad", relation=override, command=command, words=words)
        for command, words in tried.items()
        if words
    ]
    found = [*refused, *_unfit()]
    yield from found or [good("override_good", relation=override)]


def _unfit() -> Iterator[Finding]:
    """Columns that would change a number or a word, or refuse it; none that cannot be looked at."""
    try:
        with reading():
            columns = relations.override_columns()
            numbers = sorted(rows.people(relations.employees(), Notices()))
    except FactoryTrouble:
        return
    name, declared = relation_name("override"), columns.get("emp_no", "")
    if is_numeric(declared):
        yield bad("override_numeric", relation=name, declared=declared)
    elif lost := [no for no in numbers if not keeps(declared, no)]:
        yield bad("override_unfit", relation=name, column="emp_no", declared=declared, words=some(lost))
    for column, words in (("status", MANUAL_MARKS), ("source", (SOURCE,))):
        if lost := sorted(word for word in words if not keeps(columns.get(column, ""), word)):
            declared = columns[column]
            yield bad("override_unfit", relation=name, column=column, declared=declared, words=some(lost))


def _refusal(command: str) -> str | None:
    try:
        with transaction.atomic(using=ALIAS):
            try_command(command)
    except (DatabaseError, InterfaceError) as exc:
        return words_of(exc)
    return None
