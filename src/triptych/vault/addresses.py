"""URLs and the addresses behind them: how a URL is written, and which addresses may be reached.

Only public ones may: no loopback, private, link-local, shared, multicast, reserved or documentation address, nor
an IPv6 address that wraps such an IPv4 one.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

__all__ = ["is_public", "normalize_url"]

_PORTS = {"http": 80, "https": 443}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]")
_NAT64 = ip_network("64:ff9b::/96")
_PATH_SAFE = "/:@!$&'()*+,;=~%-._"


def normalize_url(url: str) -> str | None:
    """One way to write a URL: host in lower case, no default port, no fragment, query in order, no final slash.

    Empty text is None; what is no URL stays as it is.
    """
    bare = url.strip()
    if not bare:
        return None
    try:
        parts = urlsplit(bare) if _ADDRESS.match(bare) else None
        port = parts.port if parts is not None else None
    except ValueError:
        return bare
    if parts is None or parts.hostname is None:
        return bare
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != _PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    query = urlencode(sorted(parse_qsl(parts.query, keep_blank_values=True), key=lambda one: one[0]))
    path = quote(parts.path, safe=_PATH_SAFE)
    return urlunsplit((parts.scheme.lower(), host, path.rstrip("/") or "/", query, ""))


def is_public(address: str) -> bool:
    """Whether an IP address is one that everybody on the internet may reach."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        inner = _wrapped(parsed)
        if inner is not None:
            return is_public(str(inner))
        if parsed.is_site_local:
            return False
    return parsed.is_global and not (parsed.is_multicast or parsed.is_reserved)


def _wrapped(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address inside an IPv6 one: mapped, 6to4, Teredo, or of a NAT64."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
