"""What the bookmakers say together of a line group, and who has no vote (D60, D94).

A price is judged by the votes of others: its own voice is left out, which is its operator's and
its supplier's. ``voting`` says which lines are opinions; here those are left out that disagree with
the others: on what is bet on, by far too much, or by a price that is too good to be true. Fresh
votes count where there are enough, else old ones, too: then the consensus is stale.
"""

import contextlib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.board.prices import Price
from oddsdesk.pricing.assessment import APART_MS
from oddsdesk.pricing.consensus import (
    LEAST_FOR_OUTLIERS,
    Consensus,
    LogitPool,
    Vote,
    consensus,
    outliers,
)
from oddsdesk.pricing.devig import DevigError, devig
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.rules import MAX_OVERROUND
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.suppliers import Voices
from oddsdesk.pricing.value import (
    ReferenceLine,
    ReferencePrice,
    highest_unsuspicious,
    reference_line,
)

_LEAST_LEFT: Final = 1e-6
"""A smaller share of all weight is summed, not subtracted from the rest."""
_SLACK: Final = 1 + 1e-9
"""For rounding: what is at its limit is not above it."""


class Silence(Enum):
    """Why a bookmaker has no vote on a line; the value is the reason as people read it."""

    NO_WEIGHT = "its weight is 0"
    LATE = "its source says that its prices are late"
    PARTIAL = "does not price the whole line"
    UNREAD = "may price an outcome that could not be read"
    PLACEHOLDER = "placeholder prices"
    NO_ANSWER = "the devig method has no answer to its prices"
    BELOW_100 = "its line adds up to less than 100 %"
    MARGIN = "a margin above 20 %"
    OTHER_SIDES = "prices other sides than most do"
    OTHER_RULES = "overtime counts otherwise than for most"
    OTHER_STATE = "in play, others are not, or the other way round"
    OLD = "its price is old"
    OUTLIER = "an outlier"
    TOO_GOOD = "a price too good to be true"
    OWN = "shares the vote of the bookmaker that is judged"


class LeftOut(NamedTuple):
    """A bookmaker without a vote on a line."""

    bookmaker: str
    why: Silence
    detail: str = ""
    """The figures that the reason rests on; empty where there are none."""

    @property
    def text(self) -> str:
        """The reason in words, with its figures."""
        return f"{self.why.value}: {self.detail}" if self.detail else self.why.value


class Voter(NamedTuple):
    """A bookmaker that prices a whole line group; times in milliseconds."""

    bookmaker: str
    profile: Profile
    voice: str
    """Whose vote it is: bookmakers of one operator or supplier share one (``Voices``)."""
    group: LineGroup
    odds: tuple[float, ...]
    """Gross (D46), in the order of the group's sides."""
    vote: Vote
    """What it says without its margin, as a part of its voice."""
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

    @property
    def chances(self) -> Sequence[float]:
        """Without margin, in the order of the group's sides."""
        return self.vote.chances


