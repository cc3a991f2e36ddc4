"""The navigator by keyboard: type, go down, open."""

from datetime import date, timedelta
from typing import Any

import pytest
from PySide6.QtCore import QDate, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import QApplication, QMenu, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.model.results import HeldResult
from oddsdesk.contract.resources import Game
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.navigator.model import GAME_ROLE, SCORE_ROLE, Favourites
from oddsdesk.desk.navigator.panel import DayPopup, Navigator, Split
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.formatting import day_text, local_time
from oddsdesk.desk.ui.theme.theme import Theme


def game(number: int, name: str, kick_off: int) -> Game:
    return Game(f"id{number}", name, "EPL", "Football", format_ms(kick_off), False, 5, None)


@pytest.fixture
def navigator(quoted: Any, theme: Theme, layout: Layout, qtbot: QtBot) -> Navigator:
    made = Navigator(quoted.board, theme, quoted.clock, Favourites(layout, quoted.clock), layout)
    qtbot.addWidget(made)
    now = quoted.clock.now
    names = ("Everton - Liverpool", "Arsenal - Chelsea", "Leeds - Everton")
    quoted.board.load_games(game(n, name, now + n * 1_000) for n, name in enumerate(names, 1))
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_down_from_the_filter_chooses_the_first_game_and_enter_opens_it(
    navigator: Navigator, qtbot: QtBot
) -> None:
    opened: list[str] = []
    navigator.game_requested.connect(opened.append)
    navigator.filter.setFocus()
    qtbot.keyClicks(navigator.filter, "ever")
    qtbot.keyClick(navigator.filter, Qt.Key.Key_Down)
    chosen = navigator._list.selectionModel().selectedIndexes()
    assert [index.data(GAME_ROLE).game_id for index in chosen] == ["id1"]
    qtbot.keyClick(navigator._list, Qt.Key.Key_Down)
    qtbot.keyClick(navigator._list, Qt.Key.Key_Return)
    assert opened == ["id3"]


def test_scores_replace_live_and_the_kick_off(navigator: Navigator) -> None:
    board = navigator._board
    kick_off = board._clock() - 3_600_000
    for status, home in ((GameStatus.IN_PLAY, 1), (GameStatus.FINAL, 2)):
        said = GameResult("EPL", "Arsenal - Chelsea", kick_off, home, 0, status=status)
        board.take_results([HeldResult("id2", said)])
        rows = [navigator._games.index(row) for row in range(navigator._games.rowCount())]
        scores = {row.data(GAME_ROLE).game_id: row.data(SCORE_ROLE) for row in rows}
        assert scores["id1"] is None
        assert (scores["id2"].score, scores["id2"].is_over) == (f"{home}-0", home == 2)
        (row,) = (row for row in rows if row.data(GAME_ROLE).game_id == "id2")
        assert f"{home}-0" in row.data(Qt.ItemDataRole.ToolTipRole)
        assert f"{home}-0" in row.data(Qt.ItemDataRole.AccessibleTextRole)
        assert not navigator.grab().isNull()
    board.forget_service()
    assert navigator._games._scores == {}


def test_a_game_has_a_menu(navigator: Navigator, qtbot: QtBot) -> None:
    opened: list[str] = []
    in_new_tab: list[str] = []
    navigator.game_requested.connect(opened.append)
    navigator.new_tab_requested.connect(in_new_tab.append)
    spot = navigator._list.visualRect(navigator._games.index(2)).center()
    for title in ("Open", "Open in a new tab", "Favourite", "Copy name"):
        navigator._list.customContextMenuRequested.emit(spot)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        (action,) = (each for each in menu.actions() if each.text() == title)
        action.trigger()
        menu.close()
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    assert (opened, in_new_tab) == (["id3"], ["id3"])
    assert navigator._favourites.game_ids == {"id3"}
    assert QApplication.clipboard().text() == "Leeds v Everton"
    assert navigator.menu_of(navigator._board.games["id3"]).actions()[3].isChecked()
    navigator._list.customContextMenuRequested.emit(QPoint(5, 5_000))
    assert QApplication.activePopupWidget() is None


def test_down_without_a_game_that_matches_leaves_the_keyboard_in_the_filter(
    navigator: Navigator, qtbot: QtBot
) -> None:
    """The list took the keyboard as soon as it had games: the filter kept one letter."""
    navigator.activateWindow()
    navigator.filter.setFocus()
    qtbot.waitUntil(navigator.filter.hasFocus)
    qtbot.keyClicks(navigator.filter, "zzqq")
    qtbot.keyClick(navigator.filter, Qt.Key.Key_Down)
    assert navigator._games.rowCount() == 0
    navigator.focus_filter()
    for letter in "ever":
        focus = QApplication.focusWidget()
        assert focus is not None
        qtbot.keyClick(focus, letter)
    assert navigator.filter.text() == "ever"
    assert navigator.filter.hasFocus()


