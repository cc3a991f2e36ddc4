"""The line above the opportunities: which are listed, how many there are, and what would move."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent

from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.labels import FactsLabel, SortButton
from oddsdesk.desk.ui.controls.list_bar import ListBar
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme


class OpportunitiesHeader(ListBar):
    """Asks for the room of the chips alone: what it says of rows would widen the window."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.chips = ChipRow("Which opportunities are listed")
        self.facts = FactsLabel()
        self.facts.setProperty("variant", "note")
        self.sort = SortButton()
        self._waiting = 0
        self._lay_out()
        self.show_waiting(0)

    def show_waiting(self, rows: int) -> None:
        """Say how many rows would move if they were sorted; where it is narrow, in fewer words."""
        self._waiting = rows
        self.sort.setVisible(rows > 0)
        self.sort.show_waiting(rows)
        beside = self._least_width() + spacing.HALF + 2 * spacing.STEP
        beside += max(self.facts.minimumSizeHint().width(), self.facts.width_of_first(1))
        if self.width() < beside + self.sort.sizeHint().width():
            self.sort.show_waiting(rows, in_short=True)

    def _least_width(self) -> int:
        return self.chips.minimumSizeHint().width() + 2 * spacing.LEAD

    def _lay_out(self) -> None:
        line = self.line
        line.addWidget(self.chips)
        line.addSpacing(spacing.HALF)
        line.addWidget(self.facts, 1)
        line.addWidget(self.sort)

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_waiting(self._waiting)
