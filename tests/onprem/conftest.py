"""The factory's database is not Django's to make: the tests make it with plain SQL, as a site's admin does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import DjangoDbBlocker, Settings

from onprem import relations as optional
from tests.mariadb import MariaDB
from tests.onprem.relations import RELATIONS


@pytest.fixture(scope="session", autouse=True)
def django_db_setup(django_db_blocker: DjangoDbBlocker, request: pytest.FixtureRequest) -> Iterator[None]:
    """No `django_db` mark is needed here, and none helps: `legacy` is a real database with real commits."""
    if request.config.getoption("database") == "mariadb":
        server: MariaDB = request.getfixturevalue("mariadb")
        server.create(connections["legacy"].settings_dict["NAME"])
    with django_db_blocker.unblock():
        yield
    connections.close_all()


@pytest.fixture
def legacy() -> Iterator[BaseDatabaseWrapper]:
    """The factory's database, empty: the test makes its own schema."""
    connection = connections["legacy"]
    _empty(connection)
    yield connection
    connection.close()


@pytest.fixture
def relations(legacy: BaseDatabaseWrapper) -> BaseDatabaseWrapper:
    """The factory's database with the six relations as tables, all empty."""
    with legacy.cursor() as cursor:
        for statement in RELATIONS:
            cursor.execute(statement)
    return legacy


@pytest.fixture(autouse=True)
def _state_of_its_own(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optional, "had_now", set())
    settings.ONPREM_STATE_DIR = tmp_path / "state"
    settings.ONPREM_LOG_DIR = tmp_path / "log"


def _empty(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        for relation in connection.introspection.get_table_list(cursor):
            kind = "VIEW" if relation.type == "v" else "TABLE"
            cursor.execute(f"DROP {kind} IF EXISTS {connection.ops.quote_name(relation.name)}")
