"""Arbitrage, middles and low hold among the prices of a game at one moment.

The sharp book is a bookmaker like the others here. Whether a price is reliable is decided in one
place, by the board.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.market_words import market_text, selection_text
from oddsdesk.base.texts import _
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, RowKey, Section
from oddsdesk.board.opportunities.family import Family, Line
from oddsdesk.board.opportunities.ways import Candidate, Offer, Ways, outcome_of
from oddsdesk.board.valuation.judging import Judge
from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, Caution, settles_otherwise
from oddsdesk.pricing.covers import Bet, Cover, bets_against, depends_on_state, family_of
from oddsdesk.pricing.opportunities import (
    LOW_HOLD,
    Between,
    Leg,
    Middle,
    OpportunityKind,
    Outlay,
    Span,
    Split,
    best_legs,
    go_together,
    middle_outlay,
    middle_span,
    outlay,
    push_of,
    total_of,
)
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import AWAY, DRAW, HOME, line_of
from oddsdesk.pricing.stakes import Depth, Ladder, backers_stake, net_paying, stakeable
from oddsdesk.pricing.value import MIN_OVERROUND, DerivedKind, ReferenceLine, ladders, subject

LEAST_UNCHECKED: Final = 0.9
"""Below this S, a set is a likely error if a leg has no fair odds to check it."""
_RANK: Final = {kind: rank for rank, kind in enumerate(OpportunityKind)}


class FamilyKey(NamedTuple):
    """The markets of a game that an opportunity may combine."""

    game_id: str
    family: str
    """What ``family_of`` returns for their market types."""
    period: int


class OpportunityKey(NamedTuple):
    """The bets of an opportunity, at any bookmaker and in any market that settles alike."""

    game_id: str
    family: str
    period: int
    bets: tuple[Bet, ...]
    """What each leg bets on."""

    @property
    def family_key(self) -> FamilyKey:
        """Where it was found."""
        return FamilyKey(*self[:3])


class OpportunityLeg(NamedTuple):
    """A possible leg: a price, or a lay of the selection of ``key``."""

    key: RowKey
    bookmaker: str
    odds: float
    """As offered; for a lay, the backer's odds, as in a recorded bet."""
    net_odds: float
    """After commission; for a lay, per unit of liability, as a back of the other side."""
    stake: float
    """The amount at risk; for a lay, the liability."""
    seen_at: int
    """In milliseconds."""
    cautions: tuple[Caution, ...]
    """What speaks against the price given the reference's; it is a leg all the same."""
    url: str | None
    same_at: tuple[str, ...] = ()
    """Who else offers as much net, and goes with the other legs."""
    most: float | None = None
    """The most that the bookmaker takes, as the user noted it."""
    depth: Depth | None = None
    """What is for sale; None where nobody tells."""
    ladder: Ladder | None = None
    """The same at net odds."""
    line: float | None = None
    """The line; for handicaps the home team's."""
    derived: DerivedKind | None = None
    """``Assessment.derived`` of the fair odds that its warnings compare it with."""
    band_pct: float | None = None
    """``Assessment.band_pct`` of those fair odds."""
    is_checked: bool = True
    """Whether fair odds are known that would reveal an error."""
    is_lay: bool = False
    """Whether it wins if the selection of ``key`` loses; it is recorded as a lay bet."""

    def named(self, selection: str) -> str:
        """Return the name of the bet: ``Lay Arsenal``."""
        named = selection_text(selection)
        return _("Lay {selection}").format(selection=named) if self.is_lay else named

    @property
    def win_text(self) -> str:
        """When it wins: ``Arsenal wins``; for a lay ``Arsenal does not win``."""
        text = _("{selection} does not win") if self.is_lay else _("{selection} wins")
        return text.format(selection=selection_text(self.key.selection))

    def net_of(self, profile: Profile, odds: float) -> float:
        """Return other odds after commission; for a lay, per unit of liability."""
        return profile.net_lay(odds) if self.is_lay else profile.net(odds)

    @property
    def backers_stake(self) -> float | None:
        """The backer's stake of a lay with this liability; None for a back."""
        if not self.is_lay:
            return None
        if self.depth is None or not self.ladder:
            return self.stake / (self.odds - 1)
        return backers_stake(self.depth, self.ladder, self.stake)

    @property
    def lay_odds(self) -> float | None:
        """The backer's odds of a lay, averaged over its stake; None for a back.

        Liability is the backer's stake times these odds minus 1.
        """
        backers = self.backers_stake
        return 1 + self.stake / backers if backers else self.odds if self.is_lay else None

    @property
    def typed_odds(self) -> float:
        """The odds at the bookmaker; for a lay, the backer's, on average over its stake."""
        return self.lay_odds or self.odds

    @property
    def typed_stake(self) -> float:
        """The stake to type at the bookmaker; for a lay, the backer's."""
        return self.backers_stake or 0.0 if self.is_lay else self.stake

    @property
    def for_sale(self) -> tuple[float, str] | None:
        """The stake that the best odds take, and its currency; None where nobody tells."""
        if self.depth is None or self.ladder is None:
            return None
        levels = self.depth.lay if self.is_lay else self.depth.levels
        is_there = bool(self.ladder) and levels[0][1] > 0
        return self.ladder[0].most if is_there else 0.0, self.depth.currency

    @property
    def room(self) -> float | None:
        """The largest stake: by the bookmaker's limit and what is for sale; None for any."""
        if self.ladder is None:
            return self.most
        for_sale = stakeable(self.ladder)
        return for_sale if self.most is None else min(self.most, for_sale)

    def net_paying(self, paid: float) -> float:
        """Return the net odds of the stake that pays back an amount."""
        return net_paying(self.ladder, paid) if self.ladder else self.net_odds


