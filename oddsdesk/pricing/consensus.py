"""What bookmakers say together: their chances pooled in log-odds, one vote a voice (D60, D94).

``logit p = sum of w * logit p_i``, with weights that sum to 1, renormalised over the outcomes. Of
the linear and the logarithmic pool it is the one that does not pull chances towards the middle;
Genest and Zidek, "Combining Probability Distributions", Statistical Science 1 (1986); Satopää et
al., "Combining multiple probability predictions using a simple logit model", International
Journal of Forecasting 30 (2014).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final, NamedTuple

CONSENSUS_TITLE: Final = "Consensus"
"""What it is called where a reference is named."""
LEAST_VOTES: Final = 3
"""Fewer voices are no consensus."""
MOST_MARGIN: Final = 0.2
"""The margin above which a line is no opinion: it is a place holder, or one that nobody bets on."""
OUTLIER_DEVIATIONS: Final = 4.0
"""How many median absolute deviations an outlier is off in log odds. They are as measured, without
the factor 1.4826 that makes them standard deviations of a normal distribution: so 4 are 2.7 of
those, between the 2.5 and 3 that Leys et al. recommend."""
OUTLIER_POINTS: Final = 0.03
"""How far off it is in probability as well: close votes are no outliers, however close they are."""
LEAST_FOR_OUTLIERS: Final = 4
"""Voices, the tested one included: two against one tell nothing."""
_SLACK: Final = 1 + 1e-9
"""For rounding."""


class Vote(NamedTuple):
    """What one bookmaker says of a whole line group."""

    group: str
    """Its voice: bookmakers of one operator (D47) or one supplier of odds (D94) have one."""
    chances: Sequence[float]
    """Without margin, of all outcomes in one order; each in (0, 1)."""
    weight: float = 1.0
    """Of its group: that of the group is the mean of its members'."""
    logits: Sequence[float] = ()
    """``logits_of(chances)`` where that is known; empty where it is not."""


class Outlier(NamedTuple):
    """Why a vote is none: where it is farthest from the others."""

    side: int
    """The place of the outcome among the chances."""
    chance: float
    """Of the vote."""
    others: float
    """The median of the other voices."""


class Consensus(NamedTuple):
    """What they say together."""

    chances: tuple[float, ...]
    """Of all outcomes, in the order of the votes; they sum to 1."""
    groups: int
    """How many said so."""


class LogitPool:
    """Votes of the same outcomes, pooled; ``without`` an operator as often as is asked."""

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
        """Return what they say together, one operator left out; None where nobody is left.

        Of one bookmaker alone it is what that one says, to the last digit.
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
        else:  # fsum rounds once: what is taken away leaves no trace
            total = math.fsum([*self._weights.values(), -self._weights[without or ""]])
            sums = map(math.fsum, [[*c, -o] for c, o in zip(self._columns, own, strict=True)])
        chances = [_chance(logits / total) for logits in sums]
        whole = math.fsum(chances)
        return tuple([chance / whole for chance in chances])

    def most_chances(self) -> tuple[float, ...]:
        """Return of each outcome a chance that ``chances`` never says more than, whoever is out.

        It is quick, and not much more than they say: of one outcome each weighs little.
        """
        if len(self._shares) < 3:  # the one who is left need not be renormalised
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
    """Return what votes of the same outcomes say together, None of fewer groups than ``least``."""
    pool = LogitPool(votes)
    chances = pool.chances()
    if chances is None or len(pool.groups) < least:
        return None
    return Consensus(chances, len(pool.groups))


def outliers(votes: Sequence[Vote]) -> dict[int, Outlier]:
    """Return which votes are outliers, by their place: a switched side, a typing error.

    A vote is an outlier if one of its outcomes, or more, differs from the median of the other
    voices by more than ``OUTLIER_DEVIATIONS`` median absolute deviations of these in log odds, and
    by ``OUTLIER_POINTS`` in probability or more. One such outcome makes the whole line one, as its
    chances sum to 1. Where at least half of the other voices say the same, the deviation is 0, and
    the points alone decide. All votes are tested against all others at once, none twice. With
    fewer voices than ``LEAST_FOR_OUTLIERS`` there are none.

    Leys, Ley, Klein, Bernard and Licata, "Detecting outliers: Do not use standard deviation around
    the mean, use absolute deviation around the median", Journal of Experimental Social Psychology
    49 (2013).
    """
    found: dict[int, Outlier] = {}
    if len(votes) < LEAST_FOR_OUTLIERS or len({vote.group for vote in votes}) < LEAST_FOR_OUTLIERS:
        return found
    for side, chances in enumerate(zip(*[vote.chances for vote in votes], strict=True)):
        if max(chances) - min(chances) < OUTLIER_POINTS:  # so is each from any median
            continue
        for place, others in _far(votes, side, chances):
            known = found.get(place)
            off = abs(chances[place] - others)
            if known is None or off > abs(known.chance - known.others) + 1e-9:
                found[place] = Outlier(side, chances[place], others)
    return found


def _far(votes: Sequence[Vote], side: int, chances: Sequence[float]) -> Iterator[tuple[int, float]]:
    """Yield the places of the outliers of one outcome, and what the others say of it."""
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
