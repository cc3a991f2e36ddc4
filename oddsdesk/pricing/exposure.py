"""Stakes on many prices at once: one stake per outcome, limits, and bets already placed.

- Prices of one outcome at several bookmakers are one bet. The best price after commission carries
  the stake. If its bookmaker takes less, the next best price carries the rest.
- Lines of one game are not independent bets. Sides that exclude each other, and all lines whose
  results are known together (a grid of scores), are solved together. Otherwise only the game's best
  line is staked.
- Games are staked in the order of their expected profit, as far as Kelly and the limits allow.
"""

import math
import operator
from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from enum import Enum
from operator import itemgetter
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.selections import Settlement
from oddsdesk.pricing.stakes import (
    GameBets,
    Ladder,
    Most,
    Rung,
    kelly_exclusive,
    kelly_stake,
    most_growth,
    net_at,
    stakeable,
)

_DUST: Final = 1e-9
"""Share of a step: a stake of 2.9999999999 steps counts as three."""
_SOLVED_DUST: Final = 1e-4
"""The same for a stake that was found numerically."""
_STILL: Final = 1e-6
"""A share of the bankroll too small to matter."""
_KEPT: Final = 5
"""Number of solutions kept per game: one for each bet that dropped below a step."""
_WAYS: Final = (1.0, 0.5, 0.0, -0.5, -1.0)
"""Profit of a unit staked for each result of a settlement."""


class Bound(Enum):
    """What determined a stake."""

    KELLY = "kelly"
    """The Kelly fraction that the user chose."""
    OUTCOME = "outcome"
    """Limit for one outcome."""
    GAME = "game"
    """Limit for all bets on a game."""
    SAME_GAME = "same_game"
    """Other lines of the game win and lose with it, and carry the stake or most of it."""
    TOTAL = "total"
    """Limit for all open bets."""
    BOOKMAKER = "bookmaker"
    """The bookmaker's limit, as the user noted it, minus what is placed there."""
    FOR_SALE = "for_sale"
    """The amount for sale at odds that are still worth it."""
    PLACED = "placed"
    """Bets already placed leave less than Kelly would stake, or nothing."""
    ROUNDING = "rounding"
    """The stake would be less than one step."""
    NO_EDGE = "no_edge"
    """The price has no positive EV, so nothing is staked."""


class StakePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How the user stakes; amounts in the user's currency, shares as fractions of 1."""

    bankroll: float = 1_000.0
    kelly_share: float = 0.25
    """Kelly fraction; a quarter gives up little growth and is safer if a probability is wrong."""
    outcome_cap: float = 0.02
    game_cap: float = 0.03
    total_cap: float = 0.25
    step: float = 1.0
    """Stakes are whole multiples of it, rounded down."""


class Offer(NamedTuple):
    """A price that may be bet on, and its outcome."""

    outcome: Hashable
    """Equal for prices that win and lose together, at any bookmaker."""
    group: Hashable
    """Equal for outcomes of which at most one wins."""
    game: Hashable
    bookmaker: str
    net_odds: float
    settlement: Settlement
    most: float | None = None
    """The bookmaker's limit, as the user noted it."""
    ladder: Ladder | None = None
    """The amount for sale at odds that are worth it; None if unknown."""


class Stake(NamedTuple):
    """The stake on an offer and what limited it; ``amount`` is a multiple of the plan's step."""

    amount: float
    bound: Bound | None
    full_kelly: float
    """Kelly's share of the bankroll, with the game's bets solved together, for those that there is
    room for."""
    same_bet_as: str | None = None
    """The bookmaker whose price carries this outcome's stake; None if it is this one."""
    net_odds: float | None = None
    """Average odds of ``amount`` over the levels that it takes; None if it is 0."""


