"""A live model whose cells tests change, and a look at its table's pixels."""

from PySide6.QtCore import QModelIndex, QRect
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QTableView

from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, Header
from oddsdesk.desk.ui.table.live_model import Index, LiveModel
from oddsdesk.desk.ui.theme.theme import Theme


class RowsModel(LiveModel):
    """Rows of cells that tests change; a row whose first text starts with # is a section."""

    def __init__(self, rows: list[list[Cell]], titles: list[str]) -> None:
        super().__init__()
        self.rows = rows
        self.titles = titles
        self.asked: list[tuple[int, int]] = []
        self.folded: set[int] = set()

    def column(self, column: int) -> Column:
        return Column("Selection name", Align.LEFT) if column == 0 else Column("88.88")

    def header(self, column: int) -> Header:
        return Header(self.titles[column])

    def cell(self, row: int, column: int) -> Cell:
        self.asked.append((row, column))
        return self.rows[row][column]

    def is_section(self, row: int) -> bool:
        return self.rows[row][0].text.startswith("#")

    def is_folded(self, row: int) -> bool:
        return row in self.folded

    def set_folded(self, row: int, folded: bool) -> None:
        (self.folded.add if folded else self.folded.discard)(row)

    def insert(self, row: int) -> None:
        self.beginInsertRows(QModelIndex(), row, row)
        self.rows.insert(row, [Cell("new") for _ in self.titles])
        self.endInsertRows()

    def put(self, row: int, column: int, cell: Cell) -> None:
        self.rows[row][column] = cell
        self.touch(row, column, row, column)

    def keep(self, rows: int, columns: int) -> None:
        self.beginResetModel()
        self.rows = [row[:columns] for row in self.rows[:rows]]
        self.titles = self.titles[:columns]
        self.endResetModel()

    def append_column(self, title: str) -> None:
        self.beginInsertColumns(QModelIndex(), len(self.titles), len(self.titles))
        self.titles.append(title)
        for row in self.rows:
            row.append(Cell("9.99"))
        self.endInsertColumns()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.titles)


def rows_model(rows: int, columns: int) -> RowsModel:
    return RowsModel(
        [[Cell(f"{row}.{column:02d}") for column in range(columns)] for row in range(rows)],
        [f"Book {column}" for column in range(columns)],
    )


def image_of(view: QTableView) -> QImage:
    return view.viewport().grab().toImage()


def cell_rect(view: QTableView, row: int, column: int) -> QRect:
    return view.visualRect(view.model().index(row, column))


def corner(view: QTableView, row: int, column: int) -> str:
    """The colour of a cell's ground, next to its text."""
    rect = cell_rect(view, row, column)
    return image_of(view).pixelColor(rect.left() + 2, rect.top() + 2).name()


def inked(view: QTableView, row: int, column: int) -> set[str]:
    """Every colour within a cell."""
    rect, image = cell_rect(view, row, column), image_of(view)
    return {
        image.pixelColor(x, y).name()
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    }


def painted_notes(
    model: LiveModel, column: int, theme: Theme, width: int | None = None
) -> list[str]:
    """The notes of a column row by row, empty where there is no room next to the figures.

    The column is as wide as its samples if no ``width`` is given.
    """
    painter = CellPainter(theme, lambda: 0)
    least = painter.least_width(model, column)
    room = painter.note_room(model, column, least if width is None else width)
    needed = QFontMetrics(theme.fonts.small).horizontalAdvance
    notes = [model.cell(row, column).note for row in range(model.rowCount())]
    return [note if needed(note) <= room else "" for note in notes]
