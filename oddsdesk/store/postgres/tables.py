"""The tables of PostgreSQL as recording needs them (``store.tables``), inside a transaction."""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, LiteralString

import msgspec
from psycopg import Connection

from oddsdesk.matching.team_names import SameTeam
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.games import Family, NamedGame, NewGame, StoredGame
from oddsdesk.store.merged_games import as_it_is
from oddsdesk.store.other_names import DatedGame
from oddsdesk.store.postgres.bulk import array
from oddsdesk.store.postgres.game_rows import QUEUE, PostgresGameRows, shard_of
from oddsdesk.store.postgres.migrations import NEWER
from oddsdesk.store.postgres.prepared import PreparingConnection, Row
from oddsdesk.store.postgres.schema import STEPS
from oddsdesk.store.postgres.writing import Written, columns, write
from oddsdesk.store.said import note_said
from oddsdesk.store.settings import (
    LAST_MADE_UP_GAME,
    LAST_REAL_AT,
    LAST_SIMULATED_AT,
    NEWEST_SCRAPED_AT,
)
from oddsdesk.store.tables import Changes, Known, LogRow, Pair, PresentRow
from oddsdesk.store.tail import Grown

_LOOK_UP: Final = """
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)
"""
"""A recording looks its rows up one by one; joined otherwise, all of a table would be read. Plans
are made once: to make them anew took PostgreSQL longer than the rest of a small recording."""
_LOCK: Final = """
SELECT shard, seq, (SELECT count(*) FROM shard), (SELECT steps FROM oddsdesk_schema)
FROM shard WHERE $1::boolean OR shard = ANY($2::integer[]) ORDER BY shard FOR UPDATE
"""
_KNOWN: Final = f"""
SELECT ARRAY(
        SELECT game.id FROM game_pair pair JOIN game ON game.game_id = pair.kept
        WHERE pair.state = 'accepted' UNION SELECT game FROM joined_game
    ),
    EXISTS (SELECT FROM same_team),
    coalesce((SELECT value::bigint FROM setting WHERE key = '{NEWEST_SCRAPED_AT}'), 0),
    (SELECT ARRAY[since, until] FROM recorded ORDER BY since DESC LIMIT 1),
    EXISTS (SELECT FROM setting WHERE key = '{LAST_REAL_AT}'),
    EXISTS (SELECT FROM setting WHERE key = '{LAST_SIMULATED_AT}'),
    coalesce((SELECT value::bigint FROM setting WHERE key = '{LAST_MADE_UP_GAME}'), 0)
"""  # noqa: S608 - a constant
_GAME: Final = """
g.id, g.match_name, g.competition, g.match_date, g.match_date_by, g.match_date_scraped_at,
    g.first_scraped_at, g.last_scraped_at, g.sport
"""
_ASKED: Final = "unnest($1::text[], $2::text[]) asked (competition, plain_name)"
_IN_WINDOW: Final = "(g.kickoff BETWEEN $3::bigint AND $4::bigint OR g.match_date IS NULL)"
_FIND: Final = f"""
SELECT {_GAME}, asked.competition, asked.plain_name, NULL::boolean AS crosswise, g.kickoff AS place
FROM {_ASKED} JOIN game g USING (competition, plain_name) WHERE {_IN_WINDOW}
UNION ALL
SELECT {_GAME}, n.competition, n.plain_name, n.crosswise, NULL
FROM {_ASKED} JOIN other_name n USING (competition, plain_name) JOIN game g ON g.id = n.game
WHERE {_IN_WINDOW} ORDER BY place NULLS LAST, id
"""  # noqa: S608 - constants
_BY_ROW: Final = f"SELECT {_GAME} FROM game g WHERE id = %s"  # noqa: S608 - a constant
_IS_TAKEN: Final = """
SELECT 1 FROM game WHERE game_id = %(ident)s
UNION ALL
SELECT 1 FROM game_pair WHERE other = %(ident)s AND state = 'accepted' AND before IS NOT NULL
"""
_ADD_GAME: Final = """
INSERT INTO game (game_id, competition, sport, match_name, plain_name, shard)
VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
"""
_EVENTS_OF: Final = "SELECT game, event FROM event WHERE game = ANY(%s)"
_BETWEEN: Final = """
SELECT id, competition, plain_name, match_name, match_date FROM game
WHERE competition = ANY(%s) AND kickoff >= %s AND kickoff < %s
"""
_MONEYLINES: Final = """
SELECT odds FROM quote
WHERE game = %s AND market_type = 'moneyline' AND period = 0 AND NOT is_live AND odds IS NOT NULL
ORDER BY bookmaker
"""
_PROPS: Final = """
SELECT odds FROM quote
WHERE game = %s AND market_type = 'player_prop' AND odds IS NOT NULL ORDER BY bookmaker, period
"""
_SAME_TEAMS: Final = "SELECT competition, one, other FROM same_team ORDER BY id"
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"
_NAME_BOOKMAKERS: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' bookmakers', 0))
"""
"""Asked after the shards are taken, never before: so no two recordings wait for each other."""
_ARE_JOINED: Final = "SELECT 1 FROM joined_game WHERE game = %s"
_JOIN: Final = """
INSERT INTO joined_game (game, before, decided_at)
VALUES (%s, %s, (SELECT coalesce(max(decided_at), 0) FROM game_pair))
"""
_SHARDS_OF: Final = "SELECT id, shard FROM game WHERE id = ANY(%s)"
_PRESENT: Final = """
SELECT asked.game, asked.bookmaker, q.market_type, q.period,
    q.is_live, q.scraped_at, q.selections, q.odds, q.liquidity, q.url, q.offers, q.place::text
