"""Where the cloud is and what a call to it may use, checked before anything is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

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
    if any(ord(character) < 32 or "\ud800" <= character <= "\udfff" for character in key):
        raise BadSettings("ATTSYNC_KEY contains a control character, or is not UTF-8")
    user_agent, proxy = settings.ATTSYNC_USER_AGENT, settings.ATTSYNC_PROXY
    if not (user_agent.isascii() and user_agent.isprintable()):
        raise BadSettings("ATTSYNC_USER_AGENT: expected one line of ASCII characters, as a header can carry them")
    if proxy:
        _parts("ATTSYNC_PROXY", proxy, example="http://<the proxy's host>:3128")
    ca_file = settings.ATTSYNC_CA_FILE
    if ca_file and not Path(ca_file).exists():
        raise BadSettings(f"ATTSYNC_CA_FILE: there is no {ca_file}")
    return Line(base_url(settings.ATTSYNC_URL), key, user_agent, proxy, ca_file)


def base_url(text: str) -> str:
    """Read ``https://…/att-sync/ingest`` (the older form) or ``https://…/att-sync``, with or without a slash."""
    if not text:
        raise BadSettings("ATTSYNC_URL is not set: https://<the cloud's host>/att-sync")
    parts = _parts("ATTSYNC_URL", text, example="https://<the cloud's host>/att-sync")
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise BadSettings("ATTSYNC_URL: plain http would show the key to everybody on the way, write https://")
    return text.rstrip("/").removesuffix("/ingest").rstrip("/")


def _parts(name: str, text: str, *, example: str) -> SplitResult:
    """Take the address apart. Raise BadSettings, by the setting's name, if nobody could ever be reached there."""
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname or "", parts.port
    except ValueError as exc:
        raise BadSettings(f"{name}: {exc}") from exc
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
        raise BadSettings(f"{name}: expected something like {example}")
    if not _can_be_looked_up(host):
        raise BadSettings(f"{name}: {host!r} can be no host name")
    if not unquote(f"{parts.username}{parts.password}").isascii():
        raise BadSettings(f"{name}: the user name and the password in it must be ASCII")
    return parts


def _can_be_looked_up(host: str) -> bool:
    """Tell whether this is an address, or labels of 1 to 63 characters, as all of the internet's names are."""
    try:
        return re.fullmatch(r"[\w.:%-]+", host.encode("idna").decode()) is not None
    except UnicodeError:
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
