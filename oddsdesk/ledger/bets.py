"""Placed bets: what the user bet, and what it was judged by at that moment."""

import msgspec

BetKey = tuple[str, str, int, str, str]
"""Game id, market type, period, selection, bookmaker."""


class PlacedBet(msgspec.Struct, frozen=True):
    """A bet that the user placed, and what was thought then (D56).

    Times in milliseconds, EV in percent. Odds, stake, currency and bookmaker are as typed.
    """

    game_id: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    stake: float
    placed_at: int
    kick_off: int | None = None
    fair_odds: float | None = None
    """Before the safety floor."""
    true_ev: float | None = None
    """Of ``odds`` after commission, safety floor included; recorded before version 2 of the
    ledger, it is of the odds that were listed."""
    method: str = ""
    """The devig method that made ``fair_odds``; empty where there are none."""
    net_odds: float | None = None
    """What ``odds`` pay after commission, tax and fees, as the bookmaker was known then."""
    currency: str = ""
    """Of the stake; empty for the user's own money."""
    age_ms: int | None = None
    """How old the price was when the bet was placed; None where that was not known."""
    cautions: tuple[str, ...] = ()
    """What spoke against the price, as ``pricing.assessment.Caution`` names it."""
    ident: int | None = None
    """Given when the bet is recorded."""

    @property
    def key(self) -> BetKey:
        """What the bet was on, and where."""
        return (self.game_id, self.market_type, self.period, self.selection, self.bookmaker)
