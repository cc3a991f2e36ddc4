"""The list below the palette's line: titles, what they are, and their keys."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from oddsdesk.desk.palette.entries import Entry
from oddsdesk.desk.theme.spacing import GAP, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ground, Ink

Index = QModelIndex | QPersistentModelIndex
_ROW = 30
_MOST_ROWS = 12
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole)


class EntriesModel(QAbstractListModel):
    """The entries that answer."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show others."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    # Qt's virtuals

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not 0 <= index.row() < len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.title, entry.note, entry.keys) if part)
        return entry if role == ENTRY_ROLE else None


class EntryDelegate(QStyledItemDelegate):
    """One entry: its title and note, at the right its keys and kind."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry = index.data(ENTRY_ROLE)
        fonts, tokens = self._theme.fonts, self._theme.tokens
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        ground = Ground.SELECTED if is_chosen else Ground.PANEL
        painter.fillRect(option.rect, QColor(tokens.ground(ground)))
        if is_chosen:
            bar = option.rect.adjusted(0, 0, 2 - option.rect.width(), 0)
            painter.fillRect(bar, QColor(tokens.accent))
        area = QRectF(option.rect).adjusted(GAP, 0, -GAP, 0)
        right = f"{entry.keys}   {entry.kind.value}" if entry.keys else entry.kind.value
        area.setRight(area.right() - self._draw(painter, area, right, Ink.NOTE, fonts.small, True))
        area.setRight(area.right() - STEP)
        width = self._draw(painter, area, entry.title, Ink.STRONG, fonts.body, False)
        area.setLeft(area.left() + width + STEP)
        if entry.note and area.width() > 2 * GAP:
            self._draw(painter, area, entry.note, Ink.SOFT, fonts.small, False)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._theme.fonts.row_height(_ROW))

    def _draw(
        self, painter: QPainter, area: QRectF, text: str, ink: Ink, font: QFont, right: bool
    ) -> float:
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(area.width())))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        painter.drawText(area, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
        return float(metrics.horizontalAdvance(shown))


class EntryList(QListView):
    """Floats over the window; the line above keeps the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("What the palette found")
        self.setProperty("look", "floating")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entries = EntriesModel()
        self.setModel(self.entries)
        self.setItemDelegate(EntryDelegate(theme, self))
        self.entered.connect(self.setCurrentIndex)
        self.hide()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show others, the first one chosen."""
        self.entries.show_entries(entries)
        self.setCurrentIndex(self.entries.index(0))

    def chosen(self) -> Entry | None:
        """Return the entry that Enter would take."""
        entry = self.currentIndex().data(ENTRY_ROLE)
        return entry if isinstance(entry, Entry) else None

    def step(self, rows: int) -> None:
        """Choose another entry, round the ends."""
        count = self.entries.rowCount()
        if count:
            self.setCurrentIndex(self.entries.index((self.currentIndex().row() + rows) % count))

    def wanted_height(self) -> int:
        """Return the height that shows the entries, as far as there is sense in it."""
        rows = min(self.entries.rowCount(), _MOST_ROWS)
        return rows * max(1, self.sizeHintForRow(0)) + 2 * self.frameWidth() if rows else 0
