"""The tables of the odds file for decisions about pairs of games."""

from collections.abc import Collection, Iterable
from typing import Final

from oddsdesk.contract.identity import PairState
from oddsdesk.store import tables
from oddsdesk.store.names import OtherName
from oddsdesk.store.sqlite.tables import KEEP_NAME, Tables, as_said

_GAMES: Final = """
SELECT id, game_id, competition, match_name, match_date, last_scraped_at FROM game ORDER BY id
"""
_EVENTS: Final = "SELECT game, event FROM event"
SUGGEST: Final = """
INSERT INTO game_pair (competition, kept, kept_name, other, other_name, crosswise, state)
VALUES (?, ?, ?, ?, ?, ?, 'suggested')
"""
DROP_SUGGESTION: Final = "DELETE FROM game_pair WHERE id = ? AND state = 'suggested'"
_PAIRS: Final = """
SELECT pair.id, state, pair.competition, pair.kept, kept_name, kept.match_date, pair.other,
    other_name, other.match_date, crosswise, decided_at
FROM game_pair pair LEFT JOIN game kept ON kept.game_id = pair.kept
LEFT JOIN game other ON other.game_id = pair.other ORDER BY pair.id
"""
BOOKMAKERS: Final = """
SELECT DISTINCT game.game_id, bookmaker FROM json_each(?) asked
CROSS JOIN game ON game.game_id = asked.value CROSS JOIN coverage ON coverage.game = game.id
ORDER BY bookmaker
"""
SOURCES: Final = """
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
SAY_SAME: Final = "INSERT INTO same_team (pair, competition, one, other) VALUES (?, ?, ?, ?)"
_UNSAY_SAME: Final = "DELETE FROM same_team WHERE pair = ?"
NAMES_OF: Final = """
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
SEAL: Final = "UPDATE said SET repeats = 0 WHERE game = ?"
LOG: Final = "SELECT seq, market_type, selection FROM price_change WHERE game = ? ORDER BY seq"
MOVE_LOG: Final = "UPDATE price_change SET game = ?, selection = ? WHERE seq = ?"
_DROP_LOG: Final = "DELETE FROM price_change WHERE game = ? AND seq > ?"


