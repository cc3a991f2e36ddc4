"""What the odds grid's filters are chosen in: lists to tick, and a range to type."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from oddsdesk.desk.models.grid_filter import Range
from oddsdesk.desk.theme import spacing
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.filter_edit import FilterEdit
from oddsdesk.desk.widgets.plain import Label
from oddsdesk.desk.widgets.popup import Popup

_WIDTH, _HEIGHT = 260, 340
_SEARCHED_FROM = 9
_KEY = Qt.ItemDataRole.UserRole


class ChoicePopup(Popup):
    """A list to tick, searched by typing where it is long; each tick counts at once."""

    chosen_changed = Signal(object)
    """The keys that are ticked, a frozenset."""

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        title: str,
        choices: Sequence[tuple[str, str]],
        chosen: Iterable[str],
    ) -> None:
        """``choices`` are (key, text); those that are chosen but not offered stay chosen."""
        super().__init__(parent, title)
        self._chosen = set(chosen)
        self.list = QListWidget()
        self.list.setAccessibleName(title)
        self.search = FilterEdit(theme, f"Find: {title.lower()}")
        self.search.setVisible(len(choices) >= _SEARCHED_FROM)
        row = theme.fonts.row_height(spacing.SECTION_ROW)
        for key, text in choices:
            item = QListWidgetItem(text, self.list)
            item.setData(_KEY, key)
            item.setSizeHint(QSize(0, row))
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsSelectable
            )
            item.setCheckState(_state(key in self._chosen))
        self._clear = QPushButton("Choose none")
        for widget in (self.search, self.list, self._clear):
            self.column.addWidget(widget)
        self.setFixedWidth(theme.fonts.scaled(_WIDTH))
        most = theme.fonts.scaled(_HEIGHT)
        self.list.setFixedHeight(min(most, len(choices) * row + spacing.HALF))
        self.search.textChanged.connect(self._on_search_text_changed)
        self.search.lead_to(self.list)
        self.list.itemChanged.connect(self._on_list_item_changed)
        self._clear.clicked.connect(self._on_clear_clicked)
        (self.search if self.search.isVisibleTo(self) else self.list).setFocus()

    def _on_search_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in item.text().casefold() for word in words))

    def _on_list_item_changed(self, item: QListWidgetItem) -> None:
        is_ticked = item.checkState() is Qt.CheckState.Checked
        (self._chosen.add if is_ticked else self._chosen.discard)(item.data(_KEY))
        self.chosen_changed.emit(frozenset(self._chosen))

    def _on_clear_clicked(self) -> None:
        self._chosen.clear()
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(Qt.CheckState.Unchecked)
        self.list.blockSignals(False)
        self.chosen_changed.emit(frozenset())


class RangePopup(Popup):
    """From and to, either may be left empty; Enter takes them and closes."""

    range_chosen = Signal(object)
    """A ``Range``."""

    def __init__(self, parent: QWidget, theme: Theme, title: str, unit: str, chosen: Range) -> None:
        super().__init__(parent, title)
        self.least = _number_edit("from", chosen.least)
        self.most = _number_edit("to", chosen.most)
        line = QHBoxLayout()
        line.setSpacing(spacing.STEP)
        for widget in (self.least, Label("to"), self.most, Label(unit)):
            line.addWidget(widget)
        self._apply = QPushButton("Filter")
        self.column.addLayout(line)
        self.column.addWidget(self._apply)
        self.setFixedWidth(theme.fonts.scaled(_WIDTH))
        self._apply.clicked.connect(self._take)
        self.least.setFocus()

    def _take(self) -> None:
        least, most = _number(self.least), _number(self.most)
        if least is not None and most is not None and least > most:
            least, most = most, least
        self.range_chosen.emit(Range(least, most))
        self.close()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        else:
            super().keyPressEvent(event)


def _state(is_ticked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked


def _number_edit(purpose: str, number: float | None) -> QLineEdit:
    edit = QLineEdit("" if number is None else f"{number:g}")
    edit.setPlaceholderText(purpose)
    edit.setAccessibleName(purpose)
    edit.setMaxLength(9)
    edit.setValidator(QDoubleValidator(edit))
    return edit


def _number(edit: QLineEdit) -> float | None:
    """What was typed; a comma is read as a point, and half a number as none."""
    try:
        return float(edit.text().replace(",", "."))
    except ValueError:
        return None
