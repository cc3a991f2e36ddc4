"""Checking addresses, and naming them in messages without keys and passwords."""

import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from oddsdesk import __version__

USER_AGENT: Final = f"oddsdesk/{__version__}"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_SECRET: Final = re.compile(r"[0-9A-Fa-f]{16,}")


class BadAddressError(ValueError):
    """It is no address, or holds more than one; the message holds no password and no key."""


def read_address(name: str, url: str, schemes: tuple[str, ...]) -> str:
    """Return an address without a last slash; ``name`` is what messages call it.

    Raises:
        BadAddressError: it is none of these schemes, or has user, query or fragment.
    """
    try:
        parts = urlsplit(url.strip())
        port_is_fine = parts.port != 0
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if parts.scheme not in schemes or not parts.hostname or not port_is_fine:
        shown = repr(_SECRET.sub("****", url.rpartition("@")[2]))
        raise BadAddressError(
            f"{name}: expected an address such as {schemes[-1]}://host, got {shown}"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise BadAddressError(f"{name}: expected an address without user, query and fragment")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def host_of(url: str) -> str:
    """Return host and port, which messages may name: a query may hold a key."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_local(url: str) -> bool:
    """Whether an address is this machine's, so that no proxy is used."""
    return urlsplit(url).hostname in _LOOPBACK
