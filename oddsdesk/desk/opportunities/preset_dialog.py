"""Asks which opportunities a preset lists, and what it is called."""

from collections.abc import Container, Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.opportunities.presets import OpportunityFilter, OpportunityPreset
from oddsdesk.desk.ui.controls.bound_spins import bound_spin, given_bound
from oddsdesk.desk.ui.controls.check_list import CheckList
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP

_STATES: Final = ((None, "Any time"), (False, "Before kick-off"), (True, "In play"))
_LEAST_PCT: Final = -10.0
"""Nobody asks for less than what loses so much."""
_MOST_PCT: Final = 1_000.0
_LIST_SIZE: Final = (240, 220)


class PresetDialog(QDialog):
    """A preset to be named and kept; no bookmaker ticked means all of the user's."""

    chosen = Signal(object)
    """The ``OpportunityPreset`` as the user gave it."""

    def __init__(
        self,
        preset: OpportunityPreset,
        bookmakers: Iterable[str],
        taken: Container[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preset of opportunities")
        self._taken = taken
        chosen = preset.filter
        self.name = QLineEdit(preset.name)
        self.name.setMaxLength(60)
        self.least = bound_spin(
            chosen.least_worst, " %", decimals=1, step=0.5, least=_LEAST_PCT, most=_MOST_PCT
        )
        self.most = bound_spin(
            chosen.most_worst, " %", decimals=1, step=0.5, least=_LEAST_PCT, most=_MOST_PCT
        )
        self.state = ChoiceBox()
        for in_play, text in _STATES:
            self.state.addItem(text, in_play)
        self.state.setCurrentIndex([in_play for in_play, _ in _STATES].index(chosen.in_play))
        self.without_too_good = QCheckBox("Without what is &too good to be true")
        self.without_too_good.setToolTip(
            "A price above the window is often a mistake that the bookmaker takes back"
        )
        self.without_too_good.setChecked(chosen.without_too_good)
        names = sorted({*bookmakers, *chosen.bookmakers}, key=str.casefold)
        self.bookmakers = CheckList("Bookmakers", [(n, n) for n in names], chosen.bookmakers)
        self.bookmakers.setMinimumSize(*_LIST_SIZE)
        self._problem = Label(wordWrap=True)
        self._problem.setProperty("variant", "value")
        self._save = QPushButton("Save preset")
        self._save.setProperty("variant", "primary")
        self._lay_out()
        self.name.textChanged.connect(self._check)
        for bound in (self.least, self.most):
            bound.valueChanged.connect(self._check)
        self.bookmakers.itemChanged.connect(self._check)
        self.accepted.connect(lambda: self.chosen.emit(self.preset()))
        self._check()

    @property
    def problem(self) -> str:
        """Why the preset cannot be kept; empty where it can."""
        return self._problem.text()

    def preset(self) -> OpportunityPreset:
        """Return the preset as it is given now."""
        return OpportunityPreset(
            self.name.text().strip(),
            OpportunityFilter(
                in_play=self.state.currentData(),
                least_worst=given_bound(self.least),
                most_worst=given_bound(self.most),
                bookmakers=self.bookmakers.ticked(),
                without_too_good=self.without_too_good.isChecked(),
            ),
        )

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setSpacing(STEP)
        form.addWidget(_label("&Name", self.name), 0, 0)
        form.addWidget(self.name, 0, 1, 1, 3)
        form.addWidget(_label("&When", self.state), 1, 0)
        form.addWidget(self.state, 1, 1, 1, 3)
        form.addWidget(_label("Wo&rst from", self.least), 2, 0)
        form.addWidget(self.least, 2, 1)
        form.addWidget(_label("to", self.most), 2, 2)
        form.addWidget(self.most, 2, 3)
        form.setColumnStretch(1, 1)
        form.setColumnStretch(3, 1)
        note = Label("Nothing ticked means all of your bookmakers.")
        note.setProperty("variant", "note")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self._save, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        whole.setSpacing(STEP)
        whole.addLayout(form)
        of_list = _label("All legs at these &bookmakers", self.bookmakers)
        parts = (self.without_too_good, of_list, self.bookmakers, note, self._problem, buttons)
        for part in parts:
            whole.addWidget(part)

    def _check(self) -> None:
        problem = _problem_of(self.preset(), self._taken)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._save.setEnabled(not problem)


def _problem_of(preset: OpportunityPreset, taken: Container[str]) -> str:
    least, most = preset.filter.least_worst, preset.filter.most_worst
    if not preset.name:
        return "A preset needs a name."
    if preset.name in taken:
        return f"“{preset.name}” is built in; give this one a name of its own."
    if least is not None and most is not None and least > most:
        return f"Nothing lies between {least:g} and {most:g} %."
    if len(preset.filter.bookmakers) == 1:
        return "One bookmaker alone has no opportunity: its legs are at several."
    return ""


def _label(title: str, buddy: QWidget) -> Label:
    label = Label(title)
    label.setBuddy(buddy)
    return label
