"""The one shared password: whether a guess is right, and the fingerprint that every session carries."""

from __future__ import annotations

import logging
import re

import bcrypt
from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.utils.crypto import constant_time_compare, salted_hmac

logger = logging.getLogger(__name__)

# Longer guesses cost more CPU than they can be worth.
MAX_LENGTH = 1024
_BCRYPT_PREFIX = "bcrypt$"
# bcrypt reads 72 bytes (24 Thai letters); PHP cuts there without a word, this library refuses.
_BCRYPT_BYTES = 72
_BASE64 = r"[A-Za-z0-9+/]"
_FORMATS = re.compile(
    rf"pbkdf2_sha256\$[0-9]+\$[^$]+\${_BASE64}{{43}}="
    rf"|argon2\$argon2(?:id|i|d)\$v=[0-9]+\$m=[0-9]+,t=[0-9]+,p=[0-9]+\${_BASE64}+\${_BASE64}+"
    r"|bcrypt(?:_sha256)?\$\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}"
    rf"|scrypt\$[0-9]+\$[^$]+\$[0-9]+\$[0-9]+\${_BASE64}{{86}}=="
)


def is_set() -> bool:
    """Without a password nobody gets in."""
    return bool(settings.ATTSYNC_PASSWORD_HASH or settings.ATTSYNC_PASSWORD)


def is_well_formed(stored: str) -> bool:
    """Tell whether this is a complete hash of a kind that can be checked."""
    return _FORMATS.fullmatch(stored) is not None


def matches(guess: str) -> bool:
    """Tell whether the guess is the password. A hash costs half a CPU second, so count guesses before asking."""
    if not guess or len(guess) > MAX_LENGTH or not _is_text(guess):
        return False
    if settings.ATTSYNC_PASSWORD_HASH:
        return _matches_hash(guess, settings.ATTSYNC_PASSWORD_HASH)
    return bool(settings.ATTSYNC_PASSWORD) and constant_time_compare(guess.encode(), settings.ATTSYNC_PASSWORD.encode())


def fingerprint() -> str | None:
    """Return what a session must carry to be valid, or None while no password is set.

    It changes with the password and with SECRET_KEY, so either change ends every session at its next request.
    """
    if settings.ATTSYNC_PASSWORD_HASH:
        return _hmac(f"hash {settings.ATTSYNC_PASSWORD_HASH}")
    if settings.ATTSYNC_PASSWORD:
        return _hmac(f"plain {settings.ATTSYNC_PASSWORD}")
    return None


def _hmac(secret: str) -> str:
    return salted_hmac("attsync.password", secret, algorithm="sha256").hexdigest()


def _matches_hash(guess: str, stored: str) -> bool:
    if not is_well_formed(stored):
        logger.error("ATTSYNC_PASSWORD_HASH is not a hash that can be checked; nobody can sign in")
        return False
    if stored.startswith(_BCRYPT_PREFIX):
        return bcrypt.checkpw(guess.encode()[:_BCRYPT_BYTES], stored.removeprefix(_BCRYPT_PREFIX).encode())
    return check_password(guess, stored)


def _is_text(guess: str) -> bool:
    """JSON can carry half a surrogate pair and NUL; no keyboard types them, and hashing them raises."""
    return "\0" not in guess and guess.encode("utf-8", "ignore").decode() == guess
