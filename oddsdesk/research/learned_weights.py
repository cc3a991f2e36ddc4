"""Learns from results how much each bookmaker's closing line adds to a consensus.

The weights of ``pricing.consensus.LogitPool`` are fitted by log loss, market by market, and pulled
towards equal weights. Their gain is measured on games that they were not fitted to.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from oddsdesk.base.texts import N_
from oddsdesk.board.valuation.pool import Silence, opinion_of
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.consensus import LEAST_VOTES, MarketWeights, Suppliers, Voices, Vote, outliers
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.settlement_rules import SettlementRules
from oddsdesk.research.closes import LastLines
from oddsdesk.research.intervals import Interval, Sample, mean_of
from oddsdesk.research.past_game import Era, PastGame
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.research.scorecards import decided_side, game_begins
from oddsdesk.research.walk import Progress, Visitor, Walk

Floats = npt.NDArray[np.float64]

PRIOR: Final = 3.0
"""How strongly weights are pulled towards equal ones, in units of log loss summed over games.

Without data the weights are equal; with many games the data outweighs it.
"""
LEAST_GAMES: Final = 100
"""With fewer games with results, no weights are learned."""
BLOCKS: Final = 5
"""Blocks of time, where there are no seasons to leave out."""
_MOST_OF_ONE: Final = 2 / 3
"""If one season has more than this share of the games, blocks are used."""
_LEAST_WEIGHT: Final = 0.001
_MOST_STEPS: Final = 100
_TOLERANCE: Final = 1e-6


class MarketKey(NamedTuple):
    """A kind of market."""

    sport: str
    market_type: str
    period: int


class ClosedVote(NamedTuple):
    """A bookmaker's closing line of a line group, with the result by its rules."""

    bookmaker: str
    selections: Sequence[str]
    odds: tuple[float, ...]
    winner: int
    """Position of the side that won."""
    decided: float
    """Share of the stakes that was won or lost."""


class ClosedGroup(NamedTuple):
    """All closing lines of a line group in one game."""

    market: MarketKey
    game: int
    """Number of the game."""
    begins: int
    """When it started, in milliseconds."""
    votes: Sequence[ClosedVote]


class Opinions(NamedTuple):
    """A line group as votes on the same sides, one for each voice."""

    game: int
    begins: int
    logits: dict[str, Sequence[float]]
    """By voice: the average of its bookmakers, without margin, in log odds."""
    winner: int
    decided: float


class Fold(NamedTuple):
    """Games that are left out together, and the weights that the others give."""

    name: str
    games: int
    weights: dict[str, float]
    """By voice; 1 on average."""


class LearnedMarket(msgspec.Struct, frozen=True):
    """The weights of one kind of market, and their gain out of sample."""

    found: MarketWeights
    """The weights that are saved."""
    voters: dict[str, int]
    """By bookmaker, in how many games it had a vote."""
    folds: tuple[Fold, ...]
    log_loss: Interval
    """Mean log loss of the learned consensus, on games that its weights were not fitted to.

    This and the next two are over the lines that the reference closed, so that they can be
    compared; over all if it closed none.
    """
    equal_log_loss: Interval
    """The same of equal weights."""
    reference_log_loss: Interval
    """The same of the reference alone."""
    gain_vs_equal: Interval
    """Mean log loss of equal weights minus that of the learned ones, over all lines: above 0 they
    are better."""
    gain_vs_reference: Interval
    """The same over the reference alone, on lines that it closed."""

    @property
    def verdict_text(self) -> str:
        """Whether the weights are used, and why."""
        if not self.found.is_better:
            return N_("equal weights are used: learned ones are not clearly better out of sample")
        alone = self.gain_vs_reference
        if alone.figure is not None and alone.figure < 0:
            is_sure = alone.high is not None and alone.high < 0
            reference = self.found.reference
            unsure = N_(f"learned weights are used, but {reference} alone may be better")
            if not is_sure:
                return unsure
            return N_(f"learned weights are used, but {reference} alone is better")
        return N_("learned weights are used")


