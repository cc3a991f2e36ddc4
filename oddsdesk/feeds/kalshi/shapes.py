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
