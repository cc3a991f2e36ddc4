"""How long to wait before the next try: 1 s doubling to 30 s, with jitter."""

import random
from collections.abc import Callable
from typing import Final

LONGEST_S: Final = 30.0
_SHORTEST_S: Final = 1.0

Randomness = Callable[[], float]
"""Returns a number in [0, 1)."""


class Backoff:
    """Counts tries that failed and says how long to wait."""

    def __init__(self, randomness: Randomness = random.random) -> None:
        self._randomness = randomness
        self._failures = 0

    def next_s(self) -> float:
        """Count a failure; return the seconds to wait, 1 to 30, half of it by chance."""
        full = min(LONGEST_S, _SHORTEST_S * 2.0**self._failures)
        self._failures = min(self._failures + 1, 8)
        return max(_SHORTEST_S, full * (0.5 + self._randomness() / 2))

    def reset(self) -> None:
        """Start again at 1 s: a try was a success."""
        self._failures = 0
