"""What was open comes back: tabs in order, windows in place, whenever the board has it."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.contract import identity
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.navigation import RETURN_MS, OpenGame, OpenGames, gone_text, open_again
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.board import game
from tests.kit.waiting import until


class Panel(QWidget):
    def __init__(self) -> None:
        super().__init__()
        QVBoxLayout(self).addWidget(QWidget())

    def close_panel(self) -> None:
        pass


class Hands:
    """A clock that is moved by hand."""

    now = 1_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def games(theme: Theme, qtbot: QtBot) -> Iterator[GameTabs]:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    made = GameTabs(tabs, theme, lambda _game: Panel())
    yield made
    made.close_all()


def ids(returning: list[OpenGame]) -> list[str]:
    return [game.game_id for game in returning]


def test_tabs_and_windows_come_back_as_they_were(
    games: GameTabs, layout: Layout, clock: Hands
) -> None:
    for game_id in "abcd":
        games.open_in_new_tab(game_id, game_id)
    games.detach("c")
    games._windows["c"].setGeometry(60, 80, 500, 400)
    games._tabs.setCurrentIndex(1)
    games._tabs.activateWindow()
    OpenGames(layout, clock).close_games(games)
    assert not games.open_games
    again = OpenGames(layout, clock)
    returning = again.returning({"a", "b", "c", "d"})
    assert ids(returning)[0] == "b"
    open_again(returning[:1], games, str, in_front=True)
    open_again(returning[1:], games, str)
    games.order_tabs(again.order)
    assert games.open_games == ["a", "b", "d", "c"]
    assert games._tabs.currentIndex() == 1
    assert games._windows["c"].geometry().getRect() == (60, 80, 500, 400)


def test_games_return_as_the_board_fills(layout: Layout, games: GameTabs, clock: Hands) -> None:
    for game_id in "abc":
        games.open_in_new_tab(game_id, game_id)
    OpenGames(layout, clock).close_games(games)
    again = OpenGames(layout, clock)
    assert ids(again.returning({"a", "x"})) == ["a"]
    assert ids(again.returning({"a", "x"})) == []
    clock.now += RETURN_MS
    assert ids(again.returning({"a", "b", "c"})) == ["c", "b"]


def test_no_tab_opens_by_itself_long_after_the_start(
    layout: Layout, games: GameTabs, clock: Hands
) -> None:
    games.open_in_new_tab("a", "a")
    OpenGames(layout, clock).close_games(games)
    again = OpenGames(layout, clock)
    clock.now += RETURN_MS + 1
    assert again.returning({"a"}) == []


def test_games_of_another_service_are_kept_until_it_is_back(
    layout: Layout, games: GameTabs, clock: Hands
) -> None:
    games.open_in_new_tab("a", "a")
    kept = OpenGames(layout, clock)
    kept.close_games(games)
    assert kept.returning({"other"}) == []
    games.open_in_new_tab("other", "other")
    kept.keep_open(games)
    kept.close_games(games)
    assert ids(kept.returning({"a"})) == ["a"]
    assert ids(OpenGames(layout, clock).returning({"other"})) == ["other"]


def test_a_game_of_another_service_is_another_game_though_the_id_is_the_same(
    layout: Layout, games: GameTabs, clock: Hands
) -> None:
    """A simulated game has the id of the real one between the same teams."""
    kept = OpenGames(layout, clock)
    kept.enter("mine")
    games.open_in_new_tab("a", "a")
    kept.close_games(games)
    kept.enter("embedded")
    assert kept.returning({"a"}) == []
    games.open_in_new_tab("a", "a")
    kept.close_games(games)
    assert ids(kept.returning({"a"})) == ["a"]
    kept.enter("mine")
    assert ids(kept.returning({"a"})) == ["a"]
    again = OpenGames(layout, clock)
    again.enter("a third")
    assert again.returning({"a"}) == []


def test_a_closed_game_does_not_come_back(layout: Layout, games: GameTabs, clock: Hands) -> None:
    games.open_in_new_tab("a", "a")
    kept = OpenGames(layout, clock)
    kept.keep_open(games)
    games.close_game("a")
    kept.keep_open(games)
    assert OpenGames(layout, clock).returning({"a"}) == []


def test_what_an_older_version_kept_is_read(layout: Layout, clock: Hands) -> None:
    layout.keep_word("session/games", '["b", "a"]')
    assert ids(OpenGames(layout, clock).returning({"a", "b"})) == ["b", "a"]
    layout.keep_word("session/games", "{")
    assert OpenGames(layout, clock).returning({"a"}) == []


def test_a_desk_that_is_killed_has_kept_what_is_open(desk, quoted, tmp_path, qtbot: QtBot) -> None:
    made: Desk = desk[0]
    made.open_game_in_new_tab(quoted.id)
    path = tmp_path / "desk.ini"
    qtbot.waitUntil(lambda: path.exists() and quoted.id in path.read_text(), timeout=5_000)


def test_the_game_in_front_of_the_tabs_is_so_again_though_another_has_a_window(
    games: GameTabs, layout: Layout, clock: Hands, qtbot: QtBot
) -> None:
    """The window of a game is the active one as soon as the desk's is closed."""
    for game_id in "abc":
        games.open_in_new_tab(game_id, game_id)
    games.detach("c")
    games._tabs.setCurrentIndex(1)
    with qtbot.waitActive(games._windows["c"]):
        games._windows["c"].activateWindow()
    OpenGames(layout, clock).close_games(games)
    assert ids(OpenGames(layout, clock).returning({"a", "b", "c"})) == ["b", "a", "c"]


