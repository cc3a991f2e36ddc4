"""Everything that Tab reaches, and every button, says what it is."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.palette import Entry, EntryList, Kind
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import make_all


def test_all_that_tab_reaches_and_all_buttons_have_a_name(
    theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    desk = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(desk.window)
    make_all(desk)
    desk.top_bar.show_connection("Built-in server")
    desk.open_game_in_new_tab(quoted.id)
    with qtbot.waitExposed(desk.window):
        desk.window.show()
    reached = [
        widget
        for widget in desk.window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not isinstance(widget, QTabBar)
    ]
    pressed = [each for each in desk.window.findChildren(QAbstractButton) if each.isVisible()]
    nameless = [widget for widget in [*reached, *pressed] if not _name(widget)]
    desk.close_desk()
    records.close_records()
    assert len(reached) > 15
    assert [(type(w).__name__, type(w.parentWidget()).__name__) for w in nameless] == []


def _name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


def test_a_choice_describes_what_is_chosen(qtbot: QtBot) -> None:
    box = ChoiceBox()
    qtbot.addWidget(box)
    box.addItems(["whole game", "part 1"])
    box.setAccessibleName("Period")
    interface = QAccessible.queryAccessibleInterface(box)
    assert interface.text(QAccessible.Text.Description) == "Period"


def test_messages_and_the_choice_in_the_palette_are_announced(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible, "updateAccessibility", lambda event: heard.append(event.message())
    )
    window = QWidget()
    qtbot.addWidget(window)
    bar = MessageBar(theme, window)
    bar.show_message("Recorded 10 on Arsenal.")
    entries = EntryList(theme, window)
    entries.show_entries(
        [Entry(name, Kind.PANEL, name, bool, keys="Ctrl+B") for name in ("Bets", "Odds grid")]
    )
    entries.step(1)
    assert heard == ["Recorded 10 on Arsenal.", "Bets, Ctrl+B", "Odds grid, Ctrl+B"]
