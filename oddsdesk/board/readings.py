"""Reading prices from answers and stream messages, checked once."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from oddsdesk.board.games import GameEntry, optional_ms
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.prices import Sighting
from oddsdesk.board.reference import DeskReference
from oddsdesk.contract.resources import GameMatrix, MarketMatrix, MatrixRow, OddsRow, PriceMessage
from oddsdesk.contract.times import MINUTE_MS, parse_ms

Reading = tuple[CellKey, Sighting, float | UnsetType | None]
"""A cell, its sighting, and the maximum bet where the row is of whom the service judges by."""


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


_AHEAD_MS: Final = 5 * MINUTE_MS
"""A price that was scraped later than this from now is taken for one of now: it would never age,
and no later price would take its place (D85)."""
_ms = lru_cache(maxsize=8192)(parse_ms)
"""Cached, since prices of a bookmaker share their times: 20,000 have a few hundred."""


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
        yield from _checked(_read_line(market, row, heard_at, is_live, whose), bad)


def read_row(row: OddsRow, heard_at: int, whose: DeskReference, bad: list[str]) -> list[Reading]:
    """Return every price of an odds row; those that make no sense are named in ``bad``."""
    has_limits = row.bookmaker == whose.service
    bookmaker = whose.key_of(row.bookmaker)
    said = (
        (
            CellKey(row.market_type, row.period, selection, bookmaker),
            (odds, row.scraped_at, row.url, row.is_live, heard_at),
            row.liquidity if has_limits else UNSET,
        )
        for selection, odds in row.odds.items()
    )
    return list(_checked(said, bad))


def read_message(
    message: PriceMessage, heard_at: int, whose: DeskReference, bad: list[str]
) -> Reading | None:
    """Return the price of a stream message, None where it makes no sense."""
    key = CellKey(
        message.market_type, message.period, message.selection, whose.key_of(message.bookmaker)
    )
    said = (message.odds, message.scraped_at, None, message.is_live, heard_at)
    seen = _sighting(key, said, bad)
    if seen is None:
        return None
    return key, seen, message.liquidity if message.bookmaker == whose.service else UNSET


def reference_of(matrix: GameMatrix) -> str | None:
    """Return the reference's name, which stands among ``all_bookmakers`` only (D9)."""
    columns = {name for market in matrix.markets for name in market.bookmakers}
    others = [name for name in matrix.all_bookmakers if name not in columns]
    is_priced = any(
        row.reference is not None and row.reference.odds is not None
        for market in matrix.markets
        for row in market.selections
    )
    return others[0] if is_priced and len(others) == 1 else None


def game_of_matrix(matrix: GameMatrix) -> GameEntry:
    """Return the game that a matrix is of."""
    return GameEntry(
        game_id=matrix.game_id,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=optional_ms(matrix.match_date),
        is_live=matrix.is_live,
        bookmaker_count=len(matrix.all_bookmakers),
        last_scraped_at=None,
    )


_Said = tuple[float, str, str | None, bool | None, int]
"""Odds, scraped_at, url, is_live, heard_at."""
_Raw = tuple[CellKey, _Said, float | UnsetType | None]


def _read_line(
    market: MarketMatrix,
    row: MatrixRow,
    heard_at: int,
    is_live: bool | None,
    whose: DeskReference,
) -> Iterator[_Raw]:
    at = (market.market_type, market.period, row.selection)
    reference = row.reference
    if reference is not None and reference.odds is not None and reference.scraped_at is not None:
        said: _Said = (reference.odds, reference.scraped_at, None, is_live, heard_at)
        if whose.is_services_own or whose.service is not None:
            name = None if whose.is_services_own else whose.service
            yield CellKey(*at, name), said, reference.liquidity
    for bookmaker, cell in row.books.items():
        if cell is not None and cell.odds is not None and cell.scraped_at is not None:
            said = (cell.odds, cell.scraped_at, cell.url, is_live, heard_at)
            yield CellKey(*at, whose.key_of(bookmaker)), said, UNSET


def _checked(raws: Iterator[_Raw], bad: list[str]) -> Iterator[Reading]:
    for key, said, liquidity in raws:
        seen = _sighting(key, said, bad)
        if seen is not None:
            yield key, seen, liquidity


def _sighting(key: CellKey, said: _Said, bad: list[str]) -> Sighting | None:
    odds, scraped_at, url, is_live, heard_at = said
    if odds <= 1:
        bad.append(f"{_name(key)}: expected odds above 1, got {odds:g}")
        return None
    try:
        at_ms = _ms(scraped_at)
    except ValueError as error:
        bad.append(f"{_name(key)}: scraped_at: {error}")
        return None
    if at_ms - heard_at > _AHEAD_MS:
        at_ms = heard_at
    return Sighting(odds, at_ms, heard_at, url, is_live)


def _name(key: CellKey) -> str:
    return f"{key.bookmaker or 'reference'}, {key.market_type} {key.period}, {key.selection!r}"
