"""Fetches The Odds API's history, snapshot by snapshot, for credits.

The answer to a moment is the snapshot at or before it, with the time of the next one. So no moment
between the two is requested later: its answer is known.
"""

import asyncio
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.times import format_ms
from oddsdesk.feeds import notation
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile
from oddsdesk.feeds.live.errors import (
    KeyRefusedError,
    NotAskedError,
    OutOfCreditsError,
    ShapeError,
    SourceError,
    TooFastError,
)
from oddsdesk.feeds.live.polling import Sleep
from oddsdesk.feeds.the_odds_api.importer import convert, moment
from oddsdesk.feeds.the_odds_api.live import TheOddsApi, read_refusal
from oddsdesk.network import Backoff

if TYPE_CHECKING:
    from oddsdesk.network.http import Reply

DEARER: Final = 10
"""How many times as much as live odds a snapshot costs."""
_TRIES: Final = 5
"""Requests for one snapshot, if the ones before cost nothing."""
_PLAIN: Final = MappingProxyType(
    {
        "HISTORICAL_UNAVAILABLE_ON_FREE_USAGE_PLAN": N_(
            "your plan has no history: The Odds API sells it with its paid plans"
        ),
        "UNKNOWN_SPORT": "The Odds API has no such sport; `oddsdesk feeds choices the-odds-api`"
        " lists those in season",
        "INVALID_HISTORICAL_TIMESTAMP": "The Odds API has no snapshot of that time; they begin in"
        " June 2020",
        "HISTORICAL_MARKETS_UNAVAILABLE_AT_DATE": "The Odds API has no snapshot of these markets at"
        " that time; begin later, or ask for h2h alone",
    }
)


class RefusedError(SourceError):
    """The service refuses the request itself; asking again changes nothing."""


class UnansweredError(SourceError):
    """No answer came; the request may have been charged."""


class _Envelope(msgspec.Struct, frozen=True):
    timestamp: str
    data: list[msgspec.Raw]
    next_timestamp: str | None = None


class Memory(msgspec.Struct):
    """What a database remembers of one competition, its markets and regions; times in ms."""

    covered: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """Spans whose snapshots were answered: first and last moment, in order."""
    asked: int | None = None
    """The moment of a request that had no answer yet."""
    answer: bytes = b""
    """An answer that is not recorded yet, packed."""

    def covers(self, at_ms: int) -> bool:
        """Return whether the snapshot of a moment was answered."""
        place = bisect_right(self.covered, at_ms, key=lambda span: span[0])
        return place > 0 and at_ms <= self.covered[place - 1][1]

    def cover(self, first: int, last: int) -> None:
        """Add a span, joined with those that it touches."""
        apart, joined = list[tuple[int, int]](), [(first, last)]
        for span in self.covered:
            touches = span[0] <= last + 1 and span[1] >= first - 1
            (joined if touches else apart).append(span)
        whole = min(span[0] for span in joined), max(span[1] for span in joined)
        self.covered = sorted([*apart, whole])


class History(TheOddsApi):
    """Requests snapshots of one competition."""

    def prepare(self) -> None:
        """Refuse markets that the history only has for single games."""
        super().prepare()
        if self._by_game:
            raise FeedError(
                f"{', '.join(self._by_game)}: the history of a whole competition has only h2h,"
                " spreads and totals"
            )

    @property
    def cost(self) -> int:
        """The credits of a snapshot; one without games is free."""
        return DEARER * len(self._at_once) * self._cost

    @property
    def charged(self) -> int | None:
        """The credits of the last request; None if no answer came."""
        return self._last

    async def credits_left(self) -> int | None:
        """Ask for the credits left, which is free; None if the service does not say."""
        await self.source.get("/v4/sports")
        return self.status.now.credits_left

    async def snapshot(self, at_ms: int) -> bytes:
        """Return the answer to a moment.

        Raises:
            SourceError: of the kind that says how to continue.
        """
        self._note_charge(None)
        (sport,) = self.spec.what
        wanted = {name: self._asked[name] for name in ("regions", "oddsFormat", "dateFormat")}
        query = {"markets": ",".join(self._at_once), "date": format_ms(at_ms)[:-5] + "Z"}
        try:
            return await self.source.get(f"/v4/historical/sports/{sport}/odds", wanted | query)
        except (NotAskedError, TooFastError, KeyRefusedError, OutOfCreditsError, RefusedError):
            raise
        except SourceError as error:
            if self.charged is None:
                raise UnansweredError(str(error)) from None
            raise

    def judge(self, reply: "Reply") -> None:
        """Say in plain words what a refusal means."""
        refusal = read_refusal(reply.body)
        plain = _PLAIN.get(refusal.error_code)
        try:
            super().judge(reply)
        except (KeyRefusedError, OutOfCreditsError, TooFastError):
            raise
        except SourceError as error:
            raise RefusedError(plain or str(error)) from None
        if reply.status == 402:  # Payment Required
            raise RefusedError("your plan does not include this: The Odds API asks for a payment")
        if 400 <= reply.status < 500 and reply.status not in (401, 403, 429):
            why = refusal.message[:200] or f"status {reply.status}"
            raise RefusedError(f"The Odds API refuses the request: {why}")

    def _no_credits(self) -> str:
        used = self.status.now.credits_used
        if used is None:
            return N_("the credits are used up")
        return N_(f"the credits are used up ({used:,} used)")


