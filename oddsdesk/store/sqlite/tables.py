"""The tables of the odds file as recording needs them (``store.tables``), inside a transaction."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from oddsdesk.matching.team_names import SameTeam
from oddsdesk.store.games import NO_DATE, Family, NamedGame, NewGame, StoredGame
from oddsdesk.store.merged_games import as_it_is
from oddsdesk.store.other_names import DatedGame
from oddsdesk.store.said import note_said
from oddsdesk.store.settings import (
    LAST_MADE_UP_GAME,
    LAST_REAL_AT,
    LAST_SIMULATED_AT,
    NEWEST_SCRAPED_AT,
)
from oddsdesk.store.sqlite.bulk import insert
from oddsdesk.store.sqlite.game_rows import SqliteGameRows
from oddsdesk.store.sqlite.settings import number_setting, put_setting
from oddsdesk.store.tables import Changes, Known, LogRow, Pair, PresentRow
from oddsdesk.store.values import Change

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
SELECT 1 FROM game WHERE game_id = :ident
UNION ALL SELECT 1 FROM game_pair WHERE other = :ident AND state = 'accepted' AND before NOT NULL
"""
_ADD_GAME: Final = """
INSERT INTO game (game_id, competition, sport, match_name, plain_name) VALUES (?, ?, ?, ?, ?)
"""
_EVENTS_OF: Final = """
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
WHERE game = ? AND market_type = 'moneyline' AND period = 0 AND NOT is_live AND odds NOT NULL
"""
_PROPS: Final = """
SELECT odds FROM quote
WHERE game = ? AND market_type = 'player_prop' AND odds IS NOT NULL ORDER BY bookmaker, period
"""
_SAME_TEAMS: Final = "SELECT competition, one, other FROM same_team ORDER BY rowid"
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
"""One statement for an offer takes a fifth of what one for each of its rows takes."""
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
_RECENT: Final = "UPDATE game SET recent = 1 WHERE id = ? AND NOT recent"  # else touches no index
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
_TOLD: Final = "SELECT DISTINCT source FROM origin WHERE NOT may_share ORDER BY source"
_LAST_SEQ: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'price_change'"

_LEVELS: Final = '":[['
"""What stands in the JSON of offers that hold levels of a book, as ``WITH_LEVELS`` finds them."""

_encode: Final = msgspec.json.Encoder().encode
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode


