"""Django's MySQL backend for the factory's server, which nobody will upgrade: any MariaDB or MySQL from 5.5 on.

The session is made the same everywhere: utf8mb4, factory time, a strict mode of our own, REPEATABLE READ (READ
COMMITTED cannot write where the factory logs STATEMENT binlogs: error 1665), and limits that keep the factory's own
site fast.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.db import OperationalError
from django.db.backends.mysql import base, features

STATEMENT_SECONDS = 20
LOCK_WAIT_SECONDS = 5

# One statement, as init_command demands. Only MariaDB reads the M comment, and only MySQL the 5.7 one
# (MariaDB leaves 50700-50999 out); older servers read neither and have no such limit.
SESSION = (
    "SET time_zone = '+07:00', sql_mode = 'STRICT_ALL_TABLES'"
    f" /*M!100101 , max_statement_time = {STATEMENT_SECONDS} */"
    f" /*!50708 , max_execution_time = {STATEMENT_SECONDS * 1000} */"
)


class DatabaseFeatures(features.DatabaseFeatures):
    minimum_database_version = (5, 5)
    # INSERT ... RETURNING came with MariaDB 10.5.
    can_return_columns_from_insert = False
    can_return_rows_from_bulk_insert = False
    # InnoDB's tables do, MyISAM's ignore them silently: that is why writes are read back.
    supports_transactions = True


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        self.isolation_level = "repeatable read"
        return {"connect_timeout": 10, "read_timeout": 60, **params, "charset": "utf8mb4", "init_command": SESSION}

    def init_connection_state(self) -> None:
        super().init_connection_state()
        # Old sites may run without InnoDB, and then without its settings.
        with suppress(OperationalError), self.cursor() as cursor:
            cursor.execute(f"SET innodb_lock_wait_timeout = {LOCK_WAIT_SECONDS}")