class TooFew(NamedTuple):
    """A kind of market with too few games to learn from."""

    market: MarketKey
    games: int


class Learned(NamedTuple):
    """The weights learned from a log, and the markets with too few games."""

    markets: list[LearnedMarket]
    too_few: list[TooFew]
    least_games: int
    """How many games a market needs."""
    removed: str
    """A note if rows were removed and could not be read; else empty."""


def learn_weights(
    log: RecordedLog,
    *,
    reference: str,
    method: str,
    profiles: Profiles,
    rules: SettlementRules,
    now_ms: int,
    wanted: Callable[[MarketKey], bool] = lambda _: True,
    since_ms: int | None = None,
    until_ms: int | None = None,
    progress: Progress = lambda _: None,
) -> Learned:
    """Read the log and fit weights for each kind of market.

    Args:
        log: Of an open database.
        reference: The bookmaker that the consensus is compared with.
        method: The devig method of all lines.
        profiles: Which bookmakers share a vote, and their usual weights.
        rules: How bookmakers settle, which decides the results of their lines.
        now_ms: The time; only games that started before it have a closing line.
        wanted: Which markets are fitted.
        since_ms: Games that started before it are left out.
        until_ms: Rows known at this time or later are not read.
        progress: Called with the rows done; an exception ends the work.

    Raises:
        StoreError, ArchiveError, OSError: the log cannot be read.
    """
    compared = Suppliers()
    collector = _Collector(log, rules, since_ms)

    def make_era() -> Era:
        return Era(reference, method, profiles, None, compared)

    walk = Walk(log, now_ms)
    walk.add_visitor(collector, make_era)
    walk.walk_log(None, until_ms, progress)
    voices = Voices(profiles, compared.found)
    groups = defaultdict[MarketKey, list[ClosedGroup]](list)
    for group in collector.groups:
        if wanted(group.market):
            groups[group.market].append(group)
    markets, too_few = list[LearnedMarket](), list[TooFew]()
    for market in sorted(groups):
        found = fit_market(market, groups[market], reference, method, profiles, voices)
        if isinstance(found, TooFew):
            too_few.append(found)
        else:
            markets.append(found)
    return Learned(markets, too_few, LEAST_GAMES, log.removed())


class _Collector(Visitor):
    """A ``walk.Visitor`` that collects closing lines with their results."""

    def __init__(self, log: RecordedLog, rules: SettlementRules, since_ms: int | None) -> None:
        self.groups: list[ClosedGroup] = []
        self._log = log
        self._rules = rules
        self._since_ms = -math.inf if since_ms is None else since_ms
        self._last_lines = LastLines()
        self._games = 0

    def at_moment(self, game: PastGame, now_ms: int) -> None:
        """Keep lines that are withdrawn before the close."""
        game.near()
        self._last_lines.see(game, now_ms)

    def at_close(self, game: PastGame) -> None:
        """Take in what each bookmaker closed, if the result is known."""
        entry, lines = game.entry, list(self._last_lines.closed_lines(game))
        named = (entry.match_name, entry.competition, entry.kick_off)
        results = self._log.final_scores(entry.game_id, *named).results
        if not results or game_begins(game) < self._since_ms:
            return
        self._games += 1
        votes = defaultdict[tuple[MarketKey, str], list[ClosedVote]](list)
        known: dict[Hashable, tuple[int, float] | None] = {}
        for closed in lines:
            decided = decided_side(self._rules, closed, entry, results, known)
            if decided is not None:
                key, name, line = closed
                market = MarketKey(entry.sport, key.market_type, key.period)
                vote = ClosedVote(name, line.group.selections, line.odds, *decided)
                votes[market, key.group].append(vote)
        for (market, _), said in votes.items():
            self.groups.append(ClosedGroup(market, self._games, game_begins(game), said))


