"""What the user does not want to see among value bets: a bet, a game, a market, a bookmaker."""

from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Final

import msgspec

from oddsdesk.contract.times import MINUTE_MS

FOR_NOW_MS: Final = 24 * 60 * MINUTE_MS
"""How long "for now" is: until tomorrow, when the games of today are over."""


GAME_LASTS_MS: Final = 6 * 60 * MINUTE_MS
"""How long after its kick-off a game is hidden: the next one of the teams may have its id."""


class HiddenKind(Enum):
    """What is hidden at once."""

    BET = "bet"
    """An outcome, at every bookmaker."""
    GAME = "game"
    MARKET = "market"
    """A market type, in every game."""
    BOOKMAKER = "bookmaker"


class Hidden(msgspec.Struct, frozen=True):
    """One thing that is hidden; times in milliseconds."""

    kind: HiddenKind
    key: str
    """Of a game its id, of a market its type, of a bookmaker its name, of a bet ``bet_key``."""
    title: str
    """What people call it."""
    until: int | None = None
    """None: for good."""


def hidden_until(
    kind: HiddenKind, kick_off: int | None, now_ms: int, *, for_good: bool
) -> int | None:
    """Return until when something is hidden; None for good.

    A game, and a bet on it, until the game is over: the next game of a series, or of the next
    season, may have the same id.
    """
    ends = [] if for_good else [now_ms + FOR_NOW_MS]
    if kind in (HiddenKind.GAME, HiddenKind.BET) and kick_off is not None:
        ends.append(max(now_ms, kick_off) + GAME_LASTS_MS)
    return min(ends, default=None)


def bet_key(outcome: Hashable) -> str:
    """Return the key of a bet, for its outcome as the list of bets names it."""
    return msgspec.json.encode(outcome).decode()


class HiddenThings:
    """What is hidden at a moment."""

    def __init__(self, things: Iterable[Hidden] = (), now_ms: int = 0) -> None:
        self.things = [each for each in things if each.until is None or each.until > now_ms]
        self._keys = {(each.kind, each.key) for each in self.things}
        self._has_bets = any(each.kind is HiddenKind.BET for each in self.things)

    def __len__(self) -> int:
        return len(self.things)

    def hides(self, game_id: str, market_type: str, bookmaker: str, outcome: Hashable) -> bool:
        """Tell whether a price is not to be seen; ``outcome`` as the list of bets names it."""
        keys = self._keys
        return bool(keys) and (
            (HiddenKind.GAME, game_id) in keys
            or (HiddenKind.MARKET, market_type) in keys
            or (HiddenKind.BOOKMAKER, bookmaker) in keys
            or (self._has_bets and (HiddenKind.BET, bet_key(outcome)) in keys)
        )
