"""Who moves first: a bookmaker's moves beside the reference's, and how old its prices are then."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.research.past.game import PastGame

TOGETHER_MS: Final = 30 * MINUTE_MS
"""Moves the same way within this time of each other belong together."""

_Cell = tuple[str, int, str]
"""Market type, period, selection."""


class Seen(NamedTuple):
    """What a moment tells of a bookmaker; times in milliseconds."""

    market_type: str
    period: int
    bookmaker: str
    lag: int | None = None
    """How long after the reference it moved the same way, below 0 before it."""
    age: int | None = None
    """How long its price had stood when the reference moved."""


class MovesOfGame:
    """The moves of one game, a selection of each line: its other sides move with it."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[_Cell, str], tuple[int, bool]] = {}
        """When the reference moved, and whether up, while a bookmaker has not followed."""
        self._ahead: dict[tuple[_Cell, str], tuple[int, bool]] = {}
        """When a bookmaker moved without the reference, and whether up."""

    def take(self, game: PastGame, now_ms: int) -> Iterator[Seen]:
        """Yield what the moves of a moment tell, those of the reference first."""
        moves = []
        for (market_type, period, bookmaker), selection, before, after in game.moves:
            if before is not None and before.odds != after.odds and after.is_offered:
                cell = market_type, period, selection
                section = game.book.section_of(*cell)
                if section is not None and section.rows[0].selection == selection:
                    moves.append((cell, bookmaker, after.odds > before.odds))
        for cell, bookmaker, is_up in moves:
            if bookmaker is None:
                yield from self._reference_moved(game, cell, is_up, now_ms)
        for cell, bookmaker, is_up in moves:
            if bookmaker is not None:
                yield from self._moved(cell, bookmaker, is_up, now_ms)

    def _reference_moved(
        self, game: PastGame, cell: _Cell, is_up: bool, now_ms: int
    ) -> Iterator[Seen]:
        row = game.book.row(*cell)
        for bookmaker, price in () if row is None else row.prices.items():
            if not price.is_offered:
                continue
            ahead = self._ahead.pop((cell, bookmaker), None)
            age = max(now_ms - price.changed_at, 0)
            if ahead is not None and ahead[1] == is_up and now_ms - ahead[0] <= TOGETHER_MS:
                yield Seen(*cell[:2], bookmaker, lag=ahead[0] - now_ms, age=age)
            else:
                self._waiting[cell, bookmaker] = (now_ms, is_up)
                yield Seen(*cell[:2], bookmaker, age=age)

    def _moved(self, cell: _Cell, bookmaker: str, is_up: bool, now_ms: int) -> Iterator[Seen]:
        waiting = self._waiting.pop((cell, bookmaker), None)
        if waiting is not None and waiting[1] == is_up and now_ms - waiting[0] <= TOGETHER_MS:
            yield Seen(*cell[:2], bookmaker, lag=now_ms - waiting[0])
        else:
            self._ahead[cell, bookmaker] = (now_ms, is_up)
