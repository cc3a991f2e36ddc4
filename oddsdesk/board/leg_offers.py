"""What to stake on a leg of an opportunity at the prices of now, as the list of them says it (D59).

Between the look that listed it and the bet its prices may have moved, and a stake of then beside
odds of now would cover nothing.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.opportunity import Opportunity, OpportunityLeg
from oddsdesk.board.opportunity_finder import UNRELIABLE, OpportunityFinder
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.depth import Ladder, net_paying, stakeable
from oddsdesk.pricing.opportunities import (
    LOW_HOLD,
    OpportunityKind,
    Split,
    outlay_of,
    rest_of_legs,
    split_stakes,
)


class LegsToPlace(NamedTuple):
    """Which legs of an opportunity are to be bet on, and what is placed of it."""

    listed: Opportunity
    """As it was listed."""
    places: tuple[int, ...]
    """The legs that are asked for, by place, in this order."""
    unplaced: tuple[int, ...]
    """All legs without a bet, by place: nothing more is staked on the others."""
    taken: tuple[tuple[float, float], ...] = ()
    """Stake and net odds of each leg that is placed."""

    def after(self, place: int, stake: float, net_odds: float) -> "LegsToPlace":
        """Return what is left once a leg is placed."""
        return self._replace(
            places=tuple(each for each in self.places if each != place),
            unplaced=tuple(each for each in self.unplaced if each != place),
            taken=(*self.taken, (stake, net_odds)),
        )


class LegNow(NamedTuple):
    """What became of a leg since it was listed."""

    listed: OpportunityLeg
    odds: float | None
    """None where they are held no longer."""
    cautions: tuple[Caution, ...]
    """Why it may be no leg now."""
    doubts: tuple[Caution, ...] = ()
    """What else speaks against it: it is a leg all the same."""
    better: tuple[float, str] | None = None
    """The best odds of its outcome by now and who offers them; None where it is the best net."""
    ladder: Ladder | None = None
    """What is for sale by now (D104); None where nobody tells."""

    @property
    def is_other(self) -> bool:
        """Whether it is not what was listed."""
        return self.odds != self.listed.odds or bool(self.cautions)


class LegOffer(NamedTuple):
    """What a leg is offered with at one moment."""

    stake: float
    """0 where nothing is to be staked."""
    worst_pct: float | None
    """What all legs then leave at worst, in percent of all stakes; None where they are none."""
    kind: OpportunityKind | None
    """What the unplaced legs are, before one is placed; None where they are no opportunity."""
    legs: tuple[LegNow, ...]
    """The unplaced ones."""


def offer_now(board: Board, wanted: LegsToPlace, place: int, split: Split) -> LegOffer:
    """Return what to stake on a leg now: before any is placed as the list does, then beside it."""
    legs = _legs_now(board, wanted)
    if place not in wanted.unplaced or board.connection.is_lost:
        return LegOffer(0.0, None, None, legs)
    if not wanted.taken:
        found = opportunity_now(board, wanted.listed, split)
        if found is None:
            return LegOffer(0.0, None, None, legs)
        return LegOffer(found.legs[place].stake, found.outlay.worst_of_all_pct, found.kind, legs)
    nets = _nets_of(board, legs, wanted.taken)
    if nets is None:
        return LegOffer(0.0, None, None, legs)
    stakes, worst = rest_of_legs(wanted.taken, nets, split.step, _most(legs))
    at = wanted.unplaced.index(place)
    return LegOffer(0.0 if legs[at].cautions else stakes[at], worst, None, legs)


def stake_at(
    board: Board, wanted: LegsToPlace, place: int, net_odds: float, split: Split
) -> float | None:
    """Return what ``offer_now`` would stake on a leg at other net odds, the others as they are now.

    0 where the list would not have such legs, None where nobody knows what they are.
    """
    legs = _legs_now(board, wanted)
    nets = _nets_of(board, legs, wanted.taken)
    if nets is None or place not in wanted.unplaced or board.connection.is_lost:
        return None
    at = wanted.unplaced.index(place)
    nets[at] = net_odds
    if wanted.taken:
        return rest_of_legs(wanted.taken, nets, split.step, _most(legs))[0][at]
    stakes = split_stakes(nets, split, _most(legs))
    is_listed = math.fsum(1 / net for net in nets) <= 1 + LOW_HOLD or _gains(
        wanted.listed, list(zip(stakes, nets, strict=True))
    )
    return stakes[at] if is_listed and not any(leg.cautions for leg in legs) else 0.0


def worst_beside(board: Board, left: LegsToPlace, split: Split) -> float | None:
    """Return what all legs leave at worst, in percent of all stakes, beside what is placed.

    The unplaced ones with the stakes that they are offered with now; None where that is unknown.
    """
    if not left.unplaced:
        return outlay_of(left.taken).worst_pct
    legs = _legs_now(board, left)
    nets = None if board.connection.is_lost else _nets_of(board, legs, left.taken)
    return None if nets is None else rest_of_legs(left.taken, nets, split.step, _most(legs))[1]


def between_beside(wanted: LegsToPlace, place: int, stake: float, net_odds: float) -> float | None:
    """Return what the last of two legs leaves where both stand, in percent of all stakes.

    At worst between the lines of a middle, or on a push; None where neither can be.
    """
    between = wanted.listed.between
    if between is None or wanted.unplaced != (place,) or len(wanted.taken) != 1:
        return None
    legs = [*wanted.taken]
    legs.insert(place, (stake, net_odds))
    return 100 * between.gain(legs) / math.fsum(staked for staked, _ in legs)


def opportunity_now(board: Board, listed: Opportunity, split: Split) -> Opportunity | None:
    """Return what the same legs are now; None where the list would not have them."""
    key, matrix = listed.key, board.matrix(listed.key.game_id)
    if matrix is None:
        return None
    finder = OpportunityFinder(
        board.basis,
        board.reference,
        board.judge(matrix),
        matrix,
        split,
        among={leg.key: leg.most for leg in listed.legs},
    )
    market = (key.market_type, key.period)
    sections = [each for each in matrix.sections if each.key[:2] == market]
    return next((each for each in finder.opportunities(sections) if each.key == key), None)


def legs_now(board: Board, found: Opportunity) -> list[OpportunityLeg | None]:
    """Return the best leg on each side of an opportunity now, each by itself and without a stake.

    None where no price on a side may be relied upon: then nothing covers everything.
    """
    key, matrix = found.key, board.matrix(found.key.game_id)
    if matrix is None:
        return [None] * len(key.sides)
    judge = board.judge(matrix)
    finder = OpportunityFinder(board.basis, board.reference, judge, matrix, Split())
    market = (key.market_type, key.period)
    sections = {each.key.group: each for each in matrix.sections if each.key[:2] == market}
    legs = []
    for place, side in enumerate(key.sides):
        section = sections.get(key.groups[min(place, len(key.groups) - 1)])
        legs.append(None if section is None else finder.best_leg(section, key.sides, side))
    return legs


def _gains(listed: Opportunity, legs: Sequence[tuple[float, float]]) -> bool:
    """Whether stakes at net odds gain on average, as a middle may that costs more."""
    if listed.middle is None or listed.between is None:
        return False
    loss, hit = -outlay_of(legs).worst, listed.between.gain(legs)
    return hit > 0 and listed.middle._replace(loss=loss, hit=hit).gains


def _legs_now(board: Board, wanted: LegsToPlace) -> tuple[LegNow, ...]:
    """Return the unplaced legs as they are now."""
    return tuple(_leg_now(board, wanted.listed.legs[each]) for each in wanted.unplaced)


def _nets_of(
    board: Board, legs: Sequence[LegNow], taken: Sequence[tuple[float, float]]
) -> list[float] | None:
    """Return the net odds of legs; None where one is held no longer."""
    nets = [
        net_paying(leg.ladder, _paid(leg.listed, taken))
        if leg.ladder
        else board.basis.net(leg.listed.bookmaker, leg.odds)
        for leg in legs
        if leg.odds is not None
    ]
    return nets if len(nets) == len(legs) else None


def _paid(listed: OpportunityLeg, taken: Sequence[tuple[float, float]]) -> float:
    """Return what a leg is to pay back: as much as what is placed, else as it is listed with."""
    if taken:
        return min(stake * net for stake, net in taken)
    return listed.stake * listed.net_odds


def _most(legs: Sequence[LegNow]) -> list[float | None]:
    """Return the most that each leg takes: by its bookmaker's limit, and by what is for sale."""
    return [
        leg.listed.most
        if leg.ladder is None
        else min(stakeable(leg.ladder), math.inf if leg.listed.most is None else leg.listed.most)
        for leg in legs
    ]


def _leg_now(board: Board, listed: OpportunityLeg) -> LegNow:
    found = board.assess(listed.key)
    if found is None:
        return LegNow(listed, None, (Caution.WITHDRAWN,))
    cautions = tuple(each for each in found.cautions if each in UNRELIABLE)
    doubts = tuple(each for each in found.cautions if each not in UNRELIABLE)
    better = _better(board, listed, found.net_odds)
    price = board.price(listed.key.game_id, CellKey(*listed.key[1:]))
    depth = None if price is None else price.depth
    ladder = None if depth is None else board.basis.profiles.of(listed.bookmaker).ladder(depth)
    return LegNow(listed, found.odds, cautions, doubts, better, ladder)


def _better(board: Board, listed: OpportunityLeg, net_odds: float) -> tuple[float, str] | None:
    """Return the best price of a leg's selection where it pays more than net odds."""
    matrix, (_, market_type, period, selection, _) = board.matrix(listed.key.game_id), listed.key
    for section in () if matrix is None else matrix.sections:
        for row in section.rows if section.key[:2] == (market_type, period) else ():
            best = row.best if row.selection == selection else None
            if best is not None and best > net_odds:
                name = row.best_bookmakers[0]
                return row.prices[name].odds, name
    return None
