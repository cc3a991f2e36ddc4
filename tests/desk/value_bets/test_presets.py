"""Presets of the value bets: what they let pass, the user's own, the way back."""

from typing import Any

from pytestqt.qtbot import QtBot

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.preset_dialog import ValuesPresetDialog
from tests.kit.value_bets import be_value, facts


def test_bets_below_the_least_true_ev_are_hidden_and_the_way_back_is_offered(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    panel.presets.use_preset("Before kick-off")
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · "))
    panel.presets.use_preset("In play")
    assert facts(panel).startswith("0 · vs Pinnacle · EV ≥ 2.01 %")
    assert panel.placeholder.isVisible()
    panel.placeholder.action_requested.emit()
    assert panel.lists.preset.name == "All value bets"
    assert panel.table.isVisible()


def test_nobody_is_named_before_it_is_known_whom_prices_are_judged_by(
    theme: Theme, layout: Layout, records: Records, qtbot: QtBot
) -> None:
    board = Board(system_clock)
    panel = ValuesPanel(board, theme, system_clock, Preferences(layout), layout, records)
    qtbot.addWidget(panel)
    assert facts(panel) == "0 · EV ≥ 2.01 % · all books"
    panel.close_panel()


def test_the_chosen_preset_is_there_at_the_next_start(
    panel: ValuesPanel, theme: Theme, quoted: Any, layout: Layout, records: Records, qtbot: QtBot
) -> None:
    panel.presets.use_preset("In play")
    again = ValuesPanel(quoted.board, theme, quoted.clock, Preferences(layout), layout, records)
    qtbot.addWidget(again)
    assert again.lists.preset.name == "In play"
    again.close_panel()


def test_a_preset_of_ones_own_is_kept_used_and_deleted(
    panel: ValuesPanel, records: Records, qtbot: QtBot
) -> None:
    panel.presets.use_preset("Short prices")
    panel.presets.ask_preset()
    asked = panel.findChild(ValuesPresetDialog)
    assert asked is not None
    assert asked.name.text() == "My short prices"
    with qtbot.waitSignal(records.presets_changed):
        asked.accept()
    assert panel.lists.preset.name == "My short prices"
    assert "My short prices" in [a.text() for a in panel.header.preset.presets.actions()]
    with qtbot.waitSignal(records.presets_changed):
        panel.presets.delete_current()
    assert panel.lists.preset.name == "All value bets"


def test_a_price_in_play_is_marked_and_can_be_left_out(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    quoted.clock.now += 1
    for side in ("Over 2.5", "Under 2.5"):
        quoted.tell("Pinnacle", "total", side, 1.94, is_live=True)
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06, is_live=True)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    assert panel.table.model.cell(0, 0).note == "live · Everton v Liverpool"
    panel.presets.use_preset("Before kick-off")
    assert panel.table.model.rowCount() == 0


def test_a_preset_may_name_any_bookmaker_that_has_prices(panel: ValuesPanel, quoted: Any) -> None:
    """Not only those that have value now (F7.5)."""
    assert not panel.table.model.rowCount()
    panel.presets.ask_preset()
    asked = panel.findChild(ValuesPresetDialog)
    assert asked is not None
    names = [asked.bookmakers.item(row).text() for row in range(asked.bookmakers.count())]
    assert names == ["Betsson", "Bovada", "Matchbook", "Pinnacle", "Unibet"]
