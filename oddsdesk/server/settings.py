"""What a server is started with."""

import ipaddress
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.store.databases import Database, DatabaseUrl

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


class Role(StrEnum):
    """What a server does; each may be left to another process on the same database."""

    API = "api"
    STREAM = "stream"
    VALUATION = "valuation"
    UPKEEP = "upkeep"
    FEEDS = "feeds"


ALL_ROLES: Final = frozenset(Role)
ANSWERING: Final = frozenset({Role.API, Role.STREAM})
"""What needs an address to listen on; any number of processes may do it."""
RUN_ONCE: Final = ALL_ROLES - ANSWERING
"""What one process of a database does at a time, the one that holds its lock or lease."""


class TlsFiles(msgspec.Struct, frozen=True):
    """The files of a certificate, with those that vouch for it, and of its key; PEM both."""

    certificate: Path
    key: Path


class ConnectionLimits(msgspec.Struct, frozen=True):
    """How many connections a process may have at a time (D83)."""

    in_all: int = 10_000
    """Fewer where the system gives the process fewer file descriptors."""
    by_address: int = 1_000
    """Of one address of version 4, or network of 64 bits of version 6."""
    handshakes: int = 1_000
    """Of all of them, TLS handshakes that have begun and not ended; each holds up to 350 KB."""


class PublicAddress(msgspec.Struct, frozen=True):
    """How others reach a server (D80)."""

    allow_hosts: tuple[str, ...] = ()
    """Names that it answers to besides those of this machine and of its settings' ``host``."""
    base_url: str = ""
    """The address that others reach it at, without a slash at the end; its name is answered to.
    Empty where that is what they asked."""
    behind_proxy: tuple[str, ...] = ()
    """Addresses and networks of proxies that are believed who asks, and for what name."""
    tls: TlsFiles | None = None

    @property
    def is_given(self) -> bool:
        """Whether others reach it through a proxy or by a name of its own."""
        return bool(self.behind_proxy or self.base_url or self.allow_hosts)


class Settings(msgspec.Struct, frozen=True):
    """Settings of one run.

    ``None`` as the reference and for how many days the log is kept (0: for ever) leaves what the
    database says (D1, D76). ``port`` 0 picks a free one. ``speed`` is how fast replays run.
    ``durable``: nothing recorded is lost when power fails; else at most the last second.
    ``access`` is the file of keys, None for the one beside the database. Without ``lasting_keys``,
    those of a database that can only be read live as long as the server.
    """

    database: Database
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
    roles: frozenset[Role] = ALL_ROLES
    workers: int = 1
    """How many processes share the work; more than one need a ``Supervisor``."""
    bus: str | None = None
    """Where processes tell each other what they recorded, if anywhere: the URL of a NATS server."""
    shards: int | None = None
    """Into how many shards the log of a database of PostgreSQL is divided; None: as it is."""
    archive: Path | None = None
    """The folder of Parquet files that price history is archived in, and read from; None for the
    one that the database names, if any, to read from."""
    metrics_port: int | None = None
    """Where `/metrics` is answered, if anywhere."""
    metrics_host: str = DEFAULT_HOST
    public: PublicAddress = PublicAddress()
    connections: ConnectionLimits = ConnectionLimits()
    access_log: bool = False
    """Whether each request and stream is logged."""
    head_start_s: float = 0.0
    """For so many seconds at most nothing is valued and a simulation gives its first prices only:
    whoever starts it has the processor."""

    @property
    def listens(self) -> bool:
        """Whether it answers anybody."""
        return bool(self.roles & ANSWERING)

    @property
    def told(self) -> tuple[str, ...] | None:
        """Of sources that forbid to pass prices on, those that are told all the same (D66).

        None where nobody else is told anything: nothing is left out then.
        """
        return self.share if self.is_public else None

    @property
    def scheme(self) -> str:
        """How it is asked."""
        return "http" if self.public.tls is None else "https"

    @property
    def is_public(self) -> bool:
        """Whether other machines can ask it, straight or through a proxy."""
        return self.listens and (self.public.is_given or not is_loopback(self.host))

    @property
    def names(self) -> frozenset[str]:
        """The names of hosts that it answers to, besides those of this machine."""
        base = urlsplit(self.public.base_url).hostname
        return frozenset({self.host, *self.public.allow_hosts, *([base] if base else ())})

    @property
    def run_once(self) -> frozenset[Role]:
        """What of its roles only one process may do; PostgreSQL has several value."""
        is_shared = isinstance(self.database, DatabaseUrl)
        return self.roles & RUN_ONCE - ({Role.VALUATION} if is_shared else frozenset())

    @property
    def needs_lock(self) -> bool:
        """Whether it does something that only one process may do."""
        return bool(self.run_once)

    @property
    def divides_valuation(self) -> bool:
        """Whether it values beside others, whoever does what one process may do."""
        return Role.VALUATION in self.roles - self.run_once


def is_loopback(host: str) -> bool:
    """Say whether an address to listen on is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
