"""Which markets a scoring sport has, and their line groups from one score."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.results import REGULAR_PERIODS, GameStatus, PeriodScore
from oddsdesk.feeds.simulator.fixtures import MINUTE_MS, RULES, Rules
from oddsdesk.feeds.simulator.groups import (
    Axis,
    Bell,
    Group,
    MarketKey,
    Markets,
    Step,
    Table,
    Tally,
    above,
    beats,
    double_chance,
    even_line,
    handicaps,
    offered,
    over_under,
    poisson,
    signed,
    three_way,
    two_way,
)


class Score(msgspec.Struct, frozen=True):
    """How a game, or a part of one, may end; ``margin`` is home minus away."""

    margin: Tally
    total: Tally
    home: Tally
    away: Tally

    @property
    def both_score(self) -> float:
        """Probability that each side scores, the two sides being independent."""
        return self.home.at_least(1) * self.away.at_least(1)


def final_score(
    rules: Rules, means: tuple[float, float], share: float, now: tuple[int, int] = (0, 0)
) -> Score:
    """Return the score after ``share`` of a whole game is played on from the present score.

    ``means`` are what the sides score in a whole game.
    """
    home_mean, away_mean = (max(mean * share, 1e-4) for mean in means)
    if rules.margin_sd:
        return _points(rules, home_mean, away_mean, share, now)
    return goals(poisson(home_mean), poisson(away_mean), now)


def goals(home: list[float], away: list[float], now: tuple[int, int] = (0, 0)) -> Score:
    """Return the score of two sides that score independently, from their tables."""
    margin = [0.0] * (len(home) + len(away) - 1)
    total = margin.copy()
    shift = len(away) - 1
    for scored, home_chance in enumerate(home):
        for conceded, away_chance in enumerate(away):
            chance = home_chance * away_chance
            margin[scored - conceded + shift] += chance
            total[scored + conceded] += chance
    return Score(
        margin=Table(margin, now[0] - now[1] - shift),
        total=Table(total, sum(now)),
        home=Table(home, now[0]),
        away=Table(away, now[1]),
    )


def _points(rules: Rules, home: float, away: float, share: float, now: tuple[int, int]) -> Score:
    scatter = math.sqrt(max(share, 0.0))
    side_sd = math.hypot(rules.margin_sd, rules.total_sd) / 2 * scatter
    return Score(
        margin=Bell(now[0] - now[1] + home - away, rules.margin_sd * scatter),
        total=Bell(sum(now) + home + away, rules.total_sd * scatter),
        home=Bell(now[0] + home, side_sd),
        away=Bell(now[1] + away, side_sd),
    )


_ASIAN: Final = (
    Step(-1, 1), Step(-0.5, 2, True), Step(-0.25, 2, True), Step(0, 0),
    Step(0.25, 2, True), Step(0.5, 2, True), Step(1, 1),
)  # fmt: skip
_HALF: Final = (Step(-2, 2), Step(-1, 1), Step(0, 0), Step(1, 1), Step(2, 2))
_WIDE: Final = (Step(-4, 2), Step(-2, 1), Step(0, 0), Step(2, 1), Step(4, 2))
_SIDE: Final = (Step(-1, 1), Step(0, 0), Step(1, 1))
_ONE: Final = (Step(0, 0),)


class Prop(NamedTuple):
    """A player and what he does how often a game, such as ``points``."""

    subject: str
    mean: float


class Layout(msgspec.Struct, frozen=True):
    """The markets of a sport; ``periods`` are the parts that are priced on their own.

    ``draw`` prices the draw; without it a tie goes on until it is decided.
    """

    draw: bool
    periods: tuple[int, ...]
    steps: tuple[Step, ...]
    part_draw: bool = False
    football: bool = False
    regulation: bool = False
    """Both the two-way result with overtime and the three-way one without it."""
    extra_time: bool = False
    team_totals: bool = True


LAYOUTS: Final = MappingProxyType(
    {
        "Football": Layout(True, (1, 2), _ASIAN, part_draw=True, football=True),
        "Hockey": Layout(False, (1, 2, 3), _HALF, part_draw=True, regulation=True, extra_time=True),
        "Baseball": Layout(False, (), _HALF, extra_time=True),
        "Basketball": Layout(False, (1, 2, 3, 4), _WIDE, extra_time=True),
        "AmericanFootball": Layout(False, (1,), _HALF, extra_time=True),
        "Rugby": Layout(False, (1,), _WIDE),
        "Other": Layout(True, (1,), _HALF, part_draw=True, team_totals=False),
    }
)

LEAST_EVEN: Final = 0.36
"""The main line moves on once its less probable side is below this."""


class LineKeeper:
    """Keeps the main line of a market where it is until it is no longer near even."""

    def __init__(self) -> None:
        self._centres: dict[str, float] = {}

    def total(self, name: str, tally: Tally) -> float:
        """Return the main line of a total."""
        centre = self._centres.get(name)
        if centre is None or abs(beats(tally, centre) - 0.5) > 0.5 - LEAST_EVEN:
            centre = self._centres[name] = even_line(tally)
        return centre

    def handicap(self, name: str, margin: Tally) -> float:
        """Return the main handicap, the line of the home side."""
        return -self.total(name, margin)


def race_markets(
    layout: Layout,
    names: tuple[str, str],
    lines: LineKeeper,
    whole: Score,
    parts: Mapping[int, Score],
    props: Sequence[Prop],
) -> Markets:
    """Return the markets of the whole game, of the parts to come and of players."""
    markets = dict(_results(layout, names, whole))
    markets.update(_line_markets(layout, names, lines, whole, 0, layout.steps))
    if layout.football:
        markets.update(_football(names, whole))
    if layout.team_totals:
        markets[MarketKey("team_total", 0)] = _team_totals(lines, whole)
    for part, score in parts.items():
        markets[MarketKey("moneyline", part)] = _result(names, score, draw=layout.part_draw)
        if part == 1:
            markets.update(_line_markets(layout, names, lines, score, 1, _ONE))
    markets[MarketKey("player_prop", 0)] = tuple(_props(lines, props))
    markets[MarketKey("yes_no", 0)] = _extra(layout, whole)
    return {key: groups for key, groups in markets.items() if groups}


def _results(
    layout: Layout, names: tuple[str, str], score: Score
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    if layout.regulation:
        yield MarketKey("moneyline", 0, "overtime"), _result(names, score, draw=False)
        yield MarketKey("moneyline", 0, "regulation"), _result(names, score, draw=True)
    else:
        yield MarketKey("moneyline", 0), _result(names, score, draw=layout.draw)


def _result(names: tuple[str, str], score: Score, *, draw: bool) -> tuple[Group, ...]:
    home, away = names
    if draw:
        return offered([three_way((home, "Draw", away), score.margin, 0)])
    wins = above(score.margin, 0)
    tie = score.margin.at_least(0) - wins
    return offered([two_way(home, away, wins + tie / 2, Axis.SIDE)])


def _line_markets(
    layout: Layout,
    names: tuple[str, str],
    lines: LineKeeper,
    score: Score,
    period: int,
    steps: tuple[Step, ...],
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    centre = lines.total(f"total {period}", score.total)
    yield MarketKey("total", period), over_under(score.total, centre, steps)
    line = lines.handicap(f"spread {period}", score.margin)
    yield MarketKey("spread", period), handicaps(*names, score.margin, line, steps)


def _football(
    names: tuple[str, str], score: Score
) -> Iterator[tuple[MarketKey, tuple[Group, ...]]]:
    home, away = names
    margin = score.margin
    both = two_way("Yes", "No", score.both_score, Axis.SIZE)
    yield MarketKey("btts", 0), offered([both])
    yield MarketKey("double_chance", 0), offered([double_chance(margin)])
    no_draw = two_way(home, away, beats(margin, 0), Axis.SIDE)
    yield MarketKey("draw_no_bet", 0), offered([no_draw])
    threes = [
        three_way(
            (f"{home} {signed(line)}", f"Draw {signed(line)}", f"{away} {signed(-line)}"),
            margin, line, rank,
        )
        for line, rank in ((-2, 2), (-1, 0), (1, 1))
    ]  # fmt: skip
    yield MarketKey("3way_handicap", 0), offered(threes)


def _team_totals(lines: LineKeeper, score: Score) -> tuple[Group, ...]:
    home = over_under(score.home, lines.total("home", score.home), _SIDE, "Home")
    return home + over_under(score.away, lines.total("away", score.away), _SIDE, "Away")


def _props(lines: LineKeeper, props: Sequence[Prop]) -> Iterator[Group]:
    for prop in props:
        tally = Table(poisson(prop.mean))
        yield from over_under(tally, lines.total(prop.subject, tally), _ONE, prop.subject)


def _extra(layout: Layout, score: Score) -> tuple[Group, ...]:
    """Whether there will be extra time, in sports that know it."""
    if not layout.extra_time:
        return ()
    tie = above(score.margin, -1) - above(score.margin, 0)
    return offered([two_way("Overtime Yes", "Overtime No", tie, Axis.SIZE)])


class Standing(msgspec.Struct, frozen=True):
    """How a contest stands, or how it ended."""

    status: GameStatus
    home: int
    away: int
    """Goals or points, overtime included; sets in tennis."""
    periods: tuple[PeriodScore, ...]
    """Those that have begun, the present one included."""
    overtime: bool = False


_TINY = 1e-9
_DRIFT = 0.008
_NEWS = 0.1
_NEWS_CHANCE = 0.02


class Race:
    """The true state of such a game: how strong the sides are, the score, the time played.

    ``ratings`` of home and away lie in -1..1.
    """

    def __init__(
        self, sport: str, names: tuple[str, str], ratings: tuple[float, float], props: list[Prop]
    ) -> None:
        self._rules = RULES[sport]
        self._layout = LAYOUTS[sport]
        self._names = names
        self._props = props
        self._edge = self._rules.home_edge + self._rules.strength * (ratings[0] - ratings[1]) / 2
        self._level = 0.0
        self._lines = LineKeeper()
        self._elapsed_ms = 0
        self._periods = list(_shares_of_periods(sport, self._rules))
        self._scored = [[0, 0] for _ in self._periods]
        """By period, and one more for an overtime."""
        self.score = (0, 0)
        self.part = 1
        self.played = 0.0

    @property
    def over(self) -> bool:
        """Whether the final whistle has gone."""
        return self._elapsed_ms >= self._rules.duration_ms

    @property
    def longest_ms(self) -> int:
        """How long after kick-off such a game is surely still on."""
        return self._rules.duration_ms

    def drift(self, random: Random) -> None:
        """Let the market's opinion wander before kick-off; now and then there is news."""
        spread = _NEWS if random.random() < _NEWS_CHANCE else _DRIFT
        self._edge += random.gauss(0, spread * self._rules.strength)
        self._level += random.gauss(0, spread * self._rules.strength * 0.5)

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on until so long after kick-off; return whether prices are to be suspended."""
        before, was_over = self.played, self.over
        self.part, self.played = self._rules.played(elapsed_ms)
        self._elapsed_ms = elapsed_ms
        biggest = 0
        for (start, end), scored in zip(self._periods, self._scored, strict=False):
            share = min(end, self.played) - max(start, before)
            if share > 0:
                biggest = max(biggest, self._play_period(random, share, scored))
        if self.over and not was_over and self._is_undecided():
            scored = [0, 0]
            scored[random.random() < self._chance_away()] = self._points(random)
            self._scored.append(scored)
        self.score = (sum(home for home, _ in self._scored), sum(away for _, away in self._scored))
        return biggest >= self._rules.suspends_from

    def standing(self) -> Standing:
        """Return the score by period; a tie that nobody may win is decided by one more score."""
        begun = sum(start < self.played - _TINY for start, _ in self._periods)
        overtime = len(self._scored) > len(self._periods)
        shown = self._scored if overtime else self._scored[: max(begun, 1)]
        return Standing(
            GameStatus.FINAL if self.over else GameStatus.IN_PLAY,
            *self.score,
            tuple(PeriodScore(number, *scored) for number, scored in enumerate(shown, start=1)),
            overtime,
        )

    def _play_period(self, random: Random, share: float, scored: list[int]) -> int:
        """Add what is scored in a share of the game; return the biggest single score."""
        biggest = 0
        for side, mean in enumerate(self._means()):
            for _ in range(_count(random, mean * share / self._rules.points_a_score)):
                points = self._points(random)
                scored[side] += points
                biggest = max(biggest, points)
        return biggest

    def _is_undecided(self) -> bool:
        sides = [sum(scored[side] for scored in self._scored) for side in (0, 1)]
        return sides[0] == sides[1] and not self._layout.draw

    def _chance_away(self) -> float:
        home, away = self._means()
        return away / (home + away)

    def markets(self, live: bool) -> Markets:
        """Return every market that can be priced now, with its true probabilities."""
        means = self._means()
        whole = final_score(self._rules, means, 1 - self.played, self.score)
        first = self.part + 1 if live else 1
        parts: dict[int, Score] = {
            part: final_score(self._rules, means, self._rules.share(part))
            for part in self._layout.periods
            if part >= first
        }
        props = [] if live else self._props
        return race_markets(self._layout, self._names, self._lines, whole, parts, props)

    def _means(self) -> tuple[float, float]:
        level = self._rules.mean * math.exp(self._level)
        return level * math.exp(self._edge), level * math.exp(-self._edge)

    def _points(self, random: Random) -> int:
        points, weights = zip(*self._rules.scores, strict=True)
        return int(random.choices(points, weights)[0])


def _shares_of_periods(sport: str, rules: Rules) -> Iterator[tuple[float, float]]:
    """Yield the start and end of each period that results have, as shares of the game.

    Results of American football have quarters and those of baseball innings; ``Rules`` have fewer
    parts there.
    """
    each = REGULAR_PERIODS.get(sport, rules.parts) // rules.parts
    start = 0.0
    for part in range(1, rules.parts + 1):
        share = rules.share(part) / each
        for number in range(1, each + 1):
            yield start + share * (number - 1), start + share * number
        start += rules.share(part)


def _count(random: Random, mean: float) -> int:
    """Return a Poisson variate (Knuth's method: means here stay below a few dozen)."""
    limit, count, product = math.exp(-mean), 0, random.random()
    while product > limit:
        count += 1
        product *= random.random()
    return count


Games = tuple[int, int]
SetScores = tuple[tuple[Games, float], ...]

_STRENGTH = 0.035
_TENNIS_DRIFT = 0.0008
_SETS_TO_WIN = 2
_MOST_GAMES = 39
_STEPS = (Step(-2, 2), Step(-1, 1), Step(0, 0), Step(1, 1), Step(2, 2))
_ONE_LINE = (Step(0, 0),)


class TennisMatch:
    """The true state of a match; ``ratings`` lie in -1..1.

    With ``retires_after`` a player gives up after that many games, if the match is not over.
    """

    def __init__(
        self, names: tuple[str, str], ratings: tuple[float, float], retires_after: int | None = None
    ) -> None:
        self._names = names
        self._edge = _STRENGTH * (ratings[0] - ratings[1])
        self._lines = LineKeeper()
        self._next_game_ms = 4 * MINUTE_MS
        self._behind: Games = (0, 0)
        self._ended: list[Games] = []
        """The games of the sets that are over."""
        self._retires_after = retires_after
        self.sets: Games = (0, 0)
        self.games: Games = (0, 0)

    @property
    def over(self) -> bool:
        """Whether one side has won its two sets, or retired."""
        return _SETS_TO_WIN in self.sets or self.retired

    @property
    def retired(self) -> bool:
        """Whether a player gave up."""
        played = sum(self._behind) + sum(self.games)
        is_over = _SETS_TO_WIN in self.sets
        return not is_over and self._retires_after is not None and played >= self._retires_after

    @property
    def longest_ms(self) -> int:
        """How long after its start a match is surely still on: 12 games of 4 minutes."""
        return 47 * MINUTE_MS

    def drift(self, random: Random) -> None:
        """Let the market's opinion wander before the match."""
        self._edge += random.gauss(0, _TENNIS_DRIFT)

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on until so long after the start; return whether a set ended meanwhile."""
        ended = False
        while elapsed_ms >= self._next_game_ms and not self.over:
            ended = self._play_game(random.random() < self._chance) or ended
            self._next_game_ms += round(random.uniform(3, 5.2) * MINUTE_MS)
        return ended

    def standing(self) -> Standing:
        """Return the sets, and the games of each."""
        status = GameStatus.FINAL if self.over else GameStatus.IN_PLAY
        is_in_set = _SETS_TO_WIN not in self.sets and (sum(self.games) > 0 or not self.retired)
        shown = [*self._ended, self.games] if is_in_set else self._ended
        return Standing(
            GameStatus.RETIRED if self.retired else status,
            *self.sets,
            tuple(PeriodScore(number, *games) for number, games in enumerate(shown, start=1)),
        )

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
            markets.update(self._game_lines(_score(fresh), 1, _ONE_LINE))
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
        self._ended.append(self.games)
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