class Position(NamedTuple):
    """An open bet."""

    outcome: Hashable
    stake: float
    """Its loss if it loses: 0 for a free bet, the liability for a lay bet."""
    net_odds: float
    gain: float | None = None
    """Its profit if it wins; None for that of the stake at ``net_odds``."""

    def profit(self, share: float) -> float:
        """Return the profit where a share of it, 1 to -1, is won."""
        if share <= 0:
            return self.stake * share
        return share * (self.stake * (self.net_odds - 1) if self.gain is None else self.gain)


class Placed(NamedTuple):
    """Open bets, in the user's currency."""

    by_outcome: Mapping[Hashable, float] = {}
    """Stakes on it; stakes on other sides of its line are not deducted."""
    by_game: Mapping[Hashable, float] = {}
    """The worst result of all open bets of a game, as a loss."""
    total: float = 0.0
    """The sum of the games' worst results."""
    by_bookmaker: Mapping[tuple[Hashable, str], float] = {}
    """Stakes on an outcome at a bookmaker, whose name is in the form of ``fold_name``."""
    positions: Mapping[Hashable, Sequence[Position]] = {}
    """The open bets of a game with readable selections."""
    risks: Mapping[Hashable, float] = {}
    """The largest loss if an outcome does not happen, at most the stakes on it."""


class Results(NamedTuple):
    """The possible results of a game, and the profit of its bets in each of them."""

    chances: Sequence[float]
    shares: Mapping[Hashable, Sequence[float]]
    """By outcome: profit of a unit staked: 1, 0.5, 0, -0.5 or -1 of the winnings."""
    held: Sequence[float] | None = None
    """Profit of the game's open bets in each result, in the user's currency. None: unknown; a bet
    placed on an outcome then counts as placed at its current best price."""


ResultsOf = Callable[[Sequence[Offer]], Results | None]
"""Returns the results of a game for offers on its lines; None if unknown."""


_NONE: Final = Stake(0.0, None, 0.0)


Solved = dict[Hashable, list[tuple[object, list[float]]]]
"""By game: the last inputs and the shares found for them."""


def staking(
    plan: StakePlan,
    offers: Sequence[Offer],
    placed: Placed | None = None,
    results_of: ResultsOf | None = None,
    solved: Solved | None = None,
) -> Generator[None, None, list[Stake]]:
    """Return the stake of each offer, in the order of the offers; in small steps.

    No limit is exceeded, whatever is placed. Games with a higher expected profit are staked first.

    Args:
        plan: How the user stakes.
        offers: The prices that are value.
        placed: The open bets.
        results_of: Returns the results of a game; called for games with several lines.
        solved: Cached numerical solutions by game, reused while nothing changed.
    """
    has_ladders = any(offer.ladder is not None for offer in offers)
    limited = [_at_its_stake(plan, offer) for offer in offers] if has_ladders else offers
    rooms = _Rooms(plan, placed or Placed(), {} if solved is None else solved)
    yield
    stakes: list[Stake] = [_NONE] * len(offers)
    for _, place, bets in (yield from _in_order(limited, results_of, rooms)):
        if not isinstance(bets, _Bets):
            stakes[place] = rooms.take_one(limited[place])
            if len(bets) > 1:
                other = Stake(0.0, None, 0.0, limited[place].bookmaker)
                for at in bets:
                    if at != place:
                        stakes[at] = other
        else:
            found = yield from rooms.stake_game(bets)
            for outcome, (at, _) in bets.offers:
                other = Stake(0.0, None, 0.0, outcome.carrier.bookmaker)
                stakes[at] = found.get(at, other)
        yield
    if not has_ladders:
        return stakes
    return [_priced(offer, stake) for offer, stake in zip(offers, stakes, strict=True)]


def _at_its_stake(plan: StakePlan, offer: Offer) -> Offer:
    """Return an offer at the average odds of the largest amount worth staking on it alone.

    Its ladder is then one level with these odds and that amount.
    """
    ladder = offer.ladder
    if not ladder:
        return offer
    best = kelly_stake(offer.settlement, plan.bankroll * plan.kelly_share, ladder)
    most = max(best, ladder[0].most)
    net_odds = net_at(ladder, most)
    return offer._replace(net_odds=net_odds, ladder=(Rung(net_odds, most),))


