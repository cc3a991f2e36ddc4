"""What each reading of a service costs and how much depends on it, and the plan in words (D68).

Weights are relative: all games together count as much as one that is open, and as the list of
value bets. The rates are those at which prices change by the time to the kick-off.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.games import GameEntry
from oddsdesk.change_rates import HOUR_MS, starting_rate
from oddsdesk.clock import Clock
from oddsdesk.interval_words import every
from oddsdesk.poll_rates import Reading

GAMES: Final = "games"
VALUE_BETS: Final = "value bets"
ROWS: Final = "rows"
RIGHTS: Final = "in-play odds"
"""Names of jobs in ``Poller`` and ``Budget``; of an open game it is ``matrix GAME``, and of a
competition that the odds grid shows ``competition CODE``."""
_OPEN_GAME: Final = "matrix "
_COMPETITION: Final = "competition "

_LISTS_WEIGHT: Final = 0.3
_LISTS_CHANGES: Final = 0.03
"""An hour: games come, are moved and begin more seldom than their prices change."""
_IN_PLAY_RATE: Final = starting_rate(0, 0)
_STREAMED: Final = 0.1
"""The share of what prices do that only a reading tells of, while changes are streamed."""
_RIGHTS_S: Final = 6 * 3600.0
"""How often it is asked whether the plan has in-play odds."""
_HOUR_S: Final = 3_600
_SECONDS_A_PAGE: Final = 1.0
"""At least so many lie between two readings of a long list: the desk has to take it in, too."""
_SLOWEST_S: Final = 300.0
"""However long a list is, it is read that often where requests are plenty: a price that nobody has
seen for 10 minutes is dead."""
_RECKONED_MS: Final = 30_000


class Pace(msgspec.Struct, frozen=True):
    """How many seconds lie between two reads at least; as many as it has pages, of a long list."""

    games_s: float = 10.0
    matrix_s: float = 10.0
    value_bets_s: float = 5.0
    rows_s: float = 10.0
    health_s: float = 15.0


def open_game(game_id: str) -> str:
    """Return the name of the job that reads an open game."""
    return f"{_OPEN_GAME}{game_id}"


def watched_competition(code: str) -> str:
    """Return the name of the job that reads a competition beside all others."""
    return f"{_COMPETITION}{code}"


class ReadingPlan:
    """Knows how many requests each reading of the board takes, and what depends on it."""

    def __init__(self, board: Board, clock: Clock, pace: Pace) -> None:
        self.pages = {GAMES: 1, VALUE_BETS: 1, ROWS: 1}
        """How many requests a reading took the last time, by job; 1 where it is missing."""
        self.full_pages: dict[str, float] = {}
        """How many pages its items fill, where they came in shorter answers."""
        self._board = board
        self._clock = clock
        self._pace = pace
        self._mean_rate = _IN_PLAY_RATE
        self._reckoned_ms = 0

    def games(self) -> Reading:
        """Return what the list of games takes."""
        return self._list(GAMES, _LISTS_WEIGHT, _LISTS_CHANGES, self._pace.games_s)

    def value_bets(self) -> Reading:
        """Return what the list of value bets takes: no stream tells of them."""
        weight = 1.0 if self.has_bets else 0.0
        return self._list(VALUE_BETS, weight, _IN_PLAY_RATE, self._pace.value_bets_s)

    def rows(self) -> Reading:
        """Return what the prices of all games take."""
        return self._list(ROWS, 1.0, self._mean() * self._unstreamed(), self._pace.rows_s)

    def game(self, game_id: str) -> Reading:
        """Return what an open game takes."""
        entry, now = self._board.games.get(game_id), self._clock()
        kick_off = None if entry is None or entry.is_live else entry.kick_off
        rate = starting_rate(now if kick_off is None else kick_off, now)
        pages = self.pages.get(open_game(game_id), 1)
        return Reading(pages, 1.0, rate * self._unstreamed(), _HOUR_S / self._pace.matrix_s)

    def competition(self, code: str) -> Reading:
        """Return what the prices of a competition take that the odds grid shows."""
        games = [each for each in self._board.games.values() if each.competition == code]
        changes = self._mean_of(games) * self._unstreamed()
        return self._list(watched_competition(code), 1.0, changes, self._pace.rows_s)

    def rights(self) -> Reading:
        """Return what it takes to know whether the plan has in-play odds."""
        return Reading(1, _LISTS_WEIGHT, _LISTS_CHANGES, _HOUR_S / _RIGHTS_S)

    def in_words(self, periods_s: Mapping[str, float]) -> str:
        """Say how often what is read, prices up to the first semicolon; empty for nothing."""
        parts = [self._prices_in_words(periods_s), self._lists_in_words(periods_s)]
        parts.append("changes between are streamed" if any(parts) and self._is_streamed else "")
        text = "; ".join(part for part in parts if part)
        return f"{text[:1].upper()}{text[1:]}"

    def _prices_in_words(self, periods_s: Mapping[str, float]) -> str:
        said = []
        if ROWS in periods_s and not self._board.snapshot_progress.is_paused:
            count = len({game.competition for game in self._board.games.values()})
            of = f"of {count:,} competition{'' if count == 1 else 's'}"
            said.append(f"{of} {every([periods_s[ROWS]])}")
        if shown := [each for name, each in periods_s.items() if name.startswith(_COMPETITION)]:
            said.append(f"of those in the odds grid {every(shown)}")
        if games := [each for name, each in periods_s.items() if name.startswith(_OPEN_GAME)]:
            said.append(f"of open games {every(games)}")
        return f"prices {', '.join(said)}" if said else ""

    def _lists_in_words(self, periods_s: Mapping[str, float]) -> str:
        said = []
        if VALUE_BETS in periods_s and self.has_bets:
            said.append(f"value bets {every([periods_s[VALUE_BETS]])}")
        if GAMES in periods_s:
            said.append(f"the list of games {every([periods_s[GAMES]])}")
        return ", ".join(said)

    @property
    def has_bets(self) -> bool:
        """Whether the key's plan has value bets, as far as it is known."""
        return self._board.connection.has_value_bets is not False

    def _list(self, name: str, weight: float, changes: float, least_s: float) -> Reading:
        pages = self.pages.get(name, 1)
        full = self.full_pages.get(name, pages)
        most = _HOUR_S / max(least_s, min(full * _SECONDS_A_PAGE, _SLOWEST_S))
        return Reading(pages, weight, changes, most)

    @property
    def _is_streamed(self) -> bool:
        return self._board.connection.link is Link.LIVE

    def _unstreamed(self) -> float:
        return _STREAMED if self._is_streamed else 1.0

    def _mean(self) -> float:
        """Return the rate of a price of any game; reckoned twice a minute, there may be many."""
        now = self._clock()
        if abs(now - self._reckoned_ms) >= _RECKONED_MS:
            self._mean_rate = self._mean_of(self._board.games.values())
            self._reckoned_ms = now
        return self._mean_rate

    def _mean_of(self, games: Iterable[GameEntry]) -> float:
        now = self._clock()
        rates = [
            starting_rate(now if each.is_live else each.kick_off or now + HOUR_MS, now)
            for each in games
        ]
        return sum(rates) / len(rates) if rates else _IN_PLAY_RATE
