"""The navigator: sports and competitions above, their games below, filtered as you type."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedLayout,
    QStyledItemDelegate,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.notices import ConnectionChanged, GamesChanged, Notice, ValueBetsChanged
from oddsdesk.clock import Clock
from oddsdesk.desk.navigator.day_choice import PastBar
from oddsdesk.desk.navigator.favourites import Favourites
from oddsdesk.desk.navigator.items import CompetitionDelegate, GameDelegate
from oddsdesk.desk.navigator.model import ALL, GAME_ROLE, CompetitionsModel, GamesModel, Index
from oddsdesk.desk.navigator.split import Split
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.filter_edit import name_clear_button
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.states import FEED, text_without_games
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, STEP, TextRole
from oddsdesk.desk.ui.time_format import day_text, local_time

_AGES_MS = 5_000
"""How often value bets are checked for having grown stale."""
_MOVES_MS = 1_000
"""Moved value bets are counted again this often at most; a list read from the service, at once."""


class Navigator(QWidget):
    """Lists all games, with a filter; signals which one the user wants to see."""

    game_requested = Signal(str)
    """The id of a game that was clicked, or chosen with Enter."""
    game_beside_requested = Signal(str)
    """The same with Ctrl: it wants a tab of its own."""
    day_requested = Signal(object)
    """The ``date`` whose games the user wants to see as they stood."""
    now_requested = Signal()
    """The user wants to go back to the present."""

    def __init__(
        self, board: Board, theme: Theme, clock: Clock, favourites: Favourites, layout: Layout
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._theme = theme
        self._clock = clock
        self._favourites = favourites
        self._competitions = CompetitionsModel()
        self._games = GamesModel()
        self.filter = QLineEdit(placeholderText="Filter games", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter games")
        search = self.filter.addAction(
            theme.icon("search"), QLineEdit.ActionPosition.LeadingPosition
        )
        search.setToolTip("Filter games")
        name_clear_button(self.filter)
        self._only_favourites = QToolButton()
        self._only_favourites.setCheckable(True)
        self._only_favourites.setProperty("variant", "plain")
        self._only_favourites.setAccessibleName("Favourites only")
        self._only_favourites.setToolTip("Favourites only (Ctrl+Shift+F); * adds a game")
        self._only_favourites.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._past = PastBar(theme)
        self._tree = _tree(self._competitions, CompetitionDelegate(theme, clock))
        self._list = _list(self._games, GameDelegate(theme, clock))
        self._title = Label(ALL)
        self._title.setFont(theme.fonts.strong)
        self._count = Label()
        self._count.setProperty("variant", "note")
        self._server: QAction | None = None
        self._newest = QPushButton()
        self._feed = QPushButton(FEED)
        self._empty = Label(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._empty.setProperty("variant", "note")
        self._lay_out(layout)
        self._connect()
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self._show_values)
        self._moves = QTimer(self, singleShot=True, interval=_MOVES_MS)
        self._moves.timeout.connect(self._show_values)
        self._ages.start()
        self._unsubscribe = board.subscribe(
            self._on_board_notice, GamesChanged, ConnectionChanged, ValueBetsChanged
        )
        self._show_games()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._ages.stop()
        self._moves.stop()
        self._unsubscribe()

    def show_current(self, game_id: str) -> None:
        """Mark the game that is open, without opening it again."""
        row = self._games.row_of(game_id)
        if row is not None and self._list.currentIndex().row() != row:
            self._list.setCurrentIndex(self._games.index(row))

    def offer_server(self, action: QAction) -> None:
        """Offer to feed the desk's own server where there are no games, while that can be."""
        self._server = action
        self._feed.clicked.connect(action.trigger)
        action.changed.connect(self._show_counts)
        self._show_counts()

    def choose_day(self) -> None:
        """Let the user pick the date whose games to show."""
        from oddsdesk.desk.navigator.day_popup import DayPopup  # noqa: PLC0415 - few starts need it

        shown = self._board.connection.as_of_ms
        popup = DayPopup(self, self._clock() if shown is None else shown)
        popup.day_chosen.connect(self.day_requested)
        popup.open_below(self.filter)

    def focus_filter(self) -> None:
        """Let the user type what games to show."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()

    def toggle_favourites(self) -> None:
        """Show favourites only, or all again."""
        self._only_favourites.toggle()

    def show_favourites(self) -> None:
        """Show favourites only."""
        self._only_favourites.setChecked(True)

    def _lay_out(self, layout: Layout) -> None:
        top = QFrame()
        top.setProperty("variant", "panel")
        upper = QVBoxLayout(top)
        upper.setContentsMargins(0, STEP, 0, 0)
        upper.setSpacing(STEP)
        search = QHBoxLayout()
        search.setContentsMargins(GAP, 0, GAP, 0)
        search.addWidget(self.filter)
        search.addWidget(self._only_favourites)
        upper.addLayout(search)
        upper.addWidget(self._past)
        upper.addWidget(self._tree)

        header = QFrame()
        header.setProperty("variant", "bar")
        line = QHBoxLayout(header)
        line.setContentsMargins(GAP, STEP, GAP, STEP)
        line.addWidget(self._title)
        line.addStretch()
        line.addWidget(self._count)

        body = QFrame()
        body.setProperty("variant", "panel")
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._list)
        self._stack.addWidget(self._without_games())
        bottom = QWidget()
        lower = QVBoxLayout(bottom)
        lower.setContentsMargins(0, 0, 0, 0)
        lower.setSpacing(0)
        lower.addWidget(header)
        lower.addWidget(body, 1)

        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(Split(self._theme, layout, top, bottom))

    def _without_games(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(STEP)
        column.addStretch(1)
        column.addWidget(self._empty)
        column.addWidget(self._newest, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._feed, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        return holder

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._on_filter_text_changed)
        chosen = self._tree.selectionModel()
        chosen.currentChanged.connect(self._on_tree_current_changed)
        chosen.selectionChanged.connect(self._choose_all_for_none)
        self._list.clicked.connect(self._on_list_chosen)
        self._list.activated.connect(self._on_list_chosen)
        self._only_favourites.toggled.connect(self._on_only_favourites_toggled)
        self._favourites.changed.connect(self._show_favourites)
        self._theme.changed.connect(self._show_star)
        self._past.day_wanted.connect(self.choose_day)
        self._past.now_wanted.connect(self.now_requested)
        self._newest.clicked.connect(self._on_newest_clicked)
        add_action(self._list, "navigator.favourite", self._toggle_favourite)
        self._show_star()
        self._show_favourites()

    def _show_games(self) -> None:
        self._favourites.see(self._board.games)
        self._competitions.show_games(self._board.games.values())
        self._choose_all_for_none()
        with self._keeping_place():
            self._games.show_games(self._board.games.values())
        self._show_counts()

    @contextmanager
    def _keeping_place(self) -> Iterator[None]:
        """Have a scrolled list show the same games: the current one in its place, or the first."""
        bar, port = self._list.verticalScrollBar(), self._list.viewport().rect()
        current, first = self._list.currentIndex(), self._list.indexAt(port.topLeft())
        is_seen = current.isValid() and port.intersects(self._list.visualRect(current))
        anchor = QPersistentModelIndex(current if is_seen else first)
        top = self._list.visualRect(anchor).top()
        yield
        if bar.value() and anchor.isValid():
            bar.setValue(bar.value() + self._list.visualRect(anchor).top() - top)

    def _choose_all_for_none(self) -> None:
        """Have a row chosen always: what is listed is what is marked."""
        if not self._tree.selectionModel().hasSelection():
            self._tree.setCurrentIndex(self._competitions.find(None, None))

    def _show_counts(self) -> None:
        shown, total = self._games.rowCount(), self._games.total
        self._count.setText(f"{shown} of {total}" if shown != total else f"{total}")
        filtered = bool(self.filter.text().strip())
        is_only = self._only_favourites.isChecked()
        name = "Favourites" if is_only else self._games.scope_name
        self._title.setText("Found" if filtered else name)
        self._past.show_moment(self._board.connection.as_of_ms)
        self._stack.setCurrentIndex(0 if shown else 1)
        own_server = self._server is not None and self._server.isEnabled()
        connection = self._board.connection
        is_heard = connection.link in (Link.LIVE, Link.POLLING)
        self._feed.setVisible(not total and own_server and is_heard)
        self._past.setEnabled(own_server or is_heard or connection.as_of_ms is not None)
        has_past = connection.newest_ms is not None
        self._newest.setVisible(not total and own_server and is_heard and has_past)
        if connection.newest_ms is not None:
            self._newest.setText(f"Games of {day_text(connection.newest_ms)}")
        if not total:
            self._empty.setText(text_without_games(connection, own_server=own_server))
        elif not shown and is_only and not filtered:
            self._empty.setText("No favourite is quoted now. * on a game adds it.")
        elif not shown:
            self._empty.setText(f"No game matches “{self.filter.text().strip()}”.")

    def refresh_times(self) -> None:
        """Write kick-offs anew, as the clock was set to another moment."""
        self._list.viewport().update()

    def _show_values(self) -> None:
        looks_back = self._board.connection.as_of_ms is not None
        values = () if looks_back else self._board.values_now()
        value = {price.outcome for price in values}
        self._games.show_values(game_id for game_id, *_ in value)

    def _toggle_favourite(self) -> None:
        game = self._list.currentIndex().data(GAME_ROLE)
        if game is not None:
            self._favourites.toggle(game.game_id)

    def _show_favourites(self) -> None:
        self._games.show_favourites(self._favourites.games)
        self._show_counts()

    def _show_star(self) -> None:
        is_on = self._only_favourites.isChecked()
        self._only_favourites.setIcon(
            self._theme.icon(
                "star-filled" if is_on else "star", TextRole.ACCENT if is_on else TextRole.NOTE
            )
        )

    def _on_only_favourites_toggled(self, is_on: bool) -> None:
        self._games.show_only_favourites(is_on)
        self._show_star()
        self._show_counts()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, GamesChanged):
            self._show_games()
        elif isinstance(notice, ConnectionChanged):
            self._show_counts()
        elif isinstance(notice, ValueBetsChanged) and not notice.moved:
            self._show_values()
        elif isinstance(notice, ValueBetsChanged) and not self._moves.isActive():
            self._moves.start()

    def _on_newest_clicked(self) -> None:
        newest = self._board.connection.newest_ms
        if newest is not None:
            self.day_requested.emit(local_time(newest).date())

    def _on_filter_text_changed(self, text: str) -> None:
        self._games.filter_by(text)
        self._show_counts()

    def _on_tree_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._games.choose(*self._competitions.scope(current))
        self._show_counts()

    def _on_list_chosen(self, index: QModelIndex) -> None:
        beside = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        requested = self.game_beside_requested if beside else self.game_requested
        requested.emit(index.data(GAME_ROLE).game_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.filter.text():
            self.filter.clear()
        elif event.key() == Qt.Key.Key_Escape and self._board.connection.as_of_ms is not None:
            self.now_requested.emit()
        elif event.key() == Qt.Key.Key_Down and self.filter.hasFocus():
            if not self._games.rowCount():
                return  # a list that is not there would take the keyboard once it is
            self._list.setFocus(Qt.FocusReason.TabFocusReason)
            if not self._list.selectionModel().hasSelection():
                # Qt makes the first row current, but does not show it.
                self._list.setCurrentIndex(self._games.index(0))
        else:
            super().keyPressEvent(event)


def _tree(model: CompetitionsModel, delegate: CompetitionDelegate) -> QTreeView:
    view = QTreeView(headerHidden=True, uniformRowHeights=True, indentation=14)
    view.setAccessibleName("Sports and competitions")
    _set_up(view, model, delegate)
    return view


class _GameList(QListView):
    """Paints the rows that differ, and no others; Qt lays out and paints the whole list for one."""

    # Qt's virtuals

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, first, last, roles)  # rows are of one size


def _list(model: GamesModel, delegate: GameDelegate) -> QListView:
    view = _GameList(uniformItemSizes=True)
    view.setAccessibleName("Games")
    _set_up(view, model, delegate)
    return view


def _set_up(
    view: QAbstractItemView, model: QAbstractItemModel, delegate: QStyledItemDelegate
) -> None:
    view.setModel(model)
    delegate.setParent(view)
    view.setItemDelegate(delegate)
    view.setMouseTracking(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
