"""Finds the opportunities that `oddsdesk serve --dashboard` shows, by the board."""

from typing import Final

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityLeg
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.board.valuation.verdict_words import english_caution
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.identity import price_page
from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.opportunities import Split
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.server.dashboard import GAME
from oddsdesk.server.dashboard.opportunities import LegLine, OpportunityLine, Prices

_SPLIT: Final = Split(100.0, 0.01)
"""Stakes are not shown, so none is rounded to what people bet."""


def find_opportunities(devig_method: str, prices: Prices) -> list[OpportunityLine]:
    """Return the opportunities among prices, by the desk's usual settings and no user's own."""
    board = Board(lambda: prices.now_ms, devig_method)
    board.set_profiles(shipped_profiles())
    board.name_reference(prices.reference)
    exhaust(board.merge_rows(prices.rows))
    for draw in prices.draws:
        board.miss_draw(*draw, prices.now_ms)
    board.sweep()
    board.find_suppliers()
    found = Opportunities(board, lambda: prices.now_ms, lambda: _SPLIT)
    exhaust(found.looking())
    best_first = sorted(
        found.entries.values(), key=lambda each: (each.is_too_good, each.sort_key())
    )
    return [_line(each, board.reference_name) for each in best_first]


def _line(found: Opportunity, reference: str) -> OpportunityLine:
    market = [] if found.market_type is None else [market_title(found.market_type)]
    if found.key.period:
        market.append(period_label(found.sport, found.key.period))
    staked, middle = sum(found.outlay.stakes), found.middle
    return OpportunityLine(
        kind=found.kind.value,
        game_id=found.key.game_id,
        match_name=found.match_name,
        competition=found.competition,
        sport=found.sport,
        market=", ".join(market),
        kick_off=found.kick_off,
        is_live=found.in_play,
        profit_pct=found.outlay.worst_pct,
        margin_pct=found.hold_pct,
        hit_pct=None if middle is None else middle.hit / staked * 100,
        chance_pct=None if middle is None or middle.chance is None else middle.chance * 100,
        legs=[_leg(found, leg, reference) for leg in found.legs],
    )


def _leg(found: Opportunity, leg: OpportunityLeg, reference: str) -> LegLine:
    key = leg.key
    game = key.game_id
    named = f"Lay {key.selection}" if leg.is_lay else key.selection
    is_one_market = found.market_type is not None
    price = (key.market_type, key.period, key.selection, leg.bookmaker, leg.odds)
    return LegLine(
        text=named if is_one_market else f"{named} ({market_title(key.market_type)})",
        bookmaker=leg.bookmaker,
        odds=leg.odds,
        net_odds=leg.net_odds,
        seen_at=leg.seen_at,
        warnings=[english_caution(caution, reference) for caution in leg.cautions],
        link=GAME + game if leg.is_lay else f"{price_page(game, *price)}&leg=yes",
    )
