"""Taking in another ledger's records, or a file's: nothing that is there is lost or doubled."""

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.markets import market_named
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games import may_be_on_one_game
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.results import Result

_DAY_MS: Final = 24 * 60 * MINUTE_MS


def take_in(other: Path, path: Path) -> tuple[int, int]:
    """Add the bets and presets of another ledger that this one lacks; return how many of each.

    A bet is the same where it is on the same price and was placed at the same moment, whatever
    was noted or became of it since; a preset of a name that is there stays as it is there. All
    are added or none. The other file is brought to the present schema.

    Raises:
        LedgerError: one of the files cannot be used; says why in one line.
    """
    with closing(Ledger(other)) as found:
        bets, (presets, _) = found.bets(), found.presets()
    with closing(Ledger(path)) as ledger:
        missing = lacking(bets, ledger.bets())
        names = {preset.name for preset in ledger.presets()[0]}
        fresh = [preset for preset in presets if preset.name not in names]
        ledger.add(missing, fresh)
    return len(missing), len(fresh)


def lacking(bets: Iterable[PlacedBet], held: Iterable[PlacedBet]) -> list[PlacedBet]:
    """Return the bets that are not held: on another price, or placed at another moment."""
    there = Counter((bet.key, bet.placed_at) for bet in held)
    missing = []
    for bet in bets:
        if there[bet.key, bet.placed_at] > 0:
            there[bet.key, bet.placed_at] -= 1
        else:
            missing.append(bet)
    return missing


class Compared(NamedTuple):
    """Bets of a file beside those that are held."""

    fresh: list[PlacedBet]
    """Those that are not held."""
    settled: list[PlacedBet]
    """Held ones that were open, with the result that the file has."""
    there: int
    """How many are held."""


def compare(
    bets: Sequence[PlacedBet],
    held: Iterable[PlacedBet],
    now_ms: int,
    undated: Container[int] = (),
) -> Compared:
    """Tell which bets of a file are not held, and which of the held ones it has results of.

    A bet is held as ``lacking`` says. Where no more than a day is known of its moment, odds and
    stake are the same too; where nothing is (the places in ``undated``), those alone tell.
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
    """Return which of the bets on one price is on the game of a bet: games of a series have one id.

    The first where none is: a game may have been put off since.
    """
    on_it = (place for place, each in enumerate(same) if may_be_on_one_game(each, bet.kick_off))
    return next(on_it, 0)


def _settled(before: PlacedBet, told: PlacedBet, now_ms: int) -> PlacedBet:
    return msgspec.structs.replace(
        before,
        result=told.result,
        settled_at=now_ms if told.settled_at is None else told.settled_at,
        cashed_stake=before.stake if told.result is Result.CASHED_OUT else told.cashed_stake,
        cashed_back=told.cashed_back,
        net_odds=before.net_odds if told.net_odds is None else told.net_odds,
    )


def _identity(bet: PlacedBet) -> Hashable:
    is_day = bet.placed_at % _DAY_MS == 0
    return bet.placed_at, _price(bet) if is_day else _place(bet)


def _price(bet: PlacedBet) -> Hashable:
    return _place(bet), bet.odds, bet.stake


def _place(bet: PlacedBet) -> Hashable:
    """What the bet is on, and where: market types as they were once read are the same still."""
    game_id, market_type, *rest = bet.key
    return game_id, market_named(market_type), *rest
