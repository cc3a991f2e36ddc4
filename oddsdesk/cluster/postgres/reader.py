"""Reading the odds in PostgreSQL."""

import contextlib
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Final

import psycopg

from oddsdesk.cluster.postgres.connections import (
    READ_LOCK_S,
    PreparingConnection,
    ServerAddress,
    array,
)
from oddsdesk.cluster.postgres.schema import check_current
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.queries import as_of, lists, log, past, valuation
from oddsdesk.store.queries.select import NOTHING, OF_SHARD, WITH_OFFERS, Parameters, Row
from oddsdesk.store.reader import NEWEST_PRICE, Reader
from oddsdesk.store.spans import FindOlder

_ONE_OF_EACH: Final = """
SELECT (SELECT 1 FROM game LIMIT 1), (SELECT 1 FROM quote LIMIT 1),
    (SELECT 1 FROM coverage LIMIT 1), (SELECT 1 FROM origin LIMIT 1),
    (SELECT 1 FROM price_change LIMIT 1), (SELECT 1 FROM value_bet LIMIT 1),
    (SELECT 1 FROM setting LIMIT 1)
"""


class PostgresReader(Reader):
    """Read-only, on a separate connection; for the thread that got it from ``Store.reader``."""

    def __init__(
        self,
        address: ServerAddress,
        reference: str,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
    ) -> None:
        self._engine = PostgresSelect(address)
        super().__init__(self._engine, reference, share, find_older)

    def check_readable(self, shown: str) -> None:
        """Check that every table of frequent requests can be read.

        Raises:
            StoreError: one cannot, or the tables are no longer those of this version.
        """
        self._select(_ONE_OF_EACH)
        self._engine.check_tables(shown)

    @cached_property
    def shards(self) -> int:
        """The number of shards of the log, fixed before the first recording."""
        return int(self._select("SELECT count(*) FROM shard")[0][0])


_NAMED: Final = re.compile(r"(?<!:):([a-z_]+)")
_HINT: Final = re.compile(r" (?:INDEXED BY \w+|NOT INDEXED)")
_ORDERED: Final = re.compile(r"CROSS JOIN (\w+ \w+\s+ON)")
_LIST: Final = re.compile(r"IN \(SELECT value FROM json_each\((:\w+)\)\)")
_READ_ONLY: Final = "SET default_transaction_read_only = on"
_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresSelect:
    """Runs queries on one reading connection, opened at first use.

    A query that finds the connection lost runs on a new one, except inside ``together``.
    """

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._connection: PreparingConnection | None = None
        self._closed = threading.Event()

    def __call__(self, query: str, parameters: Parameters = NOTHING, **parts: str) -> list[Row]:
        """Return all rows.

        Raises:
            StoreUnavailableError: the database cannot be read now, or is closed.
        """
        query = _TEXTS.get(query, query)
        if parts:
            query = query.format(**{name: _TEXTS.get(part, part) for name, part in parts.items()})
        with self._address.refusals():
            return self._run(query, parameters)

    def list_parameter(self, values: Iterable[str | int]) -> object:
        """Return a list for ``ANY``."""
        return list(values)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Run the queries inside on one state of the database."""
        with self._address.refusals():
            self._run(_BEGIN, NOTHING)
        try:
            yield
        except BaseException:
            self._end("ROLLBACK")
            raise
        self._end("COMMIT")

    def check_tables(self, shown: str) -> None:
        """Check that the tables are those of this version.

        Raises:
            StoreError: they are not, or cannot be read.
        """
        with self._address.refusals():
            check_current(self._connected()[0], shown)

    def close(self) -> None:
        """Close the connection; later queries are refused."""
        self._closed.set()
        if self._connection is not None:
            self._connection.close()

    def _run(self, query: str, parameters: Parameters) -> list[Row]:
        text, names = _numbered(query)
        asked = (text, [_as_text(parameters[name]) for name in names])
        connection, is_new = self._connected()
        is_alone = connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        try:
            (rows,) = connection.run_statements(asked)
        except psycopg.OperationalError:
            if is_new or not is_alone or not connection.closed:
                raise
            (rows,) = self._connected()[0].run_statements(asked)
        return rows

    def _connected(self) -> tuple[PreparingConnection, bool]:
        """Return the connection, and whether it is new."""
        if self._closed.is_set():
            raise StoreUnavailableError("the database is closed")
        connection = self._connection
        if connection is not None and not connection.closed:
            return connection, False
        connection = self._address.connect(lock_s=READ_LOCK_S)
        connection.do(_READ_ONLY)
        self._connection = connection
        if self._closed.is_set():  # just now, by another thread
            connection.close()
        return connection, True

    def _end(self, how: str) -> None:
        """End a read-only transaction, which can lose nothing."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.do(how)


