"""Long work in steps, done for some milliseconds at a time so that a loop stays awake."""

import asyncio
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

SLICE_S: Final = 0.004
"""How long a loop is held at a time."""


def slices(steps: Iterable[object], limit_s: float = SLICE_S) -> Iterator[float]:
    """Go through steps and yield after each slice of them how long it took, in seconds.

    All but the last take longer than ``limit_s``. Who stops in between may go on with ``steps``.
    """
    began = time.perf_counter()
    for _ in steps:
        if (worked_s := time.perf_counter() - began) > limit_s:
            yield worked_s
            began = time.perf_counter()
    yield time.perf_counter() - began


def one_slice(steps: Iterator[object], limit_s: float = SLICE_S) -> bool:
    """Go through steps for one slice; return whether some may be left."""
    return next(slices(steps, limit_s)) > limit_s


async def in_slices(steps: Iterable[object], limit_s: float = SLICE_S) -> None:
    """Go through steps and let others have the loop between two slices.

    A generator that is not gone through to the end is closed at once.
    """
    try:
        for worked_s in slices(steps, limit_s):
            if worked_s > limit_s:
                await asyncio.sleep(0)
    finally:
        if isinstance(steps, Generator):
            steps.close()


async def awake(steps: Generator[object, None, T], limit_s: float = SLICE_S) -> T:
    """Go through steps as ``in_slices`` does and return what they come to."""
    ends = time.perf_counter() + limit_s
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if time.perf_counter() > ends:
            await asyncio.sleep(0)
            ends = time.perf_counter() + limit_s


def exhaust(steps: Iterable[object]) -> None:
    """Go through all steps at once."""
    deque(steps, maxlen=0)


def returned(steps: Generator[object, None, T]) -> T:
    """Go through all steps at once and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
