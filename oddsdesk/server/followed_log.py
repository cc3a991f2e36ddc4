"""How a process follows the log, by the engine that keeps it, and tells what it recorded."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from oddsdesk.installed import how_to_install
from oddsdesk.server.bus.errors import BusError
from oddsdesk.server.bus.tail import BusTail
from oddsdesk.server.log_tail import LogTail
from oddsdesk.server.log_watch import OnGrowth
from oddsdesk.server.polled_tail import PolledTail
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.access import AccessStore
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import Store
from oddsdesk.store.tail import Announcing, Tail
from oddsdesk.store.values import Change

if TYPE_CHECKING:
    from oddsdesk.server.bus.bus import Bus

_FOR_POSTGRESQL = "--bus: it is for databases of PostgreSQL; one file needs none"


class FollowedLog:
    """The tail of a store's log, and the bus where there is one; ``start`` and ``stop`` on a loop.

    ``on_growth`` says more than the store itself: of what other processes of this server recorded.
    """

    tail: Tail

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        settings: Settings,
        on_growth: OnGrowth | None = None,
    ) -> None:
        """Make it; nothing is connected before ``start``.

        Raises:
            BusError: there cannot be the bus that the settings name.
        """
        self._polled: PolledTail | None = None
        self._bus: Bus | None = None
        if isinstance(store, Announcing):
            self.tail = self._polled = PolledTail(store, on_growth)
            if settings.bus is not None:
                self._bus = _open_bus(settings.bus, access.secret, store, settings.told)
                self.tail = BusTail(self._polled, self._bus)
        elif settings.bus is None:
            self.tail = LogTail(store, on_growth)
        else:
            raise BusError(_FOR_POSTGRESQL)

    def start(self) -> None:
        """Tell others what is recorded, and hear it."""
        if self._bus is not None:
            self._bus.start()

    async def stop(self) -> None:
        """End; the tail is asked nothing more."""
        if self._bus is not None:
            await self._bus.stop()
        if self._polled is not None:
            self._polled.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the bus."""
        if self._bus is not None:
            yield from self._bus.troubles()


def check_bus(settings: Settings) -> None:
    """Refuse a bus that there cannot be; none is connected to.

    Raises:
        BusError: as of ``FollowedLog``.
    """
    if settings.bus is None:
        return
    if not isinstance(settings.database, DatabaseUrl):
        raise BusError(_FOR_POSTGRESQL)
    with _needing_nats():
        from oddsdesk.server.bus.connection import shown_url  # noqa: PLC0415 - an extra
    shown_url(settings.bus)


@contextlib.contextmanager
def _needing_nats() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise BusError(
            f"--bus: NATS needs its client, nats-py: {how_to_install('cluster')} ({error})"
        ) from error


def _open_bus(url: str, secret: bytes, store: Announcing, told: Sequence[str] | None) -> "Bus":
    with _needing_nats():
        from oddsdesk.server.bus.bus import Bus  # noqa: PLC0415 - an extra

    def read(seq: int, limit: int, shard: int) -> Sequence[Change]:
        return store.reader_for_all().changes_after(seq, limit, shard)

    return Bus(url, secret, store.on_recorded, read, told)
