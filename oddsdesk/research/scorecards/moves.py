"""Who moves first: a bookmaker's moves beside the reference's, and how old its prices are then.

Of a move of the reference a bookmaker's nearest move the same way tells, before or after it, while
the reference did not move the other way between: a late one counts as late, however late it is.
"""

from collections.abc import Iterator
from typing import NamedTuple

from oddsdesk.research.past.game import PastGame

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


class _Waiting(NamedTuple):
    """A move of the reference that a bookmaker has not followed."""

    at: int
    lead: int | None
    """How long before it the bookmaker moved the same way; None: not."""


class _Run:
    """The reference's moves one way, until it moves the other way, beside a bookmaker's moves."""

    def __init__(self) -> None:
        self.is_up: bool | None = None
        self.waiting: list[_Waiting] = []
        self.ahead: dict[bool, int] = {}
        """When the bookmaker moved last, down and up, since the reference moved the other way.

        Not by a move that followed the reference: the next one is not led by it.
        """

    def reference_moved(self, at: int, *, is_up: bool) -> list[int]:
        """Take in a move; return the lags of moves that can't be followed any more."""
        settled: list[int] = []
        if self.is_up is not is_up:
            settled = self.end()
            self.is_up = is_up
        self.ahead.pop(not is_up, None)
        moved_at = self.ahead.get(is_up)
        self.waiting.append(_Waiting(at, None if moved_at is None else at - moved_at))
        return settled

    def moved(self, at: int, *, is_up: bool) -> list[int]:
        """Take in a move of the bookmaker; return the lags that are known by it."""
        waiting: list[_Waiting] = []
        if self.is_up is is_up:
            waiting, self.waiting = self.waiting, []
        lags = [
            at - each.at if each.lead is None or at - each.at < each.lead else -each.lead
            for each in waiting
        ]
        if all(lag < 0 for lag in lags):
            self.ahead[is_up] = at
        return lags

    def end(self) -> list[int]:
        """Return the lags of moves that nothing follows any more: where the bookmaker led."""
        waiting, self.waiting = self.waiting, []
        return [-each.lead for each in waiting if each.lead is not None]


class MovesOfGame:
    """The moves of one game, a selection of each line: its other sides move with it."""

    def __init__(self) -> None:
        self._runs: dict[tuple[_Cell, str], _Run] = {}

    def take(self, game: PastGame, now_ms: int) -> Iterator[Seen]:
        """Yield what the moves of a moment tell, those of the reference first."""
        moves = []
        for (market_type, period, bookmaker), selection, before, after in game.moves:
            if before is None or not (before.is_offered and after.is_offered):
                continue
            if before.odds != after.odds:
                cell = market_type, period, selection
                section = game.book.section_of(*cell)
                if section is not None and section.rows[0].selection == selection:
                    moves.append((cell, bookmaker, after.odds > before.odds))
        for cell, bookmaker, is_up in moves:
            if bookmaker is None:
                yield from self._reference_moved(game, cell, is_up, now_ms)
        for cell, bookmaker, is_up in moves:
            if bookmaker is not None:
                lags = self._run(cell, bookmaker).moved(now_ms, is_up=is_up)
                yield from _seen(cell, bookmaker, lags)

    def end(self) -> Iterator[Seen]:
        """Yield what is known by that nothing moves any more that counts."""
        for (cell, bookmaker), run in self._runs.items():
            yield from _seen(cell, bookmaker, run.end())

    def _reference_moved(
        self, game: PastGame, cell: _Cell, is_up: bool, now_ms: int
    ) -> Iterator[Seen]:
        row = game.book.row(*cell)
        for bookmaker, price in () if row is None else row.prices.items():
            if not price.is_offered:
                continue
            yield Seen(*cell[:2], bookmaker, age=max(now_ms - price.changed_at, 0))
            lags = self._run(cell, bookmaker).reference_moved(now_ms, is_up=is_up)
            yield from _seen(cell, bookmaker, lags)

    def _run(self, cell: _Cell, bookmaker: str) -> _Run:
        return self._runs.setdefault((cell, bookmaker), _Run())


def _seen(cell: _Cell, bookmaker: str, lags: list[int]) -> Iterator[Seen]:
    for lag in lags:
        yield Seen(*cell[:2], bookmaker, lag=lag)
