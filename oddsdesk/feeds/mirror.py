"""Another service of the contract as a feed: reads all its odds and streams the changes."""

import asyncio
import contextlib
import logging
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, suppress
from typing import Any, ClassVar, Final, TypeVar

from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.polling import Reading
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.text import every
from oddsdesk.base.texts import N_
from oddsdesk.client import errors
from oddsdesk.client.client import RESULTS_PATH, Client
from oddsdesk.client.partial_answers import RowInPart
from oddsdesk.client.quota import Budget
from oddsdesk.client.requests import read_addresses
from oddsdesk.client.rows import RowsByGame, are_apart
from oddsdesk.client.stream import Connected, Connecting, StreamState
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.client.whole_odds import WholeOdds, unread_text
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import UNNAMED, BadQuoteError, Quote, check_quote
from oddsdesk.contract.resources import OddsRow, PriceMessage
from oddsdesk.contract.results import BadResultError, GameResult, Reported, ResultRow, of_row
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import KeyRefusedError, ShapeError, SourceError, TooFastError
from oddsdesk.feeds.live.exchange_guides import MirrorGuide
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.feeds.live.live_feed import Status, cut, merged
from oddsdesk.feeds.live.polling import PollingFeed, not_ahead
from oddsdesk.feeds.live.source import KeyUse

PICTURE_S: Final = 300.0
"""Seconds between full readings with a stream, which does not report removed prices."""
POLL_S: Final = 20.0
"""Seconds between full readings without a stream, if the quota allows."""
CONNECT_S: Final = 5.0
"""How long a reading waits for the stream, so that changes meanwhile are received."""
_REQUEST_S: Final = 0.3
"""Least seconds between readings per request of one, since the service has other users."""
_ALL: Final = "everything"
_RESULTS: Final = "results"
RESULTS_S: Final = 60.0
"""Seconds between readings of results, if the quota allows."""
_HALF_DAY_MS: Final = 12 * 3_600_000
"""How old results may be that are read each time. Those of some more days are read once an hour,
since they may be corrected."""
_DAYS_MS: Final = 4 * 24 * 3_600_000
_SOON_MS: Final = 3_600_000
_MOST_LOGGED: Final = 20
_HOUR_S: Final = 3_600

_log = logging.getLogger(__name__)


