"""How games ended: status, score by period, and single selections that a source has settled.

Feeds, files and other services report results; settlement (``ledger.settling``), backtests and the
desk read them. One game may have several results, one from each source.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

import msgspec

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.quotes import Quote


class GameStatus(Enum):
    """What became of a game."""

    SCHEDULED = "scheduled"
    IN_PLAY = "in_play"
    FINAL = "final"
    POSTPONED = "postponed"
    ABANDONED = "abandoned"
    """Begun and not finished."""
    CANCELLED = "cancelled"
    RETIRED = "retired"
    """A player gave up, or was disqualified, after the start."""
    UNKNOWN = "unknown"
    """The source has settled selections and does not say how the game stands."""


ENDED: Final = frozenset(
    set(GameStatus) - {GameStatus.SCHEDULED, GameStatus.IN_PLAY, GameStatus.UNKNOWN}
)
"""The statuses that bets may settle by. ``GameResult.selections`` settle at any status."""

REGULAR_PERIODS: Final[Mapping[str, int]] = MappingProxyType(
    {
        FOOTBALL: 2,
        "AmericanFootball": 4,
        "AussieRules": 4,
        "Baseball": 9,
        "Basketball": 4,
        "Hockey": 3,
        "Rugby": 2,
    }
)
"""Periods of a game without overtime, by sport: halves, quarters, thirds, innings. Later periods
are overtime, extra time, extra innings or a shoot-out."""


class PeriodScore(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The score of one period alone: goals or points, or the games of a set in tennis."""

    period: int
    """From 1, in the order of play."""
    home: int
    away: int


class SelectionResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """How a source settled one selection itself."""

    market_type: str
    period: int
    selection: str
    result: str
    """``won``, ``lost``, ``void``, ``half_won`` or ``half_lost``."""
    share: float = 1.0
    """The part of the stake that a dead heat leaves as won; above 0, at most 1."""


class GameResult(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a source says about a game; times in milliseconds.

    ``home`` and ``away`` are the whole score as the source states it, home team first in the order
    of ``teams(match_name)``: goals, points, or sets in tennis.
    """

    competition: str
    """Empty if the source has none."""
    match_name: str
    kick_off: int
    home: int | None = None
    away: int | None = None
    periods: tuple[PeriodScore, ...] = ()
    """As far as the source has them, in order; none is left out between two others."""
    sport: str = FOOTBALL
    status: GameStatus = GameStatus.FINAL
    has_time: bool = True
    """Whether the hour is known; else ``kick_off`` is noon UTC of its day."""
    overtime: bool | None = None
    """Whether ``home`` and ``away`` include an overtime (extra time, extra innings, shoot-out) that
    was played. False: none was played, or they do not include it. None: the source does not say."""
    selections: tuple[SelectionResult, ...] = ()
    bookmaker: str = ""
    """Whose selections these are, if the source is a bookmaker or an exchange."""
    source: str = ""
    """Who reported it: a format or feed (``football-data``), or the user's file."""
    reported_at: int = 0
    """When the source said so; 0 if it does not say."""
    simulated: bool = False
    """Whether the game was made up."""


def with_earlier_selections(now: GameResult, before: GameResult) -> GameResult:
    """Return a result with what its source has said of the game before.

    An exchange settles the markets of a game one by one, each in a result. Selections of ``before``
    stay unless ``now`` has them. If ``now`` does not say how the game stands, status and score
    stay too.
    """
    settled = {(each.market_type, each.period, each.selection) for each in now.selections}
    earlier = tuple(
        each
        for each in before.selections
        if (each.market_type, each.period, each.selection) not in settled
    )
    together = earlier + now.selections
    if now.status is not GameStatus.UNKNOWN:
        return msgspec.structs.replace(now, selections=together)
    reported_at = max(now.reported_at, before.reported_at)
    return msgspec.structs.replace(before, selections=together, reported_at=reported_at)


Reported = Quote | GameResult
"""What feeds yield."""
