"""The consensus: chances of bookmakers pooled in log odds, one vote per supplier or operator.

``logit p = sum of w * logit p_i``, with weights that sum to 1, renormalised over the outcomes.
Unlike a linear pool, this logarithmic pool does not pull chances towards the middle;
Genest and Zidek, "Combining Probability Distributions", Statistical Science 1 (1986); Satopää et
al., "Combining multiple probability predictions using a simple logit model", International
Journal of Forecasting 30 (2014).

Brands without their own traders buy their odds. Eight of them then hold one opinion and share one
vote: ``Suppliers`` finds them by comparing lines, ``Voices`` decides who shares a vote.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Annotated, Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.pricing.profiles import Profiles, fold_name

CONSENSUS_TITLE: Final = N_("Consensus")
"""Its name in place of a sharp book."""
LEARNED_TITLE: Final = N_("Consensus (learned)")
"""Its name with learned weights."""
CONSENSUS_TITLES: Final = frozenset({CONSENSUS_TITLE, LEARNED_TITLE})
"""Names that stand for all bookmakers together."""
LEAST_VOTES: Final = 3
"""Fewer voices are not a consensus."""
MOST_MARGIN: Final = 0.2
"""A line with a larger margin is no opinion but a placeholder, or nobody bets on it."""
OUTLIER_DEVIATIONS: Final = 4.0
"""Median absolute deviations, in log odds, from which a vote is an outlier. They are used without
the factor 1.4826 for standard deviations of a normal distribution: 4 are 2.7 of those, between the
2.5 and 3 that Leys et al. recommend."""
OUTLIER_POINTS: Final = 0.03
"""Least difference in probability: close votes are no outliers, however small the deviation."""
LEAST_FOR_OUTLIERS: Final = 4
"""Fewest voices, the tested one included: two against one prove nothing."""
_SLACK: Final = 1 + 1e-9
"""For rounding."""


class Vote(NamedTuple):
    """One bookmaker's opinion on a whole line group."""

    group: str
    """Its voice; bookmakers of one operator or one supplier share one."""
    chances: Sequence[float]
    """Without margin, for all outcomes in one order; each in (0, 1)."""
    weight: float = 1.0
    """Weight of its group; the group's is the mean of its members'."""
    logits: Sequence[float] = ()
    """``logits_of(chances)`` if already computed; else empty."""


class Outlier(NamedTuple):
    """Why a vote does not count: where it is farthest from the others."""

    side: int
    """Position of the outcome among the chances."""
    chance: float
    """The vote's chance."""
    others: float
    """The median of the other voices."""


class Consensus(NamedTuple):
    """The pooled opinion."""

    chances: tuple[float, ...]
    """For all outcomes, in the order of the votes; they sum to 1."""
    groups: int
    """Number of voices."""


class LogitPool:
    """Pooled votes on the same outcomes; operators can be left out repeatedly."""

    def __init__(self, votes: Iterable[Vote]) -> None:
        by_group: dict[str, list[Vote]] = {}
        for vote in votes:
            if vote.weight > 0:
                by_group.setdefault(vote.group, []).append(vote)
        self._alone = {group: each[0] for group, each in by_group.items() if len(each) == 1}
        self._weights = {
            group: math.fsum(vote.weight for vote in each) / len(each)
            for group, each in by_group.items()
        }
        self._shares = {
            group: [self._weights[group] * logit for logit in _mean_logits(each)]
            for group, each in by_group.items()
        }
        self._columns = list(zip(*self._shares.values(), strict=True))

    @property
    def groups(self) -> tuple[str, ...]:
        """The operators that vote."""
        return tuple(self._weights)

    def chances(self, without: str | None = None) -> tuple[float, ...] | None:
        """Return the pooled chances, without one operator; None if no vote is left.

        With one voter left, returns that voter's chances unchanged.
        """
        own = self._shares.get(without or "")
        left = len(self._shares) - (own is not None)
        if not left:
            return None
        if left == 1:
            (last,) = (group for group in self._shares if own is None or group != without)
            if last in self._alone:
                return tuple(self._alone[last].chances)
        if own is None:
            total, sums = math.fsum(self._weights.values()), map(math.fsum, self._columns)
        else:  # fsum rounds once, so that subtraction leaves no trace
            total = math.fsum([*self._weights.values(), -self._weights[without or ""]])
            sums = map(math.fsum, [[*c, -o] for c, o in zip(self._columns, own, strict=True)])
        chances = [_chance(logits / total) for logits in sums]
        whole = math.fsum(chances)
        return tuple([chance / whole for chance in chances])

    def most_chances(self) -> tuple[float, ...]:
        """Return upper bounds of the chances, whichever operator is left out.

        Quick to compute, and close, because each voter weighs little in one outcome.
        """
        if len(self._shares) < 3:  # the single voter left need not be renormalised
            return (1.0,) * len(self._columns)
        weights, total = self._weights.values(), math.fsum(self._weights.values())
        ranges = []
        for column in self._columns:
            whole = math.fsum(column)
            said = [(whole - o) / (total - w) for o, w in zip(column, weights, strict=True)]
            said.append(whole / total)
            ranges.append((_chance(min(said)), _chance(max(said))))
        low = math.fsum([least for least, _ in ranges])
        return tuple([most / (most + low - least) * _SLACK for least, most in ranges])


