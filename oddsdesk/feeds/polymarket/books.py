"""Polymarket's order books: what the cheapest share of each token costs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from oddsdesk.contract.quoting import shown
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.parts import read_as, read_json
from oddsdesk.feeds.polymarket.shapes import (
    BestPrices,
    Book,
    Change,
    PriceChange,
    Resolved,
    level,
    number,
    read_books,
)

PONG: Final = b"PONG"
"""What the stream answers to a ping; it is no JSON."""
_SELL: Final = "SELL"
_NO_PRICES: Final = frozenset({"last_trade_price", "tick_size_change", "new_market"})
"""Messages that offer nothing."""


class Taken(msgspec.Struct):
    """What came of an answer or a message.

    ``touched`` are the tokens whose best price may be another now; ``passed_over`` counts
    messages of kinds that are not known, ``problems`` are lines for people.
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
            raw = read_json(frame, "expected a message of Polymarket's stream")
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
                taken.passed_over[kind if isinstance(kind, str) else "no event_type"] += 1

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
            asks[best] = 0.0  # how much of it, nobody said


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