class Mirror(PollingFeed):
    """Reads every odds row in slices within the quota, and streams changes in between."""

    source_name: ClassVar[str] = "mirror"
    base_url: ClassVar[str] = ""
    guide = MirrorGuide
    floor_s: ClassVar[float] = PICTURE_S
    says_everything: ClassVar[bool] = True
    key_use: ClassVar[KeyUse | None] = KeyUse(header="X-Api-Key")

    def prepare(self) -> None:
        """Check the address, without a request."""
        self._address = self.spec.url or self.spec.what[0]
        try:
            addresses = read_addresses(self._address, None, None)
        except errors.AddressError as error:
            raise FeedError(f"feed mirror: {error}") from None
        if addresses.warning:
            _log.warning("mirror: %s", addresses.warning)
        self._key = ""
        self._client: Client | None = None
        self._budget = Budget(self._now, lambda: self._client.quota if self._client else None)
        self._requests = 1
        self._has_results: bool | None = None
        """Whether the service has results; None until that is asked, which costs no request."""
        self._pages = 1
        """How many requests the last reading of results took."""
        self._looked_back_ms = 0
        """When the results of some days were read last."""
        self._odd_results: set[str] = set()
        """Games with results that make no sense; each of the first is logged once."""
        self._reading: WholeOdds | None = None
        self._rows = RowsByGame()
        """The rows of the current reading so far; the quota may pause it."""
        self._rows_of_ms = 0
        self._lacks = ""
        self._is_connecting = False
        self._picture = Picture()
        self._stream = MirrorStream(
            self._picture, self.status, self._read_again, self._read_more, self._sleep
        )

    def parts(self) -> Sequence[str]:
        """Return the parts: the odds, and the results if the service has some."""
        return (_ALL, _RESULTS) if self._has_results else (_ALL,)

    def interval_s(self, part: str) -> float:
        """Return the pause until the next reading, as the quota allows."""
        if part == _RESULTS:
            most = _HOUR_S / RESULTS_S
            self._budget.plan_reading(_RESULTS, lambda: Reading(self._pages, 0.1, 1.0, most))
            return self._budget.period_s(_RESULTS)
        usual = self.every_s if self.spec.every_s is not None else PICTURE_S
        least = usual if self._stream.is_open or self.spec.every_s is not None else POLL_S
        period_s = self._period_s(least)
        self.status.plan(_plan_in_words(self._requests, period_s), self._now())
        return period_s

    def _period_s(self, least_s: float) -> float:
        """Return the pause between readings, at least this long, as the quota allows."""
        most = _HOUR_S / max(least_s, self._requests * _REQUEST_S)
        self._budget.plan_reading(_ALL, lambda: Reading(self._requests, 1.0, 1.0, most))
        return self._budget.period_s(_ALL)

    def was_read(self, quote: Quote) -> bool:
        """Return whether the last reading had a whole market; what it lacks stays and ages."""
        if self._reading is None:
            return False
        game = game_id(quote.competition, quote.match_name)
        coverage = self._reading.coverage
        names = coverage.bookmakers_read(quote.competition, game, quote.market_type)
        return names is None or quote.bookmaker in names

    async def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield the rows of readings, and the changes between them."""
        self.clock = clock
        both = merged(super().batches(clock), self._stream.streamed_batches(clock))
        try:
            async with contextlib.aclosing(both):
                async for batch in both:
                    yield batch
        finally:
            await self._use(None, "")

    async def read(self, part: str, now_ms: int) -> list[OddsRow] | list[ResultRow]:
        """Return every odds row of the service, or its latest results."""
        assert self.source.keys is not None
        key = await self.source.key()
        if key != self._key or self._client is None:
            client = Client(self._address, key, clock=self.clock, keeps_quota=True)
            await self._use(client, key)
        assert self._client is not None
        if part == _RESULTS:
            try:
                return await self._latest_results(self._client, now_ms)
            except errors.ServiceError as error:
                raise _as_source_error(error, self.source.keys, self.clock()) from None
        if not self._stream.is_open:
            self._is_connecting = True
            await self._stream.tried(CONNECT_S)
            self._is_connecting = False
        try:
            if self._has_results is None:
                self._has_results = await self._client.offers(RESULTS_PATH)
            return await self._all_rows()
        except errors.ServiceError as error:
            raise _as_source_error(error, self.source.keys, self.clock()) from None

    def parse(self, part: str, answer: Any, now_ms: int) -> Sequence[Reported]:
        """Return the rows as quotes, or as results."""
        if part == _RESULTS:
            return list(self._readable(answer, now_ms))
        return [_quote(row, now_ms) for row in answer]

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Store the quotes, since streamed changes apply to them."""
        if part != _ALL:
            return
        self._stream.correct(self._picture.take_picture(quotes, self.was_read), now_ms)
        self._stream.catch_up()

    def remark(self) -> str:
        """Return what the reading lacks."""
        return self._lacks

    async def _all_rows(self) -> list[OddsRow]:
        assert self._reading is not None
        async with contextlib.aclosing(self._reading.read()) as slices:
            async for part in slices:
                if self._rows_of_ms != self._reading.began_ms:
                    self._rows, self._rows_of_ms = RowsByGame(), self._reading.began_ms
                for row in part.rows:
                    self._rows.add_row(row)
                self._requests = max(part.total or part.done, 1)
        rows, self._rows = self._rows.all_rows(), RowsByGame()
        self._requests = self._reading.requests
        self._lacks = unread_text(self._reading.unread)
        if self._lacks:
            _log.warning("mirror: %s", self._lacks)
        return rows

    async def _latest_results(self, client: Client, now_ms: int) -> list[ResultRow]:
        is_seldom = now_ms - self._looked_back_ms >= _HOUR_S * 1000
        since = now_ms - (_DAYS_MS if is_seldom else _HALF_DAY_MS)
        until = format_ms(now_ms + _SOON_MS)
        rows = [row async for row in client.all_results(since=format_ms(since), until=until)]
        self._pages = 1 + len(rows) // LIMIT
        if is_seldom:
            self._looked_back_ms = now_ms
        return rows

    def _readable(self, rows: Iterable[ResultRow], now_ms: int) -> Iterator[GameResult]:
        """Yield the results that make sense and are of real games."""
        for row in rows:
            try:
                result, _ = of_row(row, now_ms)
            except BadResultError as error:
                is_new = row.match_name not in self._odd_results
                if is_new and len(self._odd_results) < _MOST_LOGGED:
                    self._odd_results.add(row.match_name)
                    _log.warning("mirror: result of %s not read: %s", row.match_name, error)
                continue
            if not result.simulated:
                yield result

    async def _use(self, client: Client | None, key: str) -> None:
        before, self._client, self._key = self._client, client, key
        self._looked_back_ms, self._has_results = 0, None
        self._reading = None if client is None else WholeOdds(client, clock=self.clock)
        self._stream.use_client(client)
        if before is not None:
            await before.close()

    def _read_again(self) -> None:
        """Read again after a gap, unless this reading already waited for the stream."""
        if not self._is_connecting:
            if self._reading is not None:
                self._reading.start_over()
            self.read_soon(_ALL)

    def _read_more(self) -> None:
        """Read a new market fully, since the stream lacks details; as often as without one."""
        self.read_soon(_ALL, round(self._period_s(POLL_S) * 1000))

    def _now(self) -> int:
        return self.clock()