def _priced(offer: Offer, stake: Stake) -> Stake:
    """Return a stake with the odds that it gets."""
    if not offer.ladder or not stake.amount:
        return stake
    return stake._replace(net_odds=net_at(offer.ladder, stake.amount))


class _Price(NamedTuple):
    """A price that may carry a stake."""

    place: int
    offer: Offer
    net_odds: float
    most: float
    """What can still be staked at it, in the user's currency; infinite if unknown."""
    limited_by: Bound
    """What sets ``most``: the bookmaker's limit, or what is for sale."""


class _Outcome(NamedTuple):
    """The prices of one outcome."""

    offers: Sequence[tuple[int, Offer]]
    """The best price after commission first; of equal ones the first."""
    prices: Sequence[_Price]
    """Those that carry the stake: the next best one if the better ones take too little."""
    used_up: Sequence[tuple[int, Bound]]
    """Better ones that take less than a step, and why."""

    @property
    def best(self) -> Offer:
        """The offer with the best price after commission."""
        return self.offers[0][1]

    @property
    def carrier(self) -> Offer:
        """The best offer that can still be staked; the best one if none can."""
        return self.prices[0].offer if self.prices else self.best

    @property
    def gain(self) -> float:
        """Expected profit of a unit staked."""
        return self.best.settlement.gain(self.carrier.net_odds)

    @property
    def growth(self) -> float:
        """Expected log growth from Kelly's stake on it alone."""
        ends, odds = self.best.settlement, self.carrier.net_odds
        return ends.growth(ends.kelly(odds), odds)


class _Bets(NamedTuple):
    """The bets of a game that are staked together, the highest expected profit first."""

    outcomes: Sequence[_Outcome]
    results: Results | None
    """None for a single outcome, and for exclusive outcomes without halves."""
    left_out: Sequence[tuple[_Outcome, Bound]] = ()
    """The other bets of the game, and why they get no stake."""

    @property
    def offers(self) -> Iterator[tuple[_Outcome, tuple[int, Offer]]]:
        """All offers of the game, each with its outcome."""
        for outcome in (*self.outcomes, *(left for left, _ in self.left_out)):
            for each in outcome.offers:
                yield outcome, each


_Turn = tuple[float, int, _Bets | Sequence[int]]
"""Negative expected profit, position of the first offer, and the bets of a game; usually just the
positions of the offers on one outcome whose best price has no limit."""


def _in_order(
    offers: Sequence[Offer], results_of: ResultsOf | None, rooms: "_Rooms"
) -> Generator[None, None, list[_Turn]]:
    """Return the groups that are staked together, in the order of staking."""
    games = defaultdict[Hashable, list[int]](list)
    for place, offer in enumerate(offers):
        games[offer.game].append(place)
    turns = list[_Turn]()
    for at in games.values():
        alone = _only(offers, at)
        if alone is not None and not rooms.has_other_bets(offers[alone]):
            only = offers[alone]
            turns.append((-only.settlement.gain(only.net_odds), alone, at))
        else:
            bets = _bets_of([(each, offers[each]) for each in at], results_of, rooms)
            best = bets.outcomes[0]
            turns.append((-best.gain, best.offers[0][0], bets))
        yield
    turns.sort(key=itemgetter(0, 1))
    return turns


def _only(offers: Sequence[Offer], at: Sequence[int]) -> int | None:
    """Return the position of the only price that can carry a game's stake; None if others can."""
    if len(at) == 1:
        return at[0]
    best = at[0]
    outcome = offers[best].outcome
    for place in at[1:]:
        if offers[place].outcome != outcome:
            return None
        if offers[place].net_odds > offers[best].net_odds:
            best = place
    return best if offers[best].most is None and offers[best].ladder is None else None


