"""Reading the odds on any engine, and facts about the database itself."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, NamedTuple, Protocol, runtime_checkable

from oddsdesk.base.text import near_names
from oddsdesk.base.texts import N_
from oddsdesk.contract import resources
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS, parse_ms
from oddsdesk.pricing.assessment import Prices
from oddsdesk.store.databases import (
    LAST_MADE_UP_GAME,
    LAST_REAL_AT,
    LAST_SHIFTED_AT,
    LAST_SIMULATED_AT,
    SHIFT_TO_NOW,
    SOURCE,
)
from oddsdesk.store.names import canonical, known_names, name_among
from oddsdesk.store.queries import as_of, game, lists, results, series, valuation
from oddsdesk.store.queries.lists import ODDS_AGE_MS
from oddsdesk.store.queries.log import LogReader
from oddsdesk.store.queries.moves import WantedMoves
from oddsdesk.store.queries.past import SOURCES
from oddsdesk.store.results import StoredResult
from oddsdesk.store.series import StoredSeries
from oddsdesk.store.spans import Position
from oddsdesk.store.values import (
    FORBIDDING,
    Change,
    DatedBet,
    DatedGame,
    EncodedOddsRow,
    Filters,
    HistoryPlace,
    MarketFilter,
    MarketKey,
    MoveFilter,
    Page,
    StandingQuote,
    ValuedGame,
    ValuedMarket,
    Visibility,
    from_cursor,
)

ALL_MARKETS: Final = MarketFilter()
LONGEST_WINDOW_MS: Final = 60 * MINUTE_MS
_RESULTS_A_PAGE: Final = 5_000
_REAL_GAMES: Final = """
SELECT game_id, kickoff, sport, competition, match_name FROM game
WHERE kickoff BETWEEN :since AND :until AND id > :last
"""
_MADE_UP: Final = """
SELECT count(*) FROM game
WHERE id <= :last AND game_id IN (SELECT value FROM json_each(:game_ids))
"""
_LAST_SCRAPED_AT: Final = "SELECT max(last_scraped_at) FROM game INDEXED BY game_order WHERE recent"
NEWEST_PRICE: Final = """
SELECT max(coalesce((SELECT max(last_scraped_at) FROM game), 0),
    coalesce((SELECT scraped_at FROM price_change ORDER BY seq DESC LIMIT 1), 0))
"""
_IS_UNPRICED: Final = """
SELECT EXISTS (SELECT 1 FROM game JOIN coverage c ON c.game = game.id WHERE game.recent)
    AND NOT EXISTS (
        SELECT 1 FROM game JOIN coverage c ON c.game = game.id AND c.bookmaker = :reference
        WHERE game.recent
    )
