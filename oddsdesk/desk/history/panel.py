"""The History dock: how the selected price moved, with the sharp book's and the fair odds."""

from pathlib import Path
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import QBuffer, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent

from oddsdesk.base.clock import Clock
from oddsdesk.base.files import whole_file
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import date_text, hour_text
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import History, Origin
from oddsdesk.board.history.sources import HistorySource
from oddsdesk.board.model.matrix import GameEntry, RowKey
from oddsdesk.board.model.notices import Connection
from oddsdesk.desk.export.files import GAME, SELECTION, ExportColumn, Table, time_value
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.history.model import HistoryModel, Run, described
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.chart.painter import ChartPainter
from oddsdesk.desk.ui.chart.step_chart import ChartLegend, StepChart
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.labels import ElidedLabel, Label, literal
from oddsdesk.desk.ui.controls.messages import EmptyState, Placeholder
from oddsdesk.desk.ui.controls.search_menu import SearchMenu
from oddsdesk.desk.ui.formatting import exact_odds_text, local_time, odds_text
from oddsdesk.desk.ui.table.cells import Kind
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_SAID: Final = {
    Origin.LOG: _("from the local log"),
    Origin.SERVICE: _("from the service"),
    Origin.SEEN: _("seen by this desk"),
}

_LACKS_TIP: Final = _(
    "Older prices are in an archive that could not be read; the program's log says why"
)


def state_without_lines(
    key: RowKey | None, history: History | None, problem: str, connection: Connection
) -> EmptyState:
    """Return what to say where there is no line to draw."""
    if key is None:
        return EmptyState("info", _("Select a price to see how it moved."))
    if problem:
        return EmptyState(
            "warning", _("The history could not be read."), problem, ink=TextRole.DOWN
        )
    if history is None:
        return EmptyState("loading", _("Loading the history…"))
    if connection.has_live is False and history.origin is Origin.SEEN and history.since_ms:
        detail = _("In-play prices need the Pro+ Live plan. Prices before kick-off appear here.")
        return EmptyState(
            "lock",
            _("No price seen for {selection}.").format(selection=selection_text(key.selection)),
            detail,
        )
    if history.origin is Origin.SEEN and history.since_ms is None:
        detail = _(
            "This service has no price history. The desk records prices while the game is open."
        )
        return EmptyState("info", _("Nothing recorded for this game yet."), detail)
    return EmptyState(
        "search",
        _("No price recorded for {selection} yet.").format(selection=selection_text(key.selection)),
    )


def origin_text(history: History, now_ms: int) -> str:
    """Return where a history comes from and since when: ``seen since 14:02``."""
    said = _SAID[history.origin]
    if history.since_ms is None or history.since_ms > now_ms:  # imported: of before it recorded
        return said
    moment, now = local_time(history.since_ms), local_time(now_ms)
    day = "" if moment.date() == now.date() else f"{date_text(moment, year=False)} "
    lacks = _("; older prices could not be read") if history.lacks else ""
    return _("{said} since {day}{moment}{lacks}").format(
        said=said, day=day, moment=hour_text(moment), lacks=lacks
    )


TICK_MS: Final = 1_000
_LEAST_TITLE: Final = 180
"""What "History" and a selection take, in pixels at texts of 100 %."""
_PICTURE: Final = QSize(900, 480)
_PICTURE_RATIO: Final = 2.0


