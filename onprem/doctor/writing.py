"""Whether marks can be written, and whether they will stand there as they were meant."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError, InterfaceError, connections, transaction

from mirror.wire import MANUAL_MARKS
from onprem import relations, rows
from onprem.doctor.finding import Finding, bad, good, some
from onprem.faults import ALIAS, reading, words_of
from onprem.models import relation_name
from onprem.notices import Notices
from onprem.override import SOURCE, is_numeric, keeps
from onprem.ports import FactoryTrouble

# None of them changes a row, but each needs the right and a relation that can be written.
TRIALS = {
    "UPDATE": "UPDATE {override} SET status = status WHERE 1 = 0",
    "INSERT": "INSERT INTO {override} ({columns}) SELECT {columns} FROM {override} WHERE 1 = 0",
    "DELETE": "DELETE FROM {override} WHERE 1 = 0",
}


def writable() -> Iterator[Finding]:
    """Tried with statements that touch no row, and asked of how the columns are declared."""
    override, columns = relation_name("override"), ", ".join(relations.WRITTEN)
    tried = {command: _refusal(sql.format(override=override, columns=columns)) for command, sql in TRIALS.items()}
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


def _refusal(sql: str) -> str | None:
    try:
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            cursor.execute(sql)
    except (DatabaseError, InterfaceError) as exc:
        return words_of(exc)
    return None
