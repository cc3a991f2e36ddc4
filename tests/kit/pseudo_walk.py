"""Opens all of the desk in the pseudo-locale; prints what is untranslated or cut, by room, as JSON.

It runs as a separate process, because the language must be chosen before the desk is imported.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
import traceback
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QDockWidget,
    QFileDialog,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)

from oddsdesk.base.clock import system_clock
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.quotes import Quote, odds_row
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.loop import run_on_qt
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.qt_texts import translate_qt
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.ledger.bets import BetKind, PlacedBet
from oddsdesk.pricing.promotions import PromoKind, Promotion
from tests.kit.late_panels import make_all
from tests.kit.waiting import until_told
from tests.kit.whole_desk import WholeDesk

_BOOKMAKERS = ("Pinnacle", "Bovada", "Betsson", "Matchbook")
_GAMES = (
    ("Everton - Liverpool", "EPL", False),
    ("Celtics - Lakers", "NBA", False),
    ("Alcaraz - Sinner", "ATP", True),
)
MOST_ROWS = 40
"""Of a list, whose cells are looked at."""
NAME = "123"
"""Of the connection and a preset: no word."""
OPENING = (
    *("app.settings", "app.bookmakers", "alerts.rules", "bets.new", "bets.import", "bets.rates"),
    *("connection.new", "go.palette", "grid.columns", "help.keys", "promotions.new"),
    *("promotions.calculator", "server.open", "server.import", "values.stakes", "values.place"),
    *("values.preset", "bets.won", "values.hide"),
)
NOT_TRIGGERED = re.compile(
    r"app\.quit|server\.live|view\..*|.*\.(next|previous)_\w+|history\.(nudge|step|zoom|ends)"
    r"|\w+\.(copy|fold|unfold|sort_second|column_left|column_right|usual_columns)"
)
"""Ends the desk, moves what is shown, or says nothing."""
_DATA = {
    *("Ctrl", "Shift", "Alt", "Enter", "oddsdesk", "English", "Deutsch", "Español", *SPORTS),
    *("Arsenal", "Chelsea", "Goto", "Free", "Pro", "Live", "The", "Odds", "football", "data"),
    *("OddsHarvester", "SharpAPI", "MiB", "min"),
}
"""Keys, units, and names that are the same in all languages."""


class Walk:
    """Collects what is shown, by the room that shows it."""

    def __init__(self) -> None:
        self.untranslated: dict[str, set[str]] = defaultdict(set)
        self.cut: dict[str, set[str]] = defaultdict(set)
        self.count = 0
        self._known = {""}
        self.data = set(_DATA)

    def look(self) -> None:
        """Look at every widget that there is, and paint all windows."""
        for widget in QApplication.allWidgets():
            self._look_at(widget)
        for window in QApplication.topLevelWidgets():
            if window.isVisible():
                window.grab()

    def look_at_cells(self) -> None:
        """Look at the first rows of all tables, with their tooltips."""
        for widget in QApplication.allWidgets():
            if isinstance(widget, QAbstractItemView):
                for text in _cells(widget.model()):
                    self.say(room_of(widget), text)

    def look_into(self, window: QWidget) -> None:
        """Look at what is seen in a window; cells are noted when they are painted."""
        for widget in (window, *window.findChildren(QWidget)):
            if widget.isVisible():
                self._look_at(widget)

    def _look_at(self, widget: QWidget) -> None:
        for text in shown(widget):
            self.count += bool(text)
            if text not in self._known:
                self.say(room_of(widget), text)
        if widget.isVisible() and not widget.visibleRegion().isEmpty():  # not below another tab
            for text in cuts(widget):
                self.cut[room_of(widget)].add(text)

    def say(self, room: str, text: str) -> None:
        """Note a text that a room shows."""
        self.count += bool(text)
        if text not in self._known:
            self._known.add(text)
            if words(text):
                self.untranslated[room].add(text)

    def watch_painting(self) -> None:
        """Note what is painted, by the room of the code that paints."""
        draw, draw_static = QPainter.drawText, QPainter.drawStaticText

        def draw_text(painter: QPainter, *given: Any) -> Any:
            for text in given:
                if isinstance(text, str):
                    self.say(_room(sys._getframe(1).f_globals["__name__"]) or "ui", text)
            return draw(painter, *given)

        def draw_static_text(painter: QPainter, *given: Any) -> Any:
            text = given[-1].text()
            self.say(_room(sys._getframe(1).f_globals["__name__"]) or "ui", text)
            return draw_static(painter, *given)

        QToolButton.showMenu = open_menu  # type: ignore[method-assign]
        QPainter.drawText = draw_text  # type: ignore[method-assign,assignment]
        QPainter.drawStaticText = draw_static_text  # type: ignore[method-assign,assignment]

    def found(self) -> dict[str, Any]:
        """Return everything, to print."""
        names = sorted(self.data)
        english = {
            room: sorted(text for text in said if not all(_is_name(w, names) for w in words(text)))
            for room, said in self.untranslated.items()
        }
        return {
            "count": self.count,
            "untranslated": {room: said for room, said in english.items() if said},
            "cut": {room: sorted(said) for room, said in self.cut.items() if said},
        }


def open_menu(button: QToolButton) -> None:
    """Open the menu of a button without waiting until it is closed."""
    if (menu := button.menu()) is not None:
        menu.popup(QPoint(5, 5))


def words(text: str) -> list[str]:
    """Return the words of a text that are not in the brackets of the pseudo-locale."""
    left = re.sub(r"<[^<>]*>|\([A-Z]\)", " ", text)
    while (shorter := re.sub(r"\[[^\[\]]*\]", " ", left)) != left:
        left = shorter
    left = left.partition("[")[0]  # elided: its end is missing
    left = re.sub(r"\*\.\w+|\S*[/:_]\S*", " ", left)  # kinds of files, paths and feeds
    return re.findall(r"[^\W\d_]{3,}", left)


def _is_name(word: str, names: list[str]) -> bool:
    """Return whether a word, perhaps cut, is a name of the data, or a code such as EPL."""
    place = bisect_left(names, word)
    return (place < len(names) and names[place].startswith(word)) or word.isupper()


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
            for index in range(widget.count()):
                yield from (widget.tabText(index), widget.tabToolTip(index))
        case QComboBox():
            yield from (widget.itemText(index) for index in range(widget.count()))
        case _:
            pass
    for action in widget.actions():
        yield from (said.partition("\t")[0] for said in (action.text(), action.toolTip()))


def _cells(model: QAbstractItemModel | None) -> Iterator[str]:
    if model is None:
        return
    roles, none = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole), QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(none)
    for role in roles:
        for column in range(columns):
            said = model.headerData(column, Qt.Orientation.Horizontal, role)
            if isinstance(said, str) and not isinstance(model, QAbstractListModel):
                yield said
            for row in range(min(model.rowCount(none), MOST_ROWS)):
                said = model.index(row, column).data(role)
                if isinstance(said, str):
                    yield said


def cuts(widget: QWidget) -> Iterator[str]:
    """Yield the texts of a visible widget that have too little room and are not elided."""
    room, measure = widget.width(), widget.fontMetrics()
    match widget:
        case QPushButton() | QCheckBox() | QRadioButton() | QToolButton():
            if room < measure.horizontalAdvance(widget.text().replace("&", "")):
                yield f"button {widget.text()}"
        case ElidedLabel():
            pass  # it wraps or elides itself, and then has a tooltip
        case QLabel():
            text = widget.text()
            if not text or not widget.pixmap().isNull():
                return
            if widget.wordWrap():
                if widget.height() < widget.heightForWidth(room) - 2:
                    yield f"label {text}"
            elif widget.textFormat() is Qt.TextFormat.PlainText:
                text = text.replace("&", "", 1) if widget.buddy() is not None else text
                longest = max(map(measure.horizontalAdvance, text.split("\n")))
                if widget.contentsRect().width() < longest - 1:
                    yield f"label {text}"
        case QTabBar():
            for index in range(widget.count()):
                text = widget.tabText(index)
                if widget.tabRect(index).width() < measure.horizontalAdvance(text):
                    yield f"tab {text}"
        case QGroupBox():
            if room < measure.horizontalAdvance(widget.title()):
                yield f"group {widget.title()}"
        case QComboBox():
            if room < measure.horizontalAdvance(widget.currentText()):
                yield f"choice {widget.currentText()}"
        case _:
            pass


def _room(module: str) -> str | None:
    if not module.startswith("oddsdesk.desk."):
        return None
    room = module.split(".")[2]
    return None if room == "ui" else room  # its parts show the texts of other rooms


def room_of(widget: QWidget | None) -> str:
    """Return the room of the desk that a widget, or the nearest one around it, belongs to."""
    while widget is not None:
        if room := _room(type(widget).__module__):
            return room
        widget = widget.parentWidget()
    return "ui"


async def let_events_pass() -> None:
    """Let Qt and the tasks that wait for nothing have their turns."""
    for _turn in range(6):
        await asyncio.sleep(0.005)


def close_all() -> None:
    """Close what was opened over the window."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for window in QApplication.topLevelWidgets():
        if isinstance(window, QDialog) and window.isVisible():
            window.reject()


