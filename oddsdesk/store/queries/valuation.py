"""Queries of the valuation: which games and markets to value, and whether bets are comparable."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final

import msgspec

from oddsdesk.pricing.assessment import Prices
from oddsdesk.pricing.selections import DRAW_TEXTS
from oddsdesk.store.queries.game import decode_odds, decode_offers
from oddsdesk.store.queries.lists import Window, may_be_shared, share_parameter
from oddsdesk.store.queries.select import WITH_LEVELS, Row, Select
from oddsdesk.store.values import MarketKey, StandingQuote, ValuedGame, ValuedMarket

_GAMES: Final = """
SELECT id, match_name, sport FROM game INDEXED BY game_order
WHERE recent AND last_scraped_at >= :since
UNION SELECT id, match_name, sport FROM game WHERE id IN (SELECT game FROM value_bet)
ORDER BY id
"""
# In one text: a row for each bookmaker would take three times as long. The index has them in this
# order, bookmakers within a market, too.
PRICES: Final = """
SELECT market_type, period, '[' || group_concat(
    '[' || json_quote(bookmaker) || ',' || odds || ',' || scraped_at || ','
    || iif(is_live, 'true', 'false') || ']'
) || ']'
FROM quote INDEXED BY quote_market
WHERE {wanted} AND odds IS NOT NULL AND {shared}
GROUP BY market_type, period {having}
"""
NAMED_PRICES: Final = """
SELECT '[' || group_concat(
    '[' || q.game || ',' || json_quote(q.market_type) || ',' || q.period || ','
    || json_quote(q.bookmaker) || ',' || q.odds || ',' || q.scraped_at || ','
    || iif(q.is_live, 'true', 'false') || ']'
) || ']'
FROM json_each(:asked) market CROSS JOIN json_each(market.value, '$[3]') name
CROSS JOIN quote q NOT INDEXED ON q.game = json_extract(market.value, '$[0]')
    AND q.bookmaker = name.value
    AND q.market_type = json_extract(market.value, '$[1]')
    AND q.period = json_extract(market.value, '$[2]')
WHERE q.odds IS NOT NULL AND {shared}
"""
"""``:asked`` is a JSON array of game, market type, period and names."""
_DREW: Final = """
SELECT DISTINCT bookmaker FROM price_change INDEXED BY price_change_selection
WHERE game = :game AND selection IN (SELECT value FROM json_each(:texts))
    AND market_type = 'moneyline' AND period = :period AND scraped_at >= :since
"""
_MONEYLINES: Final = """
SELECT other.match_name, q.bookmaker, q.odds
FROM game g
CROSS JOIN game other INDEXED BY game_competition ON other.competition = g.competition
CROSS JOIN quote q ON q.game = other.id
    AND q.bookmaker IN (SELECT value FROM json_each(:names))
    AND q.market_type = 'moneyline' AND q.period = 0
WHERE g.id = :game AND other.recent AND q.scraped_at >= :since AND q.odds IS NOT NULL
"""
STANDING: Final = f"""
SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date,
    q.bookmaker, q.market_type, q.period, q.odds, q.scraped_at, q.is_live, {WITH_LEVELS}
FROM game g INDEXED BY game_order CROSS JOIN quote q ON q.game = g.id
WHERE g.recent AND g.last_scraped_at >= :since AND q.scraped_at BETWEEN :since AND :until
    AND q.odds IS NOT NULL
ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
"""
DRAWS: Final = """
SELECT DISTINCT g.game_id, c.bookmaker, c.period
FROM game g INDEXED BY game_order
CROSS JOIN price_change c INDEXED BY price_change_selection
    ON c.game = g.id AND c.selection IN (SELECT value FROM json_each(:texts))
WHERE g.recent AND g.last_scraped_at >= :since AND c.scraped_at >= :since
    AND c.market_type = 'moneyline'
