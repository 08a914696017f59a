from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.test.utils import override_settings

FAST = "django.contrib.auth.hashers.MD5PasswordHasher"


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """SQLite tests use a file, with the options of production: threads race on it, which memory does not allow."""
    database = connections["default"].settings_dict
    database["TEST"]["CHARSET"] = "utf8mb4"
    if connections["default"].vendor == "sqlite":
        database["TEST"]["NAME"] = f"{database['NAME']}.test"


@pytest.fixture(scope="session", autouse=True)
def _passwords_are_hashed_fast() -> Iterator[None]:
    """Half a CPU second per admin user made is for attackers. Every production format is still understood."""
    with override_settings(PASSWORD_HASHERS=[FAST, *settings.PASSWORD_HASHERS]):
        yield


@pytest.fixture(autouse=True)
def _nobody_has_guessed_yet() -> None:
    """The counters of the rate limits live in the cache."""
    cache.clear()
