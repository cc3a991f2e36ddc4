"""Reading the odds on whatever engine there is: every resource of the contract, and the log."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.resources import (
    Bookmaker,
    Event,
    EventDetail,
    Game,
    GameMatrix,
    PriceChange,
    Sport,
    ValueBet,
)
from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS
from oddsdesk.pricing.market import Prices
from oddsdesk.pricing.results import Score
from oddsdesk.store.bookmaker_names import name_among
from oddsdesk.store.older import FindOlder
from oddsdesk.store.origins import FORBIDDING
from oddsdesk.store.queries import (
    as_of,
    catalogue,
    conditions,
    event,
    listing,
    log,
    matrix,
    moves,
    odds,
    past,
    results,
    spans,
    standing,
    timeline,
    valuation,
)
from oddsdesk.store.queries import quotes as quote_queries
from oddsdesk.store.queries import value_bets as bet_queries
from oddsdesk.store.queries.older import Older
from oddsdesk.store.queries.quotes import GameRow
from oddsdesk.store.queries.select import Select
from oddsdesk.store.reader import LONGEST_WINDOW_MS
from oddsdesk.store.settings import (
    ARCHIVE,
    KEEP_DAYS,
    LAST_MADE_UP_GAME,
    LAST_MADE_UP_MOVE,
    LAST_REAL_AT,
    LAST_SHIFTED_AT,
    LAST_SIMULATED_AT,
    SOURCE,
)
from oddsdesk.store.spans import ArchivedRow, LoggedMove, Span
from oddsdesk.store.values import (
    Change,
    DatedGame,
    EncodedOddsRow,
    Filters,
    HistoryPoint,
    MarketKey,
    MoveFilter,
    Page,
    SelectionKey,
    StandingQuote,
    ValuedGame,
    ValuedMarket,
    Visibility,
)

_REAL_GAMES: Final = """
SELECT game_id, kickoff, sport, competition, match_name FROM game
WHERE kickoff BETWEEN :since AND :until AND id > :last
"""
_MADE_UP: Final = "SELECT count(*) FROM game WHERE id <= :last AND game_id {}"
_SETTING: Final = "SELECT value FROM setting WHERE key = :key"
_IS_UNPRICED: Final = """
SELECT EXISTS (SELECT 1 FROM game JOIN coverage c ON c.game = game.id WHERE game.recent)
    AND NOT EXISTS (
        SELECT 1 FROM game JOIN coverage c ON c.game = game.id AND c.bookmaker = :reference
        WHERE game.recent
    )
