"""A game of the simulator: its clock, its true state and what the market knows of it when."""

import math
from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Protocol

import msgspec

from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.feeds.simulator.contests import Prop, Race, Standing, TennisMatch
from oddsdesk.feeds.simulator.fixtures import MINUTE_MS, Competition
from oddsdesk.feeds.simulator.groups import Markets

_REMEMBERED = 16
_LIVE_PAUSE_MS = (10_000, 25_000)
_NEWS_MS = MINUTE_MS
"""The shortest time between two reports of a score in play."""


class Contest(Protocol):
    """The true state of a game in some sport."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""

    @property
    def longest_ms(self) -> int:
        """How long after its start it is surely still on."""

    def drift(self, random: Random) -> None:
        """Let opinions wander before the start."""

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on; return whether something happened that suspends prices."""

    def markets(self, live: bool) -> Markets:
        """Return the markets that can be priced, with true probabilities."""

    def standing(self) -> Standing:
        """Return the score, once it has begun."""


class View(msgspec.Struct, frozen=True):
    """What was true from a time on; ``serial`` differs for every view of a game."""

    at_ms: int
    serial: int
    live: bool
    markets: Markets


class Game:
    """A fixture with its contest; times in milliseconds.

    One that ``gets_postponed`` does not begin at its kick-off: it is over then, and maybe played
    at another time (``again``).
    """

    def __init__(
        self,
        competition: Competition,
        match_name: str,
        kickoff_ms: int,
        contest: Contest,
        *,
        gets_postponed: bool = False,
    ) -> None:
        self.competition = competition
        self.match_name = match_name
        self.kickoff_ms = kickoff_ms
        self.live = False
        self.postponed = False
        self._gets_postponed = gets_postponed
        self._reported: GameResult | None = None
        self._contest = contest
        self._serial = 0
        self._suspended_until_ms = 0
        self._views: deque[View] = deque(maxlen=_REMEMBERED)

    @property
    def over(self) -> bool:
        """Whether the game has ended, or was postponed."""
        return self.postponed or self._contest.over

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
        if now_ms >= self.kickoff_ms and self._gets_postponed:
            self.postponed = True
        elif now_ms >= self.kickoff_ms:
            self._play(now_ms, random)
        elif self._views:
            self._contest.drift(random)
        self._serial += 1
        markets = self._contest.markets(self.live)
        self._views.append(View(now_ms, self._serial, self.live, markets))
        return self._next_ms(now_ms, random)

    def news(self, now_ms: int) -> list[GameResult]:
        """Return the result if it differs from the last one; scores in play once a minute."""
        if self.postponed:
            return [self.result(GameStatus.POSTPONED, now_ms)]
        if not self.live:
            return []
        said, before = self._contest.standing(), self._reported
        found = msgspec.structs.replace(
            self.result(said.status, now_ms),
            home=said.home,
            away=said.away,
            periods=said.periods,
            overtime=said.overtime,
        )
        if before is not None and not self.over:
            is_same = msgspec.structs.replace(before, reported_at=now_ms) == found
            if is_same or now_ms < before.reported_at + _NEWS_MS:
                return []
        self._reported = found
        return [found]

    def result(self, status: GameStatus, now_ms: int) -> GameResult:
        """Return a result without a score."""
        return GameResult(
            self.competition.code,
            self.match_name,
            self.kickoff_ms,
            sport=self.competition.sport,
            status=status,
            reported_at=now_ms,
            simulated=True,
        )

    def again(self, kickoff_ms: int) -> "Game":
        """Return the game at its new time, after it was postponed."""
        return Game(self.competition, self.match_name, kickoff_ms, self._contest)

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
        if to_start < HOUR_MS:
            pause = random.uniform(1, 2.5)
        elif to_start < 6 * HOUR_MS:
            pause = random.uniform(3, 8)
        else:
            pause = random.uniform(8, 25)
        return min(now_ms + round(pause * MINUTE_MS), self.kickoff_ms)


_SLOT_MS = 5 * MINUTE_MS
_SOONEST_MINUTES = 12.0
_LATEST_MINUTES = 72.0 * 60
_SOON_MINUTES = (8.0, 45.0)
_BUSY = 14
"""With this many games in play or about to start, none is moved forward."""
_PROPS = {
    "Basketball": (("points", 22.0), ("rebounds", 8.5), ("assists", 6.5)),
    "Hockey": (("shots on goal", 2.9), ("points", 1.1)),
    "Baseball": (("strikeouts", 5.6), ("total bases", 1.7)),
}
_PLAYERS_A_GAME = 3
_POSTPONED_SHARE = 0.02
_CANCELLED_SHARE = 0.3
"""Of the postponed games."""
_RETIRED_SHARE = 0.03
"""Of tennis matches, except for those that end before."""
_GAMES_BEFORE = (2, 22)
"""After how many games a tennis player retires."""
_UNDECIDED_MINUTES = (30.0, 240.0)
"""How long it is not known when a postponed game is played."""
_MOVED_MINUTES = (16.0 * 60, 72.0 * 60)
"""How much later it is played."""


