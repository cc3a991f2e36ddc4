"""The tables of the odds file as decisions about pairs see them (``store.pair_tables``)."""

import json
from collections.abc import Collection, Iterable
from typing import Any, Final

from oddsdesk.contract.game_pairs import PairState
from oddsdesk.store.other_names import OtherName
from oddsdesk.store.pair_tables import (
    DecidedPair,
    KnownGame,
    LogEnd,
    NamedTwice,
    StoredSaid,
    SuggestedPair,
    ToldPair,
)
from oddsdesk.store.sqlite.game_rows import as_said
from oddsdesk.store.sqlite.tables import KEEP_NAME, SqliteTables

_GAMES: Final = """
SELECT id, game_id, competition, match_name, match_date, last_scraped_at FROM game ORDER BY id
"""
_EVENTS: Final = "SELECT game, event FROM event"
_SUGGEST: Final = """
INSERT INTO game_pair (competition, kept, kept_name, other, other_name, crosswise, state)
VALUES (?, ?, ?, ?, ?, ?, 'suggested')
"""
_DROP_SUGGESTION: Final = "DELETE FROM game_pair WHERE id = ? AND state = 'suggested'"
_PAIRS: Final = """
SELECT pair.id, state, pair.competition, kept, kept_name, kept.match_date, other, other_name,
    other.match_date, crosswise, decided_at
FROM game_pair pair LEFT JOIN game kept ON kept.game_id = pair.kept
LEFT JOIN game other ON other.game_id = pair.other ORDER BY pair.id
"""
_BOOKMAKERS: Final = """
SELECT DISTINCT game.game_id, bookmaker FROM json_each(?) asked
CROSS JOIN game ON game.game_id = asked.value CROSS JOIN coverage ON coverage.game = game.id
ORDER BY bookmaker
"""
_SOURCES: Final = """
SELECT DISTINCT game.game_id, substr(event, 1, instr(event, ':') - 1) AS source
FROM json_each(?) asked CROSS JOIN game ON game.game_id = asked.value
CROSS JOIN event ON event.game = game.id ORDER BY source
"""
_PAIR: Final = """
SELECT competition, kept, other, crosswise, state, before, decided_at FROM game_pair WHERE id = ?
"""
_DECIDE: Final = "UPDATE game_pair SET state = ?, decided_at = ?, before = ? WHERE id = ?"
_LAST_DECIDED: Final = "SELECT coalesce(max(decided_at), 0) FROM game_pair"
_LATER: Final = """
SELECT later.id FROM game_pair pair CROSS JOIN game_pair later
    ON pair.kept IN (later.kept, later.other)
WHERE pair.id = ? AND later.state = 'accepted' AND later.decided_at > pair.decided_at
ORDER BY later.decided_at
"""
_GAME_OF: Final = "SELECT id, competition, match_name FROM game WHERE game_id = ?"
_SAY_SAME: Final = "INSERT INTO same_team (pair, competition, one, other) VALUES (?, ?, ?, ?)"
_UNSAY_SAME: Final = "DELETE FROM same_team WHERE pair = ?"
_NAMES_OF: Final = """
SELECT game.id, game.competition, game.match_name, other.competition, other.match_name
FROM json_each(?) asked CROSS JOIN game ON game.competition = asked.value
CROSS JOIN other_name other ON other.game = game.id
"""
_JOINED: Final = "SELECT before, decided_at FROM joined_game WHERE game = ?"
_LONG_JOINED: Final = """
SELECT game.id FROM joined_game CROSS JOIN game ON game.id = joined_game.game
WHERE game.last_scraped_at < ? AND NOT EXISTS (
    SELECT 1 FROM game_pair pair WHERE pair.kept = game.game_id AND pair.state = 'accepted'
)
"""
_UNJOIN: Final = "DELETE FROM joined_game WHERE game = ? AND decided_at >= ?"
_ACCEPTED_OF: Final = """
SELECT pair.id FROM game CROSS JOIN game_pair pair ON pair.kept = game.game_id
WHERE game.id = ? AND pair.state = 'accepted' AND pair.decided_at > ? ORDER BY pair.decided_at
"""
_DROP_NAME: Final = "DELETE FROM other_name WHERE game = ? AND competition = ? AND match_name = ?"
_OF_GAME: Final = """
SELECT pair.id, pair.before FROM game
CROSS JOIN game_pair pair ON game.game_id IN (pair.kept, pair.other)
WHERE game.id = ?
"""
_FORGET: Final = (
    "DELETE FROM game_pair WHERE id = ? AND state != 'accepted'",
    "UPDATE game_pair SET before = NULL WHERE id = ?",
)
_SAID_AFTER: Final = """
SELECT id, repeats, source, may_share, quote FROM said WHERE game = ? AND id > ? ORDER BY id
"""
_FORGET_SAID: Final = "DELETE FROM said WHERE game = ? AND id > ?"
_SEAL: Final = "UPDATE said SET repeats = 0 WHERE game = ?"
_LOG: Final = "SELECT seq, market_type, selection FROM price_change WHERE game = ? ORDER BY seq"
_MOVE_LOG: Final = "UPDATE price_change SET game = ?, selection = ? WHERE seq = ?"
_DROP_LOG: Final = "DELETE FROM price_change WHERE game = ? AND seq > ?"