class _Ballot:
    """Votes on a line group, with what is said without each voice worked out quickly.

    Outliers are left out first, then prices that are too good to be true, one at a time: what one
    such price does to the others may make theirs look so.
    """

    def __init__(self, market_type: str, voters: Sequence[Voter], method: str, least: int) -> None:
        self.left_out: list[LeftOut] = []
        self._market_type = market_type
        self._method = method
        self._least = least
        self._count(self._without_outliers(voters))
        while (found := self._too_good()) is not None:
            best, left_out = found
            self.left_out.append(left_out)
            self._count([voter for voter in self.voters if voter is not best])

    def _count(self, voters: Sequence[Voter]) -> None:
        self.voters = tuple(voters)
        self.by_voice: dict[str, list[Voter]] = {}
        for voter in voters:
            self.by_voice.setdefault(voter.voice, []).append(voter)
        self._logits = LogitPool([voter.vote for voter in voters])
        self._margins = {name: _margin_of(each) for name, each in self.by_voice.items()}
        self._weight = sum(weight for weight, _ in self._margins.values())
        self._overrounds = sum(weight * total for weight, total in self._margins.values())
        self._oldest = sorted((voter.scraped_at, voter.voice) for voter in voters)
        self._lines: dict[str, ReferenceLine] = {}
        self._least_fair: dict[str, float] | None = None

    def _without_outliers(self, voters: Sequence[Voter]) -> Sequence[Voter]:
        found = outliers([voter.vote for voter in voters])
        if not found:
            return voters
        for place, off in found.items():
            side, name = voters[place].group.selections[off.side], voters[place].bookmaker
            detail = f"{side} {off.chance:.1%}, the others {off.others:.1%}".replace("%", " %")
            self.left_out.append(LeftOut(name, Silence.OUTLIER, detail))
        return [voter for place, voter in enumerate(voters) if place not in found]

    def _too_good(self) -> tuple[Voter, LeftOut] | None:
        """Return the vote with the price farthest above what the others make suspicious."""
        worst, found = _SLACK, None
        for voter, place, most in self._suspects():
            ratio = voter.profile.net(voter.odds[place]) / most
            if ratio > worst:
                side = voter.group.selections[place]
                detail = f"{side} {voter.odds[place]:g}, suspicious above {most:.2f}"
                worst, found = ratio, (voter, LeftOut(voter.bookmaker, Silence.TOO_GOOD, detail))
        return found

    def _suspects(self) -> Iterator[tuple[Voter, int, float]]:
        """Yield prices that may be above what the others make suspicious, and where that begins."""
        if len(self.by_voice) < max(self._least + 1, LEAST_FOR_OUTLIERS):
            return  # without one of them there is no consensus
        least_total = min([total for _, total in self._margins.values()])
        least_total = min(max(least_total, 1.0), MAX_OVERROUND)  # no mean of others is below it
        for place, (side, fair) in enumerate(self.least_fair().items()):
            bound = highest_unsuspicious(self._market_type, fair, least_total * (1 - 1 / fair))
            for voter in self.voters:
                if voter.odds[place] > bound:
                    price = self.line(voter.voice).prices[side]
                    assert price.fair_odds is not None
                    yield (
                        voter,
                        place,
                        highest_unsuspicious(self._market_type, price.fair_odds, price.others),
                    )

    def others(self, voice: str) -> int:
        """Return how many voices there are without one."""
        return len(self.by_voice) - (voice in self.by_voice)

    def line(self, without: str) -> ReferenceLine:
        """Return what is said without a voice; one has to be left."""
        if without not in self._lines:
            self._lines[without] = self._pooled(without)
        return self._lines[without]

    def _pooled(self, without: str) -> ReferenceLine:
        left = len(self.voters) - len(self.by_voice.get(without, ()))
        if left == 1:
            return self._alone(without)
        chances = self._logits.chances(without)
        assert chances is not None
        group, total = self.voters[0].group, self._margin(without)
        prices = {
            side: ReferencePrice(1 / (chance * total), total * (1 - chance), 1 / chance)
            for side, chance in zip(group.sides, chances, strict=True)
        }
        at = next(at for at, voice in self._oldest if voice != without)
        is_live = next((v.is_live for v in self.voters if v.is_live is not None), None)
        return ReferenceLine(self._market_type, group, prices, total, at, is_live)

    def least_fair(self) -> dict[str, float]:
        """Return of each side fair odds that no line goes below, whoever is left out."""
        if self._least_fair is None:
            sides, chances = self.voters[0].group.sides, self._logits.most_chances()
            self._least_fair = {
                side: 1 / chance for side, chance in zip(sides, chances, strict=True)
            }
        return self._least_fair

    def _alone(self, without: str) -> ReferenceLine:
        """With one voter left, return that voter's line unchanged."""
        voter = next(each for each in self.voters if each.voice != without)
        return reference_line(
            self._market_type,
            voter.group,
            voter.odds,
            scraped_at=voter.scraped_at,
            is_live=voter.is_live,
            method=self._method,
        )

    def _margin(self, without: str) -> float:
        """Return the S that the rules see of a consensus.

        The mean of the voices' own, and not above what the contract allows one reference: the
        rule doubts what a wide margin hides of one opinion, not of many.
        """
        weight, total = self._margins.get(without, (0.0, 0.0))
        left, overrounds = self._weight - weight, self._overrounds - weight * total
        if left < _LEAST_LEFT * self._weight:  # rounding would decide
            others = [said for name, said in self._margins.items() if name != without]
            left = math.fsum([each for each, _ in others])
            overrounds = math.fsum([each * said for each, said in others])
        mean = overrounds / left
        return min(max(mean, 1.0), MAX_OVERROUND)


class PooledLine(NamedTuple):
    """A line group as others price it together."""

    line: ReferenceLine
    votes: int
    """How many voices it is of: skins of one operator or supplier are one."""
    without: str
    """The voice that was left out; empty for none."""
    ballot: _Ballot

    @property
    def voters(self) -> tuple[Voter, ...]:
        """The bookmakers that it is of."""
        votes = self.ballot.voters
        return tuple(voter for voter in votes if voter.voice != self.without)


