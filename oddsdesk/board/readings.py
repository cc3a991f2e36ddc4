"""What an answer or a message says of prices, read once at the edge."""

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from oddsdesk.board.games import GameEntry, optional_ms
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.prices import Sighting
from oddsdesk.contract.resources import GameMatrix, MarketMatrix, MatrixRow, OddsRow, PriceMessage
from oddsdesk.contract.times import parse_ms

Reading = tuple[CellKey, Sighting, float | UnsetType | None]
"""A cell, what is said of it, and the maximum bet where the reference tells one."""


class BadReadingError(ValueError):
    """A price that makes no sense; the message names it and what was expected."""


def read_matrix(matrix: GameMatrix, heard_at: int) -> Iterator[Reading]:
    """Yield every price of a matrix.

    Raises:
        ValueError: a time makes no sense.
    """
    for market in matrix.markets:
        for row in market.selections:
            yield from _read_line(market, row, heard_at)


def read_row(row: OddsRow, heard_at: int, reference: str | None) -> Iterator[Reading]:
    """Yield every price of an odds row.

    Raises:
        ValueError: a time makes no sense.
    """
    is_reference = row.bookmaker == reference
    scraped_at = parse_ms(row.scraped_at)
    for selection, odds in row.odds.items():
        yield (
            CellKey(
                row.market_type, row.period, selection, None if is_reference else row.bookmaker
            ),
            Sighting(odds, scraped_at, heard_at, row.url, row.is_live),
            row.liquidity if is_reference else UNSET,
        )


def read_message(message: PriceMessage, heard_at: int, reference: str | None) -> Reading:
    """Read a stream message.

    Raises:
        ValueError: its time makes no sense.
    """
    is_reference = message.bookmaker == reference
    return (
        CellKey(
            message.market_type,
            message.period,
            message.selection,
            None if is_reference else message.bookmaker,
        ),
        Sighting(message.odds, parse_ms(message.scraped_at), heard_at, None, message.is_live),
        message.liquidity if is_reference else UNSET,
    )


def reference_of(matrix: GameMatrix) -> str | None:
    """Return the reference's name, which stands among ``all_bookmakers`` only (D9)."""
    columns = {name for market in matrix.markets for name in market.bookmakers}
    others = [name for name in matrix.all_bookmakers if name not in columns]
    told = any(
        row.reference is not None and row.reference.odds is not None
        for market in matrix.markets
        for row in market.selections
    )
    return others[0] if told and len(others) == 1 else None


def game_of_matrix(matrix: GameMatrix) -> GameEntry:
    """Return the game that a matrix is of.

    Raises:
        ValueError: its kick-off makes no sense.
    """
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


def _read_line(market: MarketMatrix, row: MatrixRow, heard_at: int) -> Iterator[Reading]:
    at = (market.market_type, market.period, row.selection)
    reference = row.reference
    if reference is not None and reference.odds is not None and reference.scraped_at is not None:
        seen = Sighting(reference.odds, parse_ms(reference.scraped_at), heard_at)
        yield CellKey(*at, None), seen, reference.liquidity
    for bookmaker, cell in row.books.items():
        if cell is not None and cell.odds is not None and cell.scraped_at is not None:
            seen = Sighting(cell.odds, parse_ms(cell.scraped_at), heard_at, cell.url)
            yield CellKey(*at, bookmaker), seen, UNSET