FROM unnest($1::bigint[], $2::text[]) asked (game, bookmaker) CROSS JOIN LATERAL (
    SELECT *, ctid AS place FROM quote
    WHERE quote.game = asked.game AND quote.bookmaker = asked.bookmaker
    OFFSET 0
) q
"""
"""``OFFSET 0`` keeps the index: a table that grew since it was looked at is walked else."""
_STANDING: Final = """
SELECT game, bookmaker, market_type, period,
    is_live, scraped_at, selections, odds, liquidity, url, offers, ctid::text
FROM quote WHERE odds IS NOT NULL
"""
_LAST_GAME: Final = "SELECT coalesce(max(id), 0) FROM game"
_KEY_LENGTH: Final = 4
_PLACE: Final = 11
"""Of a row of prices, and where it says in which place it lies."""
_KEPT_TO_ITSELF: Final = "SELECT DISTINCT source FROM origin WHERE NOT may_share ORDER BY source"

_UNCOVER: Final = """
DELETE FROM coverage WHERE (game, bookmaker) IN (SELECT * FROM unnest(%s::bigint[], %s::text[]))
"""
_SUM_UP: Final = """
UPDATE game SET (last_scraped_at, has_live) = (
    SELECT coalesce(max(newest), 0), coalesce(bool_or(is_live), false)
    FROM coverage WHERE game = game.id
) WHERE id = ANY(%s)
"""
_DATE: Final = """
UPDATE game SET match_date = said.date FROM unnest(%s::bigint[], %s::bigint[]) said (date, game)
WHERE id = said.game
"""
_DATE_SOURCE: Final = """
UPDATE game SET match_date_by = said.bookmaker, match_date_scraped_at = said.at
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) said (bookmaker, at, game) WHERE id = said.game
"""
_SPORT: Final = """
UPDATE game SET sport = told.sport FROM unnest(%s::text[], %s::bigint[]) told (sport, game)
WHERE id = told.game
"""
_FIRST: Final = """
UPDATE game SET first_scraped_at = seen.at FROM unnest(%s::bigint[], %s::bigint[]) seen (at, game)
WHERE id = seen.game
"""
_LINK: Final = """
INSERT INTO event (event, game) SELECT * FROM unnest(%s::text[], %s::bigint[])
ON CONFLICT (event) DO UPDATE SET game = excluded.game
"""
_CLOSING: Final = """
INSERT INTO closing_sighting (game, bookmaker, market_type, period, scraped_at)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::bigint[])
ON CONFLICT (game, bookmaker, market_type, period) DO UPDATE SET scraped_at = excluded.scraped_at
"""
KEEP_NAME: Final = """
INSERT INTO other_name (competition, plain_name, game, match_name, crosswise)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::boolean[])
ON CONFLICT (competition, plain_name, game) DO UPDATE
    SET match_name = excluded.match_name, crosswise = excluded.crosswise