async def look_through(walk: Walk, dialog: QDialog) -> None:
    """Look at each page of a dialog, and at each choice that shows other fields."""
    for tabs in dialog.findChildren(QTabWidget):
        for page in range(tabs.count()):
            tabs.setCurrentIndex(page)
            await let_events_pass()
            walk.look_into(dialog)
    for pages in dialog.findChildren(QListView):
        model = pages.model()
        for row in range(min(model.rowCount(), 20) if model is not None else 0):
            pages.setCurrentIndex(model.index(row, 0))
        await let_events_pass()
        walk.look_into(dialog)
    for choice in dialog.findChildren(QComboBox):
        if choice.isVisible() and choice.isEnabled():
            before = choice.currentIndex()
            for index in range(min(choice.count(), 12)):
                choice.setCurrentIndex(index)
                await let_events_pass()
                walk.look_into(dialog)
            choice.setCurrentIndex(before)


async def look_at_menus(walk: Walk, window: QWidget) -> None:
    """Open every menu of the window, and those of lists."""
    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()
    await let_events_pass()
    walk.look()
    for view in window.findChildren(QAbstractItemView):
        if not view.isVisible() or isinstance(view, QHeaderView):
            continue
        model = view.model()
        if model is None or not model.rowCount():
            continue
        view.setCurrentIndex(model.index(0, 0))
        spot = view.visualRect(model.index(0, 0)).center()
        view.customContextMenuRequested.emit(spot or QPoint(5, 5))
        await let_events_pass()
        if (popup := QApplication.activePopupWidget()) is not None:
            walk.look_into(popup)
        close_all()


