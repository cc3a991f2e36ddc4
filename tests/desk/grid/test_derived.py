"""How the odds grid shows and filters lines that the sharp book does not price itself."""

import msgspec
import pytest

from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.filter import GridFilter
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.theme.tokens import TextRole
from tests.kit.grid import SELECTION, shown

DERIVED = {"1X", "X2", "Over 3.5", "Under 3.5"}


@pytest.fixture
def model(derived, qtbot):
    derived.board.keep_all_rows(True)
    made = GridModel(derived.board, derived.clock)
    derived.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: made.total == 22)
    made.arrange()
    yield made
    made.stop_listening()


def cell(model: GridModel, selection: str, key: str) -> Cell:
    return model.cell(shown(model, SELECTION).index(selection), BY_KEY[key])


def exported(model: GridModel, selection: str, key: str) -> object:
    row = shown(model, SELECTION).index(selection)
    return COLUMNS[BY_KEY[key]].export_value(model.entry(row))


def test_derived_fair_odds_have_the_mark_of_the_matrix(model):
    assert cell(model, "X2", "fair_odds")[:2] == ("~1.413", TextRole.DERIVED)
    assert cell(model, "Draw", "fair_odds")[:2] == ("3.495", TextRole.SOFT)
    assert [cell(model, name, "derived").text for name in ("X2", "Over 3.5", "Draw")] == [
        "implied",
        "modelled",
        "",
    ]
    assert [cell(model, name, "band_pct").text for name in ("X2", "Over 3.5")] == ["", "±3.9"]
    assert exported(model, "Over 3.5", "band_pct") == 3.85
    assert exported(model, "Over 3.5", "derived") == "modelled"
    row = shown(model, SELECTION).index("X2")
    assert "Implied by the match result" in model.tip(row, SELECTION)


@pytest.mark.parametrize(
    ("chosen", "left"), [("all", DERIVED), ("implied", ["1X", "X2"]), ("none", [])]
)
def test_lines_are_filtered_by_how_their_fair_odds_are_derived(model, chosen, left):
    model.show(GridFilter(derived=chosen))
    found = shown(model, SELECTION)
    assert set(found) & DERIVED == set(left)
    assert "Draw" in found


def test_the_filter_is_saved_with_a_view_and_offered_in_the_bar(panel, derived):
    (menu,) = (
        action.menu()
        for action in panel.filters.button.menu().actions()
        if action.text() == "Derived fair odds"
    )
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Implied and modelled", "Implied only", "None"]
    menu.actions()[1].trigger()
    assert panel.filters.chips["derived"].text() == "Derived: implied only"
    saved = msgspec.json.encode(GridFilter(derived="implied"))
    assert msgspec.json.decode(saved, type=GridFilter).derived == "implied"
