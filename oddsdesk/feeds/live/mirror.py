"""Another service of the contract as a feed: all its odds by polling, and its stream between."""

import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from typing import Any, ClassVar, Final

from oddsdesk.client.addresses import read_addresses
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.errors import (
    AddressError,
    ForbiddenError,
    MalformedAnswerError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.client.kick_offs import RowsByGame
from oddsdesk.client.partial_answers import RowInPart
from oddsdesk.client.whole_odds import WholeOdds, unread_text
from oddsdesk.clock import Clock
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.quoting import shown
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.exchange_guides import MirrorGuide
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.feeds.live.merging import merged
from oddsdesk.feeds.live.mirror_stream import MirrorStream, Picture
from oddsdesk.feeds.live.polling import PollingFeed
from oddsdesk.feeds.live.source import KeyUse
from oddsdesk.interval_words import every
from oddsdesk.poll_rates import Reading

PICTURE_S: Final = 300.0
"""How often the whole picture is read while changes are streamed, which tell of no withdrawal."""
POLL_S: Final = 20.0
"""How often without a stream, where the quota has room."""
CONNECT_S: Final = 5.0
"""How long a picture waits for the stream: what changes meanwhile is then told."""
_REQUEST_S: Final = 0.3
"""Seconds between two pictures for each request of one, at least: the service has others, too."""
_ALL: Final = "everything"
_HOUR_S: Final = 3_600

_log = logging.getLogger(__name__)


class Mirror(PollingFeed):
    """Reads every odds row in slices within the quota, and streams changes between."""

    source_name: ClassVar[str] = "mirror"
    base_url: ClassVar[str] = ""
    guide = MirrorGuide
    floor_s: ClassVar[float] = PICTURE_S
    says_everything: ClassVar[bool] = True
    key_use: ClassVar[KeyUse | None] = KeyUse(header="X-Api-Key")

    def prepare(self) -> None:
        """Check the address; nothing is asked yet."""
        self._address = self.spec.url or self.spec.what[0]
        try:
            addresses = read_addresses(self._address, None, None)
        except AddressError as error:
            raise FeedError(f"feed mirror: {error}") from None
        if addresses.warning:
            _log.warning("mirror: %s", addresses.warning)
        self._key = ""
        self._client: Client | None = None
        self._budget = Budget(self._now, lambda: self._client.quota if self._client else None)
        self._requests = 1
        self._reading: WholeOdds | None = None
        self._rows = RowsByGame()
        """What the picture under way holds so far: the quota may stop it for a while."""
        self._rows_of_ms = 0
        self._lacks = ""
        self._is_connecting = False
        self._picture = Picture()
        self._stream = MirrorStream(
            self._picture, self.status, self._read_again, self._read_more, self._sleep
        )

    def parts(self) -> Sequence[str]:
        """Return the one thing that is read."""
        return (_ALL,)

    def interval_s(self, part: str) -> float:
        """Return how long until the next picture, as the quota allows."""
        usual = self.every_s if self.spec.every_s is not None else PICTURE_S
        least = usual if self._stream.is_open or self.spec.every_s is not None else POLL_S
        period_s = self._period_s(least)
        self.status.plan(_plan_in_words(self._requests, period_s), self._now())
        return period_s

    def _period_s(self, least_s: float) -> float:
        """Return how often a picture is read at most so often, as the quota allows."""
        most = _HOUR_S / max(least_s, self._requests * _REQUEST_S)
        self._budget.plan(_ALL, lambda: Reading(self._requests, 1.0, 1.0, most))
        return self._budget.period_s(_ALL)

    def was_read(self, quote: Quote) -> bool:
        """Return whether the last picture held all of a market; what it did not stays, and ages."""
        if self._reading is None:
            return False
        game = game_id(quote.competition, quote.match_name)
        coverage = self._reading.coverage
        names = coverage.bookmakers(quote.competition, game, quote.market_type)
        return names is None or quote.bookmaker in names

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the rows of pictures, and between them those of what changed."""
        self.clock = clock
        both = merged(super().batches(clock), self._stream.batches(clock))
        try:
            async with contextlib.aclosing(both):
                async for batch in both:
                    yield batch
        finally:
            await self._use(None, "")

    async def read(self, part: str, now_ms: int) -> list[OddsRow]:
        """Return every odds row of the service."""
        assert self.source.keys is not None
        key = await self.source.key()
        if key != self._key or self._client is None:
            client = Client(self._address, key, clock=self.clock, keeps_quota=True)
            await self._use(client, key)
        assert self._client is not None
        if not self._stream.is_open:
            self._is_connecting = True
            await self._stream.tried(CONNECT_S)
            self._is_connecting = False
        try:
            return await self._all_rows()
        except ServiceError as error:
            raise _as_source_error(error, self.source.keys, self.clock()) from None

    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return the rows as quotes."""
        return [_quote(row, now_ms) for row in answer]

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Keep the quotes, since streamed changes apply to them."""
        self._stream.correct(self._picture.take(quotes, self.was_read), now_ms)
        self._stream.catch_up()

    def remark(self) -> str:
        """Return what the picture lacks."""
        return self._lacks

    async def _all_rows(self) -> list[OddsRow]:
        assert self._reading is not None
        async with contextlib.aclosing(self._reading.read()) as slices:
            async for part in slices:
                if self._rows_of_ms != self._reading.began_ms:
                    self._rows, self._rows_of_ms = RowsByGame(), self._reading.began_ms
                for row in part.rows:
                    self._rows.add(row)
                self._requests = max(part.total or part.done, 1)
        rows, self._rows = self._rows.all(), RowsByGame()
        self._requests = self._reading.requests
        self._lacks = unread_text(self._reading.unread)
        if self._lacks:
            _log.warning("mirror: %s", self._lacks)
        return rows

    async def _use(self, client: Client | None, key: str) -> None:
        before, self._client, self._key = self._client, client, key
        self._reading = None if client is None else WholeOdds(client, clock=self.clock)
        self._stream.use(client)
        if before is not None:
            await before.close()

    def _read_again(self) -> None:
        """Read again after a gap, but not where a stream was waited for before this reading."""
        if not self._is_connecting:
            if self._reading is not None:
                self._reading.start_over()
            self.read_soon(_ALL)

    def _read_more(self) -> None:
        """Read what the stream does not tell of a new market, as often as without a stream."""
        self.read_soon(_ALL, round(self._period_s(POLL_S) * 1000))

    def _now(self) -> int:
        return self.clock()


def _plan_in_words(requests: int, period_s: float) -> str:
    counted = "one request" if requests == 1 else f"{requests:,} requests"
    return f"everything in {counted}, {every((period_s,))}"


def _quote(row: OddsRow, now_ms: int) -> Quote:
    """Return a row as a quote; one with a time that cannot be read leaves what is recorded."""
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


def _as_source_error(error: ServiceError, keys: KeySource, now_ms: int) -> SourceError:
    if isinstance(error, UnauthorizedError):
        return KeyRefusedError(f"{error.message}; {keys.advice()}")
    if isinstance(error, ForbiddenError):
        return KeyRefusedError(error.message)
    if isinstance(error, RateLimitedError):
        return TooFastError(error.message, max((error.retry_at_ms - now_ms) / 1000, 1.0))
    if isinstance(error, MalformedAnswerError):
        return ShapeError(error.message)
    return SourceError(error.message)
