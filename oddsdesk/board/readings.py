"""Reading prices from answers and stream messages, checked once."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from oddsdesk.board.games import GameEntry, optional_ms
from oddsdesk.board.matrix import CellKey, QuoteKey
from oddsdesk.board.prices import Sighting, depth_of
from oddsdesk.board.reference import DeskReference
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.quotes import is_disabled
from oddsdesk.contract.resources import (
    GameMatrix,
    MarketMatrix,
    MatrixRow,
    OddsRow,
    Offer,
    PriceMessage,
)
from oddsdesk.contract.times import MINUTE_MS, parse_ms
from oddsdesk.pricing.depth import Depth

Reading = tuple[QuoteKey, list[tuple[str, Sighting]], float | UnsetType | None]
"""A quote, sightings of its selections, and the maximum bet where it is of whom the service judges
by."""


class LoggedMove(NamedTuple):
    """What a log says of a price that moved; ``odds`` None: withdrawn, times in milliseconds."""

    game: GameEntry
    key: CellKey
    """With the bookmaker's name, the reference's too."""
    odds: float | None
    scraped_at: int
    is_live: bool
    liquidity: float | None = None
    """The reference's only."""


class Unread(list[str]):
    """What of an answer makes no sense, in words.

    ``cells`` are the prices of it: nobody said that they are gone, so they stay.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[CellKey] = []


AHEAD_MS: Final = MINUTE_MS // 2
"""A price that was scraped later than this from now is taken for one of now: it would never age,
and no later price would take its place (D85)."""
_scraped_ms: Final = lru_cache(maxsize=8192)(parse_ms)
"""Cached, since prices of a bookmaker share their times: 20,000 have a few hundred."""


def seen_ms(scraped_at: str, heard_at: int) -> int:
    """Return when a price that was heard of at a moment was seen.

    Raises:
        ValueError: it was said in no way that can be read.
    """
    at_ms = _scraped_ms(scraped_at)
    return heard_at if at_ms - heard_at > AHEAD_MS else at_ms


@lru_cache(maxsize=8192)
def _shared(odds: float) -> float:
    """Return the same object for the same odds: of 100,000 prices few are different."""
    return odds


def read_market(
    market: MarketMatrix, heard_at: int, whose: DeskReference, bad: list[str], *, in_play: bool
) -> Iterator[Reading]:
    """Yield every price of a market; those that make no sense are named in ``bad``.

    Prices of the service's reference are left out where another is chosen and its name is not
    known yet.

    ``in_play``: whether the game is; then the matrix does not say which of its prices are.
    """
    is_live = None if in_play else False
    for row in market.selections:
        for bookmaker, said, liquidity in _read_line(row, is_live, whose):
            quote = market.market_type, market.period, bookmaker
            yield quote, _read(quote, [said], heard_at, bad), liquidity


def read_row(row: OddsRow, heard_at: int, whose: DeskReference, bad: list[str]) -> Reading:
    """Return the prices of an odds row; those that make no sense are named in ``bad``."""
    at, url, is_live = row.scraped_at, row.url, row.is_live
    offers = row.offers or _NO_OFFERS
    said = [
        (selection, odds, at, url, is_live, offers.get(selection))
        for selection, odds in row.odds.items()
    ]
    quote = row.market_type, row.period, whose.key_of(row.bookmaker)
    has_limits = row.bookmaker == whose.service
    return quote, _read(quote, said, heard_at, bad), row.liquidity if has_limits else UNSET


_QUOTE: Final = attrgetter("market_type", "period", "bookmaker", "liquidity")


def quotes_of(messages: Iterable[PriceMessage]) -> Iterator[list[PriceMessage]]:
    """Yield a game's stream messages in order, those of a quote that follow each other together."""
    for _, together in groupby(messages, _QUOTE):
        yield list(together)


def read_messages(
    messages: Sequence[PriceMessage], heard_at: int, whose: DeskReference, bad: list[str]
) -> Reading:
    """Return the prices of stream messages of a quote; as ``read_row`` does."""
    first = messages[0]
    said = [(m.selection, m.odds, m.scraped_at, None, m.is_live, m.offer or None) for m in messages]
    quote = first.market_type, first.period, whose.key_of(first.bookmaker)
    has_limits = first.bookmaker == whose.service
    return quote, _read(quote, said, heard_at, bad), first.liquidity if has_limits else UNSET


def game_of_matrix(matrix: GameMatrix) -> GameEntry:
    """Return the game that a matrix is of."""
    return GameEntry(
        game_id=matrix.game_id,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=sport_in(matrix),
        kick_off=optional_ms(matrix.match_date),
        is_live=matrix.is_live,
        bookmaker_count=len(matrix.all_bookmakers),
        last_scraped_at=None,
    )


_Said = tuple[str, float, str, str | None, bool | None, Offer | None]
"""Selection, odds, scraped_at, url, is_live, what is for sale."""
_NO_OFFERS: Final[dict[str, Offer]] = {}


def _read_line(
    row: MatrixRow, is_live: bool | None, whose: DeskReference
) -> Iterator[tuple[str | None, _Said, float | UnsetType | None]]:
    """Yield whose each price of a selection is, what is said of it, and the maximum bet."""
    reference, selection = row.reference, row.selection
    if reference is not None and reference.odds is not None:
        offer = reference.offer or None
        at = reference.scraped_at or ""
        said: _Said = (selection, reference.odds, at, None, is_live, offer)
        if whose.is_services_own or whose.service is not None:
            yield None if whose.is_services_own else whose.service, said, reference.liquidity
    for bookmaker, cell in row.books.items():
        if cell is not None and cell.odds is not None:
            offer = cell.offer or None
            said = (selection, cell.odds, cell.scraped_at or "", cell.url, is_live, offer)
            yield whose.key_of(bookmaker), said, UNSET


def _read(
    quote: QuoteKey, said: Iterable[_Said], heard_at: int, bad: list[str]
) -> list[tuple[str, Sighting]]:
    """Return what makes sense of what is said of a quote; the rest is named in ``bad``."""
    found = []
    for selection, odds, scraped_at, url, is_live, offer in said:
        if odds <= 1:
            if not is_disabled(odds):
                bad.append(f"{_name(quote, selection)}: expected odds above 1, got {odds:g}")
                _keep(quote, selection, bad)
            continue
        try:
            at_ms = seen_ms(scraped_at, heard_at)
        except ValueError as error:
            bad.append(f"{_name(quote, selection)}: scraped_at: {error}")
            _keep(quote, selection, bad)
            continue
        depth = None if offer is None else _depth(offer, odds, _name(quote, selection), bad)
        found.append((selection, Sighting(_shared(odds), at_ms, heard_at, url, is_live, depth)))
    return found


def _keep(quote: QuoteKey, selection: str, bad: list[str]) -> None:
    if isinstance(bad, Unread):
        bad.cells.append(CellKey(quote[0], quote[1], selection, quote[2]))


def _depth(offer: Offer, odds: float, name: str, bad: list[str]) -> Depth | None:
    try:
        return depth_of(offer, odds)
    except ValueError as error:
        bad.append(f"{name}: offers: {error}")
        return None


def _name(quote: QuoteKey, selection: str) -> str:
    market_type, period, bookmaker = quote
    return f"{bookmaker or 'reference'}, {market_type} {period}, {selection!r}"
