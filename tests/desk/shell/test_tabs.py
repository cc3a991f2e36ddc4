"""A tab a game: in a window of its own and back, its name, its keyboard."""

from typing import Any

from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.messages import TroubleStrip
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme


class Panel(QWidget):
    closed = False

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        star = QPushButton("Favourite")
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
    games.open_in_new_tab("a", "A v B")
    games.open_in_new_tab("b", "C v D")
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
    games.open_in_new_tab("a", "A v B")
    tabs.addTab(QWidget(), "Odds grid")
    games.open_in_new_tab("b", "C v D")
    games.detach("b")
    assert games.active() == "a"
    games.detach("b")
    games.close_game("b")
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
    games.open_in_new_tab("a", long)
    games.open_in_new_tab("b", "Ajax v PSV")
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
    games.open_in_new_tab("a", "A v B")
    games.open_in_new_tab("b", "C v D")
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


def test_another_game_takes_the_place_of_one(theme: Theme, qtbot: QtBot) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    games = GameTabs(tabs, theme, lambda _game: Panel())
    for game in "abc":
        games.open_in_new_tab(game, game)
    games.replace("b", "new", "New")
    assert (games.open_games, games.active(), tabs.tabText(1)) == (["a", "new", "c"], "c", "New")
    games.replace("c", "a", "A")
    assert (games.open_games, games.active()) == (["a", "new"], "a")
    games.detach("new")
    place = games._windows["new"].geometry()
    games.replace("new", "d", "D")
    assert (games.open_games, games._windows["d"].geometry()) == (["a", "d"], place)
    games.replace("not open", "e", "E")
    assert games.open_games == ["a", "d"]
    games.close_all()


def badges(desk: Desk, game: str) -> tuple[str, str]:
    """What the badges of the main window and of a game's own say; empty where none is shown."""
    windows = desk.window, desk.games._windows[game]
    labels = [
        next(each for each in window.findChildren(QLabel) if each.property("variant") == "badge")
        for window in windows
    ]
    main, own = ("" if each.isHidden() else each.accessibleName() for each in labels)
    return main, own


async def test_a_window_of_its_own_says_whose_odds_these_are_and_that_the_service_is_away(
    desk: tuple[Desk, Connections], quoted: Any, qtbot: QtBot
) -> None:
    made, game = desk[0], quoted.id
    board = quoted.board
    board.set_connection(Connection(Link.LIVE, simulated=True))
    made.open_game_in_new_tab(game)
    made.games.detach(game)
    strip = made.games._windows[game].findChild(TroubleStrip)
    assert badges(made, game) == ("Simulated odds", "Simulated odds")
    assert strip.isHidden()
    board.set_connection(Connection(Link.WAITING, reason="It is away", simulated=False))
    assert badges(made, game) == ("", "")
    assert strip.isVisible()
    assert strip.message_text == "Not connected. It is away."
    assert strip.findChild(QToolButton).isHidden()  # nothing else in this window says it
    main = next(
        each
        for each in made.window.findChildren(MessageBar)
        if each.message_text == strip.message_text
    )
    assert not main.isHidden()
    with qtbot.waitSignal(made.window.messages.retry_requested):
        strip.findChild(QPushButton).click()
    made.top_bar.show_feed("Replay · 16 Apr 2026 19:00 · 10×")
    assert badges(made, game) == ("Replay · 16 Apr 2026 19:00 · 10×",) * 2
    board.set_connection(Connection(Link.PAST, as_of_ms=1_776_340_800_000))
    main_badge, own = badges(made, game)
    assert main_badge == own
    assert own.startswith("As of ")
    assert strip.isHidden()
    made.games.detach(game)
    board.set_connection(Connection(Link.LIVE))