def fit_market(
    market: MarketKey,
    groups: Iterable[ClosedGroup],
    reference: str,
    method: str,
    profiles: Profiles,
    voices: Voices,
) -> LearnedMarket | TooFew:
    """Fit the weights of a market, and measure them out of sample.

    They are fitted to all games but those of one season, in turn, and measured on that season.
    Without seasons the log is cut into blocks of time. The weights that are saved are those
    of all games.
    """
    lines, voters = list[Opinions](), Counter[str]()
    for group in groups:
        found = opinions_of(group, method, profiles, voices)
        if found is not None:
            lines.append(found[0])
            voters.update(found[1])
    games = len({line.game for line in lines})
    if games < LEAST_GAMES:
        return TooFew(market, games)
    names = sorted({voice for line in lines for voice in line.logits})
    usual = _usual_weights(names, voters, profiles, voices)
    data = _Data(lines, names, usual)
    labels = folds_of([line.begins for line in lines])
    folds, losses = list[Fold](), np.empty(len(lines))
    for name in sorted(set(labels)):
        left_out = np.array([label == name for label in labels])
        weights = data.fit(~left_out)
        losses[left_out] = data.losses(weights)[left_out]
        count = len({line.game for line, out in zip(lines, left_out, strict=True) if out})
        folds.append(Fold(name, count, _named(names, weights)))
    return _measured(market, data, losses, folds, reference, method, voters, voices)


def _measured(
    market: MarketKey,
    data: "_Data",
    losses: Floats,
    folds: Sequence[Fold],
    reference: str,
    method: str,
    voters: Counter[str],
    voices: Voices,
) -> LearnedMarket:
    lines, equal = data.lines, data.losses(data.usual)
    alone = data.losses_of(voices.voice_of(reference))
    closed = ~np.isnan(alone)
    common = closed if closed.any() else ~closed
    weights = _named(data.names, data.fit(np.full(len(lines), fill_value=True)))
    gain = _mean(lines, equal - losses)
    found = MarketWeights(
        sport=market.sport,
        market_type=market.market_type,
        period=market.period,
        method=method,
        reference=reference,
        weights={name: weights[voices.voice_of(name)] for name in sorted(voters)},
        games=len({line.game for line in lines}),
        first_day=format_ms(min(line.begins for line in lines))[:10],
        last_day=format_ms(max(line.begins for line in lines))[:10],
        gain=gain.figure or 0.0,
        gain_low=gain.low,
        gain_high=gain.high,
        is_better=gain.low is not None and gain.low > 0,
    )
    return LearnedMarket(
        found=found,
        voters=dict(voters),
        folds=tuple(folds),
        log_loss=_mean(lines, losses, common),
        equal_log_loss=_mean(lines, equal, common),
        reference_log_loss=_mean(lines, alone, closed),
        gain_vs_equal=gain,
        gain_vs_reference=_mean(lines, alone - losses, closed),
    )


def opinions_of(
    group: ClosedGroup, method: str, profiles: Profiles, voices: Voices
) -> tuple[Opinions, list[str]] | None:
    """Return the opinions of a line group and their bookmakers; None with fewer than three voices.

    What counts as an opinion is decided as in the live consensus. Bookmakers that settled
    differently from most are left out.
    """
    bets = Counter((tuple(v.selections), v.winner, v.decided) for v in group.votes)
    usual = max(bets, key=lambda bet: (bets[bet], -bet[1]))
    votes = list[tuple[str, Vote]]()
    for each in group.votes:
        said = opinion_of(method, tuple(each.odds))
        weight = profiles.profile_of(each.bookmaker).weight
        if (
            (tuple(each.selections), each.winner, each.decided) == usual
            and weight > 0
            and not isinstance(said, Silence)
        ):
            chances, logits, _ = said
            voice = voices.voice_of(each.bookmaker)
            votes.append((each.bookmaker, Vote(voice, chances, weight, logits)))
    off = outliers([vote for _, vote in votes])
    kept = [each for place, each in enumerate(votes) if place not in off]
    by_voice = defaultdict[str, list[Sequence[float]]](list)
    for _, vote in kept:
        by_voice[vote.group].append(vote.logits)
    if len(by_voice) < LEAST_VOTES:
        return None
    pooled: dict[str, Sequence[float]] = {
        voice: [math.fsum(column) / len(said) for column in zip(*said, strict=True)]
        for voice, said in by_voice.items()
    }
    _, winner, decided = usual
    return Opinions(group.game, group.begins, pooled, winner, decided), [name for name, _ in kept]