def _plan_in_words(requests: int, period_s: float) -> str:
    counted = N_("one request") if requests == 1 else N_(f"{requests:,} requests")
    return N_(f"everything in {counted}, {every((period_s,))}")


def _quote(row: OddsRow, now_ms: int) -> Quote:
    """Return a row as a quote; a row with an unreadable time changes nothing."""
    unread = dict(row.unread) if isinstance(row, RowInPart) else {}
    scraped_at, kick_off = _time(row.scraped_at), _time(row.match_date)
    if scraped_at is None:
        unread.setdefault(UNNAMED, f"scraped_at: {shown(row.scraped_at)}")
    return Quote(
        bookmaker=row.bookmaker,
        match_name=row.match_name,
        competition=row.competition,
        market_type=row.market_type,
        period=row.period,
        odds={} if scraped_at is None else row.odds,
        scraped_at=now_ms if scraped_at is None else scraped_at,
        is_live=row.is_live,
        match_date=kick_off,
        url=row.url,
        liquidity=row.liquidity,
        sport=sport_in(row),
        offers=row.offers or None,
        unread=unread or None,
    )


def _time(text: str | None) -> int | None:
    try:
        return None if text is None else parse_ms(text)
    except ValueError:
        return None


def _as_source_error(error: errors.ServiceError, keys: KeySource, now_ms: int) -> SourceError:
    if isinstance(error, errors.UnauthorizedError):
        return KeyRefusedError(f"{error.message}; {keys.advice()}")
    if isinstance(error, errors.ForbiddenError):
        return KeyRefusedError(error.message)
    if isinstance(error, errors.RateLimitedError):
        return TooFastError(error.message, max((error.retry_at_ms - now_ms) / 1000, 1.0))
    if isinstance(error, errors.MalformedAnswerError):
        return ShapeError(error.message)
    return SourceError(error.message)


GATHER_S: Final = 0.05
"""How long changes are collected before they are recorded together."""
MOST_WAITING: Final = 20_000
"""Most changes held; beyond that the service has to wait, or ends the stream."""
OTHER_PLAN_S: Final = 6 * 3600.0
TRY_AGAIN_S: Final = 60.0


T = TypeVar("T")

MarketOf = tuple[str, str, str, str, int]


