"""Kalshi: what a Yes on each side of a game costs; needs no key."""

from typing import Any, ClassVar, Final

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import Reading, read_page
from oddsdesk.feeds.live.errors import ShapeError, SourceError, pass_over
from oddsdesk.feeds.live.exchange_guides import KalshiGuide
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import decode

MOST_PAGES: Final = 50
"""Of a thousand markets each; no series has that many."""


class _Cursor(msgspec.Struct, frozen=True):
    cursor: str | None = None


class Kalshi(PollingFeed):
    """Reads series, page by page; without one a page would be bets on several games."""

    source_name: ClassVar[str] = "kalshi"
    base_url: ClassVar[str] = "https://api.elections.kalshi.com"
    guide = KalshiGuide
    floor_s: ClassVar[float] = 10.0

    def prepare(self) -> None:
        """Refuse what is no series."""
        self._tickers: dict[tuple[str, str], str] = {}
        for series in self.spec.what:
            if not series.replace("-", "").isalnum():
                raise FeedError(f"feed kalshi: {series!r} is no series such as KXEPLGAME")

    async def read(self, part: str, now_ms: int) -> list[bytes]:
        """Return every page of a series."""
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
        raise SourceError(f"{self.source.host} answers pages without end")

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return a quote a game of all pages together, since one may stand on two.

        What could not be read is said in the log.
        """
        reading = Reading()
        for page in answer:
            try:
                reading.read(read_page(page).markets)
            except FeedError as error:
                raise ShapeError(str(error)) from error
        quotes = reading.quotes(now_ms)
        pass_over(self.status.name, reading.problems, is_empty=not quotes)
        self._tickers = reading.tickers
        return quotes

    def ident_of(self, quote: Quote) -> str | None:
        """Return the ticker of the event."""
        return self._tickers.get((quote.competition, quote.match_name))
