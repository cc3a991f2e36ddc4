"""What a server is started with."""

import ipaddress
from pathlib import Path

import msgspec

from oddsdesk.pricing.devig import DEFAULT_METHOD

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


class Settings(msgspec.Struct, frozen=True):
    """Settings of one run.

    ``None`` as the reference and for how many days the log is kept (0: for ever) leaves what the
    database says (D1, D76). ``port`` 0 picks a free one. ``speed`` is how fast replays run.
    ``durable``: nothing recorded is lost when power fails; else at most the last second.
    ``access`` is the file of keys, None for the one beside the database. Without ``lasting_keys``,
    those of a database that can only be read live as long as the server.
    """

    database: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    reference: str | None = None
    devig_method: str = DEFAULT_METHOD
    feeds: tuple[str, ...] = ()
    speed: float = 1.0
    keep_days: int | None = None
    durable: bool = False
    access: Path | None = None
    lasting_keys: bool = True
    share: tuple[str, ...] = ()
    """Sources whose prices may be passed on, though their usual terms forbid it (D66)."""


def is_loopback(host: str) -> bool:
    """Say whether an address to listen on is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
