"""Betfair's exchange: what can be backed, polled and streamed, with the user's key."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import Reported
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.betfair.books import Books, error_code
from oddsdesk.feeds.betfair.catalogue import (
    CURRENCY,
    LEVELS,
    Catalogue,
    Market,
    quotes_of,
    results_of,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    ShapeError,
    SourceError,
    TooFastError,
    pass_over,
)
from oddsdesk.feeds.live.exchange_guides import BetfairGuide
from oddsdesk.feeds.live.live_feed import Status, cut, merged
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import KeyUse, Source, decode, retry_after_s
from oddsdesk.feeds.live.unsettled import Unsettled
from oddsdesk.network import (
    Backoff,
    ClosedError,
    NetworkError,
    UnreachableError,
    UnusableAnswerError,
)
from oddsdesk.network.trust import system_trust

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

LARGEST: Final = 16 * 1024 * 1024
"""In bytes; a longer line ends the connection."""
_OPEN_S: Final = 10
_END: Final = b"\r\n"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Lines:
    """An open connection; use it as a context manager."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.transport.abort()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def receive(self, silence_s: float) -> bytes:
        """Return the next line, without its end.

        Raises:
            ClosedError: the connection is closed.
            UnreachableError: nothing was heard for so long.
            UnusableAnswerError: the line is longer than any.
        """
        try:
            async with asyncio.timeout(silence_s):
                line = await self._reader.readuntil(_END)
        except TimeoutError as error:
            raise UnreachableError(f"{self._host} has been silent for too long") from error
        except asyncio.LimitOverrunError as error:
            raise UnusableAnswerError(f"{self._host} sent a line without end") from error
        except (asyncio.IncompleteReadError, OSError) as error:
            raise ClosedError(None) from error
        return line.removesuffix(_END)

    async def send_line(self, line: str) -> None:
        """Send a line.

        Raises:
            ClosedError: the connection is closed.
        """
        try:
            self._writer.write(line.encode() + _END)
            await self._writer.drain()
        except OSError as error:
            raise ClosedError(None) from error


async def open_lines(host: str, port: int) -> Lines:
    """Open a connection.

    Raises:
        UnreachableError: nobody answered within 10 s, or not over TLS.
    """
    name = f"{host}:{port}"
    trust = None if host in _LOOPBACK else system_trust()
    try:
        async with asyncio.timeout(_OPEN_S):
            reader, writer = await asyncio.open_connection(host, port, ssl=trust, limit=LARGEST)
    except TimeoutError as error:
        raise UnreachableError(f"{name} took too long to answer") from error
    except ssl.SSLError as error:
        raise UnreachableError(f"no secure connection with {name}") from error
    except OSError as error:
        raise UnreachableError(f"{name} does not answer") from error
    return Lines(reader, writer, name)


_log = logging.getLogger(__name__)

IDENTITY: Final = "https://identitysso.betfair.com"
STREAM: Final = "stream-api.betfair.com:443"
LIST_MS: Final = 5 * MINUTE_MS
"""How long a list of markets is used; prices are read more often."""
SESSION_MS: Final = 60 * MINUTE_MS
"""How often the session is kept alive: it ends after hours of silence."""
STREAMED_S: Final = 60.0
"""How often books are read in addition to the stream."""
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
    {"NO_APP_KEY", "INVALID_APP_KEY", "NO_SESSION", "INVALID_SESSION_INFORMATION", "ACCESS_DENIED"}
)
_LOG_IN: Final = N_("log in again, and set app key and session token, separated by a colon")


class _KeptAlive(msgspec.Struct, frozen=True):
    status: str
    error: str = ""


class _Listed(msgspec.Struct):
    at_ms: int
    catalogue: Catalogue


class _Answer(NamedTuple):
    """The markets of a competition and those that it no longer lists, with the books of both."""

    catalogue: Catalogue
    books: list[bytes]
    over: dict[str, Market]
    books_over: list[bytes]


