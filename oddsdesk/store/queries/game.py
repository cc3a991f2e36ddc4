"""One game and its quotes, for event detail, matrix and valuation."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.contract import resources
from oddsdesk.contract.competitions import period_label, source_sport, sport_of
from oddsdesk.contract.identity import slug
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.lists import Window, visibility_parameters, visible
from oddsdesk.store.queries.select import WITH_OFFERS, Select
from oddsdesk.store.values import MarketFilter, Visibility, ordered_selections

_MOST_STEPS: Final = 20
"""Steps from a game to the one it was joined to, and on if that was joined, too."""
_GAME: Final = "SELECT id, game_id, match_name, competition, sport, match_date FROM game"
_BY_ID: Final = f"{_GAME} WHERE game_id = :game_id"
_BY_NAME: Final = f"{_GAME} WHERE match_name = :match_name ORDER BY competition"
_BY_OTHER_NAME: Final = f"""
{_GAME} WHERE id IN (SELECT game FROM other_name WHERE match_name = :match_name)
ORDER BY competition
"""
_BY_KEPT_ID: Final = f"""
{_GAME} WHERE game_id IN (
    WITH RECURSIVE kept (game_id, steps) AS (
        SELECT kept, 1 FROM game_pair WHERE state = 'accepted' AND other = :game_id
        UNION ALL SELECT pair.kept, steps + 1 FROM kept CROSS JOIN game_pair pair
            ON pair.state = 'accepted' AND pair.other = kept.game_id WHERE steps < {_MOST_STEPS}
    )
    SELECT game_id FROM kept
)
"""
_MERGED: Final = """
SELECT other, kept FROM game_pair WHERE state = 'accepted' AND before IS NOT NULL ORDER BY other
"""
decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode
_decode_offers: Final = msgspec.json.Decoder(dict[str, resources.Offer]).decode


class GameRow(NamedTuple):
    """A game as stored."""

    row: int
    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None


class GameQuote(NamedTuple):
    """A fresh quote of a game; ``liquidity`` is the sharp book's only."""

    bookmaker: str
    market_type: str
    period: int
    is_live: bool
    scraped_at: int
    odds: dict[str, float]
    url: str | None
    liquidity: float | None
    offers: Mapping[str, resources.Offer] = MappingProxyType({})
    """By selection, if the levels of a book or links to bet slips are known."""


def decode_offers(stored: str | None) -> dict[str, resources.Offer] | None:
    """Return a quote's offers, None if unknown."""
    return None if stored is None else _decode_offers(stored)


def game_by_id(select: Select, game_id: str) -> GameRow | None:
    """Return the game with an id, or the one it was joined to."""
    asked = {"game_id": game_id}
    rows = select(_BY_ID, asked) or select(_BY_KEPT_ID, asked)
    return GameRow(*rows[0]) if rows else None


def ids_merged_with(select: Select) -> dict[str, list[str]]:
    """Return the ids of games joined into another, by that one's id."""
    kept: dict[str, str] = dict(select(_MERGED))
    found: defaultdict[str, list[str]] = defaultdict(list)
    for other, game_id in kept.items():
        for _ in range(_MOST_STEPS):
            game_id = kept.get(game_id, game_id)
        found[game_id].append(other)
    return dict(found)


def games_by_name(select: Select, match_name: str) -> list[GameRow]:
    """Return the games with a name, one a competition; else those with it as another name."""
    asked = {"match_name": match_name}
    return [GameRow(*row) for row in select(_BY_NAME, asked) or select(_BY_OTHER_NAME, asked)]


def fresh_quotes(
    select: Select, reference: str, game: int, visibility: Visibility, window: Window
) -> list[GameQuote]:
    """Return the visible quotes of a game, by bookmaker, market type and period."""
    query = f"""
        SELECT bookmaker, market_type, period, is_live, scraped_at, odds, url,
            CASE bookmaker WHEN :reference THEN liquidity END, {WITH_OFFERS}
        FROM quote q
        WHERE game = :game AND scraped_at BETWEEN :since AND :until AND odds IS NOT NULL
            AND {visible("q", visibility)}
        ORDER BY bookmaker, market_type, period
    """
    parameters = {
        "game": game,
        **window._asdict(),
        **visibility_parameters(select, visibility, reference),
    }
    return [
        GameQuote(
            bookmaker,
            market_type,
            period,
            bool(is_live),
            scraped_at,
            decode_odds(odds),
            url,
            liquidity,
            decode_offers(offers) or {},
        )
        for (
            *(bookmaker, market_type, period, is_live, scraped_at, odds, url, liquidity),
            offers,
        ) in select(query, parameters)
    ]


def event_detail(
    select: Select,
    reference: str,
    match_name: str,
    visibility: Visibility,
    window: Window,
    wanted: MarketFilter,
) -> resources.EventDetail | None:
    """Return the event with a name; None if nothing of it is visible."""
    found = _most_covered(select, reference, match_name, visibility, window)
    if found is None:
        return None
    game, quotes = found
    asked = _asked(quotes, wanted, reference)
    sharp = [quote for quote in asked if quote.bookmaker == reference]
    books = [quote for quote in asked if quote.bookmaker != reference]
    return resources.EventDetail(
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        slug=slug(game.match_name),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        markets=[_market_group(quote) for quote in books],
        reference=[_reference_group(quote) for quote in sharp],
        summary=resources.EventSummary(
            bookmakers=sorted({quote.bookmaker for quote in quotes}),
            market_types=sorted({quote.market_type for quote in (*books, *sharp)}),
            total_markets=len(books),
        ),
        source_sport=source_sport(game.competition, game.sport),
    )