"""
_LISTED_MS: Final = ODDS_AGE_MS + CLOCK_TOLERANCE_MS
"""How long after recording a price, or a value bet from it, may be listed (ms)."""
_LAST_STANDING: Final = f"""
SELECT max(CASE WHEN g.last_scraped_at <= :until THEN g.last_scraped_at ELSE (
    SELECT max({lists.NEWEST_OF_PAIR}) FROM coverage c WHERE c.game = g.id
) END) FROM game g WHERE g.recent
"""
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"
_COMPETITIONS: Final = "SELECT DISTINCT competition, sport FROM game ORDER BY competition, sport"


class Reader(LogReader, ABC):
    """Read-only; for the thread that got it from ``Store.reader``.

    Every method raises ``StoreUnavailableError`` if the database cannot be read now, and those with
    a ``cursor`` raise ``BadCursorError``. Times are milliseconds.
    """

    @property
    @abstractmethod
    def shards(self) -> int:
        """The number of shards of the log, each numbered separately; a file has one."""

    def data_version(self) -> int | None:
        """Return a number that changes with another commit; None if the engine has none."""
        return None

    def list_sports(self, now_ms: int) -> list[resources.Sport]:
        """Return the sports with fresh prices, by name."""
        return lists.list_sports(
            self._select, lists.standing_window(now_ms, WINDOW_MS), self._share
        )

    def list_bookmakers(
        self, now_ms: int, has_live: bool | None = None
    ) -> list[resources.Bookmaker]:
        """Return the bookmakers with fresh prices, by name."""
        window = lists.standing_window(now_ms, WINDOW_MS)
        return lists.list_bookmakers(self._select, window, has_live, self._share)

    def list_events(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        stale_minutes: int,
        limit: int,
        cursor: str | None = None,
    ) -> Page[resources.Event]:
        """Return events in the contract's order; ``filters.market_type`` is not for events."""
        window = lists.standing_window(now_ms, stale_minutes * MINUTE_MS)
        allowed = visibility.of_share(self._share)
        with self._select.together():
            page = lists.list_games(
                self._select, self._reference, filters, allowed, window, limit, cursor
            )
        return Page(list(map(lists.to_event, page.items)), page.next_cursor)

    def list_games(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[resources.Game]:
        """Return games in the contract's order; ``filters.market_type`` is not for games."""
        window = lists.standing_window(now_ms, WINDOW_MS)
        allowed = visibility.of_share(self._share)
        with self._select.together():
            page = lists.list_games(
                self._select, self._reference, filters, allowed, window, limit, cursor
            )
        return Page(list(map(lists.to_game, page.items)), page.next_cursor)

    def event_detail(
        self,
        match_name: str,
        now_ms: int,
        visibility: Visibility,
        wanted: MarketFilter = ALL_MARKETS,
        *,
        stale_minutes: int,
    ) -> resources.EventDetail | None:
        """Return the event with a name, None if nothing of it is visible."""
        with self._select.together():
            return game.event_detail(
                self._select,
                self._reference,
                match_name,
                visibility.of_share(self._share),
                lists.standing_window(now_ms, stale_minutes * MINUTE_MS),
                wanted,
            )

    def list_odds(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
        age_ms: int = WINDOW_MS,
    ) -> Page[EncodedOddsRow]:
        """Return odds rows in the contract's order, seen at most ``age_ms`` ago."""
        window, allowed = (lists.standing_window(now_ms, age_ms), visibility.of_share(self._share))
        with self._select.together():
            return lists.list_odds(
                self._select, self._reference, filters, allowed, window, limit, cursor
            )

    def matrix(
        self, game_id: str, now_ms: int, visibility: Visibility, wanted: MarketFilter = ALL_MARKETS
    ) -> resources.GameMatrix | None:
        """Return the matrix of a game, None if nothing of it is visible."""
        with self._select.together():
            return game.game_matrix(
                self._select,
                self._reference,
                game_id,
                visibility.of_share(self._share),
                lists.standing_window(now_ms, WINDOW_MS),
                wanted,
            )

    def list_value_bets(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        min_ev: float,
        max_ev: float,
        limit: int,
        cursor: str | None = None,
    ) -> Page[resources.ValueBet]:
        """Return the value bets that hold now, the best first."""
        edges = (min_ev, max_ev)
        page = self.list_dated_bets(now_ms, filters, visibility, edges, limit, cursor)
        return Page([each.bet for each in page.items], page.next_cursor)

    def list_dated_bets(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        edges: tuple[float, float],
        limit: int,
        cursor: str | None = None,
        age_ms: int = ODDS_AGE_MS,
    ) -> Page[DatedBet]:
        """Return the same with the ages of both prices, which are at most ``age_ms``.

        ``edges`` are the lowest and the highest EV.
        """
        return lists.list_value_bets(
            self._select,
            self._reference,
            filters,
            visibility.of_share(self._share),
            now_ms,
            min_ev=edges[0],
            max_ev=edges[1],
            limit=limit,
            cursor=cursor,
            age_ms=age_ms,
        )

    def merged_ids(self) -> dict[str, list[str]]:
        """Return the ids of games joined into another, by that one's id."""
        return game.ids_merged_with(self._select)

    def games_as_of(
        self,
        at_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[resources.Game]:
        """Return the games that had prices at a moment, by kick-off.

        From those that began a day before; ``filters.market_type`` is not for games.
        """
        allowed = visibility.of_share(self._share)
        with self._select.together():
            page = as_of.list_games_as_of(
                self._select, self._reference, filters, allowed, at_ms, limit, cursor, self._older()
            )
        return Page(list(map(lists.to_game, page.items)), page.next_cursor)

    def odds_as_of(
        self,
        at_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[EncodedOddsRow]:
        """Return the odds rows of a moment, by kick-off, of the same games."""
        allowed = visibility.of_share(self._share)
        with self._select.together():
            return as_of.list_odds_as_of(
                self._select, self._reference, filters, allowed, at_ms, limit, cursor, self._older()
            )

    def matrix_as_of(
        self, game_id: str, at_ms: int, visibility: Visibility, wanted: MarketFilter = ALL_MARKETS
    ) -> resources.GameMatrix | None:
        """Return the matrix of a game at a moment; None if it had no prices."""
        allowed = visibility.of_share(self._share)
        with self._select.together():
            older = self._older()
            found = self._game(game_id, allowed, older)
            if found is None:
                return None
            stood = as_of.quotes_as_of(self._select, self._reference, found, allowed, at_ms, older)
        return game.matrix_of(found, stood, self._reference, wanted)

    def market_prices(self, game: int, market_type: str, period: int) -> list[Prices]:
        """Return every bookmaker's prices of a market, of any age, by name."""
        return valuation.market_prices(self._select, game, market_type, period, self._share)

    def prices_of(
        self, asked: Mapping[MarketKey, Collection[str]]
    ) -> dict[MarketKey, list[Prices]]:
        """Return some bookmakers' prices of each market, of any age."""
        return valuation.prices_of(self._select, asked, self._share)

    def standing_quotes(self, now_ms: int, age_ms: int) -> list[StandingQuote]:
        """Return the current quotes of all games up to an age."""
        return valuation.standing_quotes(self._select, lists.standing_window(now_ms, age_ms))

    def priced_draws(self, since: int) -> set[tuple[str, str, int]]:
        """Return moneylines whose draw changed since then: game id, bookmaker, period.

        Those that the bookmaker does not price now are missing.
        """
        return valuation.priced_draws(self._select, since)

    def games_to_value(self, since: int) -> list[ValuedGame]:
        """Return the games to value, for prices scraped since then."""
        return valuation.games_to_value(self._select, since)

    def markets_to_value(self, game: int) -> list[ValuedMarket]:
        """Return the markets of a game that may hold value bets, with their prices."""
        return valuation.markets_to_value(self._select, self._reference, game, self._share)

    def bookmakers_that_drew(self, game: int, period: int, since: int) -> set[str]:
        """Return whose draw in a moneyline of a game, given by its row, changed."""
        return valuation.bookmakers_that_drew(self._select, game, period, since)

    def moneylines_like(
        self, game: int, bookmakers: Iterable[str], since: int
    ) -> list[tuple[str, str, dict[str, float]]]:
        """Return bookmakers' moneylines in a game's competition: match name, bookmaker, odds."""
        return valuation.moneylines_like(self._select, game, bookmakers, since)

    def moves_of_games(
        self,
        filters: Filters,
        wanted: MoveFilter,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
        go_on: Callable[[], bool] = lambda: True,
    ) -> Page[resources.HistoryRow]:
        """Return how the prices of all games moved: by game id, then ``scraped_at``.

        Simulated moves are left out once real ones were recorded. The page ends early once
        ``go_on``, called after each game, returns False. ``filters`` has sport and competition.
        """
        place = None if cursor is None else from_cursor(cursor, HistoryPlace)
        allowed = visibility.of_share(self._share)
        with self._select.together():
            made_up = int(self._setting(LAST_MADE_UP_GAME) or 0)
            behind = tuple(map(self.last_made_up, range(self.shards)))
            reading = WantedMoves(self._select, self._reference, wanted, allowed, self._older())
            first = "" if place is None else place.game_id
            games = reading.games(filters, first, made_up, behind)
            return reading.page_of_games(games, limit, place, go_on)

    def list_results(
        self,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
        *,
        since_ms: int | None = None,
        until_ms: int | None = None,
        competition: str | None = None,
    ) -> Page[StoredResult]:
        """Return results by kick-off, from ``since_ms`` to before ``until_ms``, one a source.

        A page may be short, or empty, and have a next one.
        """
        with self._select.together():
            return results.list_results(
                self._select,
                visibility.of_share(self._share),
                limit,
                made_up=int(self._setting(LAST_MADE_UP_GAME) or 0),
                since_ms=since_ms,
                until_ms=until_ms,
                competition=competition,
                cursor=cursor,
            )

    def results(
        self,
        since_ms: int | None = None,
        until_ms: int | None = None,
        competition: str | None = None,
    ) -> list[StoredResult]:
        """Return all results of that time, one a source, in the same order."""
        found: list[StoredResult] = []
        cursor: str | None = None
        while True:
            page = self.list_results(
                Visibility(),
                _RESULTS_A_PAGE,
                cursor,
                since_ms=since_ms,
                until_ms=until_ms,
                competition=competition,
            )
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found

    def series(
        self,
        since_ms: int | None = None,
        until_ms: int | None = None,
        competition: str | None = None,
        source: str | None = None,
    ) -> list[StoredSeries]:
        """Return statistics of many bookmakers by kick-off, one a game and source, in one query.

        Their ``points`` have market type, period, kind (``best`` or ``mean``), whether closing, the
        time, and the odds by selection.

        Args:
            since_ms: The first kick-off.
            until_ms: The end: kick-offs before it.
            competition: The competition, as the source has it.
            source: The name of one series, such as ``football-data``.
        """
        with self._select.together():
            return series.list_series(
                self._select,
                made_up=int(self._setting(LAST_MADE_UP_GAME) or 0),
                since_ms=since_ms,
                until_ms=until_ms,
                competition=competition,
                source=source,
            )

    def real_games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, without simulated ones."""
        if self._setting(LAST_REAL_AT) is None and self._setting(LAST_SIMULATED_AT) is not None:
            return []
        last = self._setting(LAST_MADE_UP_GAME) or 0
        asked = {"last": last, "since": since_ms, "until": until_ms}
        held, older = [DatedGame(*row) for row in self._select(_REAL_GAMES, asked)], self._older()
        if older is None:
            return held
        made_up = tuple(map(self.last_made_up, range(self.shards)))
        known = {game.game_id for game in held}
        found = older.forgotten_games(since_ms, until_ms + 1, made_up)
        return [*held, *(game for game in found if game.game_id not in known)]

    def last_scraped_at(self) -> int | None:
        """Return the newest ``scraped_at`` of all prices."""
        return self._select(_LAST_SCRAPED_AT)[0][0] or None

    def last_standing(self, now_ms: int) -> int | None:
        """Return the newest ``scraped_at`` of current prices, ``now_ms`` at most."""
        until = now_ms + CLOCK_TOLERANCE_MS
        last = self.last_scraped_at()
        if last is not None and last > until:  # seldom: it looks at each recent game
            last = self._select(_LAST_STANDING, {"until": until})[0][0]
        return min(last, now_ms) if last else None

    def newest_price(self) -> int | None:
        """Return the time of the newest price of all, current or not."""
        return int(self._select(NEWEST_PRICE)[0][0]) or None

    def bookmaker_name(self, said: str) -> str:
        """Return the database's name of a bookmaker."""
        return name_among(self.recorded_bookmakers(), said)

    def recorded_bookmakers(self) -> list[str]:
        """Return the names of all bookmakers that ever had a price, in their order."""
        return [name for (name,) in self._select(_BOOKMAKERS)]

    def recorded_competitions(self) -> list[tuple[str, str]]:
        """Return the competitions that ever had a game, each with its sport; it reads all games."""
        return [(competition, sport) for competition, sport in self._select(_COMPETITIONS)]

    def is_simulated(self, now_ms: int) -> bool:
        """Whether lists of fresh prices may still hold simulated ones."""
        return self._may_stand(LAST_SIMULATED_AT, now_ms)

    def is_shifted(self, now_ms: int) -> bool:
        """Whether they may still hold old ones with shifted times; also in the past.

        It is unknown since when: a shift may cover months.
        """
        return self._may_stand(LAST_SHIFTED_AT, now_ms)

    def made_up_among(self, game_ids: Sequence[str]) -> int:
        """Return how many of some games were simulated: real odds have separate games."""
        if self._setting(LAST_REAL_AT) is None:
            return 0 if self._setting(LAST_SIMULATED_AT) is None else len(game_ids)
        last = self._setting(LAST_MADE_UP_GAME)
        if not last or not game_ids:
            return 0
        asked = {"last": last, "game_ids": self._select.list_parameter(sorted(game_ids))}
        return int(self._select(_MADE_UP, asked)[0][0])

    def unpriced_reference(self) -> str | None:
        """Return the sharp book's name if others price recent games and it prices none; else
        None."""
        ((is_unpriced,),) = self._select(_IS_UNPRICED, {"reference": self._reference})
        return self._reference if is_unpriced else None

    def sources(self, now_ms: int) -> list[str]:
        """Return the sources whose odds may be in lists of fresh prices, as far as known."""
        names = sorted(self.sources_since(now_ms - LONGEST_WINDOW_MS))
        if self._share is None:
            return names
        return [name for name in names if name in self._share or name not in FORBIDDING]

    def sources_since(self, since_ms: int) -> dict[str, int]:
        """Return when each source was last recorded (ms), if after a time; for the operator."""
        rows = self._select(SOURCES, {"since": since_ms})
        return {str(key).removeprefix(SOURCE): int(value) for key, value in rows}

    def holds_real_odds(self) -> bool:
        """Whether prices that are not simulated were ever recorded."""
        return self._setting(LAST_REAL_AT) is not None

    def shift_of_imports(self) -> int:
        """Return by how many milliseconds imports with shifted times shift them; 0 without one."""
        return int(self._setting(SHIFT_TO_NOW) or 0)

    def _may_stand(self, recorded_at: str, now_ms: int) -> bool:
        """Whether fresh prices may be of a kind that a setting dates."""
        last, real = self._setting(recorded_at), self._setting(LAST_REAL_AT)
        if not last:
            return False
        return real is None or last >= real or last >= now_ms - _LISTED_MS


def unpriced_line(name: str, recorded: Iterable[str]) -> str:
    """Say that a sharp book has no prices, and suggest similar recorded names."""
    meant = " or ".join(near_names(name, {*recorded, *known_names()} - {name}))
    if meant:
        return N_(
            f"no odds from the sharp book {name!r}: nothing can be valued; did you mean {meant}?"
        )
    return N_(f"no odds from the sharp book {name!r}: nothing can be valued")


def misnamed_line(reader: Reader) -> str | None:
    """Return the same if no known bookmaker has that name either; else None."""
    name = reader.unpriced_reference()
    if name is None or canonical(name) is not None:
        return None
    return unpriced_line(name, reader.recorded_bookmakers())


def mistyped_line(reader: Reader, name: str) -> str | None:
    """Return the same for a name close to a known one, before any price is recorded."""
    recorded = reader.recorded_bookmakers()
    if name in recorded or canonical(name) is not None:
        return None
    is_near = near_names(name, {*recorded, *known_names()})
    return unpriced_line(name, recorded) if is_near else None


_ALL: Final = Visibility()


class ReaderPast:
    """A reader as ``ledger.log_closes.PastOdds``; for the thread of the reader."""

    def __init__(self, reader: Reader, reference: str) -> None:
        self._reader = reader
        self._reference = reference

    def game_at(self, game_id: str, at_ms: int) -> resources.GameMatrix | None:
        """Return a game at that time, else as first recorded; None if unknown."""
        standing = self._reader.matrix_as_of(game_id, at_ms, _ALL)
        if standing is not None:
            return standing
        # Once a game is over all prices of it are withdrawn: nothing stands of it then.
        moves = self._reader.moves(game_id, MoveFilter(), _ALL, 1)
        if moves is None or not moves.items:
            return None
        return self._reader.matrix_as_of(game_id, parse_ms(moves.items[0].scraped_at), _ALL)

    def games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, without simulated ones."""
        return self._reader.real_games_between(since_ms, until_ms)

    def market_at(
        self, game_id: str, market_type: str, period: int, at_ms: int
    ) -> resources.GameMatrix | None:
        """Return one market of it."""
        wanted = MarketFilter(market_type=market_type, period=period)
        return self._reader.matrix_as_of(game_id, at_ms, _ALL, wanted)

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> list[int]:
        """Return when a selection's prices moved in play."""
        points = self._reader.history(game_id, market_type, period, selection, 0)
        return [point.scraped_at for point in points if point.is_live]

    def usual_reference(self) -> str:
        """Return the database's sharp book."""
        return self._reference

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> list[int]:
        """Return when a bookmaker's price of a selection moved; without a name the sharp book's."""
        if bookmaker:
            points = self._reader.history(game_id, market_type, period, selection, since_ms)
            return [point.scraped_at for point in points if point.bookmaker == bookmaker]
        key = (market_type, period, selection)
        moves = self._reader.reference_history(game_id, [key], since_ms)
        return [move.scraped_at for move in moves.get(key, ())]


Pair = tuple[int, str]
"""A game, by its row, and a bookmaker."""


class Batch(NamedTuple):
    """Changes in the order of their shards' logs; ``end`` is the position after them."""

    changes: Sequence[Change]
    end: Position


class Tail(Protocol):
    """The end of a growing log; reads may raise ``StoreUnavailableError``."""

    def listening(self) -> AbstractContextManager[None]:
        """Get notified of growth inside the ``with`` block, on the running loop."""

    async def end(self) -> Position:
        """Return the position of the last changes."""

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position, in order, without a gap or a repeat.

        At most ``limit`` of each shard. It waits for them, but after a while it returns none.
        """

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes between two positions that both exist."""

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games joined into another, by that one's id."""

    async def pairs_left_out(
        self, changes: Sequence[Change], share: Collection[str]
    ) -> Collection[Pair]:
        """Return which games and bookmakers in changes are not for people elsewhere."""


class Grown(NamedTuple):
    """What was recorded in a shard: its first and last number.

    It may have been rolled back: to get the changes, read the log.
    """

    shard: int
    first: int
    last: int
    changes: Sequence[Change] = ()
    """All of its changes, if they are few; those that any source forbids passing on are marked as
    left out."""


OnRecorded = Callable[[Grown], None]


@runtime_checkable
class Announcing(Protocol):
    """A store shared with other machines, which knows what it recorded itself."""

    def on_recorded(self, callback: OnRecorded) -> Callable[[], None]:
        """Call back, on any thread, after a commit; returns how to stop that."""

    def reader_for_all(self) -> Reader:
        """Return a reader for the calling thread that marks what any source forbids passing on."""


def log_end(reader: Reader) -> Position:
    """Return the current end of the log."""
    return tuple(reader.last_seq(shard) for shard in range(reader.shards))


def read_after(reader: Reader, after: Position, limit: int) -> Batch:
    """Return the changes after a position, at most ``limit`` of each shard."""
    changes: list[Change] = []
    end: list[int] = []
    for shard, seq in enumerate(after):
        found = reader.changes_after(seq, limit, shard)
        changes += found
        end.append(found[-1].seq if found else seq)
    return Batch(changes, tuple(end))


def read_between(reader: Reader, after: Position, end: Position) -> list[Change]:
    """Return the changes between two positions."""
    changes: list[Change] = []
    for shard, (seq, last) in enumerate(zip(after, end, strict=True)):
        if last > seq:
            found = reader.changes_after(seq, last - seq, shard)
            changes += [each for each in found if each.seq <= last]
    return changes
