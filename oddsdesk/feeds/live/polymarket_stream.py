"""Polymarket's stream: what changes in the order books between two readings of them."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.feeds.live.live_feed import cut
from oddsdesk.feeds.live.status import Status
from oddsdesk.feeds.polymarket.books import Books
from oddsdesk.feeds.polymarket.games import Game
from oddsdesk.feeds.polymarket.quotes import quotes_of
from oddsdesk.network.backoff import Backoff
from oddsdesk.network.errors import ClosedError, NetworkError, NoWebSocketError

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

PING_S: Final = 10.0
SILENCE_S: Final = 60.0
LOOK_S: Final = 2.0
"""How soon it is noticed that other games are listed."""
GATHER_S: Final = 0.2
"""For how long changes are gathered that are then said at once."""
MOST_FRAMES: Final = 200
"""So many are gathered at most: others have their turn between."""
LARGEST: Final = 16 * 1024 * 1024
"""In bytes: the first message holds the books of all tokens."""

_log = logging.getLogger(__name__)


class PolymarketStream:
    """Says the prices of games that change.

    It is a help, not the source: while it is away, readings of whole books go on. ``addresses``
    are tried in turn where one opens no stream. ``passed_over`` counts messages of kinds that
    are not known.
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

    def follow(self, part: str, games: Iterable[Game]) -> None:
        """Hear of these games of a part of the feed from now on, and of no others of it."""
        self._games[part] = list(games)
        if self._tokens():
            self._has_games.set()
        else:
            self._has_games.clear()

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield quotes of what changed, for ever; a connection that is lost is opened again."""
        backoff = Backoff()
        while True:
            await self._has_games.wait()
            began = clock()
            try:
                async with contextlib.aclosing(self._changes(clock)) as said:
                    async for quotes in said:
                        backoff.reset()
                        self._status.aside_over("stream", "the stream is back", began, clock())
                        for batch in cut(quotes):
                            yield batch
            except (NetworkError, ClosedError) as error:
                self._turn += isinstance(error, NoWebSocketError)
                line = f"the stream is away, whole books are read: {error}"
                self._status.aside("stream", line)
                await self._sleep(backoff.next_s())

    async def _changes(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield what changes for as long as the same tokens are to be followed."""
        # websockets takes 15 to 30 ms to import, and most servers stream from nowhere
        from oddsdesk.network.websocket import Pinging, open_websocket  # noqa: PLC0415

        books, tokens = Books(), self._tokens()
        address = self._addresses[self._turn % len(self._addresses)]
        pinging = Pinging("PING", PING_S, SILENCE_S)
        async with await open_websocket(address, pinging, largest=LARGEST) as socket:
            wanted = {"type": "market", "assets_ids": sorted(tokens)}
            await socket.send(msgspec.json.encode(wanted).decode())
            while self._tokens() == tokens:
                touched = await self._gather(socket, books)
                if touched:
                    self._status.answered(clock())
                    yield list(_sound(self._quotes(books, touched, clock()), clock()))

    async def _gather(self, socket: "WebSocket", books: Books) -> set[str]:
        """Return the tokens that the next messages touched; none where it stays quiet."""
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
            _log.info("polymarket: messages of a kind that is not known are passed over: %r", kind)
        self.passed_over += taken.passed_over
        if taken.problems:
            _log.info("polymarket: a message cannot be read: %s", taken.problems[0])

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
            _log.info("polymarket: a price makes no sense: %s", error)
