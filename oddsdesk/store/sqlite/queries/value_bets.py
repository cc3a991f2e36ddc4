"""What the valuation found."""

from typing import Final

from oddsdesk.store.queries.sql import ValueBetsSql

_SAME_MARKET: Final = (
    "{0}.game = v.game AND {0}.market_type = v.market_type AND {0}.period = v.period"
)

SQL: Final = ValueBetsSql(
    bets=f"""
        SELECT g.match_name, v.selection, v.bookmaker, v.market_type, v.period, v.odds,
            v.reference_odds, v.fair_odds, v.ev_pct, v.payout_rate, r.liquidity,
            g.competition, g.sport, v.detected_at, g.match_date,
            v.ev_pct, v.game, v.market_type, v.period, v.bookmaker, v.selection
        FROM value_bet v INDEXED BY value_bet_edge
        CROSS JOIN quote q ON {_SAME_MARKET.format("q")} AND q.bookmaker = v.bookmaker
        CROSS JOIN quote r ON {_SAME_MARKET.format("r")} AND r.bookmaker = :reference
        CROSS JOIN game g ON g.id = v.game
        WHERE {{wanted}}
        ORDER BY v.ev_pct DESC, v.game, v.market_type, v.period, v.bookmaker, v.selection
        LIMIT :limit
    """,
    # The whole line group: what another of its prices makes of the fair price is not known here.
    holds="""
        EXISTS (SELECT 1 FROM json_each(q.odds) p
                WHERE p.key = v.selection AND abs(p.value - v.odds) < 1e-9)
        AND NOT EXISTS (SELECT 1 FROM json_each(v.line) side WHERE NOT EXISTS (
            SELECT 1 FROM json_each(r.odds) p
            WHERE p.key = side.key AND abs(p.value - side.value) < 1e-9
        ))
    """,
)
