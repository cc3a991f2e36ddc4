"""A row of chips of which one is chosen."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.theme.tokens import STEP


class ChipRow(QWidget):
    """Chips by key; one is always chosen while there are any. Tab and the arrow keys reach them."""

    chosen = Signal(str)
    """The key of a chip that the user chose."""

    def __init__(self, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(purpose)
        self._chips: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(STEP - 2)

    @property
    def current(self) -> str | None:
        """The key of the chosen chip, None where there are no chips."""
        return next((key for key, chip in self._chips.items() if chip.isChecked()), None)

    def show_chips(self, chips: Sequence[tuple[str, str]]) -> None:
        """Show these (key, text); the choice stays where its key does, else it is the first.

        Chips that are shown already are not made anew, so nothing moves under the pointer.
        """
        if [key for key, _ in chips] == list(self._chips):
            return
        current = self.current
        for chip in self._chips.values():
            self._group.removeButton(chip)
            self._line.removeWidget(chip)
            chip.deleteLater()
        self._chips = {key: self._chip(key, text) for key, text in chips}
        wanted = self._chips.get(current or "") or next(iter(self._chips.values()), None)
        if wanted is not None:
            wanted.setChecked(True)

    def choose(self, key: str) -> None:
        """Choose a chip as if it had been clicked."""
        self._chips[key].click()

    def choose_next(self) -> None:
        """Choose the chip after the chosen one, round the end."""
        keys = list(self._chips)
        if self.current is not None:
            self.choose(keys[(keys.index(self.current) + 1) % len(keys)])

    def _chip(self, key: str, text: str) -> QToolButton:
        chip = QToolButton(self)
        chip.setText(literal(text))
        chip.setCheckable(True)
        chip.setProperty("variant", "chip")
        chip.setAccessibleName(text)
        chip.clicked.connect(lambda: self.chosen.emit(key))
        self._group.addButton(chip)
        self._line.addWidget(chip)
        return chip
