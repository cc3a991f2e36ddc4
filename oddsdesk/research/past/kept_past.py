"""Markets of the past out of a database, for closing lines of many bets on the same games."""

from functools import lru_cache

from oddsdesk.contract.resources import GameMatrix
from oddsdesk.store.past_odds import ReaderPast
from oddsdesk.store.reader import Reader


class KeptPast(ReaderPast):
    """A reader's past that asks once for what bets of one game share."""

    def __init__(self, reader: Reader, reference: str) -> None:
        super().__init__(reader, reference)
        self._game = lru_cache(maxsize=4)(super().game)
        self._market = lru_cache(maxsize=64)(super().market)

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game as it stood then, else as it stood first; None for an unknown one."""
        return self._game(game_id, at_ms)

    def market(self, game_id: str, market_type: str, period: int, at_ms: int) -> GameMatrix | None:
        """Return one market of it."""
        return self._market(game_id, market_type, period, at_ms)
