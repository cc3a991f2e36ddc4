"""Whether a database across a network answers; while it does not, nobody waits for it."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, TypeVar

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError

T = TypeVar("T")

PROBE_S: Final = 0.25
"""The pause between two looks at the database."""
LIMIT_S: Final = 2.0
"""What takes longer to answer a look is not there."""

_log = logging.getLogger(__name__)


class KnownAwayError(StoreUnavailableError):
    """The database is known to be away, and the log has said so."""


class Circuit:
    """Refuses at once while one look after another finds out when the database is back.

    It opens where a look or a request finds nobody there, or no answer comes in time, and then
    gives up whatever waits. Without ``watch`` it stays closed. One event loop only.
    """

    def __init__(self) -> None:
        self._refusal: KnownAwayError | None = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._openings = 0
        self.is_watched = False
        """Whether one look follows another."""

    @property
    def refusal(self) -> KnownAwayError | None:
        """Why nothing is asked now, if so."""
        return self._refusal

    def check(self) -> None:
        """Refuse where the database is away.

        Raises:
            KnownAwayError: it is.
        """
        if self._refusal is not None:
            raise self._refusal.with_traceback(None)

    async def wait(self, future: asyncio.Future[T]) -> T:
        """Wait for what the database answers, and no longer once it is away.

        Raises:
            StoreError: it refuses; ``KnownAwayError`` where it is away.
        """
        self._waiting.add(future)
        try:
            return await future
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._refusal is None or (task is not None and task.cancelling()):
                raise
            raise self._refusal.with_traceback(None) from None
        except StoreUnavailableError as error:
            if error.fault is Fault.AWAY and self.is_watched:
                self._open(error)
                self.check()
            raise
        finally:
            self._waiting.discard(future)

    async def watch(self, look: Callable[[], asyncio.Future[None]]) -> None:
        """Look at the database until cancelled; ``look`` begins to, on a thread."""
        self.is_watched = True
        try:
            while True:
                await self._look(look)
                await asyncio.sleep(PROBE_S)
        finally:
            self.is_watched = False

    async def _look(self, look: Callable[[], asyncio.Future[None]]) -> None:
        openings = self._openings
        looking = look()
        answered, _ = await asyncio.wait([looking], timeout=LIMIT_S)
        if not answered:
            self._open(slow_error(LIMIT_S))
            openings = self._openings
            await asyncio.wait([looking])
        try:
            looking.result()
        except StoreError as error:
            self._open(error)
        else:
            if openings == self._openings:  # else a request met it away while this was under way
                self._close()

    def _open(self, error: StoreError) -> None:
        self._openings += 1
        if self._refusal is None:
            _log.warning("the database is away, and asked until it is back: %s", error)
        fault = error.fault if isinstance(error, StoreUnavailableError) else Fault.OTHER
        self._refusal = KnownAwayError(str(error), fault)
        for future in tuple(self._waiting):
            future.cancel()

    def _close(self) -> None:
        if self._refusal is not None:
            _log.warning("the database is back")
        self._refusal = None


def slow_error(seconds: float) -> StoreUnavailableError:
    """Return the refusal of a database that has not answered for so many seconds."""
    return StoreUnavailableError(f"{Fault.SLOW.value}: nothing came for {seconds:g} s", Fault.SLOW)
