"""The tables of PostgreSQL for recording, inside a transaction."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Final, NamedTuple
from zlib import crc32

from psycopg import Connection
from psycopg.sql import SQL, Identifier, Placeholder

from oddsdesk.cluster.postgres.connections import PreparingConnection, Row, array, lines
from oddsdesk.cluster.postgres.schema import NEWER, STEPS
from oddsdesk.store import databases, tables
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.game_pairs import note_said
from oddsdesk.store.games import Family, NamedGame, NewGame, StoredGame
from oddsdesk.store.names import DatedGame
from oddsdesk.store.reader import Grown
from oddsdesk.store.settings import Settings
from oddsdesk.store.sqlite.tables import EVENTS_OF, KEEP_NAME, SAME_TEAMS, Tables

_TRUTHS: Final = frozenset({"has_live", "recent", "is_live", "may_share", "crosswise"})
"""Columns that are booleans here and numbers in rows."""
_ONLY_HERE: Final = ("kickoff", "shard")
"""Columns of a game that follow from others."""
QUEUE: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' turn ' || shard, 0))
FROM (
    SELECT shard FROM shard WHERE $1::boolean OR shard = ANY($2::integer[]) ORDER BY shard
) asked
"""
"""Run before rows of ``shard`` are locked. PostgreSQL grants such a lock in the order of requests,
but a changed row to the first session that finds it."""
ALL_SHARDS: Final = ("true", "{}")
_COUNT_SHARDS: Final = "SELECT count(*) FROM shard"
_TAKE_ALL: Final = "SELECT shard, seq FROM shard ORDER BY shard FOR UPDATE"
_HAS_GAMES: Final = "SELECT EXISTS (SELECT FROM game)"
_ADD_SHARDS: Final = "INSERT INTO shard (shard) SELECT generate_series(%s::integer, %s::integer)"
_ENDS: Final = "SELECT shard::text, seq FROM shard ORDER BY shard"


def shard_of(plain_name: str, count: int) -> int:
    """Return the shard of a game: names with and without a date are in the same one."""
    return crc32(plain_name.encode()) % count


def count_shards(connection: Connection[Any]) -> int:
    """Return the number of shards of the log."""
    ((count,),) = connection.execute(_COUNT_SHARDS).fetchall()
    return int(count)


def divide_log(connection: PreparingConnection, count: int, shown: str) -> None:
    """Divide an empty log into ``count`` shards.

    Raises:
        StoreError: it is already divided otherwise.
    """
    with connection.transaction():
        _, shards = connection.take_turn((QUEUE, ALL_SHARDS), (_TAKE_ALL, ()))
        if len(shards) == count:
            return
        ((has_games,),) = connection.execute(_HAS_GAMES).fetchall()
        if has_games or len(shards) > 1 or any(seq for _, seq in shards):
            raise StoreError(
                f"{shown}: its log has {len(shards)} shard{'s'[: len(shards) > 1]}; the"
                " number cannot be changed once anything is recorded"
            )
        connection.execute(_ADD_SHARDS, (1, count - 1))


def _as_told(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


_LOOK_UP: Final = """
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_seqscan', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true)
"""
"""A recording looks its rows up one by one; another join would read all of a table. Plans are made
once: planning took PostgreSQL longer than the rest of a small recording."""
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
    coalesce((SELECT value::bigint FROM setting WHERE key = '{databases.NEWEST_SCRAPED_AT}'), 0),
    (SELECT ARRAY[since, until] FROM recorded ORDER BY since DESC LIMIT 1),
    EXISTS (SELECT FROM setting WHERE key = '{databases.LAST_REAL_AT}'),
    EXISTS (SELECT FROM setting WHERE key = '{databases.LAST_SIMULATED_AT}'),
    coalesce((SELECT value::bigint FROM setting WHERE key = '{databases.LAST_MADE_UP_GAME}'), 0)
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
_ADD_GAME: Final = """
INSERT INTO game (game_id, competition, sport, match_name, plain_name, shard)
VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
"""
_BETWEEN: Final = """
SELECT id, competition, plain_name, match_name, match_date FROM game
WHERE competition = ANY(%s) AND kickoff >= %s AND kickoff < %s
"""
_BOOKMAKERS: Final = "SELECT DISTINCT bookmaker FROM source ORDER BY bookmaker"
_NAME_BOOKMAKERS: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' bookmakers', 0))
"""
"""Run after the shards are locked, never before, so that no two recordings wait for each other."""
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
"""``OFFSET 0`` keeps the index: otherwise a table that has grown is scanned."""
_STANDING: Final = """
SELECT game, bookmaker, market_type, period,
    is_live, scraped_at, selections, odds, liquidity, url, offers, ctid::text