class Slot(msgspec.Struct, frozen=True):
    """A game to be made: where and when."""

    competition: Competition
    kickoff_ms: int


class Schedule:
    """Makes games; never twice the same pairing of a competition until all were used."""

    def __init__(self, players: tuple[str, ...], random: Random) -> None:
        self._players = players
        self._random = random
        self._busy: set[tuple[str, str]] = set()
        self._used: set[tuple[str, str]] = set()

    def first_slots(self, competitions: tuple[Competition, ...], now_ms: int) -> list[Slot]:
        """Return the games of the start, in the order of kick-off: those in play first."""
        slots = [
            Slot(competition, self._first_kickoff(competition, number < competition.live, now_ms))
            for competition in competitions
            for number in range(competition.games)
        ]
        return sorted(slots, key=lambda slot: slot.kickoff_ms)

    def following_slot(self, ended: Game, games: list[Game], now_ms: int) -> Slot:
        """Return when the game that takes the place of an ended one starts."""
        soon = now_ms + round(_SOON_MINUTES[1] * MINUTE_MS)
        if sum(game.kickoff_ms <= soon for game in games) < _BUSY:
            minutes = self._random.uniform(*_SOON_MINUTES)
        else:
            minutes = self._spread()
        return Slot(ended.competition, _slot(now_ms, minutes))

    def make_game(self, slot: Slot, now_ms: int) -> Game:
        """Pair two free teams of the competition; a game that has begun is not postponed."""
        competition = slot.competition
        home, away = self._pair(competition)
        ratings = _rating(competition, home), _rating(competition, away)
        contest = self._contest(competition.sport, (home, away), ratings)
        gets_postponed = self._random.random() < _POSTPONED_SHARE and slot.kickoff_ms > now_ms
        name = f"{home} vs {away}"
        return Game(competition, name, slot.kickoff_ms, contest, gets_postponed=gets_postponed)

    def decided_ms(self, now_ms: int) -> int:
        """Return when it will be known what becomes of a game that was just postponed."""
        return now_ms + round(self._random.uniform(*_UNDECIDED_MINUTES) * MINUTE_MS)

    def new_date(self, game: Game, now_ms: int) -> Game | None:
        """Return a postponed game at its new time; None if it is cancelled."""
        if self._random.random() < _CANCELLED_SHARE:
            return None
        return game.again(_slot(now_ms, self._random.uniform(*_MOVED_MINUTES)))

    def release_due(self, game: Game) -> None:
        """Let the teams of an ended game play again."""
        self._busy -= {(game.competition.code, team) for team in game.match_name.split(" vs ")}

    def _contest(self, sport: str, names: tuple[str, str], ratings: tuple[float, float]) -> Contest:
        if sport == "Tennis":
            retires = self._random.random() < _RETIRED_SHARE
            after = self._random.randint(*_GAMES_BEFORE) if retires else None
            return TennisMatch(names, ratings, after)
        return Race(sport, names, ratings, list(self._props(sport)))

    def _props(self, sport: str) -> Iterator[Prop]:
        stats = _PROPS.get(sport)
        if stats is None:
            return
        for player in self._random.sample(self._players, _PLAYERS_A_GAME):
            stat, mean = self._random.choice(stats)
            yield Prop(f"{player} {stat}", mean * self._random.uniform(0.75, 1.25))

    def _pair(self, competition: Competition) -> tuple[str, str]:
        code = competition.code
        free = [team for team in competition.teams if (code, team) not in self._busy]
        pairs = [(home, away) for home in free for away in free if home != away]
        unused = [pair for pair in pairs if (code, " vs ".join(pair)) not in self._used]
        if not unused:
            self._used = {entry for entry in self._used if entry[0] != code}
        home, away = self._random.choice(unused or pairs)
        self._used.add((code, f"{home} vs {away}"))
        self._busy |= {(code, home), (code, away)}
        return home, away

    def _first_kickoff(self, competition: Competition, live: bool, now_ms: int) -> int:
        if live:
            longest = 40 if competition.sport == "Tennis" else 75
            return _slot(now_ms, -self._random.uniform(8, longest))
        return _slot(now_ms, self._spread())

    def _spread(self) -> float:
        low, high = math.log(_SOONEST_MINUTES), math.log(_LATEST_MINUTES)
        return math.exp(self._random.uniform(low, high))


def _slot(now_ms: int, minutes: float) -> int:
    """Return a kick-off at a round time, about this many minutes from now."""
    return math.ceil((now_ms + minutes * MINUTE_MS) / _SLOT_MS) * _SLOT_MS


def _rating(competition: Competition, team: str) -> float:
    """Return how strong a team is, from 1 for the first of the list to -1."""
    return 1 - 2 * competition.teams.index(team) / (len(competition.teams) - 1)
