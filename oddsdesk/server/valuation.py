"""Valuation: keeps the stored value bets in step with prices and their ages (D26..D30)."""

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, Final, NamedTuple

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.pricing.market import Judged, Market, Prices
from oddsdesk.pricing.rules import MAX_AGE_MS
from oddsdesk.server.comparability import (
    MoneylineForms,
    counts_goals,
    depends_on_others,
    informed,
)
from oddsdesk.server.known_references import KnownReferences
from oddsdesk.server.log_watch import LogWatch, OnGrowth
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.troubles import Troubles
from oddsdesk.server.valued_games import GamesHeld
from oddsdesk.slices import slices
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.reader import Reader
from oddsdesk.store.shares import Shares
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.tail import log_end, read_after
from oddsdesk.store.values import Change, FoundValueBet, MarketKey

BATCH: Final = 512
AT_ONCE: Final = 16
"""Markets that are read together after a change: under a millisecond."""
MOST_MOVED: Final = 1_000
"""With so many markets that moved it values these before it reads on."""
PACE_S: Final = 0.05
"""How long changes are collected, so that a market is valued once for all of them."""
ROUND_S: Final = 1.0
"""Seconds between two rounds, at least."""
REST: Final = 20
"""The pause after each slice of a round, in slices: rounds take at most 5 % of the loop."""
BRISK_REST: Final = 1
"""The same where it is urgent: half of the loop is left to requests, or to a window."""
RETRY_S: Final = 1.0
SHARE_S: Final = 0.5
"""How often a process looks which games fall to it."""
LOOKS_BACK: Final = 10
"""Whose games it gets may have stopped so many looks ago: what moved since then is valued first."""

_log = logging.getLogger(__name__)

_Found = tuple[FoundValueBet, ...]


class _Place(NamedTuple):
    """A market by its key in the store, and as pricing needs it."""

    game: int
    market_type: str
    period: int
    match_name: str
    sport: str

    @property
    def key(self) -> MarketKey:
        """The same for the store."""
        return MarketKey(self.game, self.market_type, self.period)

    @property
    def market(self) -> Market:
        """The same for ``pricing``."""
        return Market(self.market_type, self.match_name, self.sport, self.period)


class _Visit(NamedTuple):
    """A market to value, with what all bookmakers say of it.

    ``has_bets``: whether any are stored, None where it is not known. ``moved``: whose bets are to
    be found anew while those of others stay, None for all; ``prices`` are then these bookmakers'
    and the reference's.
    """

    place: _Place
    prices: Sequence[Prices]
    has_bets: bool | None
    moved: Collection[str] | None = None


_Moved = dict[_Place, set[str]]
"""Markets in which these bookmakers' prices moved."""
_Visits = Sequence[_Visit]
"""Markets that were read at one moment, to be judged before anything else is done: prices that
are older than those of the last look would undo what that found."""


