"""The tables of the odds file for recording, inside a transaction."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

import msgspec

from oddsdesk.matching.names import SameTeam
from oddsdesk.store import databases, tables
from oddsdesk.store.game_pairs import as_it_is, note_said
from oddsdesk.store.games import NO_DATE, Family, NamedGame, NewGame, StoredGame
from oddsdesk.store.names import DatedGame
from oddsdesk.store.settings import Settings
from oddsdesk.store.values import Change

_LOG_END: Final = "SELECT coalesce(max(seq), 0) FROM price_change"
_LAST: Final = """
SELECT id, repeats, source, may_share, quote FROM said
WHERE game = ? AND match_name = ? AND bookmaker = ? AND market_type = ? AND period = ?
ORDER BY id DESC LIMIT 1
"""
_SAY: Final = """
INSERT INTO said (game, match_name, bookmaker, market_type, period, repeats, source, may_share,
                  quote)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DROP: Final = "DELETE FROM said WHERE id = ?"
_LAST_ID: Final = "SELECT coalesce(max(id), 0) FROM said"


def as_said(
    ident: int, repeats: int, source: str | None, may_share: int | None, quote: bytes
) -> tables.StoredSaid:
    """Return a row of a saved quote."""
    shared = None if may_share is None else bool(may_share)
    return tables.StoredSaid(ident, bool(repeats), source, shared, quote)


STORED_NAMES: Final = "SELECT bookmaker, max(newest) FROM source GROUP BY bookmaker"
_SUM_UP: Final = """
UPDATE game SET (last_scraped_at, has_live) = (
    SELECT coalesce(max(newest), 0), coalesce(max(is_live), 0) FROM coverage WHERE game = :game
) WHERE id = :game
"""

_GAME: Final = """
g.id, g.match_name, g.competition, g.match_date, g.match_date_by, g.match_date_scraped_at,
    g.first_scraped_at, g.last_scraped_at, g.sport
"""
_ASKED: Final = "json_each(:asked) place CROSS JOIN json_each(place.value) plain"
_FIND: Final = f"""
SELECT {_GAME}, g.competition, g.plain_name, NULL
FROM {_ASKED} CROSS JOIN game g INDEXED BY game_plain
    ON g.competition = place.key AND g.plain_name = plain.value
"""  # noqa: S608 - a constant
_FIND_OTHER: Final = f"""
SELECT {_GAME}, n.competition, n.plain_name, n.crosswise
FROM {_ASKED} CROSS JOIN other_name n
    ON n.competition = place.key AND n.plain_name = plain.value
    CROSS JOIN game g ON g.id = n.game
WHERE g.kickoff BETWEEN :low AND :high OR g.match_date IS NULL
"""  # noqa: S608 - a constant
_DATED: Final = f"{_FIND} WHERE g.kickoff BETWEEN :low AND :high"
_UNDATED: Final = f"{_FIND} WHERE g.kickoff = {NO_DATE}"
_FIND_ALL: Final = f"{_DATED} UNION ALL {_UNDATED} UNION ALL {_FIND_OTHER}"
_BY_ROW: Final = f"SELECT {_GAME} FROM game g WHERE id = ?"  # noqa: S608 - a constant
_IS_TAKEN: Final = """
SELECT 1 FROM game WHERE game_id = ?
UNION ALL SELECT 1 FROM game_pair WHERE other = ? AND state = 'accepted' AND before IS NOT NULL
"""
_ADD_GAME: Final = """
INSERT INTO game (game_id, competition, sport, match_name, plain_name) VALUES (?, ?, ?, ?, ?)
"""
EVENTS_OF: Final = """
SELECT game, event FROM event INDEXED BY event_game
WHERE game IN (SELECT value FROM json_each(?))
"""
_BETWEEN: Final = """
SELECT game.id, competition, plain_name, match_name, match_date FROM json_each(:competitions) asked
CROSS JOIN game INDEXED BY game_kick_off ON game.competition = asked.value
    AND kickoff >= :low AND kickoff < :high
"""
_MONEYLINES: Final = """
SELECT odds FROM quote
WHERE game = ? AND market_type = 'moneyline' AND period = 0 AND NOT is_live AND odds IS NOT NULL
"""
_PROPS: Final = """
SELECT odds FROM quote
WHERE game = ? AND market_type = 'player_prop' AND odds IS NOT NULL ORDER BY bookmaker, period
"""
SAME_TEAMS: Final = "SELECT competition, one, other FROM same_team ORDER BY rowid"
_JOINED: Final = """
SELECT game.id FROM game_pair pair CROSS JOIN game ON game.game_id = pair.kept
WHERE pair.state = 'accepted' UNION SELECT game FROM joined_game
"""
_ARE_JOINED: Final = "SELECT 1 FROM joined_game WHERE game = ?"
_JOIN: Final = """
INSERT INTO joined_game (game, before, decided_at)
VALUES (?, ?, (SELECT coalesce(max(decided_at), 0) FROM game_pair))
"""
_PRICES: Final = """
SELECT q.game, q.bookmaker, q.market_type, q.period,
    q.is_live, q.scraped_at, q.selections, q.odds, q.liquidity, q.url, q.offers
"""
_PRESENT: Final = f"""{_PRICES}
FROM json_each(?) pair CROSS JOIN quote q
    ON q.game = json_extract(pair.value, '$[0]') AND q.bookmaker = json_extract(pair.value, '$[1]')
"""
_STANDING: Final = f"{_PRICES} FROM quote q WHERE odds NOT NULL"
_DROP_SIMULATED: Final = "DELETE FROM result WHERE simulated = TRUE"
_DROP_UNFINISHED: Final = f"{_DROP_SIMULATED} AND status IN ('scheduled', 'in_play', 'unknown')"
_LAST_GAME: Final = "SELECT coalesce(max(id), 0) FROM game"
_LAST_RECORDED: Final = "SELECT since, until FROM recorded ORDER BY since DESC LIMIT 1"

