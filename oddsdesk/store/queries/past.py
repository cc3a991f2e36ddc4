"""What answers about the past take from the archive, in addition to the database.

A row may be in both, and can leave the database at any moment. The database is read first, so that
a row that left it is in the archive by then; duplicates are removed.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final

import msgspec

from oddsdesk.contract.competitions import played_sport
from oddsdesk.store.databases import SOURCE
from oddsdesk.store.queries.game import GameRow, ids_merged_with
from oddsdesk.store.queries.lists import is_asked_game
from oddsdesk.store.queries.select import Select
from oddsdesk.store.spans import LoggedMove, OlderLog, OldGame, OldMoves, Position
from oddsdesk.store.values import (
    FORBIDDING,
    DatedGame,
    Filters,
    HistoryPoint,
    MoveFilter,
    SelectionKey,
    Visibility,
)

GONE: Final = 0
"""The row of a game that the database has removed."""
_ALL: Final = 2**62
_SOME_GAMES: Final = 500
_FORBIDDEN: Final = """
SELECT DISTINCT bookmaker FROM origin WHERE game = :game AND NOT may_share
    AND NOT source IN (SELECT value FROM json_each(:share))
"""
_HELD: Final = """
SELECT game_id FROM game WHERE game_id IN (SELECT value FROM json_each(:game_ids))
"""
SOURCES: Final = """
SELECT key, value FROM setting WHERE key >= 'source ' AND key < 'source!' AND value >= :since
"""
"""The settings with the time a source was recorded, from ``:since`` on."""
_OF_GAME: Final = """
SELECT c.seq, c.recorded_at, c.scraped_at, g.game_id, g.match_name, g.competition, g.sport,
    g.match_date, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live, c.liquidity
