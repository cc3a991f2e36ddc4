"""The shapes of Kalshi's markets, read field by field."""

from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from oddsdesk.contract.quoting import shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_json

ACTIVE: Final = "active"
_EXPECTED: Final = "expected Kalshi's markets: an object with markets"


class Page(msgspec.Struct, frozen=True):
    """Markets, not looked into yet; an empty ``cursor`` ends them."""

    markets: list[Any]
    cursor: str | None = None


class Market(msgspec.Struct, frozen=True):
    """A question that pays a dollar for Yes; its prices are what is bid for either answer."""

    ticker: str
    event_ticker: str
    title: str
    yes_sub_title: str
    status: str
    no_bid_dollars: str
    yes_ask_size_fp: str | None = None

    @property
    def yes_ask_size(self) -> Decimal:
        """How many contracts are for sale at ``yes_ask``; 0 where that is not told."""
        try:
            size = Decimal(self.yes_ask_size_fp or 0)
        except InvalidOperation:
            return Decimal(0)
        return size if size.is_finite() and size > 0 else Decimal(0)

    @property
    def yes_ask(self) -> Decimal | None:
        """What a Yes costs: a dollar less the best bid for No; None where nobody bids.

        Raises:
            FeedError: the bid is no amount of dollars; names the field.
        """
        try:
            bid = Decimal(self.no_bid_dollars)
            is_possible = 0 <= bid <= 1  # raises where it is not a number
        except InvalidOperation:
            is_possible = False
        if not is_possible:
            text = shown(self.no_bid_dollars)
            raise FeedError(f"no_bid_dollars: expected dollars from 0 to 1, got {text}")
        return 1 - bid if 0 < bid < 1 else None


def read_page(data: bytes) -> Page:
    """Read an answer of ``/markets``.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    page: Page = read_json(data, _EXPECTED, Page)
    return page


class Bids(msgspec.Struct, frozen=True):
    """What is bid for either answer: dollars and contracts, the worst bid first."""

    yes_dollars: list[tuple[str, str]] | None = None
    no_dollars: list[tuple[str, str]] | None = None


class Book(msgspec.Struct, frozen=True):
    """The order book of a market."""

    ticker: str
    orderbook_fp: Bids


class _Books(msgspec.Struct, frozen=True):
    orderbooks: list[Book]


def read_books(data: bytes) -> list[Book]:
    """Read an answer of ``/markets/orderbooks``.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    books: _Books = read_json(data, "expected Kalshi's order books", _Books)
    return books.orderbooks


def by_price(bids: list[tuple[str, str]] | None) -> dict[Decimal, Decimal]:
    """Return contracts by what is bid for one, in dollars; the best bid first.

    Raises:
        FeedError: a bid is no amount of dollars, or its size no number.
    """
    found: dict[Decimal, Decimal] = {}
    for dollars, contracts in bids or ():
        try:
            price, size = Decimal(dollars), Decimal(contracts)
            is_possible = 0 < price < 1 and size >= 0 and size.is_finite()
        except InvalidOperation:
            is_possible = False
        if not is_possible:
            text = shown(f"{dollars}, {contracts}")
            raise FeedError(f"orderbook: expected dollars from 0 to 1 and contracts, got {text}")
        if size > 0:
            found[price] = size
    return dict(sorted(found.items(), reverse=True))
