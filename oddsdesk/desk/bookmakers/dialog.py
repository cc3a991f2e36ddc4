"""The bookmakers dialog: a table of profiles, edited in place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialogButtonBox,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from oddsdesk.base.numbers import with_marks
from oddsdesk.base.texts import _, translated
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.fields import ChoiceBox, FilterEdit
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.theme.theme import Theme, resize_scaled
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.profiles import (
    SIMULATED,
    Kind,
    Profile,
    ProfileLineError,
    Profiles,
    field_text,
    with_field,
)

KINDS: Final = {
    Kind.BOOKMAKER: _("Bookmaker"),
    Kind.EXCHANGE: _("Exchange"),
    Kind.PREDICTION_MARKET: _("Prediction market"),
}
MINE: Final = 0
_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole


class Column(NamedTuple):
    """A column of the table."""

    field: str
    """The field of ``Profile``; empty for the tick of the user's bookmakers."""
    title: str
    width: int
    """In pixels, at 100 % text size."""
    tip: str
    is_number: bool = False
    longest: int = 60
    """The longest input, in characters."""


COLUMNS: Final = (
    Column("", _("Mine"), 52, _("Tick the bookmakers you use. If none are ticked, all count.")),
    Column(
        "name", _("Bookmaker"), 190, _("Name of the bookmaker. Its other names mean the same one.")
    ),
    Column("kind", _("Kind"), 130, _("Bookmaker, exchange or prediction market.")),
    Column(
        "group",
        _("Operator group"),
        150,
        _("Bookmakers of one operator share one vote in the consensus."),
    ),
    Column(
        "supplier",
        _("Odds supplier"),
        110,
        _(
            "Where its odds come from. Bookmakers with one supplier share one vote. For "
            "a separate vote, enter the bookmaker's own name."
        ),
    ),
    Column(
        "commission",
        _("Commission %"),
        104,
        _("Percentage of the winnings, without the stake."),
        True,
        12,
    ),
    Column("tax", _("Tax %"), 62, _("Percentage of the whole return."), True, 12),
    Column(
        "taker_fee",
        _("Taker fee %"),
        90,
        _("Fee of a prediction market: r × p × (1 − p)."),
        True,
        12,
    ),
    Column(
        "limit",
        _("Limit"),
        84,
        _("The highest stake it accepts from you, in your currency."),
        True,
        16,
    ),
    Column(
        "weight",
        _("Weight"),
        66,
        _("Weight of its vote in the consensus; 0 for no vote."),
        True,
        12,
    ),
    Column("short", _("Short name"), 104, _("Used where space is short."), longest=12),
    Column("code", _("Code"), 58, _("Used where space is very short."), longest=4),
)


