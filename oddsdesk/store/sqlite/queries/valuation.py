"""Queries of the valuation: which games and markets to value, and whether bets are comparable."""

from collections.abc import Iterable
from typing import Final

import msgspec

from oddsdesk.store.sqlite.queries.quotes import decode_odds
from oddsdesk.store.sqlite.queries.select import Select
from oddsdesk.store.sqlite.queries.standing import DRAW_TEXTS_JSON
from oddsdesk.store.values import ValuedGame, ValuedMarket

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
_DREW: Final = """
SELECT DISTINCT bookmaker FROM price_change INDEXED BY price_change_selection
WHERE game = :game AND selection IN (SELECT value FROM json_each(:texts))
    AND market_type = 'moneyline' AND period = :period AND scraped_at >= :since
"""
_MONEYLINES: Final = """
SELECT other.match_name, q.bookmaker, q.odds
FROM game g CROSS JOIN game other INDEXED BY game_competition ON other.competition = g.competition
CROSS JOIN quote q ON q.game = other.id AND q.bookmaker IN (SELECT value FROM json_each(:names))
    AND q.market_type = 'moneyline' AND q.period = 0
WHERE g.id = :game AND other.recent AND q.scraped_at >= :since AND q.odds IS NOT NULL
"""


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


def bookmakers_that_drew(select: Select, game: int, period: int, since: int) -> set[str]:
    """Return whose draw in a moneyline of a game moved, came or went since then."""
    parameters = {"game": game, "period": period, "since": since, "texts": DRAW_TEXTS_JSON}
    return {name for (name,) in select(_DREW, parameters)}


def moneylines_like(
    select: Select, game: int, bookmakers: Iterable[str], since: int
) -> list[tuple[str, str, dict[str, float]]]:
    """Return bookmakers' moneylines of the games in a game's competition, it among them.

    Each with the name of its game and of the bookmaker; those that were seen since then.
    """
    names = msgspec.json.encode(sorted(bookmakers)).decode()
    rows = select(_MONEYLINES, {"game": game, "names": names, "since": since})
    return [(match_name, bookmaker, decode_odds(odds)) for match_name, bookmaker, odds in rows]
