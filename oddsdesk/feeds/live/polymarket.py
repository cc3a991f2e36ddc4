"""Polymarket: what a share of each side of a game costs; needs no key."""

import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import ShapeError, SourceError, pass_over
from oddsdesk.feeds.live.exchange_guides import PolymarketGuide
from oddsdesk.feeds.live.merging import merged
from oddsdesk.feeds.live.polling import NO_GAMES, PollingFeed
from oddsdesk.feeds.live.polymarket_stream import PolymarketStream
from oddsdesk.feeds.live.source import Source, decode
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import Listing
from oddsdesk.feeds.polymarket.quotes import quotes_of
from oddsdesk.tasks import in_daemon_thread

GAMMA: Final = "https://gamma-api.polymarket.com"
CLOB: Final = "https://clob.polymarket.com"
STREAM: Final = "wss://ws-subscriptions-clob.polymarket.com/ws/market"
PAGE: Final = 100
MOST_PAGES: Final = 50
BOOKS_AT_ONCE: Final = 200
"""So many order books are asked for in one request."""
LIST_MS: Final = 5 * 60_000
"""How long a list of games is good for; prices are read more often."""


class _Tag(msgspec.Struct, frozen=True):
    id: str


class _Listed(msgspec.Struct):
    at_ms: int
    listing: Listing


class Polymarket(PollingFeed):
    """Reads the games of tags, and the order book of every token; then hears what changes."""

    source_name: ClassVar[str] = "polymarket"
    base_url: ClassVar[str] = GAMMA
    guide = PolymarketGuide
    floor_s: ClassVar[float] = 10.0

    def prepare(self) -> None:
        """Find the three hosts; below ``url=`` they are paths."""
        url = self.spec.url
        if url is not None:
            self.source = self.open_source(f"{url}/gamma")
        self._clob: Source = self.open_source(CLOB if url is None else f"{url}/clob")
        self._stream = PolymarketStream(_streams(url), self.status, self._sleep)
        self._tags: dict[str, dict[str, str]] = {}
        self._listed: dict[str, _Listed] = {}
        for tag in self.spec.what:
            if not tag.replace("-", "").isalnum():
                raise FeedError(f"feed polymarket: {tag!r} is no tag such as premier-league or 82")

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes of readings, and between them those of what changed."""
        both = merged(super().batches(clock), self._stream.batches(clock))
        async with contextlib.aclosing(both):
            async for batch in both:
                yield batch

    async def read(self, part: str, now_ms: int) -> tuple[Listing, list[bytes]]:
        """Return the games of a tag and their books."""
        listed = self._listed.get(part)
        if listed is None or now_ms - listed.at_ms >= LIST_MS:
            listed = self._listed[part] = _Listed(now_ms, await self.games_of(part))
            self._stream.follow(part, listed.listing.games.values())
        tokens = listed.listing.tokens
        books = [
            await self._clob.post("/books", [{"token_id": token} for token in some])
            for some in _in_portions(tokens)
        ]
        return listed.listing, books

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return what can be bought now; what could not be read is said in the log."""
        listing, answers = answer
        books = Books()
        problems = list(listing.problems)
        for each in answers:
            try:
                problems += books.take_books(each).problems
            except FeedError as error:
                raise ShapeError(str(error)) from error
        found = quotes_of(listing.games.values(), books, now_ms)
        quotes = [quote for quote in found if quote.odds]
        pass_over(self.status.name, problems, is_empty=not quotes)
        return quotes

    def ident_of(self, quote: Quote) -> str | None:
        """Return the page of the event."""
        return quote.url

    def emptiness(self) -> str:
        """Go by the lists of games; one whose sides are sold out is one."""
        listed = [self._listed.get(tag) for tag in self.spec.what]
        is_empty = all(each is not None and not each.listing.games for each in listed)
        return NO_GAMES if is_empty else ""

    async def games_of(self, tag: str) -> Listing:
        """Return the games of a tag that are not over."""
        listing = Listing()
        asked = {**await self._tag(tag), "closed": "false", "limit": str(PAGE)}
        for page in range(MOST_PAGES):
            body = await self.source.get("/events", {**asked, "offset": str(page * PAGE)})
            try:
                count = await in_daemon_thread("list polymarket", partial(listing.read, body))
            except FeedError as error:
                raise ShapeError(str(error)) from error
            if count < PAGE:
                return listing
        raise SourceError(f"{self.source.host} lists events without end")

    async def _tag(self, tag: str) -> dict[str, str]:
        """How events of a tag are asked for: by its number, which is looked up for a name."""
        if tag.isdigit():
            return {"tag_id": tag}
        if tag not in self._tags:
            try:
                found = decode(_Tag, await self.source.get(f"/tags/slug/{tag}"), "the tag")
            except SourceError:
                return {"tag_slug": tag}
            self._tags[tag] = {"tag_id": found.id}
        return self._tags[tag]


def _streams(url: str | None) -> tuple[str, ...]:
    """Where the stream may be: its host's own path begins with ``/ws`` as well."""
    if url is None:
        return (STREAM,)
    host = f"ws{url.removeprefix('http')}/ws"
    return f"{host}/market", f"{host}/ws/market"


def _in_portions(tokens: Sequence[str]) -> Iterator[Sequence[str]]:
    return (tokens[start : start + BOOKS_AT_ONCE] for start in range(0, len(tokens), BOOKS_AT_ONCE))
