"""The valuation, divided among the processes with that role."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from oddsdesk.base.clock import Clock
from oddsdesk.server.settings import Role, Settings
from oddsdesk.server.stream.log_tail import OnGrowth
from oddsdesk.server.troubles import RetryWhileUnavailable, Troubles
from oddsdesk.server.valuation import BATCH, BRISK_REST, RETRY_S, Valuation, Valuing, note_moves
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import read_after
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store

if TYPE_CHECKING:
    from oddsdesk.cluster.postgres.leases import PostgresShares

SHARES: Final = 16
"""The number of parts of the games, and so the most processes that value at a time."""
SHARE_S: Final = 0.5
"""How often a process looks for its share of the games (s)."""
LOOKS_BACK: Final = 10
"""A previous holder may have stopped this many looks ago: later moves are valued first."""


Run = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a function on a thread."""
Got = dict[int, object]
"""Shares, each with a mark of the time it was taken."""


class GamesHeld:
    """The games of this process's shares; ``has`` may be called on any thread."""

    def __init__(self, shares: "PostgresShares") -> None:
        self._shares = shares
        self._got: dict[int, object] = {}
        self.held: frozenset[int] = frozenset()
        self.has_got = asyncio.Event()
        """Set while there are new games that are not yet valued."""

    def share_of(self, game: int) -> int:
        """Return the share of a game, given by its row."""
        return game % self._shares.count

    def has(self, game: int) -> bool:
        """Return whether this process values a game."""
        return self.share_of(game) in self.held

    async def take_games(self, run: Run) -> frozenset[int]:
        """Take this process's share and drop the rest; return the dropped shares.

        Raises:
            StoreUnavailableError: it is unknown: there are no games until it is known.
        """
        try:
            holding = await run(self._shares.take_shares)
        except StoreError:
            self._hold(frozenset())
            raise
        self._hold(holding.parts - holding.surplus)
        surplus: frozenset[int] = holding.surplus
        return surplus

    async def give_back_games(self, surplus: frozenset[int], run: Run) -> None:
        """Release shares that are no longer valued here.

        Raises:
            StoreUnavailableError: it is unknown who has them.
        """
        await run(lambda: self._shares.give_back_share(surplus))

    def got(self) -> Got:
        """Return the shares whose games are not valued yet."""
        return dict(self._got)

    def have_valued(self, got: Got) -> None:
        """Note that the games of shares were valued, while they are held without a gap."""
        for share, when in got.items():
            if self._got.get(share) is when:
                del self._got[share]
        if not self._got:
            self.has_got.clear()

    def give_up_games(self) -> None:
        """Release all of them; once no thread uses this any more."""
        self._shares.close()

    def _hold(self, shares: frozenset[int]) -> None:
        self._got = {each: self._got.get(each, object()) for each in shares if self._is_new(each)}
        self.held = shares
        if self._got:
            self.has_got.set()
        else:
            self.has_got.clear()

    def _is_new(self, share: int) -> bool:
        return share not in self.held or share in self._got


class DividedValuation(Valuation):
    """Revalues the markets of this process's games."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        method: str,
        troubles: Troubles | None,
        on_growth: OnGrowth | None,
        shares: "PostgresShares",
    ) -> None:
        super().__init__(store, clock, method, troubles, on_growth)
        self._games = GamesHeld(shares)
        self._passed: deque[Position] = deque(maxlen=LOOKS_BACK)
        """The log positions of the last looks for shares, oldest first."""

    def close(self) -> None:
        """End its thread, once it is idle, and release its games."""
        super().close()
        self._games.give_up_games()

    async def divide(self) -> None:
        """Value only this process's games, until cancelled.

        New ones are valued at once: their last holder may have died long before.
        """
        patience = RetryWhileUnavailable("dividing the games among processes", self._troubles)
        while True:
            await patience.do(self._divide, SHARE_S)
            await asyncio.sleep(SHARE_S)

    async def take_over(self) -> None:
        """Value newly taken games, briskly, until cancelled."""
        patience = RetryWhileUnavailable("taking over games from another process", self._troubles)
        while True:
            await self._games.has_got.wait()
            await patience.do(self._value_those_got, RETRY_S)

    def _values(self, game: int) -> bool:
        return self._games.has(game)

    async def _divide(self) -> None:
        before = self._games.held
        if self._position is not None:
            self._passed.append(self._position)
        try:
            surplus = await self._games.take_games(self._thread.run)
        finally:
            self._forget(before - self._games.held)
            self._doubts += self._games.held != before
        if surplus:
            async with self._storing:  # what was found of them is stored by now, or never will be
                await self._games.give_back_games(surplus, self._thread.run)

    async def _value_those_got(self) -> None:
        got, share_of = self._games.got(), self._games.share_of
        lately = [self._changed_since(self._passed[0])] if self._passed else []
        for visits in (*lately, self._everything()):
            await self._value(
                (each for each in visits if share_of(each[0].place.game) in got), BRISK_REST
            )
        self._games.have_valued(got)

    def _forget(self, shares: frozenset[int]) -> None:
        """Forget what others may change from now on."""
        known: tuple[dict[Any, Any], ...] = (self._stored, self._failing)
        for each in known:
            for place in [place for place in each if self._games.share_of(place.game) in shares]:
                each.pop(place)

    def _changed_since(self, position: Position) -> Iterator[Sequence[Any]]:
        """Yield the markets of the log's rows after a position again."""
        reader = self._store.reader()
        moved: dict[Any, set[str]] = {}
        while True:
            changes, position = read_after(reader, position, BATCH)
            if not changes:
                return
            note_moves(moved, changes)
            yield from self._visits_of(reader, moved)


class DividedValuing(Valuing):
    """The valuation as the jobs of one process, for its share of the games."""

    def __init__(self, valuation: DividedValuation, head_start_s: float) -> None:
        super().__init__(valuation, head_start_s)
        self._divided = valuation

    words: ClassVar[Mapping[str, str]] = {
        **Valuing.words,
        "valuation shares": "dividing the games among processes",
        "valuation takeovers": "taking over games from another process",
    }

    def start_valuing(self) -> None:
        """Start."""
        super().start_valuing()
        self._jobs.start_job("valuation shares", self._divided.divide)
        self._jobs.start_job("valuation takeovers", self._divided.take_over)


def divided_valuing(
    store: Store, settings: Settings, clock: Clock, troubles: Troubles, on_growth: OnGrowth
) -> DividedValuing | None:
    """Return the valuation of a process that shares it with others, None without that role."""
    database = settings.database
    if (
        not isinstance(database, DatabaseUrl)
        or Role.VALUATION not in settings.roles
        or store.is_read_only
    ):
        return None
    from oddsdesk.cluster.postgres.leases import PostgresShares  # noqa: PLC0415 - an extra

    shares = PostgresShares(database.url, "valuation", SHARES)
    method = settings.devig_method
    valuation = DividedValuation(store, clock, method, troubles, on_growth, shares)
    return DividedValuing(valuation, settings.head_start_s)
