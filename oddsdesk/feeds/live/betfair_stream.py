"""Betfair's stream: what changes in the order books, taken up again where it was cut."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.betfair.books import Books
from oddsdesk.feeds.betfair.catalogue import Market
from oddsdesk.feeds.betfair.quotes import LEVELS, quotes_of
from oddsdesk.feeds.live.errors import KeyRefusedError
from oddsdesk.feeds.live.live_feed import cut
from oddsdesk.feeds.live.source import Source
from oddsdesk.feeds.live.status import Status
from oddsdesk.network.backoff import Backoff
from oddsdesk.network.errors import ClosedError, NetworkError
from oddsdesk.network.lines import Lines, open_lines

HEARTBEAT_MS: Final = 5_000
SILENCE_S: Final = 20.0
LOOK_S: Final = 2.0
"""How soon it is noticed that other markets are listed."""
GATHER_S: Final = 0.2
"""For how long changes are gathered that are then said at once."""
MOST_LINES: Final = 200
"""So many are gathered at most: others have their turn between."""
MOST_MARKETS: Final = 200
"""What a subscription may hold; the first to start are streamed, others are read."""
NOT_AUTHORIZED: Final = "NOT_AUTHORIZED"
REST_S: Final = 600.0
"""When it is tried again where the key may not stream."""

_log = logging.getLogger(__name__)


class _RefusedError(Exception):
    """The stream did not do what was asked; the message is Betfair's code."""


class BetfairStream:
    """Says the prices of markets that change.

    ``is_heard``: it says what changes, so that books need not be read often. Where the key may not
    stream, or the stream is away, readings go on. An empty address streams nothing.
    """

    def __init__(
        self,
        address: str,
        source: Source,
        status: Status,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.is_heard = False
        self._address = address
        self._source = source
        self._status = status
        self._sleep = sleep
        self._markets: dict[str, dict[str, Market]] = {}
        self._has_markets = asyncio.Event()
        self._books = Books()
        self._subscribed: list[str] = []

    def follow(self, part: str, markets: Mapping[str, Market]) -> None:
        """Hear of these markets of a part of the feed from now on, and of no others of it."""
        self._markets[part] = dict(markets)
        if self._wanted() and self._address:
            self._has_markets.set()
        else:
            self._has_markets.clear()

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield quotes of what changed, for ever; a connection that is lost is opened again."""
        backoff = Backoff()
        while True:
            await self._has_markets.wait()
            wait_s, began = 0.0, clock()
            try:
                async with contextlib.aclosing(self._changes(clock)) as said:
                    async for quotes in said:
                        backoff.reset()
                        self._status.aside_over("stream", "the stream is back", began, clock())
                        for batch in cut(quotes):
                            yield batch
            except (NetworkError, ClosedError, KeyRefusedError) as error:
                wait_s = backoff.next_s()
                self._status.aside("stream", f"the stream is away, books are read: {error}")
            except _RefusedError as error:
                wait_s = REST_S if str(error) == NOT_AUTHORIZED else backoff.next_s()
                self._status.aside("stream", f"the stream refuses ({error}), books are read")
            finally:
                self.is_heard = False
            await self._sleep(wait_s)

    async def _changes(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield what changes for as long as the same markets are to be followed."""
        app_key, session = await self._source.key_parts()
        host, _, port = self._address.rpartition(":")
        if self._subscribed != self._wanted():
            self._books, self._subscribed = Books(), self._wanted()
        async with await open_lines(host, int(port)) as lines:
            await _say(lines, {"op": "authentication", "appKey": app_key, "session": session})
            await _say(lines, self._subscription())
            touched: set[str] = set()
            while self._subscribed == self._wanted():
                touched |= await self._gather(lines)
                if touched and not self._books.is_late:
                    self._status.answered(clock())
                    yield self._quotes(touched, clock())
                    touched = set()

    def _subscription(self) -> dict[str, Any]:
        return {
            "op": "marketSubscription",
            "marketFilter": {"marketIds": self._subscribed},
            "marketDataFilter": {
                "fields": ["EX_BEST_OFFERS", "EX_MARKET_DEF"],
                "ladderLevels": LEVELS,
            },
            "heartbeatMs": HEARTBEAT_MS,
            **self._books.resume,
        }

    async def _gather(self, lines: Lines) -> set[str]:
        """Return the markets that the next lines touched; none where it stays quiet."""
        touched: set[str] = set()
        self._take(await lines.receive(SILENCE_S), touched)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                for _ in range(MOST_LINES):
                    self._take(await lines.receive(SILENCE_S), touched)
        return touched

    def _take(self, line: bytes, touched: set[str]) -> None:
        taken = self._books.take_line(line)
        touched |= taken.touched
        self.is_heard |= bool(taken.touched)
        if taken.problems:
            _log.info("betfair: a message cannot be read: %s", taken.problems[0])
        if taken.refused is not None:
            raise _RefusedError(taken.refused)

    def _quotes(self, touched: set[str], now_ms: int) -> list[Quote]:
        markets = {name: market for part in self._markets.values() for name, market in part.items()}
        return [each.quote for each in quotes_of(markets, self._books, now_ms, touched)]

    def _wanted(self) -> list[str]:
        wanted = [market for part in self._markets.values() for market in part]
        return sorted(wanted[:MOST_MARKETS])


async def _say(lines: Lines, message: dict[str, Any]) -> None:
    await lines.send(msgspec.json.encode({"id": 1, **message}).decode())
