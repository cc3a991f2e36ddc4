"""A tennis match, best of three sets, modelled game by game."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from random import Random

from oddsdesk.feeds.simulator.groups import (
    Axis,
    MarketKey,
    Markets,
    Step,
    handicaps,
    offered,
    over_under,
    two_way,
)
from oddsdesk.feeds.simulator.race_markets import LineKeeper
from oddsdesk.feeds.simulator.score import Score
from oddsdesk.feeds.simulator.sports import MINUTE_MS
from oddsdesk.feeds.simulator.tally import Table

Games = tuple[int, int]
SetScores = tuple[tuple[Games, float], ...]

_STRENGTH = 0.035
_DRIFT = 0.0008
_SETS_TO_WIN = 2
_MOST_GAMES = 39
_STEPS = (Step(-2, 2), Step(-1, 1), Step(0, 0), Step(1, 1), Step(2, 2))
_ONE = (Step(0, 0),)


class TennisMatch:
    """The true state of a match; ``ratings`` lie in -1..1."""

    def __init__(self, names: tuple[str, str], ratings: tuple[float, float]) -> None:
        self._names = names
        self._edge = _STRENGTH * (ratings[0] - ratings[1])
        self._lines = LineKeeper()
        self._next_game_ms = 4 * MINUTE_MS
        self._behind: Games = (0, 0)
        self.sets: Games = (0, 0)
        self.games: Games = (0, 0)

    @property
    def over(self) -> bool:
        """Whether one side has won its two sets."""
        return _SETS_TO_WIN in self.sets

    @property
    def longest_ms(self) -> int:
        """How long after its start a match is surely still on: 12 games of 4 minutes."""
        return 47 * MINUTE_MS

    def drift(self, random: Random) -> None:
        """Let the market's opinion wander before the match."""
        self._edge += random.gauss(0, _DRIFT)

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on until so long after the start; return whether a set ended meanwhile."""
        ended = False
        while elapsed_ms >= self._next_game_ms and not self.over:
            ended = self._play_game(random.random() < self._chance) or ended
            self._next_game_ms += round(random.uniform(3, 5.2) * MINUTE_MS)
        return ended

    def markets(self, live: bool) -> Markets:
        """Return every market that can be priced now, with its true probabilities."""
        if self.over:
            return {}
        fresh = set_scores(self._chance, (0, 0))
        running = set_scores(self._chance, self.games)
        endings = _endings(self.sets, self._behind, running, fresh)
        home, away = self._names
        wins = sum(chance for (sets, _), chance in endings.items() if sets[0] == _SETS_TO_WIN)
        third = sum(chance for (sets, _), chance in endings.items() if sum(sets) == 3)
        score = _score([(games, chance) for (_, games), chance in endings.items()])
        markets = {
            MarketKey("moneyline", 0): offered([two_way(home, away, wins, Axis.SIDE)]),
            **self._game_lines(score, 0, _STEPS),
            MarketKey("yes_no", 0): offered(
                [two_way("Third set Yes", "Third set No", third, Axis.SIZE)]
            ),
        }
        if not live:
            markets.update(self._game_lines(_score(fresh), 1, _ONE))
        present = sum(self.sets) + 1
        for number in range(present, _SETS_TO_WIN + 1):
            scores = running if number == present else fresh
            takes = sum(chance for (ours, theirs), chance in scores if ours > theirs)
            markets[MarketKey("moneyline", number)] = offered(
                [two_way(home, away, takes, Axis.SIDE)]
            )
        return {key: groups for key, groups in markets.items() if groups}

    @property
    def _chance(self) -> float:
        """Probability that the first player wins a game, in steps that make caching pay."""
        return round(min(max(0.5 + self._edge, 0.41), 0.59), 3)

    def _play_game(self, won: bool) -> bool:
        ours, theirs = self.games
        self.games = (ours + 1, theirs) if won else (ours, theirs + 1)
        if not _set_over(*self.games):
            return False
        self._behind = (self._behind[0] + self.games[0], self._behind[1] + self.games[1])
        self.sets = (self.sets[0] + won, self.sets[1] + (not won))
        self.games = (0, 0)
        return True

    def _game_lines(self, score: Score, period: int, steps: tuple[Step, ...]) -> Markets:
        total = self._lines.total(f"total {period}", score.total)
        line = self._lines.handicap(f"handicap {period}", score.margin)
        return {
            MarketKey("total_games", period): over_under(score.total, total, steps),
            MarketKey("games_handicap", period): handicaps(*self._names, score.margin, line, steps),
        }


@lru_cache(maxsize=512)
def set_scores(chance: float, games: Games) -> SetScores:
    """Return how a set that stands at ``games`` may end, with probabilities."""
    running = {games: 1.0}
    ended: dict[Games, float] = defaultdict(float)
    while running:
        following: dict[Games, float] = defaultdict(float)
        for (ours, theirs), probability in running.items():
            for state, share in (((ours + 1, theirs), chance), ((ours, theirs + 1), 1 - chance)):
                target = ended if _set_over(*state) else following
                target[state] += probability * share
        running = following
    return tuple(ended.items())


def _set_over(ours: int, theirs: int) -> bool:
    most, least = max(ours, theirs), min(ours, theirs)
    return most == 7 or (most == 6 and least <= 4)


def _endings(
    sets: Games, behind: Games, running: SetScores, fresh: SetScores
) -> dict[tuple[Games, Games], float]:
    """Return the final (sets, games) of a match with their probabilities."""
    open_states = {(sets, behind): 1.0}
    ended: dict[tuple[Games, Games], float] = defaultdict(float)
    scores = running
    while open_states:
        following: dict[tuple[Games, Games], float] = defaultdict(float)
        for ((won, lost), (ours, theirs)), probability in open_states.items():
            for (plus, minus), chance in scores:
                after = (won + 1, lost) if plus > minus else (won, lost + 1)
                target = ended if _SETS_TO_WIN in after else following
                target[after, (ours + plus, theirs + minus)] += probability * chance
        open_states, scores = following, fresh
    return ended


def _score(endings: Iterable[tuple[Games, float]]) -> Score:
    """Return the distributions of games won, from the probabilities of final games."""
    margin = [0.0] * (2 * _MOST_GAMES + 1)
    total, home, away = ([0.0] * (_MOST_GAMES + 1) for _ in range(3))
    for (ours, theirs), chance in endings:
        margin[ours - theirs + _MOST_GAMES] += chance
        total[ours + theirs] += chance
        home[ours] += chance
        away[theirs] += chance
    return Score(Table(margin, -_MOST_GAMES), Table(total), Table(home), Table(away))