@lru_cache(maxsize=2_000)
def _numbered(query: str) -> tuple[str, list[str]]:
    """Return a query in PostgreSQL's form, with numbers for names, and the names.

    Its planner finds the indexes of SQLite's hints by itself; a test checks that.
    """
    query = _LIST.sub(r"= ANY(\1)", _ORDERED.sub(r"JOIN \1", _HINT.sub("", query)))
    query = query.replace(OF_SHARD, "c.shard = :shard")
    names = list(dict.fromkeys(_NAMED.findall(query)))
    return _NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", query), names


def _as_text(value: object) -> str | None:
    """Return a value as a text for PostgreSQL, with a replacement for NUL."""
    if value is None:
        return None
    if isinstance(value, list):
        return array(value)
    return str(value).replace("\0", "\x01")


_OF_CELL: Final = "game, bookmaker, market_type, period, selection"
_GAMES: Final = ":games::bigint[]"


def _last(games: str) -> str:
    """Return the query for the last move of each selection of some games.

    The last move is that of the latest price: rows of a joined game may be in another shard,
    whose numbers do not show the order. It is found by hashing: sorting the moves of all games took
    longer.
    """
    return f"""
        SELECT c.* FROM (
            SELECT max(ARRAY[scraped_at, seq, shard]) AS found FROM price_change
            WHERE game = ANY({games}) AND scraped_at <= :at GROUP BY {_OF_CELL}
        ) last JOIN price_change c ON c.shard = found[3] AND c.seq = found[2]
    """


