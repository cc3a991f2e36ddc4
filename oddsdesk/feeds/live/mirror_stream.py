"""What another service tells of changes, as whole quotes: each changes what was last heard."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Iterable, Mapping
from contextlib import aclosing, suppress
from typing import Final, TypeVar

from msgspec.structs import replace

from oddsdesk.client.client import Client
from oddsdesk.client.errors import ForbiddenError, ServiceError
from oddsdesk.client.kick_offs import are_apart
from oddsdesk.client.stream import Connected, Connecting, StreamState
from oddsdesk.clock import Clock
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.live.live_feed import cut
from oddsdesk.feeds.live.source_times import not_ahead
from oddsdesk.feeds.live.status import Status
from oddsdesk.tasks import spawn, stop

GATHER_S: Final = 0.05
"""So long changes are gathered that are recorded together."""
MOST_WAITING: Final = 20_000
"""Changes; the service is left to wait with more, or to end the stream."""
OTHER_PLAN_S: Final = 6 * 3600.0
TRY_AGAIN_S: Final = 60.0

_log = logging.getLogger(__name__)

T = TypeVar("T")

MarketOf = tuple[str, str, str, str, int]


class Picture:
    """The last quote of each market of each bookmaker."""

    def __init__(self) -> None:
        self._quotes: dict[MarketOf, list[Quote]] = {}
        """One of each game: those of a series share their names (D31)."""
        self._games: dict[tuple[str, str], list[Quote]] = {}
        """Any quote of each game of these names."""
        self._told: dict[MarketOf, dict[str, int]] = {}
        """When a message told a selection, by the service's time (ms)."""

    def take(
        self, quotes: Iterable[Quote], was_read: Callable[[Quote], bool] = lambda _quote: True
    ) -> list[Quote]:
        """Take in a picture; what the stream told later stays, and what was not read.

        Returns:
            Quotes of which a message told some selections after the picture saw the market: these
            as told, the others as in the picture.
        """
        told, self._told, mended = self._told, {}, list[Quote]()
        before, self._quotes, self._games = self._quotes, {}, {}
        for quotes_before in before.values():
            for quote in quotes_before:
                if not was_read(quote):
                    self._hold(quote)
                    if (market := _market_of(quote)) in told:
                        self._told[market] = told[market]
        for quote in quotes:
            market = _market_of(quote)
            held = _of_same_game(before.get(market, ()), quote)
            if held is not None and held.scraped_at > quote.scraped_at:
                times = told.get(market, {})
                later = {name: at for name, at in times.items() if at > quote.scraped_at}
                if later:
                    self._told[market] = later
                    quote = _with_later(quote, held, later)
                    if quote.odds != held.odds:
                        mended.append(quote)
                else:
                    quote = held
            self._hold(quote)
        return mended

    def _hold(self, quote: Quote) -> None:
        _put(self._quotes.setdefault(_market_of(quote), []), quote)
        _put(self._games.setdefault((quote.competition, quote.match_name), []), quote)

    def is_doubtful(self, message: PriceMessage) -> bool:
        """Return whether a message may be of any game of a series: it has no kick-off.

        Where the bookmaker prices one of these games only in this market, it is of that.
        """
        games = self._games.get((message.competition, message.match_name), ())
        return len(games) > 1 and len(self._quotes.get(_market_of(message), ())) != 1

    def knows_market(self, message: PriceMessage) -> bool:
        """Return whether a picture or an earlier message held the market; url and limit with it."""
        return _market_of(message) in self._quotes

    def is_newer_than(self, message: PriceMessage) -> bool:
        """Return whether the market was said later than a message."""
        held = self._quotes.get(_market_of(message), ())
        try:
            at_ms = parse_ms(message.scraped_at)
            return bool(held) and max(quote.scraped_at for quote in held) > at_ms
        except ValueError:  # which is said where the message is taken in
            return False

    def change(self, message: PriceMessage, now_ms: int) -> Quote | None:
        """Return the quote that a message of now makes; None of a game that is not known yet.

        Raises:
            BadQuoteError, ValueError: it makes no sense.
        """
        games = self._games.get((message.competition, message.match_name))
        if not games:
            return None
        held = next(iter(self._quotes.get(_market_of(message), ())), None)
        game = games[0] if held is None else held
        offers = dict(held.offers or {}) if held is not None else {}
        unread = dict(held.unread or {}) if held is not None else {}
        unread.pop(message.selection, None)
        offers.pop(message.selection, None)  # what was for sale at the odds before
        if message.offer:
            offers[message.selection] = message.offer
        quote = Quote(
            bookmaker=message.bookmaker,
            match_name=message.match_name,
            competition=message.competition,
            market_type=message.market_type,
            period=message.period,
            odds={**(held.odds if held is not None else {}), message.selection: message.odds},
            scraped_at=not_ahead(parse_ms(message.scraped_at), now_ms),
            is_live=message.is_live,
            match_date=game.match_date,
            url=None if held is None else held.url,
            liquidity=None if held is None else held.liquidity,
            sport=sport_in(message),
            offers=offers or None,
            unread=unread or None,
            gone=() if held is None else tuple(x for x in held.gone if x != message.selection),
        )
        self._hold(quote)
        self._told.setdefault(_market_of(message), {})[message.selection] = quote.scraped_at
        return quote


