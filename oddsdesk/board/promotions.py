"""The best ways to use a promotion at the prices of a board, hedged and unhedged."""

import math
from collections import Counter, defaultdict
from collections.abc import Generator, Hashable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.market_words import market_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, Matrix, RowKey, Section
from oddsdesk.board.opportunities.finder import (
    LEAST_UNCHECKED,
    FamilyKey,
    Hedging,
    OpportunityFinder,
    OpportunityLeg,
)
from oddsdesk.board.opportunities.ways import UNRELIABLE, limit_left, outcome_of
from oddsdesk.contract.markets import DRAW_VOIDS
from oddsdesk.contract.texts import folded
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.covers import bets_against, family_of
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.opportunities import Split, push_of
from oddsdesk.pricing.promotions import (
    HedgedBet,
    PromoKind,
    PromotedBet,
    Promotion,
    Side,
    certainty_equivalent,
    expected,
    hedged,
)
from oddsdesk.pricing.selections import DRAW, bet_named, lay_named, threshold
from oddsdesk.pricing.settlement_rules import LegOfRule, RuleNote, SettlementRules, rule_notes
from oddsdesk.pricing.stakes import Ladder, Rung, net_at, stakeable

OpenStakes = Mapping[tuple[Hashable, str], float]
"""What is staked on each outcome at each bookmaker, as ``by_bookmaker`` returns it."""

MOST_WAYS: Final = 100
"""How many hedged and how many unhedged ways are returned."""
LAY_STEP: Final = 0.01
"""The coarsest step of a lay's stake: exchanges take pence, and rounding more costs money."""
_ROUNDS: Final = 4
"""How often the stake is reduced to what the hedge takes; rounding may need a second time."""


class WayKey(NamedTuple):
    """Identifies a way to use an offer, whatever its prices."""

    offer: str
    legs: tuple[tuple[RowKey, bool], ...]
    """The price of each leg, and whether it is laid."""


class LegMoney(NamedTuple):
    """The currency that a leg is staked in."""

    currency: str
    """ISO 4217; empty if unknown: then treated as the offer's."""
    rate: float | None = 1.0
    """Units of the offer's currency for one of this; None without a rate."""


