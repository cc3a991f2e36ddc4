"""Valuation: keeps the stored value bets up to date with prices and their ages."""

import asyncio
import contextlib
import logging
from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Collection,
    Coroutine,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, ClassVar, Final, NamedTuple

from oddsdesk.base.clock import Clock
from oddsdesk.base.files import WriteWatch
from oddsdesk.base.tasks import Jobs, in_daemon_thread, slices, until_beat
from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import (
    DRAW_MISSED_MS,
    GOAL_MARKETS,
    OVERTIME_SPORTS,
    Judged,
    Market,
    Prices,
    ReferenceMarket,
    counts_overtime,
    usual_form,
)
from oddsdesk.pricing.selections import DRAW, read_selection
from oddsdesk.pricing.value import MAX_AGE_MS, MIN_AGE_MS
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.stream.log_tail import LogWatch, OnGrowth
from oddsdesk.server.troubles import RetryWhileUnavailable, Trouble, Troubles, job_troubles
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.reader import Reader, log_end, read_after
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change, FoundValueBet, MarketKey

BATCH: Final = 512
AT_ONCE: Final = 16
"""Markets that are read together after a change: under a millisecond."""
MOST_MOVED: Final = 1_000
"""With this many moved markets it values them before it reads on."""
PACE_S: Final = 0.05
"""How long changes are collected, so that a market is valued once for all of them."""
ROUND_S: Final = 1.0
"""Seconds between two rounds, at least."""
AGES_TOGETHER_MS: Final = 5_000
"""Games that only age may change are valued again at multiples of this time."""
DRAWS_AGAIN_MS: Final = 10 * MINUTE_MS
"""How often a market is valued again in which time alone may make a price comparable."""
REST: Final = 20
"""The pause after each slice of a round, in slices: rounds take at most 5 % of the loop."""
BRISK_REST: Final = 1
"""The same if it is urgent: half of the loop is left to requests, or to a window."""
RETRY_S: Final = 1.0

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
    def market_key(self) -> MarketKey:
        """The same for the store."""
        return MarketKey(self.game, self.market_type, self.period)

    @property
    def pricing_market(self) -> Market:
        """The same for ``pricing``."""
        return Market(self.market_type, self.match_name, self.sport, self.period)


class _Visit(NamedTuple):
    """A market to value, with all bookmakers' prices.

    ``has_bets``: whether any are stored, None if unknown. ``moved``: the bookmakers whose bets are
    found again while others' stay, None for all; ``prices`` are then theirs and the sharp book's.
    """

    place: _Place
    prices: Sequence[Prices]
    has_bets: bool | None
    moved: Collection[str] | None = None


_Moved = dict[_Place, set[str]]
"""Markets in which these bookmakers' prices moved."""
_Visits = Sequence[_Visit]
"""Markets read at one moment, to be valued before anything else: older prices would undo later
results."""