FROM quote WHERE odds IS NOT NULL
"""
_KEY_LENGTH: Final = 4
_PLACE: Final = 11
"""In a row of prices, the index of its position in the table."""

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
UPDATE game SET sport = named.sport FROM unnest(%s::text[], %s::bigint[]) named (sport, game)
WHERE id = named.game
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


class OtherShardsError(Exception):
    """A recording's games are in shards that it did not lock: restart with ``shards``.

    Shards are locked in their order, so that no two recordings wait for each other.
    """

    def __init__(self, shards: frozenset[int]) -> None:
        super().__init__(f"shards {sorted(shards)}")
        self.shards = shards


class PostgresTables(Tables):
    """The tables of one database, on a connection with an open transaction.

    It begins by locking the rows of its shards, or of all: recordings of the same games follow each
    other, and the log of a shard is numbered without a gap in the order of commits.
    """

    _connection: PreparingConnection
    texts: ClassVar[Mapping[str, str]] = {
        EVENTS_OF: "SELECT game, event FROM event WHERE game = ANY(%s)",
        SAME_TEAMS: "SELECT competition, one, other FROM same_team ORDER BY id",
        KEEP_NAME: """
INSERT INTO other_name (competition, plain_name, game, match_name, crosswise)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::boolean[])
ON CONFLICT (competition, plain_name, game) DO UPDATE
    SET match_name = excluded.match_name, crosswise = excluded.crosswise