class MirrorStream:
    """Listens for as long as there is a client whose key may; ``is_open`` while it does.

    ``read_again`` is called when changes were missed: with each connection, and where a game is
    told of that no picture held; ``read_more`` where a market is, of which the stream tells no url.
    """

    def __init__(
        self,
        picture: Picture,
        status: Status,
        read_again: Callable[[], None],
        read_more: Callable[[], None],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._picture = picture
        self._status = status
        self._read_again = read_again
        self._read_more = read_more
        self._sleep = sleep
        self._client: Client | None = None
        self._has_client = asyncio.Event()
        self._has_changes = asyncio.Event()
        self._has_room = asyncio.Event()
        self._changes: list[Quote] = []
        self._early: list[tuple[PriceMessage, int]] = []
        """What was told of games that no picture held yet, and when (ms): one may be on its way."""
        self._has_tried = asyncio.Event()
        self.is_open = False

    async def tried(self, limit_s: float) -> None:
        """Wait until it is known whether there is a stream, at most that long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._has_tried.wait()

    def use(self, client: Client | None) -> None:
        """Listen with this client from now on."""
        self._client = client
        self._has_tried.clear()
        if client is None:
            self._has_client.clear()
        else:
            self._has_client.set()

    def catch_up(self) -> None:
        """Take in what was told while the picture that has come now was on its way."""
        early, self._early = self._early, []
        for message, now_ms in early:
            if not self._picture.is_newer_than(message):
                self._note_change(message, now_ms)

    def correct(self, quotes: Iterable[Quote], now_ms: int) -> None:
        """Record quotes that a picture and later messages make together."""
        for quote in quotes:
            with suppress(BadQuoteError):  # which was said where it was taken in
                self._changes.append(check_quote(quote, now_ms))
                self._has_changes.set()

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield what changed, for ever."""
        listening = spawn("listen to the mirrored service", self._listen(clock))
        try:
            while True:
                await self._has_changes.wait()
                await self._sleep(GATHER_S)
                self._has_changes.clear()
                changes, self._changes = self._changes, []
                self._has_room.set()
                for batch in cut(changes):
                    yield batch
        finally:
            await stop(listening)

    async def _listen(self, clock: Clock) -> None:
        while True:
            await self._has_client.wait()
            client = self._client
            assert client is not None
            wait_s, began = TRY_AGAIN_S, clock()
            try:
                async with aclosing(client.stream(on_state=self._note)) as messages:
                    async for message in messages:
                        self._status.aside_over("stream", "the stream is back", began, clock())
                        await self._take(message, clock())
            except ForbiddenError as error:
                line = f"no stream, so the picture is read more often: {error.message}"
                self._status.aside("stream", line)
                wait_s = OTHER_PLAN_S if error.is_about_plan else TRY_AGAIN_S
            except ServiceError as error:
                self._status.aside("stream", f"no stream: {error.message}")
            self.is_open = False
            self._has_tried.set()
            await self._sleep(wait_s)

    def _note(self, state: StreamState) -> None:
        self.is_open = isinstance(state, Connected)
        if self.is_open:
            self._read_again()
        if not isinstance(state, Connecting):
            self._has_tried.set()

    async def _take(self, message: PriceMessage, now_ms: int) -> None:
        if not self._note_change(message, now_ms):
            if len(self._early) < MOST_WAITING:
                self._early.append((message, now_ms))
            self._read_again()
        if len(self._changes) >= MOST_WAITING:
            self._has_room.clear()
            await self._has_room.wait()

    def _note_change(self, message: PriceMessage, now_ms: int) -> bool:
        """Keep what a message changes; return False where its game is not known."""
        if self._picture.is_doubtful(message):
            self._read_more()  # which tells of which game it was
            return True
        is_new = not self._picture.knows_market(message)
        try:
            quote = self._picture.change(message, now_ms)
            checked = None if quote is None else check_quote(quote, now_ms)
        except (BadQuoteError, ValueError) as error:
            _log.info("mirror: a change makes no sense: %s", error)
            return True
        if checked is None:
            return False
        if is_new:
            self._read_more()
        self._changes.append(checked)
        self._has_changes.set()
        return True


def _market_of(said: Quote | PriceMessage) -> MarketOf:
    return said.competition, said.match_name, said.bookmaker, said.market_type, said.period


def _with_later(quote: Quote, held: Quote, later: Container[str]) -> Quote:
    """Return a picture's quote with some selections as they were told later."""

    def both(of_picture: Mapping[str, T] | None, told: Mapping[str, T] | None) -> dict[str, T]:
        kept = {name: value for name, value in (of_picture or {}).items() if name not in later}
        return kept | {name: value for name, value in (told or {}).items() if name in later}

    return replace(
        quote,
        odds=both(quote.odds, held.odds),
        offers=both(quote.offers, held.offers) or None,
        unread=both(quote.unread, held.unread) or None,
        scraped_at=held.scraped_at,
        is_live=held.is_live,
    )


def _of_same_game(held: Iterable[Quote], quote: Quote) -> Quote | None:
    return next((one for one in held if not are_apart(one.match_date, quote.match_date)), None)


def _put(held: list[Quote], quote: Quote) -> None:
    """Put a quote in place of that of the same game."""
    for at, one in enumerate(held):
        if not are_apart(one.match_date, quote.match_date):
            held[at] = quote
            return
    held.append(quote)
