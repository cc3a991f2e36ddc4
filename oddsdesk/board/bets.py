"""The list of bets: what is value, what to stake on it, and what bound the stake (D45, D54).

The value bets of the desk and ``oddsdesk bets`` are this list.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from oddsdesk.board.assessed import AssessedPrice, listed_at_all
from oddsdesk.board.basis import Basis
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.exposure import Bound, Offer, Placed, Stake, StakePlan, staking
from oddsdesk.pricing.profiles import Profiles

_HOUR_MS: Final = 60 * MINUTE_MS
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
    same_bet_as: AssessedPrice | None
    """The price that carries the stake of this outcome; None where it is this one."""
    service_ev_pct: float | None
    """What the contract says of the gross price; None where it values nothing, and where it is
    judged by somebody else, or by another method."""


class Exposure(NamedTuple):
    """How the stake of an outcome came about; amounts in the user's money."""

    plan: StakePlan
    kelly: float
    """The chosen share of Kelly by this price alone."""
    same_at: int
    """How many other prices of the outcome are value: they share the stake."""
    placed: float
    """What is placed on the outcome."""
    game: float
    """What is placed or to be staked on the game."""
    total: float
    """What is placed or to be staked in all."""
    bet: Bet
    most: float | None
    """What the bookmaker of the bet takes at most, as the user noted it (D55)."""


def exposure_of(
    bets: Iterable[Bet],
    price: AssessedPrice,
    plan: StakePlan,
    placed: Placed,
    profiles: Profiles,
) -> Exposure | None:
    """Return how the stake on a price's outcome came about; None where the price is no value."""
    held = [bet for bet in bets if bet.price.is_value]
    same = [bet for bet in held if bet.price.outcome == price.outcome]
    ends = price.assessment.settlement
    carrier = next((bet for bet in same if bet.same_bet_as is None), None)
    if carrier is None or ends is None or not price.is_value:
        return None
    game = price.key.game_id
    staked = sum(bet.stake for bet in held if bet.price.key.game_id == game)
    return Exposure(
        plan=plan,
        kelly=plan.bankroll * plan.kelly_share * ends.kelly(price.assessment.net_odds),
        same_at=len(same) - 1,
        placed=placed.by_outcome.get(price.outcome, 0.0),
        game=placed.by_game.get(game, 0.0) + staked,
        total=placed.total + sum(bet.stake for bet in held),
        bet=carrier,
        most=profiles.of(carrier.price.bookmaker).limit,
    )


def listing_bets(
    prices: Iterable[AssessedPrice],
    basis: Basis,
    plan: StakePlan,
    placed: Placed | None = None,
    *,
    now_ms: int,
    chosen: Callable[..., bool] | None = None,
    hidden: Callable[..., bool] | None = None,
    everything: bool = False,
) -> Generator[None, None, list[Bet]]:
    """Return the prices that are value, best EV first, each outcome staked once; in small steps.

    What the user's bookmakers do not offer is neither listed nor staked; no stake passes the
    most that a bookmaker takes, as the user noted it (D55).

    Args:
        prices: All prices of a moment that have the least edge.
        basis: What they were judged by.
        plan: How the user stakes.
        placed: What is placed already and open.
        now_ms: What ages and hours to kick-off are counted from.
        chosen: Whether the user wants to see a price, asked as ``ValueFilter.passes`` is; nothing
            else is listed or staked.
        hidden: Whether the user does not want to see a price, asked as ``HiddenThings.hides`` is;
            such prices are neither listed nor staked.
        everything: Also what the contract lists at gross odds, or what would be listed were it
            not for its cautions.
    """
    ranked = []
    for price in listed_at_all(prices):
        if not is_hidden(price, hidden) and is_wanted(price, basis, now_ms, chosen):
            ranked.append((_best_first(price), price))
        yield
    ranked.sort(key=itemgetter(0))
    found = [price for _, price in ranked]
    yield
    value = [price for price in found if price.is_value]
    staked = yield from _staking(plan, value, placed, basis.profiles)
    carriers = {
        price.outcome: price for price, stake in staked.values() if stake.same_bet_as is None
    }
    yield
    return [_bet(price, staked, carriers, basis) for price in found if everything or price.is_value]


