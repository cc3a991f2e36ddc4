"""The bars of the Bets tab: what is listed, filter and menus; and the currency of the figures."""

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from oddsdesk.base.texts import _
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.buttons import ChipRow
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.controls.labels import FactsLabel, Label
from oddsdesk.desk.ui.list_panel import line_button
from oddsdesk.desk.ui.theme.theme import Theme, scale_height, scale_most_width

_OWN: Final = _("No currency")
"""The label for bets without a currency."""
_LEAST_WIDTH: Final = 240
_LEAST_FILTER_WIDTH, _FILTER_WIDTH = 110, 200


class CurrencyChoice(QWidget):
    """Chooses the currency of the figures, if there are several; they are never added up."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.chips = ChipRow(_("Currency of the figures"))
        margins = (0, 0, spacing.LEAD, 0)
        spacing.horizontal(self, Label(_("Figures in")), self.chips, margins=margins)
        self.show_currencies([])

    def show_currencies(self, currencies: Iterable[str], shown: str | None = None) -> None:
        """Offer the currencies in the order of their names."""
        chips = sorted(((each, each or _OWN) for each in currencies), key=lambda chip: chip[1])
        self.chips.show_chips(chips)
        if shown is not None and shown != self.chips.chosen_chip:
            self.chips.blockSignals(True)
            self.chips.choose_chip(shown)
            self.chips.blockSignals(False)
        self.setVisible(len(chips) > 1)


class BetsBar(QWidget):
    """The bar above the list: what is listed, filter and menus."""

    filter_changed = Signal(str)

    def __init__(self, theme: Theme, menus: Sequence[tuple[str, str, QMenu]], views: QMenu) -> None:
        """Offer ``menus`` (text, tooltip, menu); ``views`` replaces the list of views if narrow."""
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, spacing.BAR)
        self._facts = FactsLabel()
        self._facts.setProperty("variant", "note")
        self.views = line_button("", _("Choose a view (M)"), views)
        self.views.hide()
        self.filter = FilterEdit(theme, _("Filter your bets"))
        scale_most_width(self.filter, theme, _FILTER_WIDTH)
        self._theme = theme
        self._said, self._figures, self._has_figures = "", "", False
        self.filter.textChanged.connect(self.filter_changed)
        line = spacing.horizontal(
            self, margins=(spacing.LEAD, 0, spacing.LEAD, 0), spacing=spacing.STEP
        )
        line.addWidget(self.views)
        line.addWidget(self._facts, 1)
        line.addWidget(self.filter)
        for text, purpose, menu in menus:
            line.addWidget(line_button(f"{text} ▾", purpose, menu))

    def show_facts(self, text: str) -> None:
        """Show how many bets are listed."""
        self._said = text
        self._fit()

    def show_figures(self, figures: Iterable[str]) -> None:
        """Show as many figures as fit after it, unless they are shown above."""
        self._figures = " · ".join(figures)
        self._fit()

    def stand_in(self, *, figures: bool, views: str) -> None:
        """Replace the figures, and the list of views; ``views`` names the chosen view."""
        self._has_figures = figures
        self.views.setText(f"{views} ▾")
        self.views.setAccessibleName(views)
        self.views.setVisible(bool(views))
        self._fit()

    def _fit(self) -> None:
        """Shrink the filter before the text about the bets."""
        figures = self._figures if self._has_figures else ""
        self._facts.show_text(" · ".join(filter(None, (self._said, figures))))
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
