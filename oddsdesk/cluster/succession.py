"""The leader: the process with the lease, and its successor when it is gone."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from oddsdesk.base.tasks import in_daemon_thread
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.gate import LoopAccess
from oddsdesk.server.settings import RUN_ONCE, Role, Settings
from oddsdesk.server.troubles import (
    NOTHING_READ,
    RetryWhileUnavailable,
    Trouble,
    Troubles,
    refused_trouble,
)
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.lock import owner_of
from oddsdesk.store.store import Store

if TYPE_CHECKING:
    from oddsdesk.cluster.postgres.leases import PostgresHolders

TRY_S: Final = 0.25
"""How often a process tries to take over, if it is not notified (s)."""

_log = logging.getLogger(__name__)


class Lease(Protocol):
    """Held from when it is taken until it is released, or its process dies.

    Its methods wait for the database, so they are not for a loop.
    """

    @property
    def is_for_good(self) -> bool:
        """Whether it cannot be lost while this process lives."""

    def take_lease(self) -> bool:
        """Take it unless another process has it; return whether it was taken.

        Raises:
            StoreError: the database cannot be used now.
        """

    def is_held(self) -> bool:
        """Return whether it is still held."""

    def announce_holder(self, url: str, access: Path | None = None, link_url: str = "") -> None:
        """Publish the server's addresses on this machine, if possible."""

    def release_lease(self) -> None:
        """Release it; it may be taken again."""


class Succession:
    """Takes the lease as soon as it is free and starts the leader's work; stops it on a loss.

    ``begin`` may fail: the lease is then released for another process. ``who`` is this process in
    the log.
    """

    def __init__(
        self,
        lease: Lease,
        who: str,
        begin: Callable[[], Awaitable[None]],
        end: Callable[[], Awaitable[None]],
        troubles: Troubles,
    ) -> None:
        self._lease = lease
        self._who = who
        self._begin = begin
        self._end = end
        self._patience = RetryWhileUnavailable("taking over as leader", troubles)
        self._is_at_work = False

    @property
    def has_ended(self) -> bool:
        """Whether nothing is left to wait for: it is the leader for good."""
        return self._is_at_work and self._lease.is_for_good

    async def start_succession(self) -> None:
        """Start if the lease is held or free; not while the database is unreachable."""
        with contextlib.suppress(StoreUnavailableError):
            if await self._ask(self._lease.is_held) or await self._take():
                await self._take_up()
            else:
                _log.info("%s is on standby: another process is the leader", self._who)

    async def follow_lease(self, somebody_ended: asyncio.Event | None = None) -> None:
        """Wait for the lease, and for its loss, until cancelled; ``somebody_ended`` speeds it
        up."""
        ended = somebody_ended or asyncio.Event()
        while not self.has_ended:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TRY_S):
                    await ended.wait()
            ended.clear()
            await self._patience.do(self._look, TRY_S)

    async def _look(self) -> None:
        if not self._is_at_work:
            if await self._take():
                _log.warning("%s takes over as leader", self._who)
                await self._take_up()
        elif not await self._ask(self._lease.is_held):
            _log.warning("%s lost its lease and is no longer the leader", self._who)
            self._is_at_work = False
            await self._end()

    async def _take(self) -> bool:
        return await in_daemon_thread("take lease", self._lease.take_lease, self._give_back)

    async def _take_up(self) -> None:
        try:
            await self._begin()
        except BaseException:
            await self._ask(lambda: self._give_back(True))
            raise
        self._is_at_work = True

    async def _ask(self, work: Callable[[], object]) -> bool:
        return bool(await in_daemon_thread("ask for lease", work))

    def _give_back(self, is_taken: bool) -> None:
        if is_taken:
            self._lease.release_lease()


LOOK_S: Final = 0.4
"""How often it looks (s); it reports a role missing at two looks in a row."""
LOOK_ACROSS_S: Final = 1.0
"""The same for PostgreSQL, where another process takes over within a second."""


class _Look(Protocol):
    """Finds roles without a process; may wait for the database, one thread at a time."""

    def missing(self) -> frozenset[Role]:
        """Return the roles that no process has; none if that is unknown."""

    def end_look(self) -> None:
        """Stop looking."""


class OwnerWatch:
    """For a process that leaves roles to others: checks whether any process has them."""

    def __init__(self, look: _Look, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._missing: frozenset[Role] = frozenset()
        self._told: frozenset[Role] = frozenset()
        """What was missing at two looks in a row."""

    async def watch_owner(self) -> None:
        """Look until cancelled."""
        try:
            while True:
                missing = await in_daemon_thread("look who works", self._look.missing)
                self._missing, self._told = missing, missing & self._missing
                await asyncio.sleep(self._every_s)
        finally:
            self._look.end_look()

    def troubles(self) -> Iterator[Trouble]:
        """Yield that a role has no process."""
        if self._told:
            yield Trouble(f"nobody runs {', '.join(each for each in Role if each in self._told)}")


class _OfFile:
    """All such roles belong to the holder of the file's lock."""

    def __init__(self, database: Path) -> None:
        self._database = database

    def missing(self) -> frozenset[Role]:
        try:
            return RUN_ONCE if owner_of(self._database) is None else frozenset()
        except StoreError:  # a process has it, but does not identify itself
            return frozenset()

    def end_look(self) -> None:
        pass


class _OfPostgres:
    """Each role has a lease, or is divided.

    ``feeds`` is only reported once some process had it: with posted quotes no feed is needed.
    """

    def __init__(self, holders: "PostgresHolders", left: Collection[Role]) -> None:
        self._holders = holders
        self._awaited = frozenset(left) - {Role.FEEDS}

    def missing(self) -> frozenset[Role]:
        try:
            held = frozenset(Role(name) for name in self._holders.held())
        except StoreError:  # reported elsewhere
            return frozenset()
        self._awaited |= held
        return self._awaited - held

    def end_look(self) -> None:
        self._holders.close()


def owner_watch(settings: Settings) -> OwnerWatch | None:
    """Return a watch over the roles that ``settings`` leave to others, None if there are none."""
    database, left = settings.database, RUN_ONCE - settings.roles
    if not isinstance(database, DatabaseUrl):
        return OwnerWatch(_OfFile(database), LOOK_S) if left == RUN_ONCE else None
    if not left:
        return None
    from oddsdesk.cluster.postgres.leases import PostgresHolders  # noqa: PLC0415 - an extra

    divided = left & {Role.VALUATION}
    holders = PostgresHolders(database.url, left - divided, divided)
    return OwnerWatch(_OfPostgres(holders, left), LOOK_ACROSS_S)


class DatabaseWatch:
    """Watches a remote database for its circuit, and reports that it is unreachable."""

    def __init__(self, store: Store, access: LoopAccess) -> None:
        self._store = store
        self._access = access

    async def watch_database(self) -> None:
        """Watch until cancelled."""
        thread = ReaderPool("look", threads=1)

        def check_database() -> None:
            self._store.check_odds()
            self._access.read_keys()

        try:
            await self._access.circuit.watch(lambda: thread.begin(check_database))
        finally:
            thread.abandon()

    def troubles(self) -> Iterator[Trouble]:
        """Yield that the database is unreachable."""
        if (refusal := self._access.circuit.away_error) is not None:
            yield refused_trouble(NOTHING_READ, refusal)