class Betfair(PollingFeed):
    """Reads competitions by their numbers; streams changes between two readings.

    The key is the app key and a session token, separated by a colon.
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
                raise FeedError(f"feed betfair: {competition!r} is not a competition's number")
        asked = self.spec.options
        self._markets = asked.get("markets", _USUAL_MARKETS).upper().split(",")
        self._identity = self.open_source(self.spec.url or IDENTITY)
        self._listed: dict[str, _Listed] = {}
        self._unsettled = Unsettled(Market)
        self._closed: list[str] = []
        """Markets that the last answer says are settled."""
        self._events: dict[tuple[str, str, int | None], str] = {}
        self._kept_at: int | None = None
        address = asked.get("stream", STREAM if self.spec.url is None else "")
        self._stream = BetfairStream(address, self.source, self.status, self._sleep)

    def recall(self, kept: bytes) -> None:
        """Go on with the markets that an earlier run waited for."""
        self._unsettled.recall(kept)

    def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield the quotes and results of readings, and the changes between them."""
        return merged(super().batches(clock), self._stream.streamed_batches(clock))

    def interval_s(self, part: str) -> float:
        """Read rarely what is streamed, only to see quiet prices again."""
        return max(self.every_s, STREAMED_S) if self._stream.is_heard else self.every_s

    async def read(self, part: str, now_ms: int) -> _Answer:
        """Return the markets of a competition and their books, and those of markets now over."""
        await self._keep_session(now_ms)
        listed = self._listed.get(part)
        if listed is None or now_ms - listed.at_ms >= LIST_MS:
            listed = self._listed[part] = _Listed(now_ms, await self.catalogue_of(part))
            self._stream.follow_markets(part, listed.catalogue.markets)
            self._unsettled.note_listed(part, listed.catalogue.markets, now_ms)
        books = [await self._books_of(some) for some in _in_portions([*listed.catalogue.markets])]
        over = self._unsettled.take_due(part, now_ms, _BOOKS_AT_ONCE)
        return _Answer(listed.catalogue, books, over, await self._books_over(list(over)))

    async def _books_of(self, markets: Sequence[str]) -> bytes:
        projection = {"priceData": ["EX_BEST_OFFERS"]}
        asked = {"marketIds": markets, "priceProjection": projection, "currencyCode": CURRENCY}
        return await self.call_method("listMarketBook", asked)

    async def _books_over(self, markets: Sequence[str]) -> list[bytes]:
        """Return the books of markets that are over; none if they are refused, as prices go on."""
        if not markets:
            return []
        try:
            return [await self.call_method("listMarketBook", {"marketIds": markets})]
        except (KeyRefusedError, TooFastError):
            raise
        except SourceError as error:
            _log.info("betfair: cannot ask how markets ended: %s", error)
            return []

    def parse(self, part: str, answer: _Answer, now_ms: int) -> list[Reported]:
        """Return what can be backed, and how closed markets were settled.

        A suspended market is removed, as it asks to be.
        """
        markets = answer.catalogue.markets
        books, over = Books(), Books()
        problems = list(answer.catalogue.problems)
        for held, answers in ((books, answer.books), (over, answer.books_over)):
            for each in answers:
                try:
                    problems += held.take_books(each).problems
                except FeedError as error:
                    raise ShapeError(str(error)) from error
        found = quotes_of(markets, books, now_ms)
        pass_over(self.status.name, problems, is_empty=not found)
        self._events = answer.catalogue.events
        fresh = {
            ident: each for ident, each in markets.items() if not self._unsettled.is_settled(ident)
        }
        results = results_of(fresh, books, now_ms) | results_of(answer.over, over, now_ms)
        self._closed = list(results)
        quotes = [each.quote for each in found if each.quote.odds or not each.is_open]
        return [*quotes, *results.values()]

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Stop asking about markets that are settled."""
        self._unsettled.note_settled(self._closed, now_ms)
        self._unsettled.store_memory(self.keep)

    def ident_of(self, quote: Quote) -> str | None:
        """Return the number of the event."""
        return self._events.get((quote.competition, quote.match_name, quote.match_date))

    def judge(self, reply: "Reply") -> None:
        """Check the code: Betfair's errors are answers like any other."""
        judge_answer(reply)

    async def catalogue_of(self, competition: str) -> Catalogue:
        """Return the markets of a competition."""
        catalogue = Catalogue()
        wanted = {"competitionIds": [competition], "marketTypeCodes": self._markets}
        body = await self.call_method(
            "listMarketCatalogue",
            {
                "filter": wanted,
                "maxResults": _MOST_MARKETS,
                "marketProjection": _ABOUT,
                "sort": "FIRST_TO_START",
            },
        )
        try:
            catalogue.read_answer(body)
        except FeedError as error:
            raise ShapeError(str(error)) from error
        return catalogue

    async def call_method(self, method: str, params: object) -> bytes:
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