def is_hidden(price: AssessedPrice, hidden: Callable[..., bool] | None) -> bool:
    """Tell whether the user does not want to see a price, asked as ``listing_bets`` asks."""
    return hidden is not None and hidden(
        game_id=price.key.game_id,
        market_type=price.key.market_type,
        bookmaker=price.bookmaker,
        outcome=price.outcome,
    )


def is_wanted(
    price: AssessedPrice, basis: Basis, now_ms: int, chosen: Callable[..., bool] | None
) -> bool:
    """Whether the user wants to see a price: at one of the user's bookmakers, and ``chosen``."""
    if not basis.is_mine(price.bookmaker):
        return False
    found = price.assessment
    ev = found.ev_pct
    if price.is_in_contract and not price.is_value:
        ev = found.service_ev_pct  # it is listed for that, and shown as less after commission
    return chosen is None or chosen(
        sport=price.sport,
        competition=price.competition,
        market_type=price.key.market_type,
        bookmaker=price.bookmaker,
        odds=found.odds,
        true_ev=ev,
        is_live=price.is_live,
        hours_ahead=None if price.kick_off is None else (price.kick_off - now_ms) / _HOUR_MS,
        age_s=None if price.scraped_at is None else (now_ms - price.scraped_at) / 1_000,
        limit=basis.profiles.of(price.bookmaker).limit,
    )


_Staked = dict[int, tuple[AssessedPrice, Stake]]
"""By identity of the price: a hash of all that it holds would take long."""


def _staking(
    plan: StakePlan, value: Sequence[AssessedPrice], placed: Placed | None, profiles: Profiles
) -> Generator[None, None, _Staked]:
    """Stake value bets; of equal net prices the first bookmaker by name carries the stake."""
    ordered = sorted(value, key=_by_name)
    offers = [offer for price in ordered if (offer := _offer(price, profiles)) is not None]
    yield
    found = yield from staking(plan, offers, placed)
    return {id(price): (price, stake) for price, stake in zip(ordered, found, strict=True)}


def _bet(
    price: AssessedPrice,
    staked: _Staked,
    carriers: dict[tuple[str, str, int, str, str], AssessedPrice],
    basis: Basis,
) -> Bet:
    found, own = price.assessment, staked.get(id(price))
    is_valued = basis.is_contracts and not _UNVALUED.intersection(found.cautions)
    service_ev = found.service_ev_pct if is_valued else None
    if own is None or own[1].same_bet_as is not None:
        return Bet(price, 0.0, None, carriers.get(price.outcome), service_ev)
    return Bet(price, own[1].amount, own[1].bound, None, service_ev)


def _offer(price: AssessedPrice, profiles: Profiles) -> Offer | None:
    ends = price.assessment.settlement
    if ends is None:
        return None
    return Offer(
        outcome=price.outcome,
        group=price.line,
        game=price.key.game_id,
        bookmaker=price.bookmaker,
        net_odds=price.assessment.net_odds,
        settlement=ends,
        most=profiles.of(price.bookmaker).limit,
    )


def _best_first(price: AssessedPrice) -> tuple[object, ...]:
    """Sort by EV; one whose pushes are unknown below an equal one that is known (D53)."""
    found = price.assessment
    is_known = found.per == "staked"
    return (-(found.ev_pct or 0.0), not is_known, *_place(price), price.bookmaker)


def _by_name(price: AssessedPrice) -> tuple[object, ...]:
    return (price.bookmaker, *_place(price))


def _place(price: AssessedPrice) -> tuple[object, ...]:
    _, market_type, period, selection, _ = price.key
    return (price.competition, price.match_name, market_type, period, selection)
