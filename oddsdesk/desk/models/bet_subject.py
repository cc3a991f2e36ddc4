"""A price that the user may bet on, from a value bet or a near miss alike."""

from typing import NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.misses import Miss
from oddsdesk.desk.models.values import ValueRow
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.stakes import StakePlan, stake


class BetSubject(NamedTuple):
    """What is needed to open, judge and record a bet."""

    key: RowKey
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    odds: float
    fair_odds: float | None
    true_ev: float | None
    stake: float
    url: str | None

    def placed(self, odds: float, amount: float, now_ms: int, method: str) -> PlacedBet:
        """Return the bet as placed now."""
        game_id, market_type, period, selection, bookmaker = self.key
        return PlacedBet(
            game_id=game_id,
            match_name=self.match_name,
            competition=self.competition,
            sport=self.sport,
            market_type=market_type,
            period=period,
            selection=selection,
            bookmaker=bookmaker or "",
            odds=odds,
            stake=amount,
            placed_at=now_ms,
            kick_off=self.kick_off,
            fair_odds=self.fair_odds,
            true_ev=self.true_ev,
            method=method,
        )


def subject_of_bet(row: ValueRow, *, is_reliable: bool) -> BetSubject:
    """Return what a value bet is about; no stake where it is not to be relied upon."""
    entry, bet = row.entry, row.entry.bet
    return BetSubject(
        key=entry.key,
        match_name=bet.match_name,
        competition=bet.competition,
        sport=bet.sport,
        kick_off=entry.kick_off,
        odds=entry.odds,
        fair_odds=entry.true_fair,
        true_ev=entry.true_ev,
        stake=0.0 if row.stake is None or not is_reliable else row.stake.amount,
        url=entry.url,
    )


def subject_of_miss(miss: Miss, board: Board, plan: StakePlan) -> BetSubject:
    """Return what a near miss is about."""
    matrix = board.matrix(miss.key.game_id)
    fair, odds = miss.verdict.fair_odds, miss.price.odds
    limit = miss.section.line_of(miss.key.selection).liquidity
    return BetSubject(
        key=miss.key,
        match_name=miss.match_name,
        competition="" if matrix is None else matrix.competition,
        sport=miss.section.sport,
        kick_off=None if matrix is None else matrix.kick_off,
        odds=odds,
        fair_odds=fair,
        true_ev=miss.verdict.ev_pct,
        stake=0.0 if fair is None else stake(plan, odds, fair, limit).amount,
        url=miss.price.url,
    )
