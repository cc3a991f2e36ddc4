"""Which preset lists the opportunities: chosen, made, changed and deleted."""

from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.opportunities.header import OpportunitiesHeader
from oddsdesk.desk.opportunities.presets import BUILT_IN, OpportunityPreset
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action

_CHOSEN_KEY: Final = "opportunities/preset"
_OWN_KEY: Final = "opportunities/presets"
_BUILT_IN: Final = {preset.name for preset in BUILT_IN}


class PresetChoice(QObject):
    """The preset in use, which ``header`` names; what is chosen is there at the next start."""

    changed = Signal()

    def __init__(
        self,
        layout: Layout,
        header: OpportunitiesHeader,
        bookmakers: Callable[[], Iterable[str]],
        owner: QWidget,
    ) -> None:
        """Keep it in ``layout``; ``bookmakers`` are those that a preset may name."""
        super().__init__(owner)
        self._layout = layout
        self._saved = Saved(layout, _OWN_KEY, list[OpportunityPreset], [])
        self._header = header
        self._bookmakers = bookmakers
        self._owner = owner
        self._own = {each.name: each for each in self._saved.get() if each.name not in _BUILT_IN}
        button = header.preset
        button.chosen.connect(self.choose)
        button.edit_requested.connect(self.ask)
        button.deletion_requested.connect(self.delete)
        add_action(owner, "opportunities.preset", self.ask)
        add_action(owner, "opportunities.delete_preset", self.delete)
        self._show()

    @property
    def names(self) -> list[str]:
        """The names of all presets, the built-in ones first."""
        return [*(preset.name for preset in BUILT_IN), *self._own]

    @property
    def current(self) -> OpportunityPreset:
        """The preset in use; the first where it is there no more."""
        name = self._layout.get(_CHOSEN_KEY, BUILT_IN[0].name)
        known = {preset.name: preset for preset in BUILT_IN} | self._own
        return known.get(name, BUILT_IN[0])

    def choose(self, name: str) -> None:
        """Use a preset."""
        self._layout.put(_CHOSEN_KEY, name)
        self._show()
        self.changed.emit()

    def choose_first(self) -> None:
        """Use the one that lists everything."""
        self.choose(BUILT_IN[0].name)

    def ask(self) -> None:
        """Ask how the preset in use is to be; a built-in one is the start of another."""
        from oddsdesk.desk.opportunities.preset_dialog import PresetDialog  # noqa: PLC0415 - late

        preset = self.current
        name = f"My {preset.name.lower()}" if preset.name in _BUILT_IN else preset.name
        start = OpportunityPreset(name, preset.filter)
        dialog = PresetDialog(start, self._bookmakers(), _BUILT_IN, self._owner)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._on_dialog_chosen)
        dialog.open()

    def delete(self) -> None:
        """Forget the preset in use, unless it is built in."""
        if self._own.pop(self.current.name, None) is not None:
            self._saved.put(list(self._own.values()))
            self.choose_first()

    def _show(self) -> None:
        self._header.show_presets(self.names, self.current.name, _BUILT_IN)

    def _on_dialog_chosen(self, preset: OpportunityPreset) -> None:
        self._own[preset.name] = preset
        self._saved.put(list(self._own.values()))
        self.choose(preset.name)
