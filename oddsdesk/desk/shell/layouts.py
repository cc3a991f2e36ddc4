"""Named layouts of the panels: saved, restored, exported and imported."""

import base64
import binascii
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog

from oddsdesk.base.files import whole_file
from oddsdesk.base.system_errors import file_error_text
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.desk.settings.saved_state import LAYOUT_VERSION, Layout, Saved
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.controls.buttons import MenuButton
from oddsdesk.desk.ui.controls.dialogs import keep_on_screen
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.labels import literal

_KEY = "layouts/named"
_CURRENT = "layouts/current"
_FILE_KIND = "oddsdesk layout"
MOST_BYTES = 1_000_000
"""Larger files are no layouts."""
_LONGEST_NAME = 40

_log = logging.getLogger(__name__)


class LayoutError(ValueError):
    """A layout cannot be read or saved; one line with the reason."""


class NamedLayout(msgspec.Struct, frozen=True):
    """A named arrangement of the docks, as saved by Qt."""

    name: str
    docks: bytes

    def to_text(self) -> str:
        """Return it as the text of a file."""
        return json.dumps(_record(self) | {"kind": _FILE_KIND}, indent=2) + "\n"

    @staticmethod
    def from_text(text: str) -> "NamedLayout":
        """Parse the text of a file.

        Raises:
            LayoutError: It holds no layout of this version.
        """
        try:
            record = json.loads(text)
        except ValueError as error:
            raise LayoutError(
                N_("expected a layout as JSON: {error}").format(error=error)
            ) from error
        if not isinstance(record, dict) or record.get("kind") != _FILE_KIND:
            raise LayoutError(N_('expected a layout file, with "kind": "oddsdesk layout"'))
        return _from_record(record)


class Layouts(QObject):
    """The user's layouts by name, kept between starts."""

    changed = Signal()

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self._saved = Saved(layout, _KEY, list[dict[str, object]], [])
        self._named = {named.name: named for named in _readable(self._saved.get_value())}

    @property
    def layout_names(self) -> list[str]:
        return sorted(self._named, key=str.casefold)

    @property
    def current_layout(self) -> str:
        """The layout used or saved last; empty for none."""
        name = self._layout.get_word(_CURRENT, "")
        return name if name in self._named else ""

    def __getitem__(self, name: str) -> NamedLayout:
        return self._named[name]

    def save_layout(self, named: NamedLayout) -> None:
        """Save a layout under its name and make it the current one.

        Raises:
            LayoutError: The name is empty or too long.
        """
        check_name(named.name)
        self._named[named.name] = named
        self.choose_layout(named.name)

    def choose_layout(self, name: str) -> None:
        """Make a layout the current one; empty for none."""
        self._layout.keep_word(_CURRENT, name)
        self._keep()

    def delete_layout(self, name: str) -> None:
        self._named.pop(name, None)
        self._keep()

    def _keep(self) -> None:
        records = [_record(self._named[name]) for name in self.layout_names]
        self._saved.keep_value(records)
        self.changed.emit()


def check_name(name: str) -> None:
    """Raise ``LayoutError`` if the name is invalid."""
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        raise LayoutError(
            N_("expected a name of 1 to {longest_name} characters, got {name!r}").format(
                longest_name=_LONGEST_NAME, name=name[:60]
            )
        )


def _record(named: NamedLayout) -> dict[str, object]:
    docks = base64.b64encode(named.docks).decode("ascii")
    return {"name": named.name, "version": LAYOUT_VERSION, "docks": docks}


def _from_record(record: dict[str, object]) -> NamedLayout:
    name, docks = record.get("name"), record.get("docks")
    if record.get("version") != LAYOUT_VERSION:
        version = record.get("version")
        raise LayoutError(
            N_("expected a layout of version {layout_version}, got {version!r}").format(
                layout_version=LAYOUT_VERSION, version=version
            )
        )
    if not isinstance(name, str) or not isinstance(docks, str):
        raise LayoutError(N_("expected a layout with a name and docks, both strings"))
    check_name(name)
    try:
        return NamedLayout(name, base64.b64decode(docks, validate=True))
    except binascii.Error as error:
        raise LayoutError(N_("expected docks in Base64: {error}").format(error=error)) from error


def _readable(records: Iterable[dict[str, object]]) -> Iterator[NamedLayout]:
    for record in records:
        try:
            yield _from_record(record)
        except LayoutError as error:
            _log.warning("a saved layout is skipped: %s", error)


