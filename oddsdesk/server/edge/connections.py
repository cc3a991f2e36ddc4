"""Limits on connections, in all and by address, and which ones new ones replace."""

import asyncio
import contextlib
import ipaddress
import logging
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from enum import StrEnum
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.access import ErrorCode
from oddsdesk.server.edge.middleware import Proxies
from oddsdesk.server.fairness import PROBES
from oddsdesk.server.local_callers import BELIEVED
from oddsdesk.server.rest import Refusal, Sample, refuse, send_reply
from oddsdesk.server.settings import ConnectionLimits
from oddsdesk.server.troubles import Trouble

TELL_S: Final = 60.0
"""The shortest time between log lines about refusals of a kind (s)."""
SCARCE_S: Final = 5.0
"""How long health reports that descriptors ran out (s)."""
_NETWORK: Final = 64
"""Bits of an IPv6 address that identify a customer, who can choose the rest freely."""
_LONGEST: Final = 64
TURNS: Final = 3
"""Turns of the loop until a closed TLS handshake has released its memory."""

TOO_MANY: Final = "Too many connections; retry in 1 s."
RETRY: Final = [(b"retry-after", b"1")]

_log = logging.getLogger(__name__)


class Why(StrEnum):
    """Why a connection is refused."""

    ALL = "all"
    ADDRESS = "address"
    DESCRIPTORS = "descriptors"
    HANDSHAKES = "handshakes"
    UNREAD = "unread"


class Place:
    """A connection that counts until ``leave_place``.

    ``end`` ends the connection for a newer one; the protocol of the connection sets it.
    """

    __slots__ = ("_keep", "_leave", "_stall", "end", "whose")

    def __init__(
        self,
        leave: Callable[["Place"], None],
        keep: Callable[["Place"], None] = lambda _: None,
        whose: str = "",
        stall: Callable[["Place", int], None] = lambda _place, _unread: None,
    ) -> None:
        self._stall = stall
        self._leave: Callable[[Place], None] | None = leave
        self._keep = keep
        self.whose = whose
        """The address for which it counts, empty for a proxy."""
        self.end: Callable[[], object] = _nothing

    def keep_place(self) -> None:
        """Note that a valid key was shown on it, so that no newer one replaces it."""
        self._keep(self)

    def note_unread(self, unread: int) -> None:
        """Note how many bytes of an answer its client leaves unread; 0 if it reads."""
        self._stall(self, unread)

    def leave_place(self) -> None:
        """Stop counting it; may be called twice."""
        leave, self._leave = self._leave, None
        self.end = _nothing  # it knows the connection, which would outlive its end
        if leave is not None:
            leave(self)


