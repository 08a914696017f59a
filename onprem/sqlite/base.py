"""Django's SQLite backend for a factory (or a demo) in a file: text that is not UTF-8 is read all the same."""

from __future__ import annotations

import sqlite3
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        connection: sqlite3.Connection = super().get_new_connection(conn_params)
        # One damaged name must not stop the day.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        return connection
