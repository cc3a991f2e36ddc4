"""What to stake on many prices at once: one outcome one stake, caps, what is placed (D54, D55).

Prices of one outcome at several bookmakers are one bet: the best net price carries the stake.
Bets are staked in the order of their expected gain, each as far as Kelly and the room under the
caps let it. Outcomes of one line group exclude each other and are solved together, by what there
is room for: none is a hedge of what another did not get.
"""

import math
import operator
from collections import defaultdict
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.settlement import Settlement

_DUST: Final = 1e-9
"""A share of a step: a stake of 2.9999999999 steps counts as three."""
_NEVER: Final = 1e-12
"""A probability that is one of rounding."""
_TURNS: Final = 100
_HALVINGS: Final = 45
_STILL: Final = 1e-8
"""A share of the bankroll that makes no difference."""


class Bound(Enum):
    """What set a stake."""

    KELLY = "kelly"
    """The chosen share of Kelly's fraction."""
    OUTCOME = "outcome"
    """The most of the bankroll that one outcome may take."""
    GAME = "game"
    """The most that all bets of a game may take."""
    TOTAL = "total"
    """The most that all open bets may take."""
    BOOKMAKER = "bookmaker"
    """The most that the bookmaker takes, as the user noted it."""
    PLACED = "placed"
    """What is placed already leaves less than Kelly would stake, or nothing."""
    ROUNDING = "rounding"
    """What would be staked is less than one step."""
    NO_EDGE = "no_edge"
    """The price gains nothing on average: nothing is staked."""


class StakePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How the user stakes; amounts in the user's money, shares of 1."""

    bankroll: float = 1_000.0
    kelly_share: float = 0.25
    """Of the full Kelly fraction; a quarter gives up little growth for a wrong probability."""
    outcome_cap: float = 0.02
    game_cap: float = 0.03
    total_cap: float = 0.25
    step: float = 1.0
    """Stakes are whole multiples of it, rounded down."""


class Offer(NamedTuple):
    """A price that may be bet on, and what its outcome is."""

    outcome: Hashable
    """Equal for prices that win and lose together, at any bookmaker."""
    group: Hashable
    """Equal for outcomes of which at most one wins."""
    game: Hashable
    bookmaker: str
    net_odds: float
    settlement: Settlement
    most: float | None = None
    """The most that the bookmaker takes, as the user noted it (D55)."""


class Stake(NamedTuple):
    """What to stake on an offer and what bound it; ``amount`` is a multiple of the plan's step."""

    amount: float
    bound: Bound | None
    full_kelly: float
    """Kelly's share of the bankroll, sides that exclude each other solved together, by what there
    is room for of them."""
    same_bet_as: str | None = None
    """The bookmaker whose price carries the stake of this outcome; None where it is this one."""


class Placed(NamedTuple):
    """What is placed already and open, in the user's money."""

    by_outcome: Mapping[Hashable, float] = {}
    by_game: Mapping[Hashable, float] = {}
    total: float = 0.0


def staking(
    plan: StakePlan, offers: Sequence[Offer], placed: Placed | None = None
) -> Generator[None, None, list[Stake]]:
    """Return the stake of each offer, in the order of the offers; in small steps.

    No cap is passed, whatever is placed; a bet that gains less is staked after one that gains
    more, and sides that are solved together with the best of them.
    """
    carriers = _carriers(offers)
    yield
    together = yield from _solved_together([offers[index] for index in carriers.values()])
    rooms = _Rooms(plan, placed or Placed())
    found: dict[Hashable, Stake] = {}
    for sides in sorted(together, key=lambda sides: (-_gain(sides[0]), carriers[sides[0].outcome])):
        found |= rooms.take(sides)
        yield
    return [
        found[offer.outcome]
        if (carrier := carriers[offer.outcome]) == index
        else Stake(0.0, None, 0.0, offers[carrier].bookmaker)
        for index, offer in enumerate(offers)
    ]


