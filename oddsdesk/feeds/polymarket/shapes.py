"""The shapes of Polymarket's events, order books and stream, read field by field."""

import math
from typing import Any, TypeVar

import msgspec

from oddsdesk.contract.quoting import shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_json

T = TypeVar("T")
_EVENTS = "expected Polymarket's events: an array of events with markets"
_BOOKS = "expected Polymarket's order books: an array of books with asks"


class Team(msgspec.Struct, frozen=True):
    """A team of a game; ``ordering`` says which side it is on, where the league tells."""

    name: str
    ordering: str | None = None


class Event(msgspec.Struct, frozen=True, rename="camel"):
    """Some markets under one title, not looked into yet.

    ``start_time`` is the kick-off; ``endDate`` is when the markets are settled at the latest.
    """

    slug: str
    markets: list[Any]
    title: str | None = None
    start_time: str | None = None
    teams: list[Team] = []
    live: bool | None = None
    closed: bool | None = None
    ended: bool | None = None


class Market(msgspec.Struct, frozen=True, rename="camel"):
    """A question with two answers and a token to buy for each; both lists are JSON in texts."""

    outcomes: str | list[str]
    clob_token_ids: str | list[str]
    question: str = ""
    group_item_title: str | None = None
    sports_market_type: str | None = None
    line: float | None = None
    game_start_time: str | None = None
    active: bool | None = None
    closed: bool | None = None
    accepting_orders: bool | None = None
    enable_order_book: bool | None = None
    fees_enabled: Any = None
    fee_schedule: Any = None

    @property
    def fee(self) -> float | None:
        """Its rate ``r`` in a taker's fee of ``r p (1-p)`` a share, None where it tells none."""
        if self.fees_enabled is False:
            return 0.0
        said = self.fee_schedule if isinstance(self.fee_schedule, dict) else {}
        rate = said.get("rate")
        if not isinstance(rate, int | float) or not 0 <= rate < 1:
            return None
        return float(rate) if said.get("exponent", 1) == 1 else None

    @property
    def is_closed(self) -> bool:
        """Whether nobody can buy."""
        takes = (self.active, self.accepting_orders, self.enable_order_book)
        return bool(self.closed) or any(each is False for each in takes)


class Book(msgspec.Struct, frozen=True):
    """What is offered for a token: asks and bids, not looked into yet, the worst one first."""

    asset_id: str
    asks: list[Any]
    bids: list[Any] = []


class Change(msgspec.Struct, frozen=True):
    """One level of one side of a book, as it is from now on; a size of 0 removes it."""

    asset_id: str
    price: str
    size: str
    side: str
    best_ask: str | None = None


class PriceChange(msgspec.Struct, frozen=True):
    """Levels that changed, not looked into yet."""

    price_changes: list[Any]


class BestPrices(msgspec.Struct, frozen=True):
    """The best ask of a token; one that cannot be a price where nothing is offered."""

    asset_id: str
    best_ask: str


class Resolved(msgspec.Struct, frozen=True):
    """A market that is settled."""

    assets_ids: list[str]


def read_events(data: bytes) -> list[Any]:
    """Return the events of an answer, not looked into yet.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    return _array(data, _EVENTS)


def read_books(data: bytes) -> list[Any]:
    """Return the books of an answer, not looked into yet.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    return _array(data, _BOOKS)


def texts(name: str, value: str | list[str]) -> list[str]:
    """Return a list that came as JSON in a text.

    Raises:
        FeedError: it is no such list; names the field.
    """
    if isinstance(value, list):
        return value
    try:
        return msgspec.json.decode(value, type=list[str])
    except (msgspec.DecodeError, RecursionError) as error:
        raise FeedError(f"{name}: expected texts as JSON, got {shown(value)}") from error


def level(raw: Any) -> tuple[float, float]:
    """Return the price and size of a level.

    Raises:
        FeedError: they are no numbers; names the field.
    """
    if not isinstance(raw, dict):
        raise FeedError(f"expected a price and a size, got {shown(raw)}")
    return number("price", raw.get("price")), number("size", raw.get("size"))


def number(name: str, value: Any) -> float:
    """Return a number that came as a text.

    Raises:
        FeedError: it is none; names the field.
    """
    try:
        found = float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise FeedError(f"{name}: expected a number, got {shown(value)}")
    return found


def _array(data: bytes, expected: str) -> list[Any]:
    raw = read_json(data, expected)
    if not isinstance(raw, list):
        raise FeedError(f"{expected}, but this is {_kind(raw)}")
    return raw


def _kind(raw: Any) -> str:
    if not isinstance(raw, dict):
        return "none"
    if isinstance(raw.get("error"), str):
        return f"an error: {shown(raw['error'])}"
    return f"one object with {', '.join(list(raw)[:5]) or 'nothing'}"