class Hedging(NamedTuple):
    """A price at one bookmaker, and the best bets at others on everything else."""

    legs: tuple[OpportunityLeg, ...]
    """Without stakes; the first is that price."""
    line: float | None
    """The number that decides all legs, as in ``Cover``; None if none does."""
    in_play: bool
    due_at: float
    """When time alone may change it, in milliseconds."""


class Opportunity(msgspec.Struct, frozen=True):
    """Legs that cover everything, with their stakes; amounts in the user's money."""

    key: OpportunityKey
    kind: OpportunityKind
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    in_play: bool
    legs: tuple[OpportunityLeg, ...]
    total: float
    """S: the sum of 1/net odds."""
    outlay: Outlay
    middle: Middle | None
    between: Between | None
    """Where both legs stand; None where one of them always loses."""
    due_at: float
    """When time alone may change it, in milliseconds."""

    def sort_key(self) -> tuple[object, ...]:
        """Return what opportunities are sorted by: kind, then the least S."""
        place = (self.competition, self.match_name, *self.key[1:])
        return (_RANK[self.kind], self.total, *place)

    @property
    def market_type(self) -> str | None:
        """The market of all legs; None if they are in several."""
        first, *others = (leg.key.market_type for leg in self.legs)
        return first if all(each == first for each in others) else None

    @property
    def line(self) -> float | None:
        """The line of all legs; None if there is none, or theirs differ."""
        first, *others = (leg.line for leg in self.legs)
        return first if all(each == first for each in others) else None

    def leg_text(self, place: int) -> str:
        """Return what a leg bets on: ``Lay Arsenal``; with its market if there are several."""
        leg = self.legs[place]
        named = leg.named(leg.key.selection)
        if self.market_type is not None:
            return named
        return f"{named} ({market_text(leg.key.market_type)})"

    def english_leg_text(self, place: int) -> str:
        """Return the same in English, for pages of a server and ``--json``."""
        leg = self.legs[place]
        named = f"Lay {leg.key.selection}" if leg.is_lay else leg.key.selection
        if self.market_type is not None:
            return named
        return f"{named} ({market_title(leg.key.market_type)})"

    @property
    def hold_pct(self) -> float:
        """The margin ``S - 1`` in percent; below 0 the set wins if stakes are fine enough.

        The name is the API's; where a table shows hold, it is ``1 - 1/S``.
        """
        return (self.total - 1) * 100

    @property
    def outcomes(self) -> list[Hashable]:
        """What each leg is on, as ``Placed.by_bookmaker`` names it."""
        game, _, period, bets = self.key
        return [outcome_of(game, bet, period) for bet in bets]

    def recorded_on(self, place: int) -> list[Hashable]:
        """Return the outcomes under which the ledger may list a bet on a leg.

        The ledger does not know whether a market has a draw: in a sport that may have one, it takes
        a lay of a team as a bet on the draw, too.
        """
        game, _, period, bets = self.key
        bet, named = bets[place], [bets[place]]
        if self.legs[place].is_lay and bet[2] in (HOME, AWAY):
            laid = (*bet[:2], AWAY if bet[2] == HOME else HOME)
            named += [each.bet for each in bets_against(laid, self.sport) if each.bet != bet]
        return [outcome_of(game, each, period) for each in named]

    @property
    def is_too_good(self) -> bool:
        """Whether a leg is a likely error: it is then listed last and starts no alert.

        Without fair odds to check a leg, the size of the win decides.
        """
        if any(Caution.ABOVE_WINDOW in leg.cautions for leg in self.legs):
            return True
        return self.total < LEAST_UNCHECKED and not all(leg.is_checked for leg in self.legs)

    @property
    def eaten_pct(self) -> float:
        """What stakes in finer steps would win, where those in the user's win nothing; else 0."""
        if self.kind is not OpportunityKind.LOW_HOLD or self.total >= 1:
            return 0.0
        return (1 / self.total - 1) * 100

    @property
    def limited_by(self) -> str | None:
        """The bookmaker whose limit makes all stakes smaller; None for none."""
        place = self.outlay.limited_by
        return None if place is None else self.legs[place].bookmaker

    @property
    def profit_pct(self) -> float:
        """The worst outcome that decides after rounding, in percent of what is staked."""
        return self.outlay.worst_pct