class HistoryPanel(QtWidgets.QWidget):
    """Shows how the price of the last ``show_price`` moved; reads nothing while it is hidden."""

    def __init__(self, board: Board, theme: Theme, clock: Clock, run: Run = spawn) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._board = board
        self._theme = theme
        self._clock = clock
        self.model = HistoryModel(board, clock, run)
        self.chart = StepChart(theme, odds_text)
        self.legend = ChartLegend(theme, ChartPainter(theme, odds_text))
        self.placeholder = Placeholder(theme)
        self.origin = Label()
        self.origin.setProperty("variant", "note")
        self.origin.setFont(theme.fonts.small)
        self.title = ElidedLabel()
        self.title.setFont(theme.fonts.strong)
        self._pin_menu = SearchMenu(self)
        self._pin_menu.aboutToShow.connect(self._fill_pin_menu)
        self._line = QtWidgets.QBoxLayout(QtWidgets.QBoxLayout.Direction.LeftToRight)
        self.saver = TableSaver(self, self._file_name, self._table)
        self._make_buttons()
        self._lay_out()
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show_moment)
        self.model.changed.connect(self._show)
        theme.changed.connect(self._fit)
        self.legend.removed.connect(lambda name: self.model.pin(name, False))
        self._show(True)

    def close_panel(self) -> None:
        self._tick.stop()
        self.saver.abort_saving()
        self.model.stop_listening()

    def use_source(self, source: HistorySource) -> None:
        """Read from another source from now on."""
        self.model.use_source(source)

    def show_price(self, key: RowKey | None) -> None:
        """Show another price; None keeps to the one before."""
        self.model.show(key)

    def add_price(self, key: RowKey | None) -> None:
        """Add a price to the chart or remove it; chart another selection if it is not the same."""
        self.model.add_price(key)

    def forget_price(self) -> None:
        """Show no price: the board is about to hold another service's."""
        self.model.forget_price()

    def repaint_odds(self) -> None:
        """Repaint the odds in their new format."""
        self._show(False)

    def copy_picture(self) -> None:
        """Put the chart on the clipboard as a picture."""
        if self.chart.shown_data is not None:
            QGuiApplication.clipboard().setImage(self.chart.picture(_PICTURE, _PICTURE_RATIO))

    def save_picture(self) -> None:
        """Ask where to, and save the chart as a picture."""
        if self.chart.shown_data is None:
            return
        dialog = file_dialog(self, _("Save the chart"))
        dialog.setNameFilter(_("Pictures (*.png)"))
        dialog.selectFile(self._file_name())
        dialog.setAcceptMode(QtWidgets.QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("png")
        dialog.fileSelected.connect(lambda name: self.save_to(Path(name)))
        dialog.open()

    def save_to(self, path: Path) -> bool:
        """Save the chart as a picture, or show why that failed."""
        picture = QBuffer()
        picture.open(QBuffer.OpenModeFlag.WriteOnly)
        self.chart.picture(_PICTURE, _PICTURE_RATIO).save(picture, "PNG")  # type: ignore[call-overload]
        try:
            with whole_file(path) as file:
                file.write(picture.data().data())
        except OSError as error:
            self.origin.setText(
                _("Could not save {path}: {error}").format(
                    path=path, error=translated(error_text(error))
                )
            )
            return False
        self.origin.setText(_("Saved as {name}").format(name=path.name))
        return True

    def _make_buttons(self) -> None:
        self._pin = self._button(_("Add"), _("Add other bookmakers to the chart"), None)
        self._pin.setMenu(self._pin_menu)
        self._pin.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self._copy = self._button(
            _("Copy"), _("Copy the chart as a picture (Ctrl+C)"), self.copy_picture
        )
        self._save = self._button(_("Save"), _("Save the chart as a picture…"), self.save_picture)
        add_action(self, "history.copy", self.copy_picture)
        add_action(self, "history.save", self.save_picture)
        tip = _("Export the moves as a table…")
        self._export = self._button(_("Export"), tip, self.saver.ask_for_file)
        add_action(self, "history.export", self.saver.ask_for_file)
        add_action(self, "history.add", self._pin.showMenu)

    def _button(self, text: str, tip: str, act: object) -> QtWidgets.QToolButton:
        button = QtWidgets.QToolButton()
        button.setText(text)
        button.setProperty("variant", "plain")
        button.setToolTip(tip)
        button.setAccessibleName(tip.split(" (")[0].rstrip("…"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if callable(act):
            button.clicked.connect(lambda: act())
        return button

    def _lay_out(self) -> None:
        line = self._line
        line.setContentsMargins(spacing.LEAD, spacing.STEP, spacing.STEP, 0)
        line.setSpacing(0)
        line.addWidget(self.title, 1)
        buttons = spacing.horizontal(spacing=0)
        for button in (self._pin, self._copy, self._save, self._export):
            buttons.addWidget(button)
        buttons.addStretch()
        line.addLayout(buttons)
        foot = spacing.horizontal(
            None, self.origin, margins=(spacing.LEAD, 0, spacing.LEAD, spacing.STEP)
        )
        drawn = QtWidgets.QWidget()
        column = spacing.vertical(drawn, spacing=0)
        column.addWidget(self.legend)
        column.addWidget(self.chart, 1)
        column.addLayout(foot)
        body = QtWidgets.QWidget()
        self._stack = QtWidgets.QStackedLayout(body)
        self._stack.addWidget(drawn)
        self._stack.addWidget(self.placeholder)
        whole = spacing.vertical(self, spacing=0)
        whole.addLayout(line)
        whole.addWidget(body, 1)

    def _show(self, reset_zoom: bool) -> None:
        model, key = self.model, self.model.key
        self.title.show_text(
            _("History")
            if key is None
            else _("History · {selection}").format(selection=selection_text(key.selection))
        )
        data = model.chart_data()
        self._stack.setCurrentIndex(1 if data is None else 0)
        for button in (self._pin, self._copy, self._save, self._export):
            button.setVisible(data is not None)
        if data is None or model.history is None:
            state = state_without_lines(key, model.history, model.problem, self._board.connection)
            self.placeholder.show_state(state)
            self.chart.show_data(None)
            return
        self.chart.show_data(data, reset_zoom=reset_zoom)
        self.legend.show_lines(data.lines, model.pinned)
        self.origin.setText(origin_text(model.history, self._clock()))
        self.origin.setToolTip(_LACKS_TIP if model.history.lacks else "")
        words = described(data, exact_odds_text)
        self.chart.setAccessibleName(
            _("History of {selection}").format(
                selection=selection_text(key.selection) if key else ""
            )
        )
        self.chart.setAccessibleDescription(words)

    def _fit(self) -> None:
        """Put the buttons below the title where they would leave no room for a selection."""
        buttons = sum(
            each.sizeHint().width() for each in (self._pin, self._copy, self._save, self._export)
        )
        room = self.width() - spacing.LEAD - spacing.STEP - buttons
        is_narrow = room < self._theme.fonts.scaled(_LEAST_TITLE)
        direction = QtWidgets.QBoxLayout.Direction
        self._line.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _show_moment(self) -> None:
        """Extend the chart to the present, even where no price moves."""
        data = self.model.chart_data()
        if data is not None:
            self.chart.show_data(data)

    def _fill_pin_menu(self) -> None:
        menu = self._pin_menu
        menu.clear()
        for name in self.model.priced_bookmakers:
            action = menu.addAction(literal(name))
            action.setCheckable(True)
            action.setChecked(name in self.model.pinned)
            action.triggered.connect(lambda on, name=name: self.model.pin(name, on))
        menu.offer_search()

    def _table(self) -> Table:
        key, board = self.model.key, self._board
        game = None if key is None else board.games.get(key.game_id)
        return table_of_history(key, game, self.model.history)

    def _file_name(self) -> str:
        key = self.model.key
        words = "history" if key is None else f"{key.selection} {key.bookmaker}".strip()
        return "".join(letter if letter.isalnum() or letter in " .-+" else "_" for letter in words)

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick.start()
        self.model.wake(True)
        self._show(False)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tick.stop()
        self.model.wake(False)


_COLUMNS: Final = (
    *GAME,
    *SELECTION,
    ExportColumn("bookmaker", "Bookmaker"),
    ExportColumn("at", "From", Kind.TIME),
    ExportColumn("odds", "Odds", Kind.NUMBER),
)


def table_of_history(key: RowKey | None, game: GameEntry | None, history: History | None) -> Table:
    """Return every bookmaker's moves of a selection by time; without odds where withdrawn."""
    if key is None or history is None:
        return Table(_COLUMNS, [])
    known: tuple[str, str, str, str | None] = ("", "", "", None)
    if game is not None:
        known = (game.match_name, game.competition, game.sport, time_value(game.kick_off))
    moves = [(point.at, name, point.odds) for name, path in history.paths.items() for point in path]
    moves.sort(key=lambda move: move[:2])
    return Table(
        _COLUMNS,
        [(key.game_id, *known, *key[1:4], name, time_value(at), odds) for at, name, odds in moves],
    )
