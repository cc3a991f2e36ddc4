"""Reading the odds: every resource of the contract, and the log."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol

from oddsdesk.contract.quotes import Quote
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
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.market import Prices
from oddsdesk.pricing.results import Score
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

LONGEST_WINDOW_MS: Final = 60 * MINUTE_MS


class Reader(Protocol):
    """Read-only; for the thread that got it from ``Store.reader``.

    Every method raises ``StoreUnavailableError`` where the database cannot be read now, and
    those with a ``cursor`` raise ``BadCursorError``. Times are milliseconds.
    """

    def sports(self, now_ms: int) -> list[Sport]:
        """Return the sports with fresh prices, by name."""
        ...

    def bookmakers(self, now_ms: int, has_live: bool | None = None) -> list[Bookmaker]:
        """Return the bookmakers with fresh prices, by name (D38)."""
        ...

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
        ...

    def games(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[Game]:
        """Return games in the order of D13; ``filters.market_type`` is not for games."""
        ...

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
        ...

    def odds(
        self,
        now_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[EncodedOddsRow]:
        """Return odds rows in the order of D13."""
        ...

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
        ...

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
        ...

    def odds_as_of(
        self,
        at_ms: int,
        filters: Filters,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[EncodedOddsRow]:
        """Return the odds rows that stood at a moment, by kick-off, of the same games (D71)."""
        ...

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
        ...

    def moves(
        self,
        game_id: str,
        wanted: MoveFilter,
        visibility: Visibility,
        limit: int,
        cursor: str | None = None,
    ) -> Page[PriceChange] | None:
        """Return how a game's prices moved, by ``scraped_at``; None for a game unknown (D75)."""
        ...

    def merged_ids(self) -> dict[str, list[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""
        ...

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
        ...

    @property
    def shards(self) -> int:
        """Into how many shards the log is divided, each numbered on its own; a file has one."""
        ...

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log of a shard after ``seq``, at most ``limit`` rows."""
        ...

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of the log of a shard, 0 where nothing was ever recorded."""
        ...

    def first_after(self, shard: int, seq: int) -> int | None:
        """Return the number of the first row of the log behind one; None where there is none."""
        ...

    def last_made_up(self, shard: int) -> int:
        """Return the number of the last row of a shard's log that was simulated before real odds.

        0 where none was, or where all still are.
        """
        ...

    def hour_after(self, shard: int, seq: int, until: int) -> Span | None:
        """Return the first hour behind a row, at most to ``until``: all up to the next hour's."""
        ...

    def between(self, shard: int, first: int, last: int) -> Span | None:
        """Return what the log has from one number to another; None where nothing is."""
        ...

    def rows_of(self, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
        """Return rows of a span behind one, by number, with the names that games have now."""
        ...

    def logged(
        self, shard: int, after: int, until: int, since_ms: int, before_ms: int
    ) -> Sequence[LoggedMove]:
        """Return moves behind one and up to another of a shard, by number, for exports (D74).

        Only prices scraped from ``since_ms`` to before ``before_ms``; all of them at once, so ask
        for few numbers at a time.
        """
        ...

    def last_moves(self, shard: int) -> list[tuple[int, str]]:
        """Return the number of the last move of each game of a shard, with its id, in order.

        It looks through the whole log, some games at a time: for exports, not for answers.
        """
        ...

    def told_by(self) -> list[str]:
        """Return the sources that any price came from, as far as that is known (D66)."""
        ...

    def market_prices(self, game: int, market_type: str, period: int) -> list[Prices]:
        """Return what every bookmaker says of a market, whatever its age, by name."""
        ...

    def prices_of(
        self, asked: Mapping[MarketKey, Collection[str]]
    ) -> dict[MarketKey, list[Prices]]:
        """Return what some bookmakers say of each market, whatever its age."""
        ...

    def standing_quotes(self, now_ms: int, age_ms: int) -> list[StandingQuote]:
        """Return the present quotes of all games that are of no more than an age now."""
        ...

    def priced_draws(self, since: int) -> set[tuple[str, str, int]]:
        """Return whose draw in a moneyline moved, came or went since: game id, bookmaker, period.

        One that such a bookmaker does not price now is missing (D48).
        """
        ...

    def games_to_value(self, since: int) -> list[ValuedGame]:
        """Return the games that the valuation has to look at, for prices scraped since then."""
        ...

    def markets_to_value(self, game: int) -> list[ValuedMarket]:
        """Return the markets of a game that may hold value bets, with their prices."""
        ...

    def bookmakers_that_drew(self, game: int, period: int, since: int) -> set[str]:
        """Return whose draw in a moneyline of a game, given by its row, moved, came or went."""
        ...

    def moneylines_like(
        self, game: int, bookmakers: Iterable[str], since: int
    ) -> list[tuple[str, str, dict[str, float]]]:
        """Return bookmakers' moneylines in a game's competition: match name, bookmaker, odds."""
        ...

    def history(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how the prices of a selection moved since a time."""
        ...

    def has_prices(self, game: int, quote: Quote) -> bool:
        """Return whether the log has the prices of a quote of a game's row at its time."""
        ...

    def reference_history(
        self, game_id: str, selections: Iterable[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[HistoryPoint]]:
        """Return how the reference's prices moved, by (market type, period, selection).

        Each starts with the price that stood then; those without any are left out.
        """
        ...

    def scores(self) -> dict[str, Score]:
        """Return how games ended, by id, as far as a feed told it."""
        ...

    def score_named(self, competition: str, match_name: str, kick_off: int) -> Score | None:
        """Return how a game ended that the database has nothing else of, by name and kick-off."""
        ...

    def real_games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, but for simulated ones."""
        ...

    def last_sightings(self, game_id: str) -> dict[tuple[str, str, int], list[int]]:
        """Return when each bookmaker's market of a game was seen last, whether it moved or not.

        By bookmaker, market type and period: ahead of the game, or of when it was withdrawn, where
        that is known; then at all.
        """
        ...

    def log_began(self) -> int | None:
        """Return since when prices are recorded, as far as the log is kept."""
        ...

    def lacks(self) -> str:
        """Return why older moves than the log's are not told though they are kept; one line.

        Empty where nothing lacks.
        """
        ...

    def silences(self, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
        """Return the spans, longer than ``longest_ms``, in which nothing was recorded."""
        ...

    def changes_between(self, since_ms: int, until_ms: int, limit: int) -> list[Change]:
        """Return the moves of prices scraped after a moment and not after another, in order.

        At most ``limit``.
        """
        ...

    def log_ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price of the log; None for an empty one."""
        ...

    def move_counts(self, since_ms: int, until_ms: int, parts: int) -> list[int]:
        """Return how many prices moved in each of so many equal parts of a span."""
        ...

    def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        ...

    def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most: the reference's, before kick-off, if any."""
        ...

    def kick_offs(self, since_ms: int, until_ms: int, limit: int) -> list[tuple[int, int]]:
        """Return the kick-offs in a span, each with how many games begin then."""
        ...

    def last_scraped_at(self) -> int | None:
        """Return the newest ``scraped_at`` of all prices."""
        ...

    def newest_price(self) -> int | None:
        """Return the time of the newest price of all, withdrawn or not."""
        ...

    def bookmaker_name(self, said: str) -> str:
        """Return what the database calls a bookmaker that somebody names in their own way (D70)."""
        ...

    def recorded_bookmakers(self) -> list[str]:
        """Return the names of all bookmakers that ever priced anything, in their order."""
        ...

    def archive(self) -> str | None:
        """Return the folder that price history is archived in, as far as it ever was."""
        ...

    def keep_days(self) -> int | None:
        """Return for how many days the log is kept, 0 for ever; None where that was never set."""
        ...

    def is_simulated(self, now_ms: int) -> bool:
        """Whether lists of fresh prices may still hold simulated ones."""
        ...

    def is_shifted(self, now_ms: int) -> bool:
        """Whether they may still hold old ones whose times were moved; also of a past moment."""
        ...

    def made_up_among(self, game_ids: Sequence[str]) -> int:
        """Return how many of some games were simulated: real odds have games of their own."""
        ...

    def unpriced_reference(self) -> str | None:
        """Return the reference's name where others price recent games, and it none; else None."""
        ...

    def sources(self, now_ms: int) -> list[str]:
        """Return whose prices lists of fresh ones may hold, as far as sources are known (D66)."""
        ...

    def holds_real_odds(self) -> bool:
        """Whether prices that are not simulated were ever recorded."""
        ...
