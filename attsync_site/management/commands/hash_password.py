"""Make the line for `.env` from the password people will type."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import Any

from django.contrib.auth.hashers import make_password
from django.core.management.base import BaseCommand, CommandError

from dashboard.password import MAX_LENGTH


class Command(BaseCommand):
    help = "Asks for the shared password and prints the ATTSYNC_PASSWORD_HASH line for .env."
    requires_system_checks = []

    def handle(self, **_options: Any) -> None:
        password = _asked("Password: ")
        if not password or len(password) > MAX_LENGTH:
            raise CommandError("A password of 1 to 1024 characters is needed.", returncode=78)
        if sys.stdin.isatty() and password != _asked("Again: "):
            raise CommandError("The two were not the same.", returncode=78)
        # This format begins with a letter, so it survives in `.env`; quotes keep its dollar signs from a shell.
        self.stdout.write(f"ATTSYNC_PASSWORD_HASH='{make_password(password, hasher='pbkdf2_sha256')}'")


def _asked(prompt: str) -> str:
    """Ask without showing what is typed; take a line where nobody types (a script's pipe)."""
    return getpass(prompt) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
