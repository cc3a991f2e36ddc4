"""The header of a live table: a title and a receding second line, aligned with the column."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.table.cells import Align, Header
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.texts import Laid, TextCache
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole


class LiveHeader(QHeaderView):
    """Paints ``LiveModel.header``; says the width that a title asks for."""

    def __init__(self, theme: Theme, painter: CellPainter, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._cells = painter
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(spacing.STEP)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.restyle()

    def restyle(self) -> None:
        """Take colours and fonts from the theme anew."""
        fonts, tokens = self._theme.fonts, self._theme.tokens
        self._titles = TextCache(fonts.medium)
        self._notes = TextCache(fonts.small)
        self._ground = QColor(tokens.ground(SurfaceRole.RAISED))
        self._line = QColor(tokens.line)
        self._inks = {
            ink: QColor(tokens.ink(ink)) for ink in (TextRole.STRONG, TextRole.SOFT, TextRole.NOTE)
        }
        self.updateGeometry()
        self.geometriesChanged.emit()

    def width_of(self, header: Header) -> int:
        """Return the pixels that a header takes, margins included."""
        title, note = self._titles.lay(header.title).width, self._notes.lay(header.note).width
        return max(title, note) + 2 * spacing.CELL_MARGIN

    def _notes_of(self, model: LiveModel, column: int, header: Header) -> list[str]:
        """Return what may stand below a title, the longest first: what has no room, or its note."""
        missing = 0 if column else len(model.without_room)
        if not missing:
            return [header.note]
        columns = "column" if missing == 1 else "columns"
        return [f"+{missing} {columns}", f"+{missing} more", f"+{missing}"]

    def paint_blank(self, painter: QPainter, rect: QRect) -> None:
        """Paint the header's background beyond the last column."""
        painter.fillRect(rect, self._ground)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self._line)

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        # Not from Qt's own: that asks the model what stands above each column, again and again.
        return QSize(self.length(), self._theme.fonts.scaled(spacing.HEADER))

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self.viewport())
        self.paint_blank(painter, self.viewport().rect())
        painter.end()
        super().paintEvent(event)  # type: ignore[arg-type]

    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        model = self.model()
        assert isinstance(model, LiveModel)
        header = model.header(column)
        self.paint_blank(painter, rect)
        left = rect.left() + (spacing.CELL_MARGIN if column else spacing.LEAD)
        room = rect.right() + 1 - spacing.CELL_MARGIN - left
        is_left = model.column(column).align is Align.LEFT
        is_whole = not header.code or self._titles.lay(header.title).width <= room
        title = self._titles.fit(header.title if is_whole else header.code, room)
        # half a note says nothing; the tooltip says it whole
        notes = map(self._notes.lay, filter(None, self._notes_of(model, column, header)))
        note = next((laid for laid in notes if laid.width <= room), None)
        widest = max(title.width, 0 if note is None else note.width)
        # Over figures, not over what stands beside them, where there is room.
        room = max(widest, room - self._cells.note_room(model, column, rect.width()))
        heights = self._titles.height + (self._notes.height if note is not None else 0)
        y = rect.top() + (rect.height() - heights) // 2

        def place(cache: TextCache, laid: Laid, top: int) -> None:
            painter.setFont(cache.font)
            x = left if is_left else left + room - laid.width
            painter.drawStaticText(x, top, laid.static)

        painter.setPen(self._inks[TextRole.STRONG if header.is_marked else TextRole.SOFT])
        place(self._titles, title, y)
        if note is not None:
            painter.setPen(self._inks[TextRole.NOTE])
            place(self._notes, note, y + self._titles.height)