""",
    }
    """Replacements of SQLite's texts for PostgreSQL."""

    def __init__(
        self, connection: PreparingConnection, shards: Collection[int] | None = None
    ) -> None:
        self._connection = connection
        self._seqs: dict[int, int] = {}
        self._known: tables.Known | None = None
        self._last_made_up: int | None = None
        asked = (str(shards is None), array(list(shards or ())))
        *_, taken = connection.take_turn((_LOOK_UP, ()), (QUEUE, asked), (_LOCK, asked))
        for shard, seq, count, steps in taken:
            if steps > len(STEPS):
                raise StoreUnavailableError(NEWER)
            self._seqs[shard], self._count = seq, count
        self._were = dict(self._seqs)

    def grown_shards(self) -> list[Grown]:
        """Return what was written to the log, by shard."""
        return [
            Grown(shard, self._were[shard] + 1, seq)
            for shard, seq in self._seqs.items()
            if seq > self._were[shard]
        ]

    def bookmakers(self) -> list[str]:
        """Return the names of all recorded bookmakers, in their order.

        With several shards it waits for earlier recordings: otherwise two could store a new
        bookmaker in two spellings.
        """
        if self._count > 1:
            self._connection.take_turn((_NAME_BOOKMAKERS, ()))
        return stored_bookmakers(self._connection)

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        """Return games by competition and plain name, their own or another."""
        asked = (*columns(families, 2), str(low), str(high))
        known, found = self._connection.run_statements((_KNOWN, ()), (_FIND, asked))
        self._known = self._as_known(known)
        return [
            (StoredGame(*fields), (competition, plain), crosswise)
            for *fields, competition, plain, crosswise, _ in found
        ]

    def known(self) -> tables.Known:
        """Return what a recording needs to know; read with the games, which come first."""
        known, self._known = self._known, None
        return (
            self._as_known(*self._connection.run_statements((_KNOWN, ())))
            if known is None
            else known
        )

    def last_made_up(self) -> int:
        """Return the row of the last simulated game; read with the rest."""
        if self._last_made_up is None:
            self._known = self.known()
        assert self._last_made_up is not None
        return self._last_made_up

    def add_game(self, game: NewGame) -> int:
        ((row,),) = self._rows(_ADD_GAME, *game, shard_of(game.plain_name, self._count))
        return int(row)

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        return map(DatedGame._make, self._rows(_BETWEEN, list(competitions), low, high))

    def present_rows(self, pairs: Collection[tables.Pair]) -> list[tables.PresentRow]:
        """Return the current rows of bookmakers' offers of games, with their positions."""
        (rows,) = self._connection.run_statements((_PRESENT, columns(pairs, 2)))
        return rows

    def standing_quotes(self) -> list[tables.PresentRow]:
        """Return all current prices, of any game, with their positions.

        Raises:
            OtherShardsError: there are shards that it did not lock.
        """
        if len(self._seqs) < self._count:
            raise OtherShardsError(frozenset(range(self._count)))
        (rows,) = self._connection.run_statements((_STANDING, ()))
        return rows

    def log_ends(self) -> dict[int, int]:
        """Return the end of the log of each locked shard."""
        return self._seqs

    def write_recording(self, changes: tables.Changes) -> int:
        """Write a recording's changes; return the end of the log.

        Raises:
            OtherShardsError: it has games of another shard.
        """
        self._keep_joined(changes.joined)
        log = self._numbered(changes.log)
        if changes.said:
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
        if not write_rows(self._connection, written):
            raise StoreUnavailableError("another program changed odds without locking their shard")
        self._sum_up({game for game, _ in changes.uncovered})
        self._write_games(changes)
        return sum(self._seqs.values())

    def rows_of(self, game: int) -> dict[str, list[tables.GameRow]]:
        found: dict[str, list[tables.GameRow]] = {}
        for table, column in tables.GAME_TABLES.items():
            query = SQL("SELECT * FROM {} WHERE {} = %s ORDER BY 1, 2")
            asked = query.format(Identifier(table), Identifier(column))
            cursor = self._connection.execute(asked, (game,))
            names = [each.name for each in cursor.description or ()]
            found[table] = [
                {name: _as_told(value) for name, value in zip(names, row, strict=True)}
                for row in cursor.fetchall()
            ]
        for row in found["game"]:
            for name in _ONLY_HERE:
                row.pop(name)
        return found

    def drop_rows(self, game: int) -> None:
        for table, column in tables.GAME_TABLES.items():
            statement = SQL("DELETE FROM {} WHERE {} = %s")
            named = statement.format(Identifier(table), Identifier(column))
            self._connection.execute(named, (game,))

    def insert_rows(self, rows: tables.GameRows) -> None:
        for table, each in rows.items():
            for row in each:
                whole = row
                if table == "game":
                    count = count_shards(self._connection)
                    whole = row | {"shard": shard_of(row["plain_name"], count)}
                names = SQL(", ").join(map(Identifier, whole))
                places = SQL(", ").join(Placeholder() for _ in whole)
                statement = SQL("INSERT INTO {} ({}) VALUES ({})")
                values = [bool(said) if name in _TRUTHS else said for name, said in whole.items()]
                self._connection.execute(statement.format(Identifier(table), names, places), values)

    def log_end(self) -> tables.LogEnd:
        """Return the end of the log; with one shard as in a file."""
        ends = dict(self._rows(_ENDS))
        return int(ends["0"]) if len(ends) == 1 else ends

    def _numbered(self, log: Iterable[tables.LogRow]) -> list[tuple[Any, ...]]:
        """Return the log rows, each with its shard and number."""
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

    def _write_games(self, changes: tables.Changes) -> None:
        games = changes.games
        self._all(_DATE, [(game.match_date, game.row) for game in games.moved])
        said = [(game.match_date_by, game.match_date_scraped_at, game.row) for game in games.dated]
        self._all(_DATE_SOURCE, said)
        self._all(_FIRST, [(game.first_seen, game.row) for game in games.begun])
        self._all(_SPORT, [(game.sport, game.row) for game in games.played])
        self._all(_LINK, list(games.events.items()))
        self._all(KEEP_NAME, list({name[:3]: name for name in changes.other_names}.values()))

    def _as_known(self, rows: list[Row]) -> tables.Known:
        ((joined, has_same_teams, newest, span, real, simulated, self._last_made_up),) = rows
        told = None if span is None else (span[0], span[1])
        return tables.Known(joined, has_same_teams, newest, told, real, simulated)

    def _rows(self, query: str, *values: Any) -> list[Any]:
        done = self._connection.execute(_in_postgres(self.texts.get(query, query)), values)
        return [] if done.description is None else done.fetchall()

    def _all(self, statement: str, rows: Collection[tuple[Any, ...]]) -> None:
        if rows:
            self._rows(statement, *columns(rows))

    def _list(self, values: Collection[Any]) -> Any:
        return list(values)


