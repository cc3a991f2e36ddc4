"""Asks which value bets a preset shows, and what it is called."""

from collections.abc import Container, Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.markets import MARKET_TYPES, market_title
from oddsdesk.desk.ui.controls.bound_spins import ANY, bound_spin, given_bound
from oddsdesk.desk.ui.controls.check_list import CheckList
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.number_fields import DecimalSpin
from oddsdesk.desk.ui.controls.odds_edit import OddsEdit
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.scaling import inset
from oddsdesk.desk.ui.formatting import typed_text
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.ledger.presets import Preset, ValueFilter
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.rules import MAX_EV

_STATES: Final = ((None, "Any time"), (False, "Before kick-off"), (True, "In play"))
_LIST_SIZE: Final = (168, 220)


class PresetDialog(QDialog):
    """A preset to be named and kept; nothing ticked in a list means all of it."""

    chosen = Signal(object)
    """The ``Preset`` as the user gave it."""

    def __init__(
        self,
        preset: Preset,
        bookmakers: Iterable[str],
        competitions: Iterable[str],
        taken: Container[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Preset of value bets")
        self._taken = taken
        chosen = preset.filter
        self.name = QLineEdit(preset.name)
        self.name.setMaxLength(60)
        self.sports = CheckList("Sports", [(s, sport_title(s)) for s in SPORTS], chosen.sports)
        markets = [(market, market_title(market)) for market in MARKET_TYPES]
        self.markets = CheckList("Markets", markets, chosen.market_types)
        codes = sorted({*competitions, *chosen.competitions}, key=str.casefold)
        self.competitions = CheckList(
            "Competitions", [(code, code) for code in codes], chosen.competitions
        )
        names = sorted({*bookmakers, *chosen.bookmakers}, key=str.casefold)
        self.bookmakers = CheckList("Bookmakers", [(n, n) for n in names], chosen.bookmakers)
        self.ev = inset(DecimalSpin(decimals=1, least=-100, most=MAX_EV, step=0.5))
        self.ev.setSuffix(" %")
        self.ev.setValue(chosen.min_true_ev)
        self.most_ev = bound_spin(chosen.max_true_ev, " %", decimals=1, step=0.5, most=MAX_EV)
        self.least = OddsEdit("Odds from", chosen.min_odds, ANY)
        self.most = OddsEdit("Odds to", chosen.max_odds, ANY)
        self.hours = bound_spin(chosen.max_hours_ahead, " h", decimals=1, step=1, most=10_000)
        self.age = bound_spin(chosen.max_age_s, " s", decimals=0, step=10, most=86_400)
        self.limit = bound_spin(chosen.min_limit, "", decimals=0, step=10, most=10_000_000)
        self.state = ChoiceBox()
        for in_play, text in _STATES:
            self.state.addItem(text, in_play)
        self.state.setCurrentIndex([in_play for in_play, _ in _STATES].index(chosen.in_play))
        self._problem = Label(wordWrap=True)
        self._problem.setProperty("variant", "value")
        self._save = QPushButton("Save preset")
        self._save.setProperty("variant", "primary")
        self._lay_out()
        self._connect()
        self._check()

    @property
    def problem(self) -> str:
        """Why the preset cannot be kept; empty where it can."""
        return self._problem.text()

    def preset(self) -> Preset:
        """Return the preset as it is given now.

        Raises:
            OddsFormatError: what stands for odds is none of the style of the desk.
        """
        return Preset(
            self.name.text().strip(),
            ValueFilter(
                sports=self.sports.ticked(),
                market_types=self.markets.ticked(),
                bookmakers=self.bookmakers.ticked(),
                min_true_ev=self.ev.value(),
                min_odds=self.least.odds(),
                max_odds=self.most.odds(),
                in_play=self.state.currentData(),
                competitions=self.competitions.ticked(),
                max_true_ev=given_bound(self.most_ev),
                max_hours_ahead=given_bound(self.hours),
                min_limit=given_bound(self.limit),
                max_age_s=given_bound(self.age),
            ),
        )

    def _lay_out(self) -> None:
        form = QGridLayout()
        form.setSpacing(STEP)
        fields: tuple[tuple[str, QWidget], ...] = (
            ("True &EV from", self.ev),
            ("to", self.most_ev),
            ("&Odds from", self.least),
            ("to", self.most),
            ("&When", self.state),
            ("Begins &within", self.hours),
            ("&Seen within", self.age),
            ("Bookmaker takes at &least", self.limit),
        )
        form.addWidget(_label("&Name", self.name), 0, 0)
        form.addWidget(self.name, 0, 1, 1, 3)
        for place, (title, field) in enumerate(fields):
            row, column = divmod(place, 2)
            form.addWidget(_label(title, field), row + 1, 2 * column)
            form.addWidget(field, row + 1, 2 * column + 1)
        form.setColumnStretch(1, 1)
        form.setColumnStretch(3, 1)
        lists = QGridLayout()
        lists.setSpacing(STEP)
        titled = (
            ("Sports", self.sports),
            ("Competitions", self.competitions),
            ("Markets", self.markets),
            ("Bookmakers", self.bookmakers),
        )
        for column, (title, widget) in enumerate(titled):
            lists.addWidget(_label(title, widget), 0, column)
            lists.addWidget(widget, 1, column)
            widget.setMinimumSize(*_LIST_SIZE)
        note = Label("Nothing ticked means all.")
        note.setProperty("variant", "note")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self._save, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        whole.setSpacing(STEP)
        whole.addLayout(form)
        whole.addLayout(lists)
        for part in (note, self._problem, buttons):
            whole.addWidget(part)

    def _connect(self) -> None:
        for edit in (self.name, self.least, self.most):
            edit.textChanged.connect(self._check)
        for bound in (self.ev, self.most_ev):
            bound.valueChanged.connect(self._check)
        self.accepted.connect(lambda: self.chosen.emit(self.preset()))

    def _check(self) -> None:
        try:
            problem = _problem_of(self.preset(), self._taken)
        except OddsFormatError as error:
            problem = sentence(str(error))
        self._problem.setText(problem)
        self._problem.setVisible(bool(self._problem.text()))
        self._save.setEnabled(not self._problem.text())


def _problem_of(preset: Preset, taken: Container[str]) -> str:
    chosen = preset.filter
    if not preset.name:
        return "A preset needs a name."
    if preset.name in taken:
        return f"“{preset.name}” is built in; give this one a name of its own."
    least, most = chosen.min_odds, chosen.max_odds
    if least is not None and most is not None and least > most:
        return f"No odds lie between {typed_text(least)} and {typed_text(most)}."
    if chosen.max_true_ev is not None and chosen.min_true_ev > chosen.max_true_ev:
        return f"No true EV lies between {chosen.min_true_ev:g} and {chosen.max_true_ev:g} %."
    return ""


def _label(title: str, buddy: QWidget) -> Label:
    label = Label(title)
    label.setBuddy(buddy)
    return label
