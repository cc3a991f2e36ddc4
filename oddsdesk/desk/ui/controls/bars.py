"""A line of figures, each with its title above and what it is of below."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.spacing import BAR, LEAD, STEP
from oddsdesk.desk.ui.theme.theme import Theme, scale_height

_LEAST: Final = 118


class Fact(NamedTuple):
    """A figure with what it is of."""

    title: str
    figure: str
    detail: str


class FactsBar(QWidget):
    """Shows as many of the figures as there is room for, the first ones first.

    Where that is not all with what they are of, the tooltip has them.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._line = spacing.horizontal(
            self,
            margins=(spacing.LEAD, spacing.STEP, spacing.LEAD, spacing.STEP),
            spacing=spacing.MARGIN,
        )
        self._line.addStretch(1)
        self._tiles: list[_Tile] = []

    def fill_facts(self, facts: Sequence[Fact]) -> None:
        """Show these figures in place of those before."""
        while len(self._tiles) < len(facts):
            tile = _Tile(self._theme, is_first=not self._tiles)
            self._line.insertWidget(len(self._tiles), tile)
            self._tiles.append(tile)
        for tile in self._tiles[len(facts) :]:
            tile.setParent(None)
            tile.deleteLater()
        del self._tiles[len(facts) :]
        for tile, fact in zip(self._tiles, facts, strict=True):
            tile.show_fact(fact)
        self._fit()

    def texts(self) -> list[tuple[str, str, str]]:
        """Return what the figures say: title, figure, detail."""
        return [tile.texts() for tile in self._tiles]

    def _fit(self) -> None:
        """Give all figures the same minimum width, else the width that each needs.

        If that is too much, only the first ones keep their notes. The height stays, so that the
        rows below do not move away from under the pointer.
        """
        room, least = self.width() - 2 * spacing.LEAD, self._theme.fonts.scaled(_LEAST)
        whole = [tile.needs(with_detail=True) for tile in self._tiles]
        short = [tile.needs(with_detail=False) for tile in self._tiles]
        spare = room - spacing.MARGIN * (len(self._tiles) - 1)
        even = [max(width, least) for width in whole]
        is_cut = sum(whole) > spare
        widths = even if sum(even) <= spare else short if is_cut else whole
        spare -= sum(short)
        for tile, width, long, brief in zip(self._tiles, widths, whole, short, strict=True):
            says_all = not is_cut or long - brief <= spare
            if is_cut and says_all:
                width, spare = long, spare - (long - brief)
            tile.show_detail(says_all)
            tile.setMinimumWidth(width)
            tile.setVisible(room >= width)
            room -= width + spacing.MARGIN
        told = (tile.accessibleName() for tile in self._tiles)
        self.setToolTip("\n".join(told) if is_cut else "")

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        """Return the room of the first figure: those shown before it grew narrow would hold it."""
        least = self._tiles[0].minimumWidth() + 2 * spacing.LEAD if self._tiles else 0
        return QSize(least, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:  # texts have their fonts once they are shown
            self._fit()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class _Tile(QFrame):
    """A figure with its title above and what it is of below."""

    def __init__(self, theme: Theme, *, is_first: bool) -> None:
        super().__init__()
        self._is_first = is_first
        self._title, self._figure, self._detail = Label(), Label(), Label()
        for label in (self._title, self._detail):
            label.setProperty("variant", "note")
            label.setFont(theme.fonts.small)
        self._figure.setFont(theme.fonts.title)
        line = spacing.horizontal(self, spacing=spacing.MARGIN)
        if not is_first:
            rule = QFrame()
            rule.setProperty("variant", "rule")
            rule.setFixedWidth(1)
            line.addWidget(rule)
        column = spacing.vertical(spacing=0)
        for label in (self._title, self._figure, self._detail):
            column.addWidget(label)
        column.addStretch(1)
        line.addLayout(column)

    def show_fact(self, fact: Fact) -> None:
        """Show another figure."""
        self._title.setText(fact.title)
        self._figure.setText(fact.figure)
        self._detail.setText(fact.detail)
        self.setAccessibleName(f"{fact.title}: {fact.figure} {fact.detail}".rstrip())

    def needs(self, *, with_detail: bool) -> int:
        """Return the pixels that it takes, with or without what the figure is of."""
        labels = (self._title, self._figure, *((self._detail,) if with_detail else ()))
        gap = 0 if self._is_first else 1 + spacing.MARGIN
        widest: int = max(label.sizeHint().width() for label in labels)
        return widest + gap

    def show_detail(self, shown: bool) -> None:
        """Show or hide the figure's note; its line stays reserved."""
        lines = 2 * self._title.sizeHint().height() + self._figure.sizeHint().height()
        if lines != self.minimumHeight():
            self.setMinimumHeight(lines)
        if self._detail.isHidden() is shown:
            self._detail.setVisible(shown)

    def texts(self) -> tuple[str, str, str]:
        """Return what it says."""
        return self._title.text(), self._figure.text(), self._detail.text()


class ListBar(QWidget):
    """Holds controls in a ``line``, and asks its panel for a height only.

    What is laid out has its parent laid out, up to the window, whether or not it takes another
    room: a button that comes, goes or counts further did so several times a second. So the bar has
    no layout; it gives the line its room by itself.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, BAR)
        self._room = QWidget(self)
        self.line = spacing.horizontal(self._room, margins=(LEAD, 0, LEAD, 0), spacing=STEP)

    def bar_parts(self) -> list[QWidget]:
        """Return what stands in the line, hidden parts too."""
        return self._room.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._room.setGeometry(self.rect())
