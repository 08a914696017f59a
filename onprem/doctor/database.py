"""The factory's database: is it there, are the relations there, what may we do in it?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.db.models import Count, QuerySet

from onprem import relations
from onprem.clocks import parse_moment
from onprem.doctor.finding import Finding, bad, good, odd
from onprem.doctor.spans import is_off, span
from onprem.faults import ALIAS, is_absent, reading, words_of
from onprem.models import DayOff, Employee, Override, Period, Pull, Scan, relation_name
from onprem.ports import FactoryTrouble
from onprem.state import State, StateUnwritable


@dataclass(frozen=True)
class Relation:
    """``missing``: the sentence for one that a site may leave out."""

    name: str
    rows: QuerySet[Any]
    columns: Sequence[str]
    missing: str = ""
    may_be_empty: bool = False


RELATIONS = (
    Relation("employee", Employee.objects.all(), relations.EMPLOYEE),
    Relation("scan", Scan.objects.all(), ("scan_id", "device_no", "scanned_at", "device"), may_be_empty=True),
    Relation("period", Period.objects.all(), relations.PERIOD),
    Relation("override", Override.objects.all(), (*relations.OVERRIDE, "source"), may_be_empty=True),
    Relation("pull", Pull.objects.all(), relations.PULL, "pull_missing", may_be_empty=True),
    Relation("dayoff", DayOff.objects.all(), relations.DAYOFF, "dayoff_missing", may_be_empty=True),
)

_GRANT = re.compile(r"GRANT (.+?) ON (\S+) TO ")


def reachable(now: datetime) -> Iterator[Finding]:
    """Nothing but a BAD finding if it is not: then there is no use in looking further."""
    try:
        with reading():
            connection = connections[ALIAS]
            on_mysql = connection.vendor == "mysql"
            with connection.cursor() as cursor:
                cursor.execute("SELECT VERSION(), CAST(NOW() AS CHAR)" if on_mysql else "SELECT sqlite_version(), NULL")
                version, clock = cursor.fetchone()
    except FactoryTrouble as exc:
        yield bad("database_bad", words=exc)
        return
    yield good("database_good", version=version if on_mysql else f"SQLite {version}")
    there = parse_moment(clock)
    if there is not None and is_off(there - now):
        yield bad("database_clock", words=span(there - now))


def complete() -> Iterator[Finding]:
    """Each relation and each of its columns."""
    had_before = _optional_before()
    for relation in RELATIONS:
        yield from _relation(relation, is_missed=relation.name in had_before)


def grants() -> Iterator[Finding]:
    """Rights beyond reading the relations and writing the override: they work, until something goes wrong."""
    if connections[ALIAS].vendor != "mysql":
        return
    with reading(), connections[ALIAS].cursor() as cursor:
        cursor.execute("SHOW GRANTS FOR CURRENT_USER()")
        lines = [str(row[0]) for row in cursor.fetchall()]
    if wide := [said for line in lines if (said := _too_wide(line))]:
        yield odd("grants_wide", words="; ".join(wide))


def _optional_before() -> set[str]:
    """The optional relations that earlier runs could read. What is wrong with the state is said elsewhere."""
    try:
        with closing(State.peek(settings.ONPREM_STATE_DIR)) as state:
            return set((state.get("optional") or "").split(","))
    except StateUnwritable:
        return set()


def _relation(relation: Relation, *, is_missed: bool) -> Iterator[Finding]:
    name = relation_name(relation.name)
    try:
        relations.texts(relation.rows[:1], relation.columns)
        rows = relation.rows.aggregate(rows=Count("*"))["rows"]
    except (DatabaseError, InterfaceError) as exc:
        if is_absent(exc) and is_missed:
            yield bad("optional_gone", relation=name, words=words_of(exc))
        elif is_absent(exc) and relation.missing:
            yield odd(relation.missing, relation=name)
        elif missing := _missing_columns(relation):
            yield bad("column_bad", relation=name, columns=", ".join(missing))
        else:
            yield bad("relation_bad", relation=name, words=words_of(exc))
        return
    if rows or relation.may_be_empty:
        yield good("relation_good", relation=name, rows=rows)
    else:
        yield bad("relation_empty", relation=name)


def _missing_columns(relation: Relation) -> list[str]:
    """The columns that cannot be read one by one; none if that is true of all of them."""
    missing = []
    for column in relation.columns:
        try:
            relations.texts(relation.rows[:1], [column])
        except DatabaseError:
            missing.append(column)
    return missing if len(missing) < len(relation.columns) else []


def _too_wide(line: str) -> str | None:
    """``GRANT a, b ON target``: what of it goes beyond the promise."""
    match = _GRANT.match(line)
    if match is None or match[1] == "USAGE":
        return None
    rights = {right.strip() for right in re.sub(r"\(.*?\)", "", match[1]).split(",")}
    relation = match[2].replace("`", "").rpartition(".")[2]
    allowed = {"SELECT", "INSERT", "UPDATE", "DELETE"} if relation == relation_name("override") else {"SELECT"}
    extra = sorted(rights - allowed)
    if relation == "*" or not relation.startswith(settings.LEGACY_PREFIX):
        return f"{', '.join(sorted(rights))} ON {match[2]}"
    return f"{', '.join(extra)} ON {match[2]}" if extra else None