@cache
def _in_postgres(text: str) -> bytes:
    """Return SQLite's text with psycopg's placeholders; its planner needs no order of joins."""
    return text.replace("?", "%s").replace("CROSS JOIN", "JOIN").encode()


def stored_bookmakers(connection: Connection[Any]) -> list[str]:
    """Return the names of all that ever had a price, in their order."""
    return [name for (name,) in connection.execute(_BOOKMAKERS).fetchall()]


Rows = Collection[tuple[Any, ...]]
COPIED: Final = 100
"""From this many rows a table is written with COPY, which costs two round trips but less per
row."""

_LOG_COLUMNS: Final = """
shard, seq, game, bookmaker, market_type, period, selection, odds, is_live, scraped_at, liquidity,
    recorded_at
"""
_QUOTE_COLUMNS: Final = """
game, bookmaker, market_type, period, is_live, scraped_at, selections, odds, liquidity, url, offers
"""
_COPY_LOG: Final = f"COPY price_change ({_LOG_COLUMNS}) FROM STDIN"
_COPY_QUOTES: Final = f"COPY quote ({_QUOTE_COLUMNS}) FROM STDIN"
_WRITE: Final = f"""
WITH counted AS (
    UPDATE shard SET seq = counted.seq
    FROM unnest($1::bigint[], $2::integer[]) counted (seq, shard)
    WHERE shard.shard = counted.shard
), logged AS (
    INSERT INTO price_change ({_LOG_COLUMNS}) SELECT * FROM unnest(
        $3::integer[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
        $9::text[], $10::double precision[], $11::boolean[], $12::bigint[],
        $13::double precision[], $14::bigint[])
), new AS (
    INSERT INTO quote ({_QUOTE_COLUMNS}) SELECT * FROM unnest(
        $15::bigint[], $16::text[], $17::text[], $18::bigint[], $19::boolean[], $20::bigint[],
        $21::integer[], $22::text[], $23::double precision[], $24::text[], $25::text[])
), again AS (
    UPDATE quote SET is_live = said.is_live, scraped_at = said.scraped_at,
        selections = said.selections, odds = said.odds, liquidity = said.liquidity,
        url = said.url, offers = said.offers
    FROM unnest($26::tid[], $27::boolean[], $28::bigint[], $29::integer[], $30::text[],
        $31::double precision[], $32::text[], $33::text[])
        said (place, is_live, scraped_at, selections, odds, liquidity, url, offers)
    WHERE quote.ctid = said.place RETURNING 1
), same AS (
    UPDATE quote SET scraped_at = said.scraped_at
    FROM unnest($34::tid[], $35::bigint[]) said (place, scraped_at)
    WHERE quote.ctid = said.place RETURNING 1
), told_by AS (
    INSERT INTO origin (game, bookmaker, source, may_share)
    SELECT * FROM unnest($36::bigint[], $37::text[], $38::text[], $39::boolean[])
    ON CONFLICT DO NOTHING
), covered AS (
    INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
    SELECT * FROM unnest(
        $40::bigint[], $41::text[], $42::boolean[], $43::bigint[], $44::bigint[], $45::integer[])
    ON CONFLICT (game, bookmaker, is_live) DO UPDATE SET
        newest = excluded.newest, oldest = excluded.oldest, selections = excluded.selections
), raised AS (
    UPDATE game SET last_scraped_at = greatest(last_scraped_at, seen.newest),
        has_live = has_live OR seen.is_live, recent = game.recent OR seen.recent
    FROM unnest($46::bigint[], $47::boolean[], $48::bigint[], $49::boolean[])
        seen (newest, is_live, game, recent)
    WHERE id = seen.game AND (last_scraped_at < seen.newest
        OR seen.is_live AND NOT has_live OR seen.recent AND NOT game.recent)
), sources AS (
    INSERT INTO source (bookmaker, market_type, newest)
    SELECT * FROM unnest($50::text[], $51::text[], $52::bigint[])
    ON CONFLICT (bookmaker, market_type) DO UPDATE
        SET newest = greatest(source.newest, excluded.newest)
), put AS (
    INSERT INTO setting (key, value) SELECT * FROM unnest($53::text[], $54::text[])
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
), recorded AS (
    INSERT INTO recorded (since, until) SELECT * FROM unnest($55::bigint[], $56::bigint[])
    ON CONFLICT (since) DO UPDATE SET until = excluded.until
)
SELECT (SELECT count(*) FROM again) + (SELECT count(*) FROM same)
"""  # noqa: S608 - constants
"""Everything that most recordings write, in one round trip. Unchanged prices are found by their
position: while its shard is locked, nobody else moves a row."""


