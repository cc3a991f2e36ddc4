"""The value bets as rows: true EV beside the service's, and what is gone since."""

from collections.abc import Iterable
from enum import IntEnum

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal

from oddsdesk.board.matrix import RowKey
from oddsdesk.board.values import ValueEntry
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.moments import MINUTE_MS, age_text, local_time
from oddsdesk.desk.theme.tokens import Ground, Ink
from oddsdesk.desk.widgets.cells import EMPTY, Align, Cell, Column, Header
from oddsdesk.desk.widgets.live_model import LiveModel

Index = QModelIndex | QPersistentModelIndex


class ValueColumn(IntEnum):
    """The columns, from left to right."""

    SELECTION = 0
    MARKET = 1
    BOOKMAKER = 2
    ODDS = 3
    TRUE_EV = 4
    SERVICE_EV = 5
    WINDOW = 6
    LIMIT = 7
    AGE = 8


_COLUMNS = {
    ValueColumn.SELECTION: Column("Under 6.5 Detroit Tigers", Align.LEFT, stretches=True),
    ValueColumn.MARKET: Column("Both teams to score 1st", Align.LEFT),
    ValueColumn.BOOKMAKER: Column("Betfair Exchange UK", Align.LEFT),
    ValueColumn.ODDS: Column("100.00", has_arrow=True),
    ValueColumn.TRUE_EV: Column("+10.00 %"),
    ValueColumn.SERVICE_EV: Column("+10.00 %"),
    ValueColumn.WINDOW: Column("12.34 – 12.34"),
    ValueColumn.LIMIT: Column("100,000"),
    ValueColumn.AGE: Column("59 min"),
}  # fmt: skip
_HEADERS = {
    ValueColumn.SELECTION: Header("Selection"),
    ValueColumn.MARKET: Header("Market"),
    ValueColumn.BOOKMAKER: Header("Bookmaker"),
    ValueColumn.ODDS: Header("Odds"),
    ValueColumn.TRUE_EV: Header(
        "True EV", tip="The edge over the fair price by your devig method, safety floor included"
    ),
    ValueColumn.SERVICE_EV: Header("Service", tip="The edge as the service states it"),
    ValueColumn.WINDOW: Header(
        "Window", tip="From which price the selection is value, and above which it is suspicious"
    ),
    ValueColumn.LIMIT: Header("Limit", tip="The reference bookmaker's maximum bet"),
    ValueColumn.AGE: Header("Age", tip="How long ago the bet was detected"),
}