def _bets_of(
    offers: Iterable[tuple[int, Offer]], results_of: ResultsOf | None, rooms: "_Rooms"
) -> _Bets:
    """Return the bets of a game that are staked."""
    by_outcome = defaultdict[Hashable, list[tuple[int, Offer]]](list)
    for each in offers:
        by_outcome[each[1].outcome].append(each)
    first = next(iter(by_outcome.values()))[0][1]
    is_alone = len(by_outcome) == 1 and not rooms.has_other_bets(first)
    outcomes = [rooms.prices_of(same, is_alone=is_alone) for same in by_outcome.values()]
    if is_alone:
        return _Bets(outcomes, None)
    return _together(outcomes, results_of)


def _together(outcomes: Sequence[_Outcome], results_of: ResultsOf | None) -> _Bets:
    """Return which lines of a game are staked: all with known results, else the best one."""
    results = None if results_of is None else results_of([each.best for each in outcomes])
    known = () if results is None else results.shares
    lines = defaultdict[Hashable, list[_Outcome]](list)
    for outcome in outcomes:
        offer = outcome.best
        lines[None if offer.outcome in known else offer.group].append(outcome)
    best = max(lines, key=lambda line: max(each.growth for each in lines[line]))
    staked = sorted(lines.pop(best), key=_by_gain)
    left_out = [(outcome, Bound.SAME_GAME) for line in lines.values() for outcome in line]
    if best is not None:
        results = None
        if len(staked) > 1 and staked[1].gain <= 0:
            left_out += [(outcome, Bound.NO_EDGE) for outcome in staked[1:]]
            del staked[1:]
        elif len(staked) > 1 and any(each.best.settlement.has_halves for each in staked):
            results = _of_halves(staked)
            if results is None:
                left_out += [(outcome, Bound.SAME_GAME) for outcome in staked[1:]]
                del staked[1:]
    return _Bets(staked, results, left_out)


def _by_gain(outcome: _Outcome) -> float:
    return -outcome.gain


def _of_halves(outcomes: Sequence[_Outcome]) -> Results | None:
    """Return the results of both sides of a quarter line; None for other sides."""
    if len(outcomes) != 2:
        return None
    one, other = outcomes
    return Results(
        ways(one.best.settlement),
        {one.best.outcome: _WAYS, other.best.outcome: [-each for each in _WAYS]},
    )


def ways(ends: Settlement) -> tuple[float, ...]:
    """Return the chances that a bet is won, half won, returned, half lost and lost."""
    return ends.win, ends.half_win, ends.push, ends.half_loss, ends.loss


def _exclusive(outcomes: Sequence[_Outcome]) -> Results:
    """Return the results of outcomes of which at most one wins; one outcome may have halves.

    If a line is hit, every stake is returned and there is no growth.
    """
    if len(outcomes) == 1:
        (only,) = outcomes
        return Results(ways(only.best.settlement), {only.best.outcome: _WAYS})
    chances = [each.best.settlement.chance for each in outcomes]
    none = max(0.0, 1 - math.fsum(chances))
    shares = {
        each.best.outcome: [1.0 if at == place else -1.0 for at in range(len(outcomes) + 1)]
        for place, each in enumerate(outcomes)
    }
    return Results([*chances, none], shares)