class Backfill:
    """Fetches and records snapshots; what it did survives the end of the program.

    ``keep`` stores the memory. An answer is stored there before it is recorded, so that nothing
    that was paid for is requested twice.
    """

    def __init__(
        self,
        history: History,
        stored: bytes | None,
        keep: Callable[[bytes], None],
        record: Callable[[Imported], None],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._history = history
        self.memory = _recalled(stored)
        self._keep = keep
        self._record = record
        self._sleep = sleep
        self.was_cut_off = self.memory.asked is not None
        """Whether an earlier run ended before an answer came, which may have been charged."""
        self.snapshots = 0
        self.spent = 0
        if self.memory.answer:
            self._record_answer()

    def missing(self, moments: Iterable[int]) -> list[int]:
        """Return the moments whose snapshots are not stored."""
        return [at for at in moments if not self.memory.covers(at)]

    def before_newest(self, moments: Iterable[int]) -> int:
        """Return how many moments are before the newest one that is stored."""
        newest = self.memory.covered[-1][1] if self.memory.covered else 0
        return sum(at < newest for at in moments)

    async def fetch(self, moments: Iterable[int], budget: int | None) -> str:
        """Fetch the snapshots of moments, in order, until the budget or the history ends.

        Returns:
            Why it stopped; empty at the end.

        Raises:
            SourceError: it had to stop, for want of credits or another reason.
        """
        cost = self._history.cost
        for at in moments:
            if self.memory.covers(at):
                continue
            left = self._history.status.now.credits_left
            if budget is not None and self.spent + cost > budget:
                return N_(f"stopped at the budget of {budget:,} credits")
            if left is not None and left < cost:
                raise OutOfCreditsError(f"{left:,} credits are left, and a snapshot costs {cost:,}")
            after = self._take(at, await self._ask(at))
            if after is None:
                return N_("the source has no later snapshot yet")
        return ""

    async def _ask(self, at: int) -> bytes:
        self._remember_asked(at)
        backoff, tries = Backoff(), 1
        while True:
            wait_s = backoff.next_s()
            try:
                return await self._history.snapshot(at)
            except UnansweredError:
                self.spent += self._history.cost
                raise
            except (KeyRefusedError, OutOfCreditsError, RefusedError, ShapeError):
                self._remember_asked(None)
                raise
            except SourceError as error:
                self.spent += self._history.charged or 0
                if tries == _TRIES:
                    self._remember_asked(None)
                    raise
                wait_s = error.wait_s if isinstance(error, TooFastError) else wait_s
            tries += 1
            await self._sleep(wait_s)

    def _take(self, at: int, body: bytes) -> int | None:
        """Keep and record an answer; return the time of the next snapshot."""
        charged = self._history.charged
        self.spent += self._history.cost if charged is None else charged
        self.snapshots += 1
        try:
            snapshot = notation.read_json(body, N_("expected a snapshot of the history"), _Envelope)
            first = moment(snapshot.timestamp)
            after = None if snapshot.next_timestamp is None else moment(snapshot.next_timestamp)
        except FeedError as error:
            self._remember_asked(None)
            raise ShapeError(str(error)) from None
        last = at if after is None else max(at, after - 1)
        self.memory.cover(min(first, at), last)
        self.memory.asked = None
        self.memory.answer = zlib.compress(body) if snapshot.data else b""
        self._keep(msgspec.json.encode(self.memory))
        if snapshot.data:
            self._record_answer()
        return after

    def _record_answer(self) -> None:
        body = zlib.decompress(self.memory.answer)
        try:
            imported = convert(SourceFile("snapshot", body), is_decimal=True)
        except FeedError as error:
            imported = Imported(problems=[f"snapshot: {error}"])
        self._record(imported)
        self.memory.answer = b""
        self._keep(msgspec.json.encode(self.memory))

    def _remember_asked(self, at: int | None) -> None:
        self.memory.asked = at
        self._keep(msgspec.json.encode(self.memory))


def _recalled(stored: bytes | None) -> Memory:
    try:
        return Memory() if stored is None else msgspec.json.decode(stored, type=Memory)
    except msgspec.DecodeError:
        return Memory()  # from another version
