"""Waiting for the log to grow."""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Final

OnGrowth = Callable[[Callable[[], None]], Callable[[], None]]
"""Takes what is to be called, on any thread, when the log grew; returns how to end that."""

POLL_S: Final = 0.25
"""How often the log is checked for rows of other processes."""


class LogWatch:
    """Wakes one task whenever the log grew: at once where that is said, else by polling.

    ``on_growth`` is ``Store.on_commit``, or what knows of other processes' commits, too.
    """

    def __init__(self, on_growth: OnGrowth) -> None:
        self._on_growth = on_growth
        self._grown = asyncio.Event()

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen inside the ``with`` block, on the running loop."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._grown.set)

        stop_listening = self._on_growth(wake)
        try:
            yield
        finally:
            stop_listening()

    async def wait(self, limit_s: float | None = None) -> None:
        """Return once the log has grown, or may have: after ``limit_s``, else ``POLL_S``."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(POLL_S if limit_s is None else limit_s):
                await self._grown.wait()
        self._grown.clear()
