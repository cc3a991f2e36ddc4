"""The line above the opportunities: which are listed, how many there are, and what would move."""

from collections.abc import Collection, Iterable

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.labels import FactsLabel, SortButton
from oddsdesk.desk.ui.controls.list_bar import ListBar
from oddsdesk.desk.ui.controls.preset_button import PresetButton
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
        self.preset = PresetButton(theme, "Which opportunities are listed (E changes it)")
        self._waiting, self._kept_facts = 0, 1
        self._lay_out()
        self._fit()

    def show_facts(self, text: str, kept: int = 1) -> None:
        """Say how many there are; the first ``kept`` facts stay longer than what buttons say."""
        before = self._facts_width()
        self._kept_facts = kept
        self.facts.show_text(text)
        if self._facts_width() != before:
            self._fit()

    def show_waiting(self, rows: int) -> None:
        """Say how many rows would move if they were sorted; where it is narrow, in fewer words."""
        if rows != self._waiting:
            self._waiting = rows
            self._fit()

    def show_presets(self, names: Iterable[str], current: str, built_in: Collection[str]) -> None:
        """Offer presets."""
        self.preset.show_presets(names, current, built_in)
        self._fit()

    def _fit(self) -> None:
        """Give way where it is narrow: the preset says its name alone, the button to sort less.

        Then facts are left out up to the first, then the preset, which has a key.
        """
        self.sort.setVisible(self._waiting > 0)
        room = self.width() - self._least_width() - spacing.HALF
        first = max(self.facts.minimumSizeHint().width(), self.facts.width_of_first(1))
        for facts in (self._facts_width(), first):
            for sort_in_short, preset_in_short in ((False, False), (False, True), (True, True)):
                self.sort.show_waiting(self._waiting, in_short=sort_in_short)
                self.preset.say_name(in_short=preset_in_short)
                asked = facts + _width(self.preset)
                if self._waiting:
                    asked += _width(self.sort)
                if asked <= room:
                    self.preset.show()
                    return
        self.preset.hide()

    def _facts_width(self) -> int:
        return self.facts.width_of_first(self._kept_facts)

    def _least_width(self) -> int:
        return self.chips.minimumSizeHint().width() + 2 * spacing.LEAD

    def _lay_out(self) -> None:
        line = self.line
        line.addWidget(self.chips)
        line.addSpacing(spacing.HALF)
        line.addWidget(self.facts, 1)
        line.addWidget(self.sort)
        line.addWidget(self.preset)

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _width(part: QWidget) -> int:
    return part.sizeHint().width() + spacing.STEP
