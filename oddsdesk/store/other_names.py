"""Finding the stored game of a quote whose teams it has under other names (D69)."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Final

import msgspec

from oddsdesk.contract.identity import teams
from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.outcomes import AWAY, HOME, read_selection
from oddsdesk.store.matching import SAME_START_MS, Game, Verdict, compare
from oddsdesk.store.team_names import Key, SameTeam, TeamNames, shipped_names

_ABOUT_THEN: Final = """
SELECT game.id, competition, plain_name, match_name, match_date FROM json_each(:competitions) asked
CROSS JOIN game INDEXED BY game_kick_off ON game.competition = asked.value
    AND kickoff BETWEEN :low AND :high
"""
_MONEYLINES: Final = """
SELECT odds FROM quote
WHERE game = ? AND market_type = 'moneyline' AND period = 0 AND NOT is_live AND odds NOT NULL
"""
_KEEP: Final = """
INSERT OR REPLACE INTO other_name (competition, plain_name, game, match_name, crosswise)
VALUES (?, ?, ?, ?, ?)
"""
_SAME_TEAMS: Final = "SELECT competition, one, other FROM same_team ORDER BY rowid"

Dated = tuple[int, str, str, str, int | None]
"""A game's row, competition, plain name, name and kick-off."""
_decode_odds: Final = msgspec.json.Decoder(dict[str, float]).decode


def names_known(connection: sqlite3.Connection) -> TeamNames:
    """Return the known names: of the table, and of pairs that the user accepted."""
    said = [SameTeam(*row) for row in connection.execute(_SAME_TEAMS).fetchall()]
    return shipped_names().with_same(said) if said else shipped_names()


def chances(match_name: str, moneylines: Iterable[dict[str, float]]) -> tuple[float, float] | None:
    """Return the median bookmaker's probabilities of both teams, home first."""
    found = [shares for odds in moneylines if (shares := _shares(match_name, odds))]
    if not found:
        return None
    return median(home for home, _ in found), median(away for _, away in found)


def stored_chances(
    connection: sqlite3.Connection, game: int, match_name: str
) -> tuple[float, float] | None:
    """Return the same of a stored game; None without prices from before its start."""
    rows = connection.execute(_MONEYLINES, (game,)).fetchall()
    return chances(match_name, (_decode_odds(odds) for (odds,) in rows))


def _shares(match_name: str, odds: dict[str, float]) -> tuple[float, float] | None:
    whole = sum(1 / price for price in odds.values())
    sides: dict[str, float] = {}
    for text, price in odds.items():
        if outcome := read_selection("moneyline", match_name, text):
            sides[outcome.side] = 1 / price / whole
    return (sides[HOME], sides[AWAY]) if HOME in sides and AWAY in sides else None


class OtherNames:
    """The other names of games, as one recording needs them."""

    def __init__(self, connection: sqlite3.Connection, quotes: Iterable[Quote]) -> None:
        self._connection = connection
        self._quotes = quotes
        self._names: TeamNames | None = None
        self._keys: dict[tuple[str, str], frozenset[Key]] = {}
        self._said: defaultdict[str, list[dict[str, float]]] | None = None

    def find(self, quote: Quote, plain: str, made: Iterable[Dated]) -> tuple[int, bool] | None:
        """Return the row of the game, and whether it has the teams the other way round.

        Args:
            quote: One of a game of which no name is stored; it tells a kick-off.
            plain: Its plain name. Games of that are told apart by their kick-offs (D31).
            made: The games that this recording has made.
        """
        start = quote.match_date
        assert start is not None
        if self._names is None:
            self._names = names_known(self._connection)
        asked = {
            "competitions": json.dumps(self._names.competitions_of(quote.competition)),
            "low": start - SAME_START_MS,
            "high": start + SAME_START_MS,
        }
        about = self._connection.execute(_ABOUT_THEN, asked).fetchall()
        about += [each for each in made if each[4] is not None]
        about.sort(key=lambda each: abs(each[4] - start))
        keys = self._team_keys(quote.competition, quote.match_name)
        for row, competition, its_plain, match_name, kick_off in about:
            is_told_apart = (competition, its_plain) == (quote.competition, plain)
            if is_told_apart or self._team_keys(competition, match_name) != keys:
                continue
            is_crosswise = self._compare(quote, row, competition, match_name, kick_off)
            if is_crosswise is not None:
                return row, is_crosswise
        return None

    def keep(self, quote: Quote, plain: str, row: int, is_crosswise: bool) -> None:
        """Keep the name of a quote as one of a game's."""
        values = (quote.competition, plain, row, quote.match_name, is_crosswise)
        self._connection.execute(_KEEP, values)

    def _team_keys(self, competition: str, match_name: str) -> frozenset[Key]:
        """Return keys that are equal for all names of a game's teams: quicker than comparing."""
        asked = (competition, match_name)
        if asked not in self._keys:
            assert self._names is not None
            pair = teams(match_name) or ()
            self._keys[asked] = frozenset(self._names.key(competition, name) for name in pair)
        return self._keys[asked]

    def _compare(
        self, quote: Quote, row: int, competition: str, match_name: str, kick_off: int
    ) -> bool | None:
        """Return whether a game is the quote's crosswise; None where it is another."""
        assert self._names is not None
        said = Game(quote.competition, quote.match_name, quote.match_date, quote.scraped_at)
        stored = Game(competition, match_name, kick_off, quote.scraped_at)
        if compare(self._names, said, stored).verdict is not Verdict.SAME:
            return None
        said = msgspec.structs.replace(said, chances=self._said_chances(quote.match_name))
        known = stored_chances(self._connection, row, match_name) or self._said_chances(match_name)
        stored = msgspec.structs.replace(stored, chances=known)
        match = compare(self._names, said, stored)
        return match.is_crosswise if match.verdict is Verdict.SAME else None

    def _said_chances(self, match_name: str) -> tuple[float, float] | None:
        """Return the chances by the quotes that are being recorded."""
        if self._said is None:
            self._said = defaultdict(list)
            for quote in self._quotes:
                if quote.market_type == "moneyline" and not (quote.period or quote.is_live):
                    self._said[quote.match_name].append(quote.odds)
        return chances(match_name, self._said[match_name])
