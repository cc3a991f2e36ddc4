"""The base of feeds that poll a service; our adapters and those of other packages extend it."""

import asyncio
import logging
from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.quotes import (
    CLOCK_TOLERANCE_MS,
    BadQuoteError,
    Quote,
    bad_part_words,
    check_quote,
)
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    OutOfCreditsError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.keys import GivenKey, KeySource
from oddsdesk.feeds.live.live_feed import LiveFeed, cut
from oddsdesk.feeds.live.source import KeyUse, Source
from oddsdesk.feeds.live.source_times import SourceTimes
from oddsdesk.feeds.live.spec import LiveSpec
from oddsdesk.feeds.live.withdrawals import Withdrawals
from oddsdesk.network.backoff import Backoff
from oddsdesk.tasks import in_daemon_thread, spawn, stop

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

Sleep = Callable[[float], Awaitable[None]]

ASK_AGAIN_S: Final = 600.0
"""Seconds until a source is asked again that refused the key."""
CREDITS_AGAIN_S: Final = 900.0
"""Seconds between two looks at whether there are credits again."""
LOOK_FOR_KEY_S: Final = 2.0
"""How often a feed that waits for a key or credits looks whether there is another key."""
LOOK_AGAIN_S: Final = 60.0
"""How often it is checked whether something is due sooner than planned."""
SOON_MS: Final = 1_000
PARSE_S: Final = 30.0
"""How long the reading of one answer may take."""

NO_GAMES: Final = "no games now"
NO_PRICES: Final = "no games with prices now"

_log = logging.getLogger(__name__)


class _Part(msgspec.Struct):
    """One thing that is polled, with the outcome of its last reading."""

    withdrawals: Withdrawals
    due: int = 0
    """When it is read next, in milliseconds."""
    wanted: int | None = None
    """When ``read_soon`` wants it, in milliseconds; None where it does not."""
    began: int = 0
    """When it was read last, in milliseconds."""
    trouble: str = ""
    left_out: int = 0
    """How many prices of its last good answer made no sense."""
    is_empty: bool = False
    """Whether its last good answer held no prices."""
    backoff: Backoff = msgspec.field(default_factory=Backoff)
    times: SourceTimes = msgspec.field(default_factory=SourceTimes)