def _usual_weights(
    names: Sequence[str], voters: Iterable[str], profiles: Profiles, voices: Voices
) -> Floats:
    """Return the weights that the voices have without learning: equal, unless the user set some."""
    of_voice = defaultdict[str, list[float]](list)
    for name in voters:
        of_voice[voices.voice_of(name)].append(profiles.profile_of(name).weight)
    means = [math.fsum(of_voice[name]) / len(of_voice[name]) for name in names]
    weights: Floats = np.array(means) / (math.fsum(means) / len(means))
    return weights


def folds_of(times: Sequence[int]) -> list[str]:
    """Return for each time the name of the fold that it belongs to.

    Seasons begin in July. If one holds more than two thirds of the times, folds are ``BLOCKS``
    blocks of time with as many games in each.
    """
    seasons = [_season_of(at) for at in times]
    if max(Counter(seasons).values()) <= _MOST_OF_ONE * len(seasons):
        return seasons
    ordered = sorted(times)
    ends = [ordered[len(ordered) * (number + 1) // BLOCKS - 1] for number in range(BLOCKS)]
    return [f"block {next(n for n, end in enumerate(ends, 1) if at <= end)}" for at in times]


def _season_of(at_ms: int) -> str:
    day = datetime.fromtimestamp(at_ms / 1000, UTC)
    first = day.year if day.month >= 7 else day.year - 1
    return f"{first}/{(first + 1) % 100:02}"


def _named(names: Sequence[str], weights: Floats) -> dict[str, float]:
    return {
        name: max(round(float(weight), 3), _LEAST_WEIGHT)
        for name, weight in zip(names, weights, strict=True)
    }


def _mean(
    lines: Sequence[Opinions], values: Floats, among: npt.NDArray[np.bool_] | None = None
) -> Interval:
    sample = Sample()
    for place, line in enumerate(lines):
        if among is None or among[place]:
            sample.add_value(float(values[place]), line.game, line.decided)
    return mean_of(sample)


class _Block(NamedTuple):
    """Lines with the same number of sides, as arrays: of line, voice and side."""

    places: npt.NDArray[np.intp]
    """The positions of these lines among all."""
    logits: Floats
    """0 where the voice is silent."""
    says: Floats
    """1 where the voice has a vote, else 0; of line and voice."""
    winner: npt.NDArray[np.intp]


class _Data:
    """The lines of a market, ready to be fitted."""

    def __init__(self, lines: Sequence[Opinions], names: Sequence[str], usual: Floats) -> None:
        self.lines = lines
        self.names = names
        self.usual = usual
        per_game = Counter(line.game for line in lines)
        self._counts = np.array([line.decided / per_game[line.game] for line in lines])
        """The weight of each line: a game counts once, however many lines it has."""
        by_sides = defaultdict[int, list[int]](list)
        for place, line in enumerate(lines):
            by_sides[len(next(iter(line.logits.values())))].append(place)
        self._blocks = [self._block(places, sides) for sides, places in by_sides.items()]

    def _block(self, places: Sequence[int], sides: int) -> _Block:
        column = {name: number for number, name in enumerate(self.names)}
        logits = np.zeros((len(places), len(self.names), sides))
        says = np.zeros((len(places), len(self.names)))
        for row, place in enumerate(places):
            for voice, said in self.lines[place].logits.items():
                logits[row, column[voice]] = said
                says[row, column[voice]] = 1.0
        winner = np.array([self.lines[place].winner for place in places])
        return _Block(np.array(places), logits, says, winner)

    def losses(self, weights: Floats) -> Floats:
        """Return the log loss of each line by the consensus with these weights."""
        found = np.empty(len(self.lines))
        for block in self._blocks:
            found[block.places] = _pooled(block, weights).losses
        return found

    def losses_of(self, voice: str) -> Floats:
        """Return the log loss of each line by one voice alone, NaN where it has no vote."""
        found = np.full(len(self.lines), np.nan)
        for place, line in enumerate(self.lines):
            said = line.logits.get(voice)
            if said is not None:
                chances = 1 / (1 + np.exp(-np.array(said)))
                found[place] = -math.log(chances[line.winner] / chances.sum())
        return found

    def fit(self, among: npt.NDArray[np.bool_]) -> Floats:
        """Return the weights that best fit the lines of a mask; 1 on average.

        Minimised is the log loss summed over games plus ``PRIOR`` times the divergence of the
        weights from the usual ones, which is the posterior mode of weights with a Dirichlet prior.
        Steps are Fisher scoring (Osborne, "Fisher's method of scoring", International Statistical
        Review 60, 1992) on the logarithms of the weights, halved until they improve.
        """
        counts = np.where(among, self._counts, 0.0)
        prior = self.usual / self.usual.sum()
        at = np.log(prior)
        best, slope, curve = self._objective(at, counts, prior)
        for _ in range(_MOST_STEPS):
            step = -np.linalg.solve(curve, slope)
            step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
            for _ in range(30):
                tried = self._objective(at + step, counts, prior)
                if tried[0] <= best:
                    break
                step /= 2
            else:
                break
            gained = best - tried[0]
            at, (best, slope, curve) = at + step, tried
            if gained < _TOLERANCE:
                break
        weights = _softmax(at)
        return weights * len(weights)

    def _objective(self, at: Floats, counts: Floats, prior: Floats) -> tuple[float, Floats, Floats]:
        """Return what is minimised, its gradient and the Fisher information."""
        weights = _softmax(at)
        value = -PRIOR * float(prior @ np.log(weights))
        slope = PRIOR * (weights - prior)
        curve = PRIOR * (np.diag(weights) - np.outer(weights, weights)) + 1e-6  # fixes their sum
        curve += 1e-9 * np.eye(len(weights))
        for block in self._blocks:
            each = counts[block.places]
            pooled = _pooled(block, weights)
            value += float(each @ pooled.losses)
            spread = pooled.shares[:, :, None] * (block.logits - pooled.logits[:, None, :])
            effect = pooled.effects()  # of line, outcome and side
            rows = np.arange(len(each))
            slope -= np.einsum("l,lks,ls->k", each, spread, effect[rows, block.winner])
            for outcome in range(effect.shape[1]):
                turn = np.einsum("lks,ls->lk", spread, effect[:, outcome])
                curve += (turn * (each * pooled.chances[:, outcome])[:, None]).T @ turn
        return value, slope, curve


class _Pooled(NamedTuple):
    """The consensus on the lines of a block; of line and side."""

    shares: Floats
    """The share of each voice in each line; they add up to 1."""
    logits: Floats
    each: Floats
    """Chances before they are scaled to add up to 1."""
    chances: Floats
    losses: Floats

    def effects(self) -> Floats:
        """Return how the log chance of each outcome changes with each side's log odds."""
        change = self.each * (1 - self.each) / self.each.sum(axis=1, keepdims=True)
        sides = np.arange(self.each.shape[1])
        found = np.repeat(-change[:, None, :], len(sides), axis=1)
        found[:, sides, sides] += 1 - self.each
        return found


def _pooled(block: _Block, weights: Floats) -> _Pooled:
    shares = block.says * weights
    shares /= shares.sum(axis=1, keepdims=True)
    logits = np.einsum("lk,lks->ls", shares, block.logits)
    each = 1 / (1 + np.exp(-logits))
    chances = each / each.sum(axis=1, keepdims=True)
    losses = -np.log(chances[np.arange(len(chances)), block.winner])
    return _Pooled(shares, logits, each, chances, losses)


def _softmax(at: Floats) -> Floats:
    raised: Floats = np.exp(at - at.max())
    raised /= raised.sum()
    return raised
