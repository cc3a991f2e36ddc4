"""What a database knows of the past, for closing lines: in words of the contract alone."""

from typing import Final

from oddsdesk.contract.resources import GameMatrix
from oddsdesk.contract.times import parse_ms
from oddsdesk.store.reader import Reader
from oddsdesk.store.values import DatedGame, MoveFilter, Visibility

_ALL: Final = Visibility()


class ReaderPast:
    """A reader as ``ledger.log_closes.PastOdds``; for the thread of the reader."""

    def __init__(self, reader: Reader, reference: str) -> None:
        self._reader = reader
        self._reference = reference

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game as it stood then, else as it stood first; None for an unknown one."""
        standing = self._reader.matrix_as_of(game_id, at_ms, _ALL)
        if standing is not None:
            return standing
        # Once a game is over all prices of it are withdrawn: nothing stands of it then.
        moves = self._reader.moves(game_id, MoveFilter(), _ALL, 1)
        if moves is None or not moves.items:
            return None
        return self._reader.matrix_as_of(game_id, parse_ms(moves.items[0].scraped_at), _ALL)

    def games_between(self, since_ms: int, until_ms: int) -> list[DatedGame]:
        """Return the games that began from a time to another, but for simulated ones."""
        return self._reader.real_games_between(since_ms, until_ms)

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

    def reference(self) -> str:
        """Return whom the database judges by."""
        return self._reference

    def reference_moves(
        self,
        game_id: str,
        market_type: str,
        period: int,
        selection: str,
        since_ms: int,
        bookmaker: str = "",
    ) -> list[int]:
        """Return when a bookmaker's price of a selection moved; without a name the reference's."""
        if bookmaker:
            points = self._reader.history(game_id, market_type, period, selection, since_ms)
            return [point.scraped_at for point in points if point.bookmaker == bookmaker]
        key = (market_type, period, selection)
        moves = self._reader.reference_history(game_id, [key], since_ms)
        return [move.scraped_at for move in moves.get(key, ())]
