"""Views of the odds grid that are kept under names: filter, columns, sorting and shape."""

from functools import partial

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from oddsdesk.desk.grid.filter import GridFilter
from oddsdesk.desk.grid.view import GridView, KeptView
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.controls.plain import literal

_KEY = "grid/views"


class NamedView(msgspec.Struct, frozen=True):
    """What a name stands for."""

    view: KeptView
    filter: GridFilter


class GridViews(QObject):
    """Fills the menu of a button with the user's views, and keeps them between starts."""

    wanted = Signal(object)
    """A ``NamedView`` that is to be shown."""

    def __init__(self, button: MenuButton, view: GridView, layout: Layout, owner: QWidget) -> None:
        super().__init__(owner)
        self._button = button
        self._view = view
        self._owner = owner
        self._saved = Saved(layout, _KEY, dict[str, NamedView], {})
        self._kept = dict(self._saved.get())
        self._filter = GridFilter()
        self._fill()

    @property
    def names(self) -> list[str]:
        """The names of the views that are kept."""
        return sorted(self._kept, key=str.casefold)

    def note_filter(self, chosen: GridFilter) -> None:
        """Take the filter that a view is saved with."""
        self._filter = chosen

    def save(self, name: str) -> None:
        """Keep what is shown now under a name; one of the same name is replaced."""
        if name := name.strip():
            self._put(self._kept | {name: NamedView(self._view.present(), self._filter)})

    def delete(self, name: str) -> None:
        """Keep a view no longer."""
        self._put({kept: view for kept, view in self._kept.items() if kept != name})

    def ask_name(self) -> None:
        """Ask under which name to keep what is shown now."""
        dialog = QInputDialog(self._owner)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Save view")
        dialog.setLabelText("Name of the view; one of the same name is replaced:")
        dialog.textValueSelected.connect(self.save)
        dialog.open()

    def _put(self, views: dict[str, NamedView]) -> None:
        self._kept = views
        self._saved.put(views)
        self._fill()

    def _fill(self) -> None:
        menu = self._button.menu_shown
        menu.clear()
        for name in self.names:
            view = self._kept[name]
            menu.addAction(literal(name), partial(self.wanted.emit, view))
        menu.addSeparator()
        menu.addAction("Save view…", self.ask_name)
        if self._kept:
            deletions = menu.addMenu("Delete")
            for name in self.names:
                deletions.addAction(literal(name), partial(self.delete, name))
