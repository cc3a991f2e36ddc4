"""Long work in steps, so that whoever does it can let others in between."""

from collections import deque
from collections.abc import Iterator


def exhaust(steps: Iterator[None]) -> None:
    """Go through all steps at once."""
    deque(steps, maxlen=0)
