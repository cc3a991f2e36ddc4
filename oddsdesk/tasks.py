"""Named asyncio tasks: each is kept, and an error in one is reported."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def spawn(name: str, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a coroutine on the running loop, keep it until it ends and report its error.

    The error is logged as a bug and still raised to whoever awaits the task.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until each has ended; their errors were reported already."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("task %s failed", task.get_name(), exc_info=error)
