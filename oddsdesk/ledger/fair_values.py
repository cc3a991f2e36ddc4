"""The value of an open bet at current fair odds."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from oddsdesk.ledger.bet_kinds import BetKind, profit_by_kind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games import ListedGame
from oddsdesk.ledger.open_bets import NOT_LISTED, open_parts
from oddsdesk.pricing.selections import Result

FairNow = Callable[[PlacedBet], "FairPrice | None"]
"""Returns the current fair price of a bet, or of a leg as a bet; None if unknown."""


class FairPrice(NamedTuple):
    """The fair odds of an outcome."""

    odds: float
    decided: float = 1.0
    """The share of a stake that is won or lost on average; a push pays the rest back."""


def fair_value(
    bet: PlacedBet, size: float, fair_now: FairNow, listed: Mapping[str, ListedGame] = NOT_LISTED
) -> float | None:
    """Return what a part of an open bet pays back on average, in money, stake included.

    ``listed`` are the games that ``fair_now`` knows, by id.

    None if a fair price is missing, for each-way bets, whose places have none, and for open legs of
    one game, which are not independent. The stake of a free bet does not come back.
    """
    if bet.kind is BetKind.EACH_WAY:
        return None
    parts = [part.named for part in open_parts([bet], listed)]
    games = [part.game_id for part in parts]
    prices = [fair_now(part) for part in parts]
    if len(set(games)) < len(games) or None in prices:
        return None
    known = [price for price in prices if price is not None]
    if bet.legs:  # a push of one leg changes the odds of the rest
        if any(price.decided < 1 for price in known):
            return None
        won = math.prod(1 / price.odds for price in known)
        lost = 1 - won
    else:
        (price,) = known
        won, lost = price.decided / price.odds, price.decided * (1 - 1 / price.odds)
        if bet.kind is BetKind.LAY:
            won, lost = lost, won
    stake = 0.0 if bet.kind.is_free else size
    gain = profit_by_kind(bet.terms, Result.WON, size)
    loss = profit_by_kind(bet.terms._replace(legs=()), Result.LOST, size)
    return stake + won * gain + lost * loss