class PairTables(Tables):
    """The tables of one database for decisions about pairs, inside a transaction."""

    def known_games(self) -> Iterable[tables.KnownGame]:
        """Return all games, earlier ones first."""
        return map(tables.KnownGame._make, self._rows(_GAMES))

    def all_events(self) -> Iterable[tuple[int, str]]:
        """Return each game that has a source's id, with the id."""
        return self._rows(_EVENTS)

    def told_pairs(self) -> list[tables.ToldPair]:
        """Return all pairs, in the order they were found."""
        return [
            tables.ToldPair(
                ident, PairState(state), place, (*kept,), (*other,), bool(crosswise), decided
            )
            for ident, state, place, *named, crosswise, decided in self._rows(_PAIRS)
            for kept, other in [(named[:3], named[3:])]
        ]

    def bookmakers_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with their bookmakers, each once, in their order."""
        return self._rows(BOOKMAKERS, self._list(games))

    def sources_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the sources that have an id for them, each once, in their order."""
        return self._rows(SOURCES, self._list(games))

    def suggest(self, pairs: Collection[tables.SuggestedPair]) -> None:
        """Save suggested pairs; known ones stay unchanged."""
        self._all(SUGGEST, pairs)

    def drop_suggestions(self, idents: Collection[int]) -> None:
        """Delete those of these pairs that are only suggested."""
        self._all(DROP_SUGGESTION, [(ident,) for ident in idents])

    def pair(self, ident: int) -> tables.DecidedPair | None:
        """Return a pair."""
        for competition, kept, other, crosswise, state, before, at in self._rows(_PAIR, ident):
            pair = (competition, kept, other, bool(crosswise), PairState(state), before, at)
            return tables.DecidedPair(*pair)
        return None

    def decide(
        self, ident: int, state: PairState, decided_at: int | None, before: bytes | None
    ) -> None:
        """Save a decision on a pair, and both games as they were."""
        self._rows(_DECIDE, state.value, decided_at, before, ident)

    def last_decided(self) -> int:
        """Return the time of the last decision, 0 without any."""
        return int(self._rows(_LAST_DECIDED)[0][0])

    def accepted_after(self, ident: int) -> list[int]:
        """Return the pairs accepted after one that contain its game, in that order."""
        return [later for (later,) in self._rows(_LATER, ident)]

    def accepted_of(self, game: int, since: int) -> list[int]:
        """Return the pairs that were joined into a game after a moment, in that order."""
        return [pair for (pair,) in self._rows(_ACCEPTED_OF, game, since)]

    def game_with_id(self, game_id: str) -> tuple[int, str, str] | None:
        """Return a game's row, competition and name."""
        return next(iter(self._rows(_GAME_OF, game_id)), None)

    def keep_name(self, name: OtherName) -> None:
        """Save a name of a game, replacing the same one."""
        self._all(KEEP_NAME, [name])

    def drop_name(self, game: int, competition: str, match_name: str) -> None:
        """Drop a name of a game."""
        self._rows(_DROP_NAME, game, competition, match_name)

    def say_same(self, pair: int, competition: str, names: Collection[tuple[str, str]]) -> None:
        """Save that names are one team's, according to a pair."""
        self._all(SAY_SAME, [(pair, competition, *each) for each in names])

    def unsay_same(self, pair: int) -> None:
        """Delete what a pair says about names."""
        self._rows(_UNSAY_SAME, pair)

    def named_twice(self, competitions: Collection[str]) -> list[tables.NamedTwice]:
        """Return the other names of competitions' games."""
        return list(map(tables.NamedTwice._make, self._rows(NAMES_OF, self._list(competitions))))

    def joined_game(self, game: int) -> tuple[bytes, int] | None:
        """Return a game's state before a pair's names joined it, and the time; else None."""
        return next(iter(self._rows(_JOINED, game)), None)

    def unjoin(self, game: int, since: int = 0) -> None:
        """Delete a game's saved states since a moment."""
        self._rows(_UNJOIN, game, since)

    def long_joined(self, before: int) -> list[int]:
        """Return the games joined by names alone without prices since a time."""
        return [game for (game,) in self._rows(_LONG_JOINED, before)]

    def pairs_of(self, game: int) -> list[tuple[int, bytes | None]]:
        """Return the pairs of a game, each with the saved states of both games."""
        return self._rows(_OF_GAME, game)

    def forget_pair(self, ident: int) -> None:
        """Delete a pair; of an accepted one only the saved states."""
        for statement in _FORGET:
            self._rows(statement, ident)

    def said_after(self, game: int, ident: int) -> list[tables.StoredSaid]:
        """Return the saved quotes of a game after that, in order."""
        return [as_said(*row) for row in self._rows(_SAID_AFTER, game, ident)]

    def forget_said(self, game: int, after: int = 0) -> None:
        """Delete the saved quotes of a game after that."""
        self._rows(_FORGET_SAID, game, after)

    def seal_said(self, game: int) -> None:
        """Fix the saved quotes of a game: repetitions no longer replace a row."""
        self._rows(SEAL, game)

    def log_of(self, game: int) -> list[tuple[int, str, str]]:
        """Return a game's log rows in order: number, market type, selection."""
        return self._rows(LOG, game)

    def move_log(self, moved: Collection[tuple[int, str, int]]) -> None:
        """Move log rows to a game and selection: game, selection, number."""
        self._all(MOVE_LOG, moved)

    def drop_log(self, game: int, since: tables.LogEnd) -> None:
        """Remove a game's log rows after that end of the log."""
        self._rows(_DROP_LOG, game, since)
