"""Foreign text is plain text, wherever the desk shows it (D85)."""

import ast
import asyncio
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QTabBar,
    QToolTip,
    QWidget,
)

import oddsdesk.desk
from oddsdesk.base.tasks import JobFault
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.valuation.derivation import Score, Scores
from oddsdesk.client.diagnosis import Diagnosis, Right
from oddsdesk.desk.connections.dialog import ConnectionsDialog
from oddsdesk.desk.connections.profile_dialogs import RemoteDialog
from oddsdesk.desk.explain.facts import scores
from oddsdesk.desk.explain.panel import ExplainPanel
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.shell.commands import BugReportDialog
from oddsdesk.desk.ui.controls.labels import Label, literal, literal_title
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.hostile_desk import Opened, Trap
from tests.kit.waiting import until_told

LONGEST_S = 5.0
"""Of work, for drawing all that is shown at one time, and each new tooltip."""
MOST_CELLS = 400

OPENING = (
    "go.palette",
    "grid.columns",
    "matrix.columns",
    "app.settings",
    "app.bookmakers",
    "connection.edit",
    "connection.new",
    "server.open",
    "server.import",
    "layout.save",
    "layout.export",
    "layout.import",
    "help.keys",
    "help.report",
    "values.preset",
    "values.stakes",
    "values.place",
    "game.detach",
)


async def let_events_pass() -> None:
    """Let Qt and the tasks that wait for nothing have their turns."""
    for _ in range(10):
        await asyncio.sleep(0.005)


class Walk:
    """Looks at everything that is shown now, and says what is not plain."""

    def __init__(self, trap: Trap) -> None:
        self._trap = trap
        self.marked = 0
        """How many texts with foreign names were looked at."""
        self.tips: set[str] = set()

    def look(self) -> list[str]:
        began = time.process_time()
        wrong = [said for widget in QApplication.allWidgets() for said in self._faults(widget)]
        for window in QApplication.topLevelWidgets():
            if window.isVisible():
                window.grab()
        for tip in self._new_tips():
            wrong += self._shown_as_tip(tip)
        if self._trap.times_read:
            wrong.append(f"the trap was read {self._trap.times_read} times")
        if (took := time.process_time() - began) > LONGEST_S:
            wrong.append(f"it took {took:.1f} s")
        return wrong

    def _faults(self, widget: QWidget) -> Iterator[str]:
        if isinstance(widget, QLabel):
            self._count(widget.text())
            if not self._is_plain(widget):
                yield f"{_path(widget)} guesses at markup: {widget.text()[:60]!r}"
        for text in _mnemonic_texts(widget):
            self._count(text)
            if re.search("A&(?!&)", text):
                yield f"{_path(widget)} takes a name's & for a mnemonic: {text[:60]!r}"
        if widget.whatsThis():
            yield f"{_path(widget)} has a text for What's This, which may be markup"

    def _is_plain(self, label: QLabel) -> bool:
        if isinstance(label.parent(), QWidget) and _is_escaped(label):
            return "<b>x</b>" not in label.text()  # it is escaped
        has_size = label.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)
        return label.textFormat() is Qt.TextFormat.PlainText or not has_size

    def _new_tips(self) -> list[str]:
        tips = {widget.toolTip() for widget in QApplication.allWidgets()}
        for view in QApplication.allWidgets():
            if isinstance(view, QAbstractItemView) and view.model() is not None:
                tips |= set(_tips_of(view))
            if isinstance(view, QTabBar):
                tips |= {view.tabToolTip(index) for index in range(view.count())}
        new = {tip for tip in tips if "<" in tip or "A&" in tip} - self.tips
        self.tips |= new
        return sorted(new)

    def _shown_as_tip(self, tip: str) -> Iterator[str]:
        self._count(tip)
        QToolTip.showText(QPoint(5, 5), tip)
        labels = [
            widget
            for widget in QApplication.topLevelWidgets()
            if widget.metaObject().className() == "QTipLabel"
        ]
        assert labels, "no tooltip is shown"
        for label in labels:
            assert isinstance(label, QLabel)
            label.grab()
            if label.textFormat() is not Qt.TextFormat.PlainText:
                yield f"a tooltip guesses at markup: {tip[:60]!r}"

    def _count(self, text: str) -> None:
        self.marked += "x</b>" in text