_NEW: Final = """
INSERT INTO quote (game, bookmaker, market_type, period,
                   is_live, scraped_at, selections, odds, liquidity, url, offers)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_AGAIN: Final = f"""
{_NEW} ON CONFLICT DO UPDATE SET
    is_live = excluded.is_live, scraped_at = excluded.scraped_at,
    selections = excluded.selections, odds = excluded.odds,
    liquidity = excluded.liquidity, url = excluded.url, offers = excluded.offers
"""
"""Faster than an update by the key."""
_SEEN: Final = """
UPDATE OR FAIL quote NOT INDEXED SET scraped_at = ?
WHERE game = ? AND bookmaker = ? AND odds NOT NULL
"""
"""One statement for an offer takes a fifth of the time of one per row."""
_CLOSING: Final = """
INSERT OR REPLACE INTO closing_sighting (game, bookmaker, market_type, period, scraped_at)
VALUES (?, ?, ?, ?, ?)
"""
_LOG: Final = """
price_change (game, bookmaker, market_type, period, selection,
              odds, is_live, scraped_at, liquidity, recorded_at)
"""
_TOLD_BY: Final = """
INSERT OR IGNORE INTO origin (game, bookmaker, source, may_share) VALUES (?, ?, ?, ?)
"""
_UNCOVER: Final = "DELETE FROM coverage WHERE game = ? AND bookmaker = ?"
_COVER: Final = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    newest = excluded.newest, oldest = excluded.oldest, selections = excluded.selections
"""
_RAISE: Final = """
UPDATE game SET last_scraped_at = max(last_scraped_at, ?), has_live = max(has_live, ?)
WHERE id = ? AND (last_scraped_at < ? OR has_live < ?)
"""
_RECENT: Final = (
    "UPDATE game SET recent = 1 WHERE id = ? AND NOT recent"  # otherwise no index changes
)
_SOURCE: Final = """
INSERT INTO source (bookmaker, market_type, newest) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest)
"""
_DATE: Final = "UPDATE game SET match_date = ? WHERE id = ?"
_DATE_SOURCE: Final = "UPDATE game SET match_date_by = ?, match_date_scraped_at = ? WHERE id = ?"
_SPORT: Final = "UPDATE game SET sport = ? WHERE id = ?"
_FIRST: Final = "UPDATE game SET first_scraped_at = ? WHERE id = ?"
_LINK: Final = (
    "INSERT INTO event (event, game) VALUES (?, ?) ON CONFLICT DO UPDATE SET game = excluded.game"
)
KEEP_NAME: Final = """
INSERT OR REPLACE INTO other_name (competition, plain_name, game, match_name, crosswise)
VALUES (?, ?, ?, ?, ?)
"""
_RECORDED: Final = """
INSERT INTO recorded (since, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until
"""
_NAMES: Final = """
SELECT id, game_id, match_name, competition, sport FROM game
WHERE id IN (SELECT value FROM json_each(?))
"""
_LAST_SEQ: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'price_change'"

