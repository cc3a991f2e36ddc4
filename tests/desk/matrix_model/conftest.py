"""What tests of the matrix model share: the model of a quoted game, read by names."""

from typing import Any

import pytest

from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER, SELECTION
from oddsdesk.desk.matrix.model import MatrixModel


@pytest.fixture
def model(quoted: Any) -> MatrixModel:
    return MatrixModel(quoted.board, quoted.id, quoted.clock)


def texts(model: MatrixModel, column: int = SELECTION) -> list[str]:
    return [model.cell(row, column).text for row in range(model.rowCount())]


def row_of(model: MatrixModel, selection: str) -> int:
    return texts(model).index(selection)


def column_of(model: MatrixModel, bookmaker: str) -> int:
    return FIRST_BOOKMAKER + model.bookmakers.index(bookmaker)


def cell_of(model: MatrixModel, selection: str, bookmaker: str) -> Any:
    return model.cell(row_of(model, selection), column_of(model, bookmaker))
