"""Fair prices of multiples."""


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
