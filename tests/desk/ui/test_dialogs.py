"""Dialogs open over their window and stay on the screen."""

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

import oddsdesk.desk
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.theme.theme import Theme

OVERRIDDEN = {"Dialog"}
"""What derives from Qt's class itself."""


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(300, 200)
    made.show()
    return made


def shown(window: QWidget) -> Dialog:
    dialog = Dialog(window)
    dialog.resize(240, 120)
    dialog.open()
    return dialog


def room(window: QWidget) -> QRect:
    return window.screen().availableGeometry()


def test_a_dialog_opens_over_the_middle_of_its_window(window: QWidget) -> None:
    window.move(200, 150)
    dialog = shown(window)
    middle = dialog.frameGeometry().center() - window.frameGeometry().center()
    assert middle.manhattanLength() < 40
    dialog.close()


@pytest.mark.parametrize("place", [(-250, -180), (5_000, 5_000), (-900, 700)])
def test_a_dialog_is_whole_on_the_screen_wherever_its_window_is(
    window: QWidget, place: tuple[int, int]
) -> None:
    window.move(*place)
    for _ in range(2):
        dialog = shown(window)
        assert room(window).contains(dialog.frameGeometry())
        dialog.move(QPoint(-100, -60))
        dialog.accept()


def test_a_dialog_that_grows_by_itself_stays_on_the_screen(window: QWidget, qtbot: QtBot) -> None:
    window.move(0, room(window).bottom() - 200)
    dialog = shown(window)
    dialog.setMinimumHeight(room(window).height() // 2)
    qtbot.waitUntil(lambda: dialog.height() == dialog.minimumHeight())
    assert room(window).contains(dialog.frameGeometry())
    dialog.setMinimumHeight(2 * room(window).height())
    qtbot.waitUntil(lambda: dialog.height() == dialog.minimumHeight())
    assert dialog.frameGeometry().top() == room(window).top(), "its title bar is there still"
    dialog.close()


@pytest.mark.parametrize("grows", [False, True])
def test_a_place_that_is_reported_while_it_is_framed_does_not_count(
    window: QWidget, *, grows: bool
) -> None:
    """A dialog that grew just then was kept in the corner of the screen."""
    window.move(200, 150)
    dialog = shown(window)
    QTest.qWaitForWindowExposed(dialog)
    dialog.windowHandle().setPosition(0, 0)
    QTest.qWait(0)
    if grows:
        dialog.setMinimumHeight(180)
        dialog.resize(240, 180)
    middle = dialog.frameGeometry().center() - window.frameGeometry().center()
    assert middle.manhattanLength() < 40
    dialog.close()


def test_a_dialog_is_never_larger_than_the_screen_without_its_frame(window: QWidget) -> None:
    dialog = Dialog(window)
    dialog.resize(room(window).size())
    dialog.open()
    assert dialog.height() < room(window).height(), "a frame needs room, too"
    assert dialog.width() < room(window).width()
    assert room(window).contains(dialog.frameGeometry())
    dialog.close()


def test_dialogs_for_files_are_on_the_screen(window: QWidget) -> None:
    window.move(-280, -190)
    dialog = file_dialog(window, "Save")
    dialog.resize(300, 200)
    dialog.open()
    assert room(window).contains(dialog.frameGeometry())
    dialog.close()


def test_no_dialog_is_left_to_the_window_manager() -> None:
    folder = Path(oddsdesk.desk.__path__[0])
    found = [
        f"{path.relative_to(folder)}: {node.name}"
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        and node.name not in OVERRIDDEN
        and any("QDialog" in ast.unparse(base) for base in node.bases)
    ]
    assert found == []
    bare = [
        str(path)
        for path in folder.rglob("*.py")
        if f"{QInputDialog.__name__}(" in (text := path.read_text())
        and "keep_on_screen" not in text
    ]
    assert bare == []


def test_a_form_with_more_rows_than_the_screen_has_room_for_leaves_room_for_its_frame(
    window: QWidget, theme: Theme
) -> None:
    form = FormDialog(theme, "Many rows", window)
    for row in range(80):
        form.add_row(f"Row {row}", QLineEdit(), "What it means, in words that need a second line.")
    form.close_form()
    form.open()
    assert form.minimumHeight() < room(window).height()
    form.close()
