"""The consensus of all bookmakers on a line group, and which bookmakers have no vote.

A price is judged by the votes of others: those of the same operator or supplier are left out.
A vote is a fresh and complete line of real prices with a margin between 0 and 20 % (``voting``).
``Pool`` leaves out lines that disagree with the others: with other outcomes, outliers, or with a
price that is too good to be true. If too few votes are fresh, old ones count, too, and the
consensus is stale.

Explain, second opinions, the consensus as sharp book, closes and near misses all use this.
"""

import contextlib
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import (
    UNNAMED_REFERENCE,
    Matrix,
    Price,
    Section,
    own_group,
    priced_by,
    state_of,
)
from oddsdesk.pricing.assessment import APART_MS, Caution, is_unread, settles_otherwise
from oddsdesk.pricing.consensus import (
    LEAST_FOR_OUTLIERS,
    MOST_MARGIN,
    Consensus,
    LogitPool,
    Voices,
    Vote,
    consensus,
    logits_of,
    outliers,
)
from oddsdesk.pricing.devig import DevigError, devig, overround
from oddsdesk.pricing.profiles import Profile, fold_name, is_delayed
from oddsdesk.pricing.selections import DRAW, LineGroup
from oddsdesk.pricing.value import (
    MAX_OVERROUND,
    MIN_OVERROUND,
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

    NO_WEIGHT = N_("its weight is 0")
    LATE = N_("delayed feed")
    PARTIAL = N_("does not price every outcome")
    UNREAD = N_("may have an outcome that could not be read")
    PLACEHOLDER = N_("placeholder prices")
    NO_ANSWER = N_("the devig method does not work on its prices")
    BELOW_100 = N_("its margin is negative")
    MARGIN = N_("its margin is above 20 %")
    OTHER_SIDES = N_("has other outcomes than most")
    OTHER_RULES = N_("has other overtime rules than most")
    OTHER_STATE = N_("in play when others are not, or the reverse")
    OLD = N_("its price is old")
    OUTLIER = N_("outlier")
    TOO_GOOD = N_("its price is probably an error")
    OWN = N_("shares a vote with the bookmaker being valued")
    UNMEASURED = N_("has no learned weight here")


class LeftOut(NamedTuple):
    """A bookmaker without a vote on a line."""

    bookmaker: str
    why: Silence
    detail: str = ""
    """The figures that the reason rests on; empty where there are none."""

    @property
    def reason_text(self) -> str:
        """The reason in words, with its figures."""
        reason = translated(self.why.value)
        return f"{reason}: {self.detail}" if self.detail else reason


class Voter(NamedTuple):
    """A bookmaker that prices a whole line group; times in milliseconds."""

    bookmaker: str
    profile: Profile
    voice: str
    """Whose vote it is: bookmakers of one operator or supplier share one (``Voices``)."""
    group: LineGroup
    odds: tuple[float, ...]
    """Gross, in the order of the group's sides."""
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
            detail = _("{selection} {chance:.1f} %, the others {others:.1f} %").format(
                selection=selection_text(side),
                chance=num(off.chance * 100),
                others=num(off.others * 100),
            )
            self.left_out.append(LeftOut(name, Silence.OUTLIER, detail))
        return [voter for place, voter in enumerate(voters) if place not in found]

    def _too_good(self) -> tuple[Voter, LeftOut] | None:
        """Return the vote with the price farthest above what the others make suspicious."""
        worst, found = _SLACK, None
        for voter, place, most in self._suspects():
            ratio = voter.profile.net(voter.odds[place]) / most
            if ratio > worst:
                side = voter.group.selections[place]
                detail = _("{selection} {odds:g}, suspicious above {most:.2f}").format(
                    selection=selection_text(side), odds=num(voter.odds[place]), most=num(most)
                )
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
                    price = self.pooled_line(voter.voice).prices[side]
                    assert price.fair_odds is not None
                    yield (
                        voter,
                        place,
                        highest_unsuspicious(self._market_type, price.fair_odds, price.others),
                    )

    def others(self, voice: str) -> int:
        """Return how many voices there are without one."""
        return len(self.by_voice) - (voice in self.by_voice)

    def pooled_line(self, without: str) -> ReferenceLine:
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
        """Return fair odds of each side that no line goes below, with any voter left out."""
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

    is_learned: bool = False
    """Whether the votes have learned weights."""

    @property
    def voters(self) -> tuple[Voter, ...]:
        """The bookmakers that it is of."""
        votes = self.ballot.voters
        return tuple(voter for voter in votes if voter.voice != self.without)


class Pool:
    """The votes on a line group, and what they say with and without each voice."""

    def __init__(
        self,
        market_type: str,
        voters: Sequence[Voter],
        voices: Voices,
        method: str,
        least: int,
        learned: Mapping[str, float] | None = None,
    ) -> None:
        """``voters`` settle alike and have the same sides and state. Fewer than ``least`` voices
        give no line. With ``learned`` weights (by folded name), only bookmakers with a weight
        vote, unless they are too few."""
        fresh = [voter for voter in voters if not voter.is_stale]
        self._fresh = _Ballot(market_type, fresh, method, least)
        self._every = self._fresh
        if len(fresh) < len(voters):
            self._every = _Ballot(market_type, voters, method, least)
        self._learned: _Ballot | None = None
        if learned is not None:
            weighed = list(_weighed(fresh, learned))
            self._learned = _Ballot(market_type, weighed, method, least)
        found = (self._learned, self._fresh, self._every)
        self._ballots = [ballot for ballot in found if ballot is not None]
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

    def pooled_without(self, bookmaker: str) -> PooledLine | None:
        """Return the line of all others, which judges a bookmaker's prices; of all if it is empty.

        None if too few votes are left.
        """
        left_out = self._own_voice(bookmaker)
        if left_out not in self._pooled:
            self._pooled[left_out] = self._without(left_out)
        return self._pooled[left_out]

    def without(self, bookmakers: Iterable[str]) -> Consensus | None:
        """Return what fresh votes say together without the voices of some bookmakers.

        None where too few are left.
        """
        silent = set(map(self._voices.voice_of, bookmakers))
        votes = [voter.vote for voter in self._fresh.voters if voter.voice not in silent]
        return consensus(votes, self.least)

    def voters_left_out(self, bookmaker: str) -> list[LeftOut]:
        """Return which voters have no vote on a bookmaker's prices after all."""
        pooled, own = self.pooled_without(bookmaker), self._own_voice(bookmaker)
        ballot = self._every if pooled is None else pooled.ballot
        found = list(ballot.left_out)
        if pooled is not None and ballot is not self._every:
            found += [LeftOut(v.bookmaker, Silence.OLD) for v in self._voters if v.is_stale]
        if ballot is self._learned:
            weighed = {v.bookmaker for v in ballot.voters} | {each.bookmaker for each in found}
            silent = [v.bookmaker for v in self._voters if v.bookmaker not in weighed]
            found += [LeftOut(name, Silence.UNMEASURED) for name in silent if name != bookmaker]
        if own:
            mine = [v.bookmaker for v in ballot.by_voice.get(own, ()) if v.bookmaker != bookmaker]
            found += [LeftOut(name, Silence.OWN, own) for name in mine]
        return found

    def least_fair(self, side: str) -> float:
        """Return fair odds that no line of others goes below; infinite where none prices the side.

        It is quick: most prices are far from them, and need no line of their own.
        """
        if self._least_fair is None:
            found = []
            for ballot in self._ballots:
                if ballot.voters:
                    found.append(ballot.least_fair())
                if ballot.others("") > self.least:  # whichever is left out
                    break
            self._least_fair = {
                side: min([each.get(side, math.inf) for each in found], default=math.inf)
                for side in self.sides
            }
        return self._least_fair.get(side, math.inf)

    def _own_voice(self, bookmaker: str) -> str:
        """Return the voice that does not judge a bookmaker's prices; empty where none votes."""
        voice = self._voices.voice_of(bookmaker) if bookmaker else ""
        return voice if voice in self._named else ""

    def _without(self, voice: str) -> PooledLine | None:
        for ballot in self._ballots:
            left = ballot.others(voice)
            if left and left >= self.least:
                is_learned = ballot is self._learned
                return PooledLine(ballot.pooled_line(voice), left, voice, ballot, is_learned)
        return None


def _weighed(voters: Iterable[Voter], weights: Mapping[str, float]) -> Iterator[Voter]:
    """Yield the voters that have a learned weight, with it."""
    for voter in voters:
        weight = weights.get(fold_name(voter.profile.name))
        if weight is not None:
            yield voter._replace(vote=voter.vote._replace(weight=weight))


def _margin_of(skins: Sequence[Voter]) -> tuple[float, float]:
    """Return the weight of a voice, and its S."""
    if len(skins) == 1:
        return skins[0].vote.weight, skins[0].overround
    count = len(skins)
    weight = sum(voter.vote.weight for voter in skins) / count
    return weight, sum(voter.overround for voter in skins) / count


def fair_by_method(pooled: PooledLine, side: str, method: str) -> float | None:
    """Return the fair odds of a side by another devig method; None where no vote has an answer."""
    votes = []
    for voter in pooled.voters:
        with contextlib.suppress(DevigError):
            said = devig(method, voter.odds).probabilities
            if all(0 < chance < 1 for chance in said):
                votes.append(Vote(voter.voice, said, voter.vote.weight))
    chances = LogitPool(votes).chances()
    return None if chances is None else 1 / chances[pooled.line.group.sides.index(side)]


def agreeing(voters: Iterable[Voter], *, by_overtime: bool, left_out: list[LeftOut]) -> list[Voter]:
    """Return the voters that bet on the same in the same state: what most voices do.

    In play, those that were seen more than a minute before the newest are stale: the score may be
    another since. The others are added to ``left_out``. ``by_overtime``: whether overtime may
    decide the line.
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
    voters: list[Voter], said: Callable[[Voter], Hashable], why: Silence, left_out: list[LeftOut]
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


def pool_of(
    section: Section,
    basis: Basis,
    left_out: list[LeftOut] | None = None,
    *,
    by_learned: bool | None = None,
) -> Pool | None:
    """Return the votes on a line group; None where nobody has any.

    Bookmakers that have none are added to ``left_out``, but for those of ``Pool.voters_left_out``.
    ``by_learned`` says whether votes have learned weights; None follows the chosen reference.
    """
    told: list[LeftOut] = [] if left_out is None else left_out
    market_type, period, _ = section.key
    market = market_type, period, section.sport
    by_overtime = settles_otherwise(market, section.line, True, False)
    voters = agreeing(_voters(section, basis, told), by_overtime=by_overtime, left_out=told)
    if not voters:
        return None
    learned = None
    if basis.reference.is_learned if by_learned is None else by_learned:
        learned = basis.learned.weights_of(section.sport, market_type, period, basis.method)
    return Pool(market_type, voters, basis.voices, basis.method, basis.least_voices, learned)


def left_out_of(
    pool: Pool | None, silent: Iterable[LeftOut], bookmaker: str
) -> tuple[LeftOut, ...]:
    """Return which bookmakers have no vote on the prices of another, by name, and why.

    ``silent`` are those that ``pool_of`` left out. An empty ``bookmaker`` asks for the consensus
    of all.
    """
    voters = () if pool is None else pool.voters_left_out(bookmaker)
    return tuple(sorted((*silent, *voters), key=lambda each: each.bookmaker.casefold()))


def compare_lines(matrix: Matrix, basis: Basis, now_ms: int) -> None:
    """Learn from a game's lines which bookmakers show the odds of one supplier.

    Compared are whole lines before the game, with fresh prices: in play one feed is seconds late.
    """
    for section in matrix.sections:
        lines: dict[tuple[bool, ...], dict[str, tuple[float, ...]]] = {}
        for name, odds in _standing_lines(section, basis):
            sides = tuple([price > 0 for price in odds])
            lines.setdefault(sides, {})[name] = odds
        for sides, odds_of in lines.items():
            line = hash((matrix.game_id, section.key, sides))
            basis.suppliers.compare(line, odds_of, now_ms)


def _standing_lines(section: Section, basis: Basis) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield each bookmaker's odds of a line, 0 for a draw that its whole line does not have."""
    rows, sides, stale = section.rows, section.sides, section.market.stale
    if not section.complete:
        return
    draw = sides.index(DRAW) if DRAW in sides else None
    for name in dict.fromkeys([name for row in rows for name in row.prices]):
        prices = [row.prices.get(name) for row in rows]
        odds = tuple(
            [
                price.odds if price and price.is_offered and not price.is_live else 0.0
                for price in prices
            ]
        )
        missing = [place for place, price in enumerate(odds) if not price]
        is_named = name != UNNAMED_REFERENCE
        if is_named and name not in stale and missing in ([], [draw]) and not is_delayed(name):
            yield name, odds


def _voters(section: Section, basis: Basis, left_out: list[LeftOut]) -> Iterator[Voter]:
    names = {name for row in section.rows for name in row.prices}
    for name in sorted(names - {UNNAMED_REFERENCE}):
        voter = _voter(section, name, basis, basis.voices)
        if isinstance(voter, Voter):
            yield voter
        elif voter is not None:
            left_out.append(voter)


def _voter(section: Section, name: str, basis: Basis, voices: Voices) -> Voter | LeftOut | None:
    """Return a bookmaker's vote, or why it has none; None where it offers nothing."""
    profile, facts = basis.profiles.profile_of(name), section.market
    rows = priced_by(section, name)
    if not rows:
        return None
    if profile.weight <= 0:
        return LeftOut(name, Silence.NO_WEIGHT)
    if is_delayed(name):
        return LeftOut(name, Silence.LATE)
    group = own_group(section, rows)
    if group is None:
        return LeftOut(name, Silence.PARTIAL)
    if is_unread(
        section.key.market_type,
        int(name in facts.unread),
        group.sides,
        had_draw=name in facts.drew_at,
    ):
        return LeftOut(name, Silence.UNREAD)
    if section.doubts and any(
        Caution.PLACEHOLDER in section.doubts.get((row.selection, name), ()) for row in rows
    ):
        return LeftOut(name, Silence.PLACEHOLDER)
    prices = [price for row in rows if (price := row.prices.get(name)) is not None]
    odds = tuple([price.odds for price in prices])
    said = opinion_of(basis.method, odds)
    if isinstance(said, Silence):
        return LeftOut(name, said, _margin_text(said, odds))
    chances, logits, total = said
    return Voter(
        bookmaker=name,
        profile=profile,
        voice=voices.voice_of(name),
        group=group,
        odds=odds,
        vote=Vote(voices.voice_of(name), chances, profile.weight, logits),
        overround=total,
        price=prices[0],
        scraped_at=min([price.scraped_at for price in prices]),
        is_live=state_of(prices),
        is_stale=name in facts.stale,
        has_overtime=basis.overtime.counts_overtime(
            facts.game_id, facts.competition, section.sport, name
        ),
    )


@lru_cache(maxsize=1 << 14)
def opinion_of(
    method: str, odds: tuple[float, ...]
) -> tuple[tuple[float, ...], tuple[float, ...], float] | Silence:
    """Return chances without margin, their logits and S; or why a line is no opinion."""
    try:
        total = overround(odds)
        if total < MIN_OVERROUND:
            return Silence.BELOW_100
        if total > 1 + MOST_MARGIN + 1e-9:
            return Silence.MARGIN
        chances = devig(method, odds).probabilities
    except DevigError:
        return Silence.NO_ANSWER
    if min(chances) <= 0 or max(chances) >= 1:
        return Silence.NO_ANSWER
    return tuple(chances), logits_of(chances), total


def _margin_text(why: Silence, odds: tuple[float, ...]) -> str:
    """Return the margin that a line is left out for."""
    if why not in (Silence.BELOW_100, Silence.MARGIN):
        return ""
    return f"{num((overround(odds) - 1) * 100):.1f} %".replace("-", "−")
