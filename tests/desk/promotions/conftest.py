"""A panel of promotions over a quoted game."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.promotions.panel import PromotionsPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "ledger.db")
    yield records
    records.close_records()


@pytest.fixture
def panel(
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> Iterator[PromotionsPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE))
    made = PromotionsPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(made)
    made.resize(1_118, 300)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()
