"""The base of feeds that poll a service, for our adapters and those of other packages.

If an answer still has other lines of a market, the store removes the missing ones at once. This
module handles markets that are missing entirely, and games that the source now has under another
name or kick-off.
"""

import asyncio
import logging
from abc import abstractmethod
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.tasks import cancel_tasks, in_daemon_thread, spawn
from oddsdesk.base.texts import N_
from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.contract.quotes import (
    CLOCK_TOLERANCE_MS,
    BadQuoteError,
    Quote,
    bad_part_words,
    check_quote,
)
from oddsdesk.contract.results import BadResultError, GameResult, Reported, check_result
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    OutOfCreditsError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.keys import GivenKey, KeySource
from oddsdesk.feeds.live.live_feed import LiveFeed, LiveSpec, cut
from oddsdesk.feeds.live.source import KeyUse, Source
from oddsdesk.matching.games import SAME_START_MS
from oddsdesk.network import Backoff

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

MarketOf = tuple[str, str, str, str, int]
"""Competition, game, bookmaker, market type, period."""


class _Held(msgspec.Struct):
    quote: Quote
    ident: str | None
    """The source's id of the game."""
    is_missed: bool = False

    @property
    def offer_key(self) -> tuple[str | None, str, str, int]:
        """The key of the market, whatever the game is named."""
        return self.ident, self.quote.bookmaker, self.quote.market_type, self.quote.period


class Withdrawals:
    """The last quotes of one part of a source; ``withdrawn_after`` returns what is missing now.

    ``ident_of`` returns the source's id of a quote's game in the last answer. With ``at_once`` one
    answer is enough, because the source is known to send everything.
    """

    def __init__(
        self,
        ident_of: Callable[[Quote], str | None] = attrgetter("event"),
        *,
        at_once: bool = False,
    ) -> None:
        self._ident_of = ident_of
        self._at_once = at_once
        self._held: dict[MarketOf, list[_Held]] = {}

    def withdrawn_after(
        self,
        quotes: Collection[Quote],
        now_ms: int,
        was_read: Callable[[Quote], bool] = lambda _quote: True,
    ) -> list[Quote]:
        """Take in a good answer; return quotes that remove what two answers in a row lack.

        Markets that the answer could not include, by ``was_read``, stay.

        The quotes have the time of the answer by the source's own clock: by ours, a price that
        returns could look older than its removal. Record them before the answer: a renamed game may
        be the same game there, and then gets its prices back.
        """
        said = self._by_market(quotes)
        now = [held for each in said.values() for held in each if held.ident is not None]
        offers = {held.offer_key: held.quote for held in now}
        games = {held.ident: held.quote for held in now}
        newest = max((held.quote.scraped_at for each in said.values() for held in each), default=0)
        at_ms = min(newest, now_ms) or now_ms
        gone: list[Quote] = []
        for market, held in self._held.items():
            present = said.setdefault(market, [])
            for each in held:
                game = games.get(each.ident)
                if game is not None and _is_moved(each.quote, game):
                    later = offers.get(each.offer_key)
                    gone.append(_withdrawn(each.quote, later.scraped_at if later else at_ms))
                elif any(_is_same_game(each.quote, other.quote) for other in present):
                    continue
                elif not was_read(each.quote):
                    present.append(each)
                elif each.is_missed or self._at_once:
                    gone.append(_withdrawn(each.quote, at_ms))
                else:
                    present.append(_Held(each.quote, each.ident, is_missed=True))
        self._held = {market: held for market, held in said.items() if held}
        return gone

    def _by_market(self, quotes: Iterable[Quote]) -> dict[MarketOf, list[_Held]]:
        said: dict[MarketOf, list[_Held]] = {}
        for quote in quotes:
            market = (
                quote.competition,
                quote.match_name,
                quote.bookmaker,
                quote.market_type,
                quote.period,
            )
            if quote.odds or quote.unread:
                said.setdefault(market, []).append(_Held(quote, self._ident_of(quote)))
        return said


