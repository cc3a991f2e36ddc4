"""Queries of the valuation: which games and markets to value, and whether bets are comparable."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

import msgspec

from oddsdesk.pricing.market import Prices
from oddsdesk.pricing.outcomes import DRAW_TEXTS
from oddsdesk.store.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.queries.quotes import decode_odds
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import MarketKey, ValuedGame, ValuedMarket

_BETS: Final = "SELECT DISTINCT market_type, period FROM value_bet WHERE game = :game"
_OF_GAME: Final = "game = :game"
_WITH_REFERENCE: Final = "HAVING count(CASE bookmaker WHEN :reference THEN 1 END) > 0"
_OF_MARKET: Final = "game = :game AND market_type = :market_type AND period = :period"
_decode_prices: Final = msgspec.json.Decoder(list[Prices]).decode
_Said = tuple[int, str, int, str, dict[str, float], int, bool]
_decode_said: Final = msgspec.json.Decoder(list[_Said]).decode
_encode: Final = msgspec.json.Encoder().encode


def games_to_value(select: Select, since: int) -> list[ValuedGame]:
    """Return the games with prices scraped since then, and those with value bets stored."""
    return [ValuedGame(*row) for row in select(select.sql.valuation.games, {"since": since})]


def markets_to_value(
    select: Select, reference: str, game: int, share: Collection[str] | None
) -> list[ValuedMarket]:
    """Return the markets that the reference prices, and those with value bets stored."""
    query = select.sql.valuation.prices.format(
        wanted=_OF_GAME, told=may_be_told(select, "quote", share), having=_WITH_REFERENCE
    )
    asked = {"game": game, "reference": reference, **share_parameter(select, share)}
    bets: set[tuple[str, int]] = set(select(_BETS, {"game": game}))
    markets = [
        ValuedMarket(market_type, period, _decode_prices(prices), (market_type, period) in bets)
        for market_type, period, prices in select(query, asked)
    ]
    bets -= {(each.market_type, each.period) for each in markets}
    return markets + [ValuedMarket(*market, prices=[], has_bets=True) for market in sorted(bets)]


def market_prices(
    select: Select, game: int, market_type: str, period: int, share: Collection[str] | None
) -> list[Prices]:
    """Return what every bookmaker says of a market, of whatever age."""
    query = select.sql.valuation.prices.format(
        wanted=_OF_MARKET, told=may_be_told(select, "quote", share), having=""
    )
    asked = {"game": game, "market_type": market_type, "period": period}
    rows = select(query, asked | share_parameter(select, share))
    return _decode_prices(rows[0][2]) if rows else []


def prices_of(
    select: Select, asked: Mapping[MarketKey, Collection[str]], share: Collection[str] | None
) -> dict[MarketKey, list[Prices]]:
    """Return what some bookmakers say of each market, of whatever age."""
    found: dict[MarketKey, list[Prices]] = {market: [] for market in asked}
    query = select.sql.valuation.said.format(told=may_be_told(select, "q", share))
    wanted = _encode([(*market, tuple(names)) for market, names in asked.items()]).decode()
    ((text,),) = select(query, {"asked": wanted, **share_parameter(select, share)})
    for game, market_type, period, name, odds, at, is_live in _decode_said(text or "[]"):
        found[MarketKey(game, market_type, period)].append(Prices(name, odds, at, is_live))
    return found


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
