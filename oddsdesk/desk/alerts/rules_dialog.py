"""Edits the file of rules, which `oddsdesk watch` reads, too; a wrong one is not saved."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from oddsdesk.board.alerts.rules import RulesFileError, decode_rules
from oddsdesk.desk.ui.controls.form_dialog import note
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.whole_files import whole_file

EXAMPLE: Final = """\
# What to tell of, where to, and when not. `oddsdesk watch --rules FILE` reads the same.
quiet = ["23:00", "07:00"]     # by the local clock; leave it out for none
most_per_hour = 20

[[rules]]
kind = "value"
preset = "Before kick-off"
least_ev = 2

[[rules]]
kind = "arbitrage"
least = 1

[[rules]]
kind = "kick-off"              # of a game on which you have a bet
minutes = 10

[[rules]]
kind = "connection"
seconds = 30

# [[rules]]
# kind = "target"
# game = "Everton vs Liverpool"
# market = "moneyline"
# selection = "Everton"
# odds = 3.4

# [[rules]]
# kind = "steam"
# groups = 3
# points = 2
# minutes = 5

# [[channels]]                 # oddsdesk watch --set-channel phone
# name = "phone"
# kind = "ntfy"
"""
_KINDS: Final = (
    "A rule is a [[rules]] with a kind: value, target, arbitrage, steam, kick-off or connection. "
    "T on a price adds a target here. oddsdesk watch tells by the same file."
)
_SIZE: Final = (640, 520)


class RulesDialog(QDialog):
    """Shows the rules, or an example where there are none."""

    saved = Signal()

    def __init__(self, path: Path, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Alerts")
        self.resize(*_SIZE)
        self._path = path
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Rules")
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        fixed.setPointSizeF(theme.fonts.body.pointSizeF())
        self.text.setFont(fixed)
        self.problem = Label(wordWrap=True)
        self.problem.setProperty("variant", "down")
        buttons = QDialogButtonBox()
        self.save = buttons.addButton(QDialogButtonBox.StandardButton.Save)
        self.save.setProperty("variant", "primary")
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(STEP)
        for part in (note(_KINDS, theme), self.text, self.problem, buttons):
            column.addWidget(part)
        self.text.setPlainText(self._kept())
        self.text.textChanged.connect(self._check)
        self._check()

    def _kept(self) -> str:
        try:
            return self._path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return EXAMPLE

    def _check(self) -> None:
        try:
            decode_rules(self.text.toPlainText().encode())
        except RulesFileError as error:
            self.problem.setText(str(error))
        else:
            self.problem.clear()
        self.problem.setVisible(bool(self.problem.text()))
        self.save.setEnabled(not self.problem.text())

    def _save(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(self._path) as file:
                file.write(self.text.toPlainText().encode())
        except OSError as error:
            self.problem.setText(f"The rules are not kept: {error.strerror or error}")
            self.problem.show()
            return
        self.saved.emit()
        self.accept()
