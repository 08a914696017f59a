"""Make a key that nobody guesses, for ATTSYNC_KEY or SECRET_KEY."""

from __future__ import annotations

import secrets
from typing import Any

from django.core.management.base import BaseCommand

BYTES = 48


class Command(BaseCommand):
    help = "Prints a new random key, good for ATTSYNC_KEY (the same on both sides) and for SECRET_KEY."
    requires_system_checks = []

    def handle(self, **_options: Any) -> None:
        self.stdout.write(secrets.token_urlsafe(BYTES))