_ASKED: Final = """
    asked AS MATERIALIZED (
        SELECT (value->>0)::integer AS place, (value->>1)::bigint AS game, value->>2 AS bookmaker,
            value->>3 AS market_type, (value->>4)::bigint AS period, (value->>5)::bigint AS at,
            value->>6 AS selection
        FROM json_array_elements(:asked::json)
    )
"""
_OF_ASKED: Final = """
    asked.game = c.game AND asked.bookmaker = c.bookmaker
    AND asked.market_type = c.market_type AND asked.period = c.period
"""
_OF_SELECTION: Final = """
FROM price_change
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""
_TEXTS: Final[Mapping[str, str]] = {
    as_of.LAST: f"""
        SELECT game, bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END, seq
        FROM ({_last(_GAMES)}) moves
    """,
    as_of.TOTALS: f"""
        WITH present AS (
            SELECT game FROM quote WHERE game = ANY({_GAMES})
            GROUP BY game HAVING max(scraped_at) <= :at AND bool_or(odds IS NOT NULL)
        )
        SELECT game, count(DISTINCT bookmaker), max(scraped_at), bool_or(is_live),
            bool_or(:bookmaker::text IS NULL OR bookmaker = :bookmaker::text)
        FROM (
            SELECT game, bookmaker, is_live, scraped_at FROM quote
            WHERE game = ANY(ARRAY(SELECT game FROM present)) AND odds IS NOT NULL
            UNION ALL
            SELECT game, bookmaker, is_live, scraped_at FROM (
                {_last(f"ARRAY(SELECT unnest({_GAMES}) EXCEPT SELECT game FROM present)")}
            ) moves WHERE odds IS NOT NULL
        ) stood WHERE {{visible}} GROUP BY game
    """,
    lists.BOOKMAKERS: lists.BOOKMAKERS.replace("max(c.is_live)", "bool_or(c.is_live)").replace(
        "\n)\nFROM", "\n)::bigint\nFROM"
    ),
    lists.ODDS: f"""
        SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
            q.is_live, q.odds, g.match_date, q.scraped_at, q.url,
            CASE q.bookmaker WHEN :reference THEN q.liquidity END, g.kickoff, {WITH_OFFERS}
        FROM game g JOIN quote q ON q.game = g.id
        WHERE {{wanted}}
        ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
        LIMIT :limit
    """,
    lists.HOLDS: """
        abs((q.odds::json ->> v.selection)::double precision - v.odds) < 1e-9
        AND NOT EXISTS (SELECT 1 FROM json_each_text(v.line::json) side WHERE (
            abs((r.odds::json ->> side.key)::double precision - side.value::double precision) < 1e-9
        ) IS NOT TRUE)
    """,
    log.LAST_SEQ: "SELECT seq FROM shard WHERE shard = :shard",
    # The index has no bookmakers, so moves are read once for all of them. As a separate table they
    # are joined by hash; otherwise ``asked`` was read again for each selection.
    log.STOOD: f"""
        WITH {_ASKED}, moves AS MATERIALIZED (
            SELECT c.* FROM (SELECT DISTINCT game, selection FROM asked) wanted
            CROSS JOIN LATERAL (
                SELECT * FROM price_change
                WHERE game = wanted.game AND selection = wanted.selection OFFSET 0
            ) c
        )
        SELECT place, selection, odds FROM (
            SELECT asked.place, asked.selection, c.odds, c.scraped_at,
                max(c.scraped_at) OVER (PARTITION BY asked.place, asked.selection) AS last
            FROM moves c JOIN asked ON {_OF_ASKED}
                AND asked.selection = c.selection AND c.scraped_at <= asked.at
        ) earlier WHERE scraped_at = last
    """,
    log.WITHDRAWN: f"""
        WITH {_ASKED}, moves AS MATERIALIZED (
            SELECT c.* FROM (SELECT DISTINCT game FROM asked) wanted
            CROSS JOIN LATERAL (
                SELECT * FROM price_change WHERE game = wanted.game AND odds IS NULL OFFSET 0
            ) c
        )
        SELECT DISTINCT asked.place
        FROM moves c JOIN asked ON {_OF_ASKED} AND asked.at = c.scraped_at
    """,
    # Each shard is numbered separately, so moves are ordered by time, not by number.
    log.FOLLOWING: "SELECT seq, 0 FROM shard WHERE FALSE",
    log.MOVES_SINCE: f"""
        SELECT odds, is_live, scraped_at {_OF_SELECTION} AND recorded_at >= :since_ms
        ORDER BY seq
    """,
    log.MOVE_BEFORE: f"""
        SELECT odds, is_live, scraped_at {_OF_SELECTION} AND recorded_at < :since_ms
        ORDER BY seq DESC LIMIT 1
    """,
    past.SOURCES: """
        SELECT key, value FROM setting WHERE
            CASE WHEN key >= 'source ' AND key < 'source!' THEN value::bigint >= :since END
    """,
    NEWEST_PRICE: """
        SELECT greatest((SELECT max(last_scraped_at) FROM game), (
            SELECT max(last.scraped_at) FROM shard CROSS JOIN LATERAL (
                SELECT scraped_at FROM price_change
                WHERE price_change.shard = shard.shard ORDER BY seq DESC LIMIT 1
            ) last
        ), 0)
    """,
    # By game: the log is not scanned, however much of it is fresh.
    valuation.DRAWS: """
        SELECT g.game_id, drew.bookmaker, drew.period
        FROM game g CROSS JOIN LATERAL (
            SELECT DISTINCT c.bookmaker, c.period FROM price_change c
            WHERE c.game = g.id AND c.selection = ANY(:texts)
                AND c.scraped_at >= :since AND c.market_type = 'moneyline'
        ) drew
        WHERE g.recent AND g.last_scraped_at >= :since
    """,
    valuation.PRICES: """
        SELECT market_type, period, '[' || string_agg(
            '[' || to_json(bookmaker) || ',' || odds || ',' || scraped_at || ','
            || is_live || ']', ',' ORDER BY bookmaker
        ) || ']'
        FROM quote
        WHERE {wanted} AND odds IS NOT NULL AND {shared}
        GROUP BY market_type, period {having}
        ORDER BY market_type, period
    """,
    valuation.NAMED_PRICES: """
        SELECT '[' || string_agg(
            '[' || q.game || ',' || to_json(q.market_type) || ',' || q.period || ','
            || to_json(q.bookmaker) || ',' || q.odds || ',' || q.scraped_at || ','
            || q.is_live || ']', ','
        ) || ']'
        FROM json_array_elements(:asked::json) market
        CROSS JOIN json_array_elements_text(market->3) name
        CROSS JOIN LATERAL (
            SELECT * FROM quote WHERE game = (market->>0)::bigint AND bookmaker = name
                AND market_type = market->>1 AND period = (market->>2)::integer
            OFFSET 0
        ) q
        WHERE q.odds IS NOT NULL AND {shared}
    """,
}
"""Replacements of SQLite's texts for PostgreSQL."""
