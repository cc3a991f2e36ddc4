"""Value bets reckoned as D26 says, and what their panel shows."""

from typing import Any

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.value_bets.model import COLUMNS
from oddsdesk.desk.value_bets.panel import ValuesPanel

OVER = RowKey(game_id("EPL", "Everton - Liverpool"), "total", 0, "Over 2.5", "Matchbook")
TITLES = [column.title for column in COLUMNS]


def fair_of(reference: float, total: float, outcomes: int = 2) -> float:
    return 1 / (1 / reference - (total - 1) / outcomes)


def bet(quoted: Any, odds: float = 2.15, **more: Any) -> ValueBet:
    """A value bet of a total at 2.05 against 1.88, reckoned as D26 says."""
    fair = more.pop("fair", fair_of(2.05, 1.0197))
    fields: dict[str, Any] = {
        "match_name": "Milan - Inter",
        "selection": "Over 2.5",
        "bookmaker": "Unibet",
        "market_type": "total",
        "period": 0,
        "odds": odds,
        "reference_odds": 2.05,
        "fair_odds": round(fair, 4),
        "ev_pct": round((odds / (fair * 1.01) - 1) * 100, 2),
        "payout_rate": 1.0197,
        "liquidity": 3.0,
        "competition": "SERA",
        "sport": "Football",
        "detected_at": format_ms(quoted.clock.now),
        "match_date": None,
        **more,
    }
    return ValueBet(**fields)


def be_value(quoted: Any, odds: float = 2.06, bookmaker: str = "Matchbook") -> None:
    """Let a bookmaker offer more than is fair: 2.0, by 1.94 and 1.94; value from 2.041 to 2.107."""
    quoted.clock.now += 1
    quoted.tell(bookmaker, "total", "Over 2.5", odds)


def row(panel: ValuesPanel, place: int = 0) -> dict[str, str]:
    model = panel.table.model
    return {title: model.cell(place, column).text for column, title in enumerate(TITLES)}


def facts(panel: ValuesPanel) -> str:
    return panel.header.facts.accessibleName()


def everton(quoted: Any, **more: Any) -> ValueBet:
    """The same total of the game that is quoted: 2.06 against 1.94 and 1.94."""
    fields = {"match_name": "Everton - Liverpool", "competition": "EPL", "bookmaker": "Matchbook"}
    total = 2 / 1.94
    return bet(
        quoted,
        2.06,
        reference_odds=1.94,
        payout_rate=round(total, 4),
        fair=2.0,
        **{**fields, **more},
    )