class SqliteTables(SqliteGameRows):
    """``store.tables.Tables`` on a connection in whose transaction all of it happens."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._logged: list[LogRow] = []
        """What was written to the log, in its order."""
        self._written: list[Changes] = []

    def bookmakers(self) -> list[str]:
        """Return the names of all that ever priced anything, in their order."""
        return [name for name, _ in self._connection.execute(STORED_NAMES).fetchall()]

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        """Return games by competition and plain name, their own or another."""
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

    def game(self, row: int) -> StoredGame:
        """Return a game by its row."""
        (fields,) = self._connection.execute(_BY_ROW, (row,)).fetchall()
        return StoredGame(*fields)

    def is_taken(self, game_id: str) -> bool:
        """Say whether a game has that id, or had it and became part of another."""
        return bool(self._connection.execute(_IS_TAKEN, {"ident": game_id}).fetchall())

    def add_game(self, game: NewGame) -> int:
        """Add a game without prices or times; return its row."""
        row = self._connection.execute(_ADD_GAME, game).lastrowid
        assert row is not None
        return row

    def events_of(self, games: Collection[int]) -> list[tuple[int, str]]:
        """Return the sources' ids that mean games, each after its game."""
        return self._connection.execute(_EVENTS_OF, (json.dumps(list(games)),)).fetchall()

    def last_made_up(self) -> int:
        """Return the row of the last game that was simulated before there were real odds."""
        return number_setting(self._connection, LAST_MADE_UP_GAME) or 0

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        """Return the games of competitions that begin from ``low`` on, before ``high``."""
        asked = {"competitions": json.dumps(list(competitions)), "low": low, "high": high}
        return map(DatedGame._make, self._connection.execute(_BETWEEN, asked).fetchall())

    def moneylines(self, game: int) -> list[dict[str, float]]:
        """Return the bookmakers' odds on the winner of a game, as far as it was not in play."""
        rows = self._connection.execute(_MONEYLINES, (game,)).fetchall()
        return [_decode_odds(odds) for (odds,) in rows]

    def props(self, game: int) -> list[dict[str, float]]:
        """Return the odds on players of a game that stand, by bookmaker."""
        rows = self._connection.execute(_PROPS, (game,)).fetchall()
        return [_decode_odds(odds) for (odds,) in rows]

    def same_teams(self) -> list[SameTeam]:
        """Return which names are one team's, in the order in which the user said so."""
        return [SameTeam(*row) for row in self._connection.execute(_SAME_TEAMS).fetchall()]

    def known(self) -> Known:
        """Return what a recording has to know of all that was recorded before it."""
        joined = {game for (game,) in self._connection.execute(_JOINED).fetchall()}
        spans = self._connection.execute(_LAST_RECORDED).fetchall()
        newest, real, simulated = (
            number_setting(self._connection, key)
            for key in (NEWEST_SCRAPED_AT, LAST_REAL_AT, LAST_SIMULATED_AT)
        )
        return Known(
            joined,
            bool(self.same_teams()),
            newest or 0,
            next(iter(spans), None),
            has_real=real is not None,
            has_simulated=simulated is not None,
        )

    def present(self, pairs: Collection[Pair]) -> list[PresentRow]:
        """Return what stands of bookmakers' offers of games."""
        asked = _encode(list(pairs)).decode()
        return self._connection.execute(_PRESENT, (asked,)).fetchall()

    def standing(self) -> list[PresentRow]:
        """Return all prices that stand, of any game."""
        return self._connection.execute(_STANDING).fetchall()

    def last_game(self) -> int:
        """Return the row of the newest game, 0 without any."""
        return int(self._connection.execute(_LAST_GAME).fetchone()[0])

    def log_ends(self) -> dict[int, int]:
        """Return where the log ends, which is one shard."""
        last = self._connection.execute(_LAST_SEQ).fetchall()
        return {0: int(last[0][0]) if last else 0}

    def write(self, changes: Changes) -> int:
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
        note_said(self, changes.said)
        many(_TOLD_BY, changes.origins)
        many(_UNCOVER, changes.uncovered)
        many(_COVER, changes.coverage)
        many(_RAISE, [(*each, *each[:2]) for each in changes.seen])
        many(_RECENT, [(game,) for game in changes.recent])
        many(_SOURCE, changes.sources)
        many(_SUM_UP, [{"game": game} for game, _ in changes.uncovered])
        self._write_games(changes)
        for key, value in changes.settings.items():
            put_setting(self._connection, key, value)
        if changes.recorded is not None:
            self._connection.execute(_RECORDED, changes.recorded)
        return self.log_ends()[0]

    def logged(self, reference: str) -> list[Change]:
        """Return what was written to the log as readers do (D32), of sources that may be told."""
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

    def _keep_joined(self, games: Collection[int]) -> None:
        for game in games:
            if not self._connection.execute(_ARE_JOINED, (game,)).fetchall():
                self._connection.execute(_JOIN, (game, as_it_is(self, game)))

    def _write_games(self, changes: Changes) -> None:
        many, games = self._connection.executemany, changes.games
        many(_DATE, [(game.match_date, game.row) for game in games.moved])
        said = [(game.match_date_by, game.match_date_scraped_at, game.row) for game in games.dated]
        many(_DATE_SOURCE, said)
        many(_FIRST, [(game.first_seen, game.row) for game in games.begun])
        many(_SPORT, [(game.sport, game.row) for game in games.played])
        many(_LINK, games.events.items())
        many(KEEP_NAME, changes.other_names)


def _change(
    seq: int, names: tuple[str, str, str, str], row: LogRow, reference: str, offers: str | None
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


def kept_to_itself(connection: sqlite3.Connection) -> list[str]:
    """Return the sources in a database whose terms forbid passing on."""
    return [name for (name,) in connection.execute(_TOLD).fetchall()]
