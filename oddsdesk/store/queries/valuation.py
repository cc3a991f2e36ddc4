"""Queries of the valuation: which games and markets to value, and whether bets are comparable."""

from collections.abc import Iterable

from oddsdesk.pricing.outcomes import DRAW_TEXTS
from oddsdesk.store.queries.quotes import decode_odds
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import ValuedGame, ValuedMarket


def games_to_value(select: Select, since: int) -> list[ValuedGame]:
    """Return the games with prices scraped since then, and those with value bets stored."""
    return [ValuedGame(*row) for row in select(select.sql.valuation.games, {"since": since})]


def markets_to_value(select: Select, reference: str, game: int) -> list[ValuedMarket]:
    """Return the markets that the reference prices, and those with value bets stored."""
    return [
        ValuedMarket(market_type, period, bool(has_bets))
        for market_type, period, has_bets in select(
            select.sql.valuation.markets, {"game": game, "reference": reference}
        )
    ]


def bookmakers_that_drew(select: Select, game: int, period: int, since: int) -> set[str]:
    """Return whose draw in a moneyline of a game moved, came or went since then."""
    asked = {"game": game, "period": period, "since": since, "texts": select.listed(DRAW_TEXTS)}
    return {name for (name,) in select(select.sql.valuation.drew, asked)}


def moneylines_like(
    select: Select, game: int, bookmakers: Iterable[str], since: int
) -> list[tuple[str, str, dict[str, float]]]:
    """Return bookmakers' moneylines of the games in a game's competition, it among them.

    Each with the name of its game and of the bookmaker; those that were seen since then.
    """
    asked = {"game": game, "names": select.listed(bookmakers), "since": since}
    rows = select(select.sql.valuation.moneylines, asked)
    return [(match_name, bookmaker, decode_odds(odds)) for match_name, bookmaker, odds in rows]
