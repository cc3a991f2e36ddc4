"""Whether anybody does what processes that answer leave to others (D82)."""

import asyncio
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, Protocol

from oddsdesk.server.settings import RUN_ONCE, Role, Settings
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.leases import Holders, holders_of
from oddsdesk.store.lock import owner_of
from oddsdesk.tasks import in_daemon_thread

LOOK_S: Final = 0.4
"""How often it looks; it tells at the second look in a row that finds nobody."""
LOOK_ACROSS_S: Final = 1.0
"""The same in PostgreSQL, where another takes over within a second what one left."""


class _Look(Protocol):
    """Tells what nobody does; may wait for the database, and one thread asks at a time."""

    def missing(self) -> frozenset[Role]:
        """Return the roles that no process has; none where that cannot be known."""
        ...

    def close(self) -> None:
        """Ask no more."""
        ...


class OwnerWatch:
    """For a process that leaves roles to others: looks whether any process has them."""

    def __init__(self, look: _Look, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._missing: frozenset[Role] = frozenset()
        self._told: frozenset[Role] = frozenset()
        """What was missing at two looks in a row."""

    async def follow(self) -> None:
        """Look until cancelled."""
        try:
            while True:
                missing = await in_daemon_thread("look who works", self._look.missing)
                self._missing, self._told = missing, missing & self._missing
                await asyncio.sleep(self._every_s)
        finally:
            self._look.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield that nobody is there."""
        if self._told:
            yield Trouble(f"nobody runs {', '.join(each for each in Role if each in self._told)}")


class _OfFile:
    """All of it is for who holds the lock of the file."""

    def __init__(self, database: Path) -> None:
        self._database = database

    def missing(self) -> frozenset[Role]:
        try:
            return RUN_ONCE if owner_of(self._database) is None else frozenset()
        except StoreError:  # somebody is who does not say who it is
            return frozenset()

    def close(self) -> None:
        pass


class _OfPostgres:
    """Each role has a lease, or is divided.

    Of ``feeds`` it is told once somebody had them: who lets others post quotes has no feed to run.
    """

    def __init__(self, holders: Holders, left: Collection[Role]) -> None:
        self._holders = holders
        self._awaited = frozenset(left) - {Role.FEEDS}

    def missing(self) -> frozenset[Role]:
        try:
            held = frozenset(Role(name) for name in self._holders.held())
        except StoreError:  # told elsewhere
            return frozenset()
        self._awaited |= held
        return self._awaited - held

    def close(self) -> None:
        self._holders.close()


def owner_watch(settings: Settings) -> OwnerWatch | None:
    """Return a watch over what ``settings`` leave to other processes, None where that is nothing.

    Raises:
        StoreError: PostgreSQL's client is not installed.
    """
    database, left = settings.database, RUN_ONCE - settings.roles
    if not isinstance(database, DatabaseUrl):
        return OwnerWatch(_OfFile(database), LOOK_S) if left == RUN_ONCE else None
    if not left:
        return None
    divided = left & {Role.VALUATION}
    return OwnerWatch(
        _OfPostgres(holders_of(database, left - divided, divided), left), LOOK_ACROSS_S
    )