def test_the_keyboard_hides_no_game_on_its_way_and_all_are_a_row_away(
    navigator: Navigator, quoted: Any, qtbot: QtBot
) -> None:
    """Tab into the tree made its first sport current, and nothing led back."""
    tree, games = navigator._tree, navigator._games
    now = quoted.clock.now
    other = Game("id9", "Lakers - Celtics", "NBA", "Basketball", format_ms(now), False, 5, None)
    quoted.board.load_games([game(1, "Everton - Liverpool", now), other])
    tree.setFocus(Qt.FocusReason.TabFocusReason)
    assert (games.rowCount(), tree.currentIndex().data()) == (2, "All games")
    qtbot.keyClick(tree, Qt.Key.Key_Down)
    qtbot.keyClick(tree, Qt.Key.Key_Down)
    assert (games.rowCount(), navigator._title.text()) == (1, "Basketball")
    tree.selectionModel().clearSelection()  # Ctrl and a click
    assert (games.rowCount(), navigator._title.text()) == (2, "All games")
    assert tree.selectionModel().selectedIndexes()[0].data() == "All games"
    tree.setCurrentIndex(navigator._competitions.find_scope("Basketball", None))
    quoted.board.load_games([game(1, "Everton - Liverpool", now)])
    (marked,) = tree.selectionModel().selectedIndexes()
    assert marked.data() == navigator._title.text()


AUGUST_17 = 1_723_939_199_999
"""2024-08-17T23:59:59.999Z."""


def test_a_lost_connection_moves_nothing_under_the_pointer(
    navigator: Navigator, quoted: Any
) -> None:
    """The tree slid up to where the button for a date had been."""
    day = navigator._past.day
    for link, is_offered in ((Link.LIVE, True), (Link.WAITING, False), (Link.LIVE, True)):
        quoted.board.set_connection(Connection(link=link))
        assert (day.isVisible(), day.isEnabled()) == (True, is_offered)


def test_the_past_is_named_and_escape_leads_back(
    navigator: Navigator, quoted: Any, qtbot: QtBot
) -> None:
    navigator.offer_server(QAction(navigator))
    assert not navigator._past.now.isVisible()
    navigator.resize(400, 600)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=AUGUST_17))
    assert navigator._past.now.isVisible()
    assert navigator._past.day.text() == f"Games of {day_text(AUGUST_17)}"
    with qtbot.waitSignal(navigator.now_requested):
        qtbot.keyClick(navigator.filter, Qt.Key.Key_Escape)
    with qtbot.waitSignal(navigator.now_requested):
        navigator._past.now.click()


@pytest.mark.parametrize("size", [100, 160])
def test_looking_back_makes_the_panel_no_wider(
    navigator: Navigator, quoted: Any, theme: Theme, qtbot: QtBot, size: int
) -> None:
    theme.zoom(size)
    least = navigator.minimumSizeHint().width()
    navigator.resize(max(least, 245), 600)
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=AUGUST_17))
    assert navigator.minimumSizeHint().width() <= least
    past = navigator._past
    assert day_text(AUGUST_17) in past.day.text()
    shown = [button for button in (past.day, past.now) if not button.isHidden()]
    qtbot.waitUntil(lambda: all(b.width() >= b.sizeHint().width() for b in shown))
    assert max(button.geometry().right() for button in shown) < past.width()
    theme.zoom(100)


def test_a_scrolled_list_keeps_its_games_in_place_when_others_come(
    navigator: Navigator, quoted: Any, qtbot: QtBot
) -> None:
    now = quoted.clock.now
    navigator.resize(240, 500)

    def load(*numbers: int) -> None:
        quoted.board.load_games(game(n, f"Home {n} - Away", now + n * 1_000) for n in numbers)

    def place(ident: str) -> int:
        row = navigator._games.row_of_game(ident)
        assert row is not None
        return navigator._list.visualRect(navigator._games.index(row)).top()

    bar = navigator._list.verticalScrollBar()
    load(*range(100, 200))
    navigator.show_current("id150")
    qtbot.waitUntil(lambda: bar.value() > 0)
    before = place("id150")
    load(*range(50, 200))
    assert place("id150") == before
    assert 0 <= before < navigator._list.viewport().height()
    bar.setValue(0)
    load(*range(200))
    assert bar.value() == 0, "at the top of the list, new first games come into view"
    bar.setValue(navigator._list.visualRect(navigator._games.index(10)).top())
    before = place("id10")
    load(*range(5, 200))
    assert place("id10") == before


