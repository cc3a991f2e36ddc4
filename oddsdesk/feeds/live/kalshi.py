"""Kalshi: the price of Yes on each side of a game; needs no key."""

import logging
from collections.abc import Sequence
from typing import Any, ClassVar, Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import Reading, read_books, read_page
from oddsdesk.feeds.live.errors import ShapeError, SourceError, TooFastError, pass_over
from oddsdesk.feeds.live.exchange_guides import KalshiGuide
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import decode

MOST_PAGES: Final = 50
"""Of a thousand markets each; no series has as many."""
BOOKS_AT_ONCE: Final = 100
NO_BOOKS_MS: Final = 60 * MINUTE_MS
"""How long order books are not requested after they were refused."""

_log = logging.getLogger(__name__)


class _Cursor(msgspec.Struct, frozen=True):
    cursor: str | None = None


class Kalshi(PollingFeed):
    """Reads series page by page; without a series, a page would mix several games."""

    source_name: ClassVar[str] = "kalshi"
    base_url: ClassVar[str] = "https://api.elections.kalshi.com"
    guide = KalshiGuide
    floor_s: ClassVar[float] = 10.0

    def prepare(self) -> None:
        """Refuse parts that are not series."""
        self._tickers: dict[tuple[str, str], str] = {}
        self._no_books_until_ms = 0
        for series in self.spec.what:
            if not series.replace("-", "").isalnum():
                raise FeedError(f"feed kalshi: {series!r} is not a series such as KXEPLGAME")

    async def read(self, part: str, now_ms: int) -> tuple[list[bytes], list[bytes]]:
        """Return every page of a series, and the order books of its markets."""
        pages = await self._pages(part)
        return pages, await self._books(pages, now_ms)

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

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return one quote per game from all pages together, since a game may be on two.

        What is unreadable is logged.
        """
        reading = Reading()
        pages, books = answer
        for each in books:
            try:
                reading.read_books(read_books(each))
            except FeedError as error:
                _log.info("kalshi: %s", error)
        for page in pages:
            try:
                reading.read_markets(read_page(page).markets)
            except FeedError as error:
                raise ShapeError(str(error)) from error
        quotes = reading.quotes(now_ms)
        pass_over(self.status.name, reading.problems, is_empty=not quotes)
        self._tickers = reading.tickers
        return quotes

    def ident_of(self, quote: Quote) -> str | None:
        """Return the ticker of the event."""
        return self._tickers.get((quote.competition, quote.match_name))


def _tickers(page: bytes) -> list[str]:
    """Return the markets of a page; unreadable ones are reported when they are used."""
    try:
        markets = read_page(page).markets
    except FeedError:
        return []
    found = (market.get("ticker") for market in markets if isinstance(market, dict))
    return [ticker for ticker in found if isinstance(ticker, str)]
