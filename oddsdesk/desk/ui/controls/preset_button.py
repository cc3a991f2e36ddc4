"""The button above a list that names the preset in use and offers the others."""

from collections.abc import Collection, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.theme.theme import Theme


class PresetButton(QToolButton):
    """Offers presets by name, the built-in ones first."""

    chosen = Signal(str)
    """The name of a preset."""
    edit_requested = Signal()
    deletion_requested = Signal()

    def __init__(self, theme: Theme, tip: str) -> None:
        super().__init__()
        self.setToolTip(tip)
        self.setProperty("variant", "plain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFont(theme.fonts.strong)
        self.presets = QMenu(self)
        self.setMenu(self.presets)
        self._name = ""
        self.say_name(in_short=True)

    def show_presets(self, names: Iterable[str], current: str, built_in: Collection[str]) -> None:
        """Offer presets."""
        self._name = current
        self.setAccessibleName(f"Preset: {current}")
        menu = self.presets
        menu.clear()
        group = QActionGroup(menu)
        own = False
        for name in names:
            if name not in built_in and not own:
                own = True
                menu.addSeparator()
            group.addAction(self._action(name, current))
        menu.addSeparator()
        edit = "Change this preset…" if current not in built_in else "New preset from this…"
        menu.addAction(edit, self.edit_requested.emit)
        delete = menu.addAction("Delete this preset", self.deletion_requested.emit)
        delete.setEnabled(current not in built_in)

    def say_name(self, *, in_short: bool) -> None:
        """Say which preset it is, or ``in_short`` its name alone."""
        self.setText(literal(f"{self._name} ▾" if in_short else f"Preset: {self._name} ▾"))

    def _action(self, name: str, current: str) -> QAction:
        action = self.presets.addAction(literal(name))
        action.setCheckable(True)
        action.setChecked(name == current)
        action.triggered.connect(lambda _checked=False: self.chosen.emit(name))
        return action