class OpportunityFinder:
    """Looks for opportunities among the markets of a game at one moment."""

    def __init__(
        self,
        basis: Basis,
        judge: Judge,
        matrix: Matrix,
        split: Split,
        *,
        among: Mapping[tuple[RowKey, bool], float | None] | None = None,
        bookmakers: Collection[str] = (),
        kept: Collection[OpportunityKey] = (),
        placed: Mapping[tuple[Hashable, str], float] | None = None,
        also_at: str = "",
        has_lays: bool = True,
    ) -> None:
        """Look among these prices, and at these bookmakers, alone where they are named.

        ``among`` has prices, to back or lay, with the most that each still takes.

        Those ``kept`` are found whatever they cost, and wherever: the user has money on a side.
        ``placed``: as ``Placed.by_bookmaker``. A bookmaker's limit counts it.
        ``also_at``: a bookmaker whose prices count even if the user did not choose it.
        ``has_lays``: whether lays may be legs.
        """
        self._judge = judge
        self._matrix = matrix
        self._split = split
        self._kept = kept
        self._has_lays = has_lays
        self._ways = Ways(
            basis,
            judge,
            matrix,
            split.step,
            among=among,
            bookmakers=bookmakers,
            placed=placed,
            also_at=also_at,
        )

    def opportunities(self, sections: Sequence[Section]) -> Iterator[Opportunity]:
        """Yield the opportunities of one family of markets."""
        yield from (found for found in self.looking(sections) if found is not None)

    def looking(self, sections: Sequence[Section]) -> Iterator[Opportunity | None]:
        """Yield the opportunities of one family of markets, and None after each step without one.

        If some prices are in play and others are not, one may appear twice, once for each state.
        """
        for family in self._families(sections):
            for cover in family.covers():
                yield self._covering(family, cover)
            for lines in family.lines():
                yield from self._middles(family, lines)

    def hedging(
        self,
        sections: Sequence[Section],
        bookmaker: str,
        needed: Callable[[float], float],
        *,
        also_there: bool = False,
    ) -> Iterator[Hedging | None]:
        """Yield the best hedge of each price of a bookmaker; None after each step without one.

        If too little is available for the best hedge, the best one with enough follows.

        Args:
            sections: The markets of a family.
            bookmaker: Its prices are hedged.
            needed: The payout that a hedge needs, by the price's odds after commission.
            also_there: Whether one bet of the hedge may be at the same operator.
        """
        for family in self._families(sections):
            for cover in family.covers():
                candidates = [self._candidates(family, bet, math.inf) for bet in cover.bets]
                for place, of_side in enumerate(candidates):
                    for each in of_side:
                        if each.bookmaker == bookmaker and not each.stand.is_lay:
                            others = [*candidates[:place], *candidates[place + 1 :]]
                            yield self._hedging(cover, [[each], *others], also_there=also_there)
                            paid = needed(each.net_odds)
                            deep = [
                                [o for o in side if self._ways.pays(o, paid)] for side in others
                            ]
                            if deep != others:
                                yield self._hedging(cover, [[each], *deep], also_there=also_there)
                yield None

    def _hedging(
        self, cover: Cover, candidates: Sequence[Sequence[Candidate]], *, also_there: bool
    ) -> Hedging | None:
        found = self._best(cover, candidates, math.inf, first_apart=also_there)
        if found is None:
            return None
        due_at = min(
            self._judge.due_at(each.section, each.leg.selection, each.bookmaker) for each in found
        )
        legs = tuple(self._leg(each, 0.0) for each in found)
        return Hedging(legs, cover.line, found[0].leg.in_play, due_at)

    def best_legs_each(
        self, sections: Sequence[Section], key: OpportunityKey
    ) -> list[OpportunityLeg | None]:
        """Return the best possible leg on each bet, on its own and without a stake."""
        families = self._families(sections)
        has_draw = any(DRAW in bet or "double_chance" in bet for bet in key.bets)
        legs: list[OpportunityLeg | None] = []
        for bet in key.bets:
            offers = [
                offers[0]
                for family in families
                if (
                    offers := self._ways.reliable(
                        has_draw, self._ways.candidates(family, bet, anywhere=True)
                    )
                )
            ]
            best = max(offers, key=lambda each: each.leg.net_odds, default=None)
            legs.append(None if best is None else self._leg(best, 0.0))
        return legs

    def _families(self, sections: Sequence[Section]) -> list[Family]:
        """Return the family, split into pre-match and in play if that changes how bets settle."""
        matrix = self._matrix
        if not sections or not depends_on_state(
            family_of(sections[0].key.market_type), matrix.sport
        ):
            return [Family(matrix.sport, sections, has_lays=self._has_lays)]
        states = {
            self._ways.is_in_play(price)
            for section in sections
            for row in section.rows
            for price in row.prices.values()
        }
        return [
            Family(matrix.sport, sections, in_play=state, has_lays=self._has_lays)
            for state in sorted(states)
        ]

    def _covering(self, family: Family, cover: Cover) -> Opportunity | None:
        """Return the best legs of one cover."""
        limit = self._limit(family, cover.bets, 1 + LOW_HOLD)
        if math.fsum(1 / family.highest(bet) for bet in cover.bets) > limit:
            return None
        candidates = [self._candidates(family, bet, limit) for bet in cover.bets]
        best: tuple[Sequence[Offer], Outlay] | None = None
        for found in self._best_each_way(cover, candidates, limit):
            staked = outlay([each.leg for each in found], self._split, cover.line)
            is_small = any(each.leg.ladder is not None for each in found)
            if is_small and not math.isinf(limit) and staked.worst_pct < -100 * LOW_HOLD:
                continue  # so little is for sale that the steps of stakes cost more than a low hold
            if staked.covers_all and (best is None or _worth(staked) > _worth(best[1])):
                best = found, staked
        if best is None:
            return None
        found, staked = best
        kind = OpportunityKind.ARBITRAGE if staked.wins else OpportunityKind.LOW_HOLD
        key = self._key(family, cover.bets)
        return self._opportunity(kind, key, found, staked, None, push_of(cover.line))

    def _best_each_way(
        self, cover: Cover, candidates: Sequence[Sequence[Candidate]], limit: float
    ) -> Iterator[Sequence[Offer]]:
        """Yield the legs with the least S; where little of one is for sale, those without such.

        The best odds may be for sale for less than a step, and hide what can be had at others.
        """
        found = self._best(cover, candidates, limit)
        if found is None or total_of(each.leg for each in found) > limit:
            return
        yield found
        if any(each.leg.ladder is not None for each in found):
            others = [[each for each in side if not each.is_limited] for side in candidates]
            found = self._best(cover, others, limit)
            if found is not None and total_of(each.leg for each in found) <= limit:
                yield found

    def _middles(self, family: Family, lines: Sequence[Line]) -> Iterator[Opportunity | None]:
        """Yield the middles between the lines of one subject, None for each pair without one.

        No middle breaks even at less than ``S - 1``: a chance below it spares the closer look.
        """
        if len(lines) < 2:
            return
        chances = self._ladders(family, lines)
        likeliest = max((max(each.values(), default=0.0) for each in chances.values()), default=0.0)
        dearest = 1 + max(LOW_HOLD, likeliest)
        for one, other in combinations(lines, 2):
            if one.above is None or other.below is None:
                continue
            bets = (one.above, other.below)
            total = 1 / family.highest(one.above) + 1 / family.highest(other.below)
            if total > self._limit(family, bets, dearest):
                yield None
            else:
                yield self._between(family, bets, (one.number, other.number), total, chances)

    def _between(
        self,
        family: Family,
        bets: tuple[Bet, Bet],
        lines: tuple[float, float],
        total: float,
        chances: Mapping[bool, Mapping[float, float]],
    ) -> Opportunity | None:
        """Return the middle above one line and below another; ``total`` is S at the very least."""
        span = middle_span(*lines, impossible=self._impossible(bets[0], family.period))
        if span is None:
            return None
        chance = {state: span.chance(ladder) for state, ladder in chances.items()}
        dearest = 1 + max(LOW_HOLD, *(each or 0.0 for each in chance.values()))
        limit = self._limit(family, bets, dearest)
        if total > limit:
            return None
        candidates = [self._candidates(family, bet, limit) for bet in bets]
        found = self._best(Cover(bets, has_draw=False), candidates, limit)
        if found is None:
            return None
        return self._middle(family, bets, found, lines, span, chance[found[0].leg.in_play])

    def _middle(
        self,
        family: Family,
        bets: tuple[Bet, Bet],
        found: Sequence[Offer],
        lines: tuple[float, float],
        span: Span,
        chance: float | None,
    ) -> Opportunity | None:
        legs = (found[0].leg, found[1].leg)
        staked, hit = middle_outlay(legs, lines, span, self._split)
        if hit <= 0 or not staked.covers_all:
            return None
        middle, key = Middle(-staked.worst, hit, chance), self._key(family, bets)
        if total_of(legs) > self._limit(family, bets, 1 + LOW_HOLD) and not middle.gains:
            return None
        between = Between(lines, span)
        return self._opportunity(OpportunityKind.MIDDLE, key, found, staked, middle, between)

    def _limit(self, family: Family, bets: tuple[Bet, ...], most: float) -> float:
        """Return up to which S an opportunity is one: ``most``, unless it is kept."""
        is_kept = bool(self._kept) and self._key(family, bets) in self._kept
        return math.inf if is_kept else most

    def _key(self, family: Family, bets: tuple[Bet, ...]) -> OpportunityKey:
        return OpportunityKey(self._matrix.game_id, family.name, family.period, bets)

    def _ladders(self, family: Family, lines: Sequence[Line]) -> dict[bool, Mapping[float, float]]:
        """Return how likely each line is passed, by the reference's own lines, for each state."""
        own_lines = [
            line
            for section in family.sections
            if (line := section.reference) is not None
            and line.derived is None
            and section.market.reference not in section.market.stale
            and (line.overround or 0.0) >= MIN_OVERROUND
        ]
        about = subject((lines[0].above or lines[0].below or ("", "", ""))[1])
        return {
            state: _ladder([line for line in own_lines if bool(line.is_live) is state], about)
            for state in (False, True)
        }

    def _impossible(self, bet: Bet, period: int) -> frozenset[int]:
        """Return margins that cannot happen: 0 if overtime goes on until one team leads."""
        goes_on = self._matrix.sport in OVERTIME_SPORTS and period == 0
        return frozenset({0}) if goes_on and bet[0] == "spread" else frozenset()

    def _candidates(self, family: Family, bet: Bet, limit: float) -> list[Candidate]:
        """Return the offers of a bet, at all of the user's bookmakers if it may cost anything."""
        return self._ways.candidates(family, bet, anywhere=math.isinf(limit))

    def _best(
        self,
        cover: Cover,
        candidates: Sequence[Sequence[Candidate]],
        limit: float,
        *,
        first_apart: bool = False,
    ) -> list[Offer] | None:
        """Return the legs with the least S, None where none can be as low as ``limit``.

        Only prices that may be legs are judged, as that takes a while. ``first_apart``: whether
        another leg may be at the operator of the first.
        """
        if not all(candidates):
            return None
        shares = [1 / of_side[0].net_odds for of_side in candidates]
        room = limit - math.fsum(shares)
        if room < 0:
            return None
        period, sport = candidates[0][0].stand.section.key.period, self._matrix.sport
        decides = overtime_decides(cover, period, sport)
        in_play = any(each.in_play for of_side in candidates for each in of_side)
        operators = math.inf if decides or in_play else len(cover.bets)
        offers = [
            self._ways.reliable(cover.has_draw, _up_to(share + room, of_side), operators)
            for of_side, share in zip(candidates, shares, strict=True)
        ]
        if first_apart:
            offers[0] = [each._replace(leg=each.leg._replace(group="")) for each in offers[0]]
        legs = best_legs(
            [[each.leg for each in of_side] for of_side in offers], overtime_decides=decides
        )
        if legs is None:
            return None
        return [
            next(each for each in of_side if each.leg is leg)._replace(
                same_at=tuple(
                    dict.fromkeys(_same_at(legs, place, of_side, overtime_decides=decides))
                )
            )
            for place, (leg, of_side) in enumerate(zip(legs, offers, strict=True))
        ]

    def _opportunity(
        self,
        kind: OpportunityKind,
        key: OpportunityKey,
        found: Sequence[Offer],
        staked: Outlay,
        middle: Middle | None,
        between: Between | None,
    ) -> Opportunity:
        matrix = self._matrix
        found = [
            each._replace(leg=each.leg.at(stake))
            for each, stake in zip(found, staked.stakes, strict=True)
        ]
        legs = tuple(
            self._leg(each, stake) for each, stake in zip(found, staked.stakes, strict=True)
        )
        return Opportunity(
            key=key,
            kind=kind,
            match_name=matrix.match_name,
            competition=matrix.competition,
            sport=matrix.sport,
            kick_off=matrix.kick_off,
            in_play=found[0].leg.in_play,
            legs=legs,
            total=total_of(each.leg for each in found),
            outlay=staked,
            middle=middle,
            between=between,
            due_at=min(
                self._judge.due_at(each.section, each.leg.selection, each.bookmaker)
                for each in found
            ),
        )

    def _leg(self, offer: Offer, stake: float) -> OpportunityLeg:
        leg, price = offer.leg, offer.price
        key = RowKey(self._matrix.game_id, *offer.section.key[:2], leg.selection, offer.bookmaker)
        return OpportunityLeg(
            key,
            leg.bookmaker,
            leg.odds,
            leg.net_odds,
            stake,
            leg.seen_at,
            offer.assessed.cautions,
            price.url,
            offer.same_at,
            leg.most,
            self._judge.depth(price),
            leg.ladder,
            offer.section.line,
            offer.assessed.derived,
            offer.assessed.band_pct,
            offer.assessed.fair_odds is not None,
            leg.is_lay,
        )


