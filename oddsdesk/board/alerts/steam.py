"""Steam: several operators that move the same way within minutes (D61)."""

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from oddsdesk.contract.times import MINUTE_MS

_MOST_KEPT: Final = 200
"""Moves of a price within the window."""


class SteamOutcome(NamedTuple):
    """What prices are of, whoever offers them and however it is written."""

    game_id: str
    market_type: str
    period: int
    group: str
    """The line group, as ``LineGroup.key``."""
    side: str


class Steam(NamedTuple):
    """Operators that moved an outcome's probability the same way."""

    outcome: SteamOutcome
    direction: int
    """1 where the outcome became likelier: its odds fell."""
    groups: tuple[str, ...]
    points: float
    """The least that one of them moved, in percentage points."""


Moved = dict[SteamOutcome, dict[str, float]]
"""By how many percentage points each operator moved an outcome's implied probability."""


def steam_among(moved: Moved, groups: int, points: float) -> Iterator[Steam]:
    """Yield outcomes that at least so many operators moved the same way by at least so much."""
    for outcome, by_group in moved.items():
        for direction in (1, -1):
            alike = {group: abs(by) for group, by in by_group.items() if by * direction >= points}
            if len(alike) >= groups:
                yield Steam(outcome, direction, tuple(sorted(alike)), min(alike.values()))


class SteamWatch:
    """Remembers how prices moved within a window of some minutes."""

    def __init__(self, minutes: float) -> None:
        self._window_ms = round(minutes * MINUTE_MS)
        self._moves: defaultdict[SteamOutcome, dict[str, deque[tuple[int, float]]]] = defaultdict(
            dict
        )
        """By outcome and bookmaker: when, and the implied probability in percent before it."""
        self._now: dict[tuple[SteamOutcome, str], tuple[float, str]] = {}
        self._changed: dict[SteamOutcome, None] = {}

    def note(
        self, outcome: SteamOutcome, bookmaker: str, group: str, odds: float, at_ms: int
    ) -> None:
        """Take in a price."""
        chance = 100 / odds
        where = (outcome, bookmaker)
        known = self._now.get(where)
        if known is not None and known[0] == chance:
            return
        self._now[where] = (chance, group)
        if known is not None:
            moves = self._moves[outcome]
            if bookmaker not in moves:
                moves[bookmaker] = deque(maxlen=_MOST_KEPT)
            moves[bookmaker].append((at_ms, known[0]))
            self._changed[outcome] = None

    def forget(self, outcome: SteamOutcome, bookmaker: str) -> None:
        """Note that a price is gone: one that comes back has not moved."""
        self._now.pop((outcome, bookmaker), None)
        if outcome in self._moves:
            self._moves[outcome].pop(bookmaker, None)

    def moved(self, now_ms: int) -> Moved:
        """Return how the outcomes moved whose prices did since the last call."""
        changed, self._changed = self._changed, {}
        return {outcome: self._by_group(outcome, now_ms) for outcome in changed}

    def moved_in(self, game_id: str, now_ms: int) -> Moved:
        """Return how the outcomes of a game moved that did within the window."""
        held = [outcome for outcome in self._moves if outcome.game_id == game_id]
        return {outcome: self._by_group(outcome, now_ms) for outcome in held}

    def _by_group(self, outcome: SteamOutcome, now_ms: int) -> dict[str, float]:
        """By how much each operator moved: that of its prices that moved most."""
        found: dict[str, float] = {}
        held = self._moves[outcome]
        for bookmaker, moves in list(held.items()):
            while moves and now_ms - moves[0][0] > self._window_ms:
                moves.popleft()
            now = self._now.get((outcome, bookmaker))
            if not moves or now is None:
                del held[bookmaker]
                continue
            points = now[0] - moves[0][1]
            if abs(points) > abs(found.get(now[1], 0.0)):
                found[now[1]] = points
        if not held:
            del self._moves[outcome]
        return found
