"""``GET /api/odds``: quotes in the order of D13."""

from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.times import format_ms
from oddsdesk.store.cursors import OddsPlace, from_cursor, to_cursor
from oddsdesk.store.queries.conditions import (
    Window,
    games_index,
    is_priced,
    phases,
    visibility_parameters,
    visible,
    wanted_games,
)
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import EncodedOddsRow, Filters, Page, Visibility

_AFTER: Final = """
(g.kickoff, g.match_name, g.competition) >= (:kickoff, :match_name, :place)
AND ((g.kickoff, g.match_name, g.competition) > (:kickoff, :match_name, :place)
     OR (q.bookmaker, q.market_type, q.period)
        > (:after_bookmaker, :after_market_type, :after_period))
"""


class FoundOdds(NamedTuple):
    """A quote as the query gives it; ``liquidity``, where it is a text, with all its digits."""

    bookmaker: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    is_live: int
    odds: str
    match_date: int | None
    scraped_at: int
    url: str | None
    liquidity: str | float | None
    kickoff: int
    offers: str | None


_decode: Final = msgspec.json.Decoder(list[FoundOdds]).decode


def list_odds(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    window: Window,
    limit: int,
    cursor: str | None,
) -> Page[EncodedOddsRow]:
    """Return the fresh quotes that are asked for and may be seen, in-play rows first."""
    after = None if cursor is None else from_cursor(cursor, OddsPlace)
    bookmaker = filters.bookmaker or visibility.bookmaker
    if not is_priced(select, window.since, bookmaker, filters.market_type):
        return Page([], None)
    found: list[FoundOdds] = []
    for live in phases(filters, visibility, None if after is None else after.live):
        place = after if after is not None and after.live == live else None
        query, parameters = _query(select, filters, visibility, live, place)
        parameters |= visibility_parameters(select, visibility, reference)
        parameters |= {**window._asdict(), "limit": limit + 1 - len(found)}
        rows = select(query, parameters)
        is_json = select.sql.odds.is_json
        found += _decode(rows[0][0]) if is_json else map(FoundOdds._make, rows)
        if len(found) > limit:
            return Page([_row(row) for row in found[:limit]], to_cursor(_place(found[limit - 1])))
    return Page([_row(row) for row in found], None)


def _query(
    select: Select, filters: Filters, visibility: Visibility, live: bool, after: OddsPlace | None
) -> tuple[str, dict[str, Any]]:
    wanted, parameters = wanted_games(filters, live)
    conditions = [
        wanted,
        f"q.is_live = {str(live).upper()} AND q.odds IS NOT NULL",
        "q.scraped_at BETWEEN :since AND :until",
        visible(select, "q", visibility),
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
    query = select.sql.odds.rows.format(
        games_index=games_index(filters, live),
        quotes_index=_quotes_index(select, filters, visibility),
        wanted=" AND ".join(conditions),
    )
    return query, parameters


def _quotes_index(select: Select, filters: Filters, visibility: Visibility) -> str:
    """A market type alone has an index of its own; all else is found by the primary key."""
    one_bookmaker = filters.bookmaker is not None or visibility.bookmaker is not None
    if filters.market_type is None or one_bookmaker:
        return ""
    return select.sql.odds.market_index


def _row(found: FoundOdds) -> EncodedOddsRow:
    return EncodedOddsRow(
        found.bookmaker,
        found.match_name,
        found.competition,
        sport_of(found.competition),
        found.market_type,
        found.period,
        bool(found.is_live),
        msgspec.Raw(found.odds.encode()),
        None if found.match_date is None else format_ms(found.match_date),
        format_ms(found.scraped_at),
        found.url,
        None if found.liquidity is None else float(found.liquidity),
        source_sport(found.competition, found.sport),
        msgspec.UNSET if found.offers is None else msgspec.Raw(found.offers.encode()),
    )


def _place(found: FoundOdds) -> OddsPlace:
    return OddsPlace(
        bool(found.is_live),
        found.kickoff,
        found.match_name,
        found.competition,
        found.bookmaker,
        found.market_type,
        found.period,
    )
