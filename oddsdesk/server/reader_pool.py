"""The threads that read the store, so that the loop never waits for a query."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from oddsdesk.server.circuit import Circuit

T = TypeVar("T")
THREADS = 2
"""With one, a long query would hold up all others. More would mostly wait for one another, since
Python's sqlite3 module hands the interpreter lock over at each row."""


class ReaderPool:
    """A few named threads; each has its own reader of the store.

    While ``circuit`` is open nothing is begun, and nobody waits for what was.
    """

    def __init__(
        self, name: str = "read", threads: int = THREADS, circuit: Circuit | None = None
    ) -> None:
        self._circuit = circuit or Circuit()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"oddsdesk {name}")

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function on one of the threads."""
        self._circuit.check()
        return await self._circuit.wait(self.begin(function))

    def begin(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Begin to run a function on one of the threads."""
        return asyncio.get_running_loop().run_in_executor(self._pool, function)

    def abandon(self) -> None:
        """Begin nothing any more, and wait for nothing: what runs ends unheard."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Wait for what runs, drop what waits, and end the threads."""
        self._pool.shutdown(cancel_futures=True)
