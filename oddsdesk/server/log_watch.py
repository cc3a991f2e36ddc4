"""Waiting for the log to grow."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Final

from oddsdesk.store.store import Store

POLL_S: Final = 0.25
"""How often the log is checked for rows of other processes."""


class LogWatch:
    """Wakes one task whenever the log grew: at once after our commits, others' by polling."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._grown = asyncio.Event()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to the store's writer inside the ``with`` block, on the running loop."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._grown.set)

        stop_listening = self._store.on_commit(wake)
        try:
            yield
        finally:
            stop_listening()

    async def wait(self) -> None:
        """Return once the log has grown, or may have."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_S):
                await self._grown.wait()
        self._grown.clear()
