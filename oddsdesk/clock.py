"""The clock: what everything that needs the time takes as an argument."""

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Returns the present time in milliseconds since the epoch, UTC."""


def system_clock() -> int:
    """Return the present time in milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000
