"""Time for what starts beside a server: until then real prices are recorded, none are valued."""

import asyncio
import contextlib


class HeadStart:
    """Lasts some seconds at most; who it is for says when it needs no more. On one loop."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self._over = asyncio.Event()

    def end(self) -> None:
        """Let begin what waits; may be called twice."""
        self._over.set()

    async def over(self) -> None:
        """Wait until it has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._seconds):
                await self._over.wait()
        self._over.set()  # a job that is begun anew does not wait again