class PromoWay(msgspec.Struct, frozen=True):
    """One way to use an offer. Totals are in the offer's currency, each leg in its own.

    Legs are ``OpportunityLeg`` with stakes. For a lay, ``stake`` is the liability,
    ``backers_stake`` is typed at the exchange, and ``lay_odds`` are its odds.
    """

    promotion: Promotion
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    in_play: bool
    legs: tuple[OpportunityLeg, ...]
    """The promoted bet, then the hedge; without a hedge it is alone. Its ``odds`` are unboosted."""
    bet: PromotedBet
    results: tuple[float, ...]
    """The profit of all legs together if each of them wins. Without a hedge: if the promoted bet
    wins, and if it loses."""
    due_at: float
    """When time alone may change it, in milliseconds."""
    chance: float | None = None
    """The chance that the promoted bet wins, by the fair odds; None if unknown, or if a warning
    says that they are for another bet or time."""
    certainty: float | None = None
    """The certainty equivalent at the user's Kelly share; None without ``chance``."""
    money: tuple[LegMoney, ...] = ()
    """The currency of each leg; the first has the offer's."""

    @property
    def key(self) -> WayKey:
        """What identifies it when prices change."""
        return WayKey(self.promotion.name, tuple((leg.key, leg.is_lay) for leg in self.legs))

    @property
    def is_hedged(self) -> bool:
        """Whether each result leaves about the same."""
        return len(self.legs) > 1

    @property
    def worst(self) -> float:
        """The lowest profit."""
        return min(self.results)

    @property
    def best(self) -> float:
        """The highest profit."""
        return max(self.results)

    @property
    def free_part(self) -> float:
        """The cash value of the free bet that is refunded if the promoted bet loses."""
        is_free = self.promotion.kind is PromoKind.REFUND and self.promotion.refund_as_free
        return self.bet.refund if is_free else 0.0

    @property
    def worst_in_cash(self) -> float:
        """The lowest profit without that free bet."""
        return min(self.results[0], *(each - self.free_part for each in self.results[1:]))

    @property
    def locked(self) -> float | None:
        """The profit whatever happens; None without a hedge."""
        return self.worst if self.is_hedged else None

    @property
    def ev(self) -> float | None:
        """The expected profit; None without fair odds. A hedged way has it locked in."""
        if self.is_hedged:
            return self.worst
        return None if self.chance is None else expected(self.bet, self.chance)

    @property
    def value(self) -> float | None:
        """The profit of the whole offer: ``ev``, or a bonus less the cost of its wagering."""
        ev = self.ev
        if ev is None or self.promotion.kind is not PromoKind.BONUS:
            return ev
        return self.promotion.amount + ev * self.bets_needed

    @property
    def value_pct(self) -> float | None:
        """``value`` in percent of the offer's amount."""
        return None if self.value is None else 100 * self.value / self.promotion.amount

    @property
    def bets_needed(self) -> float:
        """How many such bets the offer needs: more than one for the wagering of a bonus."""
        return self.promotion.turnover / self.bet.stake if self.bet.stake else math.inf

    @property
    def staked(self) -> float:
        """The user's own money at risk in all legs."""
        others = zip(self.legs[1:], self.money[1:], strict=True)
        return self.bet.staked + math.fsum(leg.stake * (rate or 1) for leg, (_, rate) in others)

    @property
    def returned_pct(self) -> float | None:
        """The worst return in percent of ``staked``; None if nothing is staked."""
        return 100 * (1 + self.worst / self.staked) if self.staked else None

    @property
    def payout_pct(self) -> float | None:
        """The payout of all legs in percent, without the promotion; None without a hedge."""
        return 100 / self._total if self.is_hedged else None

    @property
    def _total(self) -> float:
        """S, the sum of 1/odds after commission."""
        return math.fsum(1 / leg.net_odds for leg in self.legs)

    @property
    def boosted_odds(self) -> float:
        """The odds that the promoted bet pays, as the ledger records them."""
        return 1 + (self.legs[0].odds - 1) * (1 + self.bet.boost)

    @property
    def is_too_good(self) -> bool:
        """Whether a leg is a likely error, as for opportunities: it is then listed last."""
        if any(Caution.ABOVE_WINDOW in leg.cautions for leg in self.legs):
            return True
        is_checked = all(leg.is_checked for leg in self.legs)
        return self.is_hedged and self._total < LEAST_UNCHECKED and not is_checked

    def leg_text(self, place: int) -> str:
        """Return what a leg bets on: ``Lay Arsenal``; with its market if the first has another."""
        key, market_type = self.legs[place].key, self.legs[0].key.market_type
        named = self.legs[place].named(key.selection)
        is_alike = key.market_type == market_type
        return named if is_alike else f"{named} ({market_text(key.market_type)})"

    def other_money(self, place: int) -> str:
        """Return the currency of a leg if it is another one than the offer's; else empty."""
        its = self.money[place].currency
        return "" if its == self.money[0].currency else its

    def money_text(self, place: int) -> str:
        """Return how a leg in another currency is converted; empty if it is the offer's."""
        its = self.other_money(place)
        if not its:
            return ""
        rate, offers, at = self.money[place].rate, self.money[0].currency, self.legs[place]
        if rate is None:
            return _(
                "Amounts are in {currency}; {bookmaker} takes {foreign} and no exchange "
                "rate is set: the hedge is only right if 1 {foreign} is worth 1 {currency}"
            ).format(currency=offers, bookmaker=at.bookmaker, foreign=its)
        return _(
            "{bookmaker} takes {foreign}: 1 {foreign} counts as {rate:.4g} {currency} (your rate)"
        ).format(bookmaker=at.bookmaker, foreign=its, rate=num(rate), currency=offers)

    def notes(self, rules: SettlementRules) -> list[RuleNote]:
        """Return how the bookmakers' rules of settlement differ; nothing without a hedge."""
        if not self.is_hedged:
            return []
        legs = [
            LegOfRule(leg.bookmaker, self.leg_text(place)) for place, leg in enumerate(self.legs)
        ]
        key, line = self.legs[0].key, self.legs[0].line
        return rule_notes(rules, legs, (key.market_type, key.period, self.sport), line)

    def bet_kind(self, place: int) -> str:
        """Return the kind of a leg in the ledger, as ``BetKind`` names it."""
        if place == 0:
            return self.promotion.kind.bet_kind
        return "lay" if self.legs[place].is_lay else "back"


