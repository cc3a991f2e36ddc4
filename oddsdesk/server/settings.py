"""The settings of a server."""

import ipaddress
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.dashboard.opportunities import Judge
from oddsdesk.store.databases import Database, DatabaseUrl

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


class Role(StrEnum):
    """What a server does; other processes on the same database can do the rest."""

    API = "api"
    STREAM = "stream"
    VALUATION = "valuation"
    UPKEEP = "upkeep"
    FEEDS = "feeds"


LOOPBACK_PROXIES: Final = ("127.0.0.1", "::1")
"""Where trusted proxies are by default."""
ALL_ROLES: Final = frozenset(Role)
ANSWERING: Final = frozenset({Role.API, Role.STREAM})
"""Roles that need an address; any number of processes may have them."""
RUN_ONCE: Final = ALL_ROLES - ANSWERING
"""Roles of one process at a time, the one with the lock or lease."""


class TlsFiles(msgspec.Struct, frozen=True):
    """PEM files: the certificate with its chain, and its key."""

    certificate: Path
    key: Path


class ConnectionLimits(msgspec.Struct, frozen=True):
    """How many connections a process may have at a time."""

    in_all: int = 10_000
    """Fewer if the system allows fewer file descriptors."""
    by_address: int = 1_000
    """Per IPv4 address or IPv6 /64 network."""
    handshakes: int = 1_000
    """Unfinished TLS handshakes; each holds up to 350 KB."""
    unread: int = 64 * 1024 * 1024
    """Bytes of answers that connections without a valid key leave unread, together."""


class PublicAddress(msgspec.Struct, frozen=True):
    """How others reach a server."""

    allow_hosts: tuple[str, ...] = ()
    """Accepted names besides those of this machine and of ``host``."""
    base_url: str = ""
    """The public address, without a slash at the end; its name is accepted. Empty to use the
    request's."""
    behind_proxy: tuple[str, ...] = ()
    """Addresses and networks of proxies that are trusted with client and host names."""
    tls: TlsFiles | None = None

    @property
    def is_given(self) -> bool:
        """Whether others reach it through a proxy or a separate name."""
        return bool(self.behind_proxy or self.base_url or self.allow_hosts)


class Settings(msgspec.Struct, frozen=True):
    """Settings of one run.

    ``None`` as the sharp book (``reference``) and as the number of days the log is kept (0: for
    ever) uses the database's value. ``port`` 0 picks a free one. ``speed`` is the speed of replays.
    ``durable``: a power cut loses nothing recorded; else at most the last second. ``access`` is the
    key file, None for the one next to the database. Without ``lasting_keys``, keys of a read-only
    database live as long as the server.
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
    """Sources whose odds may be passed on, though their usual terms forbid it."""
    roles: frozenset[Role] = ALL_ROLES
    workers: int = 1
    """Number of processes; more than one need a ``Supervisor``."""
    bus: str | None = None
    """URL of the NATS server for messages between processes, if any."""
    shards: int | None = None
    """Number of shards of a PostgreSQL log; None: unchanged."""
    archive: Path | None = None
    """The folder of Parquet files to archive price history in and read it from; None to read from
    the one stored in the database, if any."""
    metrics_port: int | None = None
    """The port of `/metrics`, if any."""
    metrics_host: str = DEFAULT_HOST
    public: PublicAddress = PublicAddress()
    connections: ConnectionLimits = ConnectionLimits()
    access_log: bool = False
    """Whether each request and stream is logged."""
    quiet_probes: bool = False
    """Whether health checks and metrics that are answered are left out of that."""
    dashboard: bool = False
    """Whether account owners can sign in to web pages."""
    judge: Judge | None = None
    """Finds what those pages list besides value bets; a function of a module, as it goes to other
    processes."""
    serve_as: str | None = None
    """The other interface to serve on the same port, by its name; for this machine only."""
    head_start_s: float = 0.0
    """For this time at most nothing is valued and a simulation only gives its first prices, to
    leave the processor to the caller (s)."""

    @property
    def listens(self) -> bool:
        """Whether it listens at all."""
        return bool(self.roles & ANSWERING)

    @property
    def shared_sources(self) -> tuple[str, ...] | None:
        """Return the sources that are shared although they forbid passing odds on.

        None if no other machine can read: then nothing is left out.
        """
        return self.share if self.is_public else None

    @property
    def scheme(self) -> str:
        """The scheme of its URL."""
        return "http" if self.public.tls is None else "https"

    @property
    def is_public(self) -> bool:
        """Whether other machines can reach it, directly or through a proxy."""
        return self.listens and (self.public.is_given or not is_loopback(self.host))

    @property
    def host_names(self) -> frozenset[str]:
        """The accepted host names, besides those of this machine."""
        base = urlsplit(self.public.base_url).hostname
        return frozenset({self.host, *self.public.allow_hosts, *([base] if base else ())})

    @property
    def run_once(self) -> frozenset[Role]:
        """The roles that only one process may have; on PostgreSQL several may value."""
        is_shared = isinstance(self.database, DatabaseUrl)
        return self.roles & RUN_ONCE - ({Role.VALUATION} if is_shared else frozenset())

    @property
    def needs_lock(self) -> bool:
        """Whether it has such a role."""
        return bool(self.run_once)

    @property
    def is_alone(self) -> bool:
        """Whether one process does everything for a file; anything else needs the cluster."""
        is_one = self.roles == ALL_ROLES and self.workers == 1 and self.bus is None
        return is_one and not isinstance(self.database, DatabaseUrl)


def is_loopback(host: str) -> bool:
    """Return whether a listening address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
