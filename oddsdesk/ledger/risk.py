"""What all open bets together may win and lose: their draws, chances and profits.

Bets decided by one number share a draw, as in ``ledger.open_bets``; its chances are the closest to
the usual ones at which each bet has its own chance. A multiple is on the draws of its open legs.
Different numbers of one game, such as its winner and its total, are independent draws; football
before the game has one, the score.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.ledger.bet_kinds import BetKind, profit_by_kind, result_of_legs
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import (
    OpenBet,
    OpenPart,
    open_parts,
    outcome_named,
    shared_results,
    subject_of,
)
from oddsdesk.pricing.risk_ahead import (
    MOST_RESULTS,
    RUNS,
    Ahead,
    OpenRisk,
    Share,
    fitted_chances,
    risk_ahead,
)
from oddsdesk.pricing.selections import Result, line_of

_RESULTS: Final = {
    1.0: Result.WON,
    0.5: Result.HALF_WON,
    0.0: Result.VOID,
    -0.5: Result.HALF_LOST,
    -1.0: Result.LOST,
}
"""Results by the share of the stake that is won."""
_WON, _PLACED, _LOST = Result.WON, Result.PLACED, Result.LOST
_SURE: Final = 1 - 1e-9


class BetsAhead(NamedTuple):
    """What open bets in one currency may win and lose."""

    ahead: Ahead
    bets: int
    draws: int
    """How many independent numbers decide them."""
    without_edge: int
    """Bets without fair odds, whose chances are 1 / net odds."""
    places: int
    """Each-way bets, whose place has the chance implied by its odds."""


def bets_ahead(
    bets: Iterable[PlacedBet], *, seed: int = 0, runs: int = RUNS, most_results: int = MOST_RESULTS
) -> BetsAhead:
    """Return what the open ones of these bets may win and lose together, each with its chance.

    A bet's chance is 1 / its fair odds when it was placed; without them 1 / its net odds.

    Args:
        bets: Bets in one currency.
        seed: Of the simulation, if there are too many results for an exact distribution.
        runs: Results of that simulation.
        most_results: Different results up to which the distribution is exact.
    """
    held = [bet for bet in bets if bet.open_size]
    draws, on_draw = _draws(open_parts(held))
    risks = [_risk(bet, on_draw[id(bet)]) for bet in held]
    return BetsAhead(
        risk_ahead(draws, risks, seed=seed, runs=runs, most_results=most_results),
        len(held),
        len(draws),
        sum(not _has_fair(bet) for bet in held),
        sum(bet.kind is BetKind.EACH_WAY for bet in held),
    )


class _On(NamedTuple):
    """A part of a bet on a draw."""

    draw: int
    shares: Sequence[float]
    """By result of the draw: the share of the stake that is won; for each-way bets 1 if it wins, 0
    if it is placed, -1 if it loses."""


def _draws(parts: Sequence[OpenPart]) -> tuple[list[list[float]], dict[int, list[_On]]]:
    """Return the chances of each draw, and the parts of each bet (by ``id``) on them."""
    together = defaultdict[Hashable, list[OpenPart]](list)
    for part in parts:
        together[_draw_of(part)].append(part)
    draws, on_draw = list[list[float]](), defaultdict[int, list[_On]](list)
    order = {id(part.named): at for at, part in enumerate(parts)}
    found = list[tuple[int, int, _On]]()
    for number, of_draw in enumerate(together.values()):
        chances, shares = _shared(of_draw)
        draws.append(chances)
        for part, of_part in zip(of_draw, shares, strict=True):
            found.append((order[id(part.named)], id(part.bet), _On(number, of_part)))
    for _, bet, on_it in sorted(found, key=lambda each: each[0]):  # legs in their order
        on_draw[bet].append(on_it)
    return draws, on_draw


def _draw_of(part: OpenPart) -> Hashable:
    outcome = part.outcome
    if part.game is None or outcome is None:
        return id(part.named)
    return part.game, subject_of(part.open_bet(outcome))


def _shared(parts: Sequence[OpenPart]) -> tuple[list[float], Sequence[Sequence[float]]]:
    """Return the chances of a draw's results, and what each part wins in them."""
    first = parts[0]
    if first.bet.kind is BetKind.EACH_WAY:
        return _of_places(first.bet), [(1.0, 0.0, -1.0)]
    bets = [part.open_bet(outcome) for part in parts if (outcome := part.outcome) is not None]
    if not bets and (by_line := _by_its_line(first.named)) is not None:
        bets = [by_line]
    if not bets:
        chance = _chance(first)
        return [chance, 1 - chance], [(1.0, -1.0)]
    one_game = (bet._replace(outcome=("", *bet.outcome[1:]), gain=0.0, stake=0.0) for bet in bets)
    decided = (part.bet.decided_then if part.is_alone else None for part in parts)
    return _fitted(tuple(one_game), tuple(map(_chance, parts)), tuple(decided))


