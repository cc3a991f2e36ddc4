"""Writing down what the valuation found of markets, with the time of detection (D29)."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec
from psycopg import Connection

from oddsdesk.store.postgres.settings import put_setting, setting
from oddsdesk.store.settings import VALUED_BY
from oddsdesk.store.values import FoundValueBet, MarketKey

_GONE: Final = """
DELETE FROM value_bet bet USING unnest(%s::bigint[], %s::text[], %s::bigint[])
    asked (game, market_type, period)
WHERE (bet.game, bet.market_type, bet.period) = (asked.game, asked.market_type, asked.period)
    AND NOT EXISTS (
        SELECT 1 FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[], %s::text[])
            found (game, market_type, period, bookmaker, selection)
        WHERE (found.game, found.market_type, found.period, found.bookmaker, found.selection)
            = (bet.game, bet.market_type, bet.period, bet.bookmaker, bet.selection)
    )
"""
_KEEP: Final = """
INSERT INTO value_bet (game, market_type, period, bookmaker, selection, odds, line,
                       reference_odds, fair_odds, ev_pct, payout_rate, detected_at)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[], %s::text[],
    %s::double precision[], %s::text[], %s::double precision[], %s::double precision[],
    %s::double precision[], %s::double precision[], %s::bigint[])
ON CONFLICT (game, market_type, period, bookmaker, selection) DO UPDATE SET
    odds = excluded.odds, line = excluded.line, reference_odds = excluded.reference_odds,
    fair_odds = excluded.fair_odds, ev_pct = excluded.ev_pct,
    payout_rate = excluded.payout_rate,
    detected_at = CASE
        WHEN value_bet.odds = excluded.odds AND value_bet.fair_odds = excluded.fair_odds
        THEN least(value_bet.detected_at, excluded.detected_at) ELSE excluded.detected_at
    END
"""

_encode: Final = msgspec.json.Encoder().encode


def value_by(connection: Connection[Any], how: str) -> None:
    """Say by what bets are found from now on; inside the caller's transaction."""
    before = setting(connection, VALUED_BY)
    if before == how:
        return
    if before is not None:
        connection.execute("DELETE FROM value_bet")
    put_setting(connection, VALUED_BY, how)


def replace_value_bets(
    connection: Connection[Any],
    found: Mapping[MarketKey, Collection[FoundValueBet]],
    now_ms: int,
) -> None:
    """Make these the value bets of their markets; inside the caller's transaction.

    A bet stored before with the same price and fair price keeps its time of detection, unless
    that lies in the future. Whether price and reference still stand, are fresh, and agree on in
    play is judged on each read.
    """
    if not found:
        return
    rows = [
        (*market, *each) for market, bets in sorted(found.items()) for each in _rows(bets, now_ms)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(12)]
    markets = [list(column) for column in zip(*found, strict=True)]
    connection.execute(_GONE, (*markets, *columns[:5]))
    if rows:
        connection.execute(_KEEP, columns)


def _rows(bets: Collection[FoundValueBet], now_ms: int) -> list[tuple[Any, ...]]:
    """Return bets as rows without their market; of two of one selection the last."""
    latest = {(bet.bookmaker, bet.selection): bet for bet in bets}
    return [
        (
            bet.bookmaker,
            bet.selection,
            bet.odds,
            _encode(bet.line).decode(),
            bet.reference_odds,
            bet.fair_odds,
            bet.ev_pct,
            bet.payout_rate,
            now_ms,
        )
        for bet in latest.values()
    ]
