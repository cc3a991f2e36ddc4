"""The clock: what everything that needs the time takes as an argument."""

import time
from collections.abc import Callable
from typing import Final

Clock = Callable[[], int]
"""Returns the present time in milliseconds since the epoch, UTC."""


def system_clock() -> int:
    """Return the present time in milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


class MomentClock:
    """A clock that can be set to a moment of the past, where it stands; ``None`` lets it go on."""

    def __init__(self, clock: Clock = system_clock) -> None:
        self.at: int | None = None
        self.now: Clock = clock
        """The clock that goes on meanwhile."""

    def __call__(self) -> int:
        """Return the moment that it is set to, else the present time."""
        return self.now() if self.at is None else self.at


REPLAY_SPEEDS: Final = (0.01, 100_000.0)
"""How slowly and how fast recorded odds may be played, beside real time."""
