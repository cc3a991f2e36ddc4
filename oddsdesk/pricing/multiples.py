"""Fair prices of multiples: legs of different games multiply, legs of one game do not.

Legs of one football game are added up over the scores of its grid (``pricing.score_grid``), if the
scores decide all of them. Otherwise they have no price: their product would ignore that they are
related.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.pricing.score_models import Model, shares_at
from oddsdesk.pricing.selections import LineGroup, line_of

if TYPE_CHECKING:
    from oddsdesk.pricing.derived import FairGame

_SURE: Final = 1 - 1e-9


class LegPrice(NamedTuple):
    """A leg that is to be priced."""

    name: str
    """For display: ``Arsenal``."""
    game: str
    """The same for all legs of one game."""
    sport: str
    market_type: str
    period: int
    key: str
    """As ``LineGroup.key``."""
    side: str
    odds: float | None = None
    """The leg's odds as a single; None if only the multiple has a price."""
    fair_odds: float | None = None
    """Of a decided stake."""
    decided: float | None = 1.0
    """The average share of a stake that is won or lost; None if the chance of a push is unknown."""
    band: float = 0.0
    """By how much 1 / ``fair_odds`` may be off; 0 unless it is modelled."""
    why_not: str = ""
    """Why it has no fair odds, as a clause."""


class MultiplePrice(NamedTuple):
    """The fair price of a multiple, or why it has none."""

    fair_odds: float | None = None
    cautious_odds: float | None = None
    """Fair odds at the low end of the model's error; ``fair_odds`` unless modelled. Infinite if
    the error includes 0."""
    is_modelled: bool = False
    why_not: str = ""
    """Why there is no price, as a sentence without a full stop."""
    notes: tuple[str, ...] = ()
    """What else to know, as such sentences."""

    def ev_pct(self, net_odds: float) -> float | None:
        """Return the EV of odds after commission, in percent of the stake."""
        return None if self.fair_odds is None else 100 * (net_odds / self.fair_odds - 1)

    def cautious_ev_pct(self, net_odds: float) -> float | None:
        """Return the EV at the low end of the model's error."""
        return None if self.cautious_odds is None else 100 * (net_odds / self.cautious_odds - 1)


class _Kept(NamedTuple):
    """Average payout of legs of one game per unit of odds: the chance, if none can push."""

    amount: float
    band: float = 0.0
    is_modelled: bool = False


class _NoPriceError(Exception):
    """Legs have no price; the message says why."""


def leg_fair_odds(odds: float, fair_odds: float, decided: float | None) -> float:
    """Return what a leg adds to the fair odds of its multiple, for legs of different games.

    A leg that comes back as a push leaves the rest of the multiple in play, so its part of the
    stake counts with the odds at which it was placed. A leg worth ``1 + decided * (odds/fair - 1)``
    a unit thus counts as ``odds`` divided by that.

    Args:
        odds: At which the leg was placed.
        fair_odds: Of a decided stake.
        decided: The average share of a stake that is won or lost; None for all of it.
    """
    share = 1.0 if decided is None else decided
    return odds / (1 + share * (odds / fair_odds - 1))


def price_multiple(
    legs: Sequence[LegPrice],
    game_of: Callable[[LegPrice], "FairGame | str"],
    joined: Callable[[list[str]], str] = " and ".join,
) -> MultiplePrice:
    """Return the fair price of legs that must all win; a push drops out.

    ``game_of`` returns the lines of a leg's game and period, for legs of one game; if there is
    nothing to fit scores to, why, as a clause. ``joined`` lists names of legs in a sentence.
    """
    if len(legs) < 2:
        return MultiplePrice(why_not="a multiple needs two legs or more")
    by_game = defaultdict[str, list[LegPrice]](list)
    for leg in legs:
        by_game[leg.game].append(leg)
    notes = list[str]()
    try:
        kept = [_of_game(together, game_of, joined, notes) for together in by_game.values()]
    except _NoPriceError as error:
        return MultiplePrice(why_not=str(error), notes=tuple(notes))
    amount = math.prod(each.amount for each in kept)
    low = math.prod(max(0.0, each.amount - each.band) for each in kept)
    return MultiplePrice(
        1 / amount,
        1 / low if low else math.inf,
        any(each.is_modelled for each in kept),
        notes=tuple(notes),
    )