@pytest.mark.parametrize("size", [100, 160])
def test_a_narrow_panel_says_less_of_dates_in_whole_words(
    navigator: Navigator, quoted: Any, theme: Theme, size: int
) -> None:
    quoted.board.set_connection(Connection(link=Link.LIVE))
    theme.zoom(size)
    past, said = navigator._past, []
    for width in range(300, 95 * size // 100, -5):
        past.resize(width, past.height())
        past.layout().activate()
        assert past.day.width() >= past.day.sizeHint().width()
        said.append(past.day.text())
    assert said[0] == "Past day…"
    assert set(said) <= {"Past day…", "Past…"}
    assert past.day.accessibleName() == "Past day…"
    theme.zoom(100)


def test_where_nothing_is_fresh_the_newest_day_is_offered(
    navigator: Navigator, quoted: Any, qtbot: QtBot
) -> None:
    navigator.offer_server(QAction(navigator))
    quoted.board.load_games([])
    quoted.board.set_connection(Connection(link=Link.LIVE, newest_ms=AUGUST_17))
    assert day_text(AUGUST_17) in navigator._empty.text()
    with qtbot.waitSignal(navigator.day_requested) as asked:
        navigator._newest.click()
    assert asked.args == [local_time(AUGUST_17).date()]


def test_the_calendar_is_gone_through_by_keyboard_at_once(
    navigator: Navigator, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=AUGUST_17))
    navigator.choose_day()
    popup = navigator.findChild(DayPopup)
    qtbot.waitUntil(lambda: popup.focusWidget() is not None)
    with qtbot.waitSignal(navigator.day_requested) as asked:
        qtbot.keyClick(popup.focusWidget(), Qt.Key.Key_Left)
        qtbot.keyClick(popup.focusWidget(), Qt.Key.Key_Return)
    assert asked.args == [local_time(AUGUST_17).date() - timedelta(days=1)]


def test_a_day_of_the_calendar_is_asked_for(navigator: Navigator, qtbot: QtBot) -> None:
    navigator.choose_day()
    popup = navigator.findChild(DayPopup)
    with qtbot.waitSignal(navigator.day_requested) as asked:
        popup.calendar.clicked.emit(QDate(2024, 8, 17))
    assert asked.args == [date(2024, 8, 17)]


class Painted(QObject):
    """What of a part of the window was painted."""

    def __init__(self, part: QObject) -> None:
        super().__init__(part)
        self.areas: list[QRect] = []
        part.installEventFilter(self)

    def eventFilter(self, part: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.areas.append(event.region().boundingRect())
        return False


def test_a_hidden_navigator_rests_and_has_value_bets_right_as_it_is_shown(
    navigator: Navigator, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[list[str]] = []
    monkeypatch.setattr(navigator._games, "show_values", lambda games: shown.append(list(games)))
    navigator.hide()
    assert not navigator._ages.isActive()
    assert not shown
    navigator.show()
    assert shown == [[]]
    assert navigator._ages.isActive()


def test_a_game_whose_value_bets_differ_is_painted_and_no_other(navigator: Navigator) -> None:
    shown, painted = navigator._games, Painted(navigator._list.viewport())
    first, second, third = (navigator._list.visualRect(shown.index(row)) for row in range(3))
    for values, area in (
        (["id3"], third),
        (["id3", "id2"], second),
        (["id3", "id2", "id2", "id1"], first.united(second)),
    ):
        QApplication.processEvents()
        painted.areas.clear()
        shown.show_values(values)
        QApplication.processEvents()
        assert painted.areas == [area]


@pytest.mark.parametrize("percent", [160, 80, 100])
def test_rows_are_as_high_as_letters_ask(navigator: Navigator, theme: Theme, percent: int) -> None:
    games = navigator._list
    theme.zoom(percent)
    try:
        QApplication.processEvents()
        index = navigator._games.index(0)
        asked = games.itemDelegate().sizeHint(QStyleOptionViewItem(), index).height()
        assert games.visualRect(index).height() == asked
    finally:
        theme.zoom(100)
        QApplication.processEvents()


def make(theme: Theme, layout: Layout, qtbot: QtBot, height: int = 700) -> Split:
    made = Split(theme, layout, QWidget(), QWidget())
    qtbot.addWidget(made)
    made.resize(240, height)
    with qtbot.waitExposed(made):
        made.show()
    return made


def drag(split: Split, by: int, qtbot: QtBot) -> None:
    handle = split.handle(1)
    left, spot = Qt.MouseButton.LeftButton, QPoint(100, 0)
    qtbot.mousePress(handle, left, pos=spot)
    qtbot.mouseMove(handle, spot + QPoint(0, by))
    qtbot.mouseRelease(handle, left, pos=spot + QPoint(0, by))


def test_what_the_user_moved_is_kept_without_a_farewell(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    split = make(theme, layout, qtbot)
    assert split.sizes()[0] == 260
    drag(split, -60, qtbot)
    upper = split.sizes()[0]
    assert upper < 260
    qtbot.waitUntil(lambda: make(theme, layout, qtbot).sizes()[0] == upper)


def test_the_upper_part_grows_with_texts_and_leaves_games_half(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    split = make(theme, layout, qtbot)
    for percent, upper in ((120, 312), (160, 350), (80, 208), (100, 260)):
        theme.zoom(percent)
        assert split.sizes()[0] == upper
    split.resize(240, 400)
    assert split.sizes()[0] == 260
