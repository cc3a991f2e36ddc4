"""Presets of lists: the one in use, the user's own, and the dialog to edit one."""

from abc import abstractmethod
from collections.abc import Callable, Container, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

from PySide6 import QtWidgets
from PySide6.QtCore import QObject, Qt, Signal

from oddsdesk.base.texts import _, translated
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.list_panel import ListHeader
from oddsdesk.desk.ui.spacing import MARGIN, STEP, vertical
from oddsdesk.pricing.formats import OddsFormatError


class NamedPreset(Protocol):
    """A filter with a name."""

    @property
    def name(self) -> str: ...


P = TypeVar("P", bound=NamedPreset)


class PresetStore(Protocol[P]):
    """Stores presets and emits ``presets_changed``."""

    @property
    def presets_changed(self) -> Any: ...

    @property
    def presets(self) -> Sequence[P]:
        """All presets, the built-in ones first."""

    def save_preset(self, preset: P) -> None:
        """Save a preset, replacing the user's preset of the same name."""

    def delete_preset(self, name: str) -> None:
        """Delete one of the user's presets."""


class LayoutPresets(QObject, Generic[P]):
    """Presets stored in the layout file."""

    presets_changed = Signal()

    def __init__(
        self, layout: Layout, key: str, built_in: Sequence[P], kind: type[list[P]]
    ) -> None:
        super().__init__()
        self._built_in = built_in
        self._saved = Saved(layout, key, kind, [])
        taken = {preset.name for preset in built_in}
        self._own = {each.name: each for each in self._saved.get_value() if each.name not in taken}

    @property
    def presets(self) -> Sequence[P]:
        return (*self._built_in, *self._own.values())

    def save_preset(self, preset: P) -> None:
        self._own[preset.name] = preset
        self._write()

    def delete_preset(self, name: str) -> None:
        del self._own[name]
        self._write()

    def _write(self) -> None:
        self._saved.keep_value(list(self._own.values()))
        self.presets_changed.emit()


class PresetChoice(QObject, Generic[P]):
    """The preset in use, shown in the header and kept between starts."""

    changed = Signal()
    """Another preset is in use, or the one in use was edited."""

    def __init__(
        self,
        layout: Layout,
        room: str,
        store: PresetStore[P],
        built_in: Sequence[P],
        header: ListHeader,
        dialog: Callable[[P, str, Container[str]], "PresetDialog[P]"],
        owner: QtWidgets.QWidget,
    ) -> None:
        """``room`` is the first part of the saved key and of the actions.

        ``dialog`` makes the dialog from a preset, a suggested name and the names that are taken.
        """
        super().__init__(owner)
        self._layout = layout
        self._key = f"{room}/preset"
        self._store = store
        self._first = built_in[0]
        self._built_in = {preset.name for preset in built_in}
        self._taken = self._built_in | set(map(translated, self._built_in))
        self._header = header
        self._dialog = dialog
        button = header.preset
        button.chosen.connect(self.use_preset)
        button.edit_requested.connect(self.ask_preset)
        button.deletion_requested.connect(self.delete_current)
        add_action(owner, f"{room}.preset", self.ask_preset)
        add_action(owner, f"{room}.delete_preset", self.delete_current)
        store.presets_changed.connect(self._on_store_presets_changed)
        self._show()

    @property
    def preset_names(self) -> list[str]:
        """The names of all presets, the built-in ones first."""
        return [preset.name for preset in self._store.presets]

    @property
    def current_preset(self) -> P:
        """The preset in use; the first one if that was deleted."""
        name = self._layout.get_word(self._key, self._first.name)
        known = {preset.name: preset for preset in self._store.presets}
        return known.get(name, self._first)

    def use_preset(self, name: str) -> None:
        self._layout.keep_word(self._key, name)
        self._on_store_presets_changed()

    def choose_first(self) -> None:
        """Use the first preset, which lists everything."""
        self.use_preset(self._first.name)

    def ask_preset(self) -> None:
        """Open the dialog to edit the preset in use, or a copy of a built-in one."""
        preset = self.current_preset
        is_built_in = preset.name in self._built_in
        name = _own_name(preset.name) if is_built_in else preset.name
        dialog = self._dialog(preset, name, self._taken)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.use_own)
        dialog.open()

    def use_own(self, preset: P) -> None:
        """Save a preset and use it."""
        self._layout.keep_word(self._key, preset.name)
        self._store.save_preset(preset)

    def delete_current(self) -> None:
        """Delete the preset in use, unless it is built in."""
        if self.current_preset.name not in self._built_in:
            self._store.delete_preset(self.current_preset.name)

    def _show(self) -> None:
        self._header.show_presets(self.preset_names, self.current_preset.name, self._built_in)

    def _on_store_presets_changed(self) -> None:
        self._show()
        self.changed.emit()