class Ways(NamedTuple):
    """All ways to use an offer, best first."""

    hedged: tuple[PromoWay, ...] = ()
    """By what the whole offer leaves, likely errors last."""
    unhedged: tuple[PromoWay, ...] = ()
    """By certainty equivalent, likely errors last."""
    looked_at: int = 0
    """How many prices the bookmaker has on the board."""
    left_out: Mapping[str, int] = {}
    """Prices that the offer or a rule excludes, by reason."""


def ways_to_use(
    board: Board,
    promotion: Promotion,
    plan: StakePlan,
    *,
    most: int = MOST_WAYS,
    also_there: bool = False,
    placed: OpenStakes | None = None,
    lay_step: float | None = None,
) -> Generator[None, None, Ways]:
    """Return the ways to use an offer at the board's prices, best first; in small steps.

    A hedge is laid at an exchange, or backed on all other outcomes at other bookmakers: the user's
    own, with their commission, limits and what is for sale, in the plan's steps. Prices that
    cannot be legs of an arbitrage are not used.

    Left out are lines that return or halve stakes: bookmakers do not count such a bet, and the
    hedge comes back with it.

    Args:
        board: The prices, and what they are judged by.
        promotion: The offer.
        plan: Bankroll, Kelly share and step of stakes.
        most: How many hedged and how many unhedged ways to return.
        also_there: Whether one bet of a hedge may be at the offer's own bookmaker.
        placed: The open bets; the bookmakers' limits count them.
        lay_step: Step of the stakes of lays; None for the plan's, but pence if that is coarser.
    """
    steps = _Steps(plan.step, step_of_lays(plan) if lay_step is None else lay_step)
    search = _Search(
        board, promotion, plan, most, steps, also_there=also_there, placed=placed or {}
    )
    for game in board.held_games():
        matrix = board.matrix(game)
        if matrix is not None:
            yield from search.look_at(matrix)
    return search.ways()


class _Steps(NamedTuple):
    """The steps of stakes; 0 for exact stakes."""

    back: float
    lay: float
    """Of the backer's stakes."""


def step_of_lays(plan: StakePlan) -> float:
    """Return the step of the backer's stakes of lays: pence, or the plan's if that is finer."""
    return min(plan.step, LAY_STEP)


