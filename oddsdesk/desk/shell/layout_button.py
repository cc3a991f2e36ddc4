"""The choice of a layout in the top bar: take, save, delete, pass on."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog

from oddsdesk.desk.settings.saved_state import LAYOUT_VERSION
from oddsdesk.desk.shell.layouts import MOST_BYTES, LayoutError, Layouts, NamedLayout
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.whole_files import whole_file

_FILES = "Layouts (*.json)"
_IDENTS = ("layout.save", "layout.delete", "layout.first", "layout.export", "layout.import")


class LayoutButton(MenuButton):
    """Names the layout that was taken last and offers the others."""

    def __init__(self, window: MainWindow, layouts: Layouts, actions: Actions) -> None:
        super().__init__("Layout", tells_purpose=True)
        self._window = window
        self._layouts = layouts
        self._actions = actions
        acts = (self._ask_name, self._delete, self._take_first, self._ask_target, self._ask_source)
        for ident, act in zip(_IDENTS, acts, strict=True):
            actions.bind(ident, act)
        layouts.changed.connect(self._show)
        self._show()

    def take(self, name: str) -> None:
        """Arrange the window as a layout says."""
        if not self._window.restoreState(self._layouts[name].docks, LAYOUT_VERSION):
            self._window.say(f"The layout {name} is damaged: delete it and save it anew.")
            return
        self._layouts.choose(name)

    def save(self, name: str) -> None:
        """Keep how the window is arranged now under a name."""
        docks = self._docks()
        self._try(lambda: self._layouts.save(NamedLayout(name.strip(), docks)))

    def export_to(self, path: Path) -> None:
        """Write the window's arrangement to a file."""
        name = self._layouts.current or "Layout"
        named = NamedLayout(name, self._docks())
        self._try(lambda: self._write(named, path))

    def import_from(self, path: Path) -> None:
        """Read a layout from a file and take it."""
        self._try(lambda: self._read(path))

    def _docks(self) -> bytes:
        return bytes(self._window.saveState(LAYOUT_VERSION).data())

    def _write(self, named: NamedLayout, path: Path) -> None:
        with whole_file(path) as file:
            file.write(named.to_text().encode())

    def _read(self, path: Path) -> None:
        if path.stat().st_size > MOST_BYTES:
            raise LayoutError("expected a layout file, this one is too long")
        try:
            named = NamedLayout.from_text(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise LayoutError("expected a layout file, in UTF-8") from error
        self._layouts.save(named)
        self.take(named.name)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except (LayoutError, OSError) as error:
            self._window.say(f"Layout: {error}", icon="warning")

    def _show(self) -> None:
        current, menu = self._layouts.current, self.menu_shown
        self.show_value(current)
        menu.clear()
        for name in self._layouts.names:
            choice = menu.addAction(literal(name))
            choice.setCheckable(True)
            choice.setChecked(name == current)
            choice.triggered.connect(lambda _checked=False, n=name: self.take(n))
        menu.addSeparator()
        for ident in _IDENTS:
            menu.addAction(self._actions[ident])
        self._actions["layout.delete"].setEnabled(bool(current))

    def _delete(self) -> None:
        if self._layouts.current:
            self._layouts.delete(self._layouts.current)

    def _take_first(self) -> None:
        self._window.arrange_first()
        self._layouts.choose("")

    def _ask_name(self) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Save layout")
        dialog.setLabelText("Name of the layout; one of the same name is replaced:")
        dialog.setTextValue(self._layouts.current)
        dialog.textValueSelected.connect(self.save)
        dialog.open()

    def _ask_target(self) -> None:
        dialog = self._file_dialog("Export layout", QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile(f"{self._layouts.current or 'layout'}.json")
        dialog.fileSelected.connect(lambda chosen: self.export_to(Path(chosen)))
        dialog.open()

    def _ask_source(self) -> None:
        dialog = self._file_dialog("Import layout", QFileDialog.AcceptMode.AcceptOpen)
        dialog.fileSelected.connect(lambda chosen: self.import_from(Path(chosen)))
        dialog.open()

    def _file_dialog(self, title: str, mode: QFileDialog.AcceptMode) -> QFileDialog:
        dialog = QFileDialog(self._window, title, filter=_FILES)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(mode)
        return dialog