class Pool:
    """The votes on a line group, and what they say with and without each voice."""

    def __init__(
        self, market_type: str, voters: Sequence[Voter], voices: Voices, method: str, least: int
    ) -> None:
        """``voters`` settle alike, and are of the same sides and state; fewer voices than
        ``least`` say nothing."""
        fresh = [voter for voter in voters if not voter.is_stale]
        self._fresh = _Ballot(market_type, fresh, method, least)
        self._every = self._fresh
        if len(fresh) < len(voters):
            self._every = _Ballot(market_type, voters, method, least)
        self._voters = tuple(voters)
        self._voices = voices
        self._named = frozenset([voter.voice for voter in voters])
        self.least = least
        """How many voices make a consensus."""
        self._pooled: dict[str, PooledLine | None] = {}
        self._least_fair: dict[str, float] | None = None

    @property
    def has_overtime(self) -> bool | None:
        """Whether overtime counts for the voters; None where none of them tells."""
        votes = self._voters
        return next((v.has_overtime for v in votes if v.has_overtime is not None), None)

    @property
    def is_live(self) -> bool | None:
        """Whether the votes are of a game in play; None where none of them tells."""
        return next((v.is_live for v in self._voters if v.is_live is not None), None)

    @property
    def sides(self) -> Sequence[str]:
        """What the votes are of."""
        return self._voters[0].group.sides

    def of(self, bookmaker: str | None) -> PooledLine | None:
        """Return what a bookmaker's prices are judged by: the others; None is nobody's.

        None where too few voices are left.
        """
        left_out = self._own_voice(bookmaker)
        if left_out not in self._pooled:
            self._pooled[left_out] = self._without(left_out)
        return self._pooled[left_out]

    def without(self, bookmakers: Iterable[str]) -> Consensus | None:
        """Return what fresh votes say together without the voices of some bookmakers.

        None where too few are left.
        """
        silent = set(map(self._voices.of, bookmakers))
        votes = [voter.vote for voter in self._fresh.voters if voter.voice not in silent]
        return consensus(votes, self.least)

    def left_out(self, bookmaker: str | None) -> list[LeftOut]:
        """Return which voters have no vote on a bookmaker's prices after all."""
        pooled, own = self.of(bookmaker), self._own_voice(bookmaker)
        ballot = self._every if pooled is None else pooled.ballot
        found = list(ballot.left_out)
        if pooled is not None and ballot is not self._every:
            found += [LeftOut(v.bookmaker, Silence.OLD) for v in self._voters if v.is_stale]
        if own:
            mine = [v.bookmaker for v in ballot.by_voice.get(own, ()) if v.bookmaker != bookmaker]
            found += [LeftOut(name, Silence.OWN, own) for name in mine]
        return found

    def least_fair(self, side: str) -> float:
        """Return fair odds that no line of ``of`` goes below; infinite where none prices the side.

        It is quick: most prices are far from them, and need no line of their own.
        """
        if self._least_fair is None:
            is_enough = self._fresh.others("") > self.least  # whoever is left out
            ballots = [self._fresh] if is_enough else [self._fresh, self._every]
            found = [each.least_fair() for each in ballots if each.voters]
            self._least_fair = {
                side: min([each.get(side, math.inf) for each in found], default=math.inf)
                for side in self.sides
            }
        return self._least_fair.get(side, math.inf)

    def _own_voice(self, bookmaker: str | None) -> str:
        """Return the voice that does not judge a bookmaker's prices; empty where none votes."""
        voice = "" if bookmaker is None else self._voices.of(bookmaker)
        return voice if voice in self._named else ""

    def _without(self, voice: str) -> PooledLine | None:
        for ballot in (self._fresh, self._every):
            left = ballot.others(voice)
            if left and left >= self.least:
                return PooledLine(ballot.line(voice), left, voice, ballot)
        return None


def _margin_of(skins: Sequence[Voter]) -> tuple[float, float]:
    """Return the weight of a voice, and its S."""
    if len(skins) == 1:
        return skins[0].profile.weight, skins[0].overround
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
                votes.append(Vote(voter.voice, said, voter.profile.weight))
    chances = LogitPool(votes).chances()
    return None if chances is None else 1 / chances[pooled.line.group.sides.index(side)]


def agreeing(voters: Iterable[Voter], *, by_overtime: bool, left_out: list[LeftOut]) -> list[Voter]:
    """Return the voters that bet on the same in the same state: what most voices do.

    In play, those that were seen more than a minute before the newest are stale: the score may be
    another since. The others are added to ``left_out``. ``by_overtime``: whether overtime may
    decide the line (D49).
    """
    found = list(voters)
    found = _majority(found, lambda voter: voter.group.sides, Silence.OTHER_SIDES, left_out)
    if by_overtime:
        found = _majority(found, lambda voter: voter.has_overtime, Silence.OTHER_RULES, left_out)
    found = _majority(found, lambda voter: voter.is_live, Silence.OTHER_STATE, left_out)
    newest = max([voter.scraped_at for voter in found], default=0)
    return [
        voter._replace(is_stale=True, is_apart=True)
        if voter.is_live and newest - voter.scraped_at > APART_MS
        else voter
        for voter in found
    ]


def _majority(
    voters: list[Voter],
    said: Callable[[Voter], Hashable],
    why: Silence,
    left_out: list[LeftOut],
) -> list[Voter]:
    """Return the voters that say what most voices say, and those that say nothing (None).

    Of two answers with as many voices it is the first by the names of bookmakers.
    """
    counts: dict[Hashable, set[str]] = {}
    if len(set(map(said, voters)) - {None}) < 2:
        return voters
    for voter in voters:
        if said(voter) is not None:
            counts.setdefault(said(voter), set()).add(voter.voice)
    most = max(counts, key=lambda word: len(counts[word]))
    left_out += [LeftOut(v.bookmaker, why) for v in voters if said(v) not in (most, None)]
    return [voter for voter in voters if said(voter) in (most, None)]
