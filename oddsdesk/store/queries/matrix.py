"""``GET /api/games/{game_id}``: selections by bookmakers, the reference apart."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import UNSET

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.periods import period_label
from oddsdesk.contract.resources import (
    BookOddsCell,
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    ReferenceCell,
)
from oddsdesk.contract.times import format_ms
from oddsdesk.store.order import ordered_selections
from oddsdesk.store.queries.conditions import Window
from oddsdesk.store.queries.quotes import GameQuote, GameRow, fresh_quotes, game_by_id
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import Visibility


def game_matrix(
    select: Select,
    reference: str,
    game_id: str,
    visibility: Visibility,
    window: Window,
    *,
    bookmaker: str | None,
    market_type: str | None,
    period: int | None,
) -> GameMatrix | None:
    """Return the matrix of a game; None where the caller can see nothing of it (D39)."""
    game = game_by_id(select, game_id)
    if game is None:
        return None
    quotes = fresh_quotes(select, reference, game.row, visibility, window)
    return matrix_of(
        game, quotes, reference, bookmaker=bookmaker, market_type=market_type, period=period
    )


def matrix_of(
    game: GameRow,
    quotes: Sequence[GameQuote],
    reference: str,
    *,
    bookmaker: str | None,
    market_type: str | None,
    period: int | None,
) -> GameMatrix | None:
    """Return the matrix of what is to be seen of a game; None for nothing."""
    if not quotes:
        return None
    markets: defaultdict[tuple[str, int], list[GameQuote]] = defaultdict(list)
    for quote in quotes:
        asked = market_type in (None, quote.market_type) and period in (None, quote.period)
        if asked and (bookmaker in (None, quote.bookmaker) or quote.bookmaker == reference):
            markets[quote.market_type, quote.period].append(quote)
    return GameMatrix(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=any(quote.is_live for quote in quotes),
        all_bookmakers=sorted({quote.bookmaker for quote in quotes}),
        markets=[_market(game, reference, markets[key]) for key in sorted(markets)],
        source_sport=source_sport(game.competition, game.sport),
    )


def _market(game: GameRow, reference: str, quotes: list[GameQuote]) -> MarketMatrix:
    market_type, period = quotes[0].market_type, quotes[0].period
    books = [quote for quote in quotes if quote.bookmaker != reference]
    sharp = next((quote for quote in quotes if quote.bookmaker == reference), None)
    names = dict.fromkeys(selection for quote in quotes for selection in quote.odds)
    return MarketMatrix(
        market_type=market_type,
        period=period,
        period_label=period_label(sport_of(game.competition), period),
        bookmakers=[quote.bookmaker for quote in books],
        reference_scraped_at=None if sharp is None else format_ms(sharp.scraped_at),
        selections=[
            MatrixRow(
                selection=selection,
                reference=_reference(sharp, selection),
                books={quote.bookmaker: _book(quote, selection) for quote in books},
            )
            for selection in ordered_selections(market_type, game.match_name, tuple(names))
        ],
    )


def _reference(quote: GameQuote | None, selection: str) -> ReferenceCell | None:
    price = None if quote is None else quote.odds.get(selection)
    if quote is None or price is None:
        return None
    offer = quote.offers.get(selection, UNSET)
    return ReferenceCell(price, quote.liquidity, format_ms(quote.scraped_at), offer)


def _book(quote: GameQuote, selection: str) -> BookOddsCell | None:
    price = quote.odds.get(selection)
    if price is None:
        return None
    offer = quote.offers.get(selection, UNSET)
    return BookOddsCell(price, format_ms(quote.scraped_at), quote.url, offer)
