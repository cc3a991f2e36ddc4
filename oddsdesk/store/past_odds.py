"""What a database knows of the past, for closing lines: in words of the contract alone."""

from typing import Final

from oddsdesk.contract.resources import GameMatrix
from oddsdesk.store.reader import Reader
from oddsdesk.store.values import Visibility

_ALL: Final = Visibility()


class ReaderPast:
    """A reader as ``ledger.log_closes.PastOdds``; for the thread of the reader."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game as it stood at a moment, None where nothing did."""
        return self._reader.matrix_as_of(game_id, at_ms, _ALL)

    def market(self, game_id: str, market_type: str, period: int, at_ms: int) -> GameMatrix | None:
        """Return one market of it."""
        return self._reader.matrix_as_of(
            game_id, at_ms, _ALL, market_type=market_type, period=period
        )

    def seen_in_play(
        self, game_id: str, market_type: str, period: int, selection: str
    ) -> list[int]:
        """Return when a selection's prices moved in play."""
        points = self._reader.history(game_id, market_type, period, selection, 0)
        return [point.scraped_at for point in points if point.is_live]

    def reference_moves(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> list[int]:
        """Return when the reference's price of a selection moved since a moment."""
        key = (market_type, period, selection)
        moves = self._reader.reference_history(game_id, [key], since_ms)
        return [move.scraped_at for move in moves.get(key, ())]
