"""The line above the odds grid: what it holds, how far it is read, and what can be done."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QMenu,
    QProgressBar,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from oddsdesk.desk.export.files import FORMATS, FileFormat
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.filter_edit import FilterEdit
from oddsdesk.desk.ui.controls.labels import ElidedLabel, SteadyButton
from oddsdesk.desk.ui.controls.list_bar import ListBar
from oddsdesk.desk.ui.controls.menus import MenuButton
from oddsdesk.desk.ui.controls.scaling import scale_most_width
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.icons import SIZE
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_LEAST_FILTER_WIDTH, _FILTER_WIDTH = 110, 260
_NARROW_FILTER_WIDTH = 80
"""What it has where figures would be cut otherwise, however large texts are."""
_PROGRESS_WIDTH = 90
_PAUSE, _IN_SHORT = ("Stop reading", "Continue reading"), ("Stop", "Continue")
"""What stops reading, and what goes on with it."""
_SHAPES = ((Shape.PRICES.value, "Prices"), (Shape.SELECTIONS.value, "Selections"))


class GridBar(ListBar):
    """Wishes and facts of the odds grid; it decides nothing."""

    shape_chosen = Signal(object)
    """A ``Shape``."""
    grouping_changed = Signal(bool)
    columns_requested = Signal()
    copy_requested = Signal()
    export_requested = Signal(object)
    """A ``FileFormat``."""
    arrange_requested = Signal()
    pause_requested = Signal(bool)
    """Reading shall be stopped (True) or go on."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._theme = theme
        self._misplaced, self._is_narrow = 0, False
        self._counted = "", ""
        # Where there is too little room the line is cut; it never widens the window.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.count = ElidedLabel()
        self.count.setFont(theme.fonts.strong)
        self.reading = ElidedLabel()
        self.reading.setProperty("variant", "note")
        self.progress = QProgressBar(textVisible=False)
        self.progress.setFixedSize(_PROGRESS_WIDTH, spacing.HALF)
        self.pause = self._button(_PAUSE[0], "Read no more prices for now; what is here stays")
        self.arrange = SteadyButton()
        self.arrange.setToolTip("Sort anew: new prices in, gone ones out (Shift+S)")
        self.arrange.setAccessibleName("Sort anew")
        self.shapes = ChipRow("What a row is")
        self.shapes.show_chips(_SHAPES)
        self.group = QToolButton()
        self.group.setCheckable(True)
        self.group.setText("By game")
        self.group.setProperty("variant", "chip")
        self.group.setToolTip("Rows below their game")
        self.views = MenuButton("View", tells_purpose=True)
        self.views.setToolTip("Saved filters, columns and sorting")
        self.columns = self._button("", "Columns: show, hide, move")
        self.export = self._button("", "Copy or export")
        self.filter = FilterEdit(theme, "Filter: team, market, bookmaker…")
        scale_most_width(self.filter, theme, _FILTER_WIDTH)
        self._lay_out()
        self._connect()
        self._restyle()

    def show_reading(self, text: str, done: int, total: int | None, *, paused: bool) -> None:
        """Say how far the first reading is; ``total`` None is not known, 0 hides the progress."""
        self.reading.show_text(text)
        self.reading.setVisible(bool(text))
        self.progress.setVisible(total != 0 and not paused)
        self.progress.setRange(0, total or 0)
        self.progress.setValue(done)
        self.pause.setProperty("paused", paused)
        self.pause.setAccessibleName(_PAUSE[paused])
        self._say_pause(in_short=self.pause.text() in _IN_SHORT)
        self.pause.setToolTip(
            "Go on reading prices" if paused else "Read no more prices for now; what is here stays"
        )

    def show_count(self, rows: str, what: str) -> None:
        """Say how many rows there are, of all, and where there is room of what."""
        if (rows, what) != self._counted:
            self._counted = rows, what
            self._fit()

    def show_misplaced(self, rows: int) -> None:
        """Say how many rows would move; they stay until asked to."""
        self._misplaced = rows
        is_other = self.arrange.isHidden() == (rows > 0)
        self.arrange.setVisible(rows > 0)
        if self._say_misplaced() or is_other:
            self._fit()

    def _say_pause(self, *, in_short: bool) -> None:
        texts = _IN_SHORT if in_short else _PAUSE
        self.pause.setText(texts[bool(self.pause.property("paused"))])

    def _say_misplaced(self) -> bool:
        rows = self._misplaced
        if self._is_narrow:
            return self.arrange.show_text(f"Sort {rows:,}")
        return self.arrange.show_text(f"{rows:,} row{'s' if rows != 1 else ''} would move")

    def _fit(self) -> None:
        """Say less where it is narrow, and leave out what is reached in other ways, too."""
        optional = (self.group, self.columns, self.export)
        shown = [part for part in self.parts() if part not in optional and not part.isHidden()]
        room = self.width() - 2 * spacing.LEAD
        least = self._theme.fonts.scaled(_LEAST_FILTER_WIDTH)
        self.filter.setMinimumWidth(least)
        rows, what = self._counted
        whole, shown_ones = f"{rows} {what}", rows.partition(" of ")[0]
        steps = (
            (False, whole, False),
            *((True, count, False) for count in (whole, rows, shown_ones)),
            (True, shown_ones, True),
        )
        for self._is_narrow, count, in_short in steps:
            self._say_misplaced()
            self._say_pause(in_short=in_short)
            self.count.show_text(count)
            left = room - sum(map(self._least_width, shown))
            if left >= (0 if self._is_narrow else sum(map(self._least_width, optional))):
                break
        given = min(max(0, -left), least - _NARROW_FILTER_WIDTH)
        self.filter.setMinimumWidth(least - given)
        left += given
        self.count.setMinimumWidth(self.count.sizeHint().width() if left >= 0 else 0)
        self.count.setAccessibleName(whole)
        for part in optional:
            left -= self._least_width(part)
            part.setVisible(left >= 0)

    def _least_width(self, part: QWidget) -> int:
        """What a part takes beside others; a label gives way to its least, but no figures."""
        if part is self.count:
            return part.sizeHint().width() + spacing.STEP
        gives_way = isinstance(part, (ElidedLabel, FilterEdit))
        asks = part.minimumSizeHint() if gives_way else part.sizeHint()
        return max(asks.width(), part.minimumWidth()) + spacing.STEP

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text or tip)
        button.setProperty("variant", "plain")
        button.setIconSize(QSize(SIZE, SIZE))
        return button

    def _lay_out(self) -> None:
        line = self.line
        facts = (self.count, self.reading, self.progress, self.pause)
        ways = (self.arrange, self.shapes, self.group, self.views)
        buttons = (*ways, self.columns, self.export, self.filter)
        for fact in facts:
            line.addWidget(fact)
        line.addStretch()
        for button in buttons:
            line.addWidget(button)

    def _connect(self) -> None:
        self.pause.clicked.connect(
            lambda: self.pause_requested.emit(not self.pause.property("paused"))
        )
        self.arrange.clicked.connect(self.arrange_requested)
        self.shapes.chosen.connect(lambda key: self.shape_chosen.emit(Shape(key)))
        self.group.toggled.connect(self.grouping_changed)
        self.columns.clicked.connect(self.columns_requested)
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setMenu(self._export_menu())
        self._theme.changed.connect(self._restyle)

    def _export_menu(self) -> QMenu:
        menu = QMenu(self)
        copy = QAction("Copy as a table\tCtrl+C", menu)
        copy.triggered.connect(lambda _checked=False: self.copy_requested.emit())
        menu.addAction(copy)
        menu.addSeparator()
        for file_format in FORMATS:
            self._add_format(menu, file_format)
        return menu

    def _add_format(self, menu: QMenu, file_format: FileFormat) -> None:
        action = QAction(f"Export as {file_format.title}…", menu)
        action.triggered.connect(lambda _checked=False: self.export_requested.emit(file_format))
        menu.addAction(action)

    def _restyle(self) -> None:
        self.columns.setIcon(self._theme.icon("columns", TextRole.SOFT))
        self.export.setIcon(self._theme.icon("export", TextRole.SOFT))
        self._fit()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