def _mnemonic_texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QAbstractButton):
        yield widget.text()
    if isinstance(widget, QMenu):
        yield widget.title()
    if isinstance(widget, QTabBar):
        yield from map(widget.tabText, range(widget.count()))
    for action in widget.actions():
        yield action.text()


def _tips_of(view: QAbstractItemView) -> Iterator[str]:
    model, role = view.model(), Qt.ItemDataRole.ToolTipRole
    cells, none = 0, QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(none)
    for column in range(columns):
        yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")
    for row in range(model.rowCount(none)):
        for column in range(columns):
            cells += 1
            if cells > MOST_CELLS:
                return
            yield str(model.index(row, column).data(role) or "")


def _is_escaped(label: QLabel) -> bool:
    """Return whether a label may show markup: names in it are escaped."""
    above: object = label.parent()
    while isinstance(above, QWidget):
        if isinstance(above, ExplainPanel):
            return label in (above.title, above.scores)
        above = above.parent()
    return False


def _path(widget: QWidget) -> str:
    above = widget.parentWidget()
    return f"{type(above).__name__ if above else ''}/{type(widget).__name__}"


def close_all() -> None:
    """Close what was opened over the window."""
    QToolTip.hideText()
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for window in QApplication.topLevelWidgets():
        if isinstance(window, QDialog) and window.isVisible():
            window.reject()


async def test_every_panel_and_dialog_shows_hostile_names_as_they_are(opened: Opened) -> None:
    async with opened() as hostile:
        desk, walk = hostile.desk, Walk(hostile.trap)
        actions = desk.around.actions
        assert walk.look() == []
        desk.window.tabs.setCurrentWidget(desk.grid())
        await until_told(
            hostile.board, lambda: hostile.board.snapshot_progress.finished_at is not None
        )
        bet = next(iter(hostile.board.value_bets))
        desk.explain().show_price(bet)
        desk.history().show_price(bet)
        desk.values().presets.use_preset(hostile.trap.markup)
        desk.values().table.setFocus()
        desk.values().table.set_current(0)
        await let_events_pass()
        assert walk.look() == []
        for ident in OPENING:
            actions[ident].trigger()
            await let_events_pass()
            assert (ident, walk.look()) == (ident, [])
            for dialog in desk.window.findChildren(ServerDialog):
                for page in range(dialog.pages.count()):
                    dialog.pages.setCurrentIndex(page)
                    await let_events_pass()
                    assert (ident, page, walk.look()) == (ident, page, [])
            close_all()
            await let_events_pass()
        assert walk.marked > 200
        assert len(walk.tips) > 10


async def test_every_menu_shows_hostile_names_as_they_are(opened: Opened) -> None:
    async with opened() as hostile:
        walk, seen = Walk(hostile.trap), 0
        hostile.desk.history().show_price(next(iter(hostile.board.value_bets)))
        await let_events_pass()
        for menu in hostile.desk.window.findChildren(QMenu):
            menu.aboutToShow.emit()
            menu.popup(QPoint(10, 10))
            assert (menu.title(), walk.look()) == (menu.title(), [])
            seen += sum("A&&B" in action.text() for action in menu.actions())
            menu.close()
        assert seen >= 3


async def test_every_word_of_a_failing_service_is_shown_as_it_is(opened: Opened) -> None:
    async with opened() as hostile:
        mark, desk = hostile.trap.markup, hostile.desk
        first = desk.window.tabs.currentWidget()
        await hostile.manager.close_connection()
        for link in Link:
            walk = Walk(hostile.trap)
            hostile.board.set_connection(
                Connection(
                    link=link,
                    reason=mark,
                    advice=mark,
                    code=mark,
                    upgrade_url=f"https://b.example/{mark}",
                    faults=(JobFault(f"sync: {mark}", f"KeyError: {mark}", 1),),
                )
            )
            desk.window.show_message(mark, icon="warning", action=literal(mark))
            await let_events_pass()
            assert (link, walk.look()) == (link, [])
            desk.window.clear_message()
            desk.window.tabs.setCurrentWidget(desk.grid())
            await let_events_pass()
            assert (link, walk.look()) == (link, [])
            assert walk.marked > 3, link
            desk.window.tabs.setCurrentWidget(first)
        hostile.board.forget_service()
        await let_events_pass()
        assert walk.look() == []


