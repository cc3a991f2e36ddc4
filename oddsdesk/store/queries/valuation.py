"""Which markets the valuation has to look at beside those the log names."""

from typing import Final, NamedTuple

from oddsdesk.store.queries.select import Select

_GAMES: Final = """
SELECT id, match_name, sport FROM game INDEXED BY game_order
WHERE recent AND last_scraped_at >= :since
UNION SELECT id, match_name, sport FROM game WHERE id IN (SELECT game FROM value_bet)
"""
_MARKETS: Final = """
SELECT market_type, period, max(valued) FROM (
    SELECT market_type, period, 0 AS valued FROM quote
    WHERE game = :game AND bookmaker = :reference AND odds IS NOT NULL
    UNION ALL SELECT market_type, period, 1 FROM value_bet WHERE game = :game
) GROUP BY market_type, period
"""


class ValuedGame(NamedTuple):
    """A game whose prices may be value; ``row`` is its row in this database."""

    row: int
    match_name: str
    sport: str


class ValuedMarket(NamedTuple):
    """A market of a game; ``has_bets`` says that value bets of it are stored."""

    market_type: str
    period: int
    has_bets: bool


def games_to_value(select: Select, since: int) -> list[ValuedGame]:
    """Return the games with prices scraped since then, and those with value bets stored."""
    return [ValuedGame(*row) for row in select(_GAMES, {"since": since})]


def markets_to_value(select: Select, reference: str, game: int) -> list[ValuedMarket]:
    """Return the markets that the reference prices, and those with value bets stored."""
    return [
        ValuedMarket(market_type, period, bool(has_bets))
        for market_type, period, has_bets in select(
            _MARKETS, {"game": game, "reference": reference}
        )
    ]
