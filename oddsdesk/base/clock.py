"""The clock, which is passed to everything that needs the time."""

import sys
import time
from collections.abc import Callable
from typing import Final

Clock = Callable[[], int]
"""Returns the present time in milliseconds since the epoch, UTC."""


def system_clock() -> int:
    """Return the present time in milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


_STEADY: Final[int] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", 0))
"""A clock that also counts sleep and never jumps; Windows does not name one."""


def elapsed_ms() -> int:
    """Return a time in milliseconds that never goes back; its origin is arbitrary."""
    if sys.platform == "win32":
        return time.monotonic_ns() // 1_000_000
    return time.clock_gettime_ns(_STEADY) // 1_000_000


class Jumps:
    """How far a clock has jumped since this was made."""

    LEEWAY_MS: Final = 2_000
    """Smaller differences are gradual clock corrections."""

    def __init__(self, now_ms: int) -> None:
        self._began = now_ms - elapsed_ms()

    def until(self, now_ms: int) -> int:
        """Return by how much the clock went on more than the elapsed time, in milliseconds."""
        jumped = now_ms - elapsed_ms() - self._began
        return 0 if abs(jumped) < self.LEEWAY_MS else jumped


_SYSTEM_JUMPS: Final = Jumps(system_clock())
"""For this process and the processes it becomes, which share one origin."""


def jumps_of(clock: Clock) -> Callable[[int], int]:
    """Return a function for how far a clock has jumped; only the system's clock does."""
    return _SYSTEM_JUMPS.until if clock is system_clock else lambda _: 0


class MomentClock:
    """A clock that can be fixed at a past moment; ``None`` lets it run."""

    def __init__(self) -> None:
        self.at: int | None = None
        self.now: Clock = system_clock
        """The running clock."""

    def __call__(self) -> int:
        """Return the fixed moment, else the current time."""
        return self.now() if self.at is None else self.at


REPLAY_SPEEDS: Final = (0.01, 100_000.0)
"""The slowest and fastest replay of recorded odds, compared with real time."""
