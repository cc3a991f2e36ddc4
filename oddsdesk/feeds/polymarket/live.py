"""Polymarket: the price of a share of each side of a game; needs no key."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import in_daemon_thread
from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.contract.results import Reported
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import ShapeError, SourceError, TooFastError, pass_over
from oddsdesk.feeds.live.exchange_guides import PolymarketGuide
from oddsdesk.feeds.live.live_feed import Status, cut, merged
from oddsdesk.feeds.live.polling import NO_GAMES, PollingFeed
from oddsdesk.feeds.live.source import Source, decode
from oddsdesk.feeds.live.unsettled import Unsettled
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import Game, Listing, quotes_of
from oddsdesk.network import Backoff, ClosedError, NetworkError, NoWebSocketError

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

_log = logging.getLogger(__name__)

GAMMA: Final = "https://gamma-api.polymarket.com"
CLOB: Final = "https://clob.polymarket.com"
STREAM: Final = "wss://ws-subscriptions-clob.polymarket.com/ws/market"
PAGE: Final = 100
MOST_PAGES: Final = 50
BOOKS_AT_ONCE: Final = 200
"""Order books per request."""
EVENTS_AT_ONCE: Final = 20
"""Events that are over which are requested together."""
LIST_MS: Final = 5 * 60_000
"""How long a list of games is used; prices are read more often."""


class _Tag(msgspec.Struct, frozen=True):
    id: str


class _Listed(msgspec.Struct):
    at_ms: int
    listing: Listing


class _Answer(NamedTuple):
    """The games of a tag with their books, and pages of events that are no longer listed."""

    listing: Listing
    is_fresh: bool
    """Whether the games were listed just now."""
    books: list[bytes]
    over: list[bytes]


class Polymarket(PollingFeed):
    """Reads the games of tags and the order book of every token, then follows changes."""

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
        self._unsettled = Unsettled(str)
        self._closed: frozenset[str] = frozenset()
        """Events that the last answer says are closed, by slug."""
        for tag in self.spec.what:
            if not tag.replace("-", "").isalnum():
                raise FeedError(f"feed polymarket: {tag!r} is not a tag like premier-league or 82")

    def recall(self, kept: bytes) -> None:
        """Go on with the games that an earlier run waited for."""
        self._unsettled.recall(kept)

    def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield the quotes and results of readings, and the changes between them."""
        return merged(super().batches(clock), self._stream.streamed_batches(clock))

    async def read(self, part: str, now_ms: int) -> _Answer:
        """Return the games of a tag and their books, and how games ended that are now over."""
        listed = self._listed.get(part)
        if is_fresh := listed is None or now_ms - listed.at_ms >= LIST_MS:
            listed = self._listed[part] = _Listed(now_ms, await self.games_of(part))
            listing = listed.listing
            self._stream.follow_games(part, listing.games.values())
            games = (*listing.games.values(), *listing.over.values())
            self._unsettled.note_listed(part, {each.slug: each.slug for each in games}, now_ms)
        assert listed is not None
        books = [
            await self._clob.post("/books", [{"token_id": token} for token in some])
            for some in _in_portions(listed.listing.tokens)
        ]
        over = self._unsettled.take_due(part, now_ms, EVENTS_AT_ONCE)
        return _Answer(listed.listing, is_fresh, books, await self._over(list(over)))

    async def _over(self, slugs: Sequence[str]) -> list[bytes]:
        """Return events that are over; none if they are refused, as prices go on."""
        if not slugs:
            return []
        try:
            asked = {"slug": list(slugs), "closed": "true", "limit": str(EVENTS_AT_ONCE)}
            return [await self.source.get("/events", asked)]
        except TooFastError:
            raise
        except SourceError as error:
            _log.info("polymarket: cannot ask how games ended: %s", error)
            return []

    def parse(self, part: str, answer: _Answer, now_ms: int) -> list[Reported]:
        """Return what can be bought now, and how games ended; log what is unreadable."""
        listing = answer.listing
        books, over = Books(), Listing()
        problems = list(listing.problems)
        for each in answer.books:
            try:
                problems += books.take_books(each).problems
            except FeedError as error:
                raise ShapeError(str(error)) from error
        for each in answer.over:
            try:
                over.read_page(each)
            except FeedError as error:
                over.problems.append(str(error))
        found = quotes_of(listing.games.values(), books, now_ms)
        quotes = [quote for quote in found if quote.odds]
        pass_over(self.status.name, problems, is_empty=not quotes)
        pass_over(self.status.name, over.problems, is_empty=False)
        self._closed = frozenset(over.closed)
        results = over.results(now_ms)
        if answer.is_fresh:  # its results do not change until it is read again
            results += listing.results(now_ms)
        return [*quotes, *results]

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Stop asking about events that are closed."""
        self._unsettled.note_settled(self._closed, now_ms)
        self._unsettled.store_memory(self.keep)

    def ident_of(self, quote: Quote) -> str | None:
        """Return the page of the event."""
        return quote.url

    def emptiness(self) -> str:
        """Use the lists of games, which include games whose sides are sold out."""
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
                count = await in_daemon_thread("list polymarket", partial(listing.read_page, body))
            except FeedError as error:
                raise ShapeError(str(error)) from error
            if count < PAGE:
                return listing
        raise SourceError(f"{self.source.host} lists events without end")

    async def _tag(self, tag: str) -> dict[str, str]:
        """Return the query for a tag's events: by number, which is looked up for a name."""
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


