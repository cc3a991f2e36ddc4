"""Which stored game a quote belongs to, and when that game starts (D31, D40)."""

import json
import sqlite3
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms

SAME_GAME_MS: Final = 6 * 60 * MINUTE_MS
"""Kick-offs of one name that differ by more are of two games; by less, of one moved (D31)."""
FINISHED_AFTER_MS: Final = 6 * 60 * MINUTE_MS
"""How long after its kick-off a game counts as finished, seen from a quote's ``scraped_at``."""

_FIND = """
SELECT id, match_name, competition, match_date, match_date_by, match_date_scraped_at, game_id
FROM game WHERE game_id IN (SELECT value FROM json_each(?))
"""
_INSERT = "INSERT INTO game (game_id, competition, sport, match_name) VALUES (?, ?, ?, ?)"
_DATE = "UPDATE game SET match_date = ? WHERE id = ?"
_DATE_SOURCE = "UPDATE game SET match_date_by = ?, match_date_scraped_at = ? WHERE id = ?"

Name = tuple[str, str]
"""Competition and match name."""
_ident = lru_cache(maxsize=1 << 14)(game_id)


class StoredGame(msgspec.Struct):
    """A game's row as far as recording needs it."""

    row: int
    match_name: str
    competition: str
    match_date: int | None
    match_date_by: str | None
    match_date_scraped_at: int | None

    def is_near(self, match_date: int) -> bool:
        """Whether a kick-off is this game's, moved or not."""
        return self.match_date is None or abs(self.match_date - match_date) <= SAME_GAME_MS


class Games:
    """The games of one recording: found or made once, their new dates written at the end."""

    def __init__(self, connection: sqlite3.Connection, reference: str) -> None:
        self._connection = connection
        self._reference = reference
        self._by_name: dict[tuple[str, str, int | None], StoredGame] = {}
        self._by_id: dict[str, StoredGame | None] = {}
        self._moved: dict[int, StoredGame] = {}
        self._dated: dict[int, StoredGame] = {}

    def look_up(self, names: Iterable[Name]) -> dict[Name, int]:
        """Read the games that go by plain names, all at once; return their rows."""
        idents = {name: _ident(*name) for name in names}
        self._read(idents.values())
        found = {name: self._by_id[ident] for name, ident in idents.items()}
        return {name: game.row for name, game in found.items() if game is not None}

    def of(self, quote: Quote) -> StoredGame:
        """Return the game that a quote is about, made if it is new."""
        key = (quote.competition, quote.match_name, quote.match_date)
        game = self._by_name.get(key)
        if game is None:
            game = self._by_name[key] = self._resolve(quote)
        return game

    def note_date(self, game: StoredGame, quote: Quote) -> None:
        """Take over the quote's kick-off if it counts: the reference's, else the latest (D40)."""
        if quote.match_date is None:
            return
        if not game.is_near(quote.match_date):  # the next game of a name whose last one is over
            self._move(game, quote)
            return
        by_reference = quote.bookmaker == self._reference
        if game.match_date_by == self._reference and not by_reference:
            return
        outranks = by_reference and game.match_date_by != self._reference
        if outranks or quote.scraped_at >= (game.match_date_scraped_at or 0):
            self._move(game, quote)

    def write_dates(self) -> None:
        """Write the kick-offs that are new, and who said each last."""
        self._connection.executemany(
            _DATE, [(game.match_date, game.row) for game in self._moved.values()]
        )
        self._connection.executemany(
            _DATE_SOURCE,
            [
                (game.match_date_by, game.match_date_scraped_at, game.row)
                for game in self._dated.values()
            ],
        )

    def _move(self, game: StoredGame, quote: Quote) -> None:
        if game.match_date != quote.match_date:
            self._moved[game.row] = game
        self._dated[game.row] = game
        game.match_date = quote.match_date
        game.match_date_by = quote.bookmaker
        game.match_date_scraped_at = quote.scraped_at

    def _resolve(self, quote: Quote) -> StoredGame:
        """Find the game by its name, else by its dated name, else make it (D31)."""
        plain = self._find(quote.competition, quote.match_name)
        match_date = quote.match_date
        if match_date is None:
            return plain or self._make(quote.competition, quote.match_name)
        if plain is not None and plain.is_near(match_date):
            return plain
        for moment in (match_date, match_date - SAME_GAME_MS, match_date + SAME_GAME_MS):
            dated = self._find(quote.competition, _dated(quote.match_name, moment))
            if dated is not None and dated.is_near(match_date):
                return dated
        if plain is None:
            return self._make(quote.competition, quote.match_name)
        assert plain.match_date is not None
        if quote.scraped_at > plain.match_date + FINISHED_AFTER_MS:
            return plain
        of_that_day = _dated(quote.match_name, match_date)
        return self._find(quote.competition, of_that_day) or self._make(
            quote.competition, of_that_day
        )

    def _find(self, competition: str, match_name: str) -> StoredGame | None:
        ident = _ident(competition, match_name)
        if ident not in self._by_id:
            self._read([ident])
        return self._by_id[ident]

    def _read(self, idents: Iterable[str]) -> None:
        asked = list(idents)
        rows = self._connection.execute(_FIND, (json.dumps(asked),)).fetchall()
        self._by_id.update(dict.fromkeys(asked))
        self._by_id.update({ident: StoredGame(*game) for *game, ident in rows})

    def _make(self, competition: str, match_name: str) -> StoredGame:
        ident = _ident(competition, match_name)
        values = (ident, competition, sport_of(competition), match_name)
        row = self._connection.execute(_INSERT, values).lastrowid
        assert row is not None
        game = StoredGame(row, match_name, competition, None, None, None)
        self._by_id[ident] = game
        return game


def _dated(match_name: str, moment: int) -> str:
    return f"{match_name} ({format_ms(moment)[:10]})"
