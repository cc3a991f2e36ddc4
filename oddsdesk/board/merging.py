"""Putting the prices of a whole answer into a game, in steps."""

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import UNSET

from oddsdesk.board.changes import Changes
from oddsdesk.board.freshness import ScrapeInterval
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.prices import Sighting
from oddsdesk.board.readings import LoggedMove, Reading
from oddsdesk.board.reference import DeskReference

_BATCH: Final = 1000

QuoteKey = tuple[str, int, str | None]
"""Market type, period, bookmaker: what one odds row is about."""


def put_all(
    book: GameBook,
    readings: Iterable[Reading],
    changes: Changes,
    scrape_interval: ScrapeInterval,
    reference: str | None,
) -> None:
    """Put the readings of one answer in, and learn from them how often each bookmaker is read."""
    gaps: dict[str, tuple[int, int]] = {}
    for key, seen, liquidity in readings:
        gap = book.put(key, seen, changes, liquidity)
        if gap > 0:
            gaps.setdefault(key.bookmaker or reference or "", (gap, seen.scraped_at))
    for bookmaker, (gap, scraped_at) in gaps.items():
        scrape_interval.rescraped(bookmaker, gap, scraped_at)


def put_move(
    book: GameBook, move: LoggedMove, now_ms: int, whose: DeskReference, changes: Changes
) -> None:
    """Put a move of the log in, heard now."""
    key = move.key._replace(bookmaker=whose.key_of(move.key.bookmaker))
    has_limits = move.key.bookmaker == whose.service
    if move.odds is None:
        book.withdraw(key, now_ms, changes)
        return
    seen = Sighting(move.odds, move.scraped_at, now_ms, None, move.is_live)
    book.put(key, seen, changes, move.liquidity if has_limits else UNSET)


def batched(readings: Iterable[Reading]) -> Iterator[list[Reading]]:
    """Yield readings by the thousand: a millisecond or two of work each."""
    rest = iter(readings)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def quote_of(key: CellKey) -> QuoteKey:
    """Return the quote that a price is part of."""
    return key.market_type, key.period, key.bookmaker


def among(quotes: Container[QuoteKey]) -> Callable[[CellKey], bool]:
    """Return a test of whether a price is part of one of the quotes."""
    return lambda key: quote_of(key) in quotes
