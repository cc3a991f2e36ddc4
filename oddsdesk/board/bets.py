"""The list of bets: what is value, what to stake on it, and what bound the stake (D45, D54).

The value bets of the desk and ``oddsdesk bets`` are this list.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from oddsdesk.board.assessed import AssessedPrice, listed_at_all
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.exposure import Bound, Offer, Placed, Stake, StakePlan, stakes

_UNVALUED: Final = frozenset(
    {
        Caution.NOT_COMPARABLE,
        Caution.UNREAD_OUTCOME,
        Caution.OTHER_RULES,
        Caution.CROSSED_REFERENCE,
    }
)
"""Where the service has no figure of its own either (D27, D48 to D50)."""


class Bet(NamedTuple):
    """A price of the list."""

    price: AssessedPrice
    stake: float
    """0 where there is none."""
    bound: Bound | None
    """What set the stake; None where the price carries none."""
    same_bet_as: str | None
    """The bookmaker whose price carries the stake of this outcome; None where it is this one."""

    @property
    def service_ev_pct(self) -> float | None:
        """What the contract says of the gross price; None where it values nothing."""
        found = self.price.assessment
        return None if _UNVALUED.intersection(found.cautions) else found.service_ev_pct


def list_bets(
    prices: Iterable[AssessedPrice],
    plan: StakePlan,
    placed: Placed | None = None,
    *,
    everything: bool = False,
    wanted: Callable[[AssessedPrice], bool] = lambda _: True,
    most_at: Callable[[str], float | None] = lambda _: None,
) -> list[Bet]:
    """Return the prices that are value, best EV first, each outcome staked once.

    Args:
        prices: All prices of a moment.
        plan: How the user stakes.
        placed: What is placed already and open.
        everything: Also what the contract lists at gross odds, or what would be listed were it
            not for its cautions.
        wanted: What the user wants to see; nothing else is listed or staked.
        most_at: The most that a bookmaker takes, as the user noted it (D55).
    """
    found = sorted(filter(wanted, listed_at_all(prices)), key=_best_first)
    staked = _stakes(plan, [price for price in found if price.assessment.is_value], placed, most_at)
    carriers = {
        price.outcome: price.quote.bookmaker
        for price, stake in staked.values()
        if stake.same_bet_as is None
    }
    return [
        _bet(price, staked, carriers) for price in found if everything or price.assessment.is_value
    ]


_Staked = dict[int, tuple[AssessedPrice, Stake]]
"""By identity of the price: a hash of all that it holds would take long."""


def _stakes(
    plan: StakePlan,
    value: Sequence[AssessedPrice],
    placed: Placed | None,
    most_at: Callable[[str], float | None],
) -> _Staked:
    """Stake value bets; of equal net prices the first bookmaker by name carries the stake."""
    ordered = sorted(value, key=_by_name)
    offers = [offer for price in ordered if (offer := _offer(price, most_at)) is not None]
    found = stakes(plan, offers, placed)
    return {id(price): (price, stake) for price, stake in zip(ordered, found, strict=True)}


def _bet(
    price: AssessedPrice, staked: _Staked, carriers: dict[tuple[str, str, int, str, str], str]
) -> Bet:
    own = staked.get(id(price))
    if own is None or own[1].same_bet_as is not None:
        return Bet(price, 0.0, None, carriers.get(price.outcome))
    return Bet(price, own[1].amount, own[1].bound, None)


def _offer(price: AssessedPrice, most_at: Callable[[str], float | None]) -> Offer | None:
    ends = price.assessment.settlement
    if ends is None:
        return None
    return Offer(
        outcome=price.outcome,
        group=price.line,
        game=price.quote.game_id,
        bookmaker=price.quote.bookmaker,
        net_odds=price.assessment.net_odds,
        settlement=ends,
        most=most_at(price.quote.bookmaker),
    )


def _best_first(price: AssessedPrice) -> tuple[object, ...]:
    """Sort by EV; one whose pushes are unknown below an equal one that is known (D53)."""
    found, quote = price.assessment, price.quote
    place = (quote.competition, quote.match_name, quote.market_type, quote.period)
    is_known = found.per == "staked"
    return (-(found.ev_pct or 0.0), not is_known, *place, price.selection, quote.bookmaker)


def _by_name(price: AssessedPrice) -> tuple[object, ...]:
    quote = price.quote
    place = (quote.competition, quote.match_name, quote.market_type, quote.period)
    return (quote.bookmaker, *place, price.selection)
