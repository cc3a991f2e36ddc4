"""The table of bookmakers: what is known of each, edited in place."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from oddsdesk.desk.ui.theme.theme import Theme
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
    Kind.BOOKMAKER: "Bookmaker",
    Kind.EXCHANGE: "Exchange",
    Kind.PREDICTION_MARKET: "Prediction market",
}
MINE: Final = 0
_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole


class Column(NamedTuple):
    """A column of the table."""

    field: str
    """The field of ``Profile``; empty for the tick of the user's own bookmakers."""
    title: str
    width: int
    """In pixels at texts of 100 %."""
    tip: str
    is_number: bool = False
    longest: int = 60
    """Of what may be typed, in characters."""


COLUMNS: Final = (
    Column("", "Mine", 52, "Where you can bet. None ticked: all bookmakers count."),
    Column("name", "Bookmaker", 190, "As the profiles name it; its other names are the same."),
    Column("kind", "Kind", 130, "A bookmaker, an exchange, or a prediction market."),
    Column("group", "Operator group", 150, "Bookmakers of one operator have one vote."),
    Column(
        "supplier",
        "Odds supplier",
        110,
        "Whose odds it shows: those of one supplier have one vote. Its own name: its own vote.",
    ),
    Column("commission", "Commission %", 104, "Of what is won, stake not included.", True, 12),
    Column("tax", "Tax %", 62, "Of the whole return.", True, 12),
    Column("taker_fee", "Taker fee %", 90, "Of a prediction market: r × p × (1 − p).", True, 12),
    Column("limit", "Limit", 84, "The most that it takes from you, in your money.", True, 16),
    Column("weight", "Weight", 66, "Of its vote in the consensus; 0 is none.", True, 12),
    Column("short", "Short name", 104, "Where there is little room.", longest=12),
    Column("code", "Code", 58, "Where there is least room.", longest=4),
)


@dataclass(slots=True)
class Row:
    """A bookmaker as the user has it now."""

    profile: Profile
    shipped: Profile
    is_mine: bool
    wrong: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Invalid cells by field: the text typed, and what is wrong with it."""

    @property
    def is_as_shipped(self) -> bool:
        """Whether there is nothing to reset."""
        return not self.wrong and self.profile == self.shipped


class BookmakersModel(QAbstractTableModel):
    """Every bookmaker that is known, by name. What makes no sense stays as typed, and is marked."""

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
        known = {profile.name: profile for profile in profiles.all() if profile.source != SIMULATED}
        for name in (*quoted, *mine):
            profile = profiles.of(name)
            known[profile.name] = profile
        is_mine = profiles.among(mine)
        self.rows = [
            Row(known[name], shipped.of(name), is_mine(name))
            for name in sorted(known, key=str.casefold)
        ]

    def reset_row(self, row: int) -> None:
        """Give a bookmaker its shipped profile."""
        held = self.rows[row]
        held.profile, held.wrong = held.shipped, {}
        self._touch(row)

    def tick(self, rows: Iterable[int], *, is_mine: bool) -> None:
        """Make bookmakers the user's own, or no longer."""
        for row in rows:
            self.rows[row].is_mine = is_mine
        self.dataChanged.emit(self.index(0, MINE), self.index(len(self.rows) - 1, MINE))

    def first_wrong(self) -> QModelIndex:
        """Return the first cell that makes no sense; an invalid index where there is none."""
        for row, held in enumerate(self.rows):
            for place, column in enumerate(COLUMNS):
                if column.field in held.wrong:
                    return self.index(row, place)
        return QModelIndex()

    def fault(self, index: _Index) -> str:
        """Return what is wrong in a cell, as a sentence; empty where nothing is."""
        if not index.isValid():
            return ""
        held = self.rows[index.row()]
        wrong = held.wrong.get(COLUMNS[index.column()].field)
        return "" if wrong is None else f"{held.profile.name}: {wrong[1]}."

    def _touch(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))

    def _text(self, held: Row, column: Column) -> str:
        if column.field in held.wrong:
            return held.wrong[column.field][0]
        if column.field == "kind":
            return KINDS[held.profile.kind]
        text = field_text(held.profile, column.field)
        is_none = text == "0" and column.field not in {"limit", "weight"}
        return "" if is_none and not getattr(held.shipped, column.field) else text

    def _tip(self, held: Row, column: Column, index: _Index) -> str:
        if fault := self.fault(index):
            return fault
        said = [column.tip]
        if column.field == "name" and held.profile.aliases:
            said.append(f"Other names: {', '.join(held.profile.aliases)}.")
        if column.field in _sourced(held.profile) and held.profile.source:
            said.append(f"{held.profile.source}.")
        if column.field and getattr(held.profile, column.field) != getattr(
            held.shipped, column.field
        ):
            said.append(f"The default is {field_text(held.shipped, column.field) or 'nothing'}.")
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
                return f"{held.profile.name}, {'mine' if held.is_mine else 'not mine'}"
        return None


def _sourced(profile: Profile) -> frozenset[str]:
    """Return the columns that the source of a profile is of."""
    if profile.charges or not profile.supplier:
        return frozenset({"commission", "tax", "taker_fee"})
    return frozenset({"supplier"})


def _alignment(column: Column) -> int:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
