"""Two column types that Django does not have and MariaDB needs."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

EXACT_COLLATION = "utf8mb4_nopad_bin"


class ExactCharField(models.CharField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Text that compares byte by byte: ``a1``, ``A1`` and ``a1 `` are three people.

    MariaDB's default collations fold case and pad spaces; SQLite compares exactly by itself and would not know the
    collation's name, so it cannot be a plain ``db_collation``.
    """

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        parameters: dict[str, Any] = dict(super().db_parameters(connection))
        if connection.vendor == "mysql":
            parameters["collation"] = EXACT_COLLATION
        return parameters


class MediumTextField(models.TextField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Text up to 16 MiB on MariaDB, where the column of an adopted deployment is a MEDIUMTEXT."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "mediumtext" if connection.vendor == "mysql" else super().db_type(connection)
