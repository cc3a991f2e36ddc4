"""What bookmakers say together: their chances pooled in log-odds, one vote a group (D60).

``logit p = sum of w * logit p_i``, with weights that sum to 1, renormalised over the outcomes. Of
the linear and the logarithmic pool it is the one that does not pull chances towards the middle;
Genest and Zidek, "Combining Probability Distributions", Statistical Science 1 (1986); Satopää et
al., "Combining multiple probability predictions using a simple logit model", International
Journal of Forecasting 30 (2014).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

LEAST_VOTES: Final = 3
"""Fewer groups are no consensus."""


class Vote(NamedTuple):
    """What one bookmaker says of a whole line group."""

    group: str
    """Its operator: those of one are one voice (D47)."""
    chances: Sequence[float]
    """Without margin, of all outcomes in one order; each in (0, 1)."""
    weight: float = 1.0
    """Of its group: that of the group is the mean of its members'."""


class Consensus(NamedTuple):
    """What they say together."""

    chances: tuple[float, ...]
    """Of all outcomes, in the order of the votes; they sum to 1."""
    groups: int
    """How many said so."""


def consensus(votes: Iterable[Vote]) -> Consensus | None:
    """Return what votes of the same outcomes say together, None of fewer than ``LEAST_VOTES``."""
    by_group: dict[str, list[Vote]] = {}
    for vote in votes:
        if vote.weight > 0:
            by_group.setdefault(vote.group, []).append(vote)
    if len(by_group) < LEAST_VOTES:
        return None
    weights = [math.fsum(vote.weight for vote in group) / len(group) for group in by_group.values()]
    total = math.fsum(weights)
    voices = [
        [math.fsum(column) / len(group) for column in zip(*map(_logits, group), strict=True)]
        for group in by_group.values()
    ]
    pooled = [
        math.fsum(w * logit for w, logit in zip(weights, column, strict=True)) / total
        for column in zip(*voices, strict=True)
    ]
    chances = [1 / (1 + math.exp(-logit)) for logit in pooled]
    whole = math.fsum(chances)
    return Consensus(tuple([chance / whole for chance in chances]), len(by_group))


def _logits(vote: Vote) -> list[float]:
    return [math.log(chance / (1 - chance)) for chance in vote.chances]