async def walk_through(walk: Walk, folder: Path, theme: Theme, *, every_action: bool) -> None:
    """Open everything; by every action, or only by those that open a dialog."""
    feed = f"replay:{write_quotes(folder)}"
    profile = EmbeddedProfile(NAME, str(folder / "odds.db"), (feed,), reference=_BOOKMAKERS[0])
    whole = WholeDesk(theme, folder, profile)
    desk, window = whole.desk, whole.desk.window
    window.resize(1280, 800)
    window.show()
    make_all(desk)
    for panel in window.panels():  # without prices; one by one, as few have room for all
        was_hidden = panel.isHidden()
        panel.show()
        panel.raise_()
        for _turn in range(3):
            await let_events_pass()  # until it has its size
        walk.look_into(panel)
        panel.setHidden(was_hidden)
    walk.look()
    await whole.open()
    await whole.fill()
    board = whole.board
    await until_told(board, lambda: board.snapshot_progress.finished_at is not None)
    fill_records(whole)
    bet = next(iter(board.value_bets))
    desk.explain().show_price(bet)
    desk.history().show_price(bet)
    for tab in range(window.tabs.count()):
        window.tabs.setCurrentIndex(tab)
        await let_events_pass()
        walk.look()
    walk.look_at_cells()
    await look_at_menus(walk, window)
    desk.values().table.setFocus()
    desk.values().table.set_current(0)
    actions = desk.around.actions
    every = sorted(each for each in actions._bound if not NOT_TRIGGERED.fullmatch(each))
    for ident in every if every_action else OPENING:
        actions[ident].trigger()
        await let_events_pass()
        walk.look_into(window)
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                walk.look_into(dialog)
                if not isinstance(dialog, QFileDialog):
                    await look_through(walk, dialog)
        close_all()
        await let_events_pass()
    walk.look_at_cells()
    await whole.manager.close_connection()
    for link in Link:
        board.set_connection(Connection(link=link))
        await let_events_pass()
        walk.look()
    board.forget_service()
    await let_events_pass()
    walk.look()


