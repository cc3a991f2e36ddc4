"""What the bookmakers say together of a line group, as the reference of the desk (D60).

A price is judged by the votes of others: its own operator is left out. The votes that count are
those of whole line groups that settle alike and are not crossed, fresh ones where there are
enough, else old ones, too: then the consensus is stale.
"""

import contextlib
import math
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
    overround: float
    """S of its prices."""
    price: Price
    """That of the first row, whose clocks tell how long it may count."""
    scraped_at: int
    """When the oldest of its prices was last seen."""
    is_live: bool | None
    is_stale: bool
    has_overtime: bool | None
    is_apart: bool = False
    """Whether it is in play and was seen more than a minute before the newest."""


class _Ballot:
    """Some votes on a line group, with what is said without each operator worked out quickly."""

    def __init__(self, market_type: str, voters: Sequence[Voter]) -> None:
        self.voters = tuple(voters)
        self.by_operator: dict[str, list[Voter]] = {}
        for voter in voters:
            self.by_operator.setdefault(voter.profile.group, []).append(voter)
        self._market_type = market_type
        self._logits = LogitPool(vote_of(voter) for voter in voters)
        self._margins = {name: _margin_of(each) for name, each in self.by_operator.items()}
        self._weight = sum(weight for weight, _ in self._margins.values())
        self._overrounds = sum(weight * total for weight, total in self._margins.values())
        self._oldest = sorted((voter.scraped_at, voter.profile.group) for voter in voters)

    def beside(self, operator: str) -> int:
        """Return how many operators vote beside one."""
        return len(self.by_operator) - (operator in self.by_operator)

    def line(self, without: str, method: str) -> ReferenceLine:
        """Return what is said without an operator; somebody has to be left."""
        left = len(self.voters) - len(self.by_operator.get(without, ()))
        if left == 1:
            return self._alone(without, method)
        chances = self._logits.chances(without)
        assert chances is not None
        group, total = self.voters[0].group, self._margin(without)
        prices = {
            side: ReferencePrice(1 / (chance * total), total * (1 - chance), 1 / chance)
            for side, chance in zip(group.sides, chances, strict=True)
        }
        at = next(at for at, operator in self._oldest if operator != without)
        is_live = next((v.is_live for v in self.voters if v.is_live is not None), None)
        return ReferenceLine(self._market_type, group, prices, total, at, is_live)

    def least_fair(self) -> dict[str, float]:
        """Return of each side fair odds that no line goes below, whoever is left out."""
        sides, chances = self.voters[0].group.sides, self._logits.most_chances()
        return {side: 1 / chance for side, chance in zip(sides, chances, strict=True)}

    def _alone(self, without: str, method: str) -> ReferenceLine:
        """Return what the one voter says who is left: its own line, to the last digit."""
        voter = next(each for each in self.voters if each.profile.group != without)
        return reference_line(
            self._market_type,
            voter.group,
            voter.odds,
            scraped_at=voter.scraped_at,
            is_live=voter.is_live,
            method=method,
        )

    def _margin(self, without: str) -> float:
        """Return the S that the rules see of a consensus.

        The mean of the operators' own, and not above what the contract allows one reference: the
        rule doubts what a wide margin hides of one opinion, not of many.
        """
        weight, total = self._margins.get(without, (0.0, 0.0))
        mean = (self._overrounds - weight * total) / (self._weight - weight)
        return min(max(mean, 1.0), MAX_OVERROUND)


class PooledLine(NamedTuple):
    """A line group as others price it together."""

    line: ReferenceLine
    operators: int
    without: str
    """The operator that was left out; empty for none."""
    ballot: _Ballot

    @property
    def voters(self) -> tuple[Voter, ...]:
        """Who said so."""
        votes = self.ballot.voters
        return tuple(voter for voter in votes if voter.profile.group != self.without)


class Pool:
    """The votes on a line group, and what they say with and without each operator."""

    def __init__(
        self, market_type: str, voters: Sequence[Voter], profiles: Profiles, method: str, least: int
    ) -> None:
        """``voters`` settle alike, and are of the same sides and state; fewer operators than
        ``least`` say nothing."""
        fresh = [voter for voter in voters if not voter.is_stale]
        self._every = _Ballot(market_type, voters)
        self._fresh = self._every if len(fresh) == len(voters) else _Ballot(market_type, fresh)
        self._profiles = profiles
        self._method = method
        self.least = least
        """How many operators make a consensus."""
        self._pooled: dict[str, PooledLine | None] = {}
        self._least_fair: dict[str, float] | None = None

    @property
    def has_overtime(self) -> bool | None:
        """Whether overtime counts for the voters; None where none of them tells."""
        votes = self._every.voters
        return next((v.has_overtime for v in votes if v.has_overtime is not None), None)

    def of(self, bookmaker: str | None) -> PooledLine | None:
        """Return what a bookmaker's prices are judged by: the others; None is nobody's.

        None where too few operators are left.
        """
        operator = "" if bookmaker is None else self._profiles.of(bookmaker).group
        left_out = operator if operator in self._every.by_operator else ""
        if left_out not in self._pooled:
            self._pooled[left_out] = self._without(left_out)
        return self._pooled[left_out]

    def least_fair(self, side: str) -> float:
        """Return fair odds that no line of ``of`` goes below; infinite where none prices the side.

        It is quick: most prices are far from them, and need no line of their own.
        """
        if self._least_fair is None:
            is_enough = self._fresh.beside("") > self.least  # whoever is left out
            ballots = [self._fresh] if is_enough else [self._fresh, self._every]
            found = [each.least_fair() for each in ballots if each.voters]
            self._least_fair = {
                side: min(each.get(side, math.inf) for each in found)
                for side in self._every.voters[0].group.sides
            }
        return self._least_fair.get(side, math.inf)

    def _without(self, operator: str) -> PooledLine | None:
        for ballot in (self._fresh, self._every):
            left = ballot.beside(operator)
            if left and left >= self.least:
                return PooledLine(ballot.line(operator, self._method), left, operator, ballot)
        return None


def vote_of(voter: Voter) -> Vote:
    """Return what a bookmaker says, one voice of its operator's."""
    return Vote(voter.profile.group, voter.chances, voter.profile.weight)


def _margin_of(skins: Sequence[Voter]) -> tuple[float, float]:
    """Return the weight of an operator's voice, and its S."""
    count = len(skins)
    weight = sum(voter.profile.weight for voter in skins) / count
    return weight, sum(voter.overround for voter in skins) / count


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
