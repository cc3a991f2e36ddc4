"""The strip of the odds grid's structured filters: what is active, each with its way out."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from oddsdesk.board.freshness import Freshness
from oddsdesk.desk.models.grid_filter import (
    GridFilter,
    Range,
    chips,
    seconds_text,
    without,
)
from oddsdesk.desk.panels.grid_popups import ChoicePopup, RangePopup
from oddsdesk.desk.theme import spacing
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.plain import Label, literal
from oddsdesk.desk.widgets.scaled import scale_height

_HEIGHT = spacing.CONTROL + 2 * (spacing.STEP - 2)
_SETS = (
    ("sports", "Sport"),
    ("competitions", "Competition"),
    ("markets", "Market"),
    ("periods", "Period"),
    ("bookmakers", "Bookmaker"),
)
_EDGES = (0.0, 1.0, 2.0, 3.0, 5.0)
_AGES_S = (15, 30, 60, 300, 900)

Choices = Callable[[str], Iterable[tuple[str, str]]]
"""The (key, text) that a facet can be filtered by now."""


class GridFilterBar(QWidget):
    """Shows a filter as chips and lets it be changed; the free words are typed elsewhere."""

    filter_changed = Signal(object)
    """Another ``GridFilter`` is wished for, its words as they were."""
    cleared = Signal()
    """Nothing is to be filtered, words included."""

    def __init__(self, theme: Theme, choices: Choices) -> None:
        super().__init__()
        self.setProperty("look", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, _HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._choices = choices
        self._filter = GridFilter()
        self.popup: ChoicePopup | RangePopup | None = None
        self.button = QToolButton()
        self.button.setProperty("look", "chip")
        self.button.setText("Filter")
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.button.setMenu(self._menu())
        self._nothing = Label("Nothing is left out. Filter by sport, bookmaker, EV, age…")
        self._nothing.setProperty("look", "note")
        self._clear = QToolButton()
        self._clear.setProperty("look", "plain")
        self._clear.setText("Clear all")
        self._clear.clicked.connect(self.cleared)
        self.chips: dict[str, QToolButton] = {}
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        self._line.setSpacing(spacing.STEP - 2)
        for widget in (self.button, self._nothing, self._clear):
            self._line.addWidget(widget)
        self._line.addStretch()
        theme.changed.connect(self._restyle)
        self.show_filter(GridFilter())

    def show_filter(self, chosen: GridFilter) -> None:
        """Show what is active."""
        self._filter = chosen
        wanted = dict(chips(chosen))
        for facet in [facet for facet in self.chips if facet not in wanted]:
            chip = self.chips.pop(facet)
            self._line.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for facet, text in wanted.items():
            if facet not in self.chips:
                self.chips[facet] = self._chip(facet)
                self._line.insertWidget(len(self.chips), self.chips[facet])
            self.chips[facet].setText(literal(text))
            self.chips[facet].setAccessibleName(f"Remove the filter: {text}")
            self.chips[facet].setToolTip(f"Remove the filter: {text}")
        self._nothing.setVisible(chosen.is_open)
        self._clear.setVisible(not chosen.is_open)
        self._restyle()

    def _chip(self, facet: str) -> QToolButton:
        chip = QToolButton()
        chip.setProperty("look", "chip")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.clicked.connect(lambda: self.filter_changed.emit(without(self._filter, facet)))
        return chip

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for facet, title in _SETS:
            self._add(menu, f"{title}…", partial(self._choose, facet, title))
        menu.addSeparator()
        self._add_values(
            menu, "In play", "is_live", [("In play", True), ("Before the game", False)]
        )
        edges = menu.addMenu("EV")
        for edge in _EDGES:
            self._add(edges, f"At least {edge:g} %", partial(self._set, "ev", Range(edge)))
        edges.addSeparator()
        self._add(edges, "From … to …", partial(self._type, "ev", "True EV", "%"))
        self._add(menu, "Odds…", partial(self._type, "odds", "Odds", ""))
        ages = [(f"Within {seconds_text(seconds)}", seconds) for seconds in _AGES_S]
        self._add_values(menu, "Seen", "seen_within_s", ages)
        levels = [
            ("Fresh only", Freshness.FRESH),
            ("Fresh or ageing", Freshness.AGEING),
            ("Not dead", Freshness.STALE),
        ]
        self._add_values(menu, "Freshness", "freshness", levels)
        return menu

    def _add_values(
        self, menu: QMenu, title: str, facet: str, values: Iterable[tuple[str, object]]
    ) -> None:
        submenu = menu.addMenu(title)
        for text, value in values:
            self._add(submenu, text, partial(self._set, facet, value))

    def _add(self, menu: QMenu, text: str, act: Callable[[], None]) -> None:
        action = QAction(text, menu)
        action.triggered.connect(lambda _checked=False: act())
        menu.addAction(action)

    def _set(self, facet: str, value: object) -> None:
        changes: dict[str, Any] = {facet: value}
        self.filter_changed.emit(msgspec.structs.replace(self._filter, **changes))

    def _choose(self, facet: str, title: str) -> None:
        chosen = getattr(self._filter, facet)
        offered = list(self._choices(facet))
        popup = ChoicePopup(self, self._theme, title, offered, chosen)
        popup.chosen_changed.connect(lambda keys: self._set(facet, keys))
        self._open(popup)

    def _type(self, facet: str, title: str, unit: str) -> None:
        popup = RangePopup(self, self._theme, title, unit, getattr(self._filter, facet))
        popup.range_chosen.connect(lambda chosen: self._set(facet, chosen))
        self._open(popup)

    def _open(self, popup: ChoicePopup | RangePopup) -> None:
        self.popup = popup
        popup.open_below(self.button)

    def _restyle(self) -> None:
        self.button.setIcon(self._theme.icon("filter", Ink.SOFT))
        for chip in self.chips.values():
            chip.setIcon(self._theme.icon("close", Ink.SOFT))