def consensus(votes: Iterable[Vote], least: int = LEAST_VOTES) -> Consensus | None:
    """Return the pooled opinion on the same outcomes, None with fewer groups than ``least``."""
    pool = LogitPool(votes)
    chances = pool.chances()
    if chances is None or len(pool.groups) < least:
        return None
    return Consensus(chances, len(pool.groups))


def outliers(votes: Sequence[Vote]) -> dict[int, Outlier]:
    """Return which votes are outliers, by position: a switched side, a typing error.

    A vote is an outlier if at least one of its outcomes differs from the median of the other voices
    by more than ``OUTLIER_DEVIATIONS`` of their median absolute deviations in log odds, and by
    ``OUTLIER_POINTS`` or more in probability. One such outcome disqualifies the whole line, whose
    chances sum to 1. If at least half of the other voices agree exactly, the deviation is 0 and the
    points alone decide. All votes are tested against all others at once, and only once. With fewer
    voices than ``LEAST_FOR_OUTLIERS`` there are no outliers.

    Leys, Ley, Klein, Bernard and Licata, "Detecting outliers: Do not use standard deviation around
    the mean, use absolute deviation around the median", Journal of Experimental Social Psychology
    49 (2013).
    """
    found: dict[int, Outlier] = {}
    if len(votes) < LEAST_FOR_OUTLIERS or len({vote.group for vote in votes}) < LEAST_FOR_OUTLIERS:
        return found
    for side, chances in enumerate(zip(*[vote.chances for vote in votes], strict=True)):
        if max(chances) - min(chances) < OUTLIER_POINTS:  # so are all distances from medians
            continue
        for place, others in _far(votes, side, chances):
            known = found.get(place)
            off = abs(chances[place] - others)
            if known is None or off > abs(known.chance - known.others) + 1e-9:
                found[place] = Outlier(side, chances[place], others)
    return found


