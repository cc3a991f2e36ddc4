"""The matrix panel: what it says of a game, its keys, opening a bookmaker's page."""

from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from oddsdesk.board.market_prices import WITHDRAWN_KEPT_MS
from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER, FROZEN
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from tests.kit.matrix import header_texts


def test_the_header_says_game_time_and_columns(panel: MatrixPanel) -> None:
    texts = header_texts(panel)
    assert texts[0] == "Everton v Liverpool"
    assert panel.header.columns.text() == "Columns 4 / 4 ▾"
    assert any(text.startswith("EPL · ") and text.endswith("in 2 d 19 h") for text in texts)
    assert "Live" not in texts


def test_the_column_of_a_bookmaker_that_prices_the_game_no_more_is_not_counted(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    """It stays, so that nothing moves under the pointer: there were 60 of 59."""
    quoted.clock.now += 60_000
    quoted.quote("moneyline", {"Everton": {"Bovada": 3.48}}, period=1)
    quoted.load()
    quoted.clock.now += WITHDRAWN_KEPT_MS
    quoted.board.sweep()
    qtbot.waitUntil(lambda: panel.header.columns.text() == "Columns 3 / 3 ▾", timeout=2_000)
    assert "Unibet" in panel.table.model.bookmakers


def test_a_game_in_play_says_so(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.matrix(quoted.id).is_live = True
    panel._show_moment()
    assert "Live" in header_texts(panel)


def test_cells_are_made_while_figures_follow_another_reference(
    panel: MatrixPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who offered the best price is the reference by then, under another key."""
    monkeypatch.setattr(quoted.board, "_go_through", lambda _steps: None)
    model = panel.table.model
    for name in sorted(model.bookmakers):
        quoted.board.choose_reference(name)
        for row in range(model.rowCount()):
            for column in range(model.columnCount()):
                assert model.cell(row, column) is not None


def test_a_chip_narrows_markets_and_columns(panel: MatrixPanel) -> None:
    panel.header.chips.choose("totals")
    assert panel.table.model.rowCount() == 3
    assert panel.header.columns.text() == "Columns 3 / 4 ▾"


def test_b_goes_to_the_best_price_and_on_to_the_next_that_is_as_good(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    table, names = panel.table, panel.table.model.bookmakers
    quoted.tell("Bovada", "moneyline", "Draw", 3.40)
    table.set_current(2, 0)
    found = []
    for _ in range(3):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_B)
        found.append(names[table.current().column() - FIRST_BOOKMAKER])
    assert found == ["Bovada", "Matchbook", "Bovada"]


def test_b_says_whose_hidden_column_has_the_best_price(
    panel: MatrixPanel, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    columns.put(BookmakerOrder(hidden=frozenset({"Matchbook"})))
    panel.table.set_current(2, 0)
    with qtbot.waitSignal(panel.said) as said:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_B)
    assert "Matchbook" in said.args[0]


def test_enter_opens_the_bookmakers_page(
    panel: MatrixPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toString()) or True
    )
    panel.table.set_current(1, FIRST_BOOKMAKER + 1)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert opened == ["https://bovada.example/Everton"]


def test_a_price_without_a_page_says_so(panel: MatrixPanel, qtbot: QtBot) -> None:
    panel.table.set_current(1, 1)
    with qtbot.waitSignal(panel.said) as heard:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert heard.args == ["Pinnacle gave no web page for this price."]


def test_a_group_that_is_quoted_no_more_gives_way_to_all_markets(
    panel: MatrixPanel, quoted: Any
) -> None:
    panel.header.chips.choose("totals")
    quoted._markets.pop(("total", 0))
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    panel.table.model.flush()
    assert panel.header.chips.current == ""
    assert panel.table.model.rowCount() == 6


def test_a_change_of_scheme_repaints_the_panel(panel: MatrixPanel, theme: Theme) -> None:
    dark = panel.grab().toImage().pixelColor(600, 550).lightness()
    theme.choose(Scheme.LIGHT)
    light = panel.grab().toImage().pixelColor(600, 550).lightness()
    assert dark < 60 < 200 < light


def test_section_rows_are_taller_and_stay_so_when_rows_come_and_go(
    panel: MatrixPanel, quoted: Any
) -> None:
    table = panel.table

    def heights() -> set[tuple[bool, int]]:
        rows = range(table.model.rowCount())
        return {
            (table.model.is_section(row), pane.rowHeight(row))
            for row in rows
            for pane in (table.frozen, table.scrolling)
        }

    wanted = {(True, 24), (False, 22)}
    assert heights() == wanted
    table.model.set_folded(0, True)
    assert heights() == wanted
    quoted.quote("btts", {"Yes": {"Bovada": 1.67}, "No": {"Bovada": 2.13}})
    quoted.load()
    table.model.flush()
    assert heights() == wanted


def test_keys_fold_choose_markets_and_favourite(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    rows = panel.table.model.rowCount()
    actions = {action.text(): action for action in panel.actions()}
    actions["Fold all sections"].trigger()
    assert panel.table.model.rowCount() == 3
    actions["Unfold all sections"].trigger()
    assert panel.table.model.rowCount() == rows
    actions["Next kind of markets"].trigger()
    assert panel.header.chips.current == "result"
    with qtbot.waitSignal(panel.favourite_requested) as heard:
        actions["Add this game to the favourites, or remove it"].trigger()
    assert heard.args == [quoted.id]


def test_the_star_says_whether_the_game_is_a_favourite_and_asks_for_it(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    star = panel.header.star
    assert (star.isChecked(), star.toolTip()) == (False, "Add to favourites (*)")
    with qtbot.waitSignal(panel.favourite_requested) as heard:
        star.click()
    assert heard.args == [quoted.id]
    panel.show_favourite(True)
    assert (star.isChecked(), star.toolTip()) == (True, "Remove from favourites (*)")


def test_a_click_with_ctrl_or_a_key_adds_a_price_to_those_looked_at(
    panel: MatrixPanel, qtbot: QtBot
) -> None:
    chosen: list[RowKey | None] = []
    added: list[RowKey | None] = []
    panel.price_selected.connect(chosen.append)
    panel.price_added.connect(added.append)
    with qtbot.waitExposed(panel):
        panel.show()
    pane, model = panel.table.scrolling, panel.table.model
    places = [pane.visualRect(model.index(1, FROZEN + place)).center() for place in (0, 1)]
    left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
    window, viewport = panel.window().windowHandle(), pane.viewport()
    spots = [viewport.mapTo(panel.window(), place) for place in places]
    QTest.mouseClick(window, left, Qt.KeyboardModifier.NoModifier, spots[0])
    assert (len(chosen), len(added)) == (1, 0)
    QTest.mouseClick(window, left, ctrl, spots[1])
    assert (len(chosen), len(added)) == (1, 1)
    qtbot.keyClick(pane, Qt.Key.Key_Right, ctrl)
    assert len(added) == 1, "Ctrl with a key is no click"
    panel.table.setFocus()
    qtbot.keyClick(pane, Qt.Key.Key_A)
    assert added == [added[0], chosen[-1]]
