"""Finds the opportunities that `oddsdesk serve --dashboard` shows, by the board.

They are those of `oddsdesk arbitrage` with the desk's usual settings and no bets placed.
"""

from collections.abc import Sequence
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.valuation.verdict_words import english_caution
from oddsdesk.cli.arbitrage import find_sets
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.identity import price_page
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.opportunities.rows import LegRow
from oddsdesk.pricing.opportunities import Split
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.settlement_rules import SettlementRules, shipped_rules
from oddsdesk.server.dashboard.opportunities import LegLine, OpportunityLine

_UNCHECKED: Final = "likely error: so high a profit, and no fair odds to check a leg"


def opportunities_on(board: Board, now_ms: int) -> list[OpportunityLine]:
    """Return the opportunities on a board of the usual settings, those with a warning last."""
    rules = SettlementRules(shipped_rules(), shipped_profiles())
    found = find_sets(board, now_ms, Split(), rules, {})
    lines = [_line(legs, board.reference_name) for legs in found]
    return sorted(lines, key=lambda each: (each.has_warning, each.is_too_good))


def _line(legs: Sequence[LegRow], reference: str) -> OpportunityLine:
    first, found = legs[0], legs[0].found
    market = [] if found.market_type is None else [market_title(found.market_type)]
    if found.key.period:
        market.append(period_label(found.sport, found.key.period))
    outlay, middle = first.staked, found.middle
    is_checked = all(leg.is_checked for leg in found.legs)
    return OpportunityLine(
        kind=first.kind.value,
        game_id=found.key.game_id,
        match_name=found.match_name,
        competition=found.competition,
        sport=found.sport,
        market=", ".join(market),
        kick_off=found.kick_off,
        is_live=found.in_play,
        profit_pct=outlay.worst_pct,
        margin_pct=found.hold_pct,
        push_pct=None if outlay.push is None else outlay.push / outlay.staked * 100,
        hit_pct=None if middle is None else middle.hit / outlay.staked * 100,
        chance_pct=None if middle is None or middle.chance is None else middle.chance * 100,
        is_too_good=found.is_too_good,
        warning=_UNCHECKED if found.is_too_good and not is_checked else "",
        legs=[_leg(row, reference) for row in legs],
        rules_differ=any(not note.is_unknown for note in first.notes),
        notes=[note.text for note in first.notes],
    )


def _leg(row: LegRow, reference: str) -> LegLine:
    leg, key, game = row.leg, row.leg.key, row.found.key.game_id
    price = (key.market_type, key.period, key.selection, leg.bookmaker, leg.odds)
    return LegLine(
        text=row.found.english_leg_text(row.place),
        bookmaker=leg.bookmaker,
        odds=leg.odds,
        net_odds=leg.net_odds,
        seen_at=leg.seen_at,
        for_sale=leg.for_sale,
        is_lay=leg.is_lay,
        warnings=[english_caution(caution, reference) for caution in leg.cautions],
        link=f"{price_page(game, *price)}&leg={'lay' if leg.is_lay else 'yes'}",
    )
