"""A bet that is hidden is neither listed nor staked until it is shown again."""

from typing import Any

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.actions import HiddenDialog
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.ledger.presets import FOR_NOW_MS, HiddenKind
from tests.kit.value_bets import be_value, facts


def listed(panel: ValuesPanel, quoted: Any, qtbot: QtBot) -> None:
    """Have one value bet listed, and the keyboard on it."""
    be_value(quoted)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · "))
    panel.table.set_current(0)


def test_a_hidden_bet_is_gone_and_its_count_stays(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    listed(panel, quoted, qtbot)
    with qtbot.waitSignal(records.hidden_changed):
        panel.hiding.hide(HiddenKind.BET, for_good=False)
    assert facts(panel).startswith("0 · 1 hidden")
    assert panel.lists.staked == 0
    assert panel.placeholder.isVisible()
    (thing,) = records.hidden
    assert thing.until == quoted.clock.now + FOR_NOW_MS


def test_what_is_ticked_is_shown_again(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    listed(panel, quoted, qtbot)
    with qtbot.waitSignal(records.hidden_changed):
        panel.hiding.hide(HiddenKind.BOOKMAKER, for_good=True)
    panel.placeholder.action_requested.emit()
    dialog = panel.findChild(HiddenDialog)
    assert dialog is not None
    (item,) = (dialog.items.item(row) for row in range(dialog.items.count()))
    assert "for good" in item.text()
    item.setCheckState(Qt.CheckState.Checked)
    with qtbot.waitSignal(records.hidden_changed):
        dialog.accept()
    assert facts(panel).startswith("1 · ")


def test_hidden_until_tomorrow_is_listed_tomorrow(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    listed(panel, quoted, qtbot)
    with qtbot.waitSignal(records.hidden_changed):
        panel.hiding.hide(HiddenKind.GAME, for_good=False)
    assert panel.lists.hidden == 1
    quoted.clock.now += FOR_NOW_MS
    panel.lists.show_bets(may_move=True)
    assert panel.lists.hidden == 0


def test_a_hidden_bet_is_kept_in_english_and_listed_with_the_chosen_mark(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    choose_numbers(Style(COMMA))
    listed(panel, quoted, qtbot)
    with qtbot.waitSignal(records.hidden_changed):
        panel.hiding.hide(HiddenKind.BET, for_good=True)
    assert records.hidden[0].title.startswith("Over 2.5, ")
    panel.hiding.ask_hidden()
    dialog = panel.findChild(HiddenDialog)
    assert dialog is not None
    assert dialog.items.item(0).text().startswith("Over 2,5, ")
    dialog.reject()
