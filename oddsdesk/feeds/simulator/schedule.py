"""Which games there are: pairings and kick-offs at the start and as games end."""

import math
from collections.abc import Iterator
from random import Random

import msgspec

from oddsdesk.feeds.simulator.fixtures import Competition
from oddsdesk.feeds.simulator.game import Contest, Game
from oddsdesk.feeds.simulator.race import Race
from oddsdesk.feeds.simulator.race_markets import Prop
from oddsdesk.feeds.simulator.sports import MINUTE_MS
from oddsdesk.feeds.simulator.tennis import TennisMatch

_SLOT_MS = 5 * MINUTE_MS
_SOONEST_MINUTES = 12.0
_LATEST_MINUTES = 72.0 * 60
_SOON_MINUTES = (8.0, 45.0)
_BUSY = 14
"""So many games in play or about to start, and no more are called up early."""
_PROPS = {
    "Basketball": (("points", 22.0), ("rebounds", 8.5), ("assists", 6.5)),
    "Hockey": (("shots on goal", 2.9), ("points", 1.1)),
    "Baseball": (("strikeouts", 5.6), ("total bases", 1.7)),
}
_PLAYERS_A_GAME = 3


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

    def make_game(self, slot: Slot) -> Game:
        """Pair two free teams of the competition."""
        competition = slot.competition
        home, away = self._pair(competition)
        ratings = _rating(competition, home), _rating(competition, away)
        contest = self._contest(competition.sport, (home, away), ratings)
        return Game(competition, f"{home} vs {away}", slot.kickoff_ms, contest)

    def release(self, game: Game) -> None:
        """Let the teams of an ended game play again."""
        self._busy -= {(game.competition.code, team) for team in game.match_name.split(" vs ")}

    def _contest(self, sport: str, names: tuple[str, str], ratings: tuple[float, float]) -> Contest:
        if sport == "Tennis":
            return TennisMatch(names, ratings)
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
    """Return a kick-off at a round time, so many minutes from now."""
    return math.ceil((now_ms + minutes * MINUTE_MS) / _SLOT_MS) * _SLOT_MS


def _rating(competition: Competition, team: str) -> float:
    """Return how strong a team is, from 1 for the first of the list to -1."""
    return 1 - 2 * competition.teams.index(team) / (len(competition.teams) - 1)
