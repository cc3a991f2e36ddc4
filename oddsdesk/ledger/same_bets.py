"""Which bets of a file or another ledger are in the ledger already."""

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from oddsdesk.contract.markets import market_named
from oddsdesk.contract.times import DAY_MS
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games import may_be_on_one_game
from oddsdesk.pricing.selections import Result


def lacking(bets: Iterable[PlacedBet], held: Iterable[PlacedBet]) -> list[PlacedBet]:
    """Return the bets that are not in the ledger: another price, or placed at another moment.

    A lay is another price than a back of the same selection.
    """
    there = Counter((bet.bet_key, _side(bet), bet.placed_at) for bet in held)
    missing = []
    for bet in bets:
        key = bet.bet_key, _side(bet), bet.placed_at
        if there[key] > 0:
            there[key] -= 1
        else:
            missing.append(bet)
    return missing


class Compared(NamedTuple):
    """Bets of a file compared with those in the ledger."""

    fresh: list[PlacedBet]
    """Bets that are not in the ledger."""
    settled: list[PlacedBet]
    """Open bets of the ledger, with the result that the file has."""
    there: int
    """Number of bets already in the ledger."""


def compare_bets(
    bets: Sequence[PlacedBet], held: Iterable[PlacedBet], now_ms: int, undated: Container[int] = ()
) -> Compared:
    """Return the bets of a file that are new, and the open ones that the file has results for.

    Bets are matched as in ``lacking``. If only the day of placing is known, odds and stake must
    match, too; for those in ``undated``, odds and stake alone decide.
    """
    known: defaultdict[Hashable, list[PlacedBet]] = defaultdict(list)
    loosely: defaultdict[Hashable, list[PlacedBet]] = defaultdict(list)
    for bet in held:
        known[_identity(bet)].append(bet)
        loosely[_price(bet)].append(bet)
    found = Compared([], [], 0)
    there = 0
    for place, bet in enumerate(bets):
        same = loosely[_price(bet)] if place in undated else known[_identity(bet)]
        if not same:
            found.fresh.append(bet)
            continue
        there += 1
        before = same.pop(_place_of_game(same, bet))
        if before.result is None and not before.cashed_stake and bet.result is not None:
            found.settled.append(_settled(before, bet, now_ms))
    return found._replace(there=there)


def _place_of_game(same: Sequence[PlacedBet], bet: PlacedBet) -> int:
    """Return which of the bets at one price is on a bet's game; games of a series share an id.

    The first if none is: the game may have been postponed.
    """
    on_it = (place for place, each in enumerate(same) if may_be_on_one_game(each, bet.kick_off))
    return next(on_it, 0)


def _settled(before: PlacedBet, told: PlacedBet, now_ms: int) -> PlacedBet:
    return msgspec.structs.replace(
        before,
        result=told.result,
        settled_at=now_ms if told.settled_at is None else told.settled_at,
        settled_by=told.settled_by,
        undone="",
        cashed_stake=before.size if told.result is Result.CASHED_OUT else told.cashed_stake,
        cashed_back=told.cashed_back,
        legs=_legs_settled(before.legs, told.legs),
        net_odds=before.net_odds if told.net_odds is None else told.net_odds,
    )


def _legs_settled(before: tuple[BetLeg, ...], told: tuple[BetLeg, ...]) -> tuple[BetLeg, ...]:
    """Return legs with the results that a list has for them, if it has the same legs."""
    if [leg.selection for leg in before] != [leg.selection for leg in told]:
        return before
    return tuple(
        msgspec.structs.replace(leg, result=other.result, settled_by=other.settled_by, undone="")
        if leg.result is None
        else leg
        for leg, other in zip(before, told, strict=True)
    )


def _identity(bet: PlacedBet) -> Hashable:
    is_day = bet.placed_at % DAY_MS == 0
    return bet.placed_at, _price(bet) if is_day else _place(bet)


def _price(bet: PlacedBet) -> Hashable:
    return _place(bet), bet.odds, bet.stake


def _place(bet: PlacedBet) -> Hashable:
    """Return the outcome of a bet, in the current names of market types."""
    game_id, market_type, *rest = bet.bet_key
    return game_id, market_named(market_type), *rest, _side(bet)


def _side(bet: PlacedBet) -> Hashable:
    """Return what distinguishes bets on one selection: a lay, or other legs."""
    return bet.kind is BetKind.LAY, tuple(leg.selection for leg in bet.legs)
