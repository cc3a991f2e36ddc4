"""The list of keyboard shortcuts, filtered as you type."""

import sys

from PySide6 import QtWidgets
from PySide6.QtCore import Qt

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.actions import ACTIONS, Action, Where, shown_keys
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.spacing import GAP, STEP, vertical
from oddsdesk.desk.ui.theme.theme import Theme, resize_scaled

_SIZE = (740, 640)


class KeysDialog(Dialog):
    """Lists all actions with their keys, grouped by where they work."""

    def __init__(self, theme: Theme, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Keyboard shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.filter = FilterEdit(theme, _("Filter actions and keys"))
        self.filter.textChanged.connect(self._show_matches)
        self._tree = QtWidgets.QTreeWidget()
        self._tree.setColumnCount(2)
        self._tree.setHeaderHidden(True)
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        self._tree.setAccessibleName(_("Actions and their keys"))
        self._tree.setSelectionMode(QtWidgets.QTreeWidget.SelectionMode.NoSelection)
        header = self._tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QtWidgets.QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QtWidgets.QHeaderView.ResizeMode.Fixed)
        for where in Where:
            self._add(where, theme)
        vertical(self, self.filter, self._tree, margins=(GAP, GAP, GAP, GAP), spacing=STEP)
        self._tree.ensurePolished()  # otherwise rows are measured without the style sheet
        self._tree.expandAll()
        header.resizeSection(1, self._tree.sizeHintForColumn(1))

    def shown(self) -> list[str]:
        """Return the titles that match the filter."""
        return [item.text(0) for item in self._items() if not item.isHidden()]

    def _add(self, where: Where, theme: Theme) -> None:
        actions = [action for action in ACTIONS if action.where is where]
        if not actions:
            return
        top = QtWidgets.QTreeWidgetItem(self._tree, [where.value])
        top.setFont(0, theme.fonts.strong)
        top.setFlags(Qt.ItemFlag.ItemIsEnabled)
        for action in actions:
            QtWidgets.QTreeWidgetItem(top, [action.title.rstrip("…"), _all_keys(action)])

    def _tops(self) -> list[QtWidgets.QTreeWidgetItem]:
        tops = (self._tree.topLevelItem(row) for row in range(self._tree.topLevelItemCount()))
        return [top for top in tops if top is not None]

    def _items(self) -> list[QtWidgets.QTreeWidgetItem]:
        return [item for top in self._tops() for item in _children(top)]

    def _show_matches(self, text: str) -> None:
        words = text.casefold().split()
        for top in self._tops():
            children = _children(top)
            for item in children:
                said = f"{item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in said for word in words))
            top.setHidden(all(item.isHidden() for item in children))


def _children(top: QtWidgets.QTreeWidgetItem) -> list[QtWidgets.QTreeWidgetItem]:
    children = (top.child(row) for row in range(top.childCount()))
    return [child for child in children if child is not None]


def _all_keys(action: Action) -> str:
    written = "   ".join(map(shown_keys, action.keys))
    return written or shown_keys("Ctrl+K") + _(", then its name")


_HEAD = """# Keyboard shortcuts

Looking for API keys? For keys to the server, see [api.md](api.md#keys-and-plans); for keys to odds
sources, [feeds.md](feeds.md).

**F1** or **?** shows this list in the program. **Ctrl+K** finds every action, game, panel, layout
and odds format by name, the last used first. In a text field, keys without Ctrl or Alt type text.

This page is generated: `python -m oddsdesk.desk.shell.key_list > docs/keys.md`.
"""


def keys_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for where in Where:
        actions = [action for action in ACTIONS if action.where is where]
        if actions:
            parts.append(f"\n## {where.value}\n\n| Keys | Action |\n| --- | --- |\n")
            parts += [f"| {_keys(action)} | {action.title.rstrip('…')} |\n" for action in actions]
    return "".join(parts)


def _keys(action: Action) -> str:
    return ", ".join(f"`{keys}`" for keys in action.keys) or "Ctrl+K"


if __name__ == "__main__":
    sys.stdout.write(keys_page())