def _by_its_line(bet: PlacedBet) -> OpenBet | None:
    """Return a bet whose market or teams are unknown by the line that ends its selection.

    So that ``Girona -0.75`` can be half won. None for a selection without a line.
    """
    team = bet.selection.rpartition(" ")[0]
    for market, game in (("total", ""), ("spread", f"{team} - ?")):
        key = ("", market, 0, bet.selection, "")
        is_lay = bet.kind is BetKind.LAY
        outcome = outcome_named(key, game, "", in_play=False, is_lay=is_lay)
        if outcome is not None and (line_of(outcome[3]) * 4).is_integer():
            return OpenBet(outcome, 0.0, 0.0, "")
    return None


@lru_cache(maxsize=1 << 10)
def _fitted(
    bets: tuple[OpenBet, ...], chances: tuple[float, ...], decided: tuple[float | None, ...]
) -> tuple[list[float], Sequence[Sequence[float]]]:
    """Return the chances of the results of bets on one draw; most draws need no change."""
    shares, prior = shared_results(bets)
    known = map(Share, shares, chances, decided)
    return fitted_chances(prior, list(known)), shares


def _of_places(bet: PlacedBet) -> list[float]:
    """Return how likely an each-way bet wins, is only placed, and loses."""
    win = min(_SURE, 1 / (bet.fair or bet.net))
    place = min(_SURE, max(win, 1 / (1 + (bet.net - 1) * (bet.place_fraction or 0.0))))
    return [win, place - win, 1 - place]


def _has_fair(bet: PlacedBet) -> bool:
    return bet.fair is not None or bool(bet.legs and all(leg.fair_odds for leg in bet.legs))


def _chance(part: OpenPart) -> float:
    """Return the chance that a decided unit on a part is won."""
    bet, leg = part.bet, part.named
    if not bet.legs:
        return min(_SURE, 1 / (bet.fair_odds or bet.unboosted_net))
    if leg.fair_odds is not None:
        return min(_SURE, 1 / leg.fair_odds)
    # Legs without fair odds share the rest of the bet's fair odds equally.
    taken = fair = 1.0
    for each in bet.legs:
        taken *= each.odds
    fair = bet.fair or bet.unboosted_net
    return min(_SURE, float((taken / fair) ** (1 / len(bet.legs))) / leg.odds)


def _risk(bet: PlacedBet, on_draws: Sequence[_On]) -> OpenRisk:
    draws = tuple(each.draw for each in on_draws)
    if bet.legs:
        profit = _profit_of_legs(bet, [each.shares for each in on_draws])
        return OpenRisk(draws, profit, -bet.loss, bet.gain)
    (shares,) = (each.shares for each in on_draws)
    results = [_RESULTS[share] for share in shares]
    if bet.kind is BetKind.EACH_WAY:
        results = [_WON, _PLACED, _LOST]
    profits = [profit_by_kind(bet.terms, result, bet.open_size) for result in results]
    return OpenRisk(draws, lambda at: profits[at[0]], min(profits), max(profits))


def _profit_of_legs(
    bet: PlacedBet, shares: Sequence[Sequence[float]]
) -> Callable[[tuple[int, ...]], float]:
    """Return a multiple's profit by the results of its open legs."""

    def profit(at: tuple[int, ...]) -> float:
        ended = iter([_RESULTS[of_leg[place]] for of_leg, place in zip(shares, at, strict=True)])
        legs = tuple(
            msgspec.structs.replace(leg, result=next(ended)) if leg.result is None else leg
            for leg in bet.legs
        )
        whole = result_of_legs(legs)
        assert whole is not None, "every leg has a result"
        return profit_by_kind(bet.terms._replace(legs=legs), whole, bet.open_size)

    return profit
