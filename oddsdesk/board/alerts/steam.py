"""Steam: several independent bookmakers that move the same way within minutes (D61).

Bookmakers of one operator or one supplier of odds move together anyway and count once (D94).
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
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
    """Voices that moved an outcome's probability the same way."""

    outcome: SteamOutcome
    direction: int
    """1 where the outcome became likelier: its odds fell."""
    groups: tuple[str, ...]
    points: float
    """The least that one of them moved, in percentage points."""


Moved = dict[SteamOutcome, dict[str, float]]
"""By how many percentage points each voice moved an outcome's implied probability."""


def steam_among(moved: Moved, groups: int, points: float) -> Iterator[Steam]:
    """Yield outcomes that at least ``groups`` voices moved the same way by ``points`` or more."""
    for outcome, by_group in moved.items():
        for direction in (1, -1):
            alike = {group: abs(by) for group, by in by_group.items() if by * direction >= points}
            if len(alike) >= groups:
                yield Steam(outcome, direction, tuple(sorted(alike)), min(alike.values()))


class SteamWatch:
    """Remembers how prices moved within a window of some minutes."""

    def __init__(self, minutes: float, voice_of: Callable[[str], str]) -> None:
        """``voice_of`` tells whose vote a bookmaker's is; it is asked when moves are."""
        self._voice_of = voice_of
        self._window_ms = round(minutes * MINUTE_MS)
        self._moves: defaultdict[SteamOutcome, dict[str, deque[tuple[int, float]]]] = defaultdict(
            dict
        )
        """By outcome and bookmaker: when, and the implied probability in percent before it."""
        self._now: dict[tuple[SteamOutcome, str], float] = {}
        self._changed: dict[SteamOutcome, None] = {}

    def note(self, outcome: SteamOutcome, bookmaker: str, odds: float, at_ms: int) -> None:
        """Take in a price."""
        chance = 100 / odds
        where = (outcome, bookmaker)
        known = self._now.get(where)
        if known == chance:
            return
        self._now[where] = chance
        if known is not None:
            moves = self._moves[outcome]
            if bookmaker not in moves:
                moves[bookmaker] = deque(maxlen=_MOST_KEPT)
            moves[bookmaker].append((at_ms, known))
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
        """Return by how much each voice moved: the price of it that moved most."""
        found: dict[str, float] = {}
        held = self._moves[outcome]
        for bookmaker, moves in list(held.items()):
            while moves and now_ms - moves[0][0] > self._window_ms:
                moves.popleft()
            now = self._now.get((outcome, bookmaker))
            if not moves or now is None:
                del held[bookmaker]
                continue
            points, voice = now - moves[0][1], self._voice_of(bookmaker)
            if abs(points) > abs(found.get(voice, 0.0)):
                found[voice] = points
        if not held:
            del self._moves[outcome]
        return found
