"""The matrix's model read by names, and what is written on its panel."""

from typing import Any

from PySide6.QtWidgets import QLabel

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER, SELECTION
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.controls.messages import Placeholder

LIVE = Connection(link=Link.LIVE)


def said(panel: MatrixPanel, kind: type[Placeholder]) -> str:
    """Every text on show in a part of the panel."""
    part = panel.findChild(kind)
    if part is None or not part.isVisible():
        return ""
    return " ".join(label.text() for label in part.findChildren(QLabel) if label.isVisible())


def header_texts(panel: MatrixPanel) -> list[str]:
    return [label.text() for label in panel.header.findChildren(QLabel) if label.isVisible()]


def texts(model: MatrixModel, column: int = SELECTION) -> list[str]:
    return [model.cell(row, column).text for row in range(model.rowCount())]


def row_of(model: MatrixModel, selection: str) -> int:
    return texts(model).index(selection)


def column_of(model: MatrixModel, bookmaker: str) -> int:
    return FIRST_BOOKMAKER + model.shown_bookmakers.index(bookmaker)


def cell_of(model: MatrixModel, selection: str, bookmaker: str) -> Any:
    return model.cell(row_of(model, selection), column_of(model, bookmaker))