def overtime_decides(cover: Cover, period: int, sport: str) -> bool:
    """Return whether bets that count overtime and bets that do not differ on a cover."""
    return any(
        settles_otherwise((bet[0], period, sport), line_of(bet[1]), True, False)
        for bet in cover.bets
    )


def _up_to(most: float, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """Yield the prices, best first, up to a share of S."""
    for each in candidates:
        if 1 / each.net_odds > most:
            return
        yield each


def _worth(staked: Outlay) -> tuple[bool, float]:
    """What legs are chosen by: those that win by the money that they win, others by its share."""
    return staked.wins, staked.worst if staked.wins else staked.worst_pct


def _same_at(
    legs: Sequence[Leg], place: int, of_side: Iterable[Offer], *, overtime_decides: bool
) -> Iterator[str]:
    """Yield who else offers the leg at a place with as much net, and goes with the others."""
    leg = legs[place]
    for other in (each.leg for each in of_side):
        if other.net_odds != leg.net_odds or other.bookmaker == leg.bookmaker:
            continue
        if other.is_lay is not leg.is_lay:
            continue
        is_alike = not overtime_decides or other.has_overtime is leg.has_overtime
        if is_alike and go_together([*legs[:place], other, *legs[place + 1 :]]):
            yield other.bookmaker


def _ladder(lines: Sequence[ReferenceLine], about: str) -> Mapping[float, float]:
    """Return how likely each line of a subject is passed, by the reference's own lines.

    A football match result counts as handicaps of half a goal.
    """
    found: dict[float, float] = {}
    for line in lines:
        home, away = line.prices.get(HOME), line.prices.get(AWAY)
        if about or line.market_type != "moneyline" or DRAW not in line.prices:
            continue
        if home is not None and home.fair_odds and away is not None and away.fair_odds:
            found |= {0.5: 1 / home.fair_odds, -0.5: 1 - 1 / away.fair_odds}
    return {**found, **ladders(lines).get(about, {})}
