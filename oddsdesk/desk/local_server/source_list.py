"""Sources of live odds to choose from: each says what it has, whether it needs a key, its cost."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from oddsdesk.contract.live_sources import LiveSource
from oddsdesk.desk.ui.controls.row_ground import paint_row_ground
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, STEP, TextRole

OTHER: Final = LiveSource(
    "",
    "Other…",
    "A program, a WebSocket, another package",
    "",
    parts="NAME:WHAT?option=value&… as on the command line",
)
"""What is typed as on the command line."""
_SOURCE: Final = int(Qt.ItemDataRole.UserRole)


class SourceList(QListWidget):
    """Shows the sources that it is given; one of them is chosen."""

    source_chosen = Signal(object)
    """A ``LiveSource``."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName("Where live odds come from")
        self._delegate = _SourceDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.currentItemChanged.connect(self._on_current_item_changed)

    def show_sources(self, sources: Sequence[LiveSource]) -> None:
        """Show the sources, and below them what can only be typed; none is chosen yet."""
        self.clear()
        for source in (*sources, OTHER):
            item = QListWidgetItem(source.title)
            item.setData(_SOURCE, source)
            spoken = (source.title, source.summary, needs_of(source))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ". ".join(filter(None, spoken)))
            self.addItem(item)

    def choose(self, name: str) -> None:
        """Choose a source by its name, if it is there; anew, if it is chosen already."""
        for row in range(self.count()):
            if self.item(row).data(_SOURCE).name == name:
                self.setCurrentRow(-1)
                self.setCurrentRow(row)

    def _on_current_item_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.source_chosen.emit(item.data(_SOURCE))


def needs_of(source: LiveSource) -> str:
    """Return whether a source needs a key, and what it costs, in one line."""
    if source is OTHER:
        return ""
    return f"{'Your key' if source.key else 'No key'} · {source.costs}"


class _SourceDelegate(QStyledItemDelegate):
    """Title, what it has, and what it needs, below each other."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    # Qt's virtuals

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        source: LiveSource = index.data(_SOURCE)
        fonts, tokens = self._theme.fonts, self._theme.tokens
        painter.save()
        paint_row_ground(painter, option, tokens)
        area = QRectF(option.rect).adjusted(GAP, STEP, -STEP, 0)
        self._line(painter, area, source.title, fonts.strong, TextRole.STRONG)
        self._line(painter, area, source.summary, fonts.small, TextRole.SOFT)
        self._line(painter, area, needs_of(source), fonts.small, TextRole.NOTE)
        painter.restore()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        source: LiveSource = index.data(_SOURCE)
        fonts = self._theme.fonts
        small = QFontMetrics(fonts.small).height() + HALF
        lines = 1 if source is OTHER else 2
        return QSize(0, QFontMetrics(fonts.strong).height() + HALF + lines * small + 2 * STEP)

    def _line(self, painter: QPainter, area: QRectF, text: str, font: QFont, ink: TextRole) -> None:
        """Draw a line and take its room from the area."""
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), shown)
        area.setTop(area.top() + metrics.height() + HALF)
