"""What tests of the value bets share: the panel over a quoted game, bets reckoned as D26 says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.panel import ValuesPanel


@pytest.fixture
def records(tmp_path: Path, qtbot: QtBot) -> Iterator[Records]:
    made = Records(tmp_path / "ledger.db")
    with qtbot.waitSignal(made.bets_changed):
        pass
    yield made
    made.close_records()


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
