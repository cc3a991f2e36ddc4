"""Asks how a file's odds are written, where nothing in it tells."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, note
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import AMERICAN, DECIMAL, STYLES, OddsFormatError, parse_odds

_WIDTH: Final = 420


class OddsDialog(FormDialog):
    """Shows what one of the odds is worth by each way of writing them."""

    chosen = Signal(str)
    """The style of ``pricing.formats``."""

    def __init__(self, theme: Theme, file: str, sample: str, parent: QWidget) -> None:
        super().__init__(theme, "Import bets", parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self.styles = ChoiceBox()
        for style in sorted(STYLES, key=lambda each: each not in (AMERICAN, DECIMAL)):
            if (worth := _worth(sample, style)) is not None:
                said = style.replace("_", " ").capitalize()
                self.styles.addItem(f"{said}: {sample} is {worth:.6g} decimal", style)
        self.form.addRow(
            Label(f"{file} has odds such as {sample}. How are they written?", wordWrap=True)
        )
        self.add_row("&Odds", self.styles)
        self.below.addWidget(note("A column called American odds or Decimal odds tells.", theme))
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.read = self.buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        self.read.setProperty("variant", "primary")
        self.read.setEnabled(self.styles.count() > 0)
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)
        self.close_form()

    def _on_buttons_accepted(self) -> None:
        self.chosen.emit(self.styles.currentData())
        self.accept()


def _worth(sample: str, style: str) -> float | None:
    try:
        return parse_odds(sample, style)
    except OddsFormatError:
        return None
