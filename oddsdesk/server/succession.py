"""Who does what is done once: the process that has the lease, and another when that is gone."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.leases import Lease
from oddsdesk.tasks import in_daemon_thread

TRY_S: Final = 0.25
"""How often a process tries to take over, where nobody tells that another is gone."""

_log = logging.getLogger(__name__)


class Succession:
    """Takes the lease as soon as it is free, and begins what it is for; ends that where it is lost.

    ``begin`` may fail: the lease is let go then, for another to try. ``who`` is this process as
    the log has it.
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
        self._patience = RetryWhileUnavailable("taking over what is done once", troubles)
        self._is_at_work = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to wait for: it is at work, and stays so."""
        return self._is_at_work and self._lease.is_for_good

    async def start(self) -> None:
        """Begin, where the lease is held already or free; a database that is away is none."""
        with contextlib.suppress(StoreUnavailableError):
            if await self._ask(self._lease.is_held) or await self._take():
                await self._take_up()
            else:
                _log.info("%s stands by: another does what one process does at a time", self._who)

    async def follow(self, somebody_ended: asyncio.Event | None = None) -> None:
        """Wait for the lease, and for its loss, until cancelled; ``somebody_ended`` hastens it."""
        ended = somebody_ended or asyncio.Event()
        while not self.is_over:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TRY_S):
                    await ended.wait()
            ended.clear()
            await self._patience.do(self._look, TRY_S)

    async def _look(self) -> None:
        if not self._is_at_work:
            if await self._take():
                _log.warning("%s takes over what one process does at a time", self._who)
                await self._take_up()
        elif not await self._ask(self._lease.is_held):
            _log.warning("%s lost its lease, and stops what one process does at a time", self._who)
            self._is_at_work = False
            await self._end()

    async def _take(self) -> bool:
        return await in_daemon_thread("take lease", self._lease.take, self._give_back)

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
            self._lease.release()
