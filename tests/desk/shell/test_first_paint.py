"""The first prices that are painted are told once: what waits for the window begins then."""

from pytestqt.qtbot import QtBot

from oddsdesk.base.clock import system_clock
from oddsdesk.desk.shell.docks import FirstPaint
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.live_table import RowsModel


def table(qtbot: QtBot, theme: Theme, *rows: str) -> LiveTable:
    model = RowsModel([[Cell(row)] for row in rows], ["Selection"])
    made = LiveTable(theme, model, system_clock)
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_first_rows_are_told_and_no_later_ones(qtbot: QtBot, theme: Theme) -> None:
    first_paint, told = FirstPaint(), []
    first_paint.painted.connect(lambda: told.append(1))
    shown = table(qtbot, theme, "Over 2.5")
    with qtbot.waitSignal(first_paint.painted, timeout=30_000):
        first_paint.watch(shown)
        shown.scrolling.viewport().update()
    other = table(qtbot, theme, "Under 2.5")
    first_paint.watch(other)
    for each in (shown, other):
        each.scrolling.viewport().repaint()
    qtbot.wait(1)
    assert told == [1]


def test_a_table_without_rows_shows_no_prices(qtbot: QtBot, theme: Theme) -> None:
    first_paint, told = FirstPaint(), []
    first_paint.painted.connect(lambda: told.append(1))
    shown = table(qtbot, theme)
    first_paint.watch(shown)
    shown.scrolling.viewport().repaint()
    qtbot.wait(1)
    assert told == []
