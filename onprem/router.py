from __future__ import annotations

from django.db.models import Model


class LegacyRouter:
    """Everything this app reads lives in the factory's database, and nothing is ever migrated there."""

    def db_for_read(self, model: type[Model], **hints: object) -> str:
        return "legacy"

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool:
        return False