def _is_moved(quote: Quote, now: Quote) -> bool:
    """Return whether a source renamed or moved the game with one id; perhaps another game.

    A kick-off that moves by less is the same game everywhere.
    """
    if (quote.competition, quote.match_name) != (now.competition, now.match_name):
        return True
    if quote.match_date is None or now.match_date is None:
        return False
    return abs(quote.match_date - now.match_date) > SAME_START_MS


def _is_same_game(one: Quote, other: Quote) -> bool:
    """Tells apart two games of the same teams on one day; a kick-off may move."""
    if one.event is not None and other.event is not None:
        return one.event == other.event
    if one.match_date is None or other.match_date is None:
        return True
    return abs(one.match_date - other.match_date) <= SAME_GAME_MS


def _withdrawn(quote: Quote, at_ms: int) -> Quote:
    at_ms = max(at_ms, quote.scraped_at)
    return msgspec.structs.replace(
        quote, odds={}, unread=None, gone=(), dropped=(), scraped_at=at_ms, liquidity=None
    )


_Market = tuple[str | None, str, str, str, str, int]


class SourceTimes:
    """Corrects the times of one part of a source that lie in the future."""

    def __init__(self) -> None:
        self._ahead: dict[_Market, int] = {}
        """Request times of markets for which the source gave a future time."""

    def settled(self, quotes: Iterable[Quote], now_ms: int) -> Iterator[Quote]:
        """Yield the quotes of an answer, none older than the quote that it corrects.

        After a wrong future time, the next quote may have an earlier one.
        """
        before, self._ahead = self._ahead, {}
        for quote in quotes:
            market = _market_of(quote)
            at_ms = not_ahead(max(quote.scraped_at, before.get(market, 0)), now_ms)
            if at_ms != quote.scraped_at:
                self._ahead[market] = at_ms
                quote = msgspec.structs.replace(quote, scraped_at=at_ms)
            yield quote


def not_ahead(scraped_at: int, now_ms: int) -> int:
    """Return the time of a price, ours if its own is in the future; too far ahead is refused."""
    is_ahead = now_ms < scraped_at <= now_ms + CLOCK_TOLERANCE_MS
    return now_ms if is_ahead else scraped_at


def _market_of(quote: Quote) -> _Market:
    return (
        quote.event,
        quote.competition,
        quote.match_name,
        quote.bookmaker,
        quote.market_type,
        quote.period,
    )


Sleep = Callable[[float], Awaitable[None]]

ASK_AGAIN_S: Final = 600.0
"""Seconds until a source that refused the key is tried again."""
CREDITS_AGAIN_S: Final = 900.0
"""Seconds between two checks for new credits."""
LOOK_FOR_KEY_S: Final = 2.0
"""Seconds between checks for a changed key, while waiting for a key or credits."""
LOOK_AGAIN_S: Final = 60.0
"""Seconds between checks whether something is due earlier than planned."""
SOON_MS: Final = 1_000
PARSE_S: Final = 30.0
"""The longest time for parsing one answer."""

NO_GAMES: Final = N_("no games now")
NO_PRICES: Final = N_("games, but no prices now")

_log = logging.getLogger(__name__)


class _Part(msgspec.Struct):
    """One part that is polled, with the result of its last reading."""

    withdrawals: Withdrawals
    due: int = 0
    """When it is read next, in milliseconds."""
    wanted: int | None = None
    """When ``read_soon`` wants it, in milliseconds; None if it does not."""
    began: int = 0
    """When it was read last, in milliseconds."""
    trouble: str = ""
    left_out: int = 0
    """Number of unreadable prices in its last good answer."""
    is_empty: bool = False
    """Whether its last good answer held no prices."""
    backoff: Backoff = msgspec.field(default_factory=Backoff)
    times: SourceTimes = msgspec.field(default_factory=SourceTimes)


