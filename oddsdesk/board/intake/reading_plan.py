"""What each reading of a service costs and how much depends on it; reading of long lists.

Weights are relative: all games together count as much as one that is open, and as the list of
value bets. The rates are those at which prices change by the time to the kick-off.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from typing import Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.polling import Reading, starting_rate
from oddsdesk.base.tasks import in_slices
from oddsdesk.base.text import every
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.board.model.notices import Link, SnapshotProgress
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Budget
from oddsdesk.client.rows import RowSlice
from oddsdesk.client.whole_lists import LIMIT, value_bet_slices
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import HOUR_MS

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
"""The share of price changes that only a reading shows, while changes are streamed."""
_RIGHTS_S: Final = 6 * 3600.0
"""How often it is asked whether the plan has in-play odds."""
_HOUR_S: Final = 3_600
_SECONDS_A_PAGE: Final = 1.0
"""The least time between two readings of a long list: the desk has to take it in, too."""
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
    """Return the name of the job that reads one competition."""
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

    def games_reading(self) -> Reading:
        """Return what the list of games takes."""
        return self._list(GAMES, _LISTS_WEIGHT, _LISTS_CHANGES, self._pace.games_s)

    def value_bets_reading(self) -> Reading:
        """Return what the list of value bets takes: it is not streamed."""
        weight = 1.0 if self.has_bets else 0.0
        return self._list(VALUE_BETS, weight, _IN_PLAY_RATE, self._pace.value_bets_s)

    def rows_reading(self) -> Reading:
        """Return what the prices of all games take."""
        return self._list(ROWS, 1.0, self._mean() * self._unstreamed(), self._pace.rows_s)

    def game_reading(self, game_id: str) -> Reading:
        """Return what an open game takes."""
        entry, now = self._board.games.get(game_id), self._clock()
        kick_off = None if entry is None or entry.is_live else entry.kick_off
        rate = starting_rate(now if kick_off is None else kick_off, now)
        pages = self.pages.get(open_game(game_id), 1)
        return Reading(pages, 1.0, rate * self._unstreamed(), _HOUR_S / self._pace.matrix_s)

    def competition_reading(self, code: str) -> Reading:
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
        parts.append(
            _("changes in between are streamed") if any(parts) and self._is_streamed else ""
        )
        text = "; ".join(part for part in parts if part)
        return f"{text[:1].upper()}{text[1:]}"

    def _prices_in_words(self, periods_s: Mapping[str, float]) -> str:
        said = []
        if ROWS in periods_s and not self._board.snapshot_progress.is_paused:
            count = len({game.competition for game in self._board.games.values()})
            of = ngettext(
                "of {count:,} competition {interval}", "of {count:,} competitions {interval}", count
            )
            said.append(of.format(count=num(count), interval=every([periods_s[ROWS]], translated)))
        if shown := [each for name, each in periods_s.items() if name.startswith(_COMPETITION)]:
            said.append(
                _("of those in the odds grid {interval}").format(interval=every(shown, translated))
            )
        if games := [each for name, each in periods_s.items() if name.startswith(_OPEN_GAME)]:
            said.append(_("of open games {interval}").format(interval=every(games, translated)))
        return _("prices {parts}").format(parts=", ".join(said)) if said else ""

    def _lists_in_words(self, periods_s: Mapping[str, float]) -> str:
        said = []
        if VALUE_BETS in periods_s and self.has_bets:
            said.append(
                _("value bets {interval}").format(
                    interval=every([periods_s[VALUE_BETS]], translated)
                )
            )
        if GAMES in periods_s:
            said.append(
                _("the list of games {interval}").format(
                    interval=every([periods_s[GAMES]], translated)
                )
            )
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


_LOOK_AGAIN_S: Final = 10.0
_SLICE_S: Final = 0.001
"""How long the loop is held at a time: what the stream says goes first."""


class RowReader:
    """Makes passes over every odds row."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, plan: ReadingPlan
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._plan = plan
        self._all = WholeOdds(client, clock=clock)
        self._some: dict[str, WholeOdds] = {}
        """By the code of a competition that is read between passes over all."""
        self._took_ms = 0
        self._going_on = asyncio.Event()
        self._going_on.set()

    def pause(self, paused: bool) -> None:
        """Stop after the request under way, or go on."""
        if paused:
            self._going_on.clear()
        else:
            self._going_on.set()
        self._tell(self._board.snapshot_progress)

    def turn_ms(self) -> int:
        """Return the milliseconds between two readings of a row."""
        return round(self._budget.period_s(ROWS) * 1000) + self._took_ms

    def start_over(self) -> None:
        """Begin the next pass from the start: what was read by now may have changed unheard."""
        self._all.start_over()

    @property
    def began_ms(self) -> int:
        """When the latest pass began, maybe before the quota stopped it for a while."""
        return self._all.began_ms

    async def read_rows(self) -> None:
        """Make one pass; prices become withdrawn that what it read whole does not contain."""
        await self._going_on.wait()
        rows = 0
        async with aclosing(self._all.read()) as slices:
            async for part in slices:
                await in_slices(self._board.merge_rows(part.rows, self.began_ms), _SLICE_S)
                rows += len(part.rows)
                finished_at = self._board.snapshot_progress.finished_at
                self._tell(
                    SnapshotProgress(part.done, part.total, rows, self._all.lacks(), finished_at)
                )
                self._expect(max(self._plan.pages[ROWS], part.total or part.done))
                await self._going_on.wait()
                if part.done != part.total:
                    await self._requests_left()
        done, unread = self._all.requests, self._all.unread
        await in_slices(
            self._board.withdrawing_unheard(self.began_ms, self._all.coverage), _SLICE_S
        )
        self._expect(done)
        self._plan.full_pages[ROWS] = min(done, max(rows / LIMIT, 1))
        self._took_ms = self._clock() - self.began_ms
        self._tell(SnapshotProgress(done, done, rows, unread, self._clock()))

    async def read_competition(self, code: str) -> None:
        """Read the prices of one competition, between passes over all."""
        reading = self._of(code)
        async with aclosing(reading.read()) as slices:
            async for part in slices:
                await in_slices(self._board.merge_rows(part.rows, reading.began_ms), _SLICE_S)
        await in_slices(
            self._board.withdrawing_unheard(reading.began_ms, reading.coverage), _SLICE_S
        )
        self._plan.pages[watched_competition(code)] = reading.requests

    async def read_game(self, game: GameEntry) -> int:
        """Read the prices of one game among those of its competition; return when it began."""
        reading = self._of(game.competition)
        async with aclosing(reading.read()) as slices:
            async for part in slices:
                rows = [row for row in part.rows if row.match_name == game.match_name]
                await in_slices(self._board.merge_rows(rows, reading.began_ms), _SLICE_S)
        await in_slices(
            self._board.withdrawing_unheard(reading.began_ms, reading.coverage, game.game_id),
            _SLICE_S,
        )
        self._plan.pages[open_game(game.game_id)] = reading.requests
        return reading.began_ms

    def _of(self, code: str) -> WholeOdds:
        """Return what reads a competition, and knows how it is cut."""
        if code not in self._some:
            filters = RowSlice(competition=code)
            self._some[code] = WholeOdds(self._client, filters, clock=self._clock)
        return self._some[code]

    async def _requests_left(self) -> None:
        """Wait until more are left than what is kept for games that the user opens."""
        while True:
            if self._budget.spendable >= 1:
                return
            await asyncio.sleep(_LOOK_AGAIN_S)

    def _expect(self, requests: int) -> None:
        self._plan.pages[ROWS] = requests

    def _tell(self, snapshot_progress: SnapshotProgress) -> None:
        is_paused = not self._going_on.is_set()
        self._board.set_snapshot_progress(
            msgspec.structs.replace(snapshot_progress, is_paused=is_paused)
        )


