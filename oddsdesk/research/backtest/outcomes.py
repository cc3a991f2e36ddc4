"""What became of bets on the log: closing lines and results, found as the ledger finds them."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from oddsdesk.contract.resources import GameMatrix
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import closes_from_log
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.results import Score, result_of
from oddsdesk.store.past_odds import ReaderPast
from oddsdesk.store.reader import Reader

IN_PLAY = "in play"
"""The note of a bet that was placed after its game began: no close is before it."""


def with_closes(
    reader: Reader, bets: Iterable[PlacedBet], now_ms: int, method: str
) -> list[PlacedBet]:
    """Return bets with their closing lines (D57), read from the log as those of the ledger are."""
    held = list(bets)
    ahead = [bet for bet in held if bet.note != IN_PLAY]
    by_game = sorted(ahead, key=lambda bet: (bet.game_id, bet.market_type, bet.period))
    closes = closes_from_log(_Kept(reader), by_game, now_ms, method)
    in_play = ClosingLine(why="placed in play")
    return [
        msgspec.structs.replace(
            bet, close=in_play if bet.note == IN_PLAY else closes.get(bet.ident or 0)
        )
        for bet in held
    ]


def with_results(bets: Iterable[PlacedBet], scores: Mapping[str, Score]) -> list[PlacedBet]:
    """Return bets with their results where the score of the game tells them."""
    return [_with_result(bet, scores.get(bet.game_id)) for bet in bets]


def _with_result(bet: PlacedBet, score: Score | None) -> PlacedBet:
    if score is None:
        return bet
    result = result_of(bet.market_type, bet.period, bet.match_name, bet.selection, score)
    return msgspec.structs.replace(bet, result=result, settled_at=bet.kick_off)


class _Kept(ReaderPast):
    """A reader's past that asks once for what bets of one game share."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader, "")  # these bets name no reference: they are by the log's own
        self._game = lru_cache(maxsize=4)(super().game)
        self._market = lru_cache(maxsize=64)(super().market)

    def game(self, game_id: str, at_ms: int) -> GameMatrix | None:
        """Return a game as it stood at a moment, None where nothing did."""
        return self._game(game_id, at_ms)

    def market(self, game_id: str, market_type: str, period: int, at_ms: int) -> GameMatrix | None:
        """Return one market of it."""
        return self._market(game_id, market_type, period, at_ms)