"""
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode


class OtherShardsError(Exception):
    """Games of a recording are in shards that it did not take: it takes ``shards`` from the start.

    Shards are taken in their order, so that no two recordings wait for each other.
    """

    def __init__(self, shards: frozenset[int]) -> None:
        super().__init__(f"shards {sorted(shards)}")
        self.shards = shards


class PostgresTables(PostgresGameRows):
    """``store.tables.Tables`` on a connection in whose transaction all of it happens.

    It begins by taking the rows of its shards, all of them where none are named: one recording
    after another sees what the last one of the same games has written, and the log of a shard
    is numbered without a gap in the order of commits.
    """

    _connection: PreparingConnection

    def __init__(
        self, connection: PreparingConnection, shards: Collection[int] | None = None
    ) -> None:
        super().__init__(connection)
        self._seqs: dict[int, int] = {}
        self._known: Known | None = None
        self._last_made_up: int | None = None
        asked = (str(shards is None), array(list(shards or ())))
        *_, taken = connection.take_turn((_LOOK_UP, ()), (QUEUE, asked), (_LOCK, asked))
        for shard, seq, count, steps in taken:
            if steps > len(STEPS):
                raise StoreUnavailableError(NEWER)
            self._seqs[shard], self._count = seq, count
        self._were = dict(self._seqs)

    def logged(self) -> list[Grown]:
        """Return what was written to the log, of each shard."""
        return [
            Grown(shard, self._were[shard] + 1, seq)
            for shard, seq in self._seqs.items()
            if seq > self._were[shard]
        ]

    def bookmakers(self) -> list[str]:
        """Return the names of all that ever priced anything, in their order.

        With several shards it waits until recordings that asked before have ended: else both could
        store a new bookmaker, each under its own spelling.
        """
        if self._count > 1:
            self._connection.take_turn((_NAME_BOOKMAKERS, ()))
        return stored_bookmakers(self._connection)

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        """Return games by competition and plain name, their own or another."""
        asked = (*columns(families, 2), str(low), str(high))
        known, found = self._connection.ask((_KNOWN, ()), (_FIND, asked))
        self._known = self._as_known(known)
        return [
            (StoredGame(*fields), (competition, plain), crosswise)
            for *fields, competition, plain, crosswise, _ in found
        ]

    def known(self) -> Known:
        """Return what a recording has to know; read with the games, which are asked for first."""
        known, self._known = self._known, None
        return self._as_known(*self._connection.ask((_KNOWN, ()))) if known is None else known

    def last_made_up(self) -> int:
        """Return the row of the last game that was simulated; read with what has to be known."""
        if self._last_made_up is None:
            self._known = self.known()
        assert self._last_made_up is not None
        return self._last_made_up

    def game(self, row: int) -> StoredGame:
        """Return a game by its row."""
        return StoredGame(*self._rows(_BY_ROW, row)[0])

    def is_taken(self, game_id: str) -> bool:
        """Say whether a game has that id, or had it and became part of another."""
        return bool(self._connection.execute(_IS_TAKEN, {"ident": game_id}).fetchall())

    def add_game(self, game: NewGame) -> int:
        """Add a game without prices or times; return its row."""
        ((row,),) = self._rows(_ADD_GAME, *game, shard_of(game.plain_name, self._count))
        return int(row)

    def events_of(self, games: Collection[int]) -> list[tuple[int, str]]:
        """Return the sources' ids that mean games, each after its game."""
        return [(game, event) for game, event in self._rows(_EVENTS_OF, list(games))]

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        """Return the games of competitions that begin from ``low`` on, before ``high``."""
        return map(DatedGame._make, self._rows(_BETWEEN, list(competitions), low, high))

    def moneylines(self, game: int) -> list[dict[str, float]]:
        """Return the bookmakers' odds on the winner of a game, as far as it was not in play."""
        return [_decode_odds(odds) for (odds,) in self._rows(_MONEYLINES, game)]

    def props(self, game: int) -> list[dict[str, float]]:
        """Return the odds on players of a game that stand, by bookmaker."""
        return [_decode_odds(odds) for (odds,) in self._rows(_PROPS, game)]

    def same_teams(self) -> list[SameTeam]:
        """Return which names are one team's, in the order in which the user said so."""
        return [SameTeam(*row) for row in self._rows(_SAME_TEAMS)]

    def present(self, pairs: Collection[Pair]) -> Sequence[PresentRow]:
        """Return what stands of bookmakers' offers of games, each row with where it lies."""
        (rows,) = self._connection.ask((_PRESENT, columns(pairs, 2)))
        return rows

    def standing(self) -> Sequence[PresentRow]:
        """Return all prices that stand, of any game, each row with where it lies.

        Raises:
            OtherShardsError: there are shards that it did not take.
        """
        if len(self._seqs) < self._count:
            raise OtherShardsError(frozenset(range(self._count)))
        (rows,) = self._connection.ask((_STANDING, ()))
        return rows

    def last_game(self) -> int:
        """Return the row of the newest game, 0 without any."""
        ((row,),) = self._rows(_LAST_GAME)
        return int(row)

    def log_ends(self) -> dict[int, int]:
        """Return where the log of each shard ends, of those that it took."""
        return self._seqs

    def write(self, changes: Changes) -> int:
        """Write what a recording changes; return the end of the log.

        Raises:
            OtherShardsError: another shard has games of it.
        """
        self._keep_joined(changes.joined)
        log = self._numbered(changes.log)
        note_said(self, changes.said)
        self._all(_UNCOVER, changes.uncovered)
        self._all(_CLOSING, [(*market, at) for market, at in changes.closing.items()])
        recent = set(changes.recent)
        written = Written(
            counted=[(self._seqs[shard], shard) for shard in {row[0] for row in log}],
            log=log,
            new=changes.new,
            again=[(before[_PLACE], *row[_KEY_LENGTH:]) for before, row in changes.again],
            origins=changes.origins,
            coverage=changes.coverage,
            seen=[(*each, each[-1] in recent) for each in changes.seen],
            sources=sorted(changes.sources),
            settings=[(key, str(value)) for key, value in sorted(changes.settings.items())],
            same=[(row[_PLACE], offer.scraped_at) for offer in changes.same for row in offer.rows],
            recorded=() if changes.recorded is None else (changes.recorded,),
        )
        if not write(self._connection, written):
            raise StoreUnavailableError("another program changed prices without taking their shard")
        self._sum_up({game for game, _ in changes.uncovered})
        self._write_games(changes)
        return sum(self._seqs.values())

    def _keep_joined(self, games: Collection[int]) -> None:
        for game in games:
            if not self._rows(_ARE_JOINED, game):
                self._connection.execute(_JOIN, (game, as_it_is(self, game)))

    def _numbered(self, log: Iterable[LogRow]) -> list[tuple[Any, ...]]:
        """Return the rows of the log, each with its shard and its number there."""
        shards = self._shards_of({row[0] for row in log})
        numbered: list[tuple[Any, ...]] = []
        for game, rows in groupby(log, itemgetter(0)):
            shard = shards[game]
            before = self._seqs[shard]
            numbered += [(shard, seq, *row) for seq, row in enumerate(rows, before + 1)]
            self._seqs[shard] = numbered[-1][1]
        return numbered

    def _sum_up(self, games: Collection[int]) -> None:
        if games:
            self._connection.execute(_SUM_UP, (list(games),))

    def _shards_of(self, games: Collection[int]) -> dict[int, int]:
        if self._count == 1:
            return dict.fromkeys(games, 0)
        shards = dict(self._rows(_SHARDS_OF, list(games)))
        needed = frozenset(shards.values())
        if not needed <= self._seqs.keys():
            raise OtherShardsError(needed.union(self._seqs))
        return shards

    def _write_games(self, changes: Changes) -> None:
        games = changes.games
        self._all(_DATE, [(game.match_date, game.row) for game in games.moved])
        said = [(game.match_date_by, game.match_date_scraped_at, game.row) for game in games.dated]
        self._all(_DATE_SOURCE, said)
        self._all(_FIRST, [(game.first_seen, game.row) for game in games.begun])
        self._all(_SPORT, [(game.sport, game.row) for game in games.played])
        self._all(_LINK, list(games.events.items()))
        self._all(KEEP_NAME, list({name[:3]: name for name in changes.other_names}.values()))

    def _as_known(self, rows: list[Row]) -> Known:
        ((joined, has_same_teams, newest, span, real, simulated, self._last_made_up),) = rows
        told = None if span is None else (span[0], span[1])
        return Known(joined, has_same_teams, newest, told, real, simulated)

    def _all(self, statement: LiteralString, rows: Collection[tuple[Any, ...]]) -> None:
        if rows:
            self._connection.execute(statement, columns(rows))


def stored_bookmakers(connection: Connection[Any]) -> list[str]:
    """Return the names of all that ever priced anything, in their order."""
    return [name for (name,) in connection.execute(_BOOKMAKERS).fetchall()]


def kept_to_itself(connection: Connection[Any]) -> list[str]:
    """Return the sources in a database whose terms forbid passing on."""
    return [name for (name,) in connection.execute(_KEPT_TO_ITSELF).fetchall()]
