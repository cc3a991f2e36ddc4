"""A game of the simulator: its clock, its true state and what the market knows of it when."""

from collections import deque
from random import Random
from typing import Protocol

import msgspec

from oddsdesk.feeds.simulator.fixtures import Competition
from oddsdesk.feeds.simulator.groups import Markets
from oddsdesk.feeds.simulator.sports import MINUTE_MS

_REMEMBERED = 16
_LIVE_PAUSE_MS = (10_000, 25_000)
_HOUR_MS = 60 * MINUTE_MS


class Contest(Protocol):
    """The true state of a game in some sport."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        ...

    @property
    def longest_ms(self) -> int:
        """How long after its start it is surely still on."""
        ...

    def drift(self, random: Random) -> None:
        """Let opinions wander before the start."""
        ...

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on; return whether something happened that suspends prices."""
        ...

    def markets(self, live: bool) -> Markets:
        """Return the markets that can be priced, with true probabilities."""
        ...


class View(msgspec.Struct, frozen=True):
    """What was true from a time on; ``serial`` differs for every view of a game."""

    at_ms: int
    serial: int
    live: bool
    markets: Markets


class Game:
    """A fixture with its contest; times in milliseconds."""

    def __init__(
        self, competition: Competition, match_name: str, kickoff_ms: int, contest: Contest
    ) -> None:
        self.competition = competition
        self.match_name = match_name
        self.kickoff_ms = kickoff_ms
        self.live = False
        self._contest = contest
        self._serial = 0
        self._suspended_until_ms = 0
        self._views: deque[View] = deque(maxlen=_REMEMBERED)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._contest.over

    def suspended(self, now_ms: int) -> bool:
        """Whether bookmakers take no bets just now."""
        return now_ms < self._suspended_until_ms

    def view(self, at_ms: int) -> View:
        """Return what was known at a time, or the oldest that is remembered."""
        for view in reversed(self._views):
            if view.at_ms <= at_ms:
                return view
        return self._views[0]

    def advance(self, now_ms: int, random: Random) -> int:
        """Move on to the present; return when to move on again."""
        if now_ms >= self.kickoff_ms:
            self._play(now_ms, random)
        elif self._views:
            self._contest.drift(random)
        self._serial += 1
        markets = self._contest.markets(self.live)
        self._views.append(View(now_ms, self._serial, self.live, markets))
        return self._next_ms(now_ms, random)

    def _play(self, now_ms: int, random: Random) -> None:
        shock = self._contest.play(random, now_ms - self.kickoff_ms)
        if shock and self.live:
            self._suspended_until_ms = now_ms + round(random.uniform(20_000, 45_000))
        if shock or not self.live:
            self._views.clear()
        self.live = True

    def _next_ms(self, now_ms: int, random: Random) -> int:
        if self.live:
            return now_ms + round(random.uniform(*_LIVE_PAUSE_MS))
        to_start = self.kickoff_ms - now_ms
        if to_start < _HOUR_MS:
            pause = random.uniform(1, 2.5)
        elif to_start < 6 * _HOUR_MS:
            pause = random.uniform(3, 8)
        else:
            pause = random.uniform(8, 25)
        return min(now_ms + round(pause * MINUTE_MS), self.kickoff_ms)