class PollingFeed(LiveFeed):
    """Polls a service for each wanted part, and turns its answers into quotes and results.

    An adapter implements ``read``, which requests a part through ``self.source``, and ``parse``,
    which turns an answer into quotes and results. This class does the rest: the key, limits on time
    and size, the pauses between readings and after failures, the feed's state, and removing prices
    that are no longer offered.

    Class attributes:
        source_name: The feed's name on the command line.
        base_url: The service's address; ``url=`` replaces it.
        floor_s: The least seconds between two readings of a part; ``every=`` replaces it.
        key_use: Where the service wants its key; None if it needs none.
        says_everything: Whether one good answer is enough to remove what it lacks; else two are.
        options: Names of the adapter's options besides the common ones.
    """

    source_name: ClassVar[str]
    base_url: ClassVar[str]
    floor_s: ClassVar[float] = 60.0
    key_use: ClassVar[KeyUse | None] = None
    says_everything: ClassVar[bool] = False
    options: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, spec: LiveSpec, *, sleep: Sleep = asyncio.sleep) -> None:
        super().__init__(self.source_name)
        spec.refuse_unknown(self.options)
        self.spec = spec
        self.every_s = spec.every_s or self.floor_s
        self._keys = None if self.key_use is None else KeySource(self.source_name, spec.key_file)
        self._sources: list[Source] = []
        self.source = self.open_source(spec.url or self.base_url)
        self.clock: Clock = system_clock
        self._sleep = sleep
        self._woken = asyncio.Event()
        self._parts: dict[str, _Part] = {}
        self._looked_at = 0
        self.prepare()

    def prepare(self) -> None:
        """Check ``self.spec`` once; raise ``FeedError`` if it makes no sense."""

    def open_source(self, url: str) -> Source:
        """Return another host of the service, for adapters that use several."""
        source = Source(url, self._keys, self.key_use, self.judge)
        self._sources.append(source)
        return source

    def use_key(self, key: str) -> None:
        """Use this key, whatever other key is stored."""
        for source in self._sources:
            source.keys = GivenKey(key)

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        for source in self._sources:
            await source.close()

    @property
    def account(self) -> str | None:
        """Identifies the last used key without revealing it."""
        return self.source.account

    def parts(self) -> Sequence[str]:
        """Return the parts that are read separately, such as competitions; called before each."""
        return self.spec.what

    @abstractmethod
    async def read(self, part: str, now_ms: int) -> Any:
        """Request one part from ``self.source`` and return the raw answer.

        Raises:
            SourceError: of the kind that tells how to continue; ``self.source`` raises it.
        """

    @abstractmethod
    def parse(self, part: str, answer: Any, now_ms: int) -> Sequence[Reported]:
        """Return all quotes and results of an answer; runs in a separate thread.

        ``scraped_at`` is the source's own time of a price, else ``now_ms``; a time in the future
        becomes ``now_ms``. Prices that an answer no longer has are removed by this class, not by
        the adapter.

        Raises:
            ShapeError: the answer has another shape; the message names the field.
        """

    def judge(self, reply: "Reply") -> None:
        """Inspect every answer first: count credits, raise the error behind a refusal."""

    def interval_s(self, part: str) -> float:
        """Return the pause between two readings of a part."""
        return self.every_s

    def not_before(self, now_ms: int) -> Mapping[str, int]:
        """Return times before which parts are not read, by name; called every minute."""
        return {}

    def emptiness(self) -> str:
        """Return why no prices come although the source answers; empty if prices come."""
        return NO_PRICES if all(part.is_empty for part in self._parts.values()) else ""

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Receive the quotes of a good answer, for adapters that learn from them."""

    def ident_of(self, quote: Quote) -> str | None:
        """Return the source's id of a quote's game in the last answer.

        A game whose name changed is removed at once. None if the source has no such ids.
        """
        return quote.event

    def left_out(self, part: str) -> int:
        """Return the number of unreadable prices in the last good answer."""
        return 0

    def remark(self) -> str:
        """Return what is wrong although the source answers; empty if nothing is."""
        count = sum(state.left_out for state in self._parts.values())
        return N_(f"prices left out as unreadable: {count:,}") if count else ""

    def failed(self, part: str, error: Exception, now_ms: int) -> None:
        """Note a failed reading, for adapters that pay even for those."""

    async def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield the quotes and results of all readings, without end."""
        self.clock = clock
        try:
            while True:
                part, due = self._next_part(clock())
                if (wait_s := (due - clock()) / 1000) > 0:
                    await self._rest(min(wait_s, LOOK_AGAIN_S))
                    continue
                for batch in cut(await self._take_turn(part, clock)):
                    yield batch
        finally:
            await self.close()

    def was_read(self, quote: Quote) -> bool:
        """Return whether the last answer would have included a quote's market.

        If not, nothing of it is removed.
        """
        return True

    def read_soon(self, part: str, after_ms: int = SOON_MS) -> None:
        """Read a part once this much time has passed since its last reading."""
        state = self._parts.get(part)
        if state is not None:
            wanted = max(self.clock(), state.began + after_ms)
            state.wanted = wanted if state.wanted is None else min(state.wanted, wanted)
            self._woken.set()

    async def _rest(self, seconds: float) -> None:
        """Sleep, or until something is due earlier."""
        self._woken.clear()
        sleeping = spawn(f"{self.name} rests", _finished(self._sleep(seconds)))
        waking = spawn(f"{self.name} is woken", _finished(self._woken.wait()))
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_tasks(sleeping, waking)

    def _next_part(self, now_ms: int) -> tuple[str, int]:
        """Return the part that is due first, and when; new parts are due at once."""
        self._parts = {
            part: self._parts.get(part) or _Part(withdrawals=self._withdrawals())
            for part in self.parts()
        }
        self._go_back(now_ms)
        paced = self.not_before(now_ms)
        dues = {
            part: max(state.due, paced.get(part, 0)) if state.wanted is None else state.wanted
            for part, state in self._parts.items()
        }
        part = min(dues, key=lambda part: dues[part])
        return part, dues[part]

    def _withdrawals(self) -> Withdrawals:
        return Withdrawals(self.ident_of, at_once=self.says_everything)

    def _go_back(self, now_ms: int) -> None:
        """Move due times back with a clock that was set back, else nothing would be read."""
        back_ms, self._looked_at = self._looked_at - now_ms, now_ms
        if back_ms > CLOCK_TOLERANCE_MS:
            for state in self._parts.values():
                state.due -= back_ms
                state.began -= back_ms
                state.wanted = None if state.wanted is None else state.wanted - back_ms

    async def _wait_until(self, due: int, clock: Clock) -> None:
        if (wait_s := (due - clock()) / 1000) > 0:
            await self._sleep(wait_s)

    async def _take_turn(self, part: str, clock: Clock) -> list[Reported]:
        """Read a part; after a failure set the state, wait as needed, and return nothing."""
        began = clock()
        state = self._parts[part]
        state.began, state.wanted = began, None
        try:
            quotes, results = await self._reported_of(part, began)
        except KeyRefusedError as error:
            await self._wait_for_key(str(error), clock)
        except OutOfCreditsError as error:
            await self._wait_for_credits(str(error), clock)
        except TooFastError as error:
            wait_s = max(error.wait_s, state.backoff.next_s())
            state.due = until = clock() + round(wait_s * 1000)
            self.status.waiting(str(error), clock(), until)
            await self._wait_until(until, clock)
        except SourceError as error:
            self._note_failure(part, f"{part}: {error}", error, clock())
        except Exception as error:  # noqa: BLE001 - border: other adapters raise anything
            trouble = f"{part}: {type(error).__name__}: {error}"
            if self.status.is_new(trouble):
                _log.exception("%s: reading %s failed", self.status.name, part)
            self._note_failure(part, trouble, error, clock())
        else:
            state.trouble = ""
            state.backoff.reset_waits()
            state.due = began + round(self.interval_s(part) * 1000)
            self.heard(part, quotes, began)
            state.is_empty = not quotes
            state.left_out = self.left_out(part)
            self._tell(clock())
            self._tell_emptiness(clock())
            gone = state.withdrawals.withdrawn_after(quotes, began, self.was_read)
            return [*gone, *quotes, *results]
        return []

    async def _reported_of(self, part: str, now_ms: int) -> tuple[list[Quote], list[GameResult]]:
        answer = await self.read(part, now_ms)
        times = self._parts[part].times

        def parse_answer() -> tuple[list[Quote], list[GameResult]]:
            quotes, results = _checked(self.parse(part, answer, now_ms), now_ms)
            return list(times.settled(quotes, now_ms)), results

        try:
            async with asyncio.timeout(PARSE_S):
                reported = await in_daemon_thread(f"parse {self.name}", parse_answer)
        except TimeoutError as error:
            raise SourceError(f"the answer could not be parsed within {PARSE_S:g} s") from error
        self.status.answered(now_ms)
        return reported

    def _note_failure(self, part: str, trouble: str, error: Exception, now_ms: int) -> None:
        self.failed(part, error, now_ms)
        state = self._parts[part]
        state.trouble = trouble
        state.due = now_ms + round(state.backoff.next_s() * 1000)
        self._tell(now_ms)

    def _tell_emptiness(self, now_ms: int) -> None:
        """Say in the plan that no prices come, unless the adapter has its own plan."""
        if self.status.now.plan in ("", NO_GAMES, NO_PRICES):
            self.status.plan(self.emptiness(), now_ms)

    def _tell(self, now_ms: int) -> None:
        troubles = {part: state for part, state in self._parts.items() if state.trouble}
        if not troubles:
            self.status.running(now_ms)
            if said := self.remark():
                self.status.remark(said, now_ms)
            return
        paced = self.not_before(now_ms)
        until = min(max(state.due, paced.get(part, 0)) for part, state in troubles.items())
        first, more = next(iter(troubles.values())).trouble, len(troubles) - 1
        self.status.failing(N_(f"{first} (and {more} more)") if more else first, now_ms, until)

    async def _wait_for_key(self, reason: str, clock: Clock) -> None:
        """Wait ten minutes, or until the key is another one than the refused one."""
        self.status.refused(reason, clock(), clock() + round(ASK_AGAIN_S * 1000))
        await self._wait_or_other_key(ASK_AGAIN_S)

    async def _wait_or_other_key(self, seconds: float) -> None:
        """Wait some seconds, whatever happens to the clock, or until the key changes."""
        known = await self._present_key()
        while seconds > 0 and await self._present_key() == known:
            await self._sleep(min(LOOK_FOR_KEY_S, seconds))
            seconds -= LOOK_FOR_KEY_S

    async def _present_key(self) -> str | None:
        try:
            return None if self.source.keys is None else await self.source.keys.find()
        except KeyRefusedError:
            return None

    async def _wait_for_credits(self, reason: str, clock: Clock) -> None:
        """Wait until ``has_credits``: checked every 15 minutes and when the key changes."""
        has_credits = False
        while not has_credits:
            until = clock() + round(CREDITS_AGAIN_S * 1000)
            self.status.out_of_credits(reason, clock(), until)
            await self._wait_or_other_key(CREDITS_AGAIN_S)
            has_credits = await self._look_for_credits(clock)

    async def _look_for_credits(self, clock: Clock) -> bool:
        while True:
            try:
                return await self.has_credits()
            except KeyRefusedError as error:
                await self._wait_for_key(str(error), clock)
            except SourceError as error:
                self.status.aside("credits", N_(f"cannot check the credits: {error}"))
                return False

    async def has_credits(self) -> bool:
        """Return whether there are credits again; called every quarter of an hour."""
        return True


async def _finished(waiting: Awaitable[object]) -> None:
    await waiting


def _checked(reported: Iterable[Reported], now_ms: int) -> tuple[list[Quote], list[GameResult]]:
    """Return the valid quotes and results; an answer without any has another shape."""
    quotes, results, kept, bad = list[Quote](), list[GameResult](), 0, ""
    for each in reported:
        try:
            if isinstance(each, GameResult):
                results.append(check_result(each, now_ms))
                kept += 1
                continue
            checked = check_quote(each, now_ms)
        except (BadQuoteError, BadResultError) as error:
            bad = bad or str(error)
        else:
            bad = bad or bad_part_words(checked)
            kept += bool(checked.odds) or not checked.unread
            quotes.append(checked)
    if bad and not kept:
        raise ShapeError(f"nothing in it is readable: {bad}")
    if bad:
        _log.info("unreadable parts are left out: %s", bad)
    return quotes, results
