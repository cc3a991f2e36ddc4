"""What became of bets on the log: results, found as the ledger finds them."""

from collections.abc import Iterable

import msgspec

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.results import Score, result_of
from oddsdesk.research.past.recorded_log import RecordedLog


def with_results(bets: Iterable[PlacedBet], log: RecordedLog) -> list[PlacedBet]:
    """Return bets with their results where the score of the game tells them."""
    return [
        _with_result(bet, log.score(bet.game_id, bet.match_name, bet.competition, bet.kick_off))
        for bet in bets
    ]


def _with_result(bet: PlacedBet, score: Score | None) -> PlacedBet:
    if score is None:
        return bet
    result = result_of(bet.market_type, bet.period, bet.match_name, bet.selection, score)
    return msgspec.structs.replace(bet, result=result, settled_at=bet.kick_off)