def _of_game(
    legs: Sequence[LegPrice],
    game_of: Callable[[LegPrice], "FairGame | str"],
    joined: Callable[[list[str]], str],
    notes: list[str],
) -> _Kept:
    if len(legs) == 1:
        return _of_leg(legs[0])
    first, names = legs[0], joined([leg.name for leg in legs])
    for one, other in combinations(legs, 2):
        if one[2:7] == other[2:7]:
            raise _NoPriceError(f"{one.name} and {other.name} are the same bet")
    if first.sport != FOOTBALL:
        raise _NoPriceError(f"{names} are on one game, and only scores of football are modelled")
    if len({leg.period for leg in legs}) > 1:
        raise _NoPriceError(f"{names} are on different parts of one game, which no score decides")
    shares = {leg: shares_at(leg.market_type, leg.key, leg.side) for leg in legs}
    for leg, found in shares.items():
        if found is None:
            raise _NoPriceError(
                f"{leg.name} is not decided by the score, and other legs are on its game"
            )
    known = {leg: found for leg, found in shares.items() if found is not None}
    if not any(all(share > 0 for share in at) for at in zip(*known.values(), strict=True)):
        if len(legs) > 2:
            raise _NoPriceError(f"{names} cannot all win")
        raise _NoPriceError(f"{names} cannot both win")
    standing = _without_implied(known, notes)
    if len(standing) == 1:
        return _of_leg(standing[0])
    names = joined([leg.name for leg in standing])
    return _of_scores(standing, names, known, game_of(first))


def _of_leg(leg: LegPrice) -> _Kept:
    if leg.fair_odds is None:
        raise _NoPriceError(f"{leg.name} has no fair odds: {leg.why_not or N_('none is known')}")
    if leg.decided is None:
        raise _NoPriceError(f"{leg.name} can be a push, and its chance is not known")
    if leg.decided >= _SURE:
        return _Kept(1 / leg.fair_odds, leg.band, leg.band > 0)
    if leg.odds is None:
        raise _NoPriceError(_needs_odds(leg))
    counted = leg_fair_odds(leg.odds, leg.fair_odds, leg.decided)
    return _Kept(1 / counted, leg.band * leg.decided, leg.band > 0)


def _needs_odds(leg: LegPrice) -> str:
    name = leg.name
    return N_(f"{name} can be a push, which leaves the other legs: enter the odds of that leg")


def _without_implied(shares: dict[LegPrice, tuple[float, ...]], notes: list[str]) -> list[LegPrice]:
    """Return the legs without those that win whenever another one does."""
    standing = list(shares)
    for leg in list(standing):
        for other in standing:
            pairs = zip(shares[leg], shares[other], strict=True)
            is_implied = other is not leg and all(own == 1 for own, of in pairs if of > -1)
            if is_implied:
                name, other_name = leg.name, other.name
                notes.append(N_(f"{name} wins whenever {other_name} does, so it adds nothing"))
                standing.remove(leg)
                break
    return standing


def _of_scores(
    legs: Sequence[LegPrice],
    names: str,
    shares: dict[LegPrice, tuple[float, ...]],
    game: "FairGame | str",
) -> _Kept:
    """Return what legs pay together, added up over the scores of their game."""
    if isinstance(game, str):
        raise _NoPriceError(f"{names} are on one game: {game}")
    band = 0.0
    for leg in legs:
        error = game.model_error(leg.market_type, _group(leg))
        if isinstance(error, str):
            raise _NoPriceError(f"{names} are on one game: {error}")
        band += error
        if leg.odds is None and any(abs(share) < 1 for share in shares[leg]):
            raise _NoPriceError(_needs_odds(leg))
    paid = [[_paid(share, leg.odds) for share in shares[leg]] for leg in legs]
    products = map(math.prod, zip(*paid, strict=True))
    chances = _chances(game.model)
    amount = math.fsum(map(math.prod, zip(products, chances, strict=True)))
    return _Kept(amount, band, is_modelled=True)


def _paid(share: float, odds: float | None) -> float:
    """Return what a leg pays per unit of its odds where it wins a share of its stake."""
    if odds is None:
        return max(0.0, share)
    return (1 + share * (odds - 1 if share > 0 else 1)) / odds


def _group(leg: LegPrice) -> LineGroup:
    line = line_of(leg.key) if any(letter.isdigit() for letter in leg.key) else None
    return LineGroup(leg.key, line, (leg.name,), (leg.side,), complete=False)


def _chances(model: Model | None) -> Sequence[float]:
    from oddsdesk.pricing.score_grid import ScoreGrid  # noqa: PLC0415 - numpy, not at start

    assert isinstance(model, ScoreGrid), "football's model is a grid of scores"
    return model.chances
