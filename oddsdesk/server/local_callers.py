"""Whether a request comes from this machine: the one place that decides it.

Some things are for this machine only: odds that may not be passed on, the interface of The Odds
API, passwords without TLS, the owner's secret. A proxy on this machine connects from loopback, too,
but asks for others. It is recognised by the headers that it adds, or by the public name that it
passes on as ``Host``.
"""

import ipaddress
import re
from functools import lru_cache
from typing import Final

from starlette.types import Scope

BELIEVED: Final = "oddsdesk.believed"
"""Key of a scope that came through a trusted proxy."""
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
AUTHORITY: Final = r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?"
"""A host with or without a port."""
_HOST: Final = re.compile(AUTHORITY)
_OF_PROXIES: Final = (
    *(b"forwarded", b"via", b"x-forwarded-", b"x-original-forwarded-", b"x-real-ip"),
    *(b"cf-connecting-ip", b"true-client-ip", b"x-client-ip"),
)
"""Beginnings of headers that proxies add."""


def is_of_this_machine(scope: Scope) -> bool:
    """Return whether a request comes from this machine, without a proxy in between."""
    return BELIEVED not in scope and looks_local(scope)


def looks_local(scope: Scope) -> bool:
    """Return the same by address and headers alone; a trusted proxy may still be in between."""
    headers = scope["headers"]
    if not is_loopback_address((scope.get("client") or ("",))[0]):
        return False
    if any(name.startswith(_OF_PROXIES) for name, _ in headers):
        return False
    host = next((host_name(value) for name, value in headers if name == b"host"), None)
    return host is not None and (host in LOOPBACK or is_loopback_address(host))


def is_loopback_address(address: str) -> bool:
    """Return whether an address is of this machine."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


@lru_cache(maxsize=256)
def host_name(value: bytes) -> str | None:
    """Return the name in a ``Host`` header, in lower case and without its port; None: bad."""
    return name_in(_HOST, value)


def name_in(pattern: re.Pattern[str], value: bytes) -> str | None:
    """Return the name in a header that matches a pattern with ``AUTHORITY``; None: it does not."""
    match = pattern.fullmatch(value.decode("latin-1"))
    return None if match is None else match["name"].strip("[]").lower()