def kelly_exclusive(bets: Sequence[tuple[float, float]]) -> list[float]:
    """Return Kelly's shares of outcomes of which at most one wins: (probability, net odds) each.

    Smoczynski and Tomkins (2010), An explicit solution to the problem of optimizing the
    allocations of a bettor's wealth when wagering on horse races: sorted by ``p*o``, outcomes are
    taken while theirs lies above ``R = (1 - sum p) / (1 - sum 1/o)``; each then gets ``p - R/o``.
    """
    order = sorted(range(len(bets)), key=lambda i: -bets[i][0] * bets[i][1])
    reserve, left, room = 1.0, 1.0, 1.0
    taken: list[int] = []
    for i in order:
        probability, odds = bets[i]
        if probability * odds <= reserve:
            break
        if room - 1 / odds <= 0:  # what is taken covers every outcome: nothing need be kept back
            reserve = 0.0
            taken.append(i)
            break
        taken.append(i)
        left, room = left - probability, room - 1 / odds
        reserve = max(left, 0.0) / room
    shares = [0.0] * len(bets)
    for i in taken:
        probability, odds = bets[i]
        shares[i] = max(0.0, probability - reserve / odds)
    return shares


def kelly_within(
    bets: Sequence[tuple[float, float]], most: Sequence[float], room: float = 1.0
) -> list[float]:
    """Return Kelly's shares where there is not room for all that would be staked.

    ``bets``: as for ``kelly_exclusive``, whose shares these are where there is room; ``most``:
    the largest share of each, ``room`` of all together. Each share in turn is brought to where the
    expected logarithm grows no faster, or there is no more room, until none moves: no side is
    larger than is best beside the others. Where ``room`` alone is too little there may be a
    better division of it.
    """
    together = kelly_exclusive(bets)
    if all(map(operator.le, together, most)) and math.fsum(together) <= room:
        return together
    shares = [0.0] * len(bets)
    for _ in range(_TURNS):
        before = tuple(shares)
        for place in range(len(bets)):
            others = math.fsum(shares) - shares[place]
            bound = max(0.0, min(most[place], room - others, 1 - others))
            shares[place] = _best_share(bets, shares, place, bound)
        if math.dist(before, shares) < _STILL:
            break
    return shares


def _best_share(
    bets: Sequence[tuple[float, float]], shares: Sequence[float], place: int, most: float
) -> float:
    others = [*shares[:place], most, *shares[place + 1 :]]
    if _slope(bets, others, place) > 0:
        return most
    least = 0.0
    for _ in range(_HALVINGS):
        others[place] = (least + most) / 2
        if _slope(bets, others, place) > 0:
            least = others[place]
        else:
            most = others[place]
    return least


def _slope(bets: Sequence[tuple[float, float]], shares: Sequence[float], place: int) -> float:
    """Return how fast the expected logarithm grows with one share."""
    kept = 1 - math.fsum(shares)
    none = 1 - math.fsum(probability for probability, _ in bets)
    slope = 0.0
    if none > _NEVER:
        slope = -none / kept if kept > 0 else -math.inf
    for each, ((probability, odds), share) in enumerate(zip(bets, shares, strict=True)):
        wealth = kept + odds * share
        if wealth <= 0:
            return -math.inf
        slope += probability * ((odds if each == place else 0.0) - 1) / wealth
    return slope


