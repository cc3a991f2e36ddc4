"""When the price of a value bet was last seen, whether or not its game is held."""

from typing import NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.board.value_entry import ValueEntry


class LastSeen(NamedTuple):
    """When a price was last seen, in milliseconds, and how fresh that is."""

    at: int
    is_known: bool
    """Otherwise ``at`` is when the service listed the bet: the price was seen before that."""
    freshness: Freshness


def last_seen(board: Board, key: RowKey, now_ms: int) -> LastSeen:
    """Return when the price of a value bet was last seen, as far as that is known."""
    price = board.price(key.game_id, CellKey(*key[1:]))
    if price is not None:
        return LastSeen(price.scraped_at, True, board.freshness(key.bookmaker, price))
    at = board.listed.read_at or 0
    return LastSeen(at, False, board.scrape_interval.freshness(key.bookmaker or "", at, now_ms))


def is_value_now(board: Board, entry: ValueEntry, now_ms: int) -> bool:
    """Tell whether a bet is value now: it passes the rules, and its price is not stale."""
    return entry.is_value and last_seen(board, entry.key, now_ms).freshness < Freshness.STALE
