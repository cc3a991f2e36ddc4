"""How the matrix shows fair odds of lines that the sharp book does not price itself."""

from typing import Any

import pytest

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.matrix.layout import FAIR, WINDOW
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from tests.kit.matrix import cell_of, column_of, row_of


@pytest.fixture
def model(derived: Any) -> MatrixModel:
    return MatrixModel(derived.board, derived.id, derived.clock)


def fair(model: MatrixModel, selection: str) -> Cell:
    return model.cell(row_of(model, selection), FAIR)


def test_derived_fair_odds_have_a_mark_and_a_colour(model: MatrixModel) -> None:
    assert (fair(model, "X2").text, fair(model, "X2").ink) == ("~1.413", TextRole.DERIVED)
    assert fair(model, "Over 3.5").text == "~3.569"
    assert model.cell(row_of(model, "X2"), WINDOW).ink is TextRole.DERIVED
    own = fair(model, "Draw")
    assert (own.text, own.ink) == ("3.495", TextRole.SOFT)


def test_its_tooltip_says_what_the_odds_rest_on(model: MatrixModel) -> None:
    said = model.tip(row_of(model, "X2"), FAIR)
    assert said.startswith("Implied by the match result\nValue from 1.442")
    said = model.tip(row_of(model, "Over 3.5"), FAIR)
    assert said.startswith(
        "Modelled: the chance is 28.0 %, give or take 1.0 points\nValue from 3.776"
    )
    assert model.tip(row_of(model, "Draw"), FAIR).startswith("Value from")
    said = model.tip(row_of(model, "X2"), column_of(model, "Unibet"))
    assert "value bet: fair odds 1.413 (Pinnacle, implied)" in said


def test_value_is_marked_as_the_board_judges_it(model: MatrixModel, derived: Any) -> None:
    assert cell_of(model, "X2", "Unibet").ground is SurfaceRole.VALUE
    assert cell_of(model, "Over 3.5", "Unibet").ground is SurfaceRole.VALUE
    derived.clock.now += 1
    derived.tell("Unibet", "total", "Over 3.5", 3.72)  # +4.2 %, but not at the end of the band
    model.flush_touched()
    assert cell_of(model, "Over 3.5", "Unibet").ground is SurfaceRole.BEST


def test_they_are_as_old_as_the_prices_that_they_follow_from(
    model: MatrixModel, derived: Any
) -> None:
    derived.clock.now += 11 * MINUTE_MS
    assert fair(model, "X2").is_struck
    assert fair(model, "X2").ink is not TextRole.DERIVED


def test_the_columns_get_room_for_the_mark_once_there_is_one(
    quoted: Any, request: pytest.FixtureRequest
) -> None:
    model = MatrixModel(quoted.board, quoted.id, quoted.clock)
    before = model.column(FAIR).sample
    request.getfixturevalue("derived")
    model.flush_touched()
    assert model.column(FAIR).sample == f"~{before}"
