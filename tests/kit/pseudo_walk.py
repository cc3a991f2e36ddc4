"""Opens the desk in the pseudo-locale; prints untranslated texts by room, and buttons that are cut.

It runs as a separate process, because the language must be chosen before the desk is imported.
"""

import json
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QWidget,
)

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.app import Introduction
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.key_list import KeysDialog
from oddsdesk.desk.ui.qt_texts import translate_qt
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from tests.kit.late_panels import make_all
from tests.kit.quoted_game import REFERENCE, QuotedGame

_BOOKMAKERS = ("Bovada", "Matchbook", "Betsson")
_DATA = {
    *("Everton", "Liverpool", "EPL", "Football", "Soccer", REFERENCE, *_BOOKMAKERS),
    *(
        "Over",
        "Under",
        "Draw",
        "Ctrl",
        "Shift",
        "Alt",
        "Enter",
        "Today",
        "min",
        "ms",
        "EUR",
        "oddsdesk",
    ),
    *("English", "Deutsch", "Español"),
}
"""Names, units and keys."""


def untranslated(text: str) -> bool:
    """Return whether a shown text has words that are neither translated nor data."""
    left = re.sub(r"<[^<>]*>|\([A-Z]\)", " ", text)
    while (shorter := re.sub(r"\[[^\[\]]*\]", " ", left)) != left:
        left = shorter
    left = left.partition("[")[0]  # a tooltip without its key is the name of a button
    words = re.findall(r"[^\W\d_]{2,}", left)
    return any(word not in _DATA for word in words)


def shown(widget: QWidget) -> Iterator[str]:
    """Yield every text of a widget."""
    yield from (widget.toolTip(), widget.accessibleName(), widget.statusTip())
    if widget.isWindow() or isinstance(widget, QDockWidget):
        yield widget.windowTitle()
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QLineEdit():
            yield widget.placeholderText()
        case QGroupBox() | QMenu():
            yield widget.title()
        case QTabBar():
            yield from (widget.tabText(index) for index in range(widget.count()))
        case QComboBox():
            yield from (widget.itemText(index) for index in range(widget.count()))
        case QAbstractItemView():
            yield from _headers(widget.model())
    yield from (action.text().partition("\t")[0] for action in _actions(widget))


def _actions(widget: QWidget) -> Iterator[QAction]:
    yield from widget.actions()


def _headers(model: QAbstractItemModel | None) -> Iterator[str]:
    if model is None or isinstance(model, QAbstractListModel):
        return
    roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
    for column in range(model.columnCount(QModelIndex())):
        for role in roles:
            said = model.headerData(column, Qt.Orientation.Horizontal, role)
            if isinstance(said, str):
                yield said


def room_of(widget: QWidget | None) -> str:
    """Return the room of the desk that a widget, or the nearest one around it, belongs to."""
    while widget is not None:
        name = type(widget).__module__
        if name.startswith("oddsdesk.desk."):
            room = name.split(".")[2]
            if room != "ui":  # its parts show the texts of other rooms
                return room
        widget = widget.parentWidget()
    return "ui"


def walk(folder: Path) -> None:
    """Open everything, print the untranslated texts of each room as JSON, and end the process."""
    application = QApplication([])
    translate_qt(application)
    theme = Theme(application, Scheme.DARK)
    layout = Layout(folder / "desk.ini")
    preferences, records = Preferences(layout), Records(folder / "ledger.db")
    game = QuotedGame()
    odds = dict.fromkeys((REFERENCE, *_BOOKMAKERS), 3.2)
    game.quote("moneyline", {"Everton": odds, "Draw": odds, "Liverpool": odds})
    game.quote(
        "total", {"Over 2.5": {REFERENCE: 1.94, "Bovada": 2.1}, "Under 2.5": {REFERENCE: 1.94}}
    )
    game.load()
    desk = Desk(game.board, theme, layout, preferences, records, game.clock)
    make_all(desk)
    desk.top_bar.show_connection("Bovada")
    desk.open_game_in_new_tab(game.id)
    desk.window.put_notice(Introduction(theme, game.board, preferences, QAction()))
    desk.window.show()
    others = [SettingsDialog(theme, preferences, desk.window), KeysDialog(theme, desk.window)]
    for panel in desk.window.panels():
        panel.show()
    for other in others:
        other.show()
    desk.explain().show_price(RowKey(game.id, "total", 0, "Over 2.5", "Bovada"))
    for _turn in range(5):
        application.processEvents()
    found: dict[str, list[str]] = {}
    count = 0
    for widget in QApplication.allWidgets():
        for text in shown(widget):
            count += bool(text)
            if untranslated(text):
                found.setdefault(room_of(widget), []).append(text)
    found["count"] = [str(count)]
    found["cut"] = [
        f"{room_of(widget)}: {widget.text()}"
        for widget in QApplication.allWidgets()
        if isinstance(widget, QPushButton | QCheckBox | QRadioButton)
        and widget.isVisible()
        and widget.text()
        and widget.width() < widget.sizeHint().width()
    ]
    print(json.dumps({room: sorted(set(said)) for room, said in found.items()}))
    sys.stdout.flush()
    os._exit(0)  # nothing of the desk is worth closing


def main() -> None:
    """Walk, and end the process; call ``use_language`` before this module is imported."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            walk(Path(scratch))
        except Exception:  # noqa: BLE001 - Qt's parts, gone in any order, would hide it
            traceback.print_exc()
            os._exit(1)
