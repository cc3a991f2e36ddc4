"""The competitions of a source to be ticked, found by words."""

from collections.abc import Collection, Sequence
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QVBoxLayout, QWidget

from oddsdesk.contract.live_sources import Choice, LivePlan
from oddsdesk.desk.ui.controls.filter_edit import FilterEdit
from oddsdesk.desk.ui.controls.form_dialog import plain_table
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import STEP
from oddsdesk.interval_words import every

_WIDTHS: Final = {"Competition": 0, "Sport": 150, "Games": 60, "Read": 160}
_READ: Final = 3
_NAME: Final = Qt.ItemDataRole.UserRole


class CompetitionList(QWidget):
    """Shows the choices it is given, in their order; what is ticked stays in sight."""

    changed = Signal()
    """Others are ticked now."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.filter = FilterEdit(theme, "Find a competition")
        self.list = plain_table(theme, "Competitions", _WIDTHS)
        header = self.list.header()
        header.setStretchLastSection(False)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        self.list.headerItem().setTextAlignment(2, right)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.filter.textChanged.connect(self._show_found)
        self.list.itemChanged.connect(self._on_list_item_changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(STEP)
        column.addWidget(self.filter)
        column.addWidget(self.list, 1)
        self.setFocusProxy(self.filter)

    def show_choices(self, choices: Sequence[Choice], ticked: Collection[str]) -> None:
        """Show others; those of ``ticked`` that are among them are ticked."""
        self.list.blockSignals(True)
        self.list.clear()
        self.list.setColumnHidden(_READ, True)
        for choice in choices:
            item = QTreeWidgetItem([choice.title, choice.group, "", ""])
            item.setData(0, _NAME, choice)
            is_ticked = choice.name in ticked
            item.setCheckState(0, _state(is_ticked))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
        self.list.blockSignals(False)
        self.filter.clear()
        if first := self.list.topLevelItem(0):
            self.list.setCurrentItem(first)
        self.changed.emit()

    def ticked(self) -> tuple[str, ...]:
        """Return the names of what is ticked."""
        ticked = Qt.CheckState.Checked
        return tuple(
            item.data(0, _NAME).name for item in self._items() if item.checkState(0) is ticked
        )

    def show_plan(self, plan: LivePlan) -> None:
        """Show how many games there are and how often they will be read, as far as is known."""
        self.list.blockSignals(True)
        self.list.setColumnHidden(_READ, not plan.intervals_s)
        for item in self._items():
            name = item.data(0, _NAME).name
            if name in plan.games:
                item.setText(2, f"{plan.games[name]:,}")
            intervals = plan.intervals_s.get(name)
            item.setText(_READ, every(intervals) if intervals else "")
            item.setToolTip(_READ, item.text(_READ))
        self.list.blockSignals(False)
        self.list.viewport().update()

    def _items(self) -> list[QTreeWidgetItem]:
        rows = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return [item for item in rows if item is not None]

    def _show_found(self) -> None:
        words = self.filter.text().casefold().split()
        for item in self._items():
            choice: Choice = item.data(0, _NAME)
            said = f"{choice.title} {choice.group} {choice.competition} {choice.name}".casefold()
            item.setHidden(not all(word in said for word in words))

    def _on_list_item_changed(self, item: QTreeWidgetItem) -> None:
        if item.checkState(0) is Qt.CheckState.Unchecked:
            self.list.blockSignals(True)
            item.setText(_READ, "")
            self.list.blockSignals(False)
        self.changed.emit()


def _state(is_ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked
