"""Bookmakers' promotions: what a promoted bet pays, and the stakes that hedge it.

A promoted bet has two results: it wins, or it loses. The hedge bets on everything else, by laying
the selection at an exchange or by backing all other outcomes, so that each result leaves the same.
The formulas are those of the usual matched betting calculators: with ``w`` and ``l`` for the profit
if the promoted bet wins and loses, ``L`` for the lay odds and ``c`` for the commission, the lay
stake is ``(w - l) / (L - c)``, and a back at odds ``n`` after commission needs ``(w - l) / n``.
"""

import math
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.pricing.profiles import fold_name
from oddsdesk.pricing.stakes import Ladder, Rung, net_lay_odds, net_paying, payout, stakeable

DEFAULT_RETENTION: Final = 0.7
"""Cash value of a free bet as a share of its amount, if the user gives no other."""
NAME_ENDS: Final = ";"
"""What ends the name of an offer in the note of a bet."""
_HAIR: Final = 1e-9
_LEAST_SPARE: Final = 0.01
"""Below it fewer stakes are tried: the possible gain is not worth the time."""


class PromoKind(Enum):
    """Kinds of promotions."""

    QUALIFY = "qualify"
    """A bet with own money that the bookmaker requires for a promotion."""
    FREE = "free"
    """A free bet whose stake is not returned."""
    FREE_RETURNED = "free-returned"
    """A free bet whose stake is paid out with the winnings."""
    REFUND = "refund"
    """The stake comes back, as money or as a free bet, if the bet loses."""
    BOOST = "boost"
    """Net winnings are raised by a percentage."""
    BONUS = "bonus"
    """A bonus that must be staked several times before it can be withdrawn."""

    @property
    def words(self) -> str:
        """The name for display."""
        return _WORDS[self]

    @property
    def is_free(self) -> bool:
        """Whether none of the user's own money is at risk."""
        return self in (PromoKind.FREE, PromoKind.FREE_RETURNED)

    @property
    def takes_less(self) -> bool:
        """Whether a smaller stake than the whole amount can be used."""
        return self in (PromoKind.REFUND, PromoKind.BOOST, PromoKind.BONUS)

    @property
    def bet_kind(self) -> str:
        """The kind of the promoted bet in the ledger, as ``BetKind`` names it."""
        return "back" if self in (PromoKind.QUALIFY, PromoKind.BONUS) else self.value


_WORDS: Final = {
    PromoKind.QUALIFY: N_("qualifying bet"),
    PromoKind.FREE: N_("free bet"),
    PromoKind.FREE_RETURNED: N_("free bet, stake returned"),
    PromoKind.REFUND: N_("refund if it loses"),
    PromoKind.BOOST: N_("boost"),
    PromoKind.BONUS: N_("bonus with wagering"),
}


class Promotion(msgspec.Struct, frozen=True, kw_only=True):
    """An offer as the user describes it once; amounts in ``currency``, times in milliseconds."""

    name: str
    """Unique among the stored offers, whatever its case."""
    kind: PromoKind
    bookmaker: str
    amount: float
    """The free bet, the bonus, or the stake: for a boost and a refund the most that counts."""
    account: str = ""
    currency: str = ""
    """ISO 4217; empty for the user's own."""
    least_odds: float = 1.0
    """Gross decimal odds."""
    until: int | None = None
    """When it expires; games that start later are left out."""
    refund: float | None = None
    """The most that comes back; None for the whole stake."""
    refund_as_free: bool = False
    """Whether the refund is a free bet. It then counts as ``retention`` of its amount."""
    retention: float = DEFAULT_RETENTION
    boost: float = 0.0
    """Share that is added to the net winnings: 0.5 for 50 %."""
    wagering: float = 1.0
    """How many times a bonus must be staked."""
    most_stake: float | None = None
    """The largest stake that counts towards the wagering; None for the bonus itself."""
    sports: tuple[str, ...] = ()
    """Empty for all."""
    markets: tuple[str, ...] = ()
    """Market types; empty for all."""
    used_at: int | None = None
    """When the user used it."""

    @property
    def stake(self) -> float:
        """The largest stake of one promoted bet."""
        if self.kind is PromoKind.BONUS:
            most = self.amount if self.most_stake is None else self.most_stake
            return min(most, self.turnover)
        return self.amount

    @property
    def turnover(self) -> float:
        """What must be staked in all: the wagering of a bonus, else one stake."""
        return self.amount * self.wagering if self.kind is PromoKind.BONUS else self.amount

    def is_over(self, now_ms: int) -> bool:
        """Whether it is used or expired."""
        return self.used_at is not None or (self.until is not None and self.until <= now_ms)

    def is_at(self, bookmaker: str) -> bool:
        """Whether it is an offer of this bookmaker; case and punctuation do not matter."""
        return fold_name(bookmaker) == fold_name(self.bookmaker)

    def bet(self, net_odds: float, stake: float | None = None) -> "PromotedBet":
        """Return the promoted bet at odds after commission; by default with the whole stake."""
        stake = self.stake if stake is None else stake
        back = min(stake, stake if self.refund is None else self.refund)
        value = back * (self.retention if self.refund_as_free else 1.0)
        refund = value if self.kind is PromoKind.REFUND else 0.0
        boost = self.boost if self.kind is PromoKind.BOOST else 0.0
        return PromotedBet(self.kind, stake, net_odds, refund, boost)


def problem_of(promotion: Promotion) -> str:
    """Return what is wrong with an offer, as one line that says what is expected; empty if fine."""
    offer, kind = promotion, promotion.kind
    wrong = {
        N_("give the offer a name"): not offer.name.strip(),
        N_("the name may not contain {mark!r} or line ends").format(mark=NAME_ENDS): any(
            mark in offer.name for mark in (NAME_ENDS, "\n", "\r")
        ),
        N_("enter the bookmaker"): not offer.bookmaker.strip(),
        N_("the amount must be above 0"): not 0 < offer.amount < math.inf,
        N_("the minimum odds must be at least 1"): not 1 <= offer.least_odds < math.inf,
        N_("the refund must be above 0"): offer.refund is not None
        and not 0 < offer.refund < math.inf,
        N_("a free bet must be worth 0 to 100 % of its amount"): not 0 <= offer.retention <= 1,
        N_("the boost must be above 0 %"): kind is PromoKind.BOOST
        and not 0 < offer.boost < math.inf,
        N_("the wagering must be above 0"): not 0 < offer.wagering < math.inf,
        N_("the largest stake must be above 0"): offer.most_stake is not None
        and not 0 < offer.most_stake < math.inf,
    }
    return next((text for text, holds in wrong.items() if holds), "")


class PromotedBet(NamedTuple):
    """A bet with a promotion; odds after the bookmaker's commission, before a boost."""

    kind: PromoKind
    stake: float
    net_odds: float
    refund: float = 0.0
    """The cash value of what comes back if it loses."""
    boost: float = 0.0
    """Share that is added to the net winnings."""

    @property
    def staked(self) -> float:
        """The user's own money at risk."""
        return 0.0 if self.kind.is_free else self.stake

    @property
    def if_wins(self) -> float:
        """The profit if it wins."""
        returned = self.stake if self.kind is PromoKind.FREE_RETURNED else 0.0
        boost = self.boost if self.kind is PromoKind.BOOST else 0.0
        return self.stake * (self.net_odds - 1) * (1 + boost) + returned

    @property
    def if_loses(self) -> float:
        """The profit if it loses, a refund included."""
        refund = self.refund if self.kind is PromoKind.REFUND else 0.0
        return refund - self.staked

    @property
    def needed(self) -> float:
        """The payout that a hedge needs in every other result."""
        return max(0.0, self.if_wins - self.if_loses)


class Side(NamedTuple):
    """A bet of a hedge: what can be staked, and in which steps."""

    ladder: Ladder
    """Odds after commission; for a lay, those of the other side, and liabilities."""
    step: float = 0.0
    """Typed stakes are whole multiples of it; 0 for exact stakes."""
    rates: tuple[float, ...] = ()
    """By level, the typed stake per unit of stake; for a lay, the backer's. Empty if they are
    equal."""

    @property
    def capacity(self) -> float:
        """The largest payout."""
        most = stakeable(self.ladder)
        return payout(self.ladder, most) if math.isfinite(most) else math.inf

    def typed(self, stake: float) -> float:
        """Return the typed stake for a stake."""
        return self._across(stake, typed=False)

    def stake_of(self, typed: float) -> float:
        """Return the stake for a typed stake."""
        return self._across(typed, typed=True)

    def _across(self, amount: float, *, typed: bool) -> float:
        """Convert between stakes and typed stakes, level by level."""
        found = 0.0
        for rung, rate in zip(self.ladder, self.rates or (1.0,) * len(self.ladder), strict=True):
            each, factor = (rung.most * rate, 1 / rate) if typed else (rung.most, rate)
            taken = min(amount, each)
            found, amount = found + taken * factor, amount - taken
        return found


def open_side(net_odds: float, step: float = 0.0) -> Side:
    """Return a bet at odds without a limit."""
    return Side((Rung(net_odds, math.inf),), step)


def lay_side(lay_odds: float, commission: float = 0.0, step: float = 0.0) -> Side:
    """Return a lay without a limit; ``commission`` is a share of its net winnings."""
    rung = Rung(net_lay_odds(lay_odds, commission), math.inf)
    return Side((rung,), step, (1 / (lay_odds - 1),))


class HedgedBet(NamedTuple):
    """A promoted bet and the stakes that hedge it."""

    bet: PromotedBet
    stakes: tuple[float, ...]
    """One per side; for a lay, its liability."""
    typed: tuple[float, ...]
    """What is typed at each bookmaker to stake these; of a lay its backer's stake."""
    if_wins: float
    """The profit of all bets if the promoted one wins."""
    if_others: tuple[float, ...]
    """The profit of all bets if each side wins."""

    @property
    def locked(self) -> float:
        """The profit whatever happens: the lowest of all results."""
        return min(self.if_wins, *self.if_others)

    @property
    def best(self) -> float:
        """The highest profit of all results."""
        return max(self.if_wins, *self.if_others)

    @property
    def staked(self) -> float:
        """The user's own money at risk in all bets."""
        return self.bet.staked + math.fsum(self.stakes)


def hedged(bet: PromotedBet, sides: Sequence[Side]) -> HedgedBet | None:
    """Return the stakes at which all results are equal, which locks in the most.

    With steps, the multiples of them with the highest ``locked``; None as for ``hedge_stakes``.
    """
    stakes = hedge_stakes(bet.needed, sides)
    return None if stakes is None else _with_stakes(bet, sides, stakes)


def hedged_by_lay(
    bet: PromotedBet, lay_odds: float, commission: float = 0.0, step: float = 0.0
) -> HedgedBet:
    """Return the lay that leaves the same in both results, in steps unless ``step`` is 0.

    ``commission`` is a share of the net winnings of the lay.
    """
    side = lay_side(lay_odds, commission, step)
    return _with_stakes(bet, [side], _best(bet.needed, [side], [side.ladder[0].net_odds]))


def hedge_stakes(needed: float, sides: Sequence[Side]) -> tuple[float, ...] | None:
    """Return the stakes that together leave most of a payout that every other result needs.

    Returns:
        None if there is no hedge: too little is available, a stake rounds to nothing, or the sides
        cost more than they pay, so that no hedge is better.
    """
    if not sides or any(side.capacity < needed * (1 - _HAIR) for side in sides):
        return None
    nets = [net_paying(side.ladder, needed) for side in sides]
    if math.fsum(1 / net for net in nets) >= 1:
        return None
    best = _best(needed, sides, nets)
    return best if all(best) or not needed else None


def _best(needed: float, sides: Sequence[Side], nets: Sequence[float]) -> tuple[float, ...]:
    if not any(side.step for side in sides):
        return tuple(needed / net for net in nets)
    spare = 1 - math.fsum(1 / net for net in nets)

    def rank(stakes: tuple[float, ...]) -> tuple[float, float]:
        paid = (payout(side.ladder, stake) for side, stake in zip(sides, stakes, strict=True))
        total = math.fsum(stakes)
        return round(min(needed, *paid) - total, 9), -total

    return max(_in_steps(needed, sides, max(spare, _LEAST_SPARE)), key=rank)


def _in_steps(needed: float, sides: Sequence[Side], spare: float) -> Iterator[tuple[float, ...]]:
    """Yield the stakes that may lock in the most: for each payout the least that reaches it.

    No payout below the first can be the best: the exact stakes, each rounded up, lock in more.
    """
    steps = math.fsum(side.step / min(side.rates, default=1.0) for side in sides)
    start = max(0.0, needed - steps / spare)
    most = [_most_steps(side) for side in sides]
    counts = [min(_steps_paying(side, start), each) for side, each in zip(sides, most, strict=True)]
    while True:
        stakes = [
            side.stake_of(round(count * side.step, 9))
            for side, count in zip(sides, counts, strict=True)
        ]
        (paid, place), *others = sorted(
            (payout(side.ladder, stake), place)
            for place, (side, stake) in enumerate(zip(sides, stakes, strict=True))
            if side.step
        )
        exact = min(paid, needed)
        yield tuple(
            stake if side.step else _stake_paying(side, exact)
            for side, stake in zip(sides, stakes, strict=True)
        )
        if paid >= needed or counts[place] >= most[place]:
            return
        # more of the side that pays least is better until it pays as much as the next one
        next_paid = min([needed, *(each for each, _ in others[:1])])
        nearly = _steps_paying(sides[place], next_paid) - 1
        counts[place] = min(most[place], max(counts[place] + 1, nearly))


def _steps_paying(side: Side, paid: float) -> int:
    """Return the fewest steps with at least a payout; 0 without steps."""
    typed = side.typed(_stake_paying(side, paid))
    return math.ceil(typed / side.step - _HAIR) if side.step else 0


def _most_steps(side: Side) -> float:
    """Return the most steps that are available."""
    most = stakeable(side.ladder)
    if not side.step or math.isinf(most):
        return math.inf
    return math.floor(side.typed(most) * (1 + _HAIR) / side.step)


def _stake_paying(side: Side, paid: float) -> float:
    return paid / net_paying(side.ladder, paid)


def _with_stakes(bet: PromotedBet, sides: Sequence[Side], stakes: tuple[float, ...]) -> HedgedBet:
    total = math.fsum(stakes)
    others = (
        bet.if_loses + payout(side.ladder, stake) - total
        for side, stake in zip(sides, stakes, strict=True)
    )
    typed = tuple(side.typed(stake) for side, stake in zip(sides, stakes, strict=True))
    return HedgedBet(bet, stakes, typed, bet.if_wins - total, tuple(others))


def expected(bet: PromotedBet, chance: float) -> float:
    """Return the expected profit of an unhedged bet that wins with a chance."""
    return chance * bet.if_wins + (1 - chance) * bet.if_loses


def certainty_equivalent(
    results: Sequence[tuple[float, float]], bankroll: float, kelly_share: float
) -> float:
    """Return the sure profit that is worth as much as an uncertain one, at a Kelly share.

    A share ``k`` of Kelly stakes as an investor with the utility ``w^(1 - 1/k) / (1 - 1/k)`` of
    wealth ``w`` does, the logarithm for ``k = 1``: MacLean, Sanegre, Zhao and Ziemba (2004),
    Capital growth with security. The certainty equivalent is the wealth with the expected utility,
    minus the bankroll.

    Args:
        results: Probability and profit of each result.
        bankroll: In the same currency.
        kelly_share: Above 0, at most 1.

    Returns:
        At least minus the bankroll, which is also the answer if a result may lose all of it.
    """
    wealths = [(chance, 1 + profit / bankroll) for chance, profit in results if chance > 0]
    if any(wealth <= 0 for _, wealth in wealths):
        return -bankroll
    power = 1 - 1 / kelly_share
    logs = [(chance, math.log(wealth)) for chance, wealth in wealths]
    if abs(power) < _HAIR:
        mean = math.fsum(chance * log for chance, log in logs)
        return bankroll * math.expm1(mean)
    top = max(power * log for _, log in logs)
    mean = math.fsum(chance * math.exp(power * log - top) for chance, log in logs)
    return bankroll * math.expm1((top + math.log(mean)) / power)
