"""Calls from other threads to the server's loop; each gets a result or an error."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar

from oddsdesk.store.errors import StoreUnavailableError

T = TypeVar("T")
PATIENCE_S: Final = 0.5
"""How long calls may go on when the server stops, which takes 2 s in all."""


class LoopCalls:
    """Runs coroutines on a loop until ``end``; later calls, and those that take longer, fail.

    A loop that is ending still accepts coroutines, but has no threads for them (`RuntimeError`)
    and never runs the last ones.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._open: set[Future[Any]] = set()
        self._has_ended = False

    def ask(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; any thread may ask.

        The future fails with ``StoreUnavailableError`` where the server stops before the answer.
        """
        answer: Future[T] = Future()
        with self._lock:
            if self._has_ended:
                work.close()
                answer.set_exception(_stopped())
                return answer
            asked = asyncio.run_coroutine_threadsafe(work, self._loop)
            self._open.add(asked)
        asked.add_done_callback(self._open.discard)
        asked.add_done_callback(partial(_pass_on, answer))
        answer.add_done_callback(partial(_give_up, asked))
        return answer

    async def end(self) -> None:
        """Accept no more calls, and finish those under way; on the loop itself."""
        with self._lock:
            self._has_ended = True
        asked = list(self._open)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*map(asyncio.wrap_future, asked), return_exceptions=True)
        for each in asked:
            each.cancel()


def _pass_on(answer: Future[T], asked: Future[T]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    if asked.cancelled():
        answer.set_exception(_stopped())
    elif (error := asked.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(asked.result())


def _give_up(asked: Future[T], answer: Future[T]) -> None:
    if answer.cancelled():
        asked.cancel()


def _stopped() -> StoreUnavailableError:
    return StoreUnavailableError("the embedded server has stopped")
