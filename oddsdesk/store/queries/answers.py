"""What the service answers from the odds: every resource of the contract, now and as of then."""

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
from oddsdesk.store.queries import (
    as_of,
    catalogue,
    conditions,
    event,
    listing,
    matrix,
    moves,
    odds,
    quotes,
    value_bets,
)
from oddsdesk.store.queries.log_reader import LogReader
from oddsdesk.store.queries.older import Older
from oddsdesk.store.values import EncodedOddsRow, Filters, MoveFilter, Page, Visibility


class Answers(LogReader):
    """Each to one caller, of what that caller may see."""

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
        return value_bets.list_value_bets(
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

    def merged_ids(self) -> dict[str, list[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""
        return quotes.merged_ids(self._select)

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
            stood = as_of.quotes_as_of(self._select, self._reference, game, told, at_ms, older)
        return matrix.matrix_of(
            game,
            stood,
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

    def _game(self, game_id: str, told: Visibility, older: Older | None) -> quotes.GameRow | None:
        """Return the game of an id, one of the archive's if the database has forgotten it."""
        game = quotes.game_by_id(self._select, game_id)
        return game if game is not None or older is None else older.game(game_id, told)
