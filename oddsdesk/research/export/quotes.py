"""Quotes put together from the log: each market whole, each time that it changed."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from oddsdesk.research.export.columns import Row
from oddsdesk.store.spans import LoggedMove

_Market = tuple[str, str, int]


class QuoteMaker:
    """Takes all moves of the log in order; what every market says by them is held by game."""

    def __init__(self) -> None:
        self._odds: dict[str, dict[_Market, dict[str, float]]] = {}
        self._group: list[LoggedMove] = []

    def take(self, moves: Iterable[LoggedMove], done: Collection[str] = ()) -> Iterator[Row]:
        """Yield the quotes that moves complete, by ``columns.QUOTES``.

        Of the games that are ``done`` nothing is held any more: no move of theirs is to come.
        """
        for move in moves:
            if self._group and not _belongs(self._group, move):
                yield self._said()
            self._group.append(move)
        if self._group and self._group[-1].game_id in done:
            yield self._said()
        for game in done:
            self._odds.pop(game, None)

    def end(self) -> Iterator[Row]:
        """Yield the quote that the last moves made."""
        if self._group:
            yield self._said()

    def _said(self) -> Row:
        last = self._group[-1]
        markets = self._odds.setdefault(last.game_id, {})
        market = (last.bookmaker, last.market_type, last.period)
        odds = markets.pop(market, {})
        for move in self._group:
            odds.pop(move.selection, None)
            if move.odds is not None:
                odds[move.selection] = move.odds  # those that moved last, in the order they came
        self._group = []
        if odds:
            markets[market] = odds
        return (
            last.bookmaker,
            last.match_name,
            last.competition,
            last.sport,
            last.market_type,
            last.period,
            bool(last.is_live),
            dict(odds),
            last.match_date,
            last.scraped_at,
            last.liquidity,
        )


def _belongs(group: Sequence[LoggedMove], move: LoggedMove) -> bool:
    """Whether a move is of the quote before it: its changes come first, then what it lacks."""
    last = group[-1]
    return (
        _quote_of(last) == _quote_of(move)
        and (last.odds is not None or move.odds is None)
        and all(other.selection != move.selection for other in group)
    )


def _quote_of(move: LoggedMove) -> tuple[object, ...]:
    """Return what all moves of a quote have in common."""
    return (
        move.game_id,
        move.bookmaker,
        move.market_type,
        move.period,
        move.recorded_at,
        move.scraped_at,
        move.is_live,
        move.liquidity,
    )
