"""``GET /api/odds``: quotes in the order of D13."""

from typing import Any, Final

import msgspec

from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.conditions import (
    games_index,
    is_priced,
    phases,
    sight_parameters,
    visible,
    wanted_games,
)
from oddsdesk.store.queries.cursors import OddsPlace, from_cursor, to_cursor
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.values import EncodedOddsRow, Filters, Page, Sight

_KICKOFF: Final = -1
_AFTER: Final = """
(g.kickoff, g.match_name, g.competition) >= (:kickoff, :match_name, :place)
AND ((g.kickoff, g.match_name, g.competition) > (:kickoff, :match_name, :place)
     OR (q.bookmaker, q.market_type, q.period)
        > (:after_bookmaker, :after_market_type, :after_period))
"""


def list_odds(
    select: Select,
    reference: str,
    filters: Filters,
    sight: Sight,
    since: int,
    limit: int,
    cursor: str | None,
) -> Page[EncodedOddsRow]:
    """Return the fresh quotes that are asked for and may be seen, in-play rows first."""
    after = None if cursor is None else from_cursor(cursor, OddsPlace)
    bookmaker = filters.bookmaker or sight.bookmaker
    if not is_priced(select, since, bookmaker, filters.market_type):
        return Page([], None)
    found: list[Row] = []
    for live in phases(filters, sight, None if after is None else after.live):
        place = after if after is not None and after.live == live else None
        query, parameters = _query(filters, sight, live, place)
        parameters |= sight_parameters(sight, reference)
        parameters |= {"since": since, "limit": limit + 1 - len(found)}
        found += select(query, parameters)
        if len(found) > limit:
            return Page([_row(row) for row in found[:limit]], to_cursor(_place(found[limit - 1])))
    return Page([_row(row) for row in found], None)


def _query(
    filters: Filters, sight: Sight, live: bool, after: OddsPlace | None
) -> tuple[str, dict[str, Any]]:
    wanted, parameters = wanted_games(filters, live)
    conditions = [
        wanted,
        f"q.is_live = {live:d} AND q.scraped_at >= :since AND q.odds IS NOT NULL",
        visible("q", sight),
    ]
    if filters.bookmaker is not None:
        conditions.append("q.bookmaker = :bookmaker")
        parameters["bookmaker"] = filters.bookmaker
    if filters.market_type is not None:
        conditions.append("q.market_type = :market_type")
        parameters["market_type"] = filters.market_type
    if after is not None:
        conditions.append(_AFTER)
        parameters |= {"kickoff": after.kickoff, "match_name": after.match_name}
        parameters |= {"place": after.competition, "after_bookmaker": after.bookmaker}
        parameters |= {"after_market_type": after.market_type, "after_period": after.period}
    query = f"""
        SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
            q.is_live, CAST(q.odds AS BLOB), g.match_date, q.scraped_at, q.url,
            CASE q.bookmaker WHEN :reference THEN q.liquidity END, g.kickoff
        FROM game g INDEXED BY {games_index(filters, live)}
        CROSS JOIN quote q {_quotes_index(filters, sight)} ON q.game = g.id
        WHERE {" AND ".join(conditions)}
        ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
        LIMIT :limit
    """
    return query, parameters


def _quotes_index(filters: Filters, sight: Sight) -> str:
    """A market type alone has an index of its own; all else is found by the primary key."""
    one_bookmaker = filters.bookmaker is not None or sight.bookmaker is not None
    if filters.market_type is None or one_bookmaker:
        return ""
    return "INDEXED BY quote_market"


def _row(row: Row) -> EncodedOddsRow:
    bookmaker, match_name, competition, sport, market_type, period, is_live = row[:7]
    odds, match_date, scraped_at, url, liquidity = row[7:12]
    return EncodedOddsRow(
        bookmaker,
        match_name,
        competition,
        sport,
        market_type,
        period,
        bool(is_live),
        msgspec.Raw(odds),
        None if match_date is None else format_ms(match_date),
        format_ms(scraped_at),
        url,
        liquidity,
    )


def _place(row: Row) -> OddsPlace:
    bookmaker, match_name, competition, _, market_type, period, is_live = row[:7]
    return OddsPlace(
        bool(is_live), row[_KICKOFF], match_name, competition, bookmaker, market_type, period
    )
