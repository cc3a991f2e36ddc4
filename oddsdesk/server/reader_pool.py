"""The threads that read the store, so that the loop never waits for a query."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
THREADS = 2
"""With one, a long query would hold up all others. More would mostly wait for one another, since
Python's sqlite3 module hands the interpreter lock over at each row."""


class ReaderPool:
    """A few named threads; each has its own reader of the store."""

    def __init__(self, name: str = "read", threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"oddsdesk {name}")

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function on one of the threads."""
        return await self.begin(function)

    def begin(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Begin to run a function on one of the threads."""
        return asyncio.get_running_loop().run_in_executor(self._pool, function)

    def close(self) -> None:
        """Wait for what runs, drop what waits, and end the threads."""
        self._pool.shutdown(cancel_futures=True)