def _far(votes: Sequence[Vote], side: int, chances: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Yield the positions of one outcome's outliers, and the median of the others."""
    logits = [_logits(vote)[side] for vote in votes]
    places: dict[str, list[int]] = {}
    for place, vote in enumerate(votes):
        places.setdefault(vote.group, []).append(place)
    voices = {
        group: math.fsum([logits[place] for place in each]) / len(each)
        for group, each in places.items()
    }
    for group, others in _medians_without(voices):
        chance = _chance(others)
        far = [place for place in places[group] if abs(chances[place] - chance) >= OUTLIER_POINTS]
        if far:
            off = median([abs(voice - others) for name, voice in voices.items() if name != group])
            for place in far:
                if abs(logits[place] - others) > OUTLIER_DEVIATIONS * off:
                    yield place, chance


def _medians_without(voices: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Yield each voice with the median of the other voices."""
    ordered = sorted(voices, key=voices.__getitem__)
    said = [voices[name] for name in ordered]
    half, is_odd = divmod(len(said) - 1, 2)
    for place, name in enumerate(ordered):
        upper = said[half + (place <= half)]
        if is_odd:
            yield name, upper
        else:
            yield name, (said[half - 1 + (place <= half - 1)] + upper) / 2


def logits_of(chances: Iterable[float]) -> tuple[float, ...]:
    """Return chances as log odds."""
    return tuple([math.log(chance / (1 - chance)) for chance in chances])


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _mean_logits(votes: Sequence[Vote]) -> Sequence[float]:
    if len(votes) == 1:
        return _logits(votes[0])
    return [math.fsum(column) / len(votes) for column in zip(*map(_logits, votes), strict=True)]


def _logits(vote: Vote) -> Sequence[float]:
    return vote.logits or logits_of(vote.chances)


LEAST_SHARED: Final = 30
"""Lines that two bookmakers must both price before their share of identical ones counts."""
LEAST_IDENTICAL: Final = 0.8
"""Share of identical lines from which two bookmakers have one supplier."""
MOST_LINES: Final = 50_000
"""Most lines compared: more would not change the result, and memory stays bounded."""

Odds = Sequence[float]


class Pair(NamedTuple):
    """How often two bookmakers had the same line; times in milliseconds."""

    one: str
    other: str
    shared: int
    """Lines that both priced completely, each compared once."""
    identical: int
    """How many of these were equal on every side."""
    first_ms: int
    """When a line was first seen to be identical."""
    last_ms: int

    @property
    def share(self) -> float:
        """Share of identical lines among the common ones, 0 to 1."""
        return self.identical / self.shared

    @property
    def is_one_supplier(self) -> bool:
        """Whether this is enough to count the two as one vote."""
        return self.shared >= LEAST_SHARED and self.share >= LEAST_IDENTICAL


class Suppliers:
    """Compares lines of bookmakers, each line once per pair.

    A line with the same price on all sides (1.91/1.91) is not compared, since independent
    bookmakers show it, too.
    """

    def __init__(self) -> None:
        self._places: dict[Hashable, int] = {}
        """Position of each line in the masks."""
        self._masks: dict[str, int] = {}
        """The lines of each bookmaker, one bit each: two masks quickly give the common lines."""
        self._identical: dict[tuple[str, str], list[int]] = {}
        """By pair: number of identical lines, the first and the last time."""
        self._found: frozenset[tuple[str, str]] | None = frozenset()

    def compare(self, line: Hashable, odds_of: Mapping[str, Odds], at_ms: int) -> None:
        """Compare the bookmakers' odds on one complete line; compared pairs are skipped.

        Args:
            line: Identifies the line: game, market, period, and its sides.
            odds_of: By bookmaker, the odds of all sides in one order.
            at_ms: The time of the prices.
        """
        place = self._places.get(line)
        if place is None:
            if len(odds_of) < 2 or len(self._places) >= MOST_LINES:
                return
            place = self._places[line] = len(self._places)
        bit, masks = 1 << place, self._masks
        added, alike = set[str](), dict[tuple[float, ...], list[str]]()
        for name, odds in odds_of.items():
            if max(odds) == min(odds):
                continue
            alike.setdefault(tuple(odds), []).append(name)
            mask = masks.get(name, 0)
            if not mask & bit:
                masks[name] = mask | bit
                added.add(name)
        if added:
            self._found = None
            for names in alike.values():
                if len(names) > 1:
                    self._count(sorted(names), added, at_ms)

    def pairs(self, least_shared: int = 1) -> list[Pair]:
        """Return the pairs with an identical line, the highest share first."""
        found = [self._pair(*names) for names in self._identical]
        found = [pair for pair in found if pair.shared >= least_shared]
        return sorted(found, key=lambda pair: (-pair.share, -pair.shared, pair.one, pair.other))

    @property
    def found(self) -> frozenset[tuple[str, str]]:
        """The pairs with one supplier, by the comparison."""
        if self._found is None:
            least = LEAST_SHARED * LEAST_IDENTICAL
            often = [names for names, seen in self._identical.items() if seen[0] >= least]
            self._found = frozenset(each for each in often if self._pair(*each).is_one_supplier)
        return self._found

    def _count(self, names: Sequence[str], added: set[str], at_ms: int) -> None:
        for place, one in enumerate(names):
            for other in names[place + 1 :]:
                if one in added or other in added:
                    seen = self._identical.setdefault((one, other), [0, at_ms, at_ms])
                    seen[0] += 1
                    seen[1], seen[2] = min(seen[1], at_ms), max(seen[2], at_ms)

    def _pair(self, one: str, other: str) -> Pair:
        shared = (self._masks[one] & self._masks[other]).bit_count()
        return Pair(one, other, shared, *self._identical[one, other])


class Voices:
    """Decides whose vote a bookmaker shares: brands of one operator or one supplier share one.

    The relation is transitive: two bookmakers that both share a vote with a third share one.
    """

    def __init__(self, profiles: Profiles, found: Iterable[tuple[str, str]] = ()) -> None:
        """Join operators by the suppliers in profiles, and by pairs that were ``found``.

        A bookmaker whose profile names itself as its supplier is not joined by ``found``.
        """
        self._profiles = profiles
        self._joined: dict[str, str] = {}
        """A step from each operator or supplier towards the group's representative."""
        self._voices: dict[str, str] = {}
        suppliers = set[str]()
        for profile in profiles.all_profiles():
            if profile.supplier and not prices_itself(profiles, profile.name):
                suppliers.add(profile.supplier)
                self._join(profile.group, profile.supplier)
        for one, other in sorted(found):
            if not prices_itself(profiles, one) and not prices_itself(profiles, other):
                self._join(profiles.profile_of(one).group, profiles.profile_of(other).group)
        self._titles = dict(self._titled(suppliers))

    def voice_of(self, bookmaker: str) -> str:
        """Return the readable name of the vote that a bookmaker shares."""
        voice = self._voices.get(bookmaker)
        if voice is None:
            group = self._profiles.profile_of(bookmaker).group
            voice = self._voices[bookmaker] = self._titles.get(self._root(group), group)
        return voice

    def _join(self, one: str, other: str) -> None:
        one, other = self._root(one), self._root(other)
        if one != other:
            self._joined[max(one, other)] = min(one, other)

    def _root(self, name: str) -> str:
        while name in self._joined:
            name = self._joined[name]
        return name

    def _titled(self, suppliers: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the names of joined groups: their supplier if known, else all members."""
        members: dict[str, set[str]] = {}
        for name, towards in self._joined.items():
            members.setdefault(self._root(name), set()).update((name, towards))
        for root, names in members.items():
            yield root, " / ".join(sorted(names & suppliers or names, key=str.casefold))


def prices_itself(profiles: Profiles, bookmaker: str) -> bool:
    """Return whether a profile names itself as its supplier, so that its lines are its own."""
    profile = profiles.profile_of(bookmaker)
    return bool(profile.supplier) and fold_name(profile.supplier) == fold_name(profile.name)


Weight = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]


class MarketWeights(msgspec.Struct, frozen=True, kw_only=True):
    """Weights learned for one kind of market, and what they gained on other games."""

    sport: str
    market_type: str
    period: int
    method: str
    """The devig method of the lines."""
    weights: dict[str, Weight]
    """By bookmaker; those that share a vote have one weight. Equal weights are 1."""
    games: int
    first_day: str
    """Day of the first game, as ISO date."""
    last_day: str
    reference: str
    """The bookmaker that the consensus was compared with."""
    gain: float
    """Log loss of equal weights minus that of these, out of sample, in nats per line."""
    gain_low: float | None
    """Ends of its 95 % interval; None with too few games."""
    gain_high: float | None
    is_better: bool
    """Whether the whole interval is above 0. Otherwise the weights are never used."""

    @property
    def kind(self) -> tuple[str, str, int]:
        """The kind of market: sport, market type and period."""
        return self.sport, self.market_type, self.period


class LearnedWeights:
    """The weights that are used, by kind of market."""

    def __init__(self, markets: Iterable[MarketWeights] = ()) -> None:
        self.markets = tuple(markets)
        self._used = {
            (*each.kind, each.method): {
                fold_name(name): weight for name, weight in each.weights.items()
            }
            for each in self.markets
            if each.is_better
        }

    @property
    def has_better(self) -> bool:
        """Whether any market has weights that are used."""
        return bool(self._used)

    def weights_of(
        self, sport: str, market_type: str, period: int, method: str
    ) -> Mapping[str, float] | None:
        """Return the weights of a kind of market, by folded name of the bookmaker.

        None if none were learned, if they are not better than equal ones, or if they were learned
        with another devig method.
        """
        return self._used.get((sport, market_type, period, method))