def write_quotes(folder: Path) -> Path:
    """Write quotes of now: every kind of market, with value, and a game in play."""
    file, now = folder / "1.ndjson", system_clock()
    lines = []
    for game, competition, is_live in _GAMES:
        home, away = game.split(" - ")
        markets = {
            "moneyline": {home: 2.4, "Draw": 3.6, away: 3.1} if competition == "EPL" else
            {home: 1.9, away: 1.95},
            "spread": {f"{home} -1.5": 1.9, f"{away} +1.5": 1.95},
            "total": {"Over 2.5": 1.9, "Under 2.5": 1.95},
            "team_total": {"Home Over 1.5": 1.9, "Home Under 1.5": 1.95},
            "btts": {"Yes": 1.9, "No": 1.95},
            "double_chance": {"1X": 1.4, "X2": 1.55, "12": 1.3},
            "player_prop": {f"{home} Over 0.5": 1.9, f"{home} Under 0.5": 1.95},
            "yes_no": {f"{away} Yes": 1.9, f"{away} No": 1.95},
        }  # fmt: skip
        for period, (market_type, odds) in product((0, 1), markets.items()):
            for place, bookmaker in enumerate(_BOOKMAKERS):
                better = {name: round(each * (1 + 0.03 * place), 3) for name, each in odds.items()}
                quote = Quote(
                    bookmaker, game, competition, market_type, period, better, now, is_live,
                    now + 3_600_000, f"https://b.example/{place}",
                )  # fmt: skip
                lines.append(msgspec.json.encode(odds_row(quote)))
    file.write_bytes(b"\n".join(lines))
    return file


def _names(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"[^\W\d_]{3,}", text)}


def fill_records(whole: WholeDesk) -> None:
    """Record a bet of each kind of result, and an offer of each kind."""
    key, price = next(iter(whole.board.value_bets.items()))
    now = system_clock()
    for kind in BetKind:
        whole.records.place_bet(
            PlacedBet(
                kind=kind, bookmaker=key.bookmaker, stake=10.0, odds=2.1, placed_at=now,
                game_id=key.game_id, match_name=price.match_name,
                competition=price.competition, sport=price.sport,
                market_type=key.market_type, period=key.period,
                selection=key.selection,
            ),
            lambda *_said: None,
        )  # fmt: skip
    for offered in PromoKind:
        offer = Promotion(name=f"{len(offered.value)}", kind=offered, bookmaker="1", amount=20.0)
        whole.desk.promotions().offers.save_offer(offer)


def main(*, every_action: bool) -> None:
    """Walk, and end the process; call ``use_language`` before this module is imported."""
    application = QApplication([])
    translate_qt(application)
    theme = Theme(application, Scheme.DARK)
    walk = Walk()
    walk.data |= _names(*_BOOKMAKERS, *(game for game, _, _ in _GAMES))
    walk.watch_painting()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            run_on_qt(
                application,
                lambda: walk_through(walk, Path(scratch), theme, every_action=every_action),
            )
        except BaseException:  # noqa: BLE001 - Qt's parts, gone in any order, would hide it
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    print(json.dumps(walk.found()))
    sys.stdout.flush()
    os._exit(0)  # nothing of the desk is worth closing
