"""How many of many bookmakers are in sight at once, and by which names."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from oddsdesk.board.valuation import market as board_market
from oddsdesk.desk.matrix.layout import (
    BEST,
    FIRST_BOOKMAKER,
    WINDOW,
    BookmakerColumns,
    BookmakerOrder,
)
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.formatting import BookmakerNames
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.profiles import Profile, shipped_profiles
from tests.kit.quoted_game import REFERENCE

_NAVIGATOR = 244
BOOKMAKERS = [each.name for each in shipped_profiles().all_profiles() if each.name != REFERENCE][
    :65
]


@pytest.fixture
def columns(layout: Layout) -> BookmakerColumns:
    return BookmakerColumns(layout, BookmakerNames(shipped_profiles()))


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> Iterator[MatrixPanel]:
    odds = dict.fromkeys(BOOKMAKERS, 3.2) | {"1xBet": 3.35, "Betsson": 3.35}
    draw = dict.fromkeys(BOOKMAKERS, 3.3)
    quoted.quote("moneyline", {"Everton": {REFERENCE: 3.29, **odds}, "Draw": draw})
    quoted.load()
    made = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(made)
    made.resize(1_680 - _NAVIGATOR, 600)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def in_sight(panel: MatrixPanel) -> list[int]:
    """The bookmakers' columns that are seen whole."""
    header = panel.table.scrolling.header
    return [
        column
        for column in range(FIRST_BOOKMAKER, panel.table.model.columnCount())
        if not header.isSectionHidden(column)
        and header.sectionViewportPosition(column) + header.sectionSize(column)
        <= panel.table.scrolling.viewport().width()
    ]


def column_of(panel: MatrixPanel, bookmaker: str) -> int:
    model = panel.table.model
    columns = range(FIRST_BOOKMAKER, model.columnCount())
    return next(column for column in columns if model.header(column).name == bookmaker)


@pytest.mark.parametrize(("window", "least"), [(1_680, 11), (1_280, 9), (2_560, 22)])
def test_many_bookmakers_are_in_sight_beside_the_navigator(
    panel: MatrixPanel, window: int, least: int
) -> None:
    panel.resize(window - _NAVIGATOR, 600)
    assert len(in_sight(panel)) >= least


@pytest.mark.parametrize("window", [1_680, 1_280])
def test_titles_and_prices_are_never_cut(panel: MatrixPanel, window: int) -> None:
    panel.resize(window - _NAVIGATOR, 600)
    pane, model = panel.table.scrolling, panel.table.model
    for column in in_sight(panel):
        header = model.header(column)
        wide = [header.title, header.code]
        widths = [pane.header.width_of(type(header)(text)) for text in wide]
        assert min(widths) <= pane.columnWidth(column), header.title


def test_headers_are_short_and_their_tooltips_and_spoken_names_whole(panel: MatrixPanel) -> None:
    model = panel.table.model
    column = column_of(panel, "Betfair Exchange UK")
    header = model.header(column)
    assert (header.title, header.code) == ("Betfair Ex", "BFX")
    spoken = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Betfair Exchange UK"
    assert header.tip.startswith("Betfair Exchange UK: newest price seen")


def test_a_bookmaker_that_is_renamed_is_called_so_at_once(
    panel: MatrixPanel, columns: BookmakerColumns
) -> None:
    column = column_of(panel, "Betsson")
    assert panel.table.model.header(column).title == "Betsson"
    mine = Profile(name="Betsson", group="Betsson", short="My B", code="MYB")
    columns.names.use_names(shipped_profiles().with_changes([mine]))
    assert panel.table.model.header(column).title == "My B"


def test_a_favourite_keeps_its_star_where_only_its_code_has_room(
    panel: MatrixPanel, columns: BookmakerColumns
) -> None:
    columns.keep_order(BookmakerOrder(favourites=frozenset({"Betsson"})))
    header = panel.table.model.header(FIRST_BOOKMAKER)
    assert (header.title, header.code) == ("★ Betsson", "★ BTS")


def test_the_best_price_names_its_bookmaker_by_code(panel: MatrixPanel) -> None:
    model = panel.table.model
    best = model.cell(1, BEST)
    assert (best.text, best.note) == ("3.35", "1XB +1")
    assert model.tip(1, BEST).startswith("1xBet: 3.35")


def test_the_column_of_the_window_shows_where_value_begins(panel: MatrixPanel) -> None:
    model = panel.table.model
    row = next(row for row in range(model.rowCount()) if model.cell(row, 0).text == "Over 2.5")
    assert model.cell(row, WINDOW).text == "2.041"
    assert "suspicious above" in model.tip(row, WINDOW)


def test_a_column_widens_for_its_first_price_of_10_or_more(panel: MatrixPanel, quoted: Any) -> None:
    pane, model = panel.table.scrolling, panel.table.model
    column = column_of(panel, "bwin")
    before = pane.columnWidth(column)
    quoted.clock.now += 1_000
    quoted.tell("bwin", "moneyline", "Everton", 10.5)
    model.flush_touched()
    assert model.cell(1, column).text == "? 10.50"
    assert pane.columnWidth(column) > before


def test_what_an_exchange_keeps_stands_beside_its_price_and_in_its_header(
    panel: MatrixPanel, quoted: Any
) -> None:
    model, pane = panel.table.model, panel.table.scrolling
    column, other = column_of(panel, "Matchbook"), column_of(panel, "bwin")
    narrow = pane.columnWidth(column)
    quoted.board.set_profiles(shipped_profiles())
    panel.table.repaint_figures()
    assert (model.cell(1, column).text, model.cell(1, column).note) == ("3.20", "3.16")
    assert model.cell(1, other).note == ""
    header = model.header(column)
    assert (header.note, "after fees" in header.tip) == ("fee 2 %", True)
    assert pane.columnWidth(column) >= narrow
    widths = panel.table._painter.least_width(model, column)
    assert pane.columnWidth(column) >= widths


def test_the_period_of_a_section_is_never_cut(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane = panel.table.frozen
    label = "2nd Overtime Period"
    monkeypatch.setattr(board_market, "period_text", lambda _sport, _period: label)
    quoted.quote("moneyline", {"Everton": {REFERENCE: 3.29, "bwin": 3.2}}, period=2)
    quoted.load()
    texts = QFontMetrics(panel.table.font()).horizontalAdvance(label)
    qtbot.waitUntil(lambda: pane.columnWidth(WINDOW) > texts)
