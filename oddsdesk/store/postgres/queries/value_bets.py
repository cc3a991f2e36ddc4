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
        FROM value_bet v
        JOIN quote q ON {_SAME_MARKET.format("q")} AND q.bookmaker = v.bookmaker
        JOIN quote r ON {_SAME_MARKET.format("r")} AND r.bookmaker = :reference
        JOIN game g ON g.id = v.game
        WHERE {{wanted}}
        ORDER BY v.ev_pct DESC, v.game, v.market_type, v.period, v.bookmaker, v.selection
        LIMIT :limit
    """,
    # The whole line group: what another of its prices makes of the fair price is not known here.
    holds="""
        abs((q.odds::json ->> v.selection)::double precision - v.odds) < 1e-9
        AND NOT EXISTS (SELECT 1 FROM json_each_text(v.line::json) side WHERE (
            abs((r.odds::json ->> side.key)::double precision - side.value::double precision) < 1e-9
        ) IS NOT TRUE)
    """,
)
