"""What is said of addresses without saying too much."""

from typing import Final
from urllib.parse import urlsplit

from oddsdesk import __version__

USER_AGENT: Final = f"oddsdesk/{__version__}"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def host_of(url: str) -> str:
    """Return host and port, which messages may name: a query may hold a key."""
    return urlsplit(url).netloc.rpartition("@")[2]


def is_local(url: str) -> bool:
    """Whether an address is this machine: no proxy stands between."""
    return urlsplit(url).hostname in _LOOPBACK