class Written(NamedTuple):
    """Rows by kind of change, their values in the order of the statement."""

    counted: Rows
    """The last number of a shard's log, and the shard."""
    log: Rows
    new: Rows
    """New prices."""
    again: Rows
    """Changed prices: the position of each, and everything but its key."""
    same: Rows
    """Prices with only a new ``scraped_at``: the position of each, and that."""
    origins: Rows
    coverage: Rows
    seen: Rows
    """Newest price, whether one is in play, game, whether it may be in lists of fresh prices."""
    sources: Rows
    settings: Rows
    recorded: Rows


_WIDTHS: Final = (2, 12, 11, 8, 2, 4, 6, 4, 3, 2, 2)
"""The number of values in each kind of row."""


def write_rows(connection: PreparingConnection, written: Written) -> bool:
    """Write rows; return whether every existing price was still at its position."""
    if len(written.log) >= COPIED:
        _copy(connection, _COPY_LOG, written.log)
        written = written._replace(log=())
    if len(written.new) >= COPIED:
        _copy(connection, _COPY_QUOTES, written.new)
        written = written._replace(new=())
    values = [
        value
        for rows, width in zip(written, _WIDTHS, strict=True)
        for value in columns(rows, width)
    ]
    (((moved,),),) = connection.run_statements((_WRITE, values))
    return bool(moved == len(written.again) + len(written.same))


def columns(rows: Rows, width: int = 0) -> Sequence[str]:
    """Return rows as arrays, one a column: ``width`` of them if there are no rows."""
    return [array(column) for column in zip(*rows, strict=True)] or ["{}"] * width


def _copy(connection: PreparingConnection, statement: str, rows: Rows) -> None:
    with connection.cursor().copy(statement) as copy:
        copy.write(lines(zip(*rows, strict=True)))


class PostgresSettings(Settings):
    """PostgreSQL's texts for settings."""

    def put_setting(self, key: str, value: str | int) -> None:
        super().put_setting(key, str(value))

    def put_first(self, key: str, value: str | int) -> bool:
        return super().put_first(key, str(value))

    def _execute(self, statement: str, *values: Any) -> Any:
        return self._connection.execute(_in_postgres(statement), values)

    def _many(self, statement: str, rows: Collection[tuple[Any, ...]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_in_postgres(statement), rows)