"""
_LISTED_MS: Final = bet_queries.ODDS_AGE_MS + CLOCK_TOLERANCE_MS
"""For so long after it was recorded a price may be listed, or a value bet that rests on it."""
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"


class QueryReader(ABC):
    """``store.reader.Reader`` by queries; each engine's, on its ``Select``, knows its ``shards``.

    Every method raises ``StoreUnavailableError`` where the database cannot be read now, and
    those with a ``cursor`` raise ``BadCursorError``. Times are milliseconds.
    """

    def __init__(
        self,
        select: Select,
        reference: str,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
    ) -> None:
        self._select = select
        self._find_older = find_older
        self._share = None if share is None else tuple(share)
        self._reference = reference

    @property
    @abstractmethod
    def shards(self) -> int:
        """Into how many shards the log is divided."""

    def sports(self, now_ms: int) -> list[Sport]:
        """Return the sports with fresh prices, by name."""
        return catalogue.list_sports(
            self._select, conditions.standing(now_ms, WINDOW_MS), self._share
        )

    def bookmakers(self, now_ms: int, has_live: bool | None = None) -> list[Bookmaker]:
        """Return the bookmakers with fresh prices, by name (D38)."""
        window = conditions.standing(now_ms, WINDOW_MS)
        return catalogue.list_bookmakers(self._select, window, has_live, self._share)

    def events(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        stale_minutes: int,
        limit: int,
        cursor: str | None = None,
    ) -> Page[Event]:
        """Return events in the order of D13; ``filters.market_type`` is not for events."""
        window = conditions.standing(now_ms, stale_minutes * MINUTE_MS)
        told = self._told(visibility)
        with self._select.together():
            page = listing.list_games(
                self._select, self._reference, filters, told, window, limit, cursor
            )
        return Page([listing.to_event(game) for game in page.items], page.next_cursor)

    def games(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[Game]:
        """Return games in the order of D13; ``filters.market_type`` is not for games."""
        window = conditions.standing(now_ms, WINDOW_MS)
        told = self._told(visibility)
        with self._select.together():
            page = listing.list_games(
                self._select, self._reference, filters, told, window, limit, cursor
            )
        return Page([listing.to_game(game) for game in page.items], page.next_cursor)

    def event(
        self,
        match_name: str,
        now_ms: int,
        visibility: Visibility,
        *,
        bookmaker: str | None = None,
        market_type: str | None = None,
        period: int | None = None,
        stale_minutes: int,
    ) -> EventDetail | None:
        """Return the event of a name, None where the caller can see nothing of it."""
        with self._select.together():
            return event.event_detail(
                self._select,
                self._reference,
                match_name,
                self._told(visibility),
                conditions.standing(now_ms, stale_minutes * MINUTE_MS),
                bookmaker=bookmaker,
                market_type=market_type,
                period=period,
            )

    def odds(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[EncodedOddsRow]:
        """Return odds rows in the order of D13."""
        window, told = conditions.standing(now_ms, WINDOW_MS), self._told(visibility)
        with self._select.together():
            return odds.list_odds(
                self._select, self._reference, filters, told, window, limit, cursor
            )

    def matrix(
        self,
        game_id: str,
        now_ms: int,
        visibility: Visibility,
        *,
        bookmaker: str | None = None,
        market_type: str | None = None,
        period: int | None = None,
    ) -> GameMatrix | None:
        """Return the matrix of a game, None where the caller can see nothing of it."""
        with self._select.together():
            return matrix.game_matrix(
                self._select,
                self._reference,
                game_id,
                self._told(visibility),
                conditions.standing(now_ms, WINDOW_MS),
                bookmaker=bookmaker,
                market_type=market_type,
                period=period,
            )

    def games_as_of(
        self,
        at_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[Game]:
        """Return the games that had prices at a moment, by kick-off (D71).

        From those that began a day before on; ``filters.market_type`` is not for games.
        """
        told = self._told(visibility)
        with self._select.together():
            page = as_of.list_games_as_of(
                self._select, self._reference, filters, told, at_ms, limit, cursor, self._older()
            )
        return Page([listing.to_game(game) for game in page.items], page.next_cursor)

    def odds_as_of(
        self,
        at_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[EncodedOddsRow]:
        """Return the odds rows that stood at a moment, by kick-off, of the same games (D71)."""
        told = self._told(visibility)
        with self._select.together():
            return as_of.list_odds_as_of(
                self._select, self._reference, filters, told, at_ms, limit, cursor, self._older()
            )

    def matrix_as_of(
        self,
        game_id: str,
        at_ms: int,
        visibility: Visibility,
        *,
        bookmaker: str | None = None,
        market_type: str | None = None,
        period: int | None = None,
    ) -> GameMatrix | None:
        """Return the matrix of a game as it stood at a moment; None where nothing did (D71)."""
        told = self._told(visibility)
        with self._select.together():
            older = self._older()
            game = self._game(game_id, told, older)
            if game is None:
                return None
            quotes = as_of.quotes_as_of(self._select, self._reference, game, told, at_ms, older)
        return matrix.matrix_of(
            game,
            quotes,
            self._reference,
            bookmaker=bookmaker,
            market_type=market_type,
            period=period,
        )

    def moves(
        self,
        game_id: str,
        wanted: MoveFilter,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[PriceChange] | None:
        """Return how a game's prices moved, by ``scraped_at``; None for a game unknown (D75)."""
        told = self._told(visibility)
        with self._select.together():
            older = self._older()
            game = self._game(game_id, told, older)
            if game is None:
                return None
            return moves.list_moves(
                self._select, self._reference, game, wanted, told, limit, cursor, older
            )

    def merged_ids(self) -> dict[str, list[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""
        return quote_queries.merged_ids(self._select)

    def value_bets(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        min_ev: float,
        max_ev: float,
        limit: int,
        cursor: str | None = None,
    ) -> Page[ValueBet]:
        """Return the value bets that hold now, the best first (D29)."""
        return bet_queries.list_value_bets(
            self._select,
            self._reference,
            filters,
            self._told(visibility),
            now_ms,
            min_ev=min_ev,
            max_ev=max_ev,
            limit=limit,
            cursor=cursor,
        )

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log of a shard after ``seq``, at most ``limit`` rows."""
        return log.changes_after(self._select, self._reference, shard, seq, limit, self._share)

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of the log of a shard, 0 where nothing was ever recorded."""
        return log.last_seq(self._select, shard)

    def first_after(self, shard: int, seq: int) -> int | None:
        """Return the number of the first row of the log behind one; None where there is none."""
        found = spans.first_row(self._select, shard, seq, self.last_seq(shard))
        return None if found is None else found[0]

    def last_made_up(self, shard: int) -> int:
        """Return the number of the last row of a shard's log that was simulated before real odds.

        0 where none was, or where all still are.
        """
        return self._setting(f"{LAST_MADE_UP_MOVE}{shard}") or 0

    def hour_after(self, shard: int, seq: int, until: int) -> Span | None:
        """Return the first hour behind a row, at most to ``until``: all up to the next hour's."""
        return spans.hour_after(self._select, shard, seq, until)

    def between(self, shard: int, first: int, last: int) -> Span | None:
        """Return what the log has from one number to another; None where nothing is."""
        return spans.between(self._select, shard, first, last)

    def rows_of(self, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
        """Return rows of a span behind one, by number, with the names that games have now."""
        return spans.rows_of(self._select, span, after, limit)

    def logged(
        self, shard: int, after: int, until: int, since_ms: int, before_ms: int
    ) -> Sequence[LoggedMove]:
        """Return moves behind one and up to another of a shard, by number, for exports (D74).

        Only prices scraped from ``since_ms`` to before ``before_ms``; all of them at once, so ask
        for few numbers at a time.
        """
        return spans.logged(self._select, shard, after, until, since_ms, before_ms)

    def last_moves(self, shard: int) -> list[tuple[int, str]]:
        """Return the number of the last move of each game of a shard, with its id, in order.

        It looks through the whole log, some games at a time: for exports, not for answers.
        """
        return spans.last_moves(self._select, shard)

    def told_by(self) -> list[str]:
        """Return the sources that any price came from, as far as that is known (D66)."""
        return spans.told_by(self._select)

    def market_prices(self, game: int, market_type: str, period: int) -> list[Prices]:
        """Return what every bookmaker says of a market, whatever its age, by name."""
        return valuation.market_prices(self._select, game, market_type, period, self._share)

    def prices_of(
        self, asked: Mapping[MarketKey, Collection[str]]
    ) -> dict[MarketKey, list[Prices]]:
        """Return what some bookmakers say of each market, whatever its age."""
        return valuation.prices_of(self._select, asked, self._share)

    def standing_quotes(self, now_ms: int, age_ms: int) -> list[StandingQuote]:
        """Return the present quotes of all games that are of no more than an age now."""
        return standing.standing_quotes(self._select, conditions.standing(now_ms, age_ms))

    def priced_draws(self, since: int) -> set[tuple[str, str, int]]:
        """Return whose draw in a moneyline moved, came or went since: game id, bookmaker, period.

        One that such a bookmaker does not price now is missing (D48).
        """
        return standing.priced_draws(self._select, since)

    def games_to_value(self, since: int) -> list[ValuedGame]:
        """Return the games that the valuation has to look at, for prices scraped since then."""
        return valuation.games_to_value(self._select, since)

    def markets_to_value(self, game: int) -> list[ValuedMarket]:
        """Return the markets of a game that may hold value bets, with their prices."""
        return valuation.markets_to_value(self._select, self._reference, game, self._share)

    def bookmakers_that_drew(self, game: int, period: int, since: int) -> set[str]:
        """Return whose draw in a moneyline of a game, given by its row, moved, came or went."""
        return valuation.bookmakers_that_drew(self._select, game, period, since)

    def moneylines_like(
        self, game: int, bookmakers: Iterable[str], since: int
    ) -> list[tuple[str, str, dict[str, float]]]:
        """Return bookmakers' moneylines in a game's competition: match name, bookmaker, odds."""
        return valuation.moneylines_like(self._select, game, bookmakers, since)

    def history(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how the prices of a selection moved since a time."""
        asked = (game_id, market_type, period, selection, since_ms)
        return log.history(self._select, *asked, self._older())

    def has_prices(self, game: int, quote: Quote) -> bool:
        """Return whether the log has the prices of a quote of a game's row at its time."""
        return log.has_prices(self._select, game, quote)

    def reference_history(
        self, game_id: str, selections: Iterable[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[HistoryPoint]]:
        """Return how the reference's prices moved, by (market type, period, selection).

        Each starts with the price that stood then; those without any are left out.
        """
        if (older := self._older()) is not None:
            asked = {key: (game_id, self._reference, key, since_ms) for key in selections}
            found = {key: older.history_of(*each) for key, each in asked.items()}
            return {key: points for key, points in found.items() if points}
        with self._select.together():
            return past.selection_histories(
                self._select, game_id, self._reference, selections, since_ms
            )

    def scores(self) -> dict[str, Score]:
        """Return how games ended, by id, as far as a feed told it."""
        return results.scores(self._select)

    def score_named(self, competition: str, match_name: str, kick_off: int) -> Score | None:
        """Return how a game ended that the database has nothing else of, by name and kick-off."""
        return results.score_named(self._select, competition, match_name, kick_off)

    def real_games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, but for simulated ones."""
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

    def last_sightings(self, game_id: str) -> dict[tuple[str, str, int], list[int]]:
        """Return when each bookmaker's market of a game was seen last, ahead of it and at all."""
        return past.last_sightings(self._select, game_id)

    def log_began(self) -> int | None:
        """Return since when prices are recorded, as far as log and archive are kept."""
        first, older = past.began(self._select), self._older()
        archived = None if older is None else older.log.began()
        return min((each for each in (first, archived) if each is not None), default=None)

    def lacks(self) -> str:
        """Return why older moves than the log's are not told though they are kept; one line."""
        self._older()
        return "" if self._find_older is None else self._find_older.unreadable

    def silences(self, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
        """Return the spans, longer than ``longest_ms``, in which nothing was recorded."""
        return past.silences(self._select, since_ms, now_ms, longest_ms)

    def changes_between(self, since_ms: int, until_ms: int, limit: int) -> list[Change]:
        """Return the moves of prices scraped after a moment and not after another, in order.

        At most ``limit``.
        """
        return timeline.changes_between(
            self._select, self._reference, since_ms, until_ms, limit, self._share, self._older()
        )

    def log_ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price of the log; None for an empty one."""
        return timeline.ends(self._select, self._older())

    def move_counts(self, since_ms: int, until_ms: int, parts: int) -> list[int]:
        """Return how many prices moved in each of so many equal parts of a span."""
        return timeline.counts(self._select, since_ms, until_ms, parts, self._older())

    def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        return timeline.next_move(self._select, at_ms, game_id, back=back, older=self._older())

    def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most: the reference's, before kick-off, if any."""
        return timeline.largest_move(self._select, self._reference, game_id, self._older())

    def kick_offs(self, since_ms: int, until_ms: int, limit: int) -> list[tuple[int, int]]:
        """Return the kick-offs in a span, each with how many games begin then."""
        return timeline.kick_offs(self._select, since_ms, until_ms, limit, self._older())

    def last_scraped_at(self) -> int | None:
        """Return the newest ``scraped_at`` of all prices."""
        return self._select(self._select.sql.reader.last_scraped_at)[0][0] or None

    def newest_price(self) -> int | None:
        """Return the time of the newest price of all, withdrawn or not."""
        return int(self._select(self._select.sql.reader.newest_price)[0][0]) or None

    def bookmaker_name(self, said: str) -> str:
        """Return what the database calls a bookmaker that somebody names in their own way (D70)."""
        return name_among(self.recorded_bookmakers(), said)

    def recorded_bookmakers(self) -> list[str]:
        """Return the names of all bookmakers that ever priced anything, in their order."""
        return [name for (name,) in self._select(_BOOKMAKERS)]

    def archive(self) -> str | None:
        """Return the folder that price history is archived in, as far as it ever was."""
        rows = self._select(_SETTING, {"key": ARCHIVE})
        return str(rows[0][0]) if rows else None

    def keep_days(self) -> int | None:
        """Return for how many days the log is kept, 0 for ever; None where that was never set."""
        return self._setting(KEEP_DAYS)

    def is_simulated(self, now_ms: int) -> bool:
        """Whether lists of fresh prices may still hold simulated ones."""
        return self._may_stand(LAST_SIMULATED_AT, now_ms)

    def is_shifted(self, now_ms: int) -> bool:
        """Whether they may still hold old ones whose times were moved; also of a past moment.

        From where on is not known: what is moved at once may be months long.
        """
        return self._may_stand(LAST_SHIFTED_AT, now_ms)

    def made_up_among(self, game_ids: Sequence[str]) -> int:
        """Return how many of some games were simulated: real odds have games of their own."""
        if self._setting(LAST_REAL_AT) is None:
            return 0 if self._setting(LAST_SIMULATED_AT) is None else len(game_ids)
        last = self._setting(LAST_MADE_UP_GAME)
        if not last or not game_ids:
            return 0
        query = _MADE_UP.format(self._select.sql.conditions.is_one_of.format("game_ids"))
        asked = {"last": last, "game_ids": self._select.listed(sorted(game_ids))}
        return int(self._select(query, asked)[0][0])

    def unpriced_reference(self) -> str | None:
        """Return the reference's name where others price recent games, and it none; else None."""
        ((is_unpriced,),) = self._select(_IS_UNPRICED, {"reference": self._reference})
        return self._reference if is_unpriced else None

    def sources(self, now_ms: int) -> list[str]:
        """Return whose prices lists of fresh ones may hold, as far as sources are known (D66)."""
        since = {"since": now_ms - LONGEST_WINDOW_MS}
        told = self._select(self._select.sql.reader.sources, since)
        names = sorted(str(key).removeprefix(SOURCE) for (key,) in told)
        if self._share is None:
            return names
        return [name for name in names if name in self._share or name not in FORBIDDING]

    def holds_real_odds(self) -> bool:
        """Whether prices that are not simulated were ever recorded."""
        return self._setting(LAST_REAL_AT) is not None

    def close(self) -> None:
        """Close the connection; the store does it."""
        self._select.close()

    def _may_stand(self, recorded_at: str, now_ms: int) -> bool:
        """Whether fresh prices may be of a kind that a setting says was recorded last then."""
        last, real = self._setting(recorded_at), self._setting(LAST_REAL_AT)
        if not last:
            return False
        return real is None or last >= real or last >= now_ms - _LISTED_MS

    def _older(self) -> Older | None:
        """Return what the archive adds to an answer, None where it is none or cannot be read."""
        log = None if self._find_older is None else self._find_older(self)
        return None if log is None else Older(self._select, log)

    def _game(self, game_id: str, told: Visibility, older: Older | None) -> GameRow | None:
        """Return the game of an id, one of the archive's if the database has forgotten it."""
        game = quote_queries.game_by_id(self._select, game_id)
        return game if game is not None or older is None else older.game(game_id, told)

    def _told(self, visibility: Visibility) -> Visibility:
        """Return what a caller may see of what may be passed on (D66)."""
        if self._share is None:
            return visibility
        return msgspec.structs.replace(visibility, share=self._share)

    def _setting(self, key: str) -> int | None:
        rows = self._select(_SETTING, {"key": key})
        return int(rows[0][0]) if rows else None
