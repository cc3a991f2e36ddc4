"""Kalshi: the price of Yes on each side of a game; needs no key."""

import logging
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import ClassVar, Final, NamedTuple

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import Reported
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import PARLAYS, Reading, read_books, read_page
from oddsdesk.feeds.live.errors import ShapeError, SourceError, TooFastError, pass_over
from oddsdesk.feeds.live.exchange_guides import KalshiGuide
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import decode
from oddsdesk.feeds.live.unsettled import Unsettled

MOST_PAGES: Final = 50
"""Of a thousand markets each; no series has as many."""
BOOKS_AT_ONCE: Final = 100
EVENTS_AT_ONCE: Final = 20
"""Games that are over of which the results are requested together."""
NO_BOOKS_MS: Final = 60 * MINUTE_MS
"""How long order books are not requested after they were refused."""

_log = logging.getLogger(__name__)


class _Cursor(msgspec.Struct, frozen=True):
    cursor: str | None = None


class _Answer(NamedTuple):
    """Pages of a series with the order books of its markets, and pages of markets now over."""

    pages: list[bytes]
    books: list[bytes]
    over: list[bytes]


class Kalshi(PollingFeed):
    """Reads series page by page; without a series, a page would mix several games."""

    source_name: ClassVar[str] = "kalshi"
    base_url: ClassVar[str] = "https://api.elections.kalshi.com"
    guide = KalshiGuide
    floor_s: ClassVar[float] = 10.0

    def prepare(self) -> None:
        """Refuse parts that are not series."""
        self._tickers: dict[tuple[str, str], str] = {}
        self._unsettled = Unsettled(list[str])
        self._settled: frozenset[str] = frozenset()
        """Events that the last answer says are settled."""
        self._no_books_until_ms = 0
        for series in self.spec.what:
            if not series.replace("-", "").isalnum():
                raise FeedError(f"feed kalshi: {series!r} is not a series such as KXEPLGAME")

    def recall(self, kept: bytes) -> None:
        """Go on with the games that an earlier run waited for."""
        self._unsettled.recall(kept)

    async def read(self, part: str, now_ms: int) -> _Answer:
        """Return every page of a series, the order books of its markets, and games now over."""
        pages = await self._pages(part)
        books = await self._books(pages, now_ms)
        games = {
            event: tickers
            for event, tickers in _events(pages).items()
            if not event.startswith(PARLAYS)
        }
        self._unsettled.note_listed(part, games, now_ms)
        over = self._unsettled.take_due(part, now_ms, EVENTS_AT_ONCE)
        return _Answer(pages, books, await self._over(list(chain(*over.values()))))

    async def _over(self, tickers: Sequence[str]) -> list[bytes]:
        """Return markets that are over; none if they are refused, as prices go on."""
        if not tickers:
            return []
        asked = {"tickers": ",".join(tickers), "limit": "1000"}
        try:
            return [await self.source.get("/trade-api/v2/markets", asked)]
        except TooFastError:
            raise
        except SourceError as error:
            _log.info("kalshi: cannot ask how games ended: %s", error)
            return []

    async def _books(self, pages: Sequence[bytes], now_ms: int) -> list[bytes]:
        """Return the order books; none if they are refused: pages have the best prices."""
        if now_ms < self._no_books_until_ms:
            return []
        tickers = [ticker for page in pages for ticker in _tickers(page)]
        try:
            return [
                await self.source.get(
                    "/trade-api/v2/markets/orderbooks",
                    {"tickers": tickers[start : start + BOOKS_AT_ONCE]},
                )
                for start in range(0, len(tickers), BOOKS_AT_ONCE)
            ]
        except TooFastError:
            raise
        except SourceError as error:
            self._no_books_until_ms = now_ms + NO_BOOKS_MS
            _log.info("kalshi: no order books, only the best prices and their sizes: %s", error)
            return []

    async def _pages(self, part: str) -> list[bytes]:
        asked = {"series_ticker": part, "status": "open", "limit": "1000"}
        pages: list[bytes] = []
        seen: set[str] = set()
        while len(pages) < MOST_PAGES:
            pages.append(await self.source.get("/trade-api/v2/markets", asked))
            cursor = decode(_Cursor, pages[-1], "the page").cursor
            if not cursor:
                return pages
            if cursor in seen:
                break
            seen.add(cursor)
            asked["cursor"] = cursor
        raise SourceError(f"{self.source.host} sends pages without end")

    def parse(self, part: str, answer: _Answer, now_ms: int) -> list[Reported]:
        """Return one quote per game from all pages together, since a game may be on two.

        Then come the results of games that are over. What is unreadable is logged.
        """
        reading, over = Reading(), Reading()
        for each in answer.books:
            try:
                reading.read_books(read_books(each))
            except FeedError as error:
                _log.info("kalshi: %s", error)
        for page in answer.pages:
            try:
                reading.read_markets(read_page(page).markets)
            except FeedError as error:
                raise ShapeError(str(error)) from error
        for page in answer.over:
            try:
                over.read_markets(read_page(page).markets)
            except FeedError as error:
                _log.info("kalshi: games that are over: %s", error)
        quotes = reading.quotes(now_ms)
        pass_over(self.status.name, reading.problems, is_empty=not quotes)
        pass_over(self.status.name, over.problems, is_empty=False)
        self._tickers = reading.tickers
        self._settled = over.settled_events
        return [*quotes, *over.results(now_ms).values()]

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Stop asking about games that are settled."""
        self._unsettled.note_settled(self._settled, now_ms)
        self._unsettled.store_memory(self.keep)

    def ident_of(self, quote: Quote) -> str | None:
        """Return the ticker of the event."""
        return self._tickers.get((quote.competition, quote.match_name))


def _tickers(page: bytes) -> list[str]:
    """Return the markets of a page."""
    return [ticker for tickers in _events([page]).values() for ticker in tickers]


def _events(pages: Iterable[bytes]) -> dict[str, list[str]]:
    """Return markets by event; unreadable ones are reported when they are used."""
    events: dict[str, list[str]] = {}
    for page in pages:
        try:
            markets = read_page(page).markets
        except FeedError:
            continue
        for market in markets:
            said = market if isinstance(market, dict) else {}
            ticker, event = said.get("ticker"), said.get("event_ticker", "")
            if isinstance(ticker, str) and isinstance(event, str):
                events.setdefault(event, []).append(ticker)
    return events
