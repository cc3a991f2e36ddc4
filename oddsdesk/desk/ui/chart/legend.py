"""Which line of a chart is which: a piece of each line with its name, in rows that wrap."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from oddsdesk.desk.ui.chart.data import Line
from oddsdesk.desk.ui.chart.painter import ChartPainter
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import HALF, LEAD, STEP

_ICON: Final = QSize(14, 12)


class ChartLegend(QWidget):
    """Names lines; those that may be taken away are buttons that do so."""

    removed = Signal(str)
    """The name of a line to be taken away."""

    def __init__(self, theme: Theme, painter: ChartPainter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._painter = painter
        self._lines: tuple[Line, ...] = ()
        self._removable: tuple[str, ...] = ()
        self._buttons: list[QToolButton] = []
        self.setAccessibleName("Lines of the chart")
        theme.changed.connect(self._make)

    def show_lines(self, lines: Sequence[Line], removable: Sequence[str]) -> None:
        """Name these lines."""
        styles = [(line.name, line.ink, line.stroke) for line in lines]
        shown = [(line.name, line.ink, line.stroke) for line in self._lines]
        changed = styles != shown or tuple(removable) != self._removable
        self._lines, self._removable = tuple(lines), tuple(removable)
        if changed:
            self._make()

    def _make(self) -> None:
        for button in self._buttons:
            button.deleteLater()
        self._buttons = [self._button(line) for line in self._lines]
        self._place()

    def _button(self, line: Line) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("variant", "plain")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFont(self._theme.fonts.small)
        button.setIcon(self._swatch(line))
        button.setIconSize(_ICON)
        button.setText(literal(line.name))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if line.name in self._removable:
            button.setText(literal(f"{line.name} ×"))
            button.setAccessibleName(f"Take {line.name} off the chart")
            button.setToolTip(f"Take {line.name} off the chart")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda: self.removed.emit(line.name))
        button.show()
        return button

    def _swatch(self, line: Line) -> QIcon:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(_ICON * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self._painter.paint_swatch(painter, QPoint(0, _ICON.height() // 2), line)
        painter.end()
        return QIcon(pixmap)

    def _place(self) -> None:
        x, y, height = LEAD - HALF, 0, 0
        for button in self._buttons:
            size = button.sizeHint()
            if x > LEAD and x + size.width() > self.width() - STEP:
                x, y = LEAD - HALF, y + size.height()
            button.setGeometry(x, y, min(size.width(), self.width() - x), size.height())
            x += size.width()
            height = y + size.height()
        self.setFixedHeight(height)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
