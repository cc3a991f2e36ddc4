"""A panel that lists rows: a line above them, tables or what stands in their place, messages."""

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from enum import Enum, auto
from typing import Any, NamedTuple

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.bars import ListBar
from oddsdesk.desk.ui.controls.buttons import ChipRow, PresetButton
from oddsdesk.desk.ui.controls.labels import FactsLabel, SortButton
from oddsdesk.desk.ui.controls.messages import EmptyState, MessageBar, Placeholder
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme

IDLE_MS = 1_000


class Says(Enum):
    """How much a button says."""

    ALL = auto()
    LESS = auto()
    NOTHING = auto()
    """It is hidden; it has a key."""


class Fit(NamedTuple):
    """One way to fill the line above a list."""

    sort: Says = Says.ALL
    preset: Says = Says.ALL
    has_more: bool = True
    """Whether the buttons are there that only a wide line has."""
    keeps_one_fact: bool = False
    """Whether the first fact alone is kept whole."""


class ListHeader(ListBar):
    """Says what is listed, how many rows would move, and which preset is in use.

    It asks its panel for little room: what it says of rows would widen the window.
    """

    def __init__(
        self,
        theme: Theme,
        purpose: str,
        chips: Sequence[tuple[str, str]],
        fits: Sequence[Fit],
        *,
        preset_tip: str,
        least_width: int = 0,
        button: QToolButton | None = None,
        more: QToolButton | None = None,
    ) -> None:
        """``chips`` are keys with their texts; ``fits`` are tried in their order, the widest first.

        ``more`` is a button that some fits leave out. A ``least_width`` of 0 is that of the chips.
        """
        super().__init__(theme)
        self.chips = ChipRow(purpose)
        self.chips.show_chips(chips)
        self.facts = FactsLabel()
        self.facts.setProperty("variant", "note")
        self.sort = SortButton()
        self.preset = PresetButton(theme, preset_tip)
        self._fits, self._fit_now = fits, fits[0]
        self._least = least_width
        self._always = [self.chips] if button is None else [self.chips, button]
        self.more = more
        self._kept_facts, self._waiting = 1, 0
        self._offers_presets = True
        self.line.addWidget(self.chips)
        self.line.addSpacing(spacing.HALF)
        self.line.addWidget(self.facts, 1)
        for part in (self.sort, button, more, self.preset):
            if part is not None:
                self.line.addWidget(part)
        self._fit()

    def show_facts(self, text: str, kept: int) -> None:
        """Say how many rows there are and by what they were chosen.

        The first ``kept`` facts stay longer than what buttons say.
        """
        before = self.facts.width_of_first(self._kept_facts)
        self._kept_facts = kept
        self.facts.show_text(text)
        if self.facts.width_of_first(kept) != before:
            self._fit()

    def show_waiting(self, rows: int) -> None:
        """Say how many rows would move if they were sorted."""
        if rows == self._waiting:
            return
        is_other = (self._waiting > 0) != (rows > 0)
        self._waiting = rows
        if self._say_waiting(self._fit_now) or is_other:
            self._fit()

    def show_presets(self, names: Iterable[str], current: str, built_in: Collection[str]) -> None:
        """Offer presets, the built-in ones first."""
        self.preset.show_presets(names, current, built_in)
        self._fit()

    def offer_presets(self, offered: bool) -> None:
        """Offer presets and what goes with them, or not: another list has none."""
        self._offers_presets = offered
        self._fit()

    def _say_waiting(self, fit: Fit) -> bool:
        return self.sort.show_waiting(self._waiting, in_short=fit.sort is not Says.ALL)

    def _fit(self) -> None:
        """Choose the first fit that has room, else the last."""
        for fit in self._fits:
            self._fit_now = fit
            self._say_waiting(fit)
            self.preset.say_name(in_short=fit.preset is not Says.ALL)
            if self._asked(fit) <= self.width():
                break
        shown = self._shown(self._fit_now)
        for part in (self.sort, self.preset, self.more):
            if part is not None:
                part.setVisible(part in shown)

    def _shown(self, fit: Fit) -> list[QWidget]:
        parts: list[QWidget] = [*self._always]
        if self._waiting and fit.sort is not Says.NOTHING:
            parts.append(self.sort)
        if self._offers_presets and fit.preset is not Says.NOTHING:
            parts.append(self.preset)
        if self.more is not None and self._offers_presets and fit.has_more:
            parts.append(self.more)
        return parts

    def _asked(self, fit: Fit) -> int:
        facts = self.facts.width_of_first(1 if fit.keeps_one_fact else self._kept_facts)
        parts = sum(part.sizeHint().width() + spacing.STEP for part in self._shown(fit))
        return 2 * spacing.LEAD + spacing.HALF + facts + parts

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        least = self._least or self.chips.minimumSizeHint().width() + 2 * spacing.LEAD
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def line_button(text: str, tip: str, menu: QMenu | None = None) -> QToolButton:
    """Return a button for the line above a list; ``menu`` opens below it."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text.rstrip(" ▾…"))
    button.setProperty("variant", "plain")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if menu is not None:
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(menu)
    return button


class ListPanel(QWidget):
    """Lists rows in tables, of which one is shown, or says why there are none.

    Rows move only when nobody uses the list: subclasses decide in ``_may_move``, called
    every ``idle_ms`` milliseconds while the panel is shown.
    """

    def __init__(self, theme: Theme, *, idle_ms: int = IDLE_MS) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self.placeholder = Placeholder(theme)
        self.messages = MessageBar(theme)
        self._idle = QTimer(self, interval=idle_ms)
        self._idle.timeout.connect(self._on_idle_timeout)
        self._body = QWidget()
        self._stack = QStackedLayout(self._body)

    def _lay_out_list(self, header: QWidget, *tables: LiveTable) -> QVBoxLayout:
        """Return a column of the line above, the tables and the messages."""
        for table in tables:
            self._stack.addWidget(table)
            table.header_clicked.connect(_model(table).sort_by)
        self._stack.addWidget(self.placeholder)
        column = spacing.vertical(spacing=0)
        # Messages stand below: where they came above, rows moved away from under the pointer.
        for part in (header, self._body, self.messages):
            column.addWidget(part)
        column.setStretchFactor(self._body, 1)
        return column

    def _offer_menu(self, table: LiveTable, menu: Callable[[], QMenu | None]) -> None:
        """Open a menu where one is asked for in a table; None opens none."""

        def open_menu(at: QPoint) -> None:
            if (offered := menu()) is not None:
                offered.popup(table.scrolling.viewport().mapToGlobal(at))

        table.scrolling.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.scrolling.customContextMenuRequested.connect(open_menu)

    def _sort_by_hand(self, table: LiveTable) -> None:
        """Sort because the user asks; the top is shown, unless a row was chosen that is left."""
        _model(table).sort_now()
        if not table.has_choice:
            table.scrolling.scrollToTop()

    def _show_rows_of(self, table: LiveTable, state: EmptyState | Callable[[], EmptyState]) -> None:
        """Show a table, or what ``state`` says where it has no rows."""
        if table.model.rowCount():
            self._show_page(table)
        else:
            self.placeholder.show_state(state if isinstance(state, EmptyState) else state())
            self._show_page(self.placeholder)

    def _show_page(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)

    def _keep_chosen_in(self, table: LiveTable) -> None:
        """Keep the row that the user chose in sight when it is gone, until rows are sorted."""
        model = _model(table)
        model.chosen_row = table.chosen_row

        def keep_choice(left: Container[Any]) -> None:
            """Choose nothing if the current row is removed; Qt would choose its neighbour."""
            index = table.current_cell()
            if index.isValid() and model.key_of_row(index.row()) not in left:
                table.clear_choice()

        model.keep_choice = keep_choice

    def _is_chosen_in(self, table: LiveTable) -> bool:
        """Whether the user went to a row: rows that are moved take the current cell along."""
        return table.has_choice and not _model(table).is_arranging

    def _tidy(self, table: LiveTable) -> None:
        """Sort the rows that would move, if they may; counts are updated either way."""
        if _model(table).is_untidy and self._may_move():
            _model(table).tidy_up()
        else:
            self._show_counts()

    def _is_dead_in(self, table: LiveTable) -> bool:
        """Whether all visible rows are gone; they need not stay, as they hide others."""
        model, seen = _model(table), table.rows_in_view()
        is_asked = QApplication.activeModalWidget() is not None
        return bool(seen) and not is_asked and all(model.is_gone(row) for row in seen)

    def _may_move(self) -> bool:
        """Whether nobody is at a row."""
        return True

    def _show_counts(self) -> None:
        """Say how many rows there are, and show them or why there are none."""

    def _on_idle_timeout(self) -> None:
        """Do what is due while the panel is shown."""

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._idle.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._idle.stop()


def _model(table: LiveTable) -> StableRowsModel[Any, Any]:
    model = table.model
    assert isinstance(model, StableRowsModel)
    return model
