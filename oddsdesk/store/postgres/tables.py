"""The tables of PostgreSQL as recording needs them (``store.tables``), inside a transaction."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, LiteralString

import msgspec
from psycopg import Connection, Cursor

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.games import Family, NamedGame, NewGame, StoredGame
from oddsdesk.store.merged_games import as_it_is
from oddsdesk.store.other_names import DatedGame
from oddsdesk.store.postgres.bulk import array, lines
from oddsdesk.store.postgres.game_rows import PostgresGameRows, shard_of
from oddsdesk.store.postgres.migrations import NEWER
from oddsdesk.store.postgres.schema import STEPS
from oddsdesk.store.said import note_said
from oddsdesk.store.tables import Changes, Pair, PresentRow, QuoteRow
from oddsdesk.store.team_names import SameTeam

_LOCK: Final = """
SELECT shard, seq, (SELECT count(*) FROM shard), (SELECT steps FROM oddsdesk_schema),
    (SELECT set_config('enable_hashjoin', 'off', true)
        || set_config('enable_mergejoin', 'off', true))
FROM shard
WHERE %(all)s OR shard = ANY(%(shards)s) ORDER BY shard FOR UPDATE
"""
"""A recording looks its rows up one by one; joined otherwise, all of a table would be read."""
_GAME: Final = """
g.id, g.match_name, g.competition, g.match_date, g.match_date_by, g.match_date_scraped_at,
    g.first_scraped_at, g.last_scraped_at
"""
_ASKED: Final = "unnest(%(places)s::text[], %(names)s::text[]) asked (competition, plain_name)"
_IN_WINDOW: Final = "(g.kickoff BETWEEN %(low)s AND %(high)s OR g.match_date IS NULL)"
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
_SAME_TEAMS: Final = "SELECT competition, one, other FROM same_team ORDER BY id"
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"
_JOINED: Final = """
SELECT game.id FROM game_pair pair JOIN game ON game.game_id = pair.kept
WHERE pair.state = 'accepted' UNION SELECT game FROM joined_game
"""
_ARE_JOINED: Final = "SELECT 1 FROM joined_game WHERE game = %s"
_JOIN: Final = """
INSERT INTO joined_game (game, before, decided_at)
VALUES (%s, %s, (SELECT coalesce(max(decided_at), 0) FROM game_pair))
"""
_SHARDS_OF: Final = "SELECT id, shard FROM game WHERE id = ANY(%s)"
_PRESENT: Final = """
SELECT asked.game, asked.bookmaker, q.market_type, q.period,
    q.scraped_at, q.odds, q.is_live, q.selections, q.place
FROM unnest(%s::bigint[], %s::text[]) asked (game, bookmaker) CROSS JOIN LATERAL (
    SELECT *, ctid AS place FROM quote
    WHERE quote.game = asked.game AND quote.bookmaker = asked.bookmaker
    OFFSET 0
) q
"""
"""``OFFSET 0`` keeps the index: a table that grew since it was looked at is walked else."""
_NUMBER: Final = "SELECT value FROM setting WHERE key = %s"
_LAST_RECORDED: Final = "SELECT since, until FROM recorded ORDER BY since DESC LIMIT 1"
_KEPT_TO_ITSELF: Final = "SELECT DISTINCT source FROM origin WHERE NOT may_share ORDER BY source"

_COPY_LOG: Final = """
COPY price_change (shard, seq, game, bookmaker, market_type, period, selection,
                   odds, is_live, scraped_at, liquidity, recorded_at) FROM STDIN
"""
_COUNTED: Final = """
UPDATE shard SET seq = counted.seq FROM unnest(%s::bigint[], %s::integer[]) counted (seq, shard)
WHERE shard.shard = counted.shard
"""
_COPY_QUOTES: Final = """
COPY quote (game, bookmaker, market_type, period,
            is_live, scraped_at, selections, odds, liquidity, url, offers) FROM STDIN
"""
_SEEN_AGAIN: Final = """
UPDATE quote SET is_live = said.is_live, scraped_at = said.scraped_at,
    selections = said.selections, odds = said.odds, liquidity = said.liquidity,
    url = said.url, offers = said.offers
FROM unnest(%s::tid[], %s::boolean[], %s::bigint[], %s::integer[], %s::text[],
    %s::double precision[], %s::text[], %s::text[])
    said (place, is_live, scraped_at, selections, odds, liquidity, url, offers)