_LEVELS: Final = '":[['
"""In the JSON of offers with levels of a book, as in ``WITH_LEVELS``."""

_encode: Final = msgspec.json.Encoder().encode
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode


class Tables:
    """The tables of one database, on a connection with an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Any = connection
        self._logged: list[tables.LogRow] = []
        """The rows written to the log, in order."""
        self._written: list[tables.Changes] = []

    def bookmakers(self) -> list[str]:
        """Return the names of all that ever had a price, in their order."""
        return [name for name, _ in self._connection.execute(STORED_NAMES).fetchall()]

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        """Return games by competition and plain name, their own or another.

        Those without a kick-off, and those with one from ``low`` to ``high``. Per family: first
        those with that as their own name, by kick-off and row; then the others, by row.
        """
        asked: defaultdict[str, list[str]] = defaultdict(list)
        for competition, plain in families:
            asked[competition].append(plain)
        window = {"asked": _encode(asked).decode(), "low": low, "high": high}
        return [
            (
                StoredGame(*fields),
                (competition, plain),
                None if crosswise is None else crosswise > 0,
            )
            for *fields, competition, plain, crosswise in self._connection.execute(
                _FIND_ALL, window
            ).fetchall()
        ]

    def game_of_row(self, row: int) -> StoredGame:
        """Return a game by its row."""
        return StoredGame(*self._rows(_BY_ROW, row)[0])

    def is_taken(self, game_id: str) -> bool:
        """Return whether a game has that id, or had it and was joined into another."""
        return bool(self._rows(_IS_TAKEN, game_id, game_id))

    def add_game(self, game: NewGame) -> int:
        """Add a game without prices or times; return its row."""
        return int(self._connection.execute(_ADD_GAME, game).lastrowid)

    def events_of(self, games: Collection[int]) -> list[tuple[int, str]]:
        """Return the sources' ids of games, each after its game."""
        return self._rows(EVENTS_OF, self._list(games))

    def last_made_up(self) -> int:
        """Return the row of the last game simulated before real odds came."""
        return Settings(self._connection).number_setting(databases.LAST_MADE_UP_GAME) or 0

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        """Return the games of competitions that begin from ``low`` to before ``high``."""
        asked = {"competitions": json.dumps(list(competitions)), "low": low, "high": high}
        return map(DatedGame._make, self._connection.execute(_BETWEEN, asked).fetchall())

    def moneylines(self, game: int) -> list[dict[str, float]]:
        """Return the bookmakers' pre-match odds on the winner of a game."""
        return [_decode_odds(odds) for (odds,) in self._rows(_MONEYLINES, game)]

    def props(self, game: int) -> list[dict[str, float]]:
        """Return the current odds on players of a game, by bookmaker."""
        return [_decode_odds(odds) for (odds,) in self._rows(_PROPS, game)]

    def same_teams(self) -> list[SameTeam]:
        """Return which names are one team's, in the order of the user's decisions."""
        return [SameTeam(*row) for row in self._rows(SAME_TEAMS)]

    def known(self) -> tables.Known:
        """Return what a recording needs to know about the database."""
        joined = {game for (game,) in self._connection.execute(_JOINED).fetchall()}
        spans = self._connection.execute(_LAST_RECORDED).fetchall()
        newest, real, simulated = (
            Settings(self._connection).number_setting(key)
            for key in (
                databases.NEWEST_SCRAPED_AT,
                databases.LAST_REAL_AT,
                databases.LAST_SIMULATED_AT,
            )
        )
        return tables.Known(
            joined,
            bool(self.same_teams()),
            newest or 0,
            next(iter(spans), None),
            has_real=real is not None,
            has_simulated=simulated is not None,
        )

    def present_rows(self, pairs: Collection[tables.Pair]) -> list[tables.PresentRow]:
        """Return the current rows of bookmakers' offers of games."""
        asked = _encode(list(pairs)).decode()
        return self._rows(_PRESENT, asked)

    def standing_quotes(self) -> list[tables.PresentRow]:
        """Return all current prices, of any game."""
        return self._rows(_STANDING)

    def last_game(self) -> int:
        """Return the row of the newest game, 0 without any."""
        return int(self._rows(_LAST_GAME)[0][0])

    def log_ends(self) -> dict[int, int]:
        """Return the end of the log, which is one shard."""
        last = self._connection.execute(_LAST_SEQ).fetchall()
        return {0: int(last[0][0]) if last else 0}

    def drop_simulated_results(self, *, all_of_them: bool) -> None:
        """Delete simulated results; those of ended games only with ``all_of_them``."""
        self._rows(_DROP_SIMULATED if all_of_them else _DROP_UNFINISHED)

    def write_recording(self, changes: tables.Changes) -> int:
        """Write what a recording changes; return the end of the log."""
        self._keep_joined(changes.joined)
        many = self._connection.executemany
        many(_SEEN, [offer[:3] for offer in changes.same])
        many(_NEW, changes.new)
        many(_AGAIN, [row for _, row in changes.again])
        many(_CLOSING, [(*market, at) for market, at in changes.closing.items()])
        insert(self._connection, _LOG, changes.log)
        self._logged += changes.log
        self._written.append(changes)
        if changes.said:
            note_said(self, changes.said)
        many(_TOLD_BY, changes.origins)
        many(_UNCOVER, changes.uncovered)
        many(_COVER, changes.coverage)
        many(_RAISE, [(*each, *each[:2]) for each in changes.seen])
        many(_RECENT, [(game,) for game in changes.recent])
        many(_SOURCE, changes.sources)
        many(_SUM_UP, [{"game": game} for game, _ in changes.uncovered])
        self._write_games(changes)
        settings = Settings(self._connection)
        for key, value in changes.settings.items():
            settings.put_setting(key, value)
        if changes.recorded is not None:
            self._connection.execute(_RECORDED, changes.recorded)
        return self.log_ends()[0]

    def logged(self, reference: str) -> list[Change]:
        """Return the rows written to the log, as readers see them, of sources that may be passed
        on."""
        asked = _encode(list({row[0] for row in self._logged})).decode()
        names = {row[0]: row[1:] for row in self._connection.execute(_NAMES, (asked,)).fetchall()}
        first = self.log_ends()[0] - len(self._logged) + 1
        offers = {
            row[:4]: row[-1]
            for changes in self._written
            for row in (*changes.new, *(row for _, row in changes.again))
            if row[-1] is not None and _LEVELS in row[-1]
        }
        return [
            _change(seq, names[row[0]], row, reference, offers.get(row[:4]))
            for seq, row in enumerate(self._logged, first)
        ]

    def rows_of(self, game: int) -> dict[str, list[tables.GameRow]]:
        """Return the rows of a game by table, in order."""
        found = {}
        for table, column in tables.GAME_TABLES.items():
            query = f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2"  # noqa: S608 - ours
            cursor = self._connection.execute(query, (game,))
            names = [each[0] for each in cursor.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in found["game"]:
            row.pop("kickoff")  # generated
        return found

    def drop_rows(self, game: int) -> None:
        """Delete all rows of a game."""
        for table, column in tables.GAME_TABLES.items():
            statement = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 - ours
            self._connection.execute(statement, (game,))

    def insert_rows(self, rows: tables.GameRows) -> None:
        """Insert rows of a game into their tables."""
        for table, each in rows.items():
            for row in each:
                names, places = ", ".join(row), ", ".join("?" * len(row))
                statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - ours
                self._connection.execute(statement, tuple(row.values()))

    def log_end(self) -> tables.LogEnd:
        """Return where the log ends."""
        ((last,),) = self._connection.execute(_LOG_END).fetchall()
        return int(last)

    def last_said(self, key: tables.SaidKey) -> tables.StoredSaid | None:
        """Return the last saved quote of a market under a name."""
        rows = self._rows(_LAST, *key)
        return as_said(*rows[0]) if rows else None

    def note_said(
        self,
        key: tables.SaidKey,
        quote: bytes,
        source: str | None,
        may_share: bool | None,
        repeats: bool,
    ) -> None:
        """Save a quote."""
        self._rows(_SAY, *key, repeats, source, may_share, quote)

    def unsay(self, ident: int) -> None:
        """Delete one saved quote."""
        self._rows(_DROP, ident)

    def end_of_said(self) -> int:
        """Return the number of the last saved quote, 0 without any."""
        return int(self._rows(_LAST_ID)[0][0])

    def _rows(self, query: str, *values: Any) -> list[Any]:
        rows: list[Any] = self._connection.execute(query, values).fetchall()
        return rows

    def _all(self, statement: str, rows: Collection[tuple[Any, ...]]) -> None:
        self._connection.executemany(statement, rows)

    def _list(self, values: Collection[Any]) -> Any:
        """Return values as one parameter of a query."""
        return json.dumps(list(values))

    def _keep_joined(self, games: Collection[int]) -> None:
        for game in games:
            if not self._rows(_ARE_JOINED, game):
                self._rows(_JOIN, game, as_it_is(self, game))

    def _write_games(self, changes: tables.Changes) -> None:
        many, games = self._connection.executemany, changes.games
        many(_DATE, [(game.match_date, game.row) for game in games.moved])
        said = [(game.match_date_by, game.match_date_scraped_at, game.row) for game in games.dated]
        many(_DATE_SOURCE, said)
        many(_FIRST, [(game.first_seen, game.row) for game in games.begun])
        many(_SPORT, [(game.sport, game.row) for game in games.played])
        many(_LINK, games.events.items())
        many(KEEP_NAME, changes.other_names)


def _change(
    seq: int,
    names: tuple[str, str, str, str],
    row: tables.LogRow,
    reference: str,
    offers: str | None,
) -> Change:
    game, bookmaker, market_type, period, selection, odds, is_live, at, liquidity, _ = row
    told = liquidity if bookmaker == reference else None
    return Change(
        seq,
        game,
        *names,
        bookmaker,
        market_type,
        period,
        selection,
        None if odds is None else float(odds),
        bool(is_live),
        at,
        None if told is None else float(told),
        offers=offers,
    )


ROWS: Final = 64
"""How many rows a statement has; SQLite before 3.32 takes 999 values in all."""


def insert(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows in their order, inside a transaction.

    A statement per row costs each row a quarter more in a table with row numbers. If a row is
    refused, earlier ones stay, so that SQLite need not save what each statement changes: the caller
    rolls back.

    Args:
        connection: With the caller's transaction.
        into: Table and columns.
        rows: Values of these columns.
    """
    if not rows:
        return
    one, many = _statements(into, len(rows[0]))
    whole = len(rows) - len(rows) % ROWS
    starts = range(0, whole, ROWS)
    flat = (tuple(chain.from_iterable(rows[start : start + ROWS])) for start in starts)
    connection.executemany(many, flat)
    connection.executemany(one, rows[whole:])


@cache
def _statements(into: str, width: int) -> tuple[str, str]:
    values = f"({', '.join('?' * width)})"
    one = f"INSERT OR FAIL INTO {into} VALUES {values}"  # noqa: S608 - ours
    return one, f"{one}{f', {values}' * (ROWS - 1)}"


def rewrite_first_page(connection: sqlite3.Connection) -> None:
    """Rewrite a page unchanged: a commit without a write does not reach the disk."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    connection.execute(f"PRAGMA user_version = {version}")
