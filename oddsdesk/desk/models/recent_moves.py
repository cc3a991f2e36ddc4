"""Which prices of a game moved a moment ago, on screen or not."""

from collections.abc import Iterator
from typing import Final

from oddsdesk.board.matrix import CellKey
from oddsdesk.board.prices import Price

RECENT_MS: Final = 10_000
"""For so long a move counts as a change that the user may have missed."""


class RecentMoves:
    """The last move of each price; those that are older than asked for are forgotten."""

    def __init__(self) -> None:
        self._moved: dict[CellKey, int] = {}

    def note(self, key: CellKey, price: Price, now_ms: int) -> None:
        """Take in a price that was told of; only a move counts, not the first sight."""
        if price.direction and price.is_offered and price.changed_at == price.scraped_at:
            self._moved.pop(key, None)
            self._moved[key] = now_ms

    def since(self, then_ms: int) -> Iterator[CellKey]:
        """Yield what moved at ``then_ms`` or later; forget the rest."""
        while self._moved:
            oldest = next(iter(self._moved))
            if self._moved[oldest] >= then_ms:
                break
            del self._moved[oldest]
        yield from self._moved
