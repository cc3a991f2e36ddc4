"""The line above the bets: what is shown, which currency, the filter, and what can be done."""

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.filter_edit import FilterEdit
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.scaling import scale_height, scale_most_width
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme

OWN: Final = "own money"
"""What the user's own currency is called."""
_LEAST_WIDTH: Final = 240
_LEAST_FILTER_WIDTH, _FILTER_WIDTH = 110, 200


class BetsBar(QWidget):
    """Tells what the user wants to see."""

    filter_changed = Signal(str)
    currency_chosen = Signal(str)

    def __init__(self, theme: Theme, menus: Sequence[tuple[str, str, QMenu]]) -> None:
        """Offer ``menus``: text, what it is for, and the menu."""
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, spacing.BAR)
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "note")
        self._currencies = ChipRow("Currency of the bets")
        self._currencies.chosen.connect(self.currency_chosen)
        self.filter = FilterEdit(theme, "Filter your bets")
        scale_most_width(self.filter, theme, _FILTER_WIDTH)
        self._theme = theme
        self._said = ""
        self.filter.textChanged.connect(self.filter_changed)
        line = QHBoxLayout(self)
        line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        line.setSpacing(spacing.STEP)
        line.addWidget(self._currencies)
        line.addWidget(self._facts, 1)
        line.addWidget(self.filter)
        for text, purpose, menu in menus:
            line.addWidget(_menu_button(text, purpose, menu))
        self.show_currencies([])

    def show_facts(self, text: str) -> None:
        """Say how many bets are shown."""
        self._said = text
        self._facts.show_text(text)
        self._fit()

    def show_currencies(self, currencies: Iterable[str]) -> None:
        """Offer the currencies where there are several: they are never summed."""
        chips = [(each, each or OWN) for each in currencies]
        self._currencies.show_chips(chips)
        self._currencies.setVisible(len(chips) > 1)
        self._fit()

    def _fit(self) -> None:
        """Let the filter give way before what is said of the bets is cut."""
        parts = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        fixed = [p for p in parts if p not in (self._facts, self.filter) and not p.isHidden()]
        others = sum(part.sizeHint().width() for part in fixed)
        others += self._theme.fonts.scaled(_LEAST_FILTER_WIDTH)
        room = self.width() - 2 * spacing.LEAD - others - (len(fixed) + 1) * spacing.STEP
        wanted = self._facts.width_of(self._said)
        self._facts.setMinimumWidth(wanted if wanted <= room else 0)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())


def _menu_button(text: str, purpose: str, menu: QMenu) -> QToolButton:
    button = QToolButton()
    button.setText(f"{text} ▾")
    button.setToolTip(purpose)
    button.setAccessibleName(text)
    button.setProperty("variant", "plain")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setMenu(menu)
    return button
