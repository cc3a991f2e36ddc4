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

CONSENSUS_TITLE: Final = "Consensus"
"""What it is called where a reference is named."""
LEAST_VOTES: Final = 3
"""Fewer groups are no consensus."""
_SLACK: Final = 1 + 1e-9
"""For rounding."""


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
            group: [
                self._weights[group] * (math.fsum(column) / len(each))
                for column in zip(*map(_logits, each), strict=True)
            ]
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


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _logits(vote: Vote) -> list[float]:
    return [math.log(chance / (1 - chance)) for chance in vote.chances]
