"""All present quotes, for the assessment of every price."""

from oddsdesk.pricing.outcomes import DRAW_TEXTS
from oddsdesk.store.queries.conditions import Window
from oddsdesk.store.queries.quotes import decode_odds, decode_offers
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.values import StandingQuote


def standing_quotes(select: Select, window: Window) -> list[StandingQuote]:
    """Return the present quotes that were seen within a window."""
    return [_standing(row) for row in select(select.sql.standing.quotes, window._asdict())]


def priced_draws(select: Select, since: int) -> set[tuple[str, str, int]]:
    """Return whose moneylines had a draw since a time: game id, bookmaker and period.

    Only those whose draw moved, came or went since then: what stands needs no log.
    """
    asked = {"since": since, "texts": select.listed(DRAW_TEXTS)}
    return set(select(select.sql.standing.draws, asked))


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
