"""The cloud's settings, all from the environment or `.env` (names and defaults: `.env.example`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")
env = environ.Env()


_YES, _NO = {"true", "1", "yes", "on"}, {"false", "0", "no", "off"}


def _listed(name: str, default: str = "") -> list[str]:
    """Comma separated, blanks around items dropped (`env.list` keeps them)."""
    return [item.strip() for item in env.str(name, default).split(",") if item.strip()]


def _flag(name: str, default: bool) -> bool:
    """A typo must not switch protection off, as `env.bool` would."""
    text = (env.str(name, "").strip() or str(default)).lower()
    if text not in _YES | _NO:
        raise ImproperlyConfigured(f"{name}: expected True or False, not {text!r}")
    return text in _YES


def _whole(name: str, default: int) -> int:
    text = env.str(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit()):
        raise ImproperlyConfigured(f"{name}: expected a whole number, not {text!r}")
    return int(text)


def _database(url: str) -> dict[str, Any]:
    """Relative SQLite paths start at the project root, not at the working directory."""
    try:
        config: dict[str, Any] = dict(env.db_url_config(url))
    except ValueError:
        # A port that is none.
        config = {}
    if "ENGINE" not in config:
        raise ImproperlyConfigured("DATABASE_URL: expected mysql://user:password@host/name or sqlite:///path")
    # The columns of an adopted PHP deployment hold factory time; so do ours.
    config["TIME_ZONE"] = "Asia/Bangkok"
    if config["ENGINE"] == "django.db.backends.sqlite3":
        if config["NAME"] != ":memory:":
            config["NAME"] = str(BASE_DIR / config["NAME"])
            Path(config["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        config["OPTIONS"] = {
            # Deferred transactions fail at once with "database is locked" when they turn from reading to writing.
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            "timeout": 10,
        }
    else:
        config["CONN_MAX_AGE"] = 600
        config["CONN_HEALTH_CHECKS"] = True
        config["OPTIONS"] = {
            "charset": "utf8mb4",
            "connect_timeout": 5,
            "init_command": "SET SESSION innodb_lock_wait_timeout=5, sql_mode='STRICT_ALL_TABLES,NO_ZERO_DATE,"
            "NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'",
            **config.get("OPTIONS", {}),
        }
    return config


def _groups(text: str) -> list[list[int]]:
    """``1+2,3,4`` is [[1, 2], [3], [4]]."""
    groups = [group.split("+") for group in text.split(",") if group.strip()]
    codes = [code.strip() for group in groups for code in group]
    if not all(code.isascii() and code.isdigit() and 1 <= int(code) <= 255 for code in codes):
        raise ImproperlyConfigured(f"ATTSYNC_GROUPS: expected something like 1+2,3,4, not {text!r}")
    return [[int(code) for code in group] for group in groups]


SECRET_KEY = env.str("SECRET_KEY", "")
if not SECRET_KEY and sys.argv[1:2] == ["new_key"]:
    SECRET_KEY = "for the command that makes the first one"  # noqa: S105 - nothing is signed with it
if not SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY is not set: make one with `manage.py new_key` and put it into .env")
DEBUG = _flag("DEBUG", False)
HTTPS_ONLY = _flag("HTTPS_ONLY", not DEBUG)
ALLOWED_HOSTS = _listed("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = _listed("CSRF_TRUSTED_ORIGINS")

ATTSYNC_KEYS = _listed("ATTSYNC_KEY")
ATTSYNC_PASSWORD = env.str("ATTSYNC_PASSWORD", "")
ATTSYNC_PASSWORD_HASH = env.str("ATTSYNC_PASSWORD_HASH", "")
ATTSYNC_REMEMBER_DAYS = _whole("ATTSYNC_REMEMBER_DAYS", 30)
ATTSYNC_EDIT_DAYS = _whole("ATTSYNC_EDIT_DAYS", 62)
ATTSYNC_HISTORY_DAYS = _whole("ATTSYNC_HISTORY_DAYS", 400)
ATTSYNC_OFFLINE_MINUTES = _whole("ATTSYNC_OFFLINE_MINUTES", 15)
ATTSYNC_STUCK_MINUTES = _whole("ATTSYNC_STUCK_MINUTES", 10)
ATTSYNC_GROUPS = _groups(env.str("ATTSYNC_GROUPS", "1+2,3,4"))
ATTSYNC_TRUSTED_PROXIES = _listed("ATTSYNC_TRUSTED_PROXIES")

INSTALLED_APPS = [
    "attsync_site",
    "mirror",
    "editqueue",
    "dashboard",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "attsync_site.middleware.GuardAnswers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "dashboard.language.thai_first",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "attsync_site.urls"
WSGI_APPLICATION = "attsync_site.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": _database(env.str("DATABASE_URL", "sqlite:///var/attsync.sqlite3"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHE_URL = env.str("CACHE_URL", "")
CACHES = {
    "default": env.cache_url_config(CACHE_URL)
    if CACHE_URL
    # Fewer entries would let a guesser push his own counter out (django-ratelimit on this cache).
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 100_000}}
}

LANGUAGE_CODE = "th"
LANGUAGES = [("th", "ไทย"), ("en", "English")]
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = HTTPS_ONLY
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["attsync_site.formats"]
TIME_ZONE = "Asia/Bangkok"
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Hashed names only once `collectstatic` has run (it makes them): without its manifest every page would be a 500.
_collected = sys.argv[1:2] == ["collectstatic"] or (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_USE_FINDERS = not _collected
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json"}
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if _collected
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.BCryptSHA256PasswordHasher",
    "django.contrib.auth.hashers.BCryptPasswordHasher",
    "django.contrib.auth.hashers.ScryptPasswordHasher",
]
SESSION_COOKIE_AGE = ATTSYNC_REMEMBER_DAYS * 24 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS_ONLY
CSRF_COOKIE_SECURE = HTTPS_ONLY
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "attsync_site.errors.csrf_failure"

# For people's forms; machine routes read their own bodies (`mirror.body`).
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
SECURE_SSL_REDIRECT = HTTPS_ONLY
# A redirected POST becomes an empty GET: these refuse plain http instead (`attsync_site.middleware`).
SECURE_REDIRECT_EXEMPT = [r"^att-sync/(ingest|pending|applied|health|api|mark|login|logout)$"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if HTTPS_ONLY else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS_ONLY
SECURE_HSTS_PRELOAD = HTTPS_ONLY
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _flag("BEHIND_TLS_PROXY", False) else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "style-src": [SELF],
        "script-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "[{asctime}] {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