def test_games_that_are_not_back_yet_are_kept_where_they_stood(
    games: GameTabs, layout: Layout, clock: Hands
) -> None:
    for game_id in "abcde":
        games.open_in_new_tab(game_id, game_id)
    games._tabs.setCurrentIndex(2)
    OpenGames(layout, clock).close_games(games)
    again = OpenGames(layout, clock)
    open_again(again.returning({"b", "c"}), games, str)
    games.order_tabs(again.order)
    again.close_games(games)
    assert OpenGames(layout, clock).order == ["a", "b", "c", "d", "e"]


async def test_a_desk_that_is_closed_before_all_its_tabs_are_back_keeps_them(desk, quoted) -> None:
    made: Desk = desk[0]
    for name in ("A - B", "C - D", "E - F"):
        made.open_game_in_new_tab(identity.game_id("EPL", name))
    opened = made.games.open_games
    made.games.open_game(opened[1], "C v D")
    made.reset_desk()
    quoted.board.load_games([game(name) for name in ("A - B", "C - D", "E - F")])
    assert made.games.open_games == opened[1:2]
    made.reset_desk()
    assert made.around.open_games.order == opened
    quoted.board.load_games([game(name) for name in ("A - B", "C - D")])
    await until(lambda: made.games.open_games == opened[:2])
    assert made.games.in_front() == opened[1]


async def test_a_game_that_was_not_there_then_is_in_front_again_on_return(desk, quoted) -> None:
    made: Desk = desk[0]
    a, b, c = (identity.game_id("EPL", name) for name in ("A - B", "C - D", "E - F"))
    for game_id in (b, a):
        made.open_game_in_new_tab(game_id)
    for names, in_front in ((("C - D", "E - F"), b), (("E - F",), c)):
        made.reset_desk()
        quoted.board.load_games([game(name) for name in names])
        assert made.games.in_front() == in_front
    made.reset_desk()
    quoted.board.load_games([game(name) for name in ("A - B", "C - D", "E - F")])
    assert made.games.in_front() == a
    made.reset_desk()
    quoted.board.load_games([game(name) for name in ("C - D", "E - F")])
    await until(lambda: len(made.games.open_games) == 2)
    made.games.open_in_new_tab(c, "E v F")
    made.reset_desk()
    quoted.board.load_games([game(name) for name in ("A - B", "C - D", "E - F")])
    assert made.games.in_front() == c, "the user chose it there"


async def test_games_that_are_gone_are_told_once(desk, quoted) -> None:
    """Their tabs were not there any more, and nothing said why."""
    made: Desk = desk[0]
    names = ("A - B", "C - D", "E - F")
    quoted.board.load_games([game(name) for name in names])
    for name in names:
        made.open_game_in_new_tab(identity.game_id("EPL", name))
    bar = made.window.messages._bar
    for said in ("A v B and E v F are no longer listed. Their tabs were not reopened.", ""):
        made.reset_desk()
        quoted.board.forget_service()
        quoted.board.load_games([game("C - D")])
        assert made.around._telling.isActive()
        bar.show_message("")
        made.around._tell_gone()
        assert bar.message_text == said


@pytest.mark.parametrize(
    ("titles", "said"),
    [
        (["A v B"], "A v B is no longer listed. Its tab was not reopened."),
        (
            ["A v B", "C v D", "E v F"],
            "A v B and 2 other games are no longer listed. Their tabs were not reopened.",
        ),
    ],
)
def test_of_many_games_that_are_gone_one_is_named(titles: list[str], said: str) -> None:
    assert gone_text(titles) == said
