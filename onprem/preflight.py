"""Is the way to the cloud open at all? Asked before a job that needs it is started, so that no attempt is wasted."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

_SECONDS = 5
_PORTS = {"http": 80, "https": 443}


def is_reachable(url: str) -> bool:
    """Tell whether somebody takes connections there. What he answers is the job's own business."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
        with socket.create_connection((parts.hostname or "", port), timeout=_SECONDS):
            return True
    except (OSError, KeyError, ValueError):
        return False
