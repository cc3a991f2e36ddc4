"""The matrix panel: what it says of a game, its keys, opening a bookmaker's page."""

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.results import HeldResult
from oddsdesk.board.valuation.market import WITHDRAWN_KEPT_MS
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore
from oddsdesk.desk.matrix.layout import (
    BEST,
    FIRST_BOOKMAKER,
    FROZEN,
    BookmakerColumns,
    BookmakerOrder,
)
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
    assert "Unibet" in panel.table.model.shown_bookmakers


def test_a_game_in_play_says_so(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.matrix(quoted.id).is_live = True
    panel._show_moment()
    assert "Live" in header_texts(panel)


def test_the_header_has_the_score_in_play_and_at_the_end(panel: MatrixPanel, quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    kick_off = quoted.clock.now - 3_600_000
    matrix.is_live, matrix.kick_off = True, kick_off

    def report(status: GameStatus, home: int) -> None:
        periods = (PeriodScore(1, home, 0),)
        said = GameResult("EPL", matrix.match_name, kick_off, home, 0, periods, status=status)
        quoted.board.take_results([HeldResult(quoted.id, said)])

    report(GameStatus.IN_PLAY, 1)
    assert "Live 1-0 · 1st half" in header_texts(panel)
    report(GameStatus.FINAL, 2)
    texts = header_texts(panel)
    assert not any(text.startswith("Live") for text in texts)
    assert any("2-0 · final" in text for text in texts)
    assert "unknown source 2-0" in panel.header.toolTip()
    now = quoted.board.connection
    quoted.board.set_connection(msgspec.structs.replace(now, as_of_ms=kick_off - 1))
    assert not any("2-0" in text for text in header_texts(panel)), "not known at that moment"


def test_cells_are_made_while_figures_follow_another_reference(
    panel: MatrixPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who offered the best price is the reference by then, under another key."""
    monkeypatch.setattr(quoted.board, "_go_through", lambda _steps: None)
    model = panel.table.model
    for name in sorted(model.shown_bookmakers):
        quoted.board.choose_reference(name)
        for row in range(model.rowCount()):
            for column in range(model.columnCount()):
                assert model.cell(row, column) is not None


def test_a_chip_narrows_markets_and_columns(panel: MatrixPanel) -> None:
    panel.header.chips.choose_chip("totals")
    assert panel.table.model.rowCount() == 3
    assert panel.header.columns.text() == "Columns 3 / 4 ▾"


def test_b_goes_to_the_best_price_and_on_to_the_next_that_is_as_good(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    table, names = panel.table, panel.table.model.shown_bookmakers
    quoted.tell("Bovada", "moneyline", "Draw", 3.40)
    table.set_current(2, 0)
    found = []
    for _ in range(3):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_B)
        found.append(names[table.current_cell().column() - FIRST_BOOKMAKER])
    assert found == ["Bovada", "Matchbook", "Bovada"]


def test_b_says_whose_hidden_column_has_the_best_price(
    panel: MatrixPanel, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    columns.keep_order(BookmakerOrder(hidden=frozenset({"Matchbook"})))
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
    assert heard.args == ["Pinnacle has no link for this price."]


def test_a_group_that_is_quoted_no_more_gives_way_to_all_markets(
    panel: MatrixPanel, quoted: Any
) -> None:
    panel.header.chips.choose_chip("totals")
    quoted._markets.pop(("total", 0))
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    panel.table.model.flush_touched()
    assert panel.header.chips.chosen_chip == ""
    assert panel.table.model.rowCount() == 6


def test_a_change_of_scheme_repaints_the_panel(panel: MatrixPanel, theme: Theme) -> None:
    dark = panel.grab().toImage().pixelColor(600, 550).lightness()
    theme.choose_scheme(Scheme.LIGHT)
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
    table.model.flush_touched()
    assert heights() == wanted


def test_keys_fold_choose_markets_and_favourite(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    rows = panel.table.model.rowCount()
    actions = {action.text(): action for action in panel.actions()}
    actions["Collapse all sections"].trigger()
    assert panel.table.model.rowCount() == 3
    actions["Expand all sections"].trigger()
    assert panel.table.model.rowCount() == rows
    actions["Next group of markets"].trigger()
    assert panel.header.chips.chosen_chip == "result"
    with qtbot.waitSignal(panel.favourite_requested) as heard:
        actions["Add or remove this game as favourite"].trigger()
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


MANY = {f"Book {number:02d}": 1.90 for number in range(40)}


def key(quoted: Any, market: str, selection: str, bookmaker: str, period: int = 0) -> RowKey:
    return RowKey(quoted.id, market, period, selection, bookmaker)


def at(panel: MatrixPanel) -> tuple[str, str | None] | None:
    """Selection and bookmaker of the current cell."""
    index = panel.table.current_cell()
    if not index.isValid():
        return None
    found = panel._model.price_key(index.row(), index.column())
    return None if found is None else (found.selection, found.bookmaker)


def is_in_sight(panel: MatrixPanel) -> bool:
    pane, index = panel.table.scrolling, panel.table.current_cell()
    rect = pane.visualRect(index)
    return not rect.isEmpty() and pane.viewport().rect().contains(rect)


@pytest.fixture
def narrow(panel: MatrixPanel, quoted: Any) -> MatrixPanel:
    """A matrix of many bookmakers and rows, most of them out of sight."""
    for line in range(3, 30):
        sides = {f"Over {line}.5": MANY | {"Pinnacle": 1.95}, f"Under {line}.5": MANY}
        quoted.quote("total", sides, period=line % 2)
    quoted.load()
    panel.table.model.flush_touched()
    panel.resize(700, 260)
    return panel


def test_a_price_out_of_sight_is_made_current_and_brought_into_sight(
    narrow: MatrixPanel, quoted: Any
) -> None:
    wanted = key(quoted, "total", "Over 28.5", "Book 37")
    narrow.finder.go_to(wanted)
    assert at(narrow) == ("Over 28.5", "Book 37")
    assert is_in_sight(narrow)


def test_a_price_of_a_folded_section_and_of_markets_not_shown_is_found(
    narrow: MatrixPanel, quoted: Any
) -> None:
    narrow._model.fold_all(folded=True)
    narrow.header.chips.choose_chip("result")
    narrow.finder.go_to(key(quoted, "total", "Over 2.5", "Betsson"))
    assert at(narrow) == ("Over 2.5", "Betsson")
    assert narrow.header.chips.chosen_chip == ""


def test_a_price_of_a_game_that_is_not_read_yet_is_gone_to_once_it_is(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    quoted.board.unsubscribe_game(quoted.id)
    quoted.board.keep_all_rows(True)
    panel = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.finder.go_to(key(quoted, "moneyline", "Draw", "Matchbook"))
    assert at(panel) is None
    with qtbot.waitExposed(panel):
        panel.show()
    quoted.tell("Bovada", "moneyline", "Draw", 3.30)
    panel.table.model.flush_touched()
    assert panel.table.current_cell().isValid(), "the row is there, its bookmaker is not"
    quoted.load()
    panel.table.model.flush_touched()
    assert at(panel) == ("Draw", "Matchbook")
    panel.close_panel()


def test_who_goes_elsewhere_meanwhile_is_left_there(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    quoted.board.unsubscribe_game(quoted.id)
    quoted.board.keep_all_rows(True)
    quoted.tell("Bovada", "moneyline", "Liverpool", 2.30)
    panel = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.finder.go_to(key(quoted, "moneyline", "Draw", "Matchbook"))
    panel.table.set_current(0, 0)
    assert panel.table.current_cell().isValid()
    quoted.load()
    panel.table.model.flush_touched()
    assert at(panel) is None
    panel.close_panel()


def test_a_price_that_is_gone_and_a_column_that_is_hidden_are_told(
    panel: MatrixPanel, quoted: Any, columns: BookmakerColumns
) -> None:
    said: list[str] = []
    panel.said.connect(said.append)
    panel.finder.go_to(key(quoted, "total", "Over 9.5", "Bovada"))
    columns.keep_order(BookmakerOrder(hidden=frozenset({"Bovada"})))
    panel.finder.go_to(key(quoted, "total", "Over 2.5", "Bovada"))
    assert said == [
        "Over 9.5 is no longer priced here.",
        "The column of Bovada is hidden (C to show it).",
    ]
    assert panel.table.current_cell().column() == BEST


@pytest.fixture
def with_values(panel: MatrixPanel, quoted: Any) -> MatrixPanel:
    """Three prices are value, the last one in a folded section."""
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    quoted.tell("Matchbook", "moneyline", "Draw", 3.60)
    quoted.tell("Matchbook", "moneyline", "Liverpool", 2.25)
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    quoted.tell("Matchbook", "total", "Under 2.5", 1.90)
    panel.table.model.flush_touched()
    model = panel._model
    title = next(row for row in range(model.rowCount()) if model.cell(row, 0).text == "Total 2.5")
    model.set_folded(title, True)
    return panel


def test_n_goes_from_value_to_value_in_folded_sections_too_and_round_the_end(
    with_values: MatrixPanel, qtbot: QtBot
) -> None:
    table = with_values.table
    with_values.activateWindow()
    table.scrolling.setFocus()
    found = []
    for _ in range(4):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_N)
        found.append(at(with_values))
    assert found == [
        ("Everton", "Bovada"),
        ("Draw", "Matchbook"),
        ("Over 2.5", "Matchbook"),
        ("Everton", "Bovada"),
    ]
    for wanted in (("Over 2.5", "Matchbook"), ("Draw", "Matchbook")):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
        assert at(with_values) == wanted


def test_where_nothing_is_value_n_says_so_and_stays(panel: MatrixPanel, qtbot: QtBot) -> None:
    said: list[str] = []
    panel.said.connect(said.append)
    panel.table.set_current(1, 0)
    panel.finder.go_to_value(1)
    assert said == ["No other value price in the markets and columns shown."]
    assert (panel.table.current_cell().row(), panel.table.current_cell().column()) == (1, 0)