class PollingFeed(LiveFeed):
    """Asks a service for each part of what is wanted, and turns its answers into quotes.

    An adapter says in ``read`` what to ask, through ``self.source``, and in ``parse`` what an
    answer means. All else is done here: the key, limits on time and size, waiting between two
    readings and after failures, the feed's state, and withdrawing what is gone.

    Class attributes:
        source_name: What the feed is called on the command line.
        base_url: Where the service is; ``url=`` replaces it.
        floor_s: The least seconds between two readings of a part; ``every=`` replaces it.
        key_use: Where the service wants its key; None: it wants none.
        says_everything: Whether what one good answer lacks is gone; else it takes two.
        options: Names of the options that the adapter takes besides the common ones.
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
        """Check ``self.spec``, once; raise ``FeedError`` where it makes no sense."""

    def open_source(self, url: str) -> Source:
        """Return another host of the service, for adapters that use several."""
        source = Source(url, self._keys, self.key_use, self.judge)
        self._sources.append(source)
        return source

    def use_key(self, key: str) -> None:
        """Ask with this key, wherever another one is kept."""
        for source in self._sources:
            source.keys = GivenKey(key)

    async def close(self) -> None:
        """End the connections; a later question opens new ones."""
        for source in self._sources:
            await source.close()

    @property
    def account(self) -> str | None:
        """What stands for the key that was asked with last."""
        return self.source.account

    def parts(self) -> Sequence[str]:
        """Return what is read on its own: a competition, a page. Asked before each reading."""
        return self.spec.what

    @abstractmethod
    async def read(self, part: str, now_ms: int) -> Any:
        """Ask ``self.source`` for one part and return the answer as it came.

        Raises:
            SourceError: of the kind that says what comes of it. ``self.source`` raises it.
        """

    @abstractmethod
    def parse(self, part: str, answer: Any, now_ms: int) -> list[Quote]:
        """Return all quotes of an answer; runs in a thread of its own.

        ``scraped_at`` is the source's own time of a price, else ``now_ms``; one that lies ahead
        of that becomes it. What an answer does not hold any more is withdrawn here, not by the
        adapter.

        Raises:
            ShapeError: the answer is of another shape; names the field.
        """

    def judge(self, reply: "Reply") -> None:
        """Inspect every answer first: count credits, raise the error that a refusal means."""

    def interval_s(self, part: str) -> float:
        """Return how long after a reading of a part the next one begins."""
        return self.every_s

    def not_before(self, now_ms: int) -> Mapping[str, int]:
        """Return times before which parts are not read, by name; asked every minute."""
        return {}

    def emptiness(self) -> str:
        """Return why nothing comes although the source answers; empty where something comes."""
        return NO_PRICES if all(part.is_empty for part in self._parts.values()) else ""

    def heard(self, part: str, quotes: Sequence[Quote], now_ms: int) -> None:
        """Take the quotes of a good answer, for adapters that learn from them."""

    def ident_of(self, quote: Quote) -> str | None:
        """Return what the source calls the game of a quote of the last answer, whatever its name.

        What it was called before is withdrawn at once. None: the source has no such ids.
        """
        return quote.event

    def left_out(self, part: str) -> int:
        """Return how many prices of the last good answer made no sense."""
        return 0

    def remark(self) -> str:
        """Return what is wrong although the source answers; empty where nothing is."""
        count = sum(state.left_out for state in self._parts.values())
        return f"prices left out that make no sense: {count:,}" if count else ""

    def failed(self, part: str, error: Exception, now_ms: int) -> None:
        """Take that a reading failed, for adapters whose readings cost something all the same."""

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes of one reading after the other, for ever."""
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
        """Return whether the last answer would have said what is offered of a quote's market.

        Else nothing of it is withdrawn.
        """
        return True

    def read_soon(self, part: str, after_ms: int = SOON_MS) -> None:
        """Read a part as soon as so much time has passed since it was read last."""
        state = self._parts.get(part)
        if state is not None:
            wanted = max(self.clock(), state.began + after_ms)
            state.wanted = wanted if state.wanted is None else min(state.wanted, wanted)
            self._woken.set()

    async def _rest(self, seconds: float) -> None:
        """Wait, or until something is due sooner."""
        self._woken.clear()
        sleeping = spawn(f"{self.name} rests", _finished(self._sleep(seconds)))
        waking = spawn(f"{self.name} is woken", _finished(self._woken.wait()))
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await stop(sleeping, waking)

    def _next_part(self, now_ms: int) -> tuple[str, int]:
        """Return the part that is due soonest, and when; new parts are due at once."""
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
        """Have what is due follow a clock that was put back: it would not be read until then."""
        back_ms, self._looked_at = self._looked_at - now_ms, now_ms
        if back_ms > CLOCK_TOLERANCE_MS:
            for state in self._parts.values():
                state.due -= back_ms
                state.began -= back_ms
                state.wanted = None if state.wanted is None else state.wanted - back_ms

    async def _wait_until(self, due: int, clock: Clock) -> None:
        if (wait_s := (due - clock()) / 1000) > 0:
            await self._sleep(wait_s)

    async def _take_turn(self, part: str, clock: Clock) -> list[Quote]:
        """Read a part; after a failure set the state, wait as the error says, return nothing."""
        began = clock()
        state = self._parts[part]
        state.began, state.wanted = began, None
        try:
            quotes = await self._quotes_of(part, began)
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
        except Exception as error:  # noqa: BLE001 - border: adapters of others raise what they like
            trouble = f"{part}: {type(error).__name__}: {error}"
            if self.status.is_new(trouble):
                _log.exception("%s: reading %s failed", self.status.name, part)
            self._note_failure(part, trouble, error, clock())
        else:
            state.trouble = ""
            state.backoff.reset()
            state.due = began + round(self.interval_s(part) * 1000)
            self.heard(part, quotes, began)
            state.is_empty = not quotes
            state.left_out = self.left_out(part)
            self._tell(clock())
            self._tell_emptiness(clock())
            gone = state.withdrawals.after(quotes, began, self.was_read)
            return [*gone, *quotes]
        return []

    async def _quotes_of(self, part: str, now_ms: int) -> list[Quote]:
        answer = await self.read(part, now_ms)
        times = self._parts[part].times

        def work() -> list[Quote]:
            checked = list(_checked(self.parse(part, answer, now_ms), now_ms))
            return list(times.settled(checked, now_ms))

        try:
            async with asyncio.timeout(PARSE_S):
                quotes = await in_daemon_thread(f"parse {self.name}", work)
        except TimeoutError as error:
            raise SourceError(f"the answer could not be read within {PARSE_S:g} s") from error
        self.status.answered(now_ms)
        return quotes

    def _note_failure(self, part: str, trouble: str, error: Exception, now_ms: int) -> None:
        self.failed(part, error, now_ms)
        state = self._parts[part]
        state.trouble = trouble
        state.due = now_ms + round(state.backoff.next_s() * 1000)
        self._tell(now_ms)

    def _tell_emptiness(self, now_ms: int) -> None:
        """Say in the plan that nothing comes, unless the adapter has a plan of its own."""
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
        more = f" (and {len(troubles) - 1} more)" if len(troubles) > 1 else ""
        self.status.failing(next(iter(troubles.values())).trouble + more, now_ms, until)

    async def _wait_for_key(self, reason: str, clock: Clock) -> None:
        """Wait ten minutes, or until there is another key than the one that was refused."""
        self.status.refused(reason, clock(), clock() + round(ASK_AGAIN_S * 1000))
        await self._wait_or_other_key(ASK_AGAIN_S)

    async def _wait_or_other_key(self, seconds: float) -> None:
        """Wait so long by no clock that may be set, or until there is another key."""
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
        """Wait until ``has_credits``: asked every quarter of an hour, at once with another key."""
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
                self.status.aside("credits", f"cannot tell whether there are credits: {error}")
                return False

    async def has_credits(self) -> bool:
        """Return whether there are credits again; asked every quarter of an hour."""
        return True


async def _finished(waiting: Awaitable[object]) -> None:
    await waiting


def _checked(quotes: Iterable[Quote], now_ms: int) -> Iterable[Quote]:
    """Yield the valid quotes; an answer without any has another shape."""
    kept, bad = 0, ""
    for quote in quotes:
        try:
            checked = check_quote(quote, now_ms)
        except BadQuoteError as error:
            bad = bad or str(error)
        else:
            bad = bad or bad_part_words(checked)
            kept += bool(checked.odds) or not checked.unread
            yield checked
    if bad and not kept:
        raise ShapeError(f"no price makes sense: {bad}")
    if bad:
        _log.info("parts that make no sense are left out: %s", bad)