class Valuation:
    """Revalues markets that the log names at once, and all others in rounds.

    A price that is read again unchanged is not in the log, so age and in-play rules may start or
    stop to hold without a row there. The rounds notice that, and changes by another server on the
    same file. While nothing is recorded they value only the games that are due.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        method: str,
        troubles: Troubles | None = None,
        on_growth: OnGrowth | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._references = KnownReferences(method)
        self._troubles = troubles
        self._position: Position | None = None
        self._moved: _Moved = {}
        """What moved up to that position and is not yet valued."""
        self._round = 0
        self._failing: dict[_Place, int] = {}
        """Markets whose valuation raised an error, each with the round in which it last did."""
        self._watch = LogWatch(on_growth or store.on_commit, *filter(None, [store.path]))
        self._moneylines = MoneylineForms()
        self._stored: dict[_Place, _Found] = {}
        self._doubts = 0
        """How often it became unknown which bets of some market are stored."""
        self._due: dict[int, int] = {}
        """By game, when it is valued again although nothing was recorded (ms)."""
        self._writes = None if store.path is None else WriteWatch(store.path)
        self._version: int | None = None
        """The version of the database; None if unknown."""
        self._unchanged_since: tuple[int | None, int] = (None, 0)
        """The database version at the start of the last complete round, and the time."""
        self._settled: int | None = None
        """The ``doubts`` at the start of the complete round that cleared them."""
        self._storing = asyncio.Lock()
        self._stored_at = 0
        """The latest detection time of stored bets."""
        self._thread = ReaderPool("valuation", threads=1)
        """Reads and values, a slice at a time, so that the loop waits for no disk."""

    @property
    def failing(self) -> int:
        """How many markets could not be valued; each is a bug that does not affect others."""
        return len(self._failing)

    def close(self) -> None:
        """End its thread, once it is idle."""
        self._thread.close()

    async def value_forever(self) -> None:
        """Value markets with new rows in the log, until cancelled; a restart loses none."""
        patience = RetryWhileUnavailable("the valuation", self._troubles)
        with self._watch.listening():
            await patience.do(self._go_to_the_end, RETRY_S)
            while True:
                await self._watch.wait_for_change()
                await patience.do(lambda: self._value(self._changed(), rest=BRISK_REST), RETRY_S)
                await asyncio.sleep(PACE_S)

    async def rounds(self) -> None:
        """Value everything, briskly the first time and after a refusal, until cancelled.

        A database failure is reported until a round is complete, which otherwise takes long.
        """
        await asyncio.sleep(ROUND_S)
        patience = RetryWhileUnavailable("revaluing all games", self._troubles)
        await patience.do(lambda: self._go_round(BRISK_REST), RETRY_S)
        while True:
            await asyncio.sleep(until_beat(ROUND_S))
            rest = BRISK_REST if patience.is_refused else REST
            await patience.do(partial(self._go_round, rest), RETRY_S)

    @property
    def _knows_stored(self) -> bool:
        """Whether ``_stored`` is right for every market."""
        return self._settled == self._doubts

    def _values(self, _game: int) -> bool:
        """Return whether a game, given by its row, is valued here."""
        return True

    async def _go_round(self, rest: float) -> None:
        version = await self._read_version()
        now_ms = self._clock()
        if self._is_unchanged(version, now_ms):
            if due := {game for game, at_ms in self._due.items() if at_ms <= now_ms}:
                await self._value(self._aged(due), rest)
            return
        self._round += 1
        self._due.clear()
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
        self._unchanged_since = version, now_ms

    async def _read_version(self) -> int | None:
        if self._writes is None or self._writes.may_have_changed() or self._version is None:
            self._version = None  # in case this raises
            self._version = await self._thread.run(lambda: self._store.reader().data_version())
        return self._version

    def _is_unchanged(self, version: int | None, now_ms: int) -> bool:
        """Whether nothing was recorded since the last complete round, so that only ages differ."""
        before, began_ms = self._unchanged_since
        is_whole = self._knows_stored and not self._failing
        return is_whole and version is not None and version == before and began_ms <= now_ms

    def _aged(self, due: Collection[int]) -> Iterator[_Visits]:
        """Yield these games, which are due although nothing was recorded."""
        for game in due:
            self._due.pop(game, None)
        return self._of_games(lambda game: game in due)

    def _note_due(self, place: _Place, prices: Sequence[Prices], *, is_compared: bool) -> None:
        """Note when age alone may change the value bets of a market."""
        now_ms = self._clock()
        turns = [each.scraped_at + after for each in prices for after in (MIN_AGE_MS, MAX_AGE_MS)]
        if is_compared and depends_on_others(place.pricing_market):
            turns.append(now_ms + DRAWS_AGAIN_MS)
        at_ms = min((each for each in turns if each >= now_ms), default=None)
        if at_ms is not None:
            together_ms = (at_ms // AGES_TOGETHER_MS + 1) * AGES_TOGETHER_MS
            self._due[place.game] = min(together_ms, self._due.get(place.game, together_ms))

    async def _go_to_the_end(self) -> None:
        if self._position is None:
            self._position = await self._thread.run(lambda: log_end(self._store.reader()))

    def _changed(self) -> Iterator[_Visits]:
        """Yield the markets of new log rows, each once however often it moved."""
        reader = self._store.reader()
        position = self._position or log_end(reader)
        while True:
            changes, position = read_after(reader, position, BATCH)
            self._position = position
            note_moves(self._moved, changes)
            if changes and len(self._moved) < MOST_MOVED:
                yield ()
                continue
            yield from self._visits_of(reader, self._moved)
            if not changes:
                return

    def _visits_of(self, reader: Reader, moved: _Moved) -> Iterator[_Visits]:
        """Yield moved markets, some at a time, and forget those that are done."""
        while some := dict(islice(moved.items(), AT_ONCE)):
            held = {each: names for each, names in some.items() if self._values(each.game)}
            if held:
                yield self._visits(reader, held)
                yield from self._goals_of(reader, held)
            for place in some:
                del moved[place]

    def _goals_of(self, reader: Reader, places: Iterable[_Place]) -> Iterator[_Visits]:
        """Yield the other markets of games in which these changed the settlement rules."""
        for place in places:
            if self._moneylines.have_changed(reader, place.game, place.pricing_market):
                of_game = self._of_game(place.game, place.match_name, place.sport)
                if goals := [each for each in of_game if counts_goals(each.place.pricing_market)]:
                    yield goals

    def _visits(self, reader: Reader, moved: _Moved) -> _Visits:
        """Read markets as far as moves of these bookmakers may have changed their value bets."""
        by = self._store.reference
        whole = {each for each in moved if by in moved[each] or each in self._failing}
        if not self._knows_stored:
            whole = set(moved)
        asked = {
            each.market_key: (by, *names) for each, names in moved.items() if each not in whole
        }
        read = reader.prices_of(asked) if asked else {}
        return [
            _Visit(place, reader.market_prices(*place.market_key), None)
            if place in whole
            else _Visit(place, read[place.market_key], None, names)
            for place, names in moved.items()
        ]

    def _everything(self) -> Iterator[_Visits]:
        return self._of_games(self._values)

    def _of_games(self, is_wanted: Callable[[int], bool]) -> Iterator[_Visits]:
        reader = self._store.reader()
        for game in reader.games_to_value(self._clock() - MAX_AGE_MS):
            if not is_wanted(game.row):
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
        """Value markets in slices; after each, store the differences and let other tasks run."""
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
                _log.exception("%a, and perhaps more, cannot be valued", tuple(place))
            self._failing[place] = self._round
            return ()
        self._failing.pop(place, None)
        return found

    def _find(self, place: _Place, prices: Sequence[Prices]) -> _Found:
        by, market, now_ms = self._store.reference, place.pricing_market, self._clock()
        reference = next((each for each in prices if each.bookmaker == by), None)
        if reference is None:
            return ()
        priced = self._references.market_of(place, market, reference.odds)
        judged = priced.value_bets(reference, prices, now_ms)
        self._note_due(place, prices, is_compared=bool(judged))
        if judged and depends_on_others(market):  # asked for the few bets only: it takes a while
            names = {each.bookmaker for each in judged}
            known = [reference, *(each for each in prices if each.bookmaker in names)]
            reference, *books = informed(self._store.reader(), place.game, market, known, now_ms)
            judged = priced.value_bets(reference, books, now_ms)
        return tuple(_found(each, reference.odds) for each in judged)

    async def _store_news(self, news: dict[_Place, _Found]) -> None:
        """Store the results; remember them at once, so that they are not stored twice."""
        async with self._storing:
            ours = {each: bets for each, bets in news.items() if self._values(each.game)}
            await self._store_held(ours)

    async def _store_held(self, news: dict[_Place, _Found]) -> None:
        if not news:
            return
        self._stored.update(news)
        found = {place.market_key: bets for place, bets in news.items()}
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


def note_moves(moved: _Moved, changes: Iterable[Change]) -> None:
    """Add the markets of price changes, each with the bookmakers that moved."""
    for each in changes:
        place = _Place(each.game, each.market_type, each.period, each.match_name, each.sport)
        moved.setdefault(place, set()).add(each.bookmaker)


def _with_others(found: _Found, before: _Found, moved: Collection[str]) -> _Found:
    """Return the moved bookmakers' new bets and the others' old ones, in the same order."""
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


_MONEYLINE: Final = "moneyline"
_MOST_KEPT: Final = 10_000
"""Games whose moneylines are remembered; above that some markets are valued too often."""


def depends_on_others(market: Market) -> bool:
    """Whether data outside a market decides what can be compared in it."""
    return market.market_type == _MONEYLINE or counts_goals(market)


def counts_goals(market: Market) -> bool:
    """Whether it matters to a market if overtime counts."""
    return (
        market.market_type in GOAL_MARKETS
        and market.period == 0
        and market.sport in OVERTIME_SPORTS
    )


def informed(
    reader: Reader, game: int, market: Market, prices: Sequence[Prices], now_ms: int
) -> list[Prices]:
    """Return prices of a market with ``had_draw`` and ``has_overtime`` filled in."""
    since = now_ms - DRAW_MISSED_MS
    if market.market_type == _MONEYLINE:
        if all(DRAW in _sides(market.match_name, each.odds) for each in prices):
            return list(prices)
        drew = reader.bookmakers_that_drew(game, market.period, since)
        return [each._replace(had_draw=each.bookmaker in drew) for each in prices]
    if not counts_goals(market):
        return list(prices)
    forms = _forms(reader, game, market, {each.bookmaker for each in prices}, since)
    return [each._replace(has_overtime=forms.get(each.bookmaker)) for each in prices]


class MoneylineForms:
    """Remembers whose moneyline of a game includes overtime, to notice changes."""

    def __init__(self) -> None:
        self._of_game: dict[int, dict[str, bool | None]] = {}

    def have_changed(self, reader: Reader, game: int, market: Market) -> bool:
        """Return whether prices of this market changed how others of the game settle.

        True for a game that is new here.
        """
        is_telling = market.market_type == _MONEYLINE and market.period == 0
        if not is_telling or market.sport not in OVERTIME_SPORTS:
            return False
        prices = reader.market_prices(game, _MONEYLINE, 0)
        name, sport = market.match_name, market.sport
        forms = {each.bookmaker: _form(name, sport, each.odds) for each in prices}
        if self._of_game.get(game) == forms:
            return False
        if len(self._of_game) >= _MOST_KEPT:
            self._of_game.clear()
        self._of_game[game] = forms
        return True


def _forms(
    reader: Reader, game: int, market: Market, bookmakers: set[str], since: int
) -> dict[str, bool | None]:
    """Return whether bookmakers count overtime: by their moneyline of the game, else as usual.

    Unknown ones are left out.
    """
    drew = reader.bookmakers_that_drew(game, 0, since)
    own: dict[str, bool] = {}
    usual: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for match_name, bookmaker, odds in reader.moneylines_like(game, bookmakers, since):
        is_own = match_name == market.match_name
        had_draw = is_own and bookmaker in drew
        form = _form(match_name, market.sport, odds, had_draw=had_draw)
        if form is None:
            continue
        usual[bookmaker][form] += 1
        if is_own:
            own[bookmaker] = form
    return {name: usual_form(counts) for name, counts in usual.items()} | own


def _form(
    match_name: str, sport: str, moneyline: Mapping[str, float], *, had_draw: bool = False
) -> bool | None:
    sides = _sides(match_name, moneyline)
    unread = sides.count(None)
    read = frozenset(side for side in sides if side is not None)
    return counts_overtime(sport, read, texts_unread=unread, had_draw=had_draw)


def _sides(match_name: str, moneyline: Mapping[str, float]) -> list[str | None]:
    """Return the side of each price of a moneyline; None if unreadable."""
    read = (read_selection(_MONEYLINE, match_name, text) for text in moneyline)
    return [None if outcome is None else outcome.side for outcome in read]


class KnownReferences:
    """The sharp book's prices of each market, devigged, until they move.

    Devigging takes longer than everything else in a market without a near value bet.
    """

    def __init__(self, method: str) -> None:
        self._method = method
        self._asked: dict[Hashable, ReferenceMarket] = {}
        self._earlier: dict[Hashable, ReferenceMarket] = {}
        """Those not requested since the last ``forget_unasked``."""

    def market_of(
        self, place: Hashable, market: Market, odds: Mapping[str, float]
    ) -> ReferenceMarket:
        """Return a market from its sharp book's odds; ``place`` identifies it.

        Raises:
            DevigError: unknown method.
        """
        known = self._asked.get(place) or self._earlier.pop(place, None)
        if known is None or known.odds != odds:
            known = ReferenceMarket(market, odds, self._method)
        self._asked[place] = known
        return known

    def forget_unasked(self) -> None:
        """Forget what was not requested since the last call."""
        self._earlier, self._asked = self._asked, {}


_Job = Callable[[], Coroutine[Any, Any, None]]


class Valuing:
    """The valuation as the jobs of one process, for all games."""

    words: ClassVar[Mapping[str, str]] = {
        "valuation": "the valuation",
        "valuation rounds": "revaluing all games",
    }
    """Names of jobs in health."""

    def __init__(self, valuation: Valuation, head_start_s: float) -> None:
        self.head_start = HeadStart(head_start_s)
        self._valuation = valuation
        self._jobs = Jobs()

    def start_valuing(self) -> None:
        """Start."""
        self._jobs.start_job("valuation", self._after_head_start(self._valuation.value_forever))
        self._jobs.start_job("valuation rounds", self._after_head_start(self._valuation.rounds))

    async def stop_valuing(self) -> None:
        """Stop; stored bets stay."""
        await self._jobs.stop_jobs()
        await in_daemon_thread("end valuation", self._valuation.close)

    def _after_head_start(self, job: _Job) -> _Job:
        async def run_after_start() -> None:
            await self.head_start.over()
            await job()

        return run_after_start

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        yield from job_troubles(self._jobs.faults, self.words)
        if self._valuation.failing:
            yield Trouble(N_(f"{self._valuation.failing} markets cannot be valued"))


class HeadStart:
    """A delay of some seconds at most; its beneficiary can end it earlier. On one loop."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self._over = asyncio.Event()

    def end_head_start(self) -> None:
        """Let waiting jobs begin; may be called twice."""
        self._over.set()

    async def over(self) -> None:
        """Wait until it has ended."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._seconds):
                await self._over.wait()
        self._over.set()  # a restarted job does not wait again
