"""The column chooser of every table: tick what is shown, drag it where it shall stand."""

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt, Signal

from oddsdesk.base.texts import _
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.buttons import Popup
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_KEY = Qt.ItemDataRole.UserRole
_IS_FAVOURITE = Qt.ItemDataRole.UserRole + 1
_WIDTH, _MOST_HEIGHT = 280, 480


class ColumnChoice(NamedTuple):
    """A column that can be shown, hidden and moved."""

    key: Hashable
    title: str
    is_shown: bool
    tip: str = ""
    is_favourite: bool = False


class ColumnChooser(Popup):
    """Lists columns in their present order; each tick and each move counts at once."""

    columns_changed = Signal(list, object)
    """All keys listed in the order wished for, and a frozenset of those that are shown."""
    favourites_changed = Signal(object)
    """A frozenset of the keys that are favourites."""
    reset_requested = Signal()

    def __init__(
        self,
        parent: QtWidgets.QWidget,
        theme: Theme,
        choices: Sequence[ColumnChoice],
        *,
        has_favourites: bool = False,
    ) -> None:
        super().__init__(parent, _("Columns: tick to show, drag to move"))
        self._theme = theme
        self._row = theme.fonts.row_height(spacing.SECTION_ROW)
        self.search = FilterEdit(theme, _("Find a column"))
        self.list = QtWidgets.QListWidget()
        self.list.setAccessibleName(_("Columns"))
        self.list.setDragDropMode(QtWidgets.QAbstractItemView.DragDropMode.InternalMove)
        self.all = QtWidgets.QPushButton(_("All"))
        self.none = QtWidgets.QPushButton(_("None"))
        self.favourite = QtWidgets.QPushButton(_("Favourite"))
        self.favourite.setCheckable(True)
        self.favourite.setToolTip(_("Favourites come first, with a star"))
        self.reset = QtWidgets.QPushButton(_("Reset columns"))
        for choice in choices:
            self._add(choice)
        self._lay_out()
        self.favourite.setVisible(has_favourites)
        self._connect()
        self.search.setFocus()

    def _add(self, choice: ColumnChoice) -> None:
        item = QtWidgets.QListWidgetItem(choice.title, self.list)
        item.setData(_KEY, choice.key)
        item.setSizeHint(QSize(0, self._row))
        item.setToolTip(choice.tip)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDropEnabled)
        item.setCheckState(_state(choice.is_shown))
        self._star(item, choice.is_favourite)

    def _star(self, item: QtWidgets.QListWidgetItem, is_favourite: bool) -> None:
        item.setData(_IS_FAVOURITE, is_favourite)
        if is_favourite:
            item.setIcon(self._theme.icon("star-filled", TextRole.ACCENT))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, _("{text}, favourite").format(text=item.text())
            )
        else:
            item.setData(Qt.ItemDataRole.DecorationRole, None)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, item.text())

    def _lay_out(self) -> None:
        line = spacing.horizontal(spacing=spacing.STEP)
        for button in (self.all, self.none, self.favourite):
            line.addWidget(button)
        self.column.addWidget(self.search)
        self.column.addWidget(self.list)
        self.column.addLayout(line)
        self.column.addWidget(self.reset)
        scaled = self._theme.fonts.scaled
        self.setFixedWidth(scaled(_WIDTH))
        height = self.list.count() * self._row + spacing.STEP
        self.list.setFixedHeight(min(scaled(_MOST_HEIGHT), height))

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.lead_to(self.list)
        self.list.itemChanged.connect(self._tell)
        self.list.model().rowsMoved.connect(self._tell)
        self.list.currentItemChanged.connect(self._on_list_current_item_changed)
        self.all.clicked.connect(lambda: self._tick(is_shown=True))
        self.none.clicked.connect(lambda: self._tick(is_shown=False))
        self.favourite.clicked.connect(self._on_favourite_clicked)
        self.reset.clicked.connect(self._on_reset_clicked)
        self._on_list_current_item_changed(None)

    def _items(self) -> Iterator[QtWidgets.QListWidgetItem]:
        for row in range(self.list.count()):
            yield self.list.item(row)

    def _tick(self, *, is_shown: bool) -> None:
        """Show or hide every column that the search has found."""
        self.list.blockSignals(True)
        for item in self._items():
            if not item.isHidden():
                item.setCheckState(_state(is_shown))
        self.list.blockSignals(False)
        self._tell()

    def _tell(self) -> None:
        items = list(self._items())
        shown = {i.data(_KEY) for i in items if i.checkState() is Qt.CheckState.Checked}
        self.columns_changed.emit([item.data(_KEY) for item in items], frozenset(shown))

    def _on_search_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for item in self._items():
            item.setHidden(not all(word in item.text().casefold() for word in words))

    def _on_list_current_item_changed(self, item: QtWidgets.QListWidgetItem | None) -> None:
        self.favourite.setEnabled(item is not None)
        self.favourite.setChecked(item is not None and bool(item.data(_IS_FAVOURITE)))

    def _on_favourite_clicked(self, is_favourite: bool) -> None:
        self.list.blockSignals(True)
        self._star(self.list.currentItem(), is_favourite)
        self.list.blockSignals(False)
        favourites = {item.data(_KEY) for item in self._items() if item.data(_IS_FAVOURITE)}
        self.favourites_changed.emit(frozenset(favourites))

    def _on_reset_clicked(self) -> None:
        self.reset_requested.emit()
        self.close()


def _state(is_ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked
