"""A panel of opportunities that looks among a quoted game, and what places its legs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.actions import LegPlacer
from oddsdesk.desk.value_bets.panel import ValuesPanel


@pytest.fixture
def panel(
    theme: Theme,
    quoted: Any,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> Iterator[OpportunitiesPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE))
    made = OpportunitiesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(made)
    made.resize(1_118, 260)
    with qtbot.waitSignal(made.list.changed):
        made.show()
    yield made
    made.close_panel()


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    records = Records(tmp_path / "ledger.db")
    yield records
    records.close_records()


@pytest.fixture
def legs(
    panel: OpportunitiesPanel,
    quoted: Any,
    theme: Theme,
    preferences: Preferences,
    layout: Layout,
    records: Records,
    qtbot: QtBot,
) -> Iterator[LegPlacer]:
    """What asks for the legs that the panel wants to be placed, as the window connects them."""
    values = ValuesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    qtbot.addWidget(values)
    legs = values.leg_placer_over(panel, panel.messages)
    panel.place_requested.connect(legs.place_legs)
    panel.take_back_requested.connect(legs.take_back)
    yield legs
    values.close_panel()