async def test_dialogs_that_tell_of_trouble_show_it_as_it_is(opened: Opened) -> None:
    async with opened() as hostile:
        walk, mark, window = Walk(hostile.trap), hostile.trap.markup, hostile.desk.window
        BugReportDialog(mark, window).open()
        hostile.dialogs.open_list()
        hostile.dialogs.add_connection()
        await let_events_pass()
        listed = window.findChild(ConnectionsDialog)
        assert listed is not None
        for dialog in window.findChildren(RemoteDialog):
            dialog.show_failure(mark)
            assert walk.look() == []
            dialog.show_diagnosis(
                Diagnosis(None, (Right(mark, True), Right(mark, False, mark)), None)
            )
            assert walk.look() == []
        close_all()
        await let_events_pass()


def test_the_trap_is_sprung_by_markup(trap: Trap, theme: Theme) -> None:
    label = QLabel(trap.markup)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.sizeHint()
    assert trap.times_read > 0
    label.deleteLater()


@pytest.mark.usefixtures("theme")
def test_labels_that_qt_makes_do_not_guess_at_markup(trap: Trap) -> None:
    box = QMessageBox()
    box.setText(trap.markup)
    box.setInformativeText(trap.markup)
    plain = QLabel(trap.markup, wordWrap=True)
    for widget in (box, plain):
        widget.grab()
    QToolTip.showText(QPoint(5, 5), trap.markup, plain)
    assert {label.textFormat() for label in (plain, *box.findChildren(QLabel))} == {
        Qt.TextFormat.PlainText
    }
    assert trap.times_read == 0
    QToolTip.hideText()
    for widget in (box, plain):
        widget.deleteLater()


def test_names_in_a_table_of_scores_are_escaped(trap: Trap) -> None:
    table = Scores(((Score(0, 0, 0.5, 1.0),),), 0.5)
    derivation = SimpleNamespace(scores=table)
    said: Any = SimpleNamespace(derivation=derivation, selection=trap.markup)
    assert "<b>x</b>" not in scores(said, lambda _role: "#000")


def test_a_text_is_the_same_on_a_button_and_a_window(theme: Theme) -> None:
    action = QAction(literal("A&B _c\tCtrl+X\nd"))
    assert action.text() == "A&&B _c Ctrl+X d"
    window = QWidget()
    window.setWindowTitle(literal_title("A [*] & B"))
    assert window.windowTitle() == "A [*][*] & B"
    window.deleteLater()


@pytest.mark.parametrize("text", ["x" * 10_000, "\u202e" + "ab" * 5_000, "<b>" * 3_000, "\n" * 999])
def test_a_very_long_text_is_drawn_in_time(theme: Theme, text: str) -> None:
    began = time.process_time()
    label = Label(text, wordWrap=True)
    label.resize(400, 300)
    label.grab()
    QToolTip.showText(QPoint(5, 5), text)
    QToolTip.hideText()
    assert time.process_time() - began < 2
    label.deleteLater()


BANNED: dict[str, Callable[[str], bool]] = {
    "QLabel": lambda file: file == "controls/labels.py",
    "QMessageBox": lambda _: False,
    "QErrorMessage": lambda _: False,
    "QTextEdit": lambda _: False,
    "QTextBrowser": lambda _: False,
    "QTextDocument": lambda _: False,
    "QWhatsThis": lambda _: False,
    "setWhatsThis": lambda _: False,
    "RichText": lambda file: file == "explain/panel.py",
    "MarkdownText": lambda _: False,
    "AutoText": lambda _: False,
    "setHtml": lambda file: file == "grid/export.py",
    "insertHtml": lambda _: False,
    "appendHtml": lambda _: False,
}
"""What may show markup, and where it is allowed: there each foreign text is escaped."""


def test_nothing_else_of_the_desk_can_show_markup() -> None:
    found = [
        f"{place}:{node.lineno} {name}"
        for path in Path(oddsdesk.desk.__file__).parent.rglob("*.py")
        for place in ["/".join(path.parts[-2:])]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Name | ast.Attribute)
        for name in [node.id if isinstance(node, ast.Name) else node.attr]
        if name in BANNED and not BANNED[name](place)
    ]
    assert found == []