class _Search:
    """Searches games for the best ways."""

    def __init__(
        self,
        board: Board,
        promotion: Promotion,
        plan: StakePlan,
        most: int,
        steps: _Steps,
        *,
        also_there: bool,
        placed: OpenStakes,
    ) -> None:
        self._board = board
        self._promotion = promotion
        self._plan = plan
        self._most = most
        self._steps = steps
        self._also_there = also_there
        self._placed = placed
        self._is_there = board.basis.profiles.among([promotion.bookmaker])
        self._hedged: dict[RowKey, PromoWay] = {}
        self._unhedged: dict[RowKey, PromoWay] = {}
        self._looked_at = 0
        self._left_out = Counter[str]()
        self._without_hedge: set[RowKey] = set()

    def ways(self) -> Ways:
        """Return what was found so far."""
        left_out = self._left_out
        if missing := len(self._without_hedge - self._hedged.keys()):
            left_out[_("no hedge at your other bookmakers")] = missing
        hedged = sorted(self._hedged.values(), key=_by_value)
        unhedged = sorted(self._unhedged.values(), key=_by_certainty)
        return Ways(
            tuple(hedged[: self._most]), tuple(unhedged[: self._most]), self._looked_at, left_out
        )

    def look_at(self, matrix: Matrix) -> Iterator[None]:
        """Search a game, one cover per step."""
        bookmakers = {*matrix.bookmakers, matrix.reference}
        offering = [name for name in sorted(bookmakers) if self._is_there(name)]
        for bookmaker in offering:
            allowed = frozenset(self._allowed(matrix, bookmaker))
            if allowed:
                yield from self._look_for_hedges(matrix, bookmaker, allowed)
                yield from self._look_unhedged(matrix, allowed)
        self._prune()
        yield

    def _allowed(self, matrix: Matrix, bookmaker: str) -> Iterator[RowKey]:
        """Yield the prices that the offer may be used on."""
        for section in matrix.sections:
            for row in section.rows:
                price = row.prices.get(bookmaker)
                if price is None or not price.is_offered:
                    continue
                self._looked_at += 1
                reason = self._reason_against(matrix, section, price.odds)
                if reason:
                    self._left_out[reason] += 1
                else:
                    yield RowKey(matrix.game_id, *section.key[:2], row.selection, bookmaker)

    def _reason_against(self, matrix: Matrix, section: Section, odds: float) -> str:
        offer, market_type = self._promotion, section.key.market_type
        line = 0.0 if market_type in DRAW_VOIDS else threshold(market_type, section.line)
        if offer.sports and folded(matrix.sport) not in map(folded, offer.sports):
            return _("another sport")
        if offer.markets and market_type not in offer.markets:
            return _("another market")
        if offer.until is not None and (matrix.kick_off is None or matrix.kick_off > offer.until):
            return _("starts after the offer ends, or no kick-off time")
        if odds < offer.least_odds:
            return _("odds below the minimum")
        if push_of(line) is not None:
            return _("line may return the stake")
        return ""

    def _look_for_hedges(
        self, matrix: Matrix, bookmaker: str, allowed: frozenset[RowKey]
    ) -> Iterator[None]:
        board, plan = self._board, self._plan
        split = Split(step=plan.step)
        judge = board.judge_of(matrix)
        finder = OpportunityFinder(
            board.basis, judge, matrix, split, also_at=bookmaker, placed=self._placed
        )
        families = defaultdict[FamilyKey, list[Section]](list)
        for section in matrix.sections:
            family = family_of(section.key.market_type)
            families[FamilyKey(matrix.game_id, family, section.key.period)].append(section)
        self._without_hedge |= allowed
        for key, sections in families.items():
            if any(family_of(each.market_type) == key.family for each in allowed):
                for found in finder.hedging(
                    sections, bookmaker, self._needed, also_there=self._also_there
                ):
                    if (
                        found is not None
                        and not found.legs[0].is_lay
                        and found.legs[0].key in allowed
                    ):
                        self._keep_hedged(matrix, found)
                    yield

    def _needed(self, net_odds: float) -> float:
        """Return the payout that a hedge needs, in the main currency if the rate is known."""
        worth = self._board.basis.rates.rate_of(self._promotion.currency) or 1.0
        return self._promotion.bet(net_odds).needed * worth

    def _keep_hedged(self, matrix: Matrix, found: Hedging) -> None:
        if push_of(found.line) is not None:
            return
        paid = [*_in_their_money(self._board, self._promotion, found.legs)]
        fitted = _fitted(self._promotion, paid, self._steps)
        if fitted is None:
            return
        way = _way(self._promotion, matrix, _staked(paid, fitted), found.in_play, found.due_at)
        key, before = found.legs[0].key, self._hedged.get(found.legs[0].key)
        if before is None or _by_value(way) < _by_value(before):
            self._hedged[key] = way

    def _look_unhedged(self, matrix: Matrix, allowed: frozenset[RowKey]) -> Iterator[None]:
        for key in sorted(allowed):
            way = unhedged_way(self._board, self._promotion, key, self._plan, self._placed)
            if way is not None and way.certainty is not None:
                self._unhedged[key] = way
            yield

    def _prune(self) -> None:
        """Keep the best, so that a large board needs little memory."""
        if len(self._hedged) > 4 * self._most:
            best = sorted(self._hedged.items(), key=lambda each: _by_value(each[1]))
            self._without_hedge -= self._hedged.keys()
            self._hedged = dict(best[: self._most])
        if len(self._unhedged) > 4 * self._most:
            likeliest = sorted(self._unhedged.items(), key=lambda each: _by_certainty(each[1]))
            self._unhedged = dict(likeliest[: self._most])


