"""How a game ended, as a feed tells it beside its prices."""

import msgspec


class GameResult(msgspec.Struct, frozen=True, gc=False):
    """The goals of a game of football, home team first; ``kick_off`` in milliseconds."""

    competition: str
    match_name: str
    kick_off: int
    home: int
    away: int
    half_home: int | None = None
    """At half time; None where that is not told."""
    half_away: int | None = None
