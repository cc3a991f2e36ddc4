"""Actions are declared once: keys, list of keys, and who is reached by each."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMainWindow, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.shell.key_list import KeysDialog, keys_page
from oddsdesk.desk.ui.actions import ACTIONS, Actions, Where, add_action
from oddsdesk.desk.ui.theme.theme import Theme

DOCS = Path(__file__).parents[3] / "docs"


def test_the_documented_keys_are_the_declared_ones() -> None:
    assert (DOCS / "keys.md").read_text(encoding="utf-8") == keys_page()


def test_no_two_actions_of_one_place_share_a_key() -> None:
    for where in Where:
        rivals = {Where.ANYWHERE, where}
        keys = [key for action in ACTIONS if action.where in rivals for key in action.keys]
        assert len(keys) == len(set(keys))


def test_every_key_is_one_that_qt_knows() -> None:
    for action in ACTIONS:
        for keys in action.keys:
            assert QKeySequence(keys).toString(), action


def test_an_action_without_a_key_is_in_the_palette() -> None:
    assert all(action.keys or action.is_offered for action in ACTIONS)


def test_the_list_of_keys_is_filtered_by_name_and_key(
    theme: Theme, window: QMainWindow, qtbot: QtBot
) -> None:
    dialog = KeysDialog(theme, window)
    qtbot.addWidget(dialog)
    assert len(dialog.shown()) == len(ACTIONS)
    dialog.filter.setText("f11")
    assert dialog.shown() == ["Toggle full screen"]


def test_the_list_of_keys_cuts_nothing(
    theme: Theme, window: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spanish keys are long: Ctrl+Mayús+Tab or Ctrl+Re Pág."""
    keys = "Ctrl+Mayús+Tab   Ctrl+Mayús+Re Pág"
    monkeypatch.setattr("oddsdesk.desk.shell.key_list._all_keys", lambda _action: keys)
    dialog = KeysDialog(theme, window)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    tree = dialog.findChild(QTreeWidget)
    for column in (0, 1):
        assert tree.columnWidth(column) >= tree.sizeHintForColumn(column)


def test_actions_bind_declared_idents_only(window: QMainWindow) -> None:
    actions = Actions(window)
    done: list[int] = []
    actions.bind("view.dark", lambda: done.append(1))
    actions.trigger("view.dark")
    assert done == [1]
    assert [action.ident for action in actions.offered()] == ["view.dark"]
    with pytest.raises(KeyError):
        actions.bind("no.such", list)


def test_actions_of_a_game_reach_the_game_in_front_while_there_is_one(window: QMainWindow) -> None:
    games, done = [QWidget(window), QWidget(window)], []
    for number, game in enumerate(games):
        add_action(game, "matrix.fold", lambda number=number: done.append(number))
    in_front: list[QWidget | None] = [games[1]]
    actions = Actions(window)
    actions.register_context(Where.MATRIX, lambda: in_front[0])
    assert "matrix.fold" in [action.ident for action in actions.offered()]
    actions.trigger("matrix.fold")
    in_front[0] = None
    actions.trigger("matrix.fold")
    assert done == [1]
    actions.enable(Where.MATRIX, False)
    assert not actions["matrix.fold"].isEnabled()


class GreedyEdit(QLineEdit):
    """Takes every key for itself, as a field on X11 takes Ctrl+E."""

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)


def test_keys_of_the_desk_work_within_text(window: QMainWindow, qtbot: QtBot) -> None:
    actions, done = Actions(window), []
    actions.bind("server.open", lambda: done.append("opened"))
    edit = GreedyEdit(window)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert done == ["opened"]
    QTest.keyClick(edit, Qt.Key.Key_E)
    QTest.keyClick(edit, Qt.Key.Key_Question)
    assert (done, edit.text()) == (["opened"], "e?")


def test_keys_that_panels_used_to_keep_to_themselves_are_declared() -> None:
    keys = {(action.where, key) for action in ACTIONS for key in action.keys}
    assert {
        (Where.ANYWHERE, "Ctrl+,"),
        (Where.VALUES, "S"),
        (Where.VALUES, "P"),
        (Where.GRID, "Shift+S"),
    } <= keys
