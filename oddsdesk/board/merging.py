"""Putting the prices of a whole answer into a game, in steps."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import UNSET

from oddsdesk.board.changes import Changes
from oddsdesk.board.freshness import ScrapeInterval
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.prices import Sighting
from oddsdesk.board.readings import LoggedMove, Reading, seen_ms
from oddsdesk.board.reference import DeskReference
from oddsdesk.contract.resources import OddsRow

_BATCH: Final = 1000


def put_all(
    book: GameBook,
    readings: Iterable[Reading],
    changes: Changes,
    scrape_interval: ScrapeInterval,
    reference: str | None,
) -> None:
    """Put the readings of one answer in, and learn from them how often each bookmaker is read."""
    gaps: dict[str, tuple[int, int]] = {}
    for quote, said, liquidity in readings:
        found = book.put_quote(quote, said, changes, liquidity)
        if found is not None:
            gaps.setdefault(quote[2] or reference or "", found)
    for bookmaker, (gap, scraped_at) in gaps.items():
        scrape_interval.rescraped(bookmaker, gap, scraped_at)


def hear_again(
    book: GameBook, row: OddsRow, heard_at: int, whose: DeskReference, changes: Changes
) -> tuple[int, int] | None:
    """Note that a row says what is held of its quote, in all of it; as ``Market.hear_again``."""
    try:
        at_ms = seen_ms(row.scraped_at, heard_at)
    except ValueError:
        return None
    return book.hear_again(row, at_ms, heard_at, whose, changes)


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
