"""The list of views at the left: bets by how they stand, with their numbers, and reports."""

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QWidget

from oddsdesk.desk.bets.views import LISTS, REPORTS, View
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme

_WIDTH = 150


class ViewList(QListWidget):
    """One view is always chosen; arrow keys reach the others."""

    chosen = Signal(str)
    """The key of another view."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName("Views of your bets")
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(0, spacing.STEP, 0, 0)
        self._theme = theme
        self._counts: dict[str, Label] = {}
        for view in LISTS:
            self._add(view)
        self._add_heading("By")
        for view in REPORTS:
            self._add(view)
        theme.changed.connect(self._fit)
        self._fit()
        self.setCurrentRow(0)
        self.currentItemChanged.connect(self._on_current_item_changed)

    @property
    def current(self) -> str:
        """The key of the view that is chosen."""
        item = self.currentItem()
        return LISTS[0].key if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def choose(self, key: str) -> None:
        """Choose a view."""
        for row in range(self.count()):
            if self.item(row).data(Qt.ItemDataRole.UserRole) == key:
                self.setCurrentRow(row)

    def choose_next(self) -> None:
        """Choose the view after the chosen one, round the end."""
        row = (self.currentRow() + 1) % self.count()
        while not self.item(row).flags() & Qt.ItemFlag.ItemIsSelectable:
            row = (row + 1) % self.count()
        self.setCurrentRow(row)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Say how many bets each list has."""
        for key, label in self._counts.items():
            label.setText(f"{counts.get(key, 0):,}" if key in counts else "")

    def _fit(self) -> None:
        """Give the list and its rows the size that texts ask for."""
        fonts = self._theme.fonts
        self.setFixedWidth(fonts.scaled(_WIDTH))
        for item in map(self.item, range(self.count())):
            is_view = bool(item.flags() & Qt.ItemFlag.ItemIsSelectable)
            height = spacing.SECTION_ROW if is_view else spacing.HEADER
            item.setSizeHint(QSize(0, fonts.row_height(height)))

    def _add(self, view: View) -> None:
        item = QListWidgetItem(self)
        item.setData(Qt.ItemDataRole.UserRole, view.key)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, view.title)
        row, count = (
            QWidget(),
            Label(alignment=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
        )
        count.setProperty("variant", "note")
        line = QHBoxLayout(row)
        line.setContentsMargins(spacing.GAP, 0, spacing.GAP, 0)
        line.addWidget(Label(view.title))
        line.addWidget(count)
        self._counts[view.key] = count
        self.setItemWidget(item, row)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(self)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        heading = Label(text)
        heading.setFont(self._theme.fonts.strong)
        heading.setContentsMargins(spacing.GAP, spacing.STEP, spacing.GAP, 0)
        self.setItemWidget(item, heading)

    def _on_current_item_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsSelectable:
            item.setSelected(True)
            self.chosen.emit(self.current)
