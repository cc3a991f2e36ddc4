"""Results of games as OddsPortal shows them: ``2:1 (1:0, 1:1)``."""

import re
from types import MappingProxyType
from typing import Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.results import REGULAR_PERIODS, GameResult, GameStatus, PeriodScore
from oddsdesk.contract.times import HOUR_MS

SURE_AFTER_H: Final = 6
"""Hours after the kick-off from which a score without a status counts as final."""
_SURE_AFTER_SETS_H: Final = 36
"""The same for tennis, where rain moves the rest of a match to the next day."""
_SETS: Final = frozenset({"Tennis", "Volleyball"})
_FEWEST_SETS: Final = 2
_LONGEST_SET: Final = 7
"""Games of a set in tennis; a longer one ends when somebody leads by two."""
_SCORE: Final = re.compile(r"([0-9]{1,3})(?:\.0*)?")
_PERIOD: Final = re.compile(r"([0-9]{1,3})\s*:\s*([0-9]{1,3})")
_STATUSES: Final = MappingProxyType(
    {
        "postponed": GameStatus.POSTPONED,
        "canceled": GameStatus.CANCELLED,
        "cancelled": GameStatus.CANCELLED,
        "walkover": GameStatus.CANCELLED,
        "abandoned": GameStatus.ABANDONED,
        "retired": GameStatus.RETIRED,
        N_("final result"): GameStatus.FINAL,
        "finished": GameStatus.FINAL,
    }
)
"""By OddsPortal's words. The score of any other status, such as ``Awarded``, settles nothing."""
_WITHOUT_SCORE: Final = frozenset({GameStatus.POSTPONED, GameStatus.CANCELLED})
Score = str | int | float | None
Periods = tuple[PeriodScore, ...]


def result_of(
    base: GameResult, home: Score, away: Score, partial: str, status: str, *, is_live: bool
) -> GameResult | None:
    """Return ``base``, which was read at ``reported_at``, with its score and status.

    Periods are left out if they do not add up to the score. None if there is no score or an unknown
    status, and for a final score that no game ends with, such as one set to none.
    """
    word = " ".join(status.casefold().split())
    known = _STATUSES.get(word)
    if known in _WITHOUT_SCORE:
        return msgspec.structs.replace(base, status=known)
    goals, conceded = _number(home), _number(away)
    if goals is None or conceded is None or (word and known is None):
        return None
    known = GameStatus.IN_PLAY if is_live else known or _status_at(base)
    if known is GameStatus.FINAL and base.sport in _SETS and max(goals, conceded) < _FEWEST_SETS:
        return None
    periods, overtime = _periods(partial, (goals, conceded), base.sport)
    return msgspec.structs.replace(
        base, home=goals, away=conceded, periods=periods, status=known, overtime=overtime
    )


def _number(text: Score) -> int | None:
    """Return a score, also one that pandas saved as ``2.0``; None for anything else."""
    found = _SCORE.fullmatch(str(text).strip())
    return None if found is None else int(found[1])


def _status_at(base: GameResult) -> GameStatus:
    hours = _SURE_AFTER_SETS_H if base.sport in _SETS else SURE_AFTER_H
    is_sure = base.reported_at >= base.kick_off + hours * HOUR_MS
    return GameStatus.FINAL if is_sure else GameStatus.IN_PLAY


def _periods(text: str, score: tuple[int, int], sport: str) -> tuple[Periods, bool | None]:
    """Return the periods that add up to a score, and whether it includes an overtime."""
    found = [_PERIOD.fullmatch(part.strip()) for part in text.strip(" ()").split(",")]
    periods = tuple(
        PeriodScore(number, int(part[1]), int(part[2]))
        for number, part in enumerate(found, start=1)
        if part is not None
    )
    if len(periods) < len(found):
        return (), None
    if sport in _SETS:
        return (periods if _sets(periods, sport) == score else ()), None
    regular = REGULAR_PERIODS.get(sport, len(periods))
    if _total(periods[:regular]) == score:
        return periods, False if sport in REGULAR_PERIODS else None
    later = range(regular + 1, len(periods) + 1)
    includes = any(_total(periods[:count]) == score for count in later)
    return (periods, True) if includes else ((), None)


def _sets(periods: Periods, sport: str) -> tuple[int, int] | None:
    """Return the sets won by each; None if a set of tennis cannot end so, as ``73:6`` cannot.

    OddsPortal writes the points of a tie-break smaller, but the text does not.
    """
    for each in periods:
        high, low = max(each.home, each.away), min(each.home, each.away)
        if sport == "Tennis" and high > _LONGEST_SET and high - low != 2:
            return None
    won = sum(each.home > each.away for each in periods)
    return won, sum(each.home < each.away for each in periods)


def _total(periods: Periods) -> tuple[int, int]:
    return sum(each.home for each in periods), sum(each.away for each in periods)
