"""The grid marks an EV of which nobody knows how often the stake comes back (D53)."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.grid import BOOKMAKER, SELECTION, shown, take_in
from tests.kit.live_table import painted_notes

EV = BY_KEY["ev_pct"]
SAID = "EV without pushes, as how often the line pushes is not known"


def show_all(model: GridModel, qtbot: QtBot) -> None:
    """Take in what was told, rows that are new too."""
    take_in(model, qtbot)
    model.arrange()


@pytest.mark.parametrize("odds", [1.99, 2.06, 2.6], ids=["no value", "value", "doubtful"])
def test_an_ev_of_a_decided_unit_is_marked(
    model: GridModel, quoted: Any, theme: Theme, qtbot: QtBot, odds: float
) -> None:
    quoted.tell_of_whole_line(odds)

    def marked() -> list[tuple[str, str]]:
        marks = painted_notes(model, EV, theme)
        named = shown(model, SELECTION, BOOKMAKER)
        return [name for name, mark in zip(named, marks, strict=True) if mark == "*"]

    show_all(model, qtbot)
    assert marked() == [(quoted.WHOLE, "Matchbook")]
    rows = range(model.rowCount())
    assert [row for row in rows if SAID in model.tip(row, EV)] == [
        shown(model, SELECTION, BOOKMAKER).index((quoted.WHOLE, "Matchbook"))
    ]
    quoted.tell_beside_whole_line()
    show_all(model, qtbot)
    assert marked() == []


def test_the_best_of_a_game_is_marked_where_it_is_of_a_decided_unit(
    model: GridModel, quoted: Any, theme: Theme, qtbot: QtBot
) -> None:
    model.show_as(Shape.SELECTIONS, grouped=True)
    quoted.tell_of_whole_line(2.06)
    show_all(model, qtbot)
    assert painted_notes(model, EV, theme)[0] == "*"
    assert model.cell(0, EV).text == "+3.0 %"
    quoted.tell("Matchbook", "total", "Over 2.5", 2.07)
    show_all(model, qtbot)
    assert model.cell(0, EV).text == "+3.5 %"
    assert painted_notes(model, EV, theme)[0] == ""
