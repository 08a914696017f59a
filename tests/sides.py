"""The two halves of the project have two settings modules; one pytest process tests one of them.

Here the environment is made from which the settings are read: explicitly, so that neither the shell's variables nor
a `.env` in the checkout decide what is tested.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import environ
import pytest

PREFIXES = ("ATTSYNC_", "ONPREM_", "LEGACY_", "DJANGO_")
NAMES = {"SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "HTTPS_ONLY", "BEHIND_TLS_PROXY"}
NAMES |= {"DATABASE_URL", "CACHE_URL"}

KEY = "test-key-0123456789abcdefghijklmnopqrstuv"
PASSWORD = "test password, not a secret"
CLOUD = {
    "DJANGO_SETTINGS_MODULE": "attsync_site.settings",
    "SECRET_KEY": "test-secret-key-test-secret-key-test-secret-key-0123456789",
    "ATTSYNC_KEY": KEY,
    "ATTSYNC_PASSWORD": PASSWORD,
    "HTTPS_ONLY": "False",
    "ALLOWED_HOSTS": "testserver,localhost,127.0.0.1",
}
ONPREM = {
    "DJANGO_SETTINGS_MODULE": "onprem.settings",
    # Nothing listens there: a test that wants a cloud brings one.
    "ATTSYNC_URL": "http://127.0.0.1:9/att-sync",
    "ATTSYNC_KEY": KEY,
}
SIDES = {"cloud": CLOUD, "onprem": ONPREM}


def side_of(paths: Sequence[str]) -> str | None:
    """Return the folder of `tests/` that needs settings, "cloud" or "onprem"; None if no path lies in one."""
    here = Path(__file__).parent
    asked = {Path(path.split("::")[0]).resolve() for path in paths} or {here}
    found = {side for side in SIDES for path in asked if (here / side) in (path, *path.parents)}
    whole = {path for path in asked if path in (here, here.parent)}
    if whole or len(found) > 1:
        raise pytest.UsageError(
            "cloud and onprem have settings of their own: run tests/cloud or tests/onprem, not both"
        )
    return found.pop() if found else None


def forget_the_environment() -> None:
    for name in list(os.environ):
        if name.startswith(PREFIXES) or name in NAMES:
            del os.environ[name]
    environ.Env.read_env = lambda *_args, **_overrides: None


def set_environment(side: str, database_url: str, folder: Path) -> None:
    os.environ.update(SIDES[side])
    if side == "cloud":
        os.environ["DATABASE_URL"] = database_url
    else:
        os.environ["LEGACY_DATABASE_URL"] = database_url
        os.environ["ONPREM_STATE_DIR"] = str(folder / "state")
        os.environ["ONPREM_LOG_DIR"] = str(folder / "log")
