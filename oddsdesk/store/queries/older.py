"""What answers about the past take from the archive, beside what the database still has.

A row may be in both, and goes from the database at any moment: the database is read first, so that
a row that it has no more is in the archive by then, and what both tell is taken once.
"""

from collections.abc import Collection
from functools import cached_property
from operator import attrgetter
from typing import Final

import msgspec

from oddsdesk.contract.competitions import played_sport
from oddsdesk.store.older import OlderLog, OldGame, OldMoves
from oddsdesk.store.origins import FORBIDDING
from oddsdesk.store.queries.past import began
from oddsdesk.store.queries.quotes import GameRow, merged_ids
from oddsdesk.store.queries.select import Select
from oddsdesk.store.settings import SOURCE
from oddsdesk.store.spans import LoggedMove, Position
from oddsdesk.store.values import DatedGame, HistoryPoint, MoveFilter, SelectionKey, Visibility

GONE: Final = 0
"""The row of a game that the database has nothing of any more."""
_ALL: Final = 2**62
_FORBIDDEN: Final = """
SELECT DISTINCT bookmaker FROM origin WHERE game = :game AND NOT may_share AND NOT source {}
"""
_HELD: Final = "SELECT game_id FROM game WHERE game_id {}"
_OF_GAME: Final = """
SELECT c.seq, c.recorded_at, c.scraped_at, g.game_id, g.match_name, g.competition, g.sport,
    g.match_date, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live, c.liquidity
FROM price_change c JOIN game g ON g.id = c.game
WHERE g.game_id = :game_id{narrowed}
"""


class Older:
    """The older rows of one database, for one answer.

    All that ever went was scraped before ``before()``, which is to be asked after the database.
    """

    def __init__(self, select: Select, log: OlderLog) -> None:
        self.log = log
        self._select = select

    def before(self) -> int:
        """Return before when everything was scraped that the database has no more."""
        first = began(self._select)
        return _ALL if first is None else first

    def game(self, game_id: str, visibility: Visibility) -> GameRow | None:
        """Return a game that the database has forgotten, if it may be told.

        What it was told by is forgotten, too: where any source forbids passing on (D66), it is
        not told.
        """
        if not self.may_tell_forgotten(visibility.share):
            return None
        found = self.log.game(game_id, self.before())
        return None if found is None else row_of(found)

    def forgotten_games(self, since: int, until: int, behind: Position = ()) -> list[DatedGame]:
        """Return the games that began from a time to before another and are in the archive only.

        With ``behind`` those alone that have rows behind one of each shard.
        """
        found = self.log.games(since, until, self.before(), behind)
        query = _HELD.format(self._select.sql.conditions.is_one_of.format("game_ids"))
        listed = self._select.listed([game.game_id for game in found])
        held = {ident for (ident,) in self._select(query, {"game_ids": listed})}
        elsewhere = held.union(*self.merged.values())
        return [
            DatedGame(
                game.game_id,
                game.match_date,
                played_sport(game.competition, game.sport),
                game.competition,
                game.match_name,
            )
            for game in found
            if game.match_date is not None and game.game_id not in elsewhere
        ]

    def may_tell_forgotten(self, share: Collection[str] | None) -> bool:
        """Say whether no source that forbids passing on was ever recorded, or it is allowed."""
        if share is None:
            return True
        asked = {"since": 0}
        told = {str(key) for (key,) in self._select(self._select.sql.reader.sources, asked)}
        return not told & {SOURCE + name for name in FORBIDDING if name not in share}

    def moves(
        self,
        game: GameRow,
        wanted: MoveFilter = MoveFilter(),  # noqa: B008 - frozen
        visibility: Visibility = Visibility(),  # noqa: B008 - frozen
        after: tuple[int, int] | None = None,
        limit: int | None = None,
    ) -> list[LoggedMove]:
        """Return the moves of a game that a caller may see, by time, then number."""
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
        return self.log.moves(asked, limit)

    def all_moves(self, game_id: str, wanted: MoveFilter) -> list[LoggedMove]:
        """Return the moves of a game, those of the database among them, by time, then number.

        ``wanted`` says of which markets, selections and bookmakers.
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
        found = self.moves(GameRow(GONE, *named), wanted)
        known = {known_by(move) for move in held}
        both = [*held, *(move for move in found if known_by(move) not in known)]
        return sorted(both, key=attrgetter("scraped_at", "seq"))

    def history_of(
        self, game_id: str, bookmaker: str, key: SelectionKey, since_ms: int
    ) -> list[HistoryPoint]:
        """Return how a bookmaker's price moved, from the one on that stood at a time."""
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
        """Return the id of a game and those of what became part of it."""
        return (game_id, *self.merged.get(game_id, ()))

    @cached_property
    def merged(self) -> dict[str, list[str]]:
        """The ids of games that became part of another, by that one's id (D69)."""
        return merged_ids(self._select)

    def forbidden(self, game: GameRow, share: Collection[str] | None) -> frozenset[str]:
        """Return whose prices of a game are not to be told (D66)."""
        if share is None:
            return frozenset()
        query = _FORBIDDEN.format(self._select.sql.conditions.is_one_of.format("share"))
        asked = {"game": game.row, "share": self._select.listed(sorted(share))}
        return frozenset(name for (name,) in self._select(query, asked))


def row_of(game: OldGame) -> GameRow:
    """Return a game of the archive as one that the database has no row of."""
    ident, name, competition, sport, match_date = msgspec.structs.astuple(game)
    return GameRow(GONE, ident, name, competition, played_sport(competition, sport), match_date)


def known_by(move: LoggedMove) -> tuple[object, ...]:
    """Return what tells a row from all others of its game, wherever it is.

    Games that became one (D69) may have got it another selection, a spelling another bookmaker.
    """
    return (move.seq, move.scraped_at, move.market_type, move.period, move.odds)
