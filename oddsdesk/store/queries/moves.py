"""Price moves as answers have them: of one game, and of all games, with the archive's."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from operator import attrgetter
from typing import Any, Final

from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.resources import HistoryRow, PriceChange
from oddsdesk.contract.times import format_ms
from oddsdesk.store.queries.game import GameRow
from oddsdesk.store.queries.lists import game_conditions, visibility_parameters, visible
from oddsdesk.store.queries.past import Older, known_by
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.spans import LoggedMove, Position
from oddsdesk.store.values import (
    Filters,
    HistoryPlace,
    MoveFilter,
    MovePlace,
    Page,
    Visibility,
    to_cursor,
)

_SOME_GAMES: Final = 200
_MOVES: Final = """
SELECT c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at, c.seq
FROM price_change c WHERE {wanted} ORDER BY c.scraped_at, c.seq LIMIT :limit
"""
_GAMES: Final = """
SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date FROM game g
WHERE {wanted} ORDER BY g.game_id LIMIT :limit
"""
_HAS_MOVES: Final = """
EXISTS (SELECT 1 FROM price_change c INDEXED BY price_change_time WHERE {wanted})
"""


class WantedMoves:
    """The visible moves of a kind, for one answer."""

    def __init__(
        self,
        select: Select,
        reference: str,
        wanted: MoveFilter,
        visibility: Visibility,
        older: Older | None,
    ) -> None:
        self._select = select
        self._wanted = wanted
        self._visibility = visibility
        self._older = older
        self._asked = visibility_parameters(select, visibility, reference)
        self._conditions = [
            "c.game = :game",
            visible("c", visibility),
            *_move_conditions(wanted, self._asked),
        ]

    def of_game(self, game: GameRow, limit: int, after: MovePlace | None) -> list[Row]:
        """Return the first ``limit`` moves of a game, by time, then number."""
        asked = self._asked | {"game": game.row, "limit": limit}
        conditions = self._conditions
        if after is not None:
            conditions = [*conditions, "(c.scraped_at, c.seq) > (:after_at, :after_seq)"]
            asked |= {"after_at": after.scraped_at, "after_seq": after.seq}
        rows = self._select(_MOVES, asked, wanted=" AND ".join(conditions))
        if self._older is None:
            return rows
        place = None if after is None else (after.scraped_at, after.seq)
        found = self._older.game_moves(game, self._wanted, self._visibility, place, limit)
        return _with_older(rows, found)[:limit]

    def games(
        self, filters: Filters, first: str, made_up: int, behind: Position
    ) -> Iterator[GameRow]:
        """Yield the games that may have such moves, by id, from ``first`` on.

        ``made_up`` is the last simulated game's row in a database with real odds, ``behind`` the
        last simulated move of each shard.
        """
        older, since = self._older, self._wanted.since
        if older is None or (since is not None and since >= older.before()):
            yield from self._held(filters, first, made_up, None)
            return
        held = self._held(filters, first, made_up, older.before())
        gone = older.forgotten_from(first, filters, self._visibility, behind)
        yield from merge(held, gone, key=attrgetter("game_id"))

    def page_of_games(
        self,
        games: Iterable[GameRow],
        limit: int,
        place: HistoryPlace | None,
        go_on: Callable[[], bool],
    ) -> Page[HistoryRow]:
        """Return the moves of games after a place; ``go_on`` says whether to read another game."""
        items: list[HistoryRow] = []
        for game in games:
            after = None
            if place is not None and place.game_id == game.game_id:
                if place.scraped_at is None:
                    continue
                after = MovePlace(place.scraped_at, place.seq)
            left = limit - len(items)
            rows = self.of_game(game, left + 1, after)
            items += _history_rows(game, rows[:left])
            if len(rows) > left:
                end = rows[left - 1][-2:] if left else ()
                return Page(items, to_cursor(HistoryPlace(items[-1].game_id, *end)))
            if not go_on():
                return Page(items, to_cursor(HistoryPlace(game.game_id)))
        return Page(items, None)

    def _held(
        self, filters: Filters, first: str, made_up: int, archived_before: int | None
    ) -> Iterator[GameRow]:
        """Yield the games of the database, a few at a time.

        With ``archived_before`` also those that may have archived moves only.
        """
        conditions, asked = game_conditions(filters)
        span = MoveFilter(since=self._wanted.since, until=self._wanted.until)
        moves = ["c.game = g.id", *_move_conditions(span, asked)]
        has_moves = _HAS_MOVES.format(wanted=" AND ".join(moves))
        if archived_before is not None:
            has_moves = f"({has_moves} OR g.first_scraped_at < :archived_before)"
            asked["archived_before"] = archived_before
        asked |= {"made_up": made_up, "first": first, "limit": _SOME_GAMES}
        begins = "g.game_id >= :first"
        while True:
            wanted = " AND ".join([begins, "g.id > :made_up", *conditions, has_moves])
            rows = self._select(_GAMES, asked, wanted=wanted)
            yield from map(GameRow._make, rows)
            if len(rows) < _SOME_GAMES:
                return
            begins, asked["first"] = "g.game_id > :first", rows[-1][1]


def price_change(row: Row) -> PriceChange:
    """Return a move as the history of its game has it."""
    return PriceChange(
        bookmaker=row[0],
        market_type=row[1],
        period=row[2],
        selection=row[3],
        odds=row[4],
        scraped_at=format_ms(row[6]),
        is_live=bool(row[5]),
    )


def _history_rows(game: GameRow, rows: Iterable[Row]) -> Iterator[HistoryRow]:
    match_date = None if game.match_date is None else format_ms(game.match_date)
    sport, other = sport_of(game.competition), source_sport(game.competition, game.sport)
    named = (game.game_id, game.match_name, game.competition, sport, match_date)
    for bookmaker, market_type, period, selection, odds, is_live, scraped_at, _ in rows:
        move = (bookmaker, market_type, period, selection, odds, format_ms(scraped_at))
        yield HistoryRow(*named, *move, bool(is_live), other)


def _with_older(rows: list[Row], older: list[LoggedMove]) -> list[Row]:
    """Return rows with the missing ones of the archive, in order."""
    known = {(row[7], row[6], row[1], row[2], row[4]) for row in rows}  # as ``known_by``
    missing = [
        (*move[8:14], move.scraped_at, move.seq) for move in older if known_by(move) not in known
    ]
    return sorted([*rows, *missing], key=lambda row: row[6:8])


def _move_conditions(wanted: MoveFilter, asked: dict[str, Any]) -> list[str]:
    """Return the requested conditions, with their parameters added to ``asked``."""
    compared = {
        "market_type": ("c.market_type =", wanted.market_type),
        "period": ("c.period =", wanted.period),
        "selection": ("c.selection =", wanted.selection),
        "bookmaker": ("c.bookmaker =", wanted.bookmaker),
        "since": ("c.scraped_at >=", wanted.since),
        "until": ("c.scraped_at <", wanted.until),
    }
    given = {name: each for name, each in compared.items() if each[1] is not None}
    asked |= {name: value for name, (_, value) in given.items()}
    return [f"{comparison} :{name}" for name, (comparison, _) in given.items()]
