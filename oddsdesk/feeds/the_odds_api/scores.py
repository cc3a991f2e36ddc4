"""When to ask The Odds API for scores: which games wait for a result, and what that may cost.

One request answers all games of a competition, of up to three days. It has no clock and no I/O;
times are in milliseconds.
"""

import math
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from oddsdesk.contract.times import DAY_MS, HOUR_MS, MINUTE_MS

COST: Final = 2.0
"""Credits of a request for games that have ended; without these it is 1, but no game is final."""
SHARE: Final = 0.25
"""The most that scores may take of a key's credits."""
_USUAL_MINUTES: Final = 120
_MINUTES: Final = MappingProxyType(
    {
        "americanfootball": 195,
        "aussierules": 150,
        "baseball": 175,
        "basketball": 150,
        "icehockey": 165,
    }
)
"""How long after a kick-off its result is first asked for, where games are longer than usual."""
AGAIN_MS: Final = 30 * MINUTE_MS
"""The shortest time until it is asked for again."""
_LONG_MS: Final = HOUR_MS
"""This long after the first request the pauses begin to grow, as the game was probably moved."""
REACH_MS: Final = 3 * DAY_MS
"""How far back the source's scores reach."""
_MARGIN_MS: Final = 4 * HOUR_MS
"""Added to a kick-off's age before whole days are counted."""
_WEEK_H: Final = 168
_MOST_SAVED_H: Final = 24
"""Hours of credits that may be saved for a busy evening."""


class Scores(msgspec.Struct):
    """The games of each competition that wait for a result, and the credits spent on them."""

    games: dict[str, dict[str, int]] = {}
    """Kick-offs by competition and the source's id."""
    over: dict[str, int] = {}
    """Kick-offs of games that have their result, by id: the source may list them for a while."""
    asked_ms: dict[str, int] = {}
    """When each competition was last asked for."""
    spent: list[tuple[int, float]] = []
    """When something was spent in the last week, and how much."""
    allowance: float = 2 * COST
    """Credits that may be spent now."""
    allowed_ms: int = 0
    """When that was counted."""

    def note_games(self, sport: str, listed: Mapping[str, int], now_ms: int) -> bool:
        """Follow the listed games of a competition, and return whether they have changed.

        A game that is no longer listed before it begins is dropped.
        """
        held = self.games.get(sport, {})
        known = {ident: at for ident, at in held.items() if ident in listed or at <= now_ms}
        known |= {ident: at for ident, at in listed.items() if at <= now_ms + REACH_MS}
        self.games[sport] = {
            ident: at
            for ident, at in known.items()
            if at > now_ms - REACH_MS and ident not in self.over
        }
        self.over = {ident: at for ident, at in self.over.items() if at > now_ms - 2 * REACH_MS}
        return self.games[sport] != held

    def note_over(self, sport: str, idents: Collection[str]) -> None:
        """Stop waiting for games that have their result."""
        held = self.games.get(sport, {})
        self.over |= {ident: held.pop(ident) for ident in idents if ident in held}

    def note_asked(self, sport: str, now_ms: int) -> None:
        """Record a request for a competition."""
        self.asked_ms[sport] = now_ms

    def note_spent(self, credits_: float, now_ms: int) -> None:
        """Record what a request has cost."""
        self.allowance -= credits_
        week_ago = now_ms - _WEEK_H * HOUR_MS
        self.spent = [each for each in self.spent if each[0] > week_ago]
        self.spent.append((now_ms, credits_))

    @property
    def per_hour(self) -> float:
        """What scores have cost an hour, in the last week."""
        return math.fsum(cost for _, cost in self.spent) / _WEEK_H

    def allow(self, per_hour: float, now_ms: int) -> None:
        """Add the share of a budget of credits an hour that has come up since the last time."""
        hours = (now_ms - self.allowed_ms) / HOUR_MS if self.allowed_ms else 0.0
        rate = SHARE * per_hour
        most = max(2 * COST, rate * _MOST_SAVED_H)
        if hours > 0:
            self.allowance = min(self.allowance + rate * hours, max(most, self.allowance))
        self.allowed_ms = now_ms

    def affordable_ms(self, per_hour: float, now_ms: int) -> int:
        """Return when the allowance covers a request; in a week if the budget is 0."""
        lacking = COST - self.allowance
        if lacking <= 0:
            return now_ms
        hours = lacking / (SHARE * per_hour) if per_hour > 0 else _WEEK_H
        return now_ms + round(min(hours, _WEEK_H) * HOUR_MS)

    def due_ms(self, sport: str, now_ms: int, *, at_least_daily: bool = False) -> int | None:
        """Return when a competition is worth asking for; None if no game waits for a result.

        ``at_least_daily`` also asks once a day for games that were not listed here.
        """
        asked = self.asked_ms.get(sport)
        if asked is not None and asked > now_ms:  # the clock was set back
            asked = self.asked_ms[sport] = now_ms
        dues = [
            _due(kick_off + length_ms(sport), asked)
            for kick_off in self.games.get(sport, {}).values()
            if kick_off > now_ms - REACH_MS
        ]
        if at_least_daily:
            dues.append(now_ms if asked is None else asked + DAY_MS)
        return min(dues, default=None)

    def days_from(self, sport: str, now_ms: int, *, at_least_daily: bool = False) -> int:
        """Return how many days a request has to reach back, from 1 to 3."""
        waiting = [at for at in self.games.get(sport, {}).values() if at <= now_ms]
        if at_least_daily or not waiting:
            return 3
        return min(max(math.ceil((now_ms - min(waiting) + _MARGIN_MS) / DAY_MS), 1), 3)


def length_ms(sport: str) -> int:
    """Return how long after its kick-off a game of a sport key should be over."""
    return _MINUTES.get(sport.partition("_")[0], _USUAL_MINUTES) * MINUTE_MS


def _due(first: int, asked: int | None) -> int:
    """Return when a result is asked for that may be there at ``first``, after a request."""
    if asked is None or asked < first:
        return first
    return asked + max(AGAIN_MS, (asked - first - _LONG_MS) // 2)
