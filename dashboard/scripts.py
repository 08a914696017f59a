"""The page's behaviours: one file each in `static/js`, sent as one, because a phone pays for every request.

Nothing is built: the files are joined when the first page asks for them, under a name that changes with their content.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.urls import reverse

FOLDER: Path = settings.BASE_DIR / "static" / "js"


def joined() -> bytes:
    """Return all behaviours, each closed in itself, in the order of their names."""
    return _read() if settings.DEBUG else _kept()


def version() -> str:
    return sha256(joined()).hexdigest()[:12]


def url() -> str:
    return f"{reverse('script')}?v={version()}"


@cache
def _kept() -> bytes:
    return _read()


def _read() -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(FOLDER.glob("*.js")))
