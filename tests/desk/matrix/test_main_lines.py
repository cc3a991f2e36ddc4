"""What one acts on is seen at once: the main line first, lines of no use folded."""

from typing import Any

import pytest

from oddsdesk.desk.matrix.layout import SELECTION
from oddsdesk.desk.matrix.model import MatrixModel


@pytest.fixture
def model(quoted: Any) -> MatrixModel:
    quoted.quote(
        "total",
        {
            "Over 1.5": {"Pinnacle": 1.30, "Bovada": 1.28},
            "Under 1.5": {"Pinnacle": 3.60, "Bovada": 3.40},
            "Over 0.5": {"Bovada": 1.05},
            "Under 0.5": {"Bovada": 9.0},
            "Over 3.5": {"Pinnacle": 3.1},
            "Under 3.5": {"Pinnacle": 1.36},
        },
    )
    quoted.load()
    return MatrixModel(quoted.board, quoted.id, quoted.clock)


def titles(model: MatrixModel) -> list[tuple[str, bool]]:
    rows = [row for row in range(model.rowCount()) if model.is_section(row)]
    return [(model.cell(row, SELECTION).text, model.is_folded(row)) for row in rows]


def test_the_main_line_comes_first_and_lines_of_no_use_are_folded(model: MatrixModel) -> None:
    assert titles(model)[2:] == [
        ("Total 2.5", False),
        ("Total 0.5", True),
        ("Total 1.5", False),
        ("Total 3.5", True),
    ]


def test_a_market_that_the_reference_does_not_price_stays_unfolded(model: MatrixModel) -> None:
    assert titles(model)[1] == ("Match result", False)


def test_what_the_user_folds_stays_so(model: MatrixModel, quoted: Any) -> None:
    model.set_folded(0, True)
    row = next(r for r in range(model.rowCount()) if model.cell(r, 0).text == "Total 0.5")
    model.set_folded(row, False)
    model.show_group("totals")
    assert ("Total 0.5", False) in titles(model)
    model.show_group("")
    assert titles(model)[0] == ("Match result", True)


def test_nothing_jumps_when_another_line_becomes_the_main_one(
    model: MatrixModel, quoted: Any
) -> None:
    before = titles(model)
    quoted.quote("total", {"Over 2.5": {"Pinnacle": 1.2}, "Under 2.5": {"Pinnacle": 4.8}})
    quoted.load()
    model.flush_touched()
    assert [title for title, _ in titles(model)] == [title for title, _ in before]


def test_all_sections_fold_and_unfold_at_once(model: MatrixModel) -> None:
    model.fold_all(folded=True)
    assert model.rowCount() == len(titles(model))
    model.fold_all(folded=False)
    assert not any(folded for _, folded in titles(model))