class Connections:
    """Counts connections. Those of a proxy count for its client, while they are answered.

    At the limit, a new connection replaces the oldest one without a valid key, so callers without a
    key cannot keep others out. If all have a valid key, the new one is refused.

    For the server's loop. ``now`` is in seconds and never jumps.
    """

    def __init__(
        self,
        limits: ConnectionLimits | None = None,
        proxies: Proxies | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = limits or ConnectionLimits()
        self._most = min(limits.in_all, most_connections())
        self._most_of_one = limits.by_address
        self._most_handshakes = limits.handshakes
        self._most_unread = limits.unread
        self._unread: dict[Place, int] = {}
        """Bytes that connections without a valid key leave unread, the oldest first."""
        self._handshakes: dict[object, Callable[[], object]] = {}
        """How to close each, oldest first."""
        self._room = asyncio.Semaphore(limits.handshakes)
        self._owed = 0
        """How many are waiting for an older one to be closed."""
        self._proxies = proxies or Proxies()
        self._now = now
        self._open = 0
        self._by_address: dict[str, int] = {}
        self._strangers: dict[Place, None] = {}
        """Connections without a valid key, the oldest first."""
        self._strangers_of: dict[str, dict[Place, None]] = {}
        """The same by address."""
        self._refused: Counter[Why] = Counter()
        self._due: dict[Why, float] = {}
        self._scarce_until = now()

    def enter(self, address: str) -> Place | None:
        """Count a connection; None if the limit is reached."""
        whose = "" if self._proxies.have(address) else _whose(address)
        if whose and self._is_full(whose) and not self._make_room(self._strangers_of.get(whose)):
            return None
        if self._open >= self._most:
            self._refuse(Why.ALL, f"the limit of {self._most} connections is reached")
            if not self._make_room(self._strangers):
                return None
        self._open += 1
        self._count(whose, 1)
        place = Place(self._end, self._keep, whose, self._note_unread)
        self._strangers[place] = None
        self._strangers_of.setdefault(whose, {})[place] = None
        return place

    def enter_by_proxy(self, address: str, *, has_key: bool = False) -> Place | None:
        """Count a request or stream of an address behind a proxy; None as for ``enter``.

        Those with a valid key have a separate limit: others at the address do not keep them out.
        """
        if self._proxies.have(address):  # it asks for itself
            return Place(lambda _: None)
        whose = f"{_whose(address)}{' with a key' if has_key else ''}"
        if self._is_full(whose):
            return None
        self._count(whose, 1)
        return Place(lambda _: self._count(whose, -1))

    @contextlib.asynccontextmanager
    async def shaking_hands(self, end: Callable[[], object]) -> AsyncIterator[None]:
        """Count a TLS handshake while it is running.

        At the limit, the oldest one is closed with its ``end``: stalled handshakes are older than
        active ones. The new one begins when that one's memory is released.
        """
        if self._room.locked():
            self._owed += 1
            self._end_oldest()
        async with self._room:
            which = object()
            self._handshakes[which] = end
            self._end_oldest()
            try:
                yield
            except (OSError, asyncio.CancelledError):
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                raise
            finally:
                self._handshakes.pop(which, None)

    def wait_for_descriptors(self) -> None:
        """Note that a connection cannot be accepted for lack of descriptors."""
        self._scarce_until = self._now() + SCARCE_S
        self._refuse(Why.DESCRIPTORS, "no file descriptors are left, so it waits")

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong."""
        if self._now() < self._scarce_until:
            yield Trouble("new connections are waiting: no file descriptors are left")

    def connection_samples(self) -> Iterator[Sample]:
        """Yield what was counted."""
        yield Sample("oddsdesk_connections", self._open)
        yield Sample("oddsdesk_handshakes", len(self._handshakes))
        for why in Why:
            labels = {"why": why.value}
            yield Sample("oddsdesk_connections_refused_total", self._refused[why], labels)

    def _end_oldest(self) -> None:
        if not (self._owed and self._handshakes):
            return
        self._owed -= 1
        oldest = next(iter(self._handshakes))
        self._handshakes.pop(oldest)()
        most = self._most_handshakes
        self._refuse(Why.HANDSHAKES, f"it was the oldest of {most} unfinished TLS handshakes")

    def _is_full(self, whose: str) -> bool:
        is_full = self._by_address.get(whose, 0) >= self._most_of_one
        if is_full:
            said = f"{whose} has {self._most_of_one}, the limit for one address"
            self._refuse(Why.ADDRESS, said)
        return is_full

    def _count(self, whose: str, more: int) -> None:
        if not whose:
            return
        count = self._by_address.get(whose, 0) + more
        if count:
            self._by_address[whose] = count
        else:
            del self._by_address[whose]

    def _keep(self, place: Place) -> None:
        if place not in self._strangers:
            return
        del self._strangers[place]
        self._unread.pop(place, None)
        of_address = self._strangers_of[place.whose]
        del of_address[place]
        if not of_address:
            del self._strangers_of[place.whose]

    def _note_unread(self, place: Place, unread: int) -> None:
        """Note what a stranger leaves unread; at the limit end those that have for longest."""
        self._unread.pop(place, None)
        if not unread or place not in self._strangers:
            return
        self._unread[place] = unread
        while len(self._unread) > 1 and sum(self._unread.values()) > self._most_unread:
            self._refuse(Why.UNREAD, "too much of the answers without a key is unread")
            oldest = next(iter(self._unread))
            end = oldest.end
            oldest.leave_place()
            end()

    def _make_room(self, strangers: dict[Place, None] | None) -> bool:
        """Close the oldest of these; return whether there was one."""
        if not strangers:
            return False
        oldest = next(iter(strangers))
        end = oldest.end
        oldest.leave_place()
        end()
        return True

    def _end(self, place: Place) -> None:
        self._keep(place)
        self._open -= 1
        self._count(place.whose, -1)

    def _refuse(self, why: Why, said: str) -> None:
        self._refused[why] += 1
        now = self._now()
        if now >= self._due.get(why, now):
            self._due[why] = now + TELL_S
            count = self._refused[why]
            _log.warning("refused a connection: %s (%d since the start)", said, count)


class ConnectionsByProxy:
    """Counts a proxy's requests for the clients that it names."""

    def __init__(
        self,
        app: ASGIApp,
        connections: Connections,
        known_caller: Callable[[Scope], object | None] = lambda _: None,
    ) -> None:
        self._app = app
        self._connections = connections
        self._known_caller = known_caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a stream on, unless its client has reached its limit."""
        place = self._place(scope)
        if place is None:
            refusal = Refusal(ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, RETRY)
            await send_reply(scope, send, refuse(refusal, ""))
            return
        try:
            await self._app(scope, receive, send)
        finally:
            place.leave_place()

    def _place(self, scope: Scope) -> Place | None:
        if BELIEVED in scope and scope.get("path") not in PROBES:
            has_key = self._known_caller(scope) is not None
            return self._connections.enter_by_proxy(scope["client"][0], has_key=has_key)
        return Place(lambda _: None)  # it was counted when it was taken


def _nothing() -> None:
    """End nothing."""


def _whose(address: str) -> str:
    """Return the address that counts: IPv6 addresses by network."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:_LONGEST]
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), _NETWORK), strict=False))


RESERVED: Final = 256
"""Descriptors kept free of connections, for databases, feeds, logs and other files."""


def make_room(connections: int) -> None:
    """Raise this process's descriptor limit to allow this number of connections, if possible."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + RESERVED
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # macOS reports no limit, but has one
            return


def most_connections() -> int:
    """Return the largest possible number of connections."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource  # noqa: PLC0415 - not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft - min(RESERVED, soft // 2)
