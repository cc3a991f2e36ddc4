"""Betfair's exchange: what can be backed, asked for and streamed, with the user's own key."""

import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.betfair.books import Books
from oddsdesk.feeds.betfair.catalogue import Catalogue
from oddsdesk.feeds.betfair.quotes import CURRENCY, quotes_of
from oddsdesk.feeds.betfair.shapes import error_code
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.betfair_stream import BetfairStream
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    ShapeError,
    SourceError,
    TooFastError,
    pass_over,
)
from oddsdesk.feeds.live.exchange_guides import BetfairGuide
from oddsdesk.feeds.live.merging import merged
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import KeyUse, decode, retry_after_s

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

IDENTITY: Final = "https://identitysso.betfair.com"
STREAM: Final = "stream-api.betfair.com:443"
LIST_MS: Final = 5 * MINUTE_MS
"""How long a list of markets is good for; prices are read more often."""
SESSION_MS: Final = 60 * MINUTE_MS
"""How often it is said that the session is used: it ends after hours of silence."""
STREAMED_S: Final = 60.0
"""How often books are read besides while the stream says what changes."""
_BOOKS_AT_ONCE: Final = 40
"""A request may weigh 200, and the best offers of a market weigh 5."""
_MOST_MARKETS: Final = 200
_USUAL_MARKETS: Final = "MATCH_ODDS,OVER_UNDER_25,BOTH_TEAMS_TO_SCORE"
_ABOUT: Final = (
    "COMPETITION",
    "EVENT",
    "EVENT_TYPE",
    "MARKET_START_TIME",
    "MARKET_DESCRIPTION",
    "RUNNER_DESCRIPTION",
)
_KEY_CODES: Final = frozenset(
    {
        "NO_APP_KEY",
        "INVALID_APP_KEY",
        "NO_SESSION",
        "INVALID_SESSION_INFORMATION",
        "ACCESS_DENIED",
    }
)
_LOG_IN: Final = "log in anew and give the app key and the session token, with a colon between"


class _KeptAlive(msgspec.Struct, frozen=True):
    status: str
    error: str = ""


class _Listed(msgspec.Struct):
    at_ms: int
    catalogue: Catalogue


class Betfair(PollingFeed):
    """Reads competitions by their numbers; between two readings it hears the stream.

    The key is the app key and a session token with a colon between.
    """

    source_name: ClassVar[str] = "betfair"
    base_url: ClassVar[str] = "https://api.betfair.com"
    guide = BetfairGuide
    floor_s: ClassVar[float] = 10.0
    key_use: ClassVar[KeyUse | None] = KeyUse(headers=("X-Application", "X-Authentication"))
    options: ClassVar[frozenset[str]] = frozenset({"markets", "stream"})

    def prepare(self) -> None:
        """Find the hosts: with ``url=`` nothing is streamed unless ``stream=`` says from where."""
        for competition in self.spec.what:
            if not competition.isdigit():
                raise FeedError(f"feed betfair: {competition!r} is no number of a competition")
        asked = self.spec.options
        self._markets = asked.get("markets", _USUAL_MARKETS).upper().split(",")
        self._identity = self.open_source(self.spec.url or IDENTITY)
        self._listed: dict[str, _Listed] = {}
        self._events: dict[tuple[str, str, int | None], str] = {}
        self._kept_at: int | None = None
        address = asked.get("stream", STREAM if self.spec.url is None else "")
        self._stream = BetfairStream(address, self.source, self.status, self._sleep)

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes of readings, and between them those of what changed."""
        both = merged(super().batches(clock), self._stream.batches(clock))
        async with contextlib.aclosing(both):
            async for batch in both:
                yield batch

    def interval_s(self, part: str) -> float:
        """Read seldom what is streamed: only so that quiet prices are seen again."""
        return max(self.every_s, STREAMED_S) if self._stream.is_heard else self.every_s

    async def read(self, part: str, now_ms: int) -> tuple[Catalogue, list[bytes]]:
        """Return the markets of a competition and their books."""
        await self._keep_session(now_ms)
        listed = self._listed.get(part)
        if listed is None or now_ms - listed.at_ms >= LIST_MS:
            listed = self._listed[part] = _Listed(now_ms, await self.catalogue_of(part))
            self._stream.follow(part, listed.catalogue.markets)
        books = [
            await self.ask(
                "listMarketBook",
                {
                    "marketIds": some,
                    "priceProjection": {"priceData": ["EX_BEST_OFFERS"]},
                    "currencyCode": CURRENCY,
                },
            )
            for some in _in_portions(list(listed.catalogue.markets))
        ]
        return listed.catalogue, books

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return what can be backed; a suspended market is withdrawn, as it says itself."""
        catalogue, answers = answer
        books = Books()
        problems = list(catalogue.problems)
        for each in answers:
            try:
                problems += books.take_books(each).problems
            except FeedError as error:
                raise ShapeError(str(error)) from error
        found = quotes_of(catalogue.markets, books, now_ms)
        pass_over(self.status.name, problems, is_empty=not found)
        self._events = catalogue.events
        return [each.quote for each in found if each.quote.odds or not each.is_open]

    def ident_of(self, quote: Quote) -> str | None:
        """Return the number of the event."""
        return self._events.get((quote.competition, quote.match_name, quote.match_date))

    def judge(self, reply: "Reply") -> None:
        """Go by the code: an error of Betfair is an answer like any other."""
        code = error_code(reply.body)
        if code in _KEY_CODES:
            raise KeyRefusedError(f"Betfair does not take the key ({code}): {_LOG_IN}")
        if code == "TOO_MANY_REQUESTS":
            raise TooFastError("Betfair is asked too often", retry_after_s(reply.headers))
        if code and reply.status == 200:
            raise SourceError(f"Betfair answers an error: {code}")

    async def catalogue_of(self, competition: str) -> Catalogue:
        """Return the markets of a competition."""
        catalogue = Catalogue()
        wanted = {"competitionIds": [competition], "marketTypeCodes": self._markets}
        body = await self.ask(
            "listMarketCatalogue",
            {
                "filter": wanted,
                "maxResults": _MOST_MARKETS,
                "marketProjection": _ABOUT,
                "sort": "FIRST_TO_START",
            },
        )
        try:
            catalogue.read(body)
        except FeedError as error:
            raise ShapeError(str(error)) from error
        return catalogue

    async def ask(self, method: str, params: object) -> bytes:
        """Call a method of Betfair's API and return its whole answer."""
        body = {"jsonrpc": "2.0", "method": f"SportsAPING/v1.0/{method}", "params": params, "id": 1}
        return await self.source.post("/exchange/betting/json-rpc/v1", body)

    async def _keep_session(self, now_ms: int) -> None:
        if self._kept_at is not None and now_ms - self._kept_at >= SESSION_MS:
            session = decode(_KeptAlive, await self._identity.get("/api/keepAlive"), "the session")
            if session.status != "SUCCESS":
                raise KeyRefusedError(f"the session has ended ({session.error}): {_LOG_IN}")
            self._kept_at = None
        self._kept_at = now_ms if self._kept_at is None else self._kept_at


def _in_portions(markets: Sequence[str]) -> Iterator[Sequence[str]]:
    starts = range(0, len(markets), _BOOKS_AT_ONCE)
    return (markets[start : start + _BOOKS_AT_ONCE] for start in starts)