class _Rooms:
    """What the limits still allow, in the user's currency."""

    def __init__(self, plan: StakePlan, placed: Placed, solved: Solved) -> None:
        self._solved_before = solved
        self._plan = plan
        self._placed = placed
        self._games: dict[Hashable, float] = {}
        self._total = plan.bankroll * plan.total_cap - placed.total
        self._cap = plan.bankroll * plan.outcome_cap
        self._staked = plan.bankroll * plan.kelly_share
        """The bankroll that Kelly's full shares refer to."""

    def has_other_bets(self, offer: Offer) -> bool:
        """Whether there are bets on the game besides those on the outcome."""
        game = self._placed.by_game.get(offer.game, 0.0)
        if game > self._already(offer) + self._plan.step * _DUST:
            return True
        held = self._placed.positions.get(offer.game, ())
        return any(each.outcome != offer.outcome for each in held)

    def prices_of(self, offers: Sequence[tuple[int, Offer]], *, is_alone: bool) -> _Outcome:
        """Return the prices that carry an outcome's stake, within the bookmakers' limits.

        With other bets on the game, Kelly's stake may be larger than alone; prices are then
        taken up to the limit.
        """
        if len(offers) > 1:
            offers = sorted(offers, key=_by_net_odds)
        prices: list[_Price] = []
        used_up = list[tuple[int, Bound]]()
        room, bookmakers = 0.0, set[str]()
        for place, offer in offers:
            if offer.bookmaker in bookmakers:
                continue  # the same limit, of another market that settles alike
            bookmakers.add(offer.bookmaker)
            most, by = self._most(offer)
            if most < self._plan.step * (1 - _DUST) and (len(offers) > 1 or not most):
                used_up.append((place, by))
                continue
            prices.append(_Price(place, offer, offer.net_odds, most, by))
            room += most
            if most == math.inf or room >= self._cap:
                break
            if is_alone and room >= self._staked * offer.settlement.kelly(offer.net_odds):
                break
        return _Outcome(offers, prices, used_up)

    def _most(self, offer: Offer) -> tuple[float, Bound]:
        """Return what can still be staked at an offer, and what limits it."""
        most, for_sale = math.inf, math.inf
        if offer.most is not None:
            placed = self._placed.by_bookmaker
            there = (offer.outcome, fold_name(offer.bookmaker))
            most = max(0.0, offer.most - placed.get(there, 0.0)) if placed else offer.most
        if offer.ladder is not None:
            for_sale = stakeable(offer.ladder)
        return (for_sale, Bound.FOR_SALE) if for_sale < most else (most, Bound.BOOKMAKER)

    def take_one(self, offer: Offer) -> Stake:
        """Stake the only offer of a game, as far as wanted and allowed."""
        most, by = math.inf, Bound.BOOKMAKER
        if offer.most is not None or offer.ladder is not None:
            most, by = self._most(offer)
            if not most:
                return Stake(0.0, by, 0.0)
        return self._alone(offer, offer.net_odds, most, by)

    def stake_game(self, bets: _Bets) -> Generator[None, None, dict[int, Stake]]:
        """Stake the bets of a game, as far as wanted and allowed."""
        found = {
            place: Stake(0.0, by, 0.0)
            for outcome in (*bets.outcomes, *(left for left, _ in bets.left_out))
            for place, by in outcome.used_up
        }
        for outcome, bound in bets.left_out:
            for price in outcome.prices[:1]:
                found[price.place] = Stake(0.0, bound, 0.0)
        prices = [price for outcome in bets.outcomes for price in outcome.prices]
        if bets.results is None and len(prices) == 1:
            place, offer, net_odds, most, by = prices[0]
            found[place] = self._alone(offer, net_odds, most, by)
        elif prices:
            found |= yield from self._solved(bets, prices)
        return found

    def _alone(self, offer: Offer, net_odds: float, most: float, by: Bound) -> Stake:
        """Stake one price as far as there is room; ``by`` is the reason for ``most``."""
        full_kelly = offer.settlement.kelly(net_odds)
        if full_kelly <= 0:
            return Stake(0.0, Bound.NO_EDGE, 0.0)
        already = self._already(offer)
        # Bets on other lines of the game count as bets on this one.
        on_game = max(already, self._placed.by_game.get(offer.game, 0.0))
        room, bound = self._staked * full_kelly - on_game, Bound.KELLY
        if on_game:
            bound = Bound.PLACED
        if self._cap - already < room:
            room, bound = self._cap - already, Bound.PLACED if already else Bound.OUTCOME
        if (game := self._game(offer)) < room:
            room, bound = game, Bound.GAME
        if self._total < room:
            room, bound = self._total, Bound.TOTAL
        if most < room:
            room, bound = most, by
        steps = math.floor(room / self._plan.step + _DUST)
        if steps <= 0:
            is_rounding = room > _DUST and bound is not Bound.FOR_SALE
            return Stake(0.0, Bound.ROUNDING if is_rounding else bound, full_kelly)
        return Stake(self._spent(steps, offer), bound, full_kelly)

    def _solved(
        self, bets: _Bets, prices: Sequence[_Price]
    ) -> Generator[None, None, dict[int, Stake]]:
        """Stake prices of a game whose results are known together.

        A price that would get less than a step gets nothing, and the others are solved again
        without it.
        """
        if self._staked <= 0:
            return {price.place: Stake(0.0, Bound.KELLY, 0.0) for price in prices}
        results = bets.results or _exclusive(bets.outcomes)
        game = GameBets(
            results.chances,
            [_gains(results.shares[each.offer.outcome], each.net_odds) for each in prices],
            self._held(bets, results),
        )
        limits = [each.most / self._staked for each in prices]
        sums = self._sums(bets, prices)
        shares = self._closed(bets, prices, game, limits, sums)
        small = set[int]()
        least = self._plan.step * (1 - _SOLVED_DUST) / self._staked
        while True:
            if shares is None:
                shares = yield from self._most_growth(prices[0].offer.game, game, limits, sums)
                _fill_in_order(prices, limits, shares)
            low = sorted((share, at) for at, share in enumerate(shares) if _STILL < share < least)
            if not low:
                return self._booked(bets, prices, shares, small, sums)
            for _, at in low[: (len(low) + 1) // 2]:
                small.add(at)
                limits[at] = 0.0
            shares = None

    def _most_growth(
        self, ident: Hashable, game: GameBets, limits: Sequence[float], sums: Sequence[Most]
    ) -> Generator[None, None, list[float]]:
        """Return the shares with the highest growth; reuse the last ones if nothing changed."""
        asked = game, [*limits], [*sums]
        known = self._solved_before.setdefault(ident, [])
        for each, shares in known:
            if each == asked:
                return shares.copy()
        found = yield from most_growth(game, limits, sums)
        del known[:-_KEPT]
        known.append((asked, found))
        return found.copy()

    def _closed(
        self,
        bets: _Bets,
        prices: Sequence[_Price],
        game: GameBets,
        limits: Sequence[float],
        sums: Sequence[Most],
    ) -> list[float] | None:
        """Return the shares of exclusive sides, if nothing else limits them."""
        if bets.results is not None or len(prices) > len(bets.outcomes) or any(game.held):
            return None
        shares = kelly_exclusive([(each.offer.settlement.chance, each.net_odds) for each in prices])
        if math.fsum(shares) >= 1 or any(map(operator.gt, shares, limits)):
            return None
        is_within = (math.fsum(shares[at] for at in each.bets) <= each.share for each in sums)
        return shares if all(is_within) else None

    def _held(self, bets: _Bets, results: Results) -> list[float]:
        """Return the profit of open bets in each result, as shares of the bankroll.

        What they earn in every result adds to the whole bankroll, of which Kelly's share counts.
        """
        if results.held is not None:
            sure = max(0.0, min(results.held)) * (1 - self._plan.kelly_share)
            return [(gained - sure) / self._staked for gained in results.held]
        held = [0.0] * len(results.chances)
        offers = [outcome.best for outcome in bets.outcomes]
        placed = [self._already(offer) for offer in offers]
        # Bets on other lines of the game count as bets on the best of these.
        placed[0] += max(0.0, self._placed.by_game.get(offers[0].game, 0.0) - math.fsum(placed))
        for offer, amount in zip(offers, placed, strict=True):
            if amount:
                gains = _gains(results.shares[offer.outcome], offer.net_odds)
                held = [
                    one + amount / self._staked * gain
                    for one, gain in zip(held, gains, strict=True)
                ]
        return held

    def _sums(self, bets: _Bets, prices: Sequence[_Price]) -> list[Most]:
        """Return the limits of each outcome, of the game, and of all bets."""
        caps = []
        for outcome in bets.outcomes:
            at = frozenset(
                place
                for place, each in enumerate(prices)
                if each.offer.outcome == outcome.best.outcome
            )
            caps.append(Most(at, (self._cap - self._already(outcome.best)) / self._staked))
        room = min(self._game(prices[0].offer), self._total)
        return [*caps, Most(frozenset(range(len(prices))), room / self._staked)]

    def _booked(
        self,
        bets: _Bets,
        prices: Sequence[_Price],
        shares: Sequence[float],
        small: Collection[int],
        sums: Sequence[Most],
    ) -> dict[int, Stake]:
        """Return the stakes in whole steps with their reasons, and book them."""
        game, total = self._game(prices[0].offer), self._total
        is_full = math.fsum(shares) >= sums[-1].share - _STILL
        of_outcome = dict(zip((each.best.outcome for each in bets.outcomes), sums, strict=False))
        firsts = {outcome.prices[0].place for outcome in bets.outcomes if outcome.prices}
        found = {}
        for at, (price, share) in enumerate(zip(prices, shares, strict=True)):
            room = min(share * self._staked, price.most, self._game(price.offer), self._total)
            steps = math.floor(room / self._plan.step + _SOLVED_DUST)
            cap = of_outcome[price.offer.outcome]
            already = self._already(price.offer)
            if share >= price.most / self._staked - _STILL:
                bound = price.limited_by
            elif math.fsum(shares[each] for each in cap.bets) >= cap.share - _STILL:
                bound = Bound.PLACED if already else Bound.OUTCOME
            elif is_full:
                bound = Bound.GAME if game <= total else Bound.TOTAL
            else:
                bound = self._why(bets, price, share, is_small=at in small)
            if steps > 0:
                found[price.place] = Stake(self._spent(steps, price.offer), bound, share)
            elif price.place in firsts:
                found[price.place] = Stake(0.0, bound, share)
        return found

    def _why(self, bets: _Bets, price: _Price, share: float, *, is_small: bool) -> Bound:
        """Return what determined a stake that no limit did."""
        ends, placed = price.offer.settlement, self._placed.by_game.get(price.offer.game)
        if is_small:
            return Bound.ROUNDING
        if placed:
            return Bound.PLACED
        if bets.results is None:
            return Bound.KELLY if share > _STILL else Bound.NO_EDGE
        alone = self._staked * (ends.kelly(price.net_odds) - share)
        is_less = len(bets.outcomes) > 1 and alone >= self._plan.step
        return Bound.SAME_GAME if is_less or share <= _STILL else Bound.KELLY

    def _spent(self, steps: int, offer: Offer) -> float:
        """Return the amount of a number of steps, and book it."""
        amount = round(steps * self._plan.step, 6)
        self._games[offer.game] = self._game(offer) - amount
        self._total -= amount
        return amount

    def _already(self, offer: Offer) -> float:
        return self._placed.by_outcome.get(offer.outcome, 0.0)

    def _game(self, offer: Offer) -> float:
        cap = self._plan.bankroll * self._plan.game_cap
        return self._games.get(offer.game, cap - self._placed.by_game.get(offer.game, 0.0))


def _gains(shares: Sequence[float], net_odds: float) -> list[float]:
    """Return the profit of a unit staked in each result."""
    return [share * (net_odds - 1) if share > 0 else share for share in shares]


def _fill_in_order(prices: Sequence[_Price], limits: Sequence[float], shares: list[float]) -> None:
    """Move the shares of equal prices of one outcome to the first of them, up to its limit."""
    for at in range(len(prices) - 1):
        one, other = prices[at], prices[at + 1]
        if one.offer.outcome == other.offer.outcome and one.net_odds == other.net_odds:
            moved = min(shares[at + 1], limits[at] - shares[at])
            shares[at] += moved
            shares[at + 1] -= moved


def _by_net_odds(offer: tuple[int, Offer]) -> float:
    return -offer[1].net_odds