def _own_name(built_in: str) -> str:
    """Return the name of the user's copy of a built-in preset."""
    shown = translated(built_in)
    is_english = shown == built_in
    return _("My {preset}").format(preset=shown.lower() if is_english else shown)


_TIMES: Final = ((None, _("Any time")), (False, _("Before kick-off")), (True, _("In play")))


class PresetDialog(Dialog, Generic[P]):
    """Edits a preset; subclasses add the fields of the filter."""

    chosen = Signal(object)
    """The preset entered."""

    def __init__(
        self, title: str, name: str, taken: Container[str], parent: QtWidgets.QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._taken = taken
        self.name = QtWidgets.QLineEdit(name)
        self.name.setMaxLength(60)
        self._problem = Label(wordWrap=True)
        self._problem.setProperty("variant", "value")
        self._save = QtWidgets.QPushButton(_("Save preset"))
        self._save.setProperty("variant", "primary")
        self.form = QtWidgets.QGridLayout()
        self.form.setSpacing(STEP)
        self.form.addWidget(label_of(_("&Name"), self.name), 0, 0)
        self.form.addWidget(self.name, 0, 1, 1, 3)
        self.form.setColumnStretch(1, 1)
        self.form.setColumnStretch(3, 1)

    @property
    def problem(self) -> str:
        """Why the preset cannot be saved; empty if it can."""
        return self._problem.text()

    @abstractmethod
    def preset(self) -> P:
        """Return the preset entered.

        Raises:
            OddsFormatError: The odds are not in the odds format in use.
        """

    @abstractmethod
    def _problem_of(self, preset: P) -> str:
        """Return what is wrong with a filter; empty if nothing is."""

    def _lay_out(self, note: str, *parts: QtWidgets.QWidget | QtWidgets.QLayout) -> None:
        """Add parts below the form, then a note, the error and the buttons."""
        told = Label(note)
        told.setProperty("variant", "note")
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self._save, QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        whole = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        for part in (self.form, *parts, told, self._problem, buttons):
            if isinstance(part, QtWidgets.QLayout):
                whole.addLayout(part)
            else:
                whole.addWidget(part)
        self.name.textChanged.connect(self._check)
        self.accepted.connect(lambda: self.chosen.emit(self.preset()))
        self._check()

    def _check(self) -> None:
        try:
            problem = self._problem_now()
        except OddsFormatError as error:
            problem = sentence(translated(str(error)))
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._save.setEnabled(not problem)

    def _problem_now(self) -> str:
        preset = self.preset()
        if not preset.name:
            return _("A preset needs a name.")
        if preset.name in self._taken:
            return _("“{name}” is a built-in preset. Enter another name.").format(
                name=translated(preset.name)
            )
        return self._problem_of(preset)


def time_box(in_play: bool | None) -> ChoiceBox:
    """Return a box to choose games before kick-off, in play, or both."""
    box = ChoiceBox()
    for value, text in _TIMES:
        box.addItem(text, value)
    box.setCurrentIndex([value for value, _ in _TIMES].index(in_play))
    return box


def label_of(title: str, buddy: QtWidgets.QWidget) -> Label:
    """Return the label of a field."""
    label = Label(title)
    label.setBuddy(buddy)
    return label
