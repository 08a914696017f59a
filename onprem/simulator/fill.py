"""Make the factory and fill its past. A database with relations that were not made here is never touched."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Protocol

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from mirror import counting
from onprem.rows import PeriodRow
from onprem.simulator import workday
from onprem.simulator.names import TERMINALS
from onprem.simulator.workday import SimulatedLeave, SimulatedMark, SimulatedPerson, SimulatedScan

MARKER = "simulated_factory"


class RealFactory(Exception):
    """The database holds relations that this simulator did not make; the text names them."""


class Schema(Protocol):
    """One way of storing a factory."""

    tables: list[str]
    views: list[str]

    def create(self) -> None: ...
    def add_people(self, folk: Iterable[SimulatedPerson]) -> None: ...
    def add_periods(self, periods: Iterable[PeriodRow]) -> None: ...
    def add_leave(self, leave: Iterable[SimulatedLeave]) -> None: ...
    def add_marks(self, marks: Iterable[SimulatedMark]) -> None: ...
    def add_mess(self, now: datetime) -> None: ...
    def add_scans(self, scans: Iterable[SimulatedScan]) -> None: ...
    def pulled(self, terminals: Iterable[str], at: datetime) -> None: ...


@dataclass(frozen=True)
class Wanted:
    """``now``: the moment up to which the terminals have been pulled."""

    people: int
    days: int
    seed: int
    now: datetime
    day_starts: time
    around_now: bool
    with_night: bool

    @property
    def today(self) -> date:
        return counting.business_date(self.now, self.day_starts)

    @property
    def periods(self) -> tuple[PeriodRow, ...]:
        if self.around_now:
            return workday.periods_around(self.now, self.today)
        return workday.usual_periods(with_night=self.with_night)


def is_made(connection: BaseDatabaseWrapper) -> bool:
    return MARKER in _names(connection)


def demand_ours(connection: BaseDatabaseWrapper, schema: Schema) -> None:
    """Raise RealFactory unless everything this schema would create is absent or was made here."""
    found = sorted(_names(connection).intersection([*schema.tables, *schema.views]))
    if found and not is_made(connection):
        raise RealFactory(", ".join(found))


def remove(connection: BaseDatabaseWrapper, schemas: Iterable[Schema]) -> None:
    """Drop what was made here, in whichever schema."""
    if not is_made(connection):
        return
    with connection.cursor() as cursor:
        kinds = {relation.name: relation.type for relation in connection.introspection.get_table_list(cursor)}
        for name in [name for schema in schemas for name in (*schema.views, *schema.tables)]:
            kind = {"v": "VIEW", "t": "TABLE"}.get(kinds.pop(name, ""))
            if kind:
                cursor.execute(f"DROP {kind} {connection.ops.quote_name(name)}")
        cursor.execute(f"DROP TABLE {MARKER}")


def make(connection: BaseDatabaseWrapper, schema: Schema, wanted: Wanted) -> int:
    """Create the relations and let the past happen. Return the number of scans."""
    with connection.cursor() as cursor:
        # First of all: from now on everything under these names is ours, also if we are interrupted.
        cursor.execute(f"CREATE TABLE {MARKER} (seed INTEGER)")
        cursor.execute(f"INSERT INTO {MARKER} VALUES (%s)", [wanted.seed])
    schema.create()
    with transaction.atomic(using=connection.alias):
        return _fill(schema, wanted)


def _fill(schema: Schema, wanted: Wanted) -> int:
    days = [wanted.today - timedelta(days=back) for back in reversed(range(wanted.days))]
    folk = workday.people(wanted.people, seed=wanted.seed, today=wanted.today, with_night=wanted.with_night)
    away = workday.leave(folk, days, seed=wanted.seed)
    schema.add_people(folk)
    schema.add_periods(wanted.periods)
    schema.add_leave(away)
    schema.add_marks(workday.marks(folk, days[:-1], seed=wanted.seed))
    total = 0
    for day in days:
        scans = list(workday.scans_of(day, folk, wanted.periods, away, seed=wanted.seed))
        scans = sorted((scan for scan in scans if scan.at <= wanted.now), key=lambda scan: scan.at)
        schema.add_scans(scans)
        total += len(scans)
    schema.add_mess(wanted.now)
    schema.pulled(TERMINALS, wanted.now)
    return total


def _names(connection: BaseDatabaseWrapper) -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.table_names(cursor, include_views=True))
