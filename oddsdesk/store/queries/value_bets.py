"""``GET /api/value-bets``: what the valuation found, as far as it holds when asked (D29)."""

from typing import Any, Final

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.cursors import BetPlace, from_cursor, to_cursor
from oddsdesk.store.queries.conditions import (
    canonical_sport,
    may_be_told,
    of_sport,
    standing,
    visibility_parameters,
    visible,
)
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.values import Filters, Page, Visibility

ODDS_AGE_MS: Final = 15 * MINUTE_MS
DETECTION_AGE_MS: Final = 30 * MINUTE_MS

_PLACE: Final = slice(-6, None)
_HOLDS: Final = """
v.detected_at BETWEEN :detected_since AND :until AND v.bookmaker <> :reference
AND q.scraped_at BETWEEN :since AND :until
AND r.scraped_at BETWEEN :since AND :until AND q.is_live = r.is_live
"""
_AFTER: Final = """
v.ev_pct <= :after_ev AND (v.ev_pct < :after_ev
     OR (v.game, v.market_type, v.period, v.bookmaker, v.selection)
        > (:after_game, :after_market_type, :after_period, :after_bookmaker, :after_selection))
"""


def list_value_bets(
    select: Select,
    reference: str,
    filters: Filters,
    visibility: Visibility,
    now_ms: int,
    *,
    min_ev: float,
    max_ev: float,
    limit: int,
    cursor: str | None,
) -> Page[ValueBet]:
    """Return the value bets that hold now, the best first; figures rounded as in D3."""
    conditions = [
        _HOLDS,
        select.sql.value_bets.holds,
        visible(select, "q", visibility),
        may_be_told(select, "r", visibility.share),
        "v.ev_pct BETWEEN :min_ev AND :max_ev",
    ]
    parameters: dict[str, Any] = {
        **standing(now_ms, ODDS_AGE_MS)._asdict(),
        "detected_since": now_ms - DETECTION_AGE_MS,
        "min_ev": min_ev,
        "max_ev": max_ev,
        "limit": limit + 1,
        **visibility_parameters(select, visibility, reference),
    }
    _narrow(filters, conditions, parameters)
    if cursor is not None:
        _continue(from_cursor(cursor, BetPlace), conditions, parameters)
    rows = select(select.sql.value_bets.bets.format(wanted=" AND ".join(conditions)), parameters)
    items = [_bet(row) for row in rows[:limit]]
    if len(rows) <= limit:
        return Page(items, None)
    return Page(items, to_cursor(BetPlace(*rows[limit - 1][_PLACE])))


def _narrow(filters: Filters, conditions: list[str], parameters: dict[str, Any]) -> None:
    if filters.sport is not None:
        conditions.append(of_sport(filters.sport))
        parameters["sport"] = canonical_sport(filters.sport)
    if filters.competition is not None:
        conditions.append("g.competition = :competition")
        parameters["competition"] = filters.competition
    if filters.bookmaker is not None:
        conditions.append("v.bookmaker = :bookmaker")
        parameters["bookmaker"] = filters.bookmaker
    if filters.market_type is not None:
        conditions.append("v.market_type = :market_type")
        parameters["market_type"] = filters.market_type


def _continue(after: BetPlace, conditions: list[str], parameters: dict[str, Any]) -> None:
    conditions.append(_AFTER)
    parameters |= {
        "after_ev": after.ev_pct,
        "after_game": after.game,
        "after_market_type": after.market_type,
        "after_period": after.period,
        "after_bookmaker": after.bookmaker,
        "after_selection": after.selection,
    }


def _bet(row: Row) -> ValueBet:
    match_name, selection, bookmaker, market_type, period, odds, reference_odds = row[:7]
    fair_odds, ev_pct, payout_rate, liquidity, competition, sport, detected_at = row[7:14]
    return ValueBet(
        match_name=match_name,
        selection=selection,
        bookmaker=bookmaker,
        market_type=market_type,
        period=period,
        odds=odds,
        reference_odds=reference_odds,
        fair_odds=round(fair_odds, 4),
        ev_pct=round(ev_pct, 2),
        payout_rate=round(payout_rate, 4),
        liquidity=liquidity,
        competition=competition,
        sport=sport_of(competition),
        detected_at=format_ms(detected_at),
        match_date=None if row[14] is None else format_ms(row[14]),
        source_sport=source_sport(competition, sport),
    )