@dataclass(slots=True)
class Row:
    """A bookmaker with the user's changes."""

    profile: Profile
    shipped: Profile
    is_mine: bool
    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Invalid cells by field: the input and the error."""

    @property
    def is_as_shipped(self) -> bool:
        """Whether the profile is unchanged."""
        return not self.wrong and self.profile == self.shipped


class BookmakersModel(QAbstractTableModel):
    """All bookmakers by name; invalid input stays and is marked."""

    def __init__(
        self,
        theme: Theme,
        profiles: Profiles,
        shipped: Profiles,
        quoted: Iterable[str],
        mine: Iterable[str],
    ) -> None:
        super().__init__()
        self._theme = theme
        known = {
            profile.name: profile
            for profile in profiles.all_profiles()
            if profile.source != SIMULATED
        }
        for name in (*quoted, *mine):
            profile = profiles.profile_of(name)
            known[profile.name] = profile
        is_mine = profiles.among(mine)
        self.rows = [
            Row(known[name], shipped.profile_of(name), is_mine(name))
            for name in sorted(known, key=str.casefold)
        ]

    def reset_row(self, row: int) -> None:
        """Reset a bookmaker to its shipped profile."""
        held = self.rows[row]
        held.profile, held.wrong = held.shipped, {}
        self._touch(row)

    def set_mine(self, rows: Iterable[int], *, is_mine: bool) -> None:
        """Tick or untick bookmakers as the user's."""
        for row in rows:
            self.rows[row].is_mine = is_mine
        self.dataChanged.emit(self.index(0, MINE), self.index(len(self.rows) - 1, MINE))

    def first_wrong(self) -> QModelIndex:
        """Return the first invalid cell, or an invalid index if there is none."""
        for row, held in enumerate(self.rows):
            for place, column in enumerate(COLUMNS):
                if column.field in held.wrong:
                    return self.index(row, place)
        return QModelIndex()

    def fault(self, index: _Index) -> str:
        """Return the error of a cell as a sentence; empty if there is none."""
        if not index.isValid():
            return ""
        held = self.rows[index.row()]
        wrong = held.wrong.get(COLUMNS[index.column()].field)
        return "" if wrong is None else f"{held.profile.name}: {translated(wrong[1])}."

    def _touch(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))

    def _text(self, held: Row, column: Column) -> str:
        if column.field in held.wrong:
            return held.wrong[column.field][0]
        if column.field == "kind":
            return KINDS[held.profile.kind]
        text = field_text(held.profile, column.field)
        is_none = text == "0" and column.field not in {"limit", "weight"}
        text = with_marks(text) if column.is_number else text
        return "" if is_none and not getattr(held.shipped, column.field) else text

    def _tip(self, held: Row, column: Column, index: _Index) -> str:
        if fault := self.fault(index):
            return fault
        said = [column.tip]
        if column.field == "name" and held.profile.aliases:
            said.append(_("Other names: {names}.").format(names=", ".join(held.profile.aliases)))
        if column.field in _sourced(held.profile) and held.profile.source:
            said.append(f"{translated(held.profile.source)}.")
        if column.field and getattr(held.profile, column.field) != getattr(
            held.shipped, column.field
        ):
            value = field_text(held.shipped, column.field) or _("empty")
            value = with_marks(value) if column.is_number else value
            said.append(_("Default: {value}.").format(value=value))
        return "\n".join(said)

    # Qt's virtuals

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        match role:
            case _Role.DisplayRole:
                return column.title
            case _Role.ToolTipRole:
                return column.tip
            case _Role.TextAlignmentRole:
                return _alignment(column)
        return None

    def data(self, index: _Index, role: int = 0) -> Any:
        held, column = self.rows[index.row()], COLUMNS[index.column()]
        if not column.field:
            return self._mark(held, role)
        match role:
            case _Role.DisplayRole | _Role.EditRole:
                return self._text(held, column)
            case _Role.ToolTipRole:
                return self._tip(held, column, index)
            case _Role.TextAlignmentRole:
                return _alignment(column)
            case _Role.ForegroundRole if column.field in held.wrong:
                return QColor(self._theme.tokens.ink(TextRole.DOWN))
            case _Role.FontRole if column.field in held.wrong or (
                getattr(held.profile, column.field) != getattr(held.shipped, column.field)
            ):
                return self._theme.fonts.strong
        return None

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        held, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == _Role.CheckStateRole:
            held.is_mine = Qt.CheckState(value) is Qt.CheckState.Checked
        elif role == _Role.EditRole:
            self._put(held, column.field, str(value))
        else:
            return False
        self._touch(index.row())
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == MINE:
            return usual | Qt.ItemFlag.ItemIsUserCheckable
        is_name = COLUMNS[index.column()].field == "name"
        return usual if is_name else usual | Qt.ItemFlag.ItemIsEditable

    def _put(self, held: Row, name: str, text: str) -> None:
        held.wrong.pop(name, None)
        try:
            held.profile = with_field(held.profile, name, text, held.shipped)
        except ProfileLineError as error:
            held.wrong[name] = (text, str(error))

    def _mark(self, held: Row, role: int) -> Any:
        match role:
            case _Role.CheckStateRole:
                return Qt.CheckState.Checked if held.is_mine else Qt.CheckState.Unchecked
            case _Role.ToolTipRole:
                return COLUMNS[MINE].tip
            case _Role.AccessibleTextRole:
                said = _("{bookmaker}, mine") if held.is_mine else _("{bookmaker}, not mine")
                return said.format(bookmaker=held.profile.name)
        return None


def _sourced(profile: Profile) -> frozenset[str]:
    """Return the columns that a profile's source is about."""
    if profile.charges or not profile.supplier:
        return frozenset({"commission", "tax", "taker_fee"})
    return frozenset({"supplier"})


def _alignment(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)


_SIZE: Final = (1_230, 640)
_MOST_PROBLEMS: Final = 4