FROM price_change c JOIN game g ON g.id = c.game
WHERE g.game_id = :game_id{narrowed}
"""


class Older:
    """The older rows of one database, for one answer.

    All removed rows were scraped before ``before()``; call it after reading the database.
    """

    def __init__(self, select: Select, log: OlderLog) -> None:
        self.log = log
        self._select = select

    def before(self) -> int:
        """Return the time before which all removed rows were scraped."""
        first = log_began(self._select)
        return _ALL if first is None else first

    def forgotten_game(self, game_id: str, visibility: Visibility) -> GameRow | None:
        """Return a removed game, if it may be passed on.

        Its sources are unknown by now: if any source forbids passing on, it is left out.
        """
        if not self.may_share_forgotten(visibility.share):
            return None
        found = self.log.archived_game(game_id, self.before())
        return None if found is None else forgotten_row(found)

    def forgotten_games(self, since: int, until: int, behind: Position = ()) -> list[DatedGame]:
        """Return the games that began from a time to before another and are only in the archive.

        With ``behind`` only those with rows after one of each shard.
        """
        found = self.log.archived_games(since, until, self.before(), behind)
        return [
            DatedGame(
                game.game_id,
                game.match_date,
                played_sport(game.competition, game.sport),
                game.competition,
                game.match_name,
            )
            for game in self._removed(found)
            if game.match_date is not None
        ]

    def forgotten_from(
        self, first: str, filters: Filters, visibility: Visibility, behind: Position
    ) -> Iterator[GameRow]:
        """Yield the removed games of ``filters`` that may be passed on, by id, from ``first`` on.

        Only those with rows after ``behind`` in their shard.
        """
        if not self.may_share_forgotten(visibility.share):
            return
        found = [
            game
            for game in self.log.archived_games(None, _ALL, self.before(), behind)
            if game.game_id >= first and is_asked_game(filters, game.competition)
        ]
        for start in range(0, len(found), _SOME_GAMES):
            yield from map(forgotten_row, self._removed(found[start : start + _SOME_GAMES]))

    def _removed(self, found: Sequence[OldGame]) -> list[OldGame]:
        """Return those of some archived games that the database has under no id."""
        listed = self._select.list_parameter([game.game_id for game in found])
        held = {ident for (ident,) in self._select(_HELD, {"game_ids": listed})}
        elsewhere = held.union(*self.merged.values())
        return [game for game in found if game.game_id not in elsewhere]

    def may_share_forgotten(self, share: Collection[str] | None) -> bool:
        """Return whether no source that forbids passing on was ever recorded, or it is allowed."""
        if share is None:
            return True
        asked = {"since": 0}
        sources = {str(key) for key, _ in self._select(SOURCES, asked)}
        return not sources & {SOURCE + name for name in FORBIDDING if name not in share}

    def game_moves(
        self,
        game: GameRow,
        wanted: MoveFilter = MoveFilter(),  # noqa: B008 - frozen
        visibility: Visibility = Visibility(),  # noqa: B008 - frozen
        after: tuple[int, int] | None = None,
        limit: int | None = None,
    ) -> list[LoggedMove]:
        """Return the visible moves of a game, by time, then number."""
        bookmaker = wanted.bookmaker if visibility.bookmaker is None else visibility.bookmaker
        if wanted.bookmaker not in (None, bookmaker):
            return []
        asked = OldMoves(
            self.before(),
            self.ids_of(game.game_id),
            **msgspec.structs.asdict(msgspec.structs.replace(wanted, bookmaker=bookmaker)),
            left_out=self.forbidden(game, visibility.share),
            live=visibility.live,
            after=after,
        )
        return self.log.archived_moves(asked, limit)

    def all_moves(self, game_id: str, wanted: MoveFilter) -> list[LoggedMove]:
        """Return the moves of a game, including the database's, by time, then number.

        ``wanted`` has the markets, selections and bookmakers.
        """
        given = {
            name: value
            for name in ("market_type", "period", "selection", "bookmaker")
            if (value := getattr(wanted, name)) is not None
        }
        narrowed = "".join(f" AND c.{name} = :{name}" for name in given)
        rows = self._select(_OF_GAME.format(narrowed=narrowed), {"game_id": game_id, **given})
        held = [LoggedMove._make(row) for row in rows]
        named = held[0][3:8] if held else (game_id, "", "", "", None)
        found = self.game_moves(GameRow(GONE, *named), wanted)
        known = {known_by(move) for move in held}
        both = [*held, *(move for move in found if known_by(move) not in known)]
        return sorted(both, key=attrgetter("scraped_at", "seq"))

    def history_of(
        self, game_id: str, bookmaker: str, key: SelectionKey, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how a bookmaker's price moved, starting with the price at a time."""
        market_type, period, selection = key
        moves = self.all_moves(game_id, MoveFilter(market_type, period, selection, bookmaker))
        first = next(
            (n for n, move in enumerate(moves) if move.recorded_at >= since_ms), len(moves)
        )
        return [
            HistoryPoint(bookmaker, move.odds, bool(move.is_live), move.scraped_at)
            for move in moves[max(first - 1, 0) :]
        ]

    def ids_of(self, game_id: str) -> tuple[str, ...]:
        """Return the id of a game and those of games joined into it."""
        return (game_id, *self.merged.get(game_id, ()))

    @cached_property
    def merged(self) -> dict[str, list[str]]:
        """The ids of games joined into another, by that one's id."""
        return ids_merged_with(self._select)

    def forbidden(self, game: GameRow, share: Collection[str] | None) -> frozenset[str]:
        """Return the bookmakers whose prices of a game may not be passed on."""
        if share is None:
            return frozenset()
        asked = {"game": game.row, "share": self._select.list_parameter(sorted(share))}
        return frozenset(name for (name,) in self._select(_FORBIDDEN, asked))


def forgotten_row(game: OldGame) -> GameRow:
    """Return an archived game as one without a row in the database."""
    ident, name, competition, sport, match_date = msgspec.structs.astuple(game)
    return GameRow(GONE, ident, name, competition, played_sport(competition, sport), match_date)


def known_by(move: LoggedMove) -> tuple[object, ...]:
    """Return what identifies a row within its game, wherever it is stored.

    Joined games may have changed its selection, a new spelling its bookmaker.
    """
    return (move.seq, move.scraped_at, move.market_type, move.period, move.odds)


_BEGAN: Final = "SELECT min(since) FROM recorded"


def log_began(select: Select) -> int | None:
    """Return since when odds are recorded, as far as the log is kept, in milliseconds."""
    first = select(_BEGAN)[0][0]
    return None if first is None else int(first)
