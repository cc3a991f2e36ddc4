"""What to stake on many prices at once: one outcome one stake, caps, what is placed (D54, D55).

Prices of one outcome at several bookmakers are one bet: the best net price carries the stake.
Outcomes of one line group exclude each other and are solved together. Then bets are staked in
the order of their expected gain, each as far as Kelly and the room under the caps let it.
"""

import math
from collections import defaultdict
from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.settlement import Settlement

_DUST: Final = 1e-9
"""A share of a step: a stake of 2.9999999999 steps counts as three."""
_TURNS: Final = 200
_HALVINGS: Final = 60
_STILL: Final = 1e-9
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


_CUTS: Final = frozenset({Bound.OUTCOME, Bound.GAME, Bound.TOTAL, Bound.BOOKMAKER, Bound.ROUNDING})
"""What leaves a stake smaller than others of its line group take it to be."""


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
    """Kelly's share of the bankroll, sides that exclude each other solved together; where one of
    them cannot be staked so much, what makes the most of that."""
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

    No cap is passed, whatever is placed; a bet that gains less is staked after one that gains more.
    """
    placed = placed or Placed()
    carriers = _carriers(offers)
    yield
    full, together = yield from _kelly_by_group([offers[index] for index in carriers.values()])
    order = sorted(carriers.values(), key=lambda index: (-_gain(offers[index]), index))
    ordered = [offers[index] for index in order]
    found = yield from _taking(plan, placed, ordered, full)
    if beside := _beside_what_was_cut(plan, together, found):
        found = yield from _taking(plan, placed, ordered, full | beside)
    return [
        found[offer.outcome]
        if carriers[offer.outcome] == index
        else Stake(0.0, None, 0.0, offers[carriers[offer.outcome]].bookmaker)
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


def kelly_beside(bets: Sequence[tuple[float, float]], held: Mapping[int, float]) -> list[float]:
    """Return Kelly's shares where some are given: of the others, what makes the most of those.

    ``bets``: as for ``kelly_exclusive``, whose shares these are where nothing is held; ``held``:
    shares of the bankroll, by place. Each of the others is brought to where the expected logarithm
    grows no faster, in turn, until none moves: its growth is concave.
    """
    shares = [held.get(place, 0.0) for place in range(len(bets))]
    for _ in range(_TURNS):
        before = tuple(shares)
        for place in range(len(bets)):
            if place not in held:
                shares[place] = _best_share(bets, shares, place)
        if math.dist(before, shares) < _STILL:
            break
    return shares


def _best_share(bets: Sequence[tuple[float, float]], shares: Sequence[float], place: int) -> float:
    others = [*shares[:place], 0.0, *shares[place + 1 :]]
    least, most = 0.0, max(0.0, 1 - math.fsum(others))
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
    slope = -max(0.0, none) / kept if kept > 0 else 0.0
    for each, ((probability, odds), share) in enumerate(zip(bets, shares, strict=True)):
        wealth = kept + odds * share
        if wealth <= 0:
            return -math.inf
        slope += probability * ((odds if each == place else 0.0) - 1) / wealth
    return slope


def _taking(
    plan: StakePlan, placed: Placed, ordered: Sequence[Offer], full: Mapping[Hashable, float]
) -> Generator[None, None, dict[Hashable, Stake]]:
    """Stake offers in their order, each as far as there is room; by outcome."""
    rooms = _Rooms(plan, placed)
    found: dict[Hashable, Stake] = {}
    for offer in ordered:
        found[offer.outcome] = rooms.take(offer, full[offer.outcome])
        yield
    return found


def _beside_what_was_cut(
    plan: StakePlan, together: Sequence[Sequence[Offer]], found: Mapping[Hashable, Stake]
) -> dict[Hashable, float]:
    """Return Kelly's shares beside others of a line group that got less than they were to have."""
    shares: dict[Hashable, float] = {}
    staked = plan.bankroll * plan.kelly_share
    for group in together if staked else ():
        made = [found[offer.outcome] for offer in group]
        held = {
            place: stake.amount / staked for place, stake in enumerate(made) if stake.bound in _CUTS
        }
        if held:
            bets = [(offer.settlement.win, offer.net_odds) for offer in group]
            for place, share in enumerate(kelly_beside(bets, held)):
                if place not in held:
                    shares[group[place].outcome] = share
    return shares


class _Rooms:
    """What the caps still leave, in the user's money."""

    def __init__(self, plan: StakePlan, placed: Placed) -> None:
        self._plan = plan
        self._placed = placed
        self._total = plan.bankroll * plan.total_cap - placed.total
        self._games: dict[Hashable, float] = {}

    def take(self, offer: Offer, full_kelly: float) -> Stake:
        """Stake as much as is wanted and allowed, and keep account of it."""
        if full_kelly <= 0:
            return Stake(0.0, Bound.NO_EDGE, 0.0)
        plan = self._plan
        already = self._placed.by_outcome.get(offer.outcome, 0.0)
        wanted = plan.bankroll * plan.kelly_share * full_kelly
        cap = plan.bankroll * plan.outcome_cap
        game = self._games.get(
            offer.game, plan.bankroll * plan.game_cap - self._placed.by_game.get(offer.game, 0.0)
        )
        budget, bound = min((wanted, Bound.KELLY), (cap, Bound.OUTCOME), key=_amount)
        bounds = [(budget - already, Bound.PLACED if already else bound)]
        bounds += [(game, Bound.GAME), (self._total, Bound.TOTAL)]
        if offer.most is not None:
            bounds.append((offer.most, Bound.BOOKMAKER))
        room, bound = min(bounds, key=_amount)
        steps = math.floor(room / plan.step + _DUST)
        if steps <= 0:
            return Stake(0.0, Bound.ROUNDING if room > _DUST else bound, full_kelly)
        amount = round(steps * plan.step, 6)
        self._games[offer.game] = game - amount
        self._total -= amount
        return Stake(amount, bound, full_kelly)


def _carriers(offers: Sequence[Offer]) -> dict[Hashable, int]:
    """Return where the best net price of each outcome stands; the first of equal ones."""
    best: dict[Hashable, int] = {}
    for index, offer in enumerate(offers):
        held = best.get(offer.outcome)
        if held is None or offer.net_odds > offers[held].net_odds:
            best[offer.outcome] = index
    return best


def _kelly_by_group(
    offers: Iterable[Offer],
) -> Generator[None, None, tuple[dict[Hashable, float], list[list[Offer]]]]:
    """Return Kelly's share by outcome, and the offers of each group that was solved together.

    That is where several gain and none can push.
    """
    groups: dict[Hashable, list[Offer]] = defaultdict(list)
    for offer in offers:
        groups[offer.group].append(offer)
    shares: dict[Hashable, float] = {}
    together: list[list[Offer]] = []
    for group in groups.values():
        alone = [offer.settlement.kelly(offer.net_odds) for offer in group]
        if sum(share > 0 for share in alone) > 1 and all(_is_plain(offer) for offer in group):
            alone = kelly_exclusive([(offer.settlement.win, offer.net_odds) for offer in group])
            together.append(group)
        shares |= {offer.outcome: share for offer, share in zip(group, alone, strict=True)}
        yield
    return shares, together


def _is_plain(offer: Offer) -> bool:
    return offer.settlement.decided == 1


def _gain(offer: Offer) -> float:
    return offer.settlement.gain(offer.net_odds)


def _amount(bound: tuple[float, Bound]) -> float:
    return bound[0]
