"""The clock: what everything that needs the time takes as an argument."""

import time
from collections.abc import Callable
from typing import Final

Clock = Callable[[], int]
"""Returns the present time in milliseconds since the epoch, UTC."""


def system_clock() -> int:
    """Return the present time in milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""What goes on while a machine sleeps, and never jumps; not every system names it."""


def elapsed_ms() -> int:
    """Return a time in milliseconds that only goes on; where it began means nothing."""
    if _STEADY is None:
        return time.monotonic_ns() // 1_000_000
    return time.clock_gettime_ns(_STEADY) // 1_000_000


class Jumps:
    """How far a clock has jumped since this was made (D84): what a time was not waited for."""

    LEEWAY_MS: Final = 2_000
    """Less than that is how clocks are set right, little by little."""

    def __init__(self, now_ms: int, elapsed: Callable[[], int] = elapsed_ms) -> None:
        self._elapsed = elapsed
        self._began = now_ms - elapsed()

    def until(self, now_ms: int) -> int:
        """Return by how much more than the time that passed the clock went on, in milliseconds."""
        jumped = now_ms - self._elapsed() - self._began
        return 0 if abs(jumped) < self.LEEWAY_MS else jumped


_SYSTEM_JUMPS: Final = Jumps(system_clock())
"""Of this process and of those that it becomes: they count by one time."""


def jumps_of(clock: Clock) -> Callable[[int], int]:
    """Return what says how far a clock has jumped until a time; only the system's does."""
    return _SYSTEM_JUMPS.until if clock is system_clock else lambda _: 0


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
