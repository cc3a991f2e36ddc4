"""The live table paints what cells say: grounds, inks, flashes, arrows, texts too long."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.cell_painter import TextCache
from oddsdesk.desk.ui.table.cells import Cell, Column
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.desk.ui.theme.tokens import FLASH_SHARE, SurfaceRole, TextRole, mix
from tests.kit.live_table import RowsModel, cell_rect, corner, image_of, inked
from tests.kit.quoted_game import NOW_MS, Clock


def test_grounds_and_inks_are_those_of_the_tokens(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", TextRole.BEST, SurfaceRole.BEST)
    model.rows[4][4] = Cell("2.40", TextRole.STRONG)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(SurfaceRole.BEST)
    assert corner(table.scrolling, 4, 4) == theme.tokens.ground(SurfaceRole.PANEL)
    theme.choose_scheme(Scheme.LIGHT)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(SurfaceRole.BEST)
    assert corner(table.scrolling, 4, 4) == "#ffffff"


def test_a_value_cell_has_a_bar_at_its_left(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", TextRole.VALUE, SurfaceRole.VALUE)
    rect = cell_rect(table.scrolling, 3, 4)
    edge = image_of(table.scrolling).pixelColor(rect.left(), rect.top() + 2).name()
    assert edge == theme.tokens.ink(TextRole.VALUE)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(SurfaceRole.VALUE)


def test_a_flash_stands_then_fades_then_is_gone(
    table: LiveTable, model: RowsModel, theme: Theme, clock: Clock
) -> None:
    model.rows[3][4] = Cell("2.40", flash=1, flashes_from=NOW_MS)
    panel = theme.tokens.ground(SurfaceRole.PANEL)
    full = mix(theme.tokens.up, panel, FLASH_SHARE)
    seen = []
    for elapsed in (0, 499, 1_000, 1_500):
        clock.now = NOW_MS + elapsed
        seen.append(corner(table.scrolling, 3, 4))
    assert seen[:2] == [full, full]
    assert seen[2] not in (full, panel)
    assert seen[3] == panel


def test_a_flash_scrolled_into_sight_shows_the_rest_of_its_fade(
    table: LiveTable, model: RowsModel, theme: Theme, clock: Clock
) -> None:
    model.rows[50][4] = Cell("2.40", flash=-1, flashes_from=NOW_MS)
    clock.now = NOW_MS + 400
    table.scrolling.verticalScrollBar().setValue(table.scrolling.verticalScrollBar().maximum())
    full = mix(theme.tokens.down, theme.tokens.ground(SurfaceRole.PANEL), FLASH_SHARE)
    assert corner(table.scrolling, 50, 4) == full


def test_flashes_are_repainted_until_they_end(
    table: LiveTable, model: RowsModel, clock: Clock, qtbot: QtBot
) -> None:
    model.put(3, 4, Cell("2.40", flash=1, flashes_from=NOW_MS))
    model.flush_touched()
    qtbot.waitUntil(lambda: table.scrolling.advance_flashes(clock()), timeout=1_000)
    clock.now = NOW_MS + 1_500
    qtbot.waitUntil(lambda: not table.scrolling.advance_flashes(clock()), timeout=1_000)


def test_a_flash_is_painted_again_when_it_fades_not_while_it_stands(
    table: LiveTable, model: RowsModel, clock: Clock
) -> None:
    model.put(3, 4, Cell("2.40", flash=1, flashes_from=NOW_MS))
    model.flush_touched()
    QApplication.processEvents()
    painted = []
    for elapsed in (0, 300, 500, 700, 1_500, 1_600):
        clock.now = NOW_MS + elapsed
        model.asked.clear()
        table.scrolling.advance_flashes(clock())
        QApplication.processEvents()
        painted.append((3, 4) in model.asked)
    assert painted == [False, False, True, True, True, False]


def test_what_fades_takes_its_step_with_what_changes(
    table: LiveTable, model: RowsModel, clock: Clock
) -> None:
    told: list[bool] = []
    table.scrolling.flash_seen.connect(told.append)
    for row, flashes_from in ((3, NOW_MS), (5, NOW_MS - 600), (7, NOW_MS)):
        clock.now += 60
        model.put(row, 4, Cell("2.40", flash=1, flashes_from=flashes_from))
        model.asked.clear()
        model.flush_touched()
        QApplication.processEvents()
    assert {(5, 4), (7, 4)} <= set(model.asked)
    assert (3, 4) not in model.asked
    assert told == [False, True, True]


def test_of_many_that_fade_none_takes_a_step_with_each_change(
    table: LiveTable, model: RowsModel, clock: Clock
) -> None:
    table._flash_timer.blockSignals(True)  # the clock alone says when a step is due
    for row in range(15):
        model.put(row, row % 5 + 2, Cell("2.40", flash=1, flashes_from=NOW_MS - 600))
    model.flush_touched()
    QApplication.processEvents()
    painted = []
    for _ in range(4):
        clock.now += 66
        model.asked.clear()
        model.put(15, 4, Cell(f"{clock.now}"))
        model.flush_touched()
        QApplication.processEvents()
        painted.append((5, 2) in model.asked)
    assert painted == [False, True, False, True]


def test_a_flash_fades_in_its_time_however_often_others_begin(
    table: LiveTable, model: RowsModel, clock: Clock
) -> None:
    painted = []
    for row in range(12):
        model.put(row, 4, Cell("2.40", flash=1, flashes_from=clock.now))
        model.asked.clear()
        model.flush_touched()
        QApplication.processEvents()
        painted.append((0, 4) in model.asked)
        clock.now += 66
    assert painted[:7] == [True, *[False] * 6]
    assert all(painted[9:])


def test_a_price_that_flashes_and_is_painted_again_puts_off_no_step_of_fades(
    table: LiveTable, model: RowsModel, clock: Clock
) -> None:
    told: list[bool] = []
    for row, flashes_from in ((3, NOW_MS), (5, NOW_MS - 600)):
        model.put(row, 4, Cell("2.40", flash=1, flashes_from=flashes_from))
    model.flush_touched()
    QApplication.processEvents()
    table.scrolling.flash_seen.connect(told.append)
    table.scrolling.viewport().update(cell_rect(table.scrolling, 3, 4))
    QApplication.processEvents()
    assert told == [False]


def test_a_struck_price_has_a_line_through_it(table: LiveTable, model: RowsModel) -> None:
    def widest_line(cell: Cell) -> int:
        model.rows[3][4] = cell
        rect, image = cell_rect(table.scrolling, 3, 4), image_of(table.scrolling)
        ink = table._theme.tokens.ink(TextRole.NOTE)
        return max(
            sum(image.pixelColor(x, y).name() == ink for x in range(rect.left(), rect.right()))
            for y in range(rect.top(), rect.bottom() - 1)
        )

    assert widest_line(Cell("2.40", TextRole.NOTE, is_struck=True)) > 20
    assert widest_line(Cell("2.40", TextRole.NOTE)) < 15


def test_an_arrow_shows_the_movement_and_pales(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", arrow=1)
    assert theme.tokens.up in inked(table.scrolling, 3, 4)
    model.rows[3][4] = Cell("2.40", arrow=1, arrow_is_pale=True)
    assert theme.tokens.up not in inked(table.scrolling, 3, 4)


def test_long_texts_and_titles_are_elided_and_whole_in_the_tooltip(
    table: LiveTable, model: RowsModel
) -> None:
    model.titles[4] = "A bookmaker with a very long name indeed"
    model.headerDataChanged.emit(Qt.Orientation.Horizontal, 4, 4)
    assert table.scrolling.columnWidth(4) <= Column("88.88").most
    tip = model.headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == model.titles[4]


def test_a_long_name_keeps_the_line_which_tells_it_from_the_others(
    table: LiveTable, model: RowsModel
) -> None:
    def painted(row: int) -> QImage:
        return image_of(table.frozen).copy(cell_rect(table.frozen, row, 0))

    for row, line in ((1, "1.5"), (2, "1.5"), (3, "2.5")):
        model.put(row, 0, Cell(f"Pierre-Emerick Aubameyang shots {line}"))
    model.flush_touched()
    assert painted(1) == painted(2)
    assert painted(2) != painted(3)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Betfair Exchange", "Betfair …"),
        ("Charlotte Hornets -3.5", "Charl… -3.5"),
        ("Over 2.5", "Over 2.5"),
        ("Bukayo Saka shots on target Over 0.5 · England", "Bukayo Sak… Over 0.5"),
        ("Bukayo Saka shots Under 1.5 · England", "Bukayo Saka shots Under 1.5 · E…"),
        ("Washington Nationals v Pittsburgh Pirates", "Washing…"),
    ],
)
def test_what_is_too_long_is_cut_at_its_end_and_never_in_its_figure(
    theme: Theme, text: str, shown: str
) -> None:
    texts = TextCache(theme.fonts.body)
    assert texts.fit_text(text, texts.lay(shown).width + 1).static.text() == shown


def test_where_only_a_figure_has_room_its_text_is_cut_as_a_whole(theme: Theme) -> None:
    texts = TextCache(theme.fonts.body)
    room = texts.lay("Ch…").width
    cut = texts.fit_text("Charlotte Hornets -103.5", room)
    assert cut.width <= room
    assert cut.static.text().endswith("…")


@pytest.mark.parametrize(
    ("with_thousandths", "without"),
    [
        ("1.925", "1.92"),
        ("12.345", "12.34"),
        ("? 1.925", "? 1.92"),
        ("~1.925", "~1.92"),
        ("−0.925", "−0.92"),
    ],
)
def test_a_third_decimal_hangs_right_of_two(
    theme: Theme, with_thousandths: str, without: str
) -> None:
    for font in (theme.fonts.body, theme.fonts.strong):
        texts = TextCache(font)
        long, short = texts.lay(with_thousandths), texts.lay(without)
        assert long.hang == texts.hang > 0
        assert long.width - long.hang == pytest.approx(short.width, abs=1)
        assert texts.fit_text(with_thousandths, long.width - long.hang) is long


@pytest.mark.parametrize("text", ["1.92", "65.8 %", "104.5", "2.135 – 2.183", "6/4", "1.9255"])
def test_other_texts_end_where_they_end(theme: Theme, text: str) -> None:
    assert TextCache(theme.fonts.body).lay(text).hang == 0


def test_a_note_loses_its_end_a_text_what_stands_before_its_line(theme: Theme) -> None:
    cache = TextCache(theme.fonts.small)
    text = "Kansas City Chiefs vs Baltimore Ravens · fair 2.505"
    room = cache.lay(text).width // 2
    assert cache.fit_text(text, room).static.text().endswith("… 2.505")
    assert cache.fit_text(text, room, keeps_line=False).static.text().endswith("…")