def _most_covered(
    select: Select, reference: str, match_name: str, visibility: Visibility, window: Window
) -> tuple[GameRow, list[GameQuote]] | None:
    """Of several competitions, return the one with the most bookmakers."""
    best: tuple[GameRow, list[GameQuote]] | None = None
    most = 0
    for game in games_by_name(select, match_name):
        quotes = fresh_quotes(select, reference, game.row, visibility, window)
        count = len({quote.bookmaker for quote in quotes})
        if count > most:
            best, most = (game, quotes), count
    return best


def _market_group(quote: GameQuote) -> resources.MarketGroup:
    return resources.MarketGroup(
        bookmaker=quote.bookmaker,
        market_type=quote.market_type,
        period=quote.period,
        selections=_selection_odds(quote.odds),
        scraped_at=format_ms(quote.scraped_at),
        url=quote.url,
    )


def _reference_group(quote: GameQuote) -> resources.ReferenceGroup:
    return resources.ReferenceGroup(
        market_type=quote.market_type,
        period=quote.period,
        selections=_selection_odds(quote.odds),
        scraped_at=format_ms(quote.scraped_at),
    )


def _selection_odds(odds: Mapping[str, float]) -> list[resources.SelectionOdds]:
    return [resources.SelectionOdds(selection, price) for selection, price in odds.items()]


def game_matrix(
    select: Select,
    reference: str,
    game_id: str,
    visibility: Visibility,
    window: Window,
    wanted: MarketFilter,
) -> resources.GameMatrix | None:
    """Return the matrix of a game; None if nothing of it is visible."""
    game = game_by_id(select, game_id)
    if game is None:
        return None
    quotes = fresh_quotes(select, reference, game.row, visibility, window)
    return matrix_of(game, quotes, reference, wanted)


def matrix_of(
    game: GameRow, quotes: Sequence[GameQuote], reference: str, wanted: MarketFilter
) -> resources.GameMatrix | None:
    """Return the matrix of the visible quotes of a game; None without any."""
    if not quotes:
        return None
    markets: defaultdict[tuple[str, int], list[GameQuote]] = defaultdict(list)
    for quote in _asked(quotes, wanted, reference):
        markets[quote.market_type, quote.period].append(quote)
    return resources.GameMatrix(
        game_id=game.game_id,
        match_name=game.match_name,
        competition=game.competition,
        sport=sport_of(game.competition),
        match_date=None if game.match_date is None else format_ms(game.match_date),
        is_live=any(quote.is_live for quote in quotes),
        all_bookmakers=sorted({quote.bookmaker for quote in quotes}),
        markets=[_market_matrix(game, reference, markets[key]) for key in sorted(markets)],
        source_sport=source_sport(game.competition, game.sport),
    )


def _asked(quotes: Iterable[GameQuote], wanted: MarketFilter, reference: str) -> list[GameQuote]:
    """Return the quotes of the requested markets; the sharp book's with any bookmaker's."""
    return [
        quote
        for quote in quotes
        if wanted.market_type in (None, quote.market_type)
        and wanted.period in (None, quote.period)
        and (wanted.bookmaker in (None, quote.bookmaker) or quote.bookmaker == reference)
    ]


def _market_matrix(
    game: GameRow, reference: str, quotes: list[GameQuote]
) -> resources.MarketMatrix:
    market_type, period = quotes[0].market_type, quotes[0].period
    books = [quote for quote in quotes if quote.bookmaker != reference]
    sharp = next((quote for quote in quotes if quote.bookmaker == reference), None)
    names = dict.fromkeys(selection for quote in quotes for selection in quote.odds)
    return resources.MarketMatrix(
        market_type=market_type,
        period=period,
        period_label=period_label(sport_of(game.competition), period),
        bookmakers=[quote.bookmaker for quote in books],
        reference_scraped_at=None if sharp is None else format_ms(sharp.scraped_at),
        selections=[
            resources.MatrixRow(
                selection=selection,
                reference=_reference_cell(sharp, selection),
                books={quote.bookmaker: _book_cell(quote, selection) for quote in books},
            )
            for selection in ordered_selections(market_type, game.match_name, tuple(names))
        ],
    )


def _reference_cell(quote: GameQuote | None, selection: str) -> resources.ReferenceCell | None:
    price = None if quote is None else quote.odds.get(selection)
    if quote is None or price is None:
        return None
    offer = _with_levels(quote.offers.get(selection))
    return resources.ReferenceCell(price, quote.liquidity, format_ms(quote.scraped_at), offer)


def _book_cell(quote: GameQuote, selection: str) -> resources.BookOddsCell | None:
    price = quote.odds.get(selection)
    if price is None:
        return None
    offer = quote.offers.get(selection)
    link = quote.url if offer is None else offer.link or quote.url
    return resources.BookOddsCell(price, format_ms(quote.scraped_at), link, _with_levels(offer))


def _with_levels(offer: resources.Offer | None) -> resources.Offer | UnsetType:
    return UNSET if offer is None or not (offer.back or offer.lay) else offer