def _by_value(way: PromoWay) -> tuple[float, ...]:
    return way.is_too_good, -(way.value or 0.0), -way.best


def _by_certainty(way: PromoWay) -> tuple[float, ...]:
    return way.is_too_good, -(way.certainty or 0.0), -(way.ev or 0.0)


class _Paid(NamedTuple):
    """A leg with its amounts in the currency that it is staked in."""

    leg: OpportunityLeg
    money: LegMoney


def _in_their_money(
    board: Board, promotion: Promotion, legs: Sequence[OpportunityLeg]
) -> Iterator[_Paid]:
    """Yield the legs: the first in the offer's currency, others in their bookmaker's.

    Nothing is converted if the offer's currency is unknown.
    """
    rates = board.basis.rates
    offers = promotion.currency or rates.main
    for place, leg in enumerate(legs):
        depth, its = leg.depth, offers
        if place and offers:
            sold_in = (depth.sold_in or depth.currency) if depth is not None else ""
            its = sold_in or board.basis.profiles.profile_of(leg.bookmaker).currency or offers
        worth, of_offer = rates.rate_of(its), rates.rate_of(offers)
        rate = worth / of_offer if worth is not None and of_offer is not None else None
        is_in_main = depth is not None and depth.rate is not None
        if worth is not None and worth != 1:
            leg = _divided(leg, worth, its if is_in_main else "")
        yield _Paid(leg, LegMoney(its, 1.0 if its == offers else rate))


def _divided(leg: OpportunityLeg, worth: float, currency: str) -> OpportunityLeg:
    """Return a leg with its limit in units that are worth this much of the main currency.

    With a ``currency``, available amounts are in the main one and are divided, too.
    """
    leg = leg._replace(most=None if leg.most is None else leg.most / worth)
    if not currency or leg.depth is None:
        return leg
    back, lay = (
        tuple((odds, size / worth) for odds, size in each)
        for each in (leg.depth.levels, leg.depth.lay)
    )
    ladder = tuple(Rung(net, most / worth) for net, most in leg.ladder or ())
    return leg._replace(
        depth=leg.depth._replace(levels=back, lay=lay, currency=currency, sold_in=currency),
        ladder=None if leg.ladder is None else ladder,
    )


def _fitted(promotion: Promotion, paid: Sequence[_Paid], steps: _Steps) -> HedgedBet | None:
    """Return the stakes of an offer's bet and its hedge; None if it cannot be hedged in full.

    An offer that may be used in part is used up to what the bookmaker and the hedge take.
    """
    first = paid[0].leg
    sides = [_side(leg, steps, money.rate or 1.0) for leg, money in paid[1:]]
    stake = _most_of(promotion, first, promotion.stake, steps.back)
    for _round in range(_ROUNDS):
        if stake is None:
            return None
        bet = promotion.bet(_net_of(first, stake), stake)
        found = hedged(bet, sides)
        if found is not None or not promotion.kind.takes_less:
            return found
        capacity = min(side.capacity for side in sides)
        if capacity >= bet.needed:
            return None
        stake = _most_of(promotion, first, stake * capacity / bet.needed, steps.back)
    return None


def _most_of(promotion: Promotion, leg: OpportunityLeg, stake: float, step: float) -> float | None:
    """Return what may be staked on the promoted bet; None if that is nothing or too little."""
    room = None if promotion.kind.is_free else leg.room
    most = stake if room is None else min(stake, room)
    if most < promotion.stake * (1 - 1e-9):
        if not promotion.kind.takes_less:
            return None
        most = math.floor(most / step + 1e-9) * step if step else most
    return round(most, 9) if most > 0 else None


def _net_of(leg: OpportunityLeg, stake: float) -> float:
    if leg.ladder and stake <= stakeable(leg.ladder):
        return net_at(leg.ladder, stake)
    return leg.net_odds