PING_S: Final = 10.0
SILENCE_S: Final = 60.0
LOOK_S: Final = 2.0
"""How soon a change in the listed games is noticed."""
GATHER_S: Final = 0.2
"""How long changes are collected before they are passed on together."""
MOST_FRAMES: Final = 200
"""Most messages collected, so that others get their turn."""
LARGEST: Final = 16 * 1024 * 1024
"""In bytes: the first message holds the books of all tokens."""


class PolymarketStream:
    """Streams the prices of games that change.

    It is not essential: while it is down, readings of whole books go on. The ``addresses`` are
    tried in order until one opens a stream. ``passed_over`` counts messages of unknown kinds.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        status: Status,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.passed_over: Counter[str] = Counter()
        self._games: dict[str, list[Game]] = {}
        self._has_games = asyncio.Event()
        self._addresses = addresses
        self._turn = 0
        self._status = status
        self._sleep = sleep

    def follow_games(self, part: str, games: Iterable[Game]) -> None:
        """Follow these games of a part from now on, and no others of it."""
        self._games[part] = list(games)
        if self._tokens():
            self._has_games.set()
        else:
            self._has_games.clear()

    async def streamed_batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield quotes of changes, without end; a lost connection is reopened."""
        backoff = Backoff()
        while True:
            await self._has_games.wait()
            began = clock()
            try:
                async with contextlib.aclosing(self._changes(clock)) as said:
                    async for quotes in said:
                        backoff.reset_waits()
                        self._status.aside_over("stream", N_("the stream is back"), began, clock())
                        for batch in cut(quotes):
                            yield batch
            except (NetworkError, ClosedError) as error:
                self._turn += isinstance(error, NoWebSocketError)
                line = N_(f"no stream, whole books are polled: {error}")
                self._status.aside("stream", line)
                await self._sleep(backoff.next_s())

    async def _changes(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield changes while the same tokens are followed."""
        # websockets takes 15 to 30 ms to import, and most servers stream from nowhere
        from oddsdesk.network.websocket import Pinging, open_websocket  # noqa: PLC0415

        books, tokens = Books(), self._tokens()
        address = self._addresses[self._turn % len(self._addresses)]
        pinging = Pinging("PING", PING_S, SILENCE_S)
        async with await open_websocket(address, pinging, largest=LARGEST) as socket:
            wanted = {"type": "market", "assets_ids": sorted(tokens)}
            await socket.send_text(msgspec.json.encode(wanted).decode())
            while self._tokens() == tokens:
                touched = await self._gather(socket, books)
                if touched:
                    self._status.answered(clock())
                    yield list(_sound(self._quotes(books, touched, clock()), clock()))

    async def _gather(self, socket: "WebSocket", books: Books) -> set[str]:
        """Return the tokens that the next messages changed; none if it stays quiet."""
        touched: set[str] = set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                self._take(await socket.receive(), books, touched)
            async with asyncio.timeout(GATHER_S):
                for _ in range(MOST_FRAMES):
                    self._take(await socket.receive(), books, touched)
        return touched

    def _take(self, frame: bytes, books: Books, touched: set[str]) -> None:
        taken = books.take_message(frame)
        touched |= taken.touched
        for kind in taken.passed_over.keys() - self.passed_over.keys():
            _log.info("polymarket: messages of an unknown kind are ignored: %r", kind)
        self.passed_over += taken.passed_over
        if taken.problems:
            _log.info("polymarket: unreadable message: %s", taken.problems[0])

    def _quotes(self, books: Books, touched: set[str], now_ms: int) -> list[Quote]:
        games = [game for listed in self._games.values() for game in listed]
        return quotes_of(games, books, now_ms, touched)

    def _tokens(self) -> frozenset[str]:
        return frozenset(
            token
            for games in self._games.values()
            for game in games
            for selections in game.markets.values()
            for token in selections.values()
        )


def _sound(quotes: Iterable[Quote], now_ms: int) -> Iterator[Quote]:
    for quote in quotes:
        try:
            yield check_quote(quote, now_ms)
        except BadQuoteError as error:
            _log.info("polymarket: unreadable price: %s", error)