_MOST_PAGES: Final = 100
_MOST_OF_LEFT: Final = 0.1
_MOST_BETS: Final = 20_000
"""The list is taken as cut where a service has more."""


class BetReader:
    """Reads the whole list, or as much of it as the requests left allow."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, plan: ReadingPlan
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._plan = plan

    async def read_bets(self) -> None:
        """Read every page and judge it; the first time, the first page is shown at once."""
        asked_at, bets, pages, is_cut = self._clock(), list[ValueBet](), 0, False
        most, is_first = self._most_pages(), self._board.values.read_at is None
        async with aclosing(value_bet_slices(self._client)) as slices:
            async for part in slices:
                if is_first and not pages:
                    await in_slices(self._board.merge_value_bets(part.bets, asked_at))
                bets += part.bets
                is_cut |= part.is_cut
                pages += 1
                is_full = pages == most and len(part.bets) >= LIMIT
                if is_full or len(bets) >= _MOST_BETS:
                    is_cut = True
                    break
        await in_slices(self._board.merge_value_bets(bets, asked_at, is_cut=is_cut))
        self._plan.pages[VALUE_BETS] = pages

    def _most_pages(self) -> int:
        """Return the pages that one pass may read: a tenth of the requests that are left."""
        return max(1, int(min(_MOST_PAGES, self._budget.spendable * _MOST_OF_LEFT)))
