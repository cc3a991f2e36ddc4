"""Everything that Tab reaches says what it is."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QTabBar, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import make_all


def test_whatever_tab_reaches_has_a_name(
    theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    desk = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(desk.window)
    make_all(desk)
    desk.top_bar.show_connection("Embedded server")
    desk.open_game_beside(quoted.id)
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
    nameless = [widget for widget in reached if not _name(widget)]
    desk.close()
    records.close()
    assert len(reached) > 15
    assert [(type(w).__name__, type(w.parentWidget()).__name__) for w in nameless] == []


def _name(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""
