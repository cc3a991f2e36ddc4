"""Long work in steps, so that whoever does it can let others in between."""

import asyncio
import time
from collections import deque
from collections.abc import Generator, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

_SLICE_S: Final = 0.004
"""How long the loop is held at a time."""


def exhaust(steps: Iterator[None]) -> None:
    """Go through all steps at once."""
    deque(steps, maxlen=0)


def returned(steps: Generator[None, None, T]) -> T:
    """Go through all steps at once and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


async def in_slices(steps: Iterator[None]) -> None:
    """Go through steps without holding the loop for long."""
    began = time.perf_counter()
    for _ in steps:
        if time.perf_counter() - began > _SLICE_S:
            await asyncio.sleep(0)
            began = time.perf_counter()
