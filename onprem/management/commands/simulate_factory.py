from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from onprem.clocks import local_now
from onprem.faults import ALIAS
from onprem.simulator import fill, live
from onprem.simulator.plain import PlainSchema
from onprem.simulator.reference import ReferenceSchema


class Command(BaseCommand):
    help = (
        "Make a factory that does not exist in the database LEGACY_DATABASE_URL names: people, windows, scans, leave. "
        "Refuses where relations of the same names were not made by itself, also with --reset."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", type=int, default=120, help="40 to 2000 (default 120)")
        parser.add_argument("--days", type=int, default=7, help="days of history, today included (default 7)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same factory")
        parser.add_argument("--schema", choices=("plain", "reference"), default="plain", help="reference: MariaDB only")
        parser.add_argument("--night", action="store_true", help="a fifth of the people work a night shift")
        parser.add_argument("--around-now", action="store_true", help="place today's windows around this very moment")
        parser.add_argument("--reset", action="store_true", help="drop the simulated factory that is there, make anew")
        parser.add_argument("--live", action="store_true", help="stay, let people scan, tell changed marks")
        parser.add_argument("--every", type=float, default=3.0, help="seconds between two scans of --live (default 3)")

    def handle(self, **options: Any) -> None:
        if not 40 <= options["people"] <= 2000:
            raise CommandError("--people: from 40 to 2000", returncode=2)
        if ALIAS not in connections:
            raise CommandError("LEGACY_DATABASE_URL is not set", returncode=2)
        connection = connections[ALIAS]
        if options["schema"] == "reference" and connection.vendor != "mysql":
            raise CommandError("--schema=reference needs MariaDB or MySQL", returncode=2)
        schemas: dict[str, fill.Schema] = {"plain": PlainSchema(connection), "reference": ReferenceSchema(connection)}
        schema = schemas[options["schema"]]
        try:
            for each in schemas.values():
                fill.demand_ours(connection, each)
        except fill.RealFactory as exc:
            raise CommandError(f"not made by this simulator, left alone: {exc}", returncode=1) from exc
        if options["reset"]:
            fill.remove(connection, schemas.values())
        self._make(schema, options)
        if options["live"]:
            self._live(schema, options["every"])

    def _make(self, schema: fill.Schema, options: dict[str, Any]) -> None:
        connection = connections[ALIAS]
        if fill.is_made(connection):
            self._tell("factory: already there (--reset makes it anew)")
            return
        wanted = fill.Wanted(
            people=options["people"],
            days=options["days"],
            seed=options["seed"],
            now=local_now().replace(microsecond=0),
            day_starts=settings.ONPREM_DAY_STARTS,
            around_now=options["around_now"],
            with_night=options["night"],
        )
        scans = fill.make(connection, schema, wanted)
        self._tell(f"factory: {wanted.people} people, {wanted.days} days, {scans} scans")

    def _live(self, schema: fill.Schema, every: float) -> None:
        try:
            live.run(live.LiveFactory(schema, settings.ONPREM_DAY_STARTS, every, self._tell), sleep=time.sleep)
        except KeyboardInterrupt:
            self._tell("factory: closed")

    def _tell(self, line: str) -> None:
        # At once: in the demo this is a pipe, and somebody is watching it.
        self.stdout.write(line)
        self.stdout.flush()
