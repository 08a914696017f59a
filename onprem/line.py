"""Where the cloud is and what a call to it may use, checked before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings


class BadSettings(Exception):
    """A setting is missing or cannot be used. The text names it and says what it should be."""


@dataclass(frozen=True)
class Line:
    """``base`` ends in ``/att-sync``; the key never shows in a representation."""

    base: str
    key: str = field(repr=False)
    user_agent: str = "Mozilla/5.0 (att pusher on-prem)"
    proxy: str = ""
    ca_file: str = ""


def line_from_settings() -> Line:
    """Raise BadSettings for what would fail, or would give the key away, later."""
    # The cloud's own setting may list several keys; in a shared `.env` the first is ours.
    key = settings.ATTSYNC_KEY.split(",")[0].strip()
    if not key:
        raise BadSettings("ATTSYNC_KEY is not set: the key that the cloud knows this factory by")
    if any(ord(character) < 32 for character in key):
        raise BadSettings("ATTSYNC_KEY contains a control character")
    ca_file = settings.ATTSYNC_CA_FILE
    if ca_file and not Path(ca_file).exists():
        raise BadSettings(f"ATTSYNC_CA_FILE: there is no {ca_file}")
    return Line(base_url(settings.ATTSYNC_URL), key, settings.ATTSYNC_USER_AGENT, settings.ATTSYNC_PROXY, ca_file)


def base_url(text: str) -> str:
    """Read ``https://…/att-sync/ingest`` (the older form) or ``https://…/att-sync``, with or without a slash."""
    if not text:
        raise BadSettings("ATTSYNC_URL is not set: https://<the cloud's host>/att-sync")
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError as exc:
        raise BadSettings(f"ATTSYNC_URL: {exc}") from exc
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadSettings("ATTSYNC_URL: expected something like https://<the cloud's host>/att-sync")
    if parts.scheme == "http" and not _is_loopback(host):
        raise BadSettings("ATTSYNC_URL: plain http would show the key to everybody on the way, write https://")
    return text.rstrip("/").removesuffix("/ingest").rstrip("/")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