def _side(leg: OpportunityLeg, steps: _Steps, rate: float) -> Side:
    """Return a leg as a side of a hedge in the offer's currency.

    ``rate`` converts the leg's currency into the offer's. Typed stakes and their steps are in the
    leg's currency; for a lay, they are the backer's.
    """
    whole = (Rung(leg.net_odds, math.inf),) if leg.ladder is None else leg.ladder
    ladder = _up_to(whole, leg.most)
    if not leg.is_lay:
        rates = () if rate == 1 else (1 / rate,) * len(ladder)
        return Side(_times(ladder, rate), steps.back, rates)
    if leg.ladder is None or leg.depth is None:  # an unknown amount: any stake
        return Side(_times(ladder, rate), steps.lay, (1 / (leg.odds - 1) / rate,))
    sizes = (size for _, size in leg.depth.lay if size > 0)
    rates = tuple(size / rung.most / rate for size, rung in zip(sizes, whole, strict=True))
    return Side(_times(ladder, rate), steps.lay, rates[: len(ladder)])


def _times(ladder: Ladder, rate: float) -> Ladder:
    return tuple(Rung(net, most * rate) for net, most in ladder)


def _up_to(ladder: Ladder, most: float | None) -> Ladder:
    """Return the levels up to a limit."""
    if most is None:
        return ladder
    rungs = list[Rung]()
    for rung in ladder:
        taken = min(rung.most, most)
        if taken > 0:
            rungs.append(Rung(rung.net_odds, taken))
        most -= taken
    return tuple(rungs)


def unhedged_way(
    board: Board, promotion: Promotion, key: RowKey, plan: StakePlan, placed: OpenStakes
) -> PromoWay | None:
    """Return what an offer is worth on a price without a hedge; None if the price is unreliable."""
    matrix = board.matrix(key.game_id)
    leg = None if matrix is None else leg_now(board, key, placed)
    if matrix is None or leg is None or UNRELIABLE.intersection(leg.cautions):
        return None
    (paid,) = _in_their_money(board, promotion, [leg])
    leg = paid.leg
    stake = _most_of(promotion, leg, promotion.stake, plan.step)
    if stake is None:
        return None
    bet = promotion.bet(_net_of(leg, stake), stake)
    assessed = board.assess(key)
    ends = None if assessed is None else assessed.settlement
    chance = certainty = None
    is_comparable = not frozenset(leg.cautions) - {Caution.ABOVE_WINDOW}
    if ends is not None and ends.decided == 1 and is_comparable:
        chance = ends.win
        careful = (assessed and assessed.stake_settlement) or ends
        results = [(careful.win, bet.if_wins), (1 - careful.win, bet.if_loses)]
        bankroll = plan.bankroll / (board.basis.rates.rate_of(promotion.currency) or 1.0)
        certainty = certainty_equivalent(results, bankroll, plan.kelly_share)
    staked = _Staked(
        (leg._replace(stake=stake, net_odds=bet.net_odds),),
        (paid.money,),
        bet,
        (bet.if_wins, bet.if_loses),
    )
    in_play, due_at = _moment(board, matrix, [leg])
    way = _way(promotion, matrix, staked, any(in_play), due_at)
    return msgspec.structs.replace(way, chance=chance, certainty=certainty)


def leg_now(
    board: Board, key: RowKey, placed: OpenStakes, *, is_lay: bool = False
) -> OpportunityLeg | None:
    """Return a price as a leg without a stake; None if it is no longer offered."""
    price = board.price(key.game_id, CellKey(*key[1:]))
    found, section = board.assess(key, is_lay=is_lay), board.section(*key[:4])
    matrix = board.matrix(key.game_id)
    if price is None or found is None or section is None or matrix is None or not price.is_offered:
        return None
    limit = board.basis.profiles.profile_of(key.bookmaker).limit
    if limit is not None:
        on = _outcomes(board, matrix, section, key, is_lay=is_lay)
        limit = max(0.0, limit_left(limit, placed, on, key.bookmaker) or 0.0)
    depth = board.basis.own_money(price.depth)
    lay_odds = depth.lay_odds if is_lay and depth is not None else None
    return OpportunityLeg(
        key=key,
        bookmaker=key.bookmaker,
        odds=price.odds if lay_odds is None else lay_odds,
        net_odds=found.net_odds,
        stake=0.0,
        seen_at=price.scraped_at,
        cautions=found.cautions,
        url=price.url,
        most=limit,
        depth=depth,
        ladder=board.judge_of(matrix).ladder(price, key.bookmaker, is_lay=is_lay),
        line=section.line,
        derived=found.derived,
        band_pct=found.band_pct,
        is_checked=found.fair_odds is not None,
        is_lay=is_lay,
    )


