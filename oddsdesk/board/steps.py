"""Long work in steps, so that whoever does it can let others in between."""

from collections import deque
from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")


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