"""
_BETS: Final = "SELECT DISTINCT market_type, period FROM value_bet WHERE game = :game"
_OF_GAME: Final = "game = :game"
_WITH_REFERENCE: Final = "HAVING count(CASE bookmaker WHEN :reference THEN 1 END) > 0"
_OF_MARKET: Final = "game = :game AND market_type = :market_type AND period = :period"
_decode_prices: Final = msgspec.json.Decoder(list[Prices]).decode
_Said = tuple[int, str, int, str, dict[str, float], int, bool]
_decode_named: Final = msgspec.json.Decoder(list[_Said]).decode
_encode: Final = msgspec.json.Encoder().encode


def games_to_value(select: Select, since: int) -> list[ValuedGame]:
    """Return the games with prices scraped since then, and those with stored value bets."""
    return [ValuedGame(*row) for row in select(_GAMES, {"since": since})]


def markets_to_value(
    select: Select, reference: str, game: int, share: Collection[str] | None
) -> list[ValuedMarket]:
    """Return the markets with a price of the sharp book, and those with stored value bets."""
    shared = may_be_shared("quote", share)
    asked = {"game": game, "reference": reference, **share_parameter(select, share)}
    bets: set[tuple[str, int]] = set(select(_BETS, {"game": game}))
    rows = select(PRICES, asked, wanted=_OF_GAME, shared=shared, having=_WITH_REFERENCE)
    markets = [
        ValuedMarket(market_type, period, _decode_prices(prices), (market_type, period) in bets)
        for market_type, period, prices in rows
    ]
    bets -= {(each.market_type, each.period) for each in markets}
    return markets + [ValuedMarket(*market, prices=[], has_bets=True) for market in sorted(bets)]


def market_prices(
    select: Select, game: int, market_type: str, period: int, share: Collection[str] | None
) -> list[Prices]:
    """Return every bookmaker's prices of a market, of any age."""
    asked = {"game": game, "market_type": market_type, "period": period}
    asked |= share_parameter(select, share)
    rows = select(PRICES, asked, wanted=_OF_MARKET, shared=may_be_shared("quote", share), having="")
    return _decode_prices(rows[0][2]) if rows else []


def prices_of(
    select: Select, asked: Mapping[MarketKey, Collection[str]], share: Collection[str] | None
) -> dict[MarketKey, list[Prices]]:
    """Return some bookmakers' prices of each market, of any age."""
    found: dict[MarketKey, list[Prices]] = {market: [] for market in asked}
    wanted = _encode([(*market, tuple(names)) for market, names in asked.items()]).decode()
    parameters = {"asked": wanted, **share_parameter(select, share)}
    ((text,),) = select(NAMED_PRICES, parameters, shared=may_be_shared("q", share))
    for game, market_type, period, name, odds, at, is_live in _decode_named(text or "[]"):
        found[MarketKey(game, market_type, period)].append(Prices(name, odds, at, is_live))
    return found


def bookmakers_that_drew(select: Select, game: int, period: int, since: int) -> set[str]:
    """Return the bookmakers whose draw in a moneyline of a game changed since then."""
    asked = {
        "game": game,
        "period": period,
        "since": since,
        "texts": select.list_parameter(DRAW_TEXTS),
    }
    return {name for (name,) in select(_DREW, asked)}


def moneylines_like(
    select: Select, game: int, bookmakers: Iterable[str], since: int
) -> list[tuple[str, str, dict[str, float]]]:
    """Return bookmakers' moneylines of the games in a game's competition, including it.

    Each with the names of game and bookmaker; those seen since then.
    """
    asked = {"game": game, "names": select.list_parameter(bookmakers), "since": since}
    rows = select(_MONEYLINES, asked)
    return [(match_name, bookmaker, decode_odds(odds)) for match_name, bookmaker, odds in rows]


def standing_quotes(select: Select, window: Window) -> list[StandingQuote]:
    """Return the current quotes that were seen within a window."""
    return [_standing(row) for row in select(STANDING, window._asdict())]


def priced_draws(select: Select, since: int) -> set[tuple[str, str, int]]:
    """Return the moneylines with a draw since a time: game id, bookmaker and period.

    Only those whose draw changed since then: current prices need no log.
    """
    asked = {"since": since, "texts": select.list_parameter(DRAW_TEXTS)}
    return set(select(DRAWS, asked))


def _standing(row: Row) -> StandingQuote:
    return StandingQuote(
        game_id=row[0],
        match_name=row[1],
        competition=row[2],
        sport=row[3],
        match_date=row[4],
        bookmaker=row[5],
        market_type=row[6],
        period=row[7],
        odds=decode_odds(row[8]),
        scraped_at=row[9],
        is_live=bool(row[10]),
        offers=decode_offers(row[11]),
    )
