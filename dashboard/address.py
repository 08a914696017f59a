"""Whose request is this? The address that the limits count by, and the device named in the history."""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# What cannot be read shares one bucket, so that nonsense in a header buys no fresh guesses.
UNREADABLE = "unreadable"
# One household gets a whole /64 and could otherwise guess from each of its addresses.
_IPV6_BUCKET = 64
_DEVICES = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux")


def client_address(request: HttpRequest) -> str:
    """Return the first address, from our side outwards, that is no proxy of ours.

    `X-Forwarded-For` is read from the right: only what our own proxies appended can be believed.
    """
    forwarded = request.headers.get("X-Forwarded-For", "").split(",")
    hops = [request.META.get("REMOTE_ADDR") or "", *reversed(forwarded)]
    known = UNREADABLE
    for hop in hops:
        address = _parsed(hop.strip())
        if address is None:
            return known if not hop.strip() and known != UNREADABLE else UNREADABLE
        known = _bucket(address)
        if not any(address in network for network in trusted_proxies(tuple(settings.ATTSYNC_TRUSTED_PROXIES))):
            return known
    return known


@cache
def trusted_proxies(listed: tuple[str, ...]) -> tuple[Network, ...]:
    """Read the setting; what is no address or network trusts nobody (a system check names it)."""
    networks = [network_of(text) for text in listed]
    return tuple(network for network in networks if network is not None)


def network_of(text: str) -> Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def device_of(request: HttpRequest) -> str:
    """Name what a history entry came from: the kind of device and its address."""
    agent = request.headers.get("User-Agent", "")
    kind = next((device for device in _DEVICES if device in agent), "")
    return f"{kind} {client_address(request)}".strip()


def _parsed(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _bucket(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _IPV6_BUCKET), strict=False))
