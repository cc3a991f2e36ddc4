"""Whom the desk judges by: chosen by keys, told wherever a fair price is shown, kept."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.explaining import explain
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.reference import CONSENSUS
from oddsdesk.clock import system_clock
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.settings.declared import REFERENCE as SETTING
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.app import Effects
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.desk_reference import ReferenceButton, ReferenceChoice
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.grid import marks_of
from tests.kit.quoted_game import REFERENCE
from tests.kit.value_bets import facts


@pytest.fixture
def choice(quoted: Any, layout: Layout) -> ReferenceChoice:
    return ReferenceChoice(quoted.board, Preferences(layout))


async def test_it_is_chosen_by_keys_and_is_there_after_a_restart(
    desk: tuple[Desk, Connections], quoted: Any, theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    made = desk[0]
    effects = Effects(made.around.reference._preferences, theme, quoted.board)
    (button,) = made.top_bar.findChildren(ReferenceButton)
    assert button.text() == f"Judged by: {REFERENCE} ▾"
    with qtbot.waitExposed(made.window):
        made.window.show()
    made.window.activateWindow()
    made.around.palette.open()
    qtbot.keyClicks(made.around.palette, "judge prices by matchbook")
    qtbot.keyClick(made.around.palette, Qt.Key.Key_Return)

    assert quoted.board.reference == "Matchbook"
    assert button.text() == "Judged by: Matchbook ▾"
    qtbot.waitUntil(lambda: " · by Matchbook · true EV" in facts(made.values()))
    said = explain(quoted.board, RowKey(quoted.id, "total", 0, "Over 2.5", REFERENCE), 0)
    assert said is not None
    assert said.reference == "Matchbook"
    kept = Preferences(Layout(tmp_path / "desk.ini"))
    assert kept.get(SETTING) == "Matchbook"
    del effects


def test_the_button_offers_the_service_s_own_all_together_and_every_bookmaker(
    choice: ReferenceChoice, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.name_reference(REFERENCE)
    assert [each for each, _ in choice.offered()] == [
        *("", CONSENSUS, "Betsson", "Bovada", "Matchbook", REFERENCE, "Unibet")
    ]
    assert choice.offered()[0][1] == f"The service's own, {REFERENCE}"
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    quoted.board.choose_reference(CONSENSUS)
    assert button.text() == "Judged by: Consensus ▾"
    button._fill()
    chosen = [each.text() for each in button.menu_shown.actions() if each.isChecked()]
    assert chosen == ["Consensus of all bookmakers"]


def test_the_button_keeps_the_name_however_narrow(choice: ReferenceChoice, qtbot: QtBot) -> None:
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    least, wide = button.minimumSizeHint().width(), button.fontMetrics().horizontalAdvance
    assert button.sizeHint().width() - least == wide(f"Judged by: {REFERENCE}") - wide(REFERENCE)


def test_nobody_is_named_before_it_is_known_whom_prices_are_judged_by(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    board = Board(system_clock)
    choice = ReferenceChoice(board, Preferences(layout))
    button = ReferenceButton(choice)
    qtbot.addWidget(button)
    assert button.text() == "Judged by ▾"
    assert button.minimumSizeHint() == button.sizeHint()
    board.name_reference(REFERENCE)
    board.set_connection(Connection(link=Link.LIVE))
    assert button.text() == f"Judged by: {REFERENCE} ▾"
    choice.close_panel()


def test_the_settings_offer_who_has_prices_and_keep_who_has_none(
    layout: Layout, theme: Theme, window: Any
) -> None:
    preferences = Preferences(layout)
    preferences.put(SETTING, "Nobody here")
    dialog = SettingsDialog(theme, preferences, window, bookmakers=["Unibet", "Bovada"])
    control: Any = dialog.controls[SETTING.key]
    assert [control.itemData(place) for place in range(control.count())] == [
        *("", CONSENSUS, "Bovada", "Unibet", "Nobody here")
    ]
    assert control.currentData() == "Nobody here"


@pytest.mark.parametrize("chosen", ["Matchbook", CONSENSUS])
def test_matrix_and_grid_say_what_the_board_says(
    chosen: str, quoted: Any, theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    board = quoted.board
    board.want_values(True)
    matrix, grid = MatrixModel(board, quoted.id, quoted.clock), GridModel(board, quoted.clock)
    board.choose_reference(chosen)
    board.want_rows(True)
    grid.book.take(marks_of(board.row_keys()))
    matrix.flush()
    assert matrix.header(1).name == board.reference
    assert REFERENCE in matrix.bookmakers
    assert ("Matchbook" in matrix.bookmakers) == (chosen == CONSENSUS)
    entries = {
        RowKey(*selection.key, name): entry.ev
        for selection in grid.book.selections()
        for name, entry in selection.prices.items()
        if name is not None
    }
    assert any(ev is not None for ev in entries.values())
    for key, ev in entries.items():
        found = board.assess(key)
        assert found is not None
        assert ev is None or ev == pytest.approx(found.ev_pct)
        marked = board.is_value(key)
        assert found.is_value == marked
    grid.close()
    matrix.close()
