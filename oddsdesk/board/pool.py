"""What the bookmakers say together of a line group, as the reference of the desk (D60).

A price is judged by the votes of others: its own operator is left out. The votes that count are
those of whole line groups that settle alike and are not crossed, fresh ones where there are
enough, else old ones, too: then the consensus is stale.
"""

import contextlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from oddsdesk.board.prices import Price
from oddsdesk.pricing.assessment import APART_MS
from oddsdesk.pricing.consensus import LogitPool, Vote
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.rules import MAX_OVERROUND
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import ReferenceLine, ReferencePrice, reference_line


class Voter(NamedTuple):
    """A bookmaker that prices a whole line group; times in milliseconds."""

    bookmaker: str
    profile: Profile
    group: LineGroup
    odds: tuple[float, ...]
    """Gross (D46), in the order of the group's sides."""
    chances: tuple[float, ...]
    price: Price
    """That of the first row, whose clocks tell how long it may count."""
    scraped_at: int
    """When the oldest of its prices was last seen."""
    is_live: bool | None
    is_stale: bool
    has_overtime: bool | None
    is_apart: bool = False
    """Whether it is in play and was seen more than a minute before the newest."""

    @property
    def overround(self) -> float:
        """S of its prices."""
        return sum([1 / price for price in self.odds])


class PooledLine(NamedTuple):
    """A line group as its voters price it together."""

    line: ReferenceLine
    voters: tuple[Voter, ...]
    operators: int


class Pool:
    """The votes on a line group, and what they say with and without each operator."""

    def __init__(
        self, market_type: str, voters: Sequence[Voter], profiles: Profiles, method: str, least: int
    ) -> None:
        """``voters`` settle alike, and are of the same sides; fewer operators than ``least`` say
        nothing."""
        self._market_type = market_type
        self._voters = voters
        self._profiles = profiles
        self._method = method
        self.least = least
        """How many operators make a consensus."""
        self._groups = {voter.profile.group for voter in voters}
        self._pooled: dict[str, PooledLine | None] = {}

    @property
    def has_overtime(self) -> bool | None:
        """Whether overtime counts for the voters; None where none of them tells."""
        return next((v.has_overtime for v in self._voters if v.has_overtime is not None), None)

    def of(self, bookmaker: str | None) -> PooledLine | None:
        """Return what a bookmaker's prices are judged by: the others; None is nobody's.

        None where too few operators are left.
        """
        operator = "" if bookmaker is None else self._profiles.of(bookmaker).group
        left_out = operator if operator in self._groups else ""
        if left_out not in self._pooled:
            self._pooled[left_out] = self._without(left_out)
        return self._pooled[left_out]

    def _without(self, operator: str) -> PooledLine | None:
        others = [voter for voter in self._voters if voter.profile.group != operator]
        for counting in ([voter for voter in others if not voter.is_stale], others):
            operators = len({voter.profile.group for voter in counting})
            if operators and operators >= self.least:
                return PooledLine(self._line(counting), tuple(counting), operators)
        return None

    def _line(self, voters: Sequence[Voter]) -> ReferenceLine:
        first = voters[0]
        scraped_at = min(voter.scraped_at for voter in voters)
        known = [voter.is_live for voter in voters if voter.is_live is not None]
        is_live = any(known) if known else None
        if len(voters) == 1:
            return reference_line(
                self._market_type,
                first.group,
                first.odds,
                scraped_at=scraped_at,
                is_live=is_live,
                method=self._method,
            )
        total = margin_of(voters)
        chances = LogitPool(vote_of(voter) for voter in voters).chances()
        assert chances is not None
        prices = {
            side: ReferencePrice(1 / (chance * total), total * (1 - chance), 1 / chance)
            for side, chance in zip(first.group.sides, chances, strict=True)
        }
        return ReferenceLine(self._market_type, first.group, prices, total, scraped_at, is_live)


def vote_of(voter: Voter) -> Vote:
    """Return what a bookmaker says, one voice of its operator's."""
    return Vote(voter.profile.group, voter.chances, voter.profile.weight)


def margin_of(voters: Sequence[Voter]) -> float:
    """Return the S that the rules see of a consensus.

    The mean of the operators' own, and not above what the contract allows one reference: the rule
    doubts what a wide margin hides of one opinion, not of many.
    """
    by_group: dict[str, list[Voter]] = {}
    for voter in voters:
        by_group.setdefault(voter.profile.group, []).append(voter)
    shares = [
        (
            sum(voter.profile.weight for voter in each) / len(each),
            sum(voter.overround for voter in each) / len(each),
        )
        for each in by_group.values()
    ]
    mean = sum(weight * total for weight, total in shares) / sum(weight for weight, _ in shares)
    return min(mean, MAX_OVERROUND)


def fair_by_method(pooled: PooledLine, side: str, method: str) -> float | None:
    """Return the fair odds of a side by another devig method; None where no vote has an answer."""
    votes = []
    for voter in pooled.voters:
        with contextlib.suppress(DevigError):
            said = devig(method, voter.odds).probabilities
            if all(0 < chance < 1 for chance in said):
                votes.append(Vote(voter.profile.group, said, voter.profile.weight))
    chances = LogitPool(votes).chances()
    return None if chances is None else 1 / chances[pooled.line.group.sides.index(side)]


def agreeing(voters: Iterable[Voter], *, by_overtime: bool) -> list[Voter]:
    """Return the voters that bet on the same in the same state: what most operators do.

    In play, those that were seen more than a minute before the newest are stale: the score may be
    another since. ``by_overtime``: whether overtime may decide the line (D49).
    """
    found = _majority(list(voters), lambda voter: voter.group.sides)
    if by_overtime:
        found = _majority(found, lambda voter: voter.has_overtime)
    found = _majority(found, lambda voter: voter.is_live)
    newest = max((voter.scraped_at for voter in found), default=0)
    return [
        voter._replace(is_stale=True, is_apart=True)
        if voter.is_live and newest - voter.scraped_at > APART_MS
        else voter
        for voter in found
    ]


def _majority(voters: list[Voter], said: Callable[[Voter], Hashable]) -> list[Voter]:
    """Return who says what most operators say, and who says nothing (None).

    Of as many it is what the first of them by name says.
    """
    counts: dict[Hashable, set[str]] = {}
    for voter in voters:
        if said(voter) is not None:
            counts.setdefault(said(voter), set()).add(voter.profile.group)
    if len(counts) < 2:
        return voters
    most = max(counts, key=lambda word: len(counts[word]))
    return [voter for voter in voters if said(voter) in (most, None)]