WHERE quote.ctid = said.place
"""
"""By where a row lies: while its shard is taken, nobody else moves it."""
_TOLD_BY: Final = """
INSERT INTO origin (game, bookmaker, source, may_share)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::boolean[]) ON CONFLICT DO NOTHING
"""
_UNCOVER: Final = """
DELETE FROM coverage WHERE (game, bookmaker) IN (SELECT * FROM unnest(%s::bigint[], %s::text[]))
"""
_COVER: Final = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
SELECT * FROM unnest(
    %s::bigint[], %s::text[], %s::boolean[], %s::bigint[], %s::bigint[], %s::integer[])
ON CONFLICT (game, bookmaker, is_live) DO UPDATE SET
    newest = excluded.newest, oldest = excluded.oldest, selections = excluded.selections
"""
_RAISE: Final = """
UPDATE game SET last_scraped_at = greatest(last_scraped_at, seen.newest),
    has_live = has_live OR seen.is_live
FROM unnest(%s::bigint[], %s::boolean[], %s::bigint[]) seen (newest, is_live, game)
WHERE id = seen.game
"""
_RECENT: Final = "UPDATE game SET recent = true WHERE id = ANY(%s) AND NOT recent"
_SOURCE: Final = """
INSERT INTO source (bookmaker, market_type, newest)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])
ON CONFLICT (bookmaker, market_type) DO UPDATE
    SET newest = greatest(source.newest, excluded.newest)
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
_FIRST: Final = """
UPDATE game SET first_scraped_at = seen.at FROM unnest(%s::bigint[], %s::bigint[]) seen (at, game)
WHERE id = seen.game
"""
_LINK: Final = """
INSERT INTO event (event, game) SELECT * FROM unnest(%s::text[], %s::bigint[])
ON CONFLICT (event) DO UPDATE SET game = excluded.game
"""
KEEP_NAME: Final = """
INSERT INTO other_name (competition, plain_name, game, match_name, crosswise)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::boolean[])
ON CONFLICT (competition, plain_name, game) DO UPDATE
    SET match_name = excluded.match_name, crosswise = excluded.crosswise
