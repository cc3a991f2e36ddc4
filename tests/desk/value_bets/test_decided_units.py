"""An EV of which nobody knows how often the stake comes back says so where it is painted (D53)."""

from typing import Any

from pytestqt.qtbot import QtBot

from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.panel import MISSES, ValuesPanel
from tests.kit.live_table import painted_notes
from tests.kit.value_bets import TITLES, be_value

HALF = "Over 2.5"
EV = TITLES.index("EV")
SAID = "EV without pushes, as how often the line pushes is not known"


def selections(model: LiveModel) -> list[str]:
    return [model.cell(row, 0).text for row in range(model.rowCount())]


def told_in_tips(model: LiveModel) -> list[bool]:
    return [SAID in model.tip(row, 0) for row in range(model.rowCount())]


def test_value_bets_mark_what_is_not_of_a_unit_staked(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    be_value(quoted)
    quoted.tell_of_whole_line(2.07)
    model = panel.table.model
    qtbot.waitUntil(lambda: selections(model) == [quoted.WHOLE, HALF])
    width = panel.table.scrolling.columnWidth(EV)
    assert painted_notes(model, EV, theme, width) == ["*", ""]
    assert told_in_tips(model) == [True, False]
    for at in range(2):
        assert f"\nEV {model.cell(at, EV).text}\n" in model.tip(at, 0)
    table = table_of(model)
    per = [column.key for column in table.columns].index("per")
    assert [row[per] for row in table.rows] == ["decided", "staked"]
    quoted.tell_beside_whole_line()
    qtbot.waitUntil(lambda: not any(painted_notes(model, EV, theme, width)))


def test_near_misses_mark_it_too(
    panel: ValuesPanel, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    now = format_ms(quoted.clock.now)
    quoted.board.load_games([Game(quoted.id, quoted.name, "EPL", "Football", None, False, 4, now)])
    quoted.tell("Matchbook", "total", HALF, 2.03)
    quoted.tell_of_whole_line(2.035)
    panel.show_list(MISSES)
    model = panel.misses.model
    qtbot.waitUntil(lambda: selections(model)[:2] == [quoted.WHOLE, HALF], timeout=2_000)
    titles = [model.header(column).title for column in range(model.columnCount())]
    assert painted_notes(model, titles.index("EV"), theme)[:2] == ["*", ""]
    assert told_in_tips(model)[:2] == [True, False]
