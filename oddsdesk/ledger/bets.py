"""Placed bets: what the user bet, and what it was judged by at that moment."""

import msgspec

BetKey = tuple[str, str, int, str, str]
"""Game id, market type, period, selection, bookmaker."""


class PlacedBet(msgspec.Struct, frozen=True):
    """A bet that the user placed; times in milliseconds, EV in percent."""

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
    """Before the safety floor, by the method in use when the bet was placed."""
    true_ev: float | None = None
    method: str = ""
    ident: int | None = None
    """Given when the bet is recorded."""

    @property
    def key(self) -> BetKey:
        """What the bet was on, and where."""
        return (self.game_id, self.market_type, self.period, self.selection, self.bookmaker)