class ValuesModel(LiveModel):
    """Value bets in rows that stay where they are until they are asked to sort."""

    order_changed = Signal()
    """How many rows would move, or are gone, is another number now."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._order: list[RowKey] = []
        self._entries: dict[RowKey, ValueEntry] = {}
        self._present: dict[RowKey, ValueEntry] = {}

    def show_bets(self, entries: Iterable[ValueEntry], *, may_move: bool) -> None:
        """Take the present bets; where rows may not move, new ones come last and gone ones stay."""
        self._present = {entry.key: entry for entry in entries}
        if may_move:
            self.sort_now()
        else:
            self._hold_rows()
        self.order_changed.emit()

    def sort_now(self) -> None:
        """Put the rows in order, highest true EV first, and drop what is gone."""
        self._entries = dict(self._present)
        wanted = sorted(self._present, key=self._rank)
        if wanted != self._order:
            self._reorder(wanted)
        self._touch_all()
        self.order_changed.emit()

    @property
    def rows_that_would_move(self) -> int:
        """How many rows stand elsewhere than they would after sorting."""
        wanted = sorted(self._present, key=self._rank)
        kept = [key for key in self._order if key in self._present]
        moved = sum(1 for one, other in zip(kept, wanted, strict=True) if one != other)
        return moved + len(self._order) - len(kept)

    @property
    def count(self) -> int:
        """How many bets there are now."""
        return len(self._present)

    def entry(self, row: int) -> ValueEntry:
        """Return the bet of a row."""
        return self._entries[self._order[row]]

    def _hold_rows(self) -> None:
        new = sorted((key for key in self._present if key not in self._entries), key=self._rank)
        self._entries.update(self._present)
        if new:
            first = len(self._order)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._order += new
            self.endInsertRows()
        self._touch_all()

    def _reorder(self, wanted: list[RowKey]) -> None:
        if len(wanted) != len(self._order):
            self._replace(wanted)
            return
        self.layoutAboutToBeChanged.emit()
        self._move_persistent(wanted)
        self.layoutChanged.emit()

    def _replace(self, wanted: list[RowKey]) -> None:
        rows = set(wanted)
        for row in reversed(range(len(self._order))):
            if self._order[row] not in rows:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._order[row]
                self.endRemoveRows()
        new = [key for key in wanted if key not in set(self._order)]
        if new:
            first = len(self._order)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._order += new
            self.endInsertRows()
        if self._order != wanted:
            self._reorder(wanted)

    def _move_persistent(self, wanted: list[RowKey]) -> None:
        held = self.persistentIndexList()
        keys = [self._order[index.row()] for index in held]
        rows = {key: row for row, key in enumerate(wanted)}
        self._order = wanted
        moved = [
            self.index(rows[key], index.column()) if key in rows else QModelIndex()
            for key, index in zip(keys, held, strict=True)
        ]
        self.changePersistentIndexList(held, moved)

    def _touch_all(self) -> None:
        if self._order:
            self.touch(0, 0, len(self._order) - 1, len(ValueColumn) - 1)

    def _rank(self, key: RowKey) -> tuple[float, RowKey]:
        true_ev = self._present[key].true_ev
        return (float("inf") if true_ev is None else -true_ev), key

    def column(self, column: int) -> Column:
        return _COLUMNS[ValueColumn(column)]

    def header(self, column: int) -> Header:
        return _HEADERS[ValueColumn(column)]

    def cell(self, row: int, column: int) -> Cell:
        key = self._order[row]
        entry = self._entries[key]
        cell = _cell(entry, ValueColumn(column), self._clock())
        return cell if key in self._present else _gone(cell)

    def tip(self, row: int, column: int) -> str:
        entry = self.entry(row)
        if entry.key not in self._present:
            return "Gone: it is no value bet any more"
        bet = entry.bet
        return (
            f"{bet.selection} at {bet.bookmaker}: {bet.odds:g}\n"
            f"Reference {bet.reference_odds:g}, its margin {(bet.payout_rate - 1) * 100:.2f} %\n"
            f"Detected {local_time(entry.detected_at):%H:%M:%S}"
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(ValueColumn)


def _cell(entry: ValueEntry, column: ValueColumn, now_ms: int) -> Cell:
    bet = entry.bet
    match column:
        case ValueColumn.SELECTION:
            return Cell(bet.selection, is_strong=True, note=_beside(entry))
        case ValueColumn.MARKET:
            return Cell(_market(entry), Ink.SOFT)
        case ValueColumn.BOOKMAKER:
            return Cell(bet.bookmaker)
        case ValueColumn.ODDS:
            return Cell(f"{bet.odds:.2f}", is_strong=True)
        case ValueColumn.TRUE_EV:
            return _true_ev(entry.true_ev)
        case ValueColumn.SERVICE_EV:
            return Cell(f"{bet.ev_pct:+.1f} %", Ink.NOTE)
        case ValueColumn.WINDOW:
            return _window(entry)
        case ValueColumn.LIMIT:
            return EMPTY if bet.liquidity is None else Cell(f"{bet.liquidity:,.0f}", Ink.SOFT)
        case ValueColumn.AGE:
            age = now_ms - entry.detected_at
            step = MINUTE_MS if age >= MINUTE_MS else 1000
            return Cell(age_text(age), Ink.NOTE, due=now_ms + step - age % step)


def _true_ev(true_ev: float | None) -> Cell:
    if true_ev is None:
        return Cell("–", Ink.NOTE)
    return Cell(f"{true_ev:+.1f} %", Ink.VALUE, is_strong=True)


def _window(entry: ValueEntry) -> Cell:
    if entry.value_from is None or entry.suspicious_above is None:
        return Cell("–", Ink.NOTE)
    return Cell(f"{entry.value_from:.2f} – {entry.suspicious_above:.2f}", Ink.SOFT)


def _beside(entry: ValueEntry) -> str:
    """What the selection belongs to: the opponent, or both teams; live where it is."""
    bet = entry.bet
    pair = teams(bet.match_name)
    live = "live · " if entry.is_live else ""
    if pair is None:
        return f"{live}{bet.match_name}"
    home, away = pair
    if bet.selection == home:
        return f"{live}v {away}"
    if bet.selection == away:
        return f"{live}at {home}"
    return f"{live}{home} v {away}"


def _market(entry: ValueEntry) -> str:
    bet = entry.bet
    title = market_title(bet.market_type)
    return f"{title} · {period_label(bet.sport, bet.period)}" if bet.period else title


def _gone(cell: Cell) -> Cell:
    return Cell(cell.text, Ink.GHOST, Ground.PANEL, cell.note, is_struck=True)
