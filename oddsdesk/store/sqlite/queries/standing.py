"""All present quotes, for the assessment of every price."""

from typing import Final

import msgspec

from oddsdesk.pricing.outcomes import DRAW_TEXTS
from oddsdesk.store.sqlite.queries.quotes import decode_odds
from oddsdesk.store.sqlite.queries.select import Row, Select
from oddsdesk.store.values import StandingQuote

_QUOTES: Final = """
SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date,
    q.bookmaker, q.market_type, q.period, q.odds, q.scraped_at, q.is_live
FROM game g INDEXED BY game_order CROSS JOIN quote q ON q.game = g.id
WHERE g.recent AND g.last_scraped_at >= :since AND q.scraped_at >= :since AND q.odds IS NOT NULL
ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
"""
_DRAWS: Final = """
SELECT DISTINCT g.game_id, c.bookmaker, c.period
FROM game g INDEXED BY game_order
CROSS JOIN price_change c INDEXED BY price_change_selection
    ON c.game = g.id AND c.selection IN (SELECT value FROM json_each(:texts))
WHERE g.recent AND g.last_scraped_at >= :since AND c.scraped_at >= :since
    AND c.market_type = 'moneyline'
"""
DRAW_TEXTS_JSON: Final = msgspec.json.encode(sorted(DRAW_TEXTS)).decode()
"""What a draw is called, as ``json_each`` takes it."""


def standing_quotes(select: Select, since: int) -> list[StandingQuote]:
    """Return the present quotes that were seen since a time."""
    return [_standing(row) for row in select(_QUOTES, {"since": since})]


def priced_draws(select: Select, since: int) -> set[tuple[str, str, int]]:
    """Return whose moneylines had a draw since a time: game id, bookmaker and period.

    Only those whose draw moved, came or went since then: what stands needs no log.
    """
    return set(select(_DRAWS, {"since": since, "texts": DRAW_TEXTS_JSON}))


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
    )
