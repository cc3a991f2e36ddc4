"""The tables of PostgreSQL as decisions about pairs see them (``store.pair_tables``)."""

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Final

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
from oddsdesk.store.postgres.tables import KEEP_NAME, PostgresTables

_GAMES: Final = """
SELECT id, game_id, competition, match_name, match_date, last_scraped_at FROM game ORDER BY id
"""
_EVENTS: Final = "SELECT game, event FROM event"
_SUGGEST: Final = """
INSERT INTO game_pair (competition, kept, kept_name, other, other_name, crosswise, state)
SELECT *, 'suggested' FROM unnest(
    %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::boolean[]
) ON CONFLICT (kept, other) DO NOTHING
"""
_DROP_SUGGESTIONS: Final = "DELETE FROM game_pair WHERE id = ANY(%s) AND state = 'suggested'"
_PAIRS: Final = """
SELECT pair.id, state, pair.competition, pair.kept, kept_name, kept.match_date, pair.other,
    other_name, other.match_date, crosswise, decided_at
FROM game_pair pair LEFT JOIN game kept ON kept.game_id = pair.kept
LEFT JOIN game other ON other.game_id = pair.other ORDER BY pair.id
"""
_BOOKMAKERS: Final = """
SELECT DISTINCT game_id, bookmaker FROM game JOIN coverage ON coverage.game = game.id
WHERE game_id = ANY(%s) ORDER BY bookmaker
"""
_SOURCES: Final = """
SELECT DISTINCT game_id, split_part(event, ':', 1) AS source
FROM game JOIN event ON event.game = game.id WHERE game_id = ANY(%s) ORDER BY source
"""
_PAIR: Final = """
SELECT competition, kept, other, crosswise, state, before, decided_at FROM game_pair WHERE id = %s
"""
_DECIDE: Final = "UPDATE game_pair SET state = %s, decided_at = %s, before = %s WHERE id = %s"
_LAST_DECIDED: Final = "SELECT coalesce(max(decided_at), 0) FROM game_pair"
_LATER: Final = """
SELECT later.id FROM game_pair pair JOIN game_pair later
    ON pair.kept IN (later.kept, later.other)
WHERE pair.id = %s AND later.state = 'accepted' AND later.decided_at > pair.decided_at
ORDER BY later.decided_at
"""
_GAME_OF: Final = "SELECT id, competition, match_name FROM game WHERE game_id = %s"
_SAY_SAME: Final = """
INSERT INTO same_team (pair, competition, one, other)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])
"""
_UNSAY_SAME: Final = "DELETE FROM same_team WHERE pair = %s"
_NAMES_OF: Final = """
SELECT game.id, game.competition, game.match_name, other.competition, other.match_name
FROM game JOIN other_name other ON other.game = game.id
WHERE game.competition = ANY(%s) ORDER BY game.id, other.competition, other.plain_name
"""
_JOINED: Final = "SELECT before, decided_at FROM joined_game WHERE game = %s"
_LONG_JOINED: Final = """
SELECT game.id FROM joined_game JOIN game ON game.id = joined_game.game
WHERE game.last_scraped_at < %s AND NOT EXISTS (
    SELECT 1 FROM game_pair pair WHERE pair.kept = game.game_id AND pair.state = 'accepted'
)
"""
_UNJOIN: Final = "DELETE FROM joined_game WHERE game = %s AND decided_at >= %s"
_ACCEPTED_OF: Final = """
SELECT pair.id FROM game JOIN game_pair pair ON pair.kept = game.game_id
WHERE game.id = %s AND pair.state = 'accepted' AND pair.decided_at > %s ORDER BY pair.decided_at
"""
_DROP_NAME: Final = (
    "DELETE FROM other_name WHERE game = %s AND competition = %s AND match_name = %s"
)
_OF_GAME: Final = """
SELECT pair.id, pair.before FROM game JOIN game_pair pair ON game.game_id IN (pair.kept, pair.other)
WHERE game.id = %s
"""
_FORGET: Final = (
    "DELETE FROM game_pair WHERE id = %s AND state != 'accepted'",
    "UPDATE game_pair SET before = NULL WHERE id = %s",
)
_SAID_AFTER: Final = """
SELECT id, repeats, source, may_share, quote FROM said WHERE game = %s AND id > %s ORDER BY id
"""
_FORGET_SAID: Final = "DELETE FROM said WHERE game = %s AND id > %s"
_SEAL: Final = "UPDATE said SET repeats = false WHERE game = %s"
_SEQ_BITS: Final = 48
"""A row of the log has one number: its ``seq``, and its shard above that."""
_LOG: Final = f"""
SELECT (shard::bigint << {_SEQ_BITS}) | seq, market_type, selection
FROM price_change WHERE game = %s ORDER BY shard, seq
"""  # noqa: S608 - a constant
_MOVE_LOG: Final = f"""
UPDATE price_change SET game = moved.game, selection = moved.selection
FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) moved (game, selection, number)
WHERE shard = (number >> {_SEQ_BITS})::integer AND seq = number & ((1::bigint << {_SEQ_BITS}) - 1)
"""  # noqa: S608 - a constant
_DROP_LOG: Final = """
DELETE FROM price_change
WHERE game = %s AND seq > coalesce((%s::jsonb ->> shard::text)::bigint, 0)
"""


class PostgresPairTables(PostgresTables):
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
        return self._rows(_BOOKMAKERS, list(games))

    def sources_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the sources that have an id for them, each once, in their order."""
        return self._rows(_SOURCES, list(games))

    def suggest(self, pairs: Collection[SuggestedPair]) -> None:
        """Note pairs that may be one game."""
        self._all(_SUGGEST, pairs)

    def drop_suggestions(self, idents: Collection[int]) -> None:
        """Forget those of these pairs that are only suggested."""
        self._connection.execute(_DROP_SUGGESTIONS, (list(idents),))

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
        self._all(KEEP_NAME, [name])

    def drop_name(self, game: int, competition: str, match_name: str) -> None:
        """Drop a name of a game."""
        self._connection.execute(_DROP_NAME, (game, competition, match_name))

    def say_same(self, pair: int, competition: str, names: Collection[tuple[str, str]]) -> None:
        """Note which names are one team's, as a pair says."""
        self._all(_SAY_SAME, [(pair, competition, *each) for each in names])

    def unsay_same(self, pair: int) -> None:
        """Forget what a pair says of names."""
        self._connection.execute(_UNSAY_SAME, (pair,))

    def named_twice(self, competitions: Collection[str]) -> list[NamedTwice]:
        """Return the other names of games of competitions."""
        return list(map(NamedTwice._make, self._rows(_NAMES_OF, list(competitions))))

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
        return [StoredSaid(*row) for row in self._rows(_SAID_AFTER, game, ident)]

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
        self._all(_MOVE_LOG, moved)

    def drop_log(self, game: int, since: LogEnd) -> None:
        """Remove what was logged of a game since the log ended there."""
        ends = since if isinstance(since, Mapping) else {"0": since}
        self._connection.execute(_DROP_LOG, (game, json.dumps(ends)))