def judge_answer(reply: "Reply") -> None:
    """Check the code of an answer: Betfair's errors are answers like any other.

    Raises:
        SourceError: of the kind that tells how to continue.
    """
    code = error_code(reply.body)
    if code in _KEY_CODES:
        raise KeyRefusedError(f"Betfair refuses the key ({code}): {_LOG_IN}")
    if code == "TOO_MANY_REQUESTS":
        raise TooFastError("too many requests to Betfair", retry_after_s(reply.headers))
    if code and reply.status == 200:
        raise SourceError(f"Betfair returned an error: {code}")


def _in_portions(markets: Sequence[str]) -> Iterator[Sequence[str]]:
    starts = range(0, len(markets), _BOOKS_AT_ONCE)
    return (markets[start : start + _BOOKS_AT_ONCE] for start in starts)


HEARTBEAT_MS: Final = 5_000
SILENCE_S: Final = 20.0
LOOK_S: Final = 2.0
"""How soon a change in the listed markets is noticed."""
GATHER_S: Final = 0.2
"""How long changes are collected before they are passed on together."""
MOST_LINES: Final = 200
"""Most messages collected, so that others get their turn."""
MOST_MARKETS: Final = 200
"""What a subscription may hold; the first to start are streamed, others are read."""
NOT_AUTHORIZED: Final = "NOT_AUTHORIZED"
REST_S: Final = 600.0
"""When streaming is retried if the key may not stream."""


class _RefusedError(Exception):
    """The stream refused; the message is Betfair's code."""


class BetfairStream:
    """Streams the prices of markets that change.

    While ``is_heard``, books need not be read often. If the key may not stream, or the stream is
    down, readings go on. An empty address streams nothing.
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

    def follow_markets(self, part: str, markets: Mapping[str, Market]) -> None:
        """Follow these markets of a part from now on, and no others of it."""
        self._markets[part] = dict(markets)
        if self._wanted() and self._address:
            self._has_markets.set()
        else:
            self._has_markets.clear()

    async def streamed_batches(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield quotes of changes and results, without end; a lost connection is reopened."""
        backoff = Backoff()
        while True:
            await self._has_markets.wait()
            wait_s, began = 0.0, clock()
            try:
                async with contextlib.aclosing(self._changes(clock)) as said:
                    async for reported in said:
                        backoff.reset_waits()
                        self._status.aside_over("stream", N_("the stream is back"), began, clock())
                        for batch in cut(reported):
                            yield batch
            except (NetworkError, ClosedError, KeyRefusedError) as error:
                wait_s = backoff.next_s()
                self._status.aside("stream", N_(f"no stream, books are polled: {error}"))
            except _RefusedError as error:
                wait_s = REST_S if str(error) == NOT_AUTHORIZED else backoff.next_s()
                self._status.aside("stream", N_(f"the stream refuses ({error}), books are polled"))
            finally:
                self.is_heard = False
            await self._sleep(wait_s)

    async def _changes(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield changes while the same markets are followed."""
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
                    yield self._reported(touched, clock())
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
        """Return the markets that the next lines changed; none if it stays quiet."""
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

    def _reported(self, touched: set[str], now_ms: int) -> list[Reported]:
        markets = {name: market for part in self._markets.values() for name, market in part.items()}
        quotes = [each.quote for each in quotes_of(markets, self._books, now_ms, touched)]
        said = {ident: market for ident, market in markets.items() if ident in touched}
        return [*quotes, *results_of(said, self._books, now_ms).values()]

    def _wanted(self) -> list[str]:
        wanted = [market for part in self._markets.values() for market in part]
        return sorted(wanted[:MOST_MARKETS])


async def _say(lines: Lines, message: dict[str, Any]) -> None:
    await lines.send_line(msgspec.json.encode({"id": 1, **message}).decode())
