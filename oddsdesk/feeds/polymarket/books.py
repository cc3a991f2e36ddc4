"""Polymarket's order books: the price of the cheapest share of each token."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.texts import shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import read_as, read_json

PONG: Final = b"PONG"
"""What the stream answers to a ping; it is no JSON."""
_SELL: Final = "SELL"
_RESOLVED: Final = "resolved"
_NO_PRICES: Final = frozenset({"last_trade_price", "tick_size_change", "new_market"})
"""Messages that offer nothing."""


class Taken(msgspec.Struct):
    """The result of an answer or a message.

    ``touched`` are the tokens whose best price may have changed; ``passed_over`` counts messages of
    unknown kinds, ``problems`` are lines for people.
    """

    touched: set[str] = msgspec.field(default_factory=set)
    passed_over: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)


class Books:
    """The asks and bids of every known token, as shares by price."""

    def __init__(self) -> None:
        self._asks: dict[str, dict[float, float]] = {}
        self._bids: dict[str, dict[float, float]] = {}

    def best_ask(self, token: str) -> float | None:
        """Return the least that a share costs, above 0 and below 1; None: there is none."""
        prices = [price for price in self._asks.get(token, ()) if 0 < price < 1]
        return min(prices, default=None)

    def levels(self, token: str) -> tuple[Mapping[float, float], Mapping[float, float]]:
        """Return how many shares are asked and bid for, by price; 0 where nobody said how many."""
        return self._asks.get(token, {}), self._bids.get(token, {})

    def knows(self, token: str) -> bool:
        """Whether a token's asks are known, even if there are none."""
        return token in self._asks

    def take_books(self, data: bytes) -> Taken:
        """Take in an answer with whole books.

        Raises:
            FeedError: it holds no books at all.
        """
        taken = Taken()
        for position, raw in enumerate(read_books(data), start=1):
            self._tried(taken, f"book {position}", self._take_book, raw)
        return taken

    def take_message(self, frame: bytes) -> Taken:
        """Take in what the stream says: one message, or a list of them."""
        taken = Taken()
        if frame == PONG:
            return taken
        try:
            raw = read_json(frame, N_("expected a message of Polymarket's stream"))
        except FeedError as error:
            taken.problems.append(str(error))
            return taken
        for message in raw if isinstance(raw, list) else [raw]:
            self._take_one(message, taken)
        return taken

    def _take_one(self, message: Any, taken: Taken) -> None:
        kind = message.get("event_type") if isinstance(message, dict) else None
        match kind:
            case "book":
                self._tried(taken, kind, self._take_book, message)
            case "price_change":
                self._tried(taken, kind, self._take_changes, message)
            case "best_bid_ask":
                self._tried(taken, kind, self._take_best, message)
            case "market_resolved":
                self._tried(taken, kind, self._take_end, message)
            case _ if kind not in _NO_PRICES:
                taken.passed_over[kind if isinstance(kind, str) else N_("no event_type")] += 1

    @staticmethod
    def _tried(taken: Taken, place: str, take: Any, raw: Any) -> None:
        try:
            take(raw, taken)
        except FeedError as error:
            taken.problems.append(f"{place}: {error}")

    def _take_book(self, raw: Any, taken: Taken) -> None:
        book = read_as(Book, raw)
        self._asks[book.asset_id] = _side("asks", book.asks, taken)
        self._bids[book.asset_id] = _side("bids", book.bids, taken)
        taken.touched.add(book.asset_id)

    def _take_changes(self, raw: Any, taken: Taken) -> None:
        for each in read_as(PriceChange, raw).price_changes:
            self._tried(taken, "price_changes", self._take_change, each)

    def _take_change(self, raw: Any, taken: Taken) -> None:
        change = read_as(Change, raw)
        price, size = number("price", change.price), number("size", change.size)
        if change.side not in ("BUY", _SELL):
            raise FeedError(f"side: expected BUY or SELL, got {shown(change.side)}")
        asks = self._asks.get(change.asset_id)
        sides = self._asks if change.side == _SELL else self._bids
        if (levels := sides.get(change.asset_id)) is not None:
            if size > 0:
                levels[price] = size
            else:
                levels.pop(price, None)
        if change.best_ask:
            self._agree(change.asset_id, number("best_ask", change.best_ask))
        elif asks is None:
            return  # the book is still to come, and this level need not be its best
        taken.touched.add(change.asset_id)

    def _take_best(self, raw: Any, taken: Taken) -> None:
        best = read_as(BestPrices, raw)
        self._agree(best.asset_id, number("best_ask", best.best_ask))
        taken.touched.add(best.asset_id)

    def _take_end(self, raw: Any, taken: Taken) -> None:
        for token in read_as(Resolved, raw).assets_ids:
            self._asks[token], self._bids[token] = {}, {}
            taken.touched.add(token)

    def _agree(self, token: str, best: float) -> None:
        """Correct the levels by the best price of the stream, where they disagree."""
        asks = self._asks.setdefault(token, {})
        for price in [price for price in asks if price < best]:
            del asks[price]
        if not 0 < best < 1:
            asks.clear()
        elif best not in asks:
            asks[best] = 0.0  # its size is unknown


def _side(name: str, raw: Iterable[Any], taken: Taken) -> dict[float, float]:
    levels: dict[float, float] = {}
    for each in raw:
        try:
            price, size = level(each)
        except FeedError as error:
            taken.problems.append(f"{name}: {error}")
            continue
        if size > 0:
            levels[price] = size
    return levels


T = TypeVar("T")
_EVENTS = N_("expected Polymarket's events (an array of events with markets)")
_BOOKS = N_("expected Polymarket's order books (an array of books with asks)")


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
    outcome_prices: str | list[str] | None = None
    uma_resolution_status: str | None = None
    closed_time: str | None = None

    @property
    def winner(self) -> int | None:
        """Which outcome's shares pay a dollar, 0 or 1; None if that is not decided, or neither.

        A game that is called off is settled at 50-50: both shares pay half a dollar, which is
        neither a won nor a void bet. Old markets that name no prices, or others than 1 and 0, say
        nothing.

        Raises:
            FeedError: the prices are no numbers; names the field.
        """
        if not self.closed or (self.uma_resolution_status or _RESOLVED) != _RESOLVED:
            return None
        said = texts("outcomePrices", self.outcome_prices or [])
        prices = [number("outcomePrices", each) for each in said]
        return prices.index(1) if sorted(prices) == [0, 1] else None

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
        return N_(f"an error: {shown(raw['error'])}")
    return N_(f"one object with {', '.join(list(raw)[:5]) or 'nothing'}")