class _Rooms:
    """What the caps still leave, in the user's money."""

    def __init__(self, plan: StakePlan, placed: Placed) -> None:
        self._plan = plan
        self._placed = placed
        self._total = plan.bankroll * plan.total_cap - placed.total
        self._games: dict[Hashable, float] = {}

    def take(self, sides: Sequence[Offer]) -> dict[Hashable, Stake]:
        """Stake a bet, or sides that exclude each other, as far as is wanted and allowed."""
        if len(sides) == 1:
            (offer,) = sides
            full = offer.settlement.kelly(offer.net_odds)
            return {offer.outcome: self._take(offer, full, full)}
        # Where the line is hit every stake comes back: the logarithm grows by nothing there.
        bets = [(offer.settlement.chance, offer.net_odds) for offer in sides]
        pairs = zip(kelly_exclusive(bets), self._best_within(sides, bets), strict=True)
        return {
            offer.outcome: self._take(offer, full, best)
            for offer, (full, best) in zip(sides, pairs, strict=True)
        }

    def _best_within(
        self, sides: Sequence[Offer], bets: Sequence[tuple[float, float]]
    ) -> list[float]:
        """Return Kelly's shares by what there is room for; one below a step is none."""
        plan = self._plan
        staked = plan.bankroll * plan.kelly_share
        if staked <= 0:
            return [0.0] * len(sides)
        already = [self._already(offer) for offer in sides]
        cap = plan.bankroll * plan.outcome_cap
        most = [
            (cap if offer.most is None else min(cap, offer.most + there)) / staked
            for offer, there in zip(sides, already, strict=True)
        ]
        room = (min(self._game(sides[0]), self._total) + math.fsum(already)) / staked
        while True:
            best = kelly_within(bets, most, room)
            small = [
                place
                for place, (share, there) in enumerate(zip(best, already, strict=True))
                if _DUST < share * staked - there < plan.step * (1 - _DUST)
            ]
            if not small:
                return best
            for place in small:
                most[place] = already[place] / staked

    def _take(self, offer: Offer, full_kelly: float, best: float) -> Stake:
        """Stake ``best`` where there is room, and keep account of it.

        ``full_kelly`` is what there would be if there were room for every side.
        """
        if full_kelly <= 0:
            return Stake(0.0, Bound.NO_EDGE, 0.0)
        plan = self._plan
        already, game = self._already(offer), self._game(offer)
        staked = plan.bankroll * plan.kelly_share
        by_kelly = Bound.PLACED if already else Bound.KELLY
        cap = plan.bankroll * plan.outcome_cap
        bounds = [
            (staked * full_kelly - already, by_kelly),
            (cap - already, Bound.PLACED if already else Bound.OUTCOME),
            (game, Bound.GAME),
            (self._total, Bound.TOTAL),
        ]
        if offer.most is not None:
            bounds.append((offer.most, Bound.BOOKMAKER))
        room, bound = min(bounds, key=_amount)
        beside = staked * best - already
        if beside < room - _DUST * plan.step:
            room, bound = beside, by_kelly if already or beside > _DUST else Bound.ROUNDING
        steps = math.floor(room / plan.step + _DUST)
        if steps <= 0:
            return Stake(0.0, Bound.ROUNDING if room > _DUST else bound, best)
        amount = round(steps * plan.step, 6)
        self._games[offer.game] = game - amount
        self._total -= amount
        return Stake(amount, bound, best)

    def _already(self, offer: Offer) -> float:
        return self._placed.by_outcome.get(offer.outcome, 0.0)

    def _game(self, offer: Offer) -> float:
        cap = self._plan.bankroll * self._plan.game_cap
        return self._games.get(offer.game, cap - self._placed.by_game.get(offer.game, 0.0))


def _carriers(offers: Sequence[Offer]) -> dict[Hashable, int]:
    """Return where the best net price of each outcome stands; the first of equal ones."""
    best: dict[Hashable, int] = {}
    for index, offer in enumerate(offers):
        held = best.setdefault(offer.outcome, index)
        if offer.net_odds > offers[held].net_odds:
            best[offer.outcome] = index
    return best


def _solved_together(offers: Iterable[Offer]) -> Generator[None, None, list[list[Offer]]]:
    """Return the offers that are staked together, each list with what gains most first.

    Those are the sides of a group where several gain and none can be won or lost by half; all
    others stand alone.
    """
    groups: dict[Hashable, list[Offer]] = defaultdict(list)
    for offer in offers:
        groups[offer.group].append(offer)
    together: list[list[Offer]] = []
    for group in groups.values():
        if len(group) > 1 and _are_solved_together(group):
            together.append(sorted(group, key=_gain, reverse=True))
        else:
            together += [[offer] for offer in group]
        yield
    return together


def _are_solved_together(group: Sequence[Offer]) -> bool:
    return sum(_gain(offer) > 0 for offer in group) > 1 and not any(map(_has_halves, group))


def _has_halves(offer: Offer) -> bool:
    return offer.settlement.has_halves


def _gain(offer: Offer) -> float:
    return offer.settlement.gain(offer.net_odds)


def _amount(bound: tuple[float, Bound]) -> float:
    return bound[0]