class BookmakersDialog(FormDialog):
    """Edits the profiles; invalid cells are explained and prevent saving."""

    save_requested = Signal()

    def __init__(
        self, theme: Theme, model: BookmakersModel, problems: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(theme, _("Bookmakers"), parent)
        resize_scaled(self, theme, *_SIZE)
        self.model = model
        model.setParent(self)
        self.problems = Label(_problems_text(problems), wordWrap=True, visible=bool(problems))
        self.problems.setProperty("variant", "down")
        self.filter = FilterEdit(theme, _("Find a bookmaker"))
        self.all = QPushButton(_("Tick &all"), autoDefault=False)
        self.none = QPushButton(_("Tick &none"), autoDefault=False)
        self.restore = QPushButton(_("&Reset to default"), autoDefault=False)
        self.table = _Table(theme, model)
        self.count = Label()
        self.count.setProperty("variant", "note")
        self.fault = Label(wordWrap=True, visible=False)
        self.fault.setProperty("variant", "down")
        self._lay_out()
        self._connect()
        self._show_state()

    def profiles(self) -> list[Profile]:
        """Return all profiles as edited."""
        return [row.profile for row in self.model.rows]

    def mine(self) -> tuple[str, ...]:
        """Return the ticked bookmakers; empty if all or none are ticked."""
        names = tuple(row.profile.name for row in self.model.rows if row.is_mine)
        return () if len(names) == len(self.model.rows) else names

    def values(self) -> object:
        """Return the state of the table, for comparison."""
        return [(row.profile, row.is_mine, dict(row.wrong)) for row in self.model.rows]

    def go_to_fault(self) -> bool:
        """Go to the first invalid cell; return False if there is none."""
        index = self.model.first_wrong()
        if index.isValid():
            self.filter.clear()
            self.table.setCurrentIndex(index)
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        return index.isValid()

    def _lay_out(self) -> None:
        line = spacing.horizontal(spacing=spacing.STEP)
        line.addWidget(self.filter, 1)
        for button in (self.all, self.none, self.restore):
            line.addWidget(button)
        self.below.addWidget(self.problems)
        self.below.addLayout(line)
        self.below.addWidget(self.table, 1)
        self.below.addWidget(self.fault)
        self.below.addWidget(self.count)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton(_("Save"), QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self._column.setStretchFactor(self.below, 1)
        self.close_form()
        self.filter.setFocus()

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.save_requested)
        self.buttons.rejected.connect(self.reject)
        self.filter.textChanged.connect(self._on_filter_text_changed)
        self.all.clicked.connect(lambda: self.model.set_mine(self._shown(), is_mine=True))
        self.none.clicked.connect(lambda: self.model.set_mine(self._shown(), is_mine=False))
        self.restore.clicked.connect(self._on_restore_clicked)
        self.model.dataChanged.connect(self._show_state)
        self.table.selectionModel().currentChanged.connect(self._show_state)

    def _shown(self) -> list[int]:
        rows = range(len(self.model.rows))
        return [row for row in rows if not self.table.isRowHidden(row)]

    def _show_state(self) -> None:
        index = self.table.currentIndex()
        fault = self.model.fault(index) or self.model.fault(self.model.first_wrong())
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))
        rows = self.model.rows
        self.restore.setEnabled(index.isValid() and not rows[index.row()].is_as_shipped)
        chosen = len(self.mine())
        self.count.setText(
            _(
                "{ticked} of {count} ticked. Only these are used for best price, value and stakes."
            ).format(ticked=chosen, count=len(rows))
            if chosen
            else (
                _(
                    "All {count} bookmakers count. Tick the ones you use. Clear a field "
                    "to reset it."
                ).format(count=len(rows))
            )
        )

    def _on_filter_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for place, row in enumerate(self.model.rows):
            profile = row.profile
            said = " ".join((profile.name, profile.group, profile.short, *profile.aliases))
            is_found = all(word in said.casefold() for word in words)
            self.table.setRowHidden(place, not is_found)

    def _on_restore_clicked(self) -> None:
        self.model.reset_row(self.table.currentIndex().row())
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)


def _problems_text(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    more = len(problems) - _MOST_PROBLEMS
    lines = [
        *map(translated, problems[:_MOST_PROBLEMS]),
        *([_("… and {more} more").format(more=more)] if more > 0 else []),
    ]
    return "\n".join(
        [*lines, _("Defaults are used instead. Saving keeps these lines as comments.")]
    )


class _Table(QTableView):
    """Enter or typing edits a cell; Tab leaves the table."""

    def __init__(self, theme: Theme, model: BookmakersModel) -> None:
        super().__init__()
        self.setAccessibleName(_("Bookmakers"))
        self.setModel(model)
        self._fields = _Fields(self)
        self.setItemDelegate(self._fields)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked
            | triggers.SelectedClicked
            | triggers.EditKeyPressed
            | triggers.AnyKeyPressed
        )
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.fonts.row_height(spacing.ROW))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        for place, column in enumerate(COLUMNS):
            header.resizeSection(place, theme.fonts.scaled(column.width))
        self._fit_titles()
        self._fit_name()
        self.setCurrentIndex(model.index(0, MINE))

    def _fit_titles(self) -> None:
        header = self.horizontalHeader()
        for place in range(len(COLUMNS)):
            needed = header.sectionSizeHint(place)
            header.resizeSection(place, max(header.sectionSize(place), needed))

    def _fit_name(self) -> None:
        """Give the names the remaining width, or what they need if that is more."""
        header, name = self.horizontalHeader(), MINE + 1
        others = header.length() - header.sectionSize(name)
        left = self.viewport().width() - others
        header.resizeSection(name, max(self.sizeHintForColumn(name), left))

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_titles()  # before that it lacks the theme's padding
        self._fit_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.model().flags(self.currentIndex()) & Qt.ItemFlag.ItemIsEditable:
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Fields(QStyledItemDelegate):
    """The editors of cells: a list for the kind, text fields for the rest."""

    # Qt's virtuals

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        column = COLUMNS[index.column()]
        if column.field == "kind":
            combo = ChoiceBox(parent)
            for kind, text in KINDS.items():
                combo.addItem(text, kind.value)
            combo.activated.connect(lambda: self._commit(combo))
            return combo
        edit = QLineEdit(parent)
        edit.setMaxLength(column.longest)
        edit.setAccessibleName(column.title)
        return edit

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data()))
        elif isinstance(editor, QLineEdit):
            editor.setText(str(index.data()))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, Kind(editor.currentData()).value)
        elif isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def _commit(self, editor: QWidget) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)
