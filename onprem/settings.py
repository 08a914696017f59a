"""The agent's settings, all from the environment or `.env` (names and defaults: `.env.example`). No SECRET_KEY."""

from __future__ import annotations

import re
from datetime import time
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")
env = environ.Env()


def _clock(name: str, default: str) -> time:
    text = env.str(name, default).strip()
    if not re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", text):
        raise ImproperlyConfigured(f"{name}: expected HH:MM, not {text!r}")
    return time.fromisoformat(text)


def _whole(name: str, default: int, *, most: int) -> int:
    text = env.str(name, "").strip() or str(default)
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > most:
        raise ImproperlyConfigured(f"{name}: expected a whole number up to {most}, not {text!r}")
    return int(text)


def _marker(name: str, default: str) -> str:
    """Every line contains the empty one."""
    text: str = env.str(name, default).strip()
    if not text:
        raise ImproperlyConfigured(f"{name}: expected the line that the other system writes, not an empty one")
    return text


def _legacy(url: str) -> dict[str, Any]:
    """The factory's database: a foreign country with its own backend (any MariaDB/MySQL from 5.5 on, or SQLite)."""
    try:
        config: dict[str, Any] = dict(env.db_url_config(url))
    except ValueError:
        # A port that is none.
        config = {}
    if "ENGINE" not in config:
        raise ImproperlyConfigured("LEGACY_DATABASE_URL: expected mysql://user:password@host/name or sqlite:///path")
    options: dict[str, Any] = config.setdefault("OPTIONS", {})
    if config["ENGINE"] == "django.db.backends.mysql":
        config["ENGINE"] = "onprem.mariadb"
    elif config["ENGINE"] == "django.db.backends.sqlite3":
        config["ENGINE"], config["NAME"] = "onprem.sqlite", str(BASE_DIR / config["NAME"])
        # Take the write lock at once and wait for it: upgrading a read lock fails without waiting.
        options.update(transaction_mode="IMMEDIATE", timeout=20)
    # One connection for the whole run; it is checked before each use, for the server may restart in between.
    return {**config, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}


ATTSYNC_URL = env.str("ATTSYNC_URL", "").strip()
ATTSYNC_KEY = env.str("ATTSYNC_KEY", "").strip()
ATTSYNC_USER_AGENT = env.str("ATTSYNC_USER_AGENT", "Mozilla/5.0 (att pusher on-prem)").strip()
ATTSYNC_PROXY = env.str("ATTSYNC_PROXY", "").strip()
ATTSYNC_CA_FILE = env.str("ATTSYNC_CA_FILE", "").strip()

LEGACY_DATABASE_URL = env.str("LEGACY_DATABASE_URL", "").strip()
LEGACY_PREFIX = env.str("LEGACY_PREFIX", "attsync_")

# Relative ones start at the project root: cron and a person must mean the same memory.
ONPREM_STATE_DIR = BASE_DIR / env.str("ONPREM_STATE_DIR", "/var/lib/attsync")
ONPREM_DAY_STARTS = _clock("ONPREM_DAY_STARTS", "04:00")
ONPREM_JOBS_FILE = env.str("ONPREM_JOBS_FILE", "")
ONPREM_TIME_ZONE = env.str("ONPREM_TIME_ZONE", "Asia/Bangkok")
ONPREM_LOG_DIR = BASE_DIR / env.str("ONPREM_LOG_DIR", "/var/log/attsync")
ONPREM_CATCHUP_DAYS = _whole("ONPREM_CATCHUP_DAYS", 60, most=3660)
ONPREM_CRON_BEGIN = _marker("ONPREM_CRON_BEGIN", "# ATT_PERIODS_AUTO_BEGIN")
ONPREM_CRON_END = _marker("ONPREM_CRON_END", "# ATT_PERIODS_AUTO_END")
ONPREM_CRON_MANAGED = [
    name.strip()
    for name in env.str(
        "ONPREM_CRON_MANAGED",
        "pull_period_1.php,pull_period_2.php,pull_period_3.php,pull_period_4.php,"
        "line_notify.php,line_daily_summary.php,hik_sleep_mode.php",
    ).split(",")
    if name.strip()
]

INSTALLED_APPS = ["onprem"]
# No table of ours in the factory's database: the default alias stays empty, our state is a file of its own.
DATABASES = {"default": {}, **({"legacy": _legacy(LEGACY_DATABASE_URL)} if LEGACY_DATABASE_URL else {})}
DATABASE_ROUTERS = ["onprem.router.LegacyRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Attendance is UTC+7 wall time throughout the factory; datetimes there are naive and stay so.
USE_TZ = False
TIME_ZONE = "Asia/Bangkok"
USE_I18N = False
LANGUAGE_CODE = "en-us"
