"""Getting around: palette, keys, watch list, layouts, session, zoom, messages, bug reports."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QLineEdit,
    QMainWindow,
    QPushButton,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.actions.binding import Actions, attach
from oddsdesk.desk.actions.declared import ACTIONS, Where
from oddsdesk.desk.actions.dialog import KeysDialog
from oddsdesk.desk.actions.page import keys_page
from oddsdesk.desk.bug_report import BugReports, without_secrets
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.layouts import LayoutError, Layouts, NamedLayout
from oddsdesk.desk.message_center import ConnectionTrouble, MessageCenter
from oddsdesk.desk.palette.entries import Entry, Kind, matching
from oddsdesk.desk.palette.matching import fold, score
from oddsdesk.desk.palette.palette import Palette
from oddsdesk.desk.palette.recent import Recent
from oddsdesk.desk.session import Session
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.tabs import GameTabs
from oddsdesk.desk.text_size import TextSize
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.watch_list import FORGET_MS, WatchList
from oddsdesk.desk.widgets.message_bar import MessageBar

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    made.resize(900, 600)
    return made


# Actions


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
    assert dialog.shown() == ["Full screen, or not"]


# Palette


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("liv", "Everton v Liverpool"),
        ("everton liv", "Everton v Liverpool"),
        ("mci", "Manchester City v Arsenal"),
        ("etienne", "Saint-Étienne v Nîmes"),
        ("nimes", "Saint-Étienne v Nîmes"),
        ("evertom", "Everton v Liverpool"),
        ("arsneal", "Manchester City v Arsenal"),
        ("dark", "Dark colours"),
    ],
)
def test_what_is_typed_leads_to_its_game_or_action(typed: str, found: str) -> None:
    titles = ("Saint-Étienne v Nîmes", "Manchester City v Arsenal", "Everton v Liverpool")
    entries = [entry(title) for title in titles]
    entries.append(Entry("action dark", Kind.ACTION, "Dark colours", list))
    assert matching(entries, typed, [])[0].title == found


def test_nonsense_finds_nothing() -> None:
    assert matching([entry("Everton v Liverpool")], "qqqxz", []) == []


def test_the_start_of_a_word_beats_its_middle() -> None:
    start, middle = score(("ever",), fold("Everton v X")), score(("ever",), fold("Never v XYZ"))
    assert start is not None
    assert middle is not None
    assert start > middle


def test_what_was_used_last_comes_first() -> None:
    entries = [entry("Everton v Liverpool"), entry("Levante v Sevilla")]
    assert matching(entries, "", ["Levante v Sevilla"])[0].title == "Levante v Sevilla"
    assert matching(entries, "v", ["Levante v Sevilla"])[0].title == "Levante v Sevilla"


def test_the_palette_is_used_by_keyboard_alone_and_gives_the_focus_back(
    theme: Theme, window: QMainWindow, layout: Layout, qtbot: QtBot
) -> None:
    taken: list[str] = []
    recent = Recent(layout)
    entries = [entry("Everton v Liverpool", taken), entry("Levante v Sevilla", taken)]
    palette = Palette(theme, recent, window, [lambda: entries])
    other = QLineEdit()
    body = QWidget(window)
    window.setCentralWidget(body)
    for part in (palette, other):
        part.setParent(body)
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    other.setFocus()
    palette.open()
    assert palette.hasFocus()
    qtbot.keyClicks(palette, "v")
    assert palette.list.isVisible()
    first = palette.list.chosen()
    qtbot.keyClick(palette, Qt.Key.Key_Down)
    second = palette.list.chosen()
    assert second is not None
    assert second is not first
    qtbot.keyClick(palette, Qt.Key.Key_Return)
    assert taken == [second.title]
    assert other.hasFocus()
    assert not palette.list.isVisible()
    assert Recent(layout).idents == [second.ident]


def entry(title: str, taken: list[str] | None = None) -> Entry:
    target = [] if taken is None else taken
    return Entry(title, Kind.GAME, title, lambda: target.append(title))


# Watch list, layouts, session


def test_a_watched_game_is_kept_and_one_long_gone_forgotten(layout: Layout, quoted: Any) -> None:
    watched = WatchList(layout, quoted.clock)
    assert watched.toggle("a")
    assert watched.toggle("b")
    assert not watched.toggle("b")
    assert "a" in WatchList(layout, quoted.clock)
    quoted.clock.now += FORGET_MS - 1
    seen = WatchList(layout, quoted.clock)
    seen.see(["a", "never watched"])
    seen.keep()
    quoted.clock.now += 2
    assert WatchList(layout, quoted.clock).games == {"a"}
    quoted.clock.now += FORGET_MS
    assert len(WatchList(layout, quoted.clock)) == 0


def test_a_damaged_watch_list_is_empty(layout: Layout, quoted: Any) -> None:
    layout.put("watch/games", "[1")
    assert len(WatchList(layout, quoted.clock)) == 0


def test_layouts_are_kept_by_name(layout: Layout) -> None:
    Layouts(layout).save(NamedLayout("Évening / two", b"\x00docks"))
    kept = Layouts(layout)
    assert kept.current == "Évening / two"
    assert kept["Évening / two"].docks == b"\x00docks"
    kept.delete("Évening / two")
    assert (Layouts(layout).names, Layouts(layout).current) == ([], "")


def test_a_layout_survives_a_file() -> None:
    named = NamedLayout("Evening", b"\xff\x00")
    assert NamedLayout.from_text(named.to_text()) == named


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"kind": "oddsdesk layout"}', "\x00"],
)
def test_a_file_that_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(LayoutError, match="expected"):
        NamedLayout.from_text(text)


def test_open_games_are_opened_again_if_they_still_exist(layout: Layout) -> None:
    Session(layout).keep(["a", "b", "c"], "b")
    assert Session(layout).games({"c", "b"}) == ["b", "c"]
    layout.put("session/games", "{")
    assert Session(layout).games({"c"}) == []


# Tabs and text


class Panel(QWidget):
    closed = False

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        star = QPushButton("Watch")
        self.table = QTableView()
        column.addWidget(star)
        column.addWidget(self.table)

    def close_panel(self) -> None:
        self.closed = True


def test_a_game_goes_to_a_window_of_its_own_and_back(theme: Theme, qtbot: QtBot) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    games = GameTabs(tabs, theme, lambda _game: Panel())
    closed: list[str] = []
    games.game_closed.connect(closed.append)
    games.open_beside("a", "A v B")
    games.open_beside("b", "C v D")
    games.detach("a")
    assert tabs.count() == 1
    assert games.open_games == ["b", "a"]
    games.detach("a")
    assert tabs.count() == 2
    assert closed == []
    games.detach("a")
    games._windows["a"].close()
    assert closed == ["a"]
    games.close_all()


def test_a_game_that_leaves_the_tabs_makes_way_for_the_one_before(
    theme: Theme, qtbot: QtBot
) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    games = GameTabs(tabs, theme, lambda _game: Panel())
    games.open_beside("a", "A v B")
    tabs.addTab(QWidget(), "Odds grid")
    games.open_beside("b", "C v D")
    games.detach("b")
    assert games.active() == "a"
    games.detach("b")
    games.close("b")
    assert games.active() == "a"
    games.close_all()


def test_a_long_name_leaves_room_for_other_tabs_and_is_whole_in_the_tooltip(
    theme: Theme, qtbot: QtBot
) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.resize(1_400, 600)
    games = GameTabs(tabs, theme, lambda _game: Panel())
    long = "Borussia Mönchengladbach U23 v Wolverhampton Wanderers Football Club"
    games.open_beside("a", long)
    games.open_beside("b", "Ajax v PSV")
    with qtbot.waitExposed(tabs):
        tabs.show()
    bar = tabs.tabBar()
    assert bar.tabRect(0).width() <= 360
    assert bar.tabRect(1).width() < bar.tabRect(0).width()
    assert tabs.tabToolTip(0) == long
    games.close_all()


def test_the_keyboard_is_in_the_table_of_the_game_that_comes_to_the_front(
    theme: Theme, qtbot: QtBot
) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    games = GameTabs(tabs, theme, lambda _game: Panel())
    games.open_beside("a", "A v B")
    games.open_beside("b", "C v D")
    tables = [tabs.widget(place).table for place in range(2)]  # type: ignore[union-attr]
    with qtbot.waitActive(tabs):
        tabs.show()
        tabs.activateWindow()
    tables[1].setFocus()
    tabs.setCurrentIndex(0)
    assert tabs.focusWidget() is tables[0]
    games.detach("b")
    assert tables[1].window().focusWidget() is tables[1]
    games.detach("b")
    assert tabs.focusWidget() is tables[1]
    games.close_all()


def test_text_grows_with_its_rows_and_stays_so(theme: Theme, layout: Layout, qtbot: QtBot) -> None:
    label = QLineEdit()
    qtbot.addWidget(label)
    label.setFont(theme.fonts.title)
    before, row = label.font().pointSizeF(), theme.fonts.row_height(22)
    size = TextSize(Preferences(layout), theme)
    for _ in range(20):
        size.step(1)
    assert theme.text_size == 160
    assert label.font().pointSizeF() == pytest.approx(before * 1.6)
    assert theme.fonts.row_height(22) > row * 1.4
    size.reset()
    assert label.font().pointSizeF() == pytest.approx(before)


# Messages and bugs


def test_trouble_shows_again_after_a_passing_message(
    theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    trouble = ConnectionTrouble(center, quoted.board, quoted.clock)
    quoted.board.set_connection(Connection(link=Link.WAITING, reason="The service is away"))
    assert "The service is away." in bar.text
    center.say("Copied", passes=True)
    assert bar.text == "Copied"
    center.fall_silent()
    assert "The service is away." in bar.text
    retry = bar.findChild(QPushButton)
    assert retry.text() == "Try now"
    with qtbot.waitSignal(center.retry_requested):
        retry.click()
    assert not bar.isHidden()
    quoted.board.set_connection(Connection(link=Link.LIVE))
    assert bar.isHidden()
    trouble.close_panel()


def test_closed_trouble_stays_closed_until_the_next(theme: Theme, qtbot: QtBot) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    center = MessageCenter(bar)
    center.show_trouble("Not connected. Next try in 8 s.")
    bar.findChild(QToolButton).click()
    center.show_trouble("Not connected. Next try in 7 s.")
    assert bar.isHidden()
    center.show_trouble("")
    center.show_trouble("Not connected.")
    assert not bar.isHidden()


@pytest.fixture
def bugs() -> Iterator[BugReports]:
    made = BugReports()
    made.install()
    yield made
    made.uninstall()


def test_an_error_of_a_thread_is_in_the_report(bugs: BugReports, qtbot: QtBot) -> None:
    def fail() -> None:
        raise ZeroDivisionError("in a thread")

    with qtbot.waitSignal(bugs.caught):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert "ZeroDivisionError: in a thread" in bugs.text()
    assert "PySide6" in bugs.text()


def test_an_error_that_was_foreseen_is_no_bug(bugs: BugReports) -> None:
    logging.getLogger("oddsdesk.test").error("the file is full")
    assert bugs.count == 0


@pytest.mark.parametrize(
    "text",
    [
        "api_key=abcdef0123",
        "Authorization: Bearer abcdef0123",
        "ws://localhost/stream?token=abcdef0123&x=1",
        'File "/home/abcdef0123/project/oddsdesk/desk/app.py"',
        "https://abcdef0123:pw@example.org/",
    ],
)
def test_a_report_holds_no_secrets(text: str) -> None:
    assert "abcdef0123" not in without_secrets(text)


def test_actions_bind_declared_idents_only(window: QMainWindow) -> None:
    actions = Actions(window)
    done: list[int] = []
    actions.bind("view.dark", lambda: done.append(1))
    actions.trigger("view.dark")
    assert done == [1]
    assert [action.ident for action in actions.offered()] == ["view.dark"]
    with pytest.raises(KeyError):
        actions.bind("no.such", list)


def test_what_a_panel_attaches_can_be_offered_to_the_palette(
    window: QMainWindow, qtbot: QtBot
) -> None:
    panel, done = QWidget(window), []
    attach(panel, "values.sort", lambda: done.append("sorted"))
    actions = Actions(window)
    shown: list[str] = []
    actions.adopt(panel, lambda: shown.append("shown"))
    assert [action.ident for action in actions.offered()] == ["values.sort"]
    actions.trigger("values.sort")
    assert (shown, done) == (["shown"], ["sorted"])


def test_actions_of_a_game_reach_the_game_in_front_while_there_is_one(window: QMainWindow) -> None:
    games, done = [QWidget(window), QWidget(window)], []
    for number, game in enumerate(games):
        attach(game, "matrix.fold", lambda number=number: done.append(number))
    in_front: list[QWidget | None] = [games[1]]
    actions = Actions(window)
    actions.reach(Where.MATRIX, lambda: in_front[0])
    actions.trigger("matrix.fold")
    in_front[0] = None
    actions.trigger("matrix.fold")
    assert done == [1]
    actions.enable(Where.MATRIX, False)
    assert not actions["matrix.fold"].isEnabled()


def test_keys_that_panels_used_to_keep_to_themselves_are_declared() -> None:
    keys = {(action.where, key) for action in ACTIONS for key in action.keys}
    assert {
        (Where.ANYWHERE, "Ctrl+,"),
        (Where.VALUES, "S"),
        (Where.VALUES, "P"),
        (Where.GRID, "Shift+S"),
    } <= keys
