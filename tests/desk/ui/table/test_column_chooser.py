"""The column chooser: what it ticks, finds, stars and tells."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.column_chooser import ColumnChoice, ColumnChooser
from oddsdesk.desk.ui.theme.theme import Theme

NAMES = ("Bovada", "Betsson", "Unibet")


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def chooser(theme: Theme, parent: QWidget) -> ColumnChooser:
    choices = [ColumnChoice(name, name, name != "Unibet") for name in NAMES]
    return ColumnChooser(parent, theme, choices, has_favourites=True)


def test_a_tick_counts_at_once(chooser: ColumnChooser, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chooser.columns_changed) as heard:
        chooser.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    assert heard.args == [list(NAMES), frozenset({"Betsson"})]


def test_all_and_none_mean_what_was_found(chooser: ColumnChooser, qtbot: QtBot) -> None:
    chooser.search.setText("B ss")
    assert [chooser.list.item(row).isHidden() for row in range(3)] == [True, False, True]
    with qtbot.waitSignal(chooser.columns_changed) as heard:
        chooser.none.click()
    assert heard.args[1] == {"Bovada"}
    chooser.search.clear()
    with qtbot.waitSignal(chooser.columns_changed) as heard:
        chooser.all.click()
    assert heard.args[1] == set(NAMES)


def test_down_leads_from_the_search_to_what_it_found(chooser: ColumnChooser, qtbot: QtBot) -> None:
    with qtbot.waitActive(chooser):
        chooser.show()
    qtbot.keyClicks(chooser.search, "bet")
    qtbot.keyClick(chooser.search, Qt.Key.Key_Down)
    assert chooser.focusWidget() is chooser.list
    assert [item.text() for item in chooser.list.selectedItems()] == ["Betsson"]
    qtbot.keyClick(chooser.list, Qt.Key.Key_Space)
    assert chooser.list.item(1).checkState() is Qt.CheckState.Unchecked


def test_the_current_column_becomes_a_favourite_and_no_longer(
    chooser: ColumnChooser, qtbot: QtBot
) -> None:
    assert not chooser.favourite.isEnabled()
    chooser.list.setCurrentRow(2)
    with qtbot.waitSignal(chooser.favourites_changed) as heard:
        chooser.favourite.click()
    assert heard.args == [frozenset({"Unibet"})]
    assert not chooser.list.item(2).icon().isNull()
    chooser.list.setCurrentRow(0)
    assert not chooser.favourite.isChecked()
    chooser.list.setCurrentRow(2)
    assert chooser.favourite.isChecked()
    with qtbot.waitSignal(chooser.favourites_changed) as heard:
        chooser.favourite.click()
    assert heard.args == [frozenset()]


def test_a_move_tells_the_new_order(chooser: ColumnChooser, qtbot: QtBot) -> None:
    with qtbot.waitSignal(chooser.columns_changed) as heard:
        root = chooser.list.rootIndex()
        assert chooser.list.model().moveRow(root, 0, root, 3)
    assert heard.args[0] == ["Betsson", "Unibet", "Bovada"]
