"""The rows of the navigator where they are narrow: numbers are whole, or not there."""

from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.navigator.items import CompetitionDelegate, GameDelegate
from oddsdesk.desk.navigator.model import CompetitionsModel, GamesModel
from oddsdesk.desk.ui.theme.theme import Theme


class Texts:
    """Hears what a delegate writes, whole or cut."""

    def __init__(self, delegate: CompetitionDelegate | GameDelegate, patch: Any) -> None:
        self.said: list[str] = []
        write = delegate._text

        def text(painter: Any, area: Any, said: str, ink: Any, cache: Any, **how: Any) -> float:
            self.said.append(cache.fit(said, int(area.width())).static.text())
            return write(painter, area, said, ink, cache, **how)

        patch.setattr(delegate, "_text", text)


def paint(delegate: Any, index: Any, width: int) -> None:
    image = QImage(width, 60, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, width, 42)
    delegate.paint(painter, option, index)
    painter.end()


@pytest.fixture
def board(quoted: Any) -> Any:
    now = quoted.clock.now
    quoted.board.load_games(
        Game(
            f"id{n}",
            "Everton - Liverpool",
            "NFL",
            "American football",
            format_ms(now),
            True,
            51,
            None,
        )
        for n in range(13)
    )
    return quoted.board


def test_how_many_games_are_live_is_whole_or_left_to_the_dot(
    board: Any, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, delegate = CompetitionsModel(), CompetitionDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    heard = Texts(delegate, monkeypatch)
    index = next(
        each
        for each in (model.index(row, 0) for row in range(model.rowCount()))
        if each.data() == "American football"
    )
    seen = []
    for width in range(260, 100, -5):
        heard.said.clear()
        paint(delegate, index, width)
        assert heard.said[0] == "13"
        if heard.said[2] not in seen:
            seen.append(heard.said[2])
    assert seen == ["13 live", "13", ""]


@pytest.mark.parametrize(
    ("name", "width", "said"),
    [
        ("Baltimore Orioles - Cleveland Guardians", 400, ("Baltimore Orioles", "Cleveland")),
        ("Baltimore Orioles - Cleveland Guardians", 150, ("Balt", "Clev")),
        ("Ajax - Borussia Moenchengladbach", 190, ("Ajax", "Borussia M")),
        ("Borussia Moenchengladbach - Ajax", 190, ("Borussia M", "Ajax")),
    ],
)
def test_both_opponents_can_be_told_where_there_is_little_room(
    board: Any,
    theme: Theme,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    width: int,
    said: tuple[str, str],
) -> None:
    kick_off = format_ms(board.games["id3"].kick_off)
    board.load_games([Game("id1", name, "MLB", "Baseball", kick_off, True, 5, None)])
    model, delegate = GamesModel(), GameDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    index = model.index(model.row_of("id1"))
    heard = Texts(delegate, monkeypatch)
    paint(delegate, index, width)
    home, between, away = heard.said[:3]
    assert between == " v "
    assert home.startswith(said[0])
    assert away.startswith(said[1])
    assert index.data(Qt.ItemDataRole.ToolTipRole) == f"{name.replace(' - ', ' v ')}\nMLB"


def test_facts_of_a_game_are_whole_and_value_stays_longest(
    board: Any, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, delegate = GamesModel(), GameDelegate(theme, lambda: 0)
    model.show_games(board.games.values())
    model.show_values(["id3"] * 12)
    row = model.row_of("id3")
    assert row is not None
    heard = Texts(delegate, monkeypatch)
    seen = []
    for width in range(260, 90, -5):
        heard.said.clear()
        paint(delegate, model.index(row), width)
        facts = heard.said[heard.said.index("live") + 1 :]
        if facts not in seen:
            seen.append(facts)
    assert seen == [["51 books", "12 value"], ["12 value"], ["12"]]