class SqlitePairTables(SqliteTables):
    """``store.pair_tables.PairTables`` on a connection in whose transaction all of it happens."""

    def known_games(self) -> Iterable[KnownGame]:
        """Return all games, those that were first there before others."""
        return map(KnownGame._make, self._rows(_GAMES))

    def all_events(self) -> Iterable[tuple[int, str]]:
        """Return each game that a source has an id for, with the id."""
        return self._rows(_EVENTS)

    def told_pairs(self) -> list[ToldPair]:
        """Return all pairs, in the order in which they were found."""
        return [
            ToldPair(ident, PairState(state), place, (*kept,), (*other,), bool(crosswise), decided)
            for ident, state, place, *named, crosswise, decided in self._rows(_PAIRS)
            for kept, other in [(named[:3], named[3:])]
        ]

    def bookmakers_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the bookmakers that price them, each once, in their order."""
        return self._rows(_BOOKMAKERS, json.dumps(list(games)))

    def sources_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the sources that have an id for them, each once, in their order."""
        return self._rows(_SOURCES, json.dumps(list(games)))

    def suggest(self, pairs: Collection[SuggestedPair]) -> None:
        """Note pairs that may be one game."""
        self._connection.executemany(_SUGGEST, pairs)

    def drop_suggestions(self, idents: Collection[int]) -> None:
        """Forget those of these pairs that are only suggested."""
        self._connection.executemany(_DROP_SUGGESTION, [(ident,) for ident in idents])

    def pair(self, ident: int) -> DecidedPair | None:
        """Return a pair."""
        for competition, kept, other, crosswise, state, before, at in self._rows(_PAIR, ident):
            pair = (competition, kept, other, bool(crosswise), PairState(state), before, at)
            return DecidedPair(*pair)
        return None

    def decide(
        self, ident: int, state: PairState, decided_at: int | None, before: bytes | None
    ) -> None:
        """Note what was decided of a pair, and how both games were."""
        self._connection.execute(_DECIDE, (state.value, decided_at, before, ident))

    def last_decided(self) -> int:
        """Return when a pair was decided of last, 0 where none ever was."""
        return int(self._rows(_LAST_DECIDED)[0][0])

    def accepted_after(self, ident: int) -> list[int]:
        """Return the pairs that were accepted after one and hold its game, in that order."""
        return [later for (later,) in self._rows(_LATER, ident)]

    def accepted_of(self, game: int, since: int) -> list[int]:
        """Return the pairs that made a game one after a moment, in that order."""
        return [pair for (pair,) in self._rows(_ACCEPTED_OF, game, since)]

    def game_with_id(self, game_id: str) -> tuple[int, str, str] | None:
        """Return a game's row, competition and name."""
        return next(iter(self._rows(_GAME_OF, game_id)), None)

    def keep_name(self, name: OtherName) -> None:
        """Keep a name of a game, in the place of the same one."""
        self._connection.execute(KEEP_NAME, name)

    def drop_name(self, game: int, competition: str, match_name: str) -> None:
        """Drop a name of a game."""
        self._connection.execute(_DROP_NAME, (game, competition, match_name))

    def say_same(self, pair: int, competition: str, names: Collection[tuple[str, str]]) -> None:
        """Note which names are one team's, as a pair says."""
        rows = [(pair, competition, *each) for each in names]
        self._connection.executemany(_SAY_SAME, rows)

    def unsay_same(self, pair: int) -> None:
        """Forget what a pair says of names."""
        self._connection.execute(_UNSAY_SAME, (pair,))

    def named_twice(self, competitions: Collection[str]) -> list[NamedTwice]:
        """Return the other names of games of competitions."""
        asked = json.dumps(list(competitions))
        return list(map(NamedTwice._make, self._rows(_NAMES_OF, asked)))

    def joined_game(self, game: int) -> tuple[bytes, int] | None:
        """Return how a game was before a pair's names made it one, and when; else None."""
        return next(iter(self._rows(_JOINED, game)), None)

    def unjoin(self, game: int, since: int = 0) -> None:
        """Forget how a game was, where that was noted since a moment."""
        self._connection.execute(_UNJOIN, (game, since))

    def long_joined(self, before: int) -> list[int]:
        """Return the games that are one by names alone and had no price since a time."""
        return [game for (game,) in self._rows(_LONG_JOINED, before)]

    def pairs_of(self, game: int) -> list[tuple[int, bytes | None]]:
        """Return the pairs that a game is in, each with how both games were."""
        return self._rows(_OF_GAME, game)

    def forget_pair(self, ident: int) -> None:
        """Forget a pair; one that is accepted only how both games were."""
        for statement in _FORGET:
            self._connection.execute(statement, (ident,))

    def said_after(self, game: int, ident: int) -> list[StoredSaid]:
        """Return what was said of a game after that, in its order."""
        return [as_said(*row) for row in self._rows(_SAID_AFTER, game, ident)]

    def forget_said(self, game: int, after: int = 0) -> None:
        """Forget what was said of a game after that."""
        self._connection.execute(_FORGET_SAID, (game, after))

    def seal_said(self, game: int) -> None:
        """Keep what was said of a game as it is: what repeats it later takes no row's place."""
        self._connection.execute(_SEAL, (game,))

    def log_of(self, game: int) -> list[tuple[int, str, str]]:
        """Return a game's rows of the log in their order: number, market type, selection."""
        return self._rows(_LOG, game)

    def move_log(self, moved: Collection[tuple[int, str, int]]) -> None:
        """Give rows of the log to a game, under a selection: game, selection, number."""
        self._connection.executemany(_MOVE_LOG, moved)

    def drop_log(self, game: int, since: LogEnd) -> None:
        """Remove what was logged of a game since the log ended there."""
        self._connection.execute(_DROP_LOG, (game, since))

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()
