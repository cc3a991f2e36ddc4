"""The line above the value bets: which list, how many, sorting, stakes, bet and preset."""

from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.labels import FactsLabel, SortButton
from oddsdesk.desk.ui.controls.list_bar import ListBar
from oddsdesk.desk.ui.controls.preset_button import PresetButton
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.presets import Preset

BETS: Final = "bets"
MISSES: Final = "misses"
_LEAST_WIDTH: Final = 240
"""A window that is too small cuts the line, rather than to grow beyond the screen."""


class _SortSays(Enum):
    """What the button says of rows that would move, from the widest to none at all."""

    ALL = auto()
    HOW_MANY = auto()
    NOTHING = auto()


class ValuesHeader(ListBar):
    """Says what is listed; tells what the user wants of it."""

    list_chosen = Signal(str)
    """``BETS`` or ``MISSES``."""
    sort_requested = Signal()
    stakes_requested = Signal()
    preset_chosen = Signal(str)
    """The name of a preset."""
    preset_edit_requested = Signal()
    preset_deletion_requested = Signal()

    def __init__(self, theme: Theme, bet_menu: QMenu) -> None:
        super().__init__(theme)
        self._facts, self._kept_facts = FactsLabel(), 0
        self._facts.setProperty("variant", "note")
        self.chips = ChipRow("Which prices are listed")
        self.chips.show_chips([(BETS, "Value bets"), (MISSES, "Nearest misses")])
        self.chips.chosen.connect(self.list_chosen)
        self._sort = SortButton()
        self._sort.clicked.connect(self.sort_requested)
        self._stakes = _button("Stakes…", "Bankroll, share of Kelly, cap, limit, rounding")
        self._stakes.clicked.connect(self.stakes_requested)
        self._bet = _button("Bet ▾", "What can be done with the selected bet")
        self._bet.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._bet.setMenu(bet_menu)
        self._preset = PresetButton(theme, "Which value bets are listed")
        self.preset_menu = self._preset.presets
        self._preset.chosen.connect(self.preset_chosen)
        self._preset.edit_requested.connect(self.preset_edit_requested)
        self._preset.deletion_requested.connect(self.preset_deletion_requested)
        self._lists_bets = True
        self._waiting, self._sort_says = 0, _SortSays.ALL
        self._lay_out()
        self.show_waiting(0)

    def show_facts(self, text: str, kept: int = 2) -> None:
        """Say how many rows there are and by what they were chosen.

        The first ``kept`` facts stay longer than buttons that have a key.
        """
        before = self._facts.width_of_first(self._kept_facts)
        self._kept_facts = kept
        self._facts.show_text(text)
        if self._facts.width_of_first(kept) != before:
            self._fit()

    def show_waiting(self, rows: int) -> None:
        """Say how many rows would move if they were sorted."""
        is_other = (self._waiting > 0) != (rows > 0)
        self._waiting = rows
        if self._say_waiting() or is_other:
            self._fit()

    def _say_waiting(self) -> bool:
        in_short = self._sort_says is not _SortSays.ALL
        return self._sort.show_waiting(self._waiting, in_short=in_short)

    def show_list(self, which: str) -> None:
        """Offer what goes with a list."""
        self._lists_bets = which == BETS
        self._preset.setVisible(self._lists_bets)
        self._fit()

    def show_presets(self, presets: Iterable[Preset], current: str, built_in: set[str]) -> None:
        """Offer presets, the built-in ones first."""
        self._preset.show_presets([preset.name for preset in presets], current, built_in)
        self._fit()

    def _fit(self) -> None:
        """Give way where it is narrow: "Preset" before its name, then the stakes (K opens them).

        Then the rows that would move say less, then nothing (S sorts them), so that nothing lies
        upon another, and how many bets there are and what is staked stays in sight.
        """
        stakes = _width(self._stakes)
        facts = self._facts.width_of_first(self._kept_facts)
        most = self.width() - 2 * spacing.LEAD - spacing.HALF - facts
        for self._sort_says in _SortSays:
            self._say_waiting()
            has_sort = self._waiting > 0 and self._sort_says is not _SortSays.NOTHING
            shown = [self.chips, self._bet, *([self._sort] if has_sort else [])]
            room = most - sum(map(_width, shown))
            self._preset.say_name(in_short=False)
            if self._lists_bets and room < _width(self._preset) + stakes:
                self._preset.say_name(in_short=True)
            if room >= (_width(self._preset) if self._lists_bets else 0):
                break
        self._sort.setVisible(has_sort)
        self._stakes.setVisible(self._lists_bets and room >= _width(self._preset) + stakes)

    def _lay_out(self) -> None:
        line = self.line
        line.addWidget(self.chips)
        line.addSpacing(spacing.HALF)
        line.addWidget(self._facts, 1)
        line.addWidget(self._sort)
        line.addWidget(self._bet)
        line.addWidget(self._stakes)
        line.addWidget(self._preset)

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _width(part: QWidget) -> int:
    return part.sizeHint().width() + spacing.STEP


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text.rstrip(" ▾…") or tip)
    button.setProperty("variant", "plain")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