class Valuation:
    """Revalues markets that the log names at once, and all others round after round.

    A price that is read again unchanged is not in the log, so rules about ages and in play may
    begin or cease to hold without a row there. The rounds notice that, and what another server
    on the same file did.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        method: str,
        troubles: Troubles | None = None,
        on_growth: OnGrowth | None = None,
        shares: Shares | None = None,
    ) -> None:
        self._store = store
        self._games = GamesHeld(shares)
        self._clock = clock
        self._references = KnownReferences(method)
        self._troubles = troubles
        self._position: Position | None = None
        self._moved: _Moved = {}
        """What moved up to that position and was not valued since."""
        self._round = 0
        self._failing: dict[_Place, int] = {}
        """Markets whose valuation raised an error, each with the round in which it last did."""
        self._watch = LogWatch(on_growth or store.on_commit)
        self._passed: deque[Position] = deque(maxlen=LOOKS_BACK)
        """Where in the log it was at the last looks for shares, the earliest first."""
        self._moneylines = MoneylineForms()
        self._stored: dict[_Place, _Found] = {}
        self._doubts = 0
        """How often it became unknown what is stored of some market."""
        self._settled: int | None = None
        """The ``doubts`` at which a whole round began that left none of them."""
        self._storing = asyncio.Lock()
        self._stored_at = 0
        """The latest time by which bets were stored."""
        self._thread = ReaderPool("valuation", threads=1)
        """Reads and judges, a slice at a time, so that the loop waits for no disk."""

    @property
    def failing(self) -> int:
        """How many markets could not be valued; each is a bug that leaves the others alone."""
        return len(self._failing)

    def close(self) -> None:
        """End its thread, once nothing of it runs any more, and let others have its games."""
        self._thread.close()
        self._games.close()

    async def follow(self) -> None:
        """Value markets with new rows in the log, until cancelled; a restart loses none."""
        patience = RetryWhileUnavailable("the valuation", self._troubles)
        with self._watch.listening():
            await patience.do(self._go_to_the_end, RETRY_S)
            while True:
                await self._watch.wait()
                await patience.do(lambda: self._value(self._changed(), rest=BRISK_REST), RETRY_S)
                await asyncio.sleep(PACE_S)

    async def rounds(self) -> None:
        """Value everything, briskly the first time and after a refusal, until cancelled.

        What the database refused is told until a round is whole, which takes long else.
        """
        await asyncio.sleep(ROUND_S)
        patience = RetryWhileUnavailable("revaluing all games", self._troubles)
        await patience.do(lambda: self._go_round(BRISK_REST), RETRY_S)
        while True:
            await asyncio.sleep(ROUND_S)
            rest = BRISK_REST if patience.is_refused else REST
            await patience.do(partial(self._go_round, rest), RETRY_S)

    async def divide(self) -> None:
        """Value the games that fall to this process, and no others, until cancelled.

        Those that it gets are valued at once: who had them may be gone since any time.
        """
        patience = RetryWhileUnavailable("dividing the games to value", self._troubles)
        while True:
            await patience.do(self._divide, SHARE_S)
            await asyncio.sleep(SHARE_S)

    async def take_over(self) -> None:
        """Value the games that this process got, briskly, until cancelled."""
        patience = RetryWhileUnavailable("valuing the games of another process", self._troubles)
        while True:
            await self._games.has_got.wait()
            await patience.do(self._value_those_got, RETRY_S)

    @property
    def _knows_stored(self) -> bool:
        """Whether the stored bets of every market are as ``_stored`` says."""
        return self._settled == self._doubts

    async def _divide(self) -> None:
        before = self._games.held
        if self._position is not None:
            self._passed.append(self._position)
        try:
            surplus = await self._games.take(self._thread.run)
        finally:
            self._forget(before - self._games.held)
            self._doubts += self._games.held != before
        if surplus:
            async with self._storing:  # what was found of them is stored by now, or never will be
                await self._games.give_back(surplus, self._thread.run)

    async def _value_those_got(self) -> None:
        got, share_of = self._games.got(), self._games.share_of
        lately = [self._changed_since(self._passed[0])] if self._passed else []
        for visits in (*lately, self._everything()):
            await self._value(
                (each for each in visits if share_of(each[0].place.game) in got), BRISK_REST
            )
        self._games.have_valued(got)

    def _forget(self, shares: frozenset[int]) -> None:
        """Forget of games what others may change from now on."""
        known: tuple[dict[_Place, Any], ...] = (self._stored, self._failing)
        for each in known:
            for place in [place for place in each if self._games.share_of(place.game) in shares]:
                each.pop(place)

    async def _go_round(self, rest: float) -> None:
        self._round += 1
        doubts = self._doubts
        if self._stored_at > self._clock() + CLOCK_TOLERANCE_MS:  # by a clock that was ahead:
            self._stored.clear()  # all that holds is stored again, detected by this one
            self._stored_at = 0
            self._settled = None
        await self._value(self._everything(), rest)
        self._settled = doubts
        await self._thread.run(self._references.forget_unasked)
        for place in [each for each, last in list(self._failing.items()) if last < self._round]:
            del self._failing[place]

    async def _go_to_the_end(self) -> None:
        if self._position is None:
            self._position = await self._thread.run(lambda: log_end(self._store.reader()))

    def _changed(self) -> Iterator[_Visits]:
        """Yield the markets of the log's new rows, each once however often it moved by now."""
        reader = self._store.reader()
        position = self._position or log_end(reader)
        while True:
            changes, position = read_after(reader, position, BATCH)
            self._position = position
            _note(self._moved, changes)
            if changes and len(self._moved) < MOST_MOVED:
                yield ()
                continue
            yield from self._visits_of(reader, self._moved)
            if not changes:
                return

    def _changed_since(self, position: Position) -> Iterator[_Visits]:
        """Yield the markets of the log's rows behind a position, though they were gone through."""
        reader = self._store.reader()
        moved: _Moved = {}
        while True:
            changes, position = read_after(reader, position, BATCH)
            if not changes:
                return
            _note(moved, changes)
            yield from self._visits_of(reader, moved)

    def _visits_of(self, reader: Reader, moved: _Moved) -> Iterator[_Visits]:
        """Yield markets that moved, some at a time, and forget those that were gone through."""
        while some := dict(islice(moved.items(), AT_ONCE)):
            held = {each: names for each, names in some.items() if self._games.has(each.game)}
            if held:
                yield self._visits(reader, held)
                yield from self._goals_of(reader, held)
            for place in some:
                del moved[place]

    def _goals_of(self, reader: Reader, places: Iterable[_Place]) -> Iterator[_Visits]:
        """Yield the other markets of games in which one of these changed what they settle by."""
        for place in places:
            if self._moneylines.have_changed(reader, place.game, place.market):
                of_game = self._of_game(place.game, place.match_name, place.sport)
                if goals := [each for each in of_game if counts_goals(each.place.market)]:
                    yield goals

    def _visits(self, reader: Reader, moved: _Moved) -> _Visits:
        """Read markets as far as moves of these bookmakers may have changed what is value there."""
        by = self._store.reference
        whole = {each for each in moved if by in moved[each] or each in self._failing}
        if not self._knows_stored:
            whole = set(moved)
        asked = {each.key: (by, *names) for each, names in moved.items() if each not in whole}
        read = reader.prices_of(asked) if asked else {}
        return [
            _Visit(place, reader.market_prices(*place.key), None)
            if place in whole
            else _Visit(place, read[place.key], None, names)
            for place, names in moved.items()
        ]

    def _everything(self) -> Iterator[_Visits]:
        reader = self._store.reader()
        for game in reader.games_to_value(self._clock() - MAX_AGE_MS):
            if not self._games.has(game.row):
                continue
            if visits := self._of_game(game.row, game.match_name, game.sport):
                yield visits

    def _of_game(self, game: int, match_name: str, sport: str) -> _Visits:
        return [
            _Visit(
                _Place(game, market.market_type, market.period, match_name, sport),
                market.prices,
                market.has_bets,
            )
            for market in self._store.reader().markets_to_value(game)
        ]

    async def _value(self, visits: Iterator[_Visits], rest: float) -> None:
        """Value markets in slices; after each, store what differs and let other tasks run."""
        news: dict[_Place, _Found] = {}
        steps = slices(self._find_news(visits, news))
        while (worked_s := await self._thread.run(lambda: next(steps, None))) is not None:
            if news:
                await self._store_news(dict(news))
                news.clear()
            await asyncio.sleep(worked_s * rest)

    def _find_news(self, visits: Iterator[_Visits], news: dict[_Place, _Found]) -> Iterator[None]:
        for together in visits:
            for place, prices, has_bets, moved in together:
                before = news.get(place, self._stored.get(place, ()))
                found = self._find_alone(place, prices)
                if moved is not None:
                    found = _with_others(found, before, moved)
                if found != before or has_bets not in (None, bool(found)):
                    news[place] = found
            yield

    def _find_alone(self, place: _Place, prices: Sequence[Prices]) -> _Found:
        """Value a market; one that raises an error counts as without bets."""
        try:
            found = self._find(place, prices)
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - task wrapper of one market: told, and gone on
            if not self._failing:
                _log.exception("%a cannot be valued, nor perhaps others", tuple(place))
            self._failing[place] = self._round
            return ()
        self._failing.pop(place, None)
        return found

    def _find(self, place: _Place, prices: Sequence[Prices]) -> _Found:
        by, market, now_ms = self._store.reference, place.market, self._clock()
        reference = next((each for each in prices if each.bookmaker == by), None)
        if reference is None:
            return ()
        priced = self._references.of(place, market, reference.odds)
        judged = priced.value_bets(reference, prices, now_ms)
        if judged and depends_on_others(market):  # asked for the few bets only: it takes a while
            names = {each.bookmaker for each in judged}
            known = [reference, *(each for each in prices if each.bookmaker in names)]
            reference, *books = informed(self._store.reader(), place.game, market, known, now_ms)
            judged = priced.value_bets(reference, books, now_ms)
        return tuple(_found(each, reference.odds) for each in judged)

    async def _store_news(self, news: dict[_Place, _Found]) -> None:
        """Store what was found; remembered at once, so that it is not stored twice."""
        async with self._storing:
            has = self._games.has
            await self._store_held({each: bets for each, bets in news.items() if has(each.game)})

    async def _store_held(self, news: dict[_Place, _Found]) -> None:
        if not news:
            return
        self._stored.update(news)
        found = {place.key: bets for place, bets in news.items()}
        now_ms = self._clock()
        self._stored_at = max(self._stored_at, now_ms)
        try:
            await asyncio.wrap_future(self._store.replace_value_bets(found, now_ms))
        except StoreUnavailableError:
            for place in news:
                self._stored.pop(place, None)
            self._doubts += 1
            raise
        for place in news:
            if self._stored.get(place) == ():
                del self._stored[place]


def _note(moved: _Moved, changes: Iterable[Change]) -> None:
    for each in changes:
        place = _Place(each.game, each.market_type, each.period, each.match_name, each.sport)
        moved.setdefault(place, set()).add(each.bookmaker)


def _with_others(found: _Found, before: _Found, moved: Collection[str]) -> _Found:
    """Return bets of the bookmakers that moved, and the others' of before; in the same order."""
    others = (bet for bet in before if bet.bookmaker not in moved)
    return tuple(sorted((*found, *others), key=attrgetter("bookmaker")))


def _found(judged: Judged, reference: Mapping[str, float]) -> FoundValueBet:
    verdict = judged.verdict
    assert verdict.reference_odds is not None
    assert verdict.fair_odds is not None
    assert verdict.ev_pct is not None
    assert verdict.overround is not None
    return FoundValueBet(
        bookmaker=judged.bookmaker,
        selection=judged.selection,
        odds=verdict.odds,
        line={selection: reference[selection] for selection in judged.line},
        reference_odds=verdict.reference_odds,
        fair_odds=verdict.fair_odds,
        ev_pct=verdict.ev_pct,
        payout_rate=verdict.overround,
    )