_FILES = _("Layouts (*.json)")
_NO_LAYOUT: Final = _("No saved layout is in use. Switch to the one you want to delete.")
_IDENTS = ("layout.save", "layout.delete", "layout.first", "layout.export", "layout.import")


class LayoutButton(MenuButton):
    """Shows the current layout and offers the others."""

    def __init__(self, window: MainWindow, layouts: Layouts, actions: Actions) -> None:
        super().__init__(_("Layout"), tells_purpose=True)
        self.setToolTip(_("Switch to a saved arrangement of the panels, or save this one"))
        self._window = window
        self._layouts = layouts
        self._actions = actions
        acts = (self._ask_name, self._delete, self._take_first, self._ask_target, self._ask_source)
        for ident, act in zip(_IDENTS, acts, strict=True):
            actions.bind(ident, act)
        layouts.changed.connect(self._show)
        self._show()

    def take_layout(self, name: str) -> None:
        """Apply a layout."""
        if not self._window.arrange(self._layouts[name].docks):
            self._window.show_message(
                _("The layout {name} is damaged. Delete it and save it again.").format(name=name)
            )
            return
        self._layouts.choose_layout(name)

    def save_layout(self, name: str) -> None:
        """Save the current arrangement under a name."""
        docks = self._window.arrangement()
        self._try(lambda: self._layouts.save_layout(NamedLayout(name.strip(), docks)))

    def export_to(self, path: Path) -> None:
        """Write the current arrangement to a file."""
        name = self._layouts.current_layout or _("Layout")
        named = NamedLayout(name, self._window.arrangement())
        self._try(lambda: self._write(named, path))

    def import_from(self, path: Path) -> None:
        """Read a layout from a file and apply it."""
        self._try(lambda: self._read(path))

    def _write(self, named: NamedLayout, path: Path) -> None:
        with whole_file(path) as file:
            file.write(named.to_text().encode())

    def _read(self, path: Path) -> None:
        if path.stat().st_size > MOST_BYTES:
            raise LayoutError(N_("this file is too large for a layout"))
        try:
            named = NamedLayout.from_text(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise LayoutError(N_("expected a layout file in UTF-8")) from error
        self._layouts.save_layout(named)
        self.take_layout(named.name)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (LayoutError, OSError) as error:
            self._window.show_message(
                _("Layout: {error}").format(error=translated(file_error_text(error))),
                icon="warning",
            )

    def _show(self) -> None:
        current, menu = self._layouts.current_layout, self.menu_shown
        self.show_value(current)
        menu.clear()
        for name in self._layouts.layout_names:
            choice = menu.addAction(literal(name))
            choice.setCheckable(True)
            choice.setChecked(name == current)
            choice.triggered.connect(lambda _checked=False, n=name: self.take_layout(n))
        menu.addSeparator()
        for ident in _IDENTS:
            menu.addAction(self._actions[ident])
        if current:
            self._actions.allow("layout.delete")
        else:
            tell = partial(self._window.show_message, _NO_LAYOUT)
            self._actions.refuse("layout.delete", _NO_LAYOUT, tell)

    def _delete(self) -> None:
        if self._layouts.current_layout:
            self._layouts.delete_layout(self._layouts.current_layout)

    def _take_first(self) -> None:
        self._window.arrange_first()
        self._layouts.choose_layout("")

    def _ask_name(self) -> None:
        dialog = QInputDialog(self._window)
        keep_on_screen(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(_("Save layout"))
        dialog.setLabelText(_("Name (replaces a layout of the same name):"))
        dialog.setTextValue(self._layouts.current_layout)
        dialog.textValueSelected.connect(self.save_layout)
        dialog.open()

    def _ask_target(self) -> None:
        dialog = self._file_dialog(_("Export layout"), QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile(f"{self._layouts.current_layout or 'layout'}.json")
        dialog.fileSelected.connect(lambda chosen: self.export_to(Path(chosen)))
        dialog.open()

    def _ask_source(self) -> None:
        dialog = self._file_dialog(_("Import layout"), QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(lambda chosen: self.import_from(Path(chosen)))
        dialog.open()

    def _file_dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = file_dialog(self._window, title)
        dialog.setNameFilter(_FILES)
        dialog.setAcceptMode(mode)
        return dialog
