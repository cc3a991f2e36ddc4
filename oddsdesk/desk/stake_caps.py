"""What is said of a stake beyond the user's own caps, wherever a bet is typed; it may be a slip."""

from collections.abc import Iterable
from typing import Final

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import outcomes_of, placed_in
from oddsdesk.pricing.exposure import Placed, StakePlan

_DUST: Final = 1e-6
"""Sums of stakes are no nearer than that to what they are in decimals."""


def above_cap(whole: float, where: str, most: float, of: str) -> str:
    """Return the doubt of an amount that is more than the user stakes; empty where it is not."""
    if whole <= most + _DUST:
        return ""
    return (
        f"{whole:,.12g} {where}: your plan stakes at most {most:,.12g} {of}. Is that what you bet?"
    )


def above_caps(
    bet: PlacedBet, others: Iterable[PlacedBet], plan: StakePlan, now_ms: int, *, is_leg: bool
) -> str:
    """Return the doubt of a bet by the first cap that it breaks with ``others``; empty for none.

    Legs are of a sum of their own, and settle against each other: only the cap of all that is
    open holds for them.
    """
    if not placed_in([bet], now_ms, simulated=bet.practice).total:
        return ""  # settled, or of a game that is long over
    others = list(others)
    without_stake = msgspec.structs.replace(bet, stake=0.0, cashed_stake=0.0)  # how it is spelled
    before = placed_in([*others, without_stake], now_ms, simulated=bet.practice)
    after = placed_in([*others, bet], now_ms, simulated=bet.practice)
    names = outcomes_of(bet)

    def on_outcome(used: Placed) -> float:
        return max((used.by_outcome.get(each, 0.0) for each in names), default=0.0)

    def on_game(used: Placed) -> float:
        return used.by_game.get(bet.game_id, 0.0) if bet.game_id else 0.0

    caps = [(before.total, after.total, "open in all", plan.total_cap, "in all")]
    if not is_leg:
        of_one = on_outcome(before), on_outcome(after)
        of_game = on_game(before), on_game(after)
        caps[:0] = [
            (*of_one, "on this outcome", plan.outcome_cap, "on one"),
            (*of_game, "on this game", plan.game_cap, "on one"),
        ]
    doubts = (
        above_cap(
            whole,
            f"{where} with what is placed" if already else where,
            plan.bankroll * share,
            of,
        )
        for already, whole, where, share, of in caps
        if whole > already
    )
    return next(filter(None, doubts), "")