class Picture:
    """The last quote of each market of each bookmaker."""

    def __init__(self) -> None:
        self._quotes: dict[MarketOf, list[Quote]] = {}
        """One quote per game: games of a series share their names."""
        self._games: dict[tuple[str, str], list[Quote]] = {}
        """Any quote of each game with these names."""
        self._told: dict[MarketOf, dict[str, int]] = {}
        """When a message last priced each selection, by the service's time (ms)."""

    def take_picture(
        self, quotes: Iterable[Quote], was_read: Callable[[Quote], bool] = lambda _quote: True
    ) -> list[Quote]:
        """Take in a reading; keep later prices of the stream, and quotes that were not read.

        Returns:
            Quotes with later messages for some selections: those as in the messages, the others as
            in the reading.
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
        """Return whether a message may mean several games of a series, as it has no kick-off.

        If the bookmaker prices only one of these games in this market, that game is meant.
        """
        games = self._games.get((message.competition, message.match_name), ())
        return len(games) > 1 and len(self._quotes.get(_market_of(message), ())) != 1

    def knows_market(self, message: PriceMessage) -> bool:
        """Return whether a reading or an earlier message had the market, and so url and limit."""
        return _market_of(message) in self._quotes

    def is_newer_than(self, message: PriceMessage) -> bool:
        """Return whether the market has a later price than a message."""
        held = self._quotes.get(_market_of(message), ())
        try:
            at_ms = parse_ms(message.scraped_at)
            return bool(held) and max(quote.scraped_at for quote in held) > at_ms
        except ValueError:  # reported when the message is applied
            return False

    def apply_change(self, message: PriceMessage, now_ms: int) -> Quote | None:
        """Return the quote that a message makes; None for a game that is not known yet.

        Raises:
            BadQuoteError, ValueError: the message makes no sense.
        """
        games = self._games.get((message.competition, message.match_name))
        if not games:
            return None
        held = next(iter(self._quotes.get(_market_of(message), ())), None)
        game = games[0] if held is None else held
        offers = dict(held.offers or {}) if held is not None else {}
        unread = dict(held.unread or {}) if held is not None else {}
        unread.pop(message.selection, None)
        offers.pop(message.selection, None)  # the amounts for sale at the earlier odds
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
    """Listens as long as there is a client with a valid key; ``is_open`` while connected.

    ``read_again`` is called when changes were missed: with each connection, and for a game that no
    reading had. ``read_more`` is called for a new market, since the stream does not have its url.
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
        """Messages about unknown games, with their times (ms); a reading may bring the game."""
        self._has_tried = asyncio.Event()
        self.is_open = False

    async def tried(self, limit_s: float) -> None:
        """Wait until it is known whether there is a stream, at most this long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._has_tried.wait()

    def use_client(self, client: Client | None) -> None:
        """Use this client from now on."""
        self._client = client
        self._has_tried.clear()
        if client is None:
            self._has_client.clear()
        else:
            self._has_client.set()

    def catch_up(self) -> None:
        """Apply the messages that arrived while the reading was under way."""
        early, self._early = self._early, []
        for message, now_ms in early:
            if not self._picture.is_newer_than(message):
                self._note_change(message, now_ms)

    def correct(self, quotes: Iterable[Quote], now_ms: int) -> None:
        """Record quotes that combine a reading and later messages."""
        for quote in quotes:
            with suppress(BadQuoteError):  # reported when it was taken in
                self._changes.append(check_quote(quote, now_ms))
                self._has_changes.set()

    async def streamed_batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the changes, without end."""
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
            await cancel_tasks(listening)

    async def _listen(self, clock: Clock) -> None:
        while True:
            await self._has_client.wait()
            client = self._client
            assert client is not None
            wait_s, began = TRY_AGAIN_S, clock()
            try:
                async with aclosing(client.stream(on_state=self._note)) as messages:
                    async for message in messages:
                        self._status.aside_over("stream", N_("the stream is back"), began, clock())
                        await self._take(message, clock())
            except errors.ForbiddenError as error:
                line = N_(f"no stream, so all odds are read more often: {error.message}")
                self._status.aside("stream", line)
                wait_s = OTHER_PLAN_S if error.is_about_plan else TRY_AGAIN_S
            except errors.ServiceError as error:
                self._status.aside("stream", N_(f"no stream: {error.message}"))
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
        """Store the change in a message; return False if its game is unknown."""
        if self._picture.is_doubtful(message):
            self._read_more()  # the reading shows which game it is
            return True
        is_new = not self._picture.knows_market(message)
        try:
            quote = self._picture.apply_change(message, now_ms)
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
    """Return a reading's quote with the later prices of some selections."""

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
    """Replace the quote of the same game, or add it."""
    for at, one in enumerate(held):
        if not are_apart(one.match_date, quote.match_date):
            held[at] = quote
            return
    held.append(quote)
