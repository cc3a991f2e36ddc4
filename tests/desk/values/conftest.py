"""What tests of the value bets share: the panel over a quoted game, bets reckoned as D26 says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.model import COLUMNS
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.records import Records

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


@pytest.fixture
def records(tmp_path: Path, qtbot: QtBot) -> Iterator[Records]:
    made = Records(tmp_path / "ledger.db")
    with qtbot.waitSignal(made.bets_changed):
        pass
    yield made
    made.close()


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, layout: Layout, records: Records, qtbot: QtBot
) -> Iterator[ValuesPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE, has_value_bets=True))
    made = ValuesPanel(quoted.board, theme, quoted.clock, Preferences(layout), layout, records)
    qtbot.addWidget(made)
    made.resize(1_118, 260)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def row(panel: ValuesPanel, place: int = 0) -> dict[str, str]:
    model = panel.table.model
    return {title: model.cell(place, column).text for column, title in enumerate(TITLES)}


def facts(panel: ValuesPanel) -> str:
    return panel.header._facts.accessibleName()


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