"""
_PUT: Final = """
INSERT INTO setting (key, value) SELECT * FROM unnest(%s::text[], %s::text[])
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_RECORDED: Final = """
INSERT INTO recorded (since, until) VALUES (%s, %s)
ON CONFLICT (since) DO UPDATE SET until = excluded.until
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

    def __init__(self, connection: Connection[Any], shards: Collection[int] | None = None) -> None:
        super().__init__(connection)
        asked = {"all": shards is None, "shards": list(shards or ())}
        self._seqs: dict[int, int] = {}
        self._places: dict[tuple[Any, ...], str] = {}
        for shard, seq, count, steps, _ in connection.execute(_LOCK, asked).fetchall():
            if steps > len(STEPS):
                raise StoreUnavailableError(NEWER)
            self._seqs[shard], self._count = seq, count
        self._were = dict(self._seqs)

    def logged(self) -> list[tuple[int, int, int]]:
        """Return what was written to the log: shards, each with its first and last number."""
        return [
            (shard, self._were[shard] + 1, seq)
            for shard, seq in self._seqs.items()
            if seq > self._were[shard]
        ]

    def bookmakers(self) -> list[str]:
        """Return the names of all that ever priced anything, in their order."""
        return stored_bookmakers(self._connection)

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        """Return games by competition and plain name, their own or another."""
        asked = {
            "places": [place for place, _ in families],
            "names": [name for _, name in families],
            "low": low,
            "high": high,
        }
        return [
            (StoredGame(*fields), (competition, plain), crosswise)
            for *fields, competition, plain, crosswise, _ in self._connection.execute(_FIND, asked)
        ]

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

    def same_teams(self) -> list[SameTeam]:
        """Return which names are one team's, in the order in which the user said so."""
        return [SameTeam(*row) for row in self._rows(_SAME_TEAMS)]

    def games_joined(self) -> set[int]:
        """Return the games that are one by the user's word, in a pair or by names of its teams."""
        return {game for (game,) in self._rows(_JOINED)}

    def present(self, pairs: Collection[Pair]) -> Sequence[PresentRow]:
        """Return what stands of bookmakers' offers of games."""
        asked = list(pairs)
        rows: list[Any] = self._rows(_PRESENT, *_columns(asked, 2))
        self._places.update((row[:4], row[8]) for row in rows)
        return [row[:8] for row in rows]

    def number(self, setting: str) -> int | None:
        """Return a setting that is a number, None where it was never set."""
        rows = self._rows(_NUMBER, setting)
        return int(rows[0][0]) if rows else None

    def last_recorded(self) -> tuple[int, int] | None:
        """Return the last span in which prices came in."""
        rows = self._rows(_LAST_RECORDED)
        return rows[0] if rows else None

    def write(self, changes: Changes) -> int:
        """Write what a recording changes, in one round trip; return the end of the log.

        Raises:
            OtherShardsError: another shard has games of it.
        """
        self._keep_joined(changes.joined)
        self._copy_log(changes)
        note_said(self, changes.said)
        again, new = self._parted(changes.quotes)
        self._copy(_COPY_QUOTES, new)
        with self._connection.pipeline():
            moved = self._all(_SEEN_AGAIN, again)
            self._all(_TOLD_BY, changes.origins)
            self._all(_UNCOVER, changes.uncovered)
            self._all(_COVER, changes.coverage)
            self._all(_RAISE, changes.seen)
            if changes.recent:
                self._connection.execute(_RECENT, (list(changes.recent),))
            self._all(_SOURCE, sorted(changes.sources))
            if changes.uncovered:
                games = list({game for game, _ in changes.uncovered})
                self._connection.execute(_SUM_UP, (games,))
            self._write_games(changes)
            self._all(_PUT, [(key, str(value)) for key, value in sorted(changes.settings.items())])
            if changes.recorded is not None:
                self._connection.execute(_RECORDED, changes.recorded)
        self._places.clear()  # each now lies elsewhere
        if moved is not None and moved.rowcount != len(again):
            raise StoreUnavailableError("another program changed prices without taking their shard")
        return sum(self._seqs.values())

    def _keep_joined(self, games: Collection[int]) -> None:
        for game in games:
            if not self._rows(_ARE_JOINED, game):
                self._connection.execute(_JOIN, (game, as_it_is(self, game)))

    def _parted(self, quotes: Iterable[QuoteRow]) -> tuple[list[Any], list[Any]]:
        """Return the rows that were present, each from its place on, and those that are new."""
        again: list[Any] = []
        new: list[Any] = []
        for row in quotes:
            place = self._places.get(row[:4])
            if place is None:
                new.append(row)
            else:
                again.append((place, *row[4:]))
        return again, new

    def _copy_log(self, changes: Changes) -> None:
        if not changes.log:
            return
        shards = self._shards_of({row[0] for row in changes.log})
        numbered = []
        for row in changes.log:
            shard = shards[row[0]]
            self._seqs[shard] = seq = self._seqs[shard] + 1
            numbered.append((shard, seq, *row))
        self._copy(_COPY_LOG, numbered)
        self._all(_COUNTED, [(self._seqs[shard], shard) for shard in set(shards.values())])

    def _copy(self, statement: LiteralString, rows: Collection[tuple[Any, ...]]) -> None:
        if rows:
            with self._connection.cursor().copy(statement) as copy:
                copy.write(lines(zip(*rows, strict=True)))

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
        self._all(_LINK, list(games.events.items()))
        self._all(KEEP_NAME, list({name[:3]: name for name in changes.other_names}.values()))

    def _all(
        self, statement: LiteralString, rows: Collection[tuple[Any, ...]]
    ) -> Cursor[Any] | None:
        return self._connection.execute(statement, _columns(rows, 0)) if rows else None


def stored_bookmakers(connection: Connection[Any]) -> list[str]:
    """Return the names of all that ever priced anything, in their order."""
    return [name for (name,) in connection.execute(_BOOKMAKERS).fetchall()]


def kept_to_itself(connection: Connection[Any]) -> list[str]:
    """Return the sources in a database whose terms forbid passing on."""
    return [name for (name,) in connection.execute(_KEPT_TO_ITSELF).fetchall()]


def _columns(rows: Collection[tuple[Any, ...]], width: int) -> list[str]:
    """Return rows as arrays, one a column: as many as ``width`` where there may be no row."""
    return [array(column) for column in zip(*rows, strict=True)] or ["{}"] * width
