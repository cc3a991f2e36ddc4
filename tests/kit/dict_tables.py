"""An engine made of dicts, in the place of ``Tables``."""

import json
from collections.abc import Collection, Iterable
from copy import copy
from typing import Any

from oddsdesk.matching.names import SameTeam
from oddsdesk.store.databases import (
    LAST_MADE_UP_GAME,
    LAST_REAL_AT,
    LAST_SIMULATED_AT,
    NEWEST_SCRAPED_AT,
)
from oddsdesk.store.games import NO_DATE, Family, NamedGame, NewGame, StoredGame, plain_name
from oddsdesk.store.names import DatedGame
from oddsdesk.store.tables import Changes, Known, Pair, PresentRow

_FIELDS = ("match_date", "match_date_by", "match_date_scraped_at", "first_seen", "last_seen")


class DictTables:
    """The tables of one database by their keys; each change is at once for good."""

    def __init__(self) -> None:
        self.games: dict[int, NewGame] = {}
        self.stored: dict[int, StoredGame] = {}
        self.has_live: dict[int, bool] = {}
        self.recent: set[int] = set()
        self.quotes: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self.closing: dict[tuple[int, str, str, int], int] = {}
        self.log: list[tuple[Any, ...]] = []
        self.coverage: dict[tuple[int, str, bool], tuple[int, int, int]] = {}
        self.sources: dict[tuple[str, str], int] = {}
        self.spans: dict[int, int] = {}
        self.events: dict[str, int] = {}
        self.origins: dict[tuple[int, str, str], bool] = {}
        self.other_names: dict[tuple[str, str, int], tuple[str, bool]] = {}
        self.settings: dict[str, int] = {}

    def bookmakers(self) -> list[str]:
        return sorted({name for name, _ in self.sources})

    def drop_simulated_results(self, *, all_of_them: bool) -> None:
        """Do nothing: results are not among these tables."""

    def games_named(self, families: Collection[Family], low: int, high: int) -> list[NamedGame]:
        def kick_off(row: int) -> int:
            date = self.stored[row].match_date
            return NO_DATE if date is None else date

        found: list[NamedGame] = []
        rows = sorted(self.stored, key=lambda row: (kick_off(row), row))
        rows = [row for row in rows if low <= kick_off(row) <= high or kick_off(row) == NO_DATE]
        for family in families:
            own = [row for row in rows if self._family(row) == family]
            found += [(copy(self.stored[row]), family, None) for row in own]
        for (competition, plain, row), (_, crosswise) in sorted(self.other_names.items()):
            if (competition, plain) in families and row in rows:
                found.append((copy(self.stored[row]), (competition, plain), crosswise))
        for game, _, _ in found:
            game.other_names = {}
        return found

    def _family(self, row: int) -> Family:
        return self.games[row].competition, plain_name(self.games[row].plain_name)

    def game_of_row(self, row: int) -> StoredGame:
        return copy(self.stored[row])

    def is_taken(self, game_id: str) -> bool:
        return any(game.game_id == game_id for game in self.games.values())

    def add_game(self, game: NewGame) -> int:
        row = len(self.games) + 1
        self.games[row] = game
        times = (None, None, None, NO_DATE, 0)
        told = (game.match_name, game.competition, *times, game.sport)
        self.stored[row] = StoredGame(row, *told)
        self.has_live[row] = False
        return row

    def events_of(self, games: Collection[int]) -> list[tuple[int, str]]:
        return [(game, event) for event, game in self.events.items() if game in games]

    def games_between(
        self, competitions: Collection[str], low: int, high: int
    ) -> Iterable[DatedGame]:
        for row, game in self.games.items():
            kick_off = self.stored[row].match_date
            if kick_off is not None and low <= kick_off < high and game.competition in competitions:
                yield DatedGame(row, game.competition, game.plain_name, game.match_name, kick_off)

    def moneylines(self, game: int) -> list[dict[str, float]]:
        return [
            json.loads(values[3])
            for (row, _, market_type, period), values in sorted(self.quotes.items())
            if (row, market_type, period) == (game, "moneyline", 0) and values[3] and not values[0]
        ]

    def props(self, game: int) -> list[dict[str, float]]:
        return [
            json.loads(values[3])
            for (row, _, market_type, _), values in sorted(self.quotes.items())
            if (row, market_type) == (game, "player_prop") and values[3]
        ]

    def same_teams(self) -> list[SameTeam]:
        return []

    def known(self) -> Known:
        newest = self.settings.get(NEWEST_SCRAPED_AT, 0)
        said = [key in self.settings for key in (LAST_REAL_AT, LAST_SIMULATED_AT)]
        return Known((), False, newest, max(self.spans.items(), default=None), *said)

    def last_made_up(self) -> int:
        return self.settings.get(LAST_MADE_UP_GAME, 0)

    def last_game(self) -> int:
        return max(self.games, default=0)

    def log_ends(self) -> dict[int, int]:
        return {0: len(self.log)}

    def standing_quotes(self) -> list[PresentRow]:
        return [(*key, *values, "its place") for key, values in self.quotes.items() if values[3]]

    def present_rows(self, pairs: Collection[Pair]) -> list[PresentRow]:
        return [
            (*key, *values, "its place") for key, values in self.quotes.items() if key[:2] in pairs
        ]

    def write_recording(self, changes: Changes) -> int:
        assert not self.quotes.keys() & {row[:4] for row in changes.new}
        self.quotes.update({row[:4]: row[4:] for row in changes.new})
        for before, row in changes.again:
            assert before == (*row[:4], *self.quotes[row[:4]], "its place")
            self.quotes[row[:4]] = row[4:]
        for scraped_at, *offer, rows in changes.same:
            for row in rows:
                assert row == (*offer, *row[2:4], *self.quotes[row[:4]], "its place")
                self.quotes[row[:4]] = (row[4], scraped_at, *row[6:-1])
        self.closing.update(changes.closing)
        self.log += changes.log
        assert not changes.said
        for row, bookmaker, source, may_share in changes.origins:
            self.origins.setdefault((row, bookmaker, source), may_share)
        for key in [key for key in self.coverage if key[:2] in changes.uncovered]:
            del self.coverage[key]
        self.coverage.update({row[:3]: row[3:] for row in changes.coverage})
        for newest, is_live, row in changes.seen:
            self.stored[row].last_seen = max(self.stored[row].last_seen, newest)
            self.has_live[row] = self.has_live[row] or is_live
        self.recent.update(changes.recent)
        for bookmaker, market_type, newest in changes.sources:
            priced = (bookmaker, market_type)
            self.sources[priced] = max(self.sources.get(priced, 0), newest)
        for game in {game for game, _ in changes.uncovered}:
            self._sum_up(game)
        self._write_games(changes)
        self.settings.update(changes.settings)
        if changes.recorded is not None:
            self.spans.update([changes.recorded])
        return len(self.log)

    def _sum_up(self, game: int) -> None:
        left = {key: sums for key, sums in self.coverage.items() if key[0] == game}
        self.stored[game].last_seen = max((newest for newest, *_ in left.values()), default=0)
        self.has_live[game] = any(is_live for _, _, is_live in left)

    def _write_games(self, changes: Changes) -> None:
        for game in changes.games.moved:
            self.stored[game.row].match_date = game.match_date
        for game in changes.games.dated:
            self.stored[game.row].match_date_by = game.match_date_by
            self.stored[game.row].match_date_scraped_at = game.match_date_scraped_at
        for game in changes.games.begun:
            self.stored[game.row].first_seen = game.first_seen
        for game in changes.games.played:
            self.stored[game.row].sport = game.sport
            self.games[game.row] = self.games[game.row]._replace(sport=game.sport)
        self.events.update(changes.games.events)
        for competition, plain, row, match_name, crosswise in changes.other_names:
            self.other_names[competition, plain, row] = (match_name, crosswise)

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of every table, as the columns of the odds file have them."""
        games = [
            (
                row,
                *game,
                *(getattr(self.stored[row], field) for field in _FIELDS),
                self.has_live[row],
                row in self.recent,
            )
            for row, game in self.games.items()
        ]
        return {
            "game": sorted(games),
            "quote": sorted((*key, *values) for key, values in self.quotes.items()),
            "closing_sighting": sorted((*key, at) for key, at in self.closing.items()),
            "log": [(number, *row) for number, row in enumerate(self.log, 1)],
            "coverage": sorted((*key, *sums) for key, sums in self.coverage.items()),
            "source": sorted((*key, newest) for key, newest in self.sources.items()),
            "recorded": sorted(self.spans.items()),
            "event": sorted(self.events.items()),
            "origin": sorted((*key, may_share) for key, may_share in self.origins.items()),
            "other_name": sorted((*key, *name) for key, name in self.other_names.items()),
            "setting": sorted(self.settings.items()),
        }