def _outcomes(
    board: Board, matrix: Matrix, section: Section, key: RowKey, *, is_lay: bool
) -> list[Hashable]:
    """Return the outcomes that a bet on a price, or a lay of it, may be recorded under."""
    market_type, period, group = section.key
    price = section.selection_row(key.selection).prices[key.bookmaker]
    in_play = matrix.is_live if price.is_live is None else price.is_live
    side, sport = section.side_of(key.selection), section.sport
    about = sport, in_play, market_type, group, side
    named = [bet_named(*about)]
    if is_lay:
        has_draw = DRAW in board.judge_of(matrix).sides(section, key.bookmaker)
        against = bets_against(named[0], sport)
        named = [each.bet for each in against if each.has_draw in (None, has_draw)]
        recorded = lay_named(*about)
        named += [recorded] if recorded is not None else []
    return [outcome_of(matrix.game_id, each, period) for each in named]


def way_now(
    board: Board, way: PromoWay, plan: StakePlan, placed: OpenStakes | None = None
) -> PromoWay | None:
    """Return the same legs at current prices, with their stakes; limits count what is placed.

    None if one of them is no longer offered or is unreliable, or if they no longer hedge.
    """
    matrix = board.matrix(way.legs[0].key.game_id)
    if matrix is None or board.connection.is_lost:
        return None
    if not way.is_hedged:
        return unhedged_way(board, way.promotion, way.legs[0].key, plan, placed or {})
    legs = list[OpportunityLeg]()
    for leg in way.legs:
        now = leg_now(board, leg.key, placed or {}, is_lay=leg.is_lay)
        if now is None or UNRELIABLE.intersection(now.cautions):
            return None
        legs.append(now)
    paid = [*_in_their_money(board, way.promotion, legs)]
    fitted = _fitted(way.promotion, paid, _Steps(plan.step, step_of_lays(plan)))
    in_play, due_at = _moment(board, matrix, legs)
    if fitted is None or len(in_play) > 1:
        return None
    return _way(way.promotion, matrix, _staked(paid, fitted), any(in_play), due_at)


class _Staked(NamedTuple):
    """Legs with their stakes and results."""

    legs: tuple[OpportunityLeg, ...]
    money: tuple[LegMoney, ...]
    bet: PromotedBet
    results: tuple[float, ...]


def _staked(paid: Sequence[_Paid], fitted: HedgedBet) -> _Staked:
    staked = list[OpportunityLeg]()
    for (leg, money), in_offers in zip(paid, (fitted.bet.stake, *fitted.stakes), strict=True):
        stake = in_offers / (money.rate or 1.0)
        staked.append(leg._replace(stake=stake, net_odds=_net_of(leg, stake)))
    results = fitted.if_wins, *fitted.if_others
    return _Staked(tuple(staked), tuple(money for _, money in paid), fitted.bet, results)


def _way(
    promotion: Promotion, matrix: Matrix, staked: _Staked, in_play: bool, due_at: float
) -> PromoWay:
    about = matrix.match_name, matrix.competition, matrix.sport, matrix.kick_off
    legs, money, bet, results = staked
    return PromoWay(promotion, *about, in_play, legs, bet, results, due_at, money=money)


def _moment(
    board: Board, matrix: Matrix, legs: Sequence[OpportunityLeg]
) -> tuple[set[bool], float]:
    """Return whether legs are in play, and when time alone may change them."""
    judge, in_play, due_at = board.judge_of(matrix), set[bool](), math.inf
    for leg in legs:
        section = board.section(*leg.key[:4])
        price = board.price(leg.key.game_id, CellKey(*leg.key[1:]))
        if section is not None and price is not None:
            in_play.add(matrix.is_live if price.is_live is None else price.is_live)
            due_at = min(due_at, judge.due_at(section, leg.key.selection, leg.bookmaker))
    return in_play, due_at
