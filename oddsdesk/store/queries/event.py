"""``GET /api/events/{id}``: one event with every market."""

from collections.abc import Mapping

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.identity import slug
from oddsdesk.contract.resources import (
    EventDetail,
    EventSummary,
    MarketGroup,
    ReferenceGroup,
    SelectionOdds,
)
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.conditions import Window
from oddsdesk.store.queries.quotes import GameQuote, GameRow, fresh_quotes, games_by_name
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import Visibility


def event_detail(
    select: Select,
    reference: str,
    match_name: str,
    visibility: Visibility,
    window: Window,
    *,
    bookmaker: str | None,
    market_type: str | None,
    period: int | None,
) -> EventDetail | None:
    """Return the event of a name; None where the caller can see nothing of it (D39)."""
    found = _most_covered(select, reference, match_name, visibility, window)
    if found is None:
        return None
    game, quotes = found
    asked = [
        quote
        for quote in quotes
        if market_type in (None, quote.market_type) and period in (None, quote.period)
    ]
    sharp = [quote for quote in asked if quote.bookmaker == reference]
    books = [
        quote
        for quote in asked
        if quote.bookmaker != reference and bookmaker in (None, quote.bookmaker)
    ]
    return EventDetail(
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        slug=slug(game.match_name),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        markets=[_market(quote) for quote in books],
        reference=[_reference(quote) for quote in sharp],
        summary=EventSummary(
            bookmakers=sorted({quote.bookmaker for quote in quotes}),
            market_types=sorted({quote.market_type for quote in (*books, *sharp)}),
            total_markets=len(books),
        ),
        source_sport=source_sport(game.competition, game.sport),
    )


def _most_covered(
    select: Select, reference: str, match_name: str, visibility: Visibility, window: Window
) -> tuple[GameRow, list[GameQuote]] | None:
    """Of several competitions, the one with the most bookmakers answers (D5)."""
    best: tuple[GameRow, list[GameQuote]] | None = None
    most = 0
    for game in games_by_name(select, match_name):
        quotes = fresh_quotes(select, reference, game.row, visibility, window)
        count = len({quote.bookmaker for quote in quotes})
        if count > most:
            best, most = (game, quotes), count
    return best


def _market(quote: GameQuote) -> MarketGroup:
    return MarketGroup(
        bookmaker=quote.bookmaker,
        market_type=quote.market_type,
        period=quote.period,
        selections=_selections(quote.odds),
        scraped_at=format_ms(quote.scraped_at),
        url=quote.url,
    )


def _reference(quote: GameQuote) -> ReferenceGroup:
    return ReferenceGroup(
        market_type=quote.market_type,
        period=quote.period,
        selections=_selections(quote.odds),
        scraped_at=format_ms(quote.scraped_at),
    )


def _selections(odds: Mapping[str, float]) -> list[SelectionOdds]:
    return [SelectionOdds(selection, price) for selection, price in odds.items()]
