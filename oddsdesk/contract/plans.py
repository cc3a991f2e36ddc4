"""Plans: what each may see and how often it may ask."""

from enum import Enum
from typing import Final

import msgspec

HOUR_S: Final = 3_600
DAY_S: Final = 86_400


class Rights(msgspec.Struct, frozen=True):
    """What a plan allows; ``requests`` per ``window_s`` seconds, fixed UTC windows (D18)."""

    requests: int
    window_s: int
    all_bookmakers: bool
    value_bets: bool
    websocket: bool
    live: bool
    connections_per_day: int | None
    """Stream connections a UTC day; None is unlimited."""
    in_flight: int
    """Requests of one key that are answered at a time; further ones wait (D83)."""


class Plan(Enum):
    """A plan, by the name the contract gives it."""

    FREE = "Free"
    PRO = "Pro"
    PRO_RT = "Pro+ RT"
    PRO_LIVE = "Pro+ Live"

    @property
    def rights(self) -> Rights:
        """What this plan allows."""
        return _RIGHTS[self]


_RIGHTS: Final = {
    Plan.FREE: Rights(200, DAY_S, False, False, True, False, 30, 2),
    Plan.PRO: Rights(5_500, HOUR_S, True, True, False, False, None, 8),
    Plan.PRO_RT: Rights(5_500, HOUR_S, True, True, True, False, None, 8),
    Plan.PRO_LIVE: Rights(5_500, HOUR_S, True, True, True, True, None, 8),
}
