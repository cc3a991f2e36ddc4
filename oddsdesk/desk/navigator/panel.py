"""The navigator: sports and competitions above, their games below, filtered as you type."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import (
    QAbstractItemModel,
    QDate,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
    QTextCharFormat,
)

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import shown_game
from oddsdesk.base.numbers import number_style
from oddsdesk.base.texts import _
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import (
    ConnectionChanged,
    GamesChanged,
    Link,
    Notice,
    ResultsChanged,
    ValueBetsChanged,
)
from oddsdesk.contract.resources import Game
from oddsdesk.desk.navigator.model import (
    ALL,
    GAME_ROLE,
    CompetitionDelegate,
    CompetitionsModel,
    Favourites,
    GameDelegate,
    GamesModel,
    Index,
)
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.buttons import Popup
from oddsdesk.desk.ui.controls.fields import FilterEdit
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.formatting import day_text, local_time, moment_text
from oddsdesk.desk.ui.spacing import GAP, STEP, horizontal, vertical
from oddsdesk.desk.ui.states import FEED, text_without_games
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_AGES_MS = 5_000
"""How often value bets are checked for having grown stale."""
_MOVES_MS = 1_000
"""Moved value bets are counted again this often at most; a list read from the service, at once."""


class Navigator(QtWidgets.QWidget):
    """Lists all games, with a filter; signals which one the user wants to see."""

    game_requested = Signal(str)
    """The id of a game that was clicked, or chosen with Enter."""
    new_tab_requested = Signal(str)
    """The same with Ctrl: open it in a new tab."""
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
        self.filter = FilterEdit(theme, _("Filter games"))
        self._only_favourites = QtWidgets.QToolButton()
        self._only_favourites.setCheckable(True)
        self._only_favourites.setProperty("variant", "plain")
        self._only_favourites.setAccessibleName(_("Favourites only"))
        self._only_favourites.setToolTip(
            _("Favourites only (Ctrl+Shift+F); press * on a game to add it")
        )
        self._only_favourites.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._past = PastBar(theme)
        self._tree = _tree(self._competitions, CompetitionDelegate(theme, clock))
        self._list = _list(self._games, GameDelegate(theme, clock))
        self._title = Label(ALL)
        self._title.setFont(theme.fonts.strong)
        self._count = Label()
        self._count.setProperty("variant", "note")
        self._server: QAction | None = None
        self._newest = QtWidgets.QPushButton()
        self._feed = QtWidgets.QPushButton(FEED)
        self._empty = Label(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._empty.setProperty("variant", "note")
        self._lay_out(layout)
        self._connect()
        self._ages = QTimer(self, interval=_AGES_MS)
        self._ages.timeout.connect(self._show_values)
        self._moves = QTimer(self, singleShot=True, interval=_MOVES_MS)
        self._moves.timeout.connect(self._show_values)
        self._unsubscribe = board.subscribe(
            self._on_board_notice,
            *(GamesChanged, ConnectionChanged, ResultsChanged, ValueBetsChanged),
        )
        self._show_games()

    def close_panel(self) -> None:
        self._ages.stop()
        self._moves.stop()
        self._unsubscribe()

    def show_current(self, game_id: str) -> None:
        """Mark the game that is open, without opening it again."""
        row = self._games.row_of_game(game_id)
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
        self._only_favourites.setChecked(True)

    def _lay_out(self, layout: Layout) -> None:
        top = QtWidgets.QFrame()
        top.setProperty("variant", "panel")
        upper = vertical(top, margins=(0, STEP, 0, 0), spacing=STEP)
        search = horizontal(None, self.filter, self._only_favourites, margins=(GAP, 0, GAP, 0))
        upper.addLayout(search)
        upper.addWidget(self._past)
        upper.addWidget(self._tree)

        header = QtWidgets.QFrame()
        header.setProperty("variant", "bar")
        line = horizontal(header, margins=(GAP, STEP, GAP, STEP))
        line.addWidget(self._title)
        line.addStretch()
        line.addWidget(self._count)

        body = QtWidgets.QFrame()
        body.setProperty("variant", "panel")
        self._stack = QtWidgets.QStackedLayout(body)
        self._stack.addWidget(self._list)
        self._stack.addWidget(self._without_games())
        bottom = QtWidgets.QWidget()
        lower = vertical(bottom, spacing=0)
        lower.addWidget(header)
        lower.addWidget(body, 1)

        vertical(self, Split(self._theme, layout, top, bottom))

    def _without_games(self) -> QtWidgets.QWidget:
        holder = QtWidgets.QWidget()
        column = vertical(holder, margins=(GAP, GAP, GAP, GAP), spacing=STEP)
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
        self._list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._list.customContextMenuRequested.connect(self._on_list_menu_requested)
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
        self._show_scores()
        self._show_counts()

    def _show_scores(self) -> None:
        games = self._board.games.values()
        scores = ((game.game_id, self._board.score_of(game)) for game in games)
        self._games.show_scores({ident: score for ident, score in scores if score is not None})

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
            self._tree.setCurrentIndex(self._competitions.find_scope(None, None))

    def _show_counts(self) -> None:
        shown, total = self._games.rowCount(), self._games.total
        self._count.setText(
            _("{shown} of {total}").format(shown=shown, total=total)
            if shown != total
            else f"{total}"
        )
        filtered = bool(self.filter.text().strip())
        is_only = self._only_favourites.isChecked()
        name = _("Favourites") if is_only else self._games.scope_name
        self._title.setText(_("Matches") if filtered else name)
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
            self._newest.setText(_("Games of {day}").format(day=day_text(connection.newest_ms)))
        if not total:
            self._empty.setText(text_without_games(connection, own_server=own_server))
        elif not shown and is_only and not filtered:
            self._empty.setText(_("No favourite has prices now. Press * on a game to add it."))
        elif not shown:
            self._empty.setText(
                _("No game matches “{text}”.").format(text=self.filter.text().strip())
            )

    def refresh_times(self) -> None:
        """Update kick-off times after the clock was set to another moment."""
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
        self._games.show_favourites(self._favourites.game_ids)
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
        elif isinstance(notice, ResultsChanged):
            self._show_scores()
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
        self._games.choose_scope(*self._competitions.scope(current))
        self._show_counts()

    def _on_list_chosen(self, index: QModelIndex) -> None:
        in_new_tab = (
            QtWidgets.QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        )
        requested = self.new_tab_requested if in_new_tab else self.game_requested
        requested.emit(index.data(GAME_ROLE).game_id)

    def _on_list_menu_requested(self, spot: QPoint) -> None:
        index = self._list.indexAt(spot)
        if index.isValid():
            menu = self.menu_of(index.data(GAME_ROLE))
            menu.popup(self._list.viewport().mapToGlobal(spot))

    def menu_of(self, game: Game) -> QtWidgets.QMenu:
        """Return what can be done with a game; the menu deletes itself once it is closed."""
        menu = QtWidgets.QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ident = game.game_id
        menu.addAction(_("Open"), lambda: self.game_requested.emit(ident))
        menu.addAction(_("Open in a new tab"), lambda: self.new_tab_requested.emit(ident))
        menu.addSeparator()
        favourite = menu.addAction(_("Favourite"), lambda: self._favourites.toggle(ident))
        favourite.setCheckable(True)
        favourite.setChecked(ident in self._favourites)
        name = shown_game(game.match_name)
        menu.addAction(_("Copy name"), lambda: QGuiApplication.clipboard().setText(name))
        return menu

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

    def showEvent(self, event: QShowEvent) -> None:
        self._show_values()
        self._ages.start()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ages.stop()


def _tree(model: CompetitionsModel, delegate: CompetitionDelegate) -> QtWidgets.QTreeView:
    view = QtWidgets.QTreeView(headerHidden=True, uniformRowHeights=True, indentation=14)
    view.setAccessibleName(_("Sports and competitions"))
    _set_up(view, model, delegate)
    return view


class _GameList(QtWidgets.QListView):
    """Paints the rows that differ, and no others; Qt lays out and paints the whole list for one."""

    # Qt's virtuals

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        QtWidgets.QAbstractItemView.dataChanged(self, first, last, roles)  # rows are of one size


def _list(model: GamesModel, delegate: GameDelegate) -> QtWidgets.QListView:
    view = _GameList(uniformItemSizes=True)
    view.setAccessibleName(_("Games"))
    _set_up(view, model, delegate)
    return view


def _set_up(
    view: QtWidgets.QAbstractItemView,
    model: QAbstractItemModel,
    delegate: QtWidgets.QStyledItemDelegate,
) -> None:
    view.setModel(model)
    delegate.setParent(view)
    view.setItemDelegate(delegate)
    view.setMouseTracking(True)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollMode.ScrollPerPixel)


_CHOICE: Final = _("Past day…")
_SHORT_CHOICE: Final = _("Past…")
_BACK: Final = _("Back to now")


class PastBar(QtWidgets.QWidget):
    """Which date's games are shown, as a button that asks for another, and back to now."""

    day_wanted = Signal()
    now_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.day = QtWidgets.QPushButton()
        self.day.setToolTip(_("Past day: closing view of its games (Ctrl+J)"))
        self.day.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Fixed
        )
        self.day.clicked.connect(self.day_wanted)
        self.now = QtWidgets.QPushButton(_BACK)
        self.now.setToolTip(_("Back to current prices (Esc)"))
        self.now.clicked.connect(self.now_wanted)
        horizontal(self, self.day, self.now, margins=(GAP, 0, GAP, 0), spacing=STEP)
        self._theme = theme
        self._said: tuple[tuple[str, str], ...] = ()
        theme.changed.connect(self._fit)
        self.show_moment(None)

    def show_moment(self, at_ms: int | None) -> None:
        """Say which moment is shown; None is now."""
        self.day.setFont(self._theme.fonts.body if at_ms is None else self._theme.fonts.strong)
        if at_ms is None:
            self._said, name = ((_CHOICE, ""), (_SHORT_CHOICE, "")), _CHOICE
        else:
            day = day_text(at_ms)
            name = _("Games of {day}, shown as of {moment}").format(
                day=day, moment=moment_text(at_ms)
            )
            self._said = (
                (_("Games of {day}").format(day=day), _BACK),
                (day, _BACK),
                (day, _("Now")),
                (day, ""),
            )
        self.day.setAccessibleName(name)
        self.now.setAccessibleName(_BACK)
        self._fit()

    def _fit(self) -> None:
        """Say less where it is narrow: a panel that grew for it would make the window wider.

        The time line leads back to now, too, and Escape.
        """
        room = self.width() - 2 * GAP
        for day, now in self._said:
            self.day.setText(day)
            self.now.setText(now)
            taken = STEP + self.now.sizeHint().width() if now else 0
            if self.day.sizeHint().width() + taken <= room:
                break
        self.now.setVisible(bool(now))

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class DayPopup(Popup):
    """A calendar; a click or Enter on a day chooses it."""

    day_chosen = Signal(object)
    """A ``date``."""

    def __init__(self, parent: QtWidgets.QWidget, shown_ms: int) -> None:
        super().__init__(parent, _("Past day: closing view"))
        shown = local_time(shown_ms).date()
        self.calendar = QtWidgets.QCalendarWidget()
        self.calendar.setAccessibleName(_("Date"))
        self.calendar.setVerticalHeaderFormat(
            QtWidgets.QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader
        )
        for weekend in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):  # Qt writes them in red
            self.calendar.setWeekdayTextFormat(weekend, QTextCharFormat())
        self.calendar.setFirstDayOfWeek(Qt.DayOfWeek(number_style().first_weekday + 1))
        self.calendar.setMaximumDate(QDate.currentDate())
        self.calendar.setSelectedDate(QDate(shown.year, shown.month, shown.day))
        self.calendar.clicked.connect(self._on_calendar_chosen)
        self.calendar.activated.connect(self._on_calendar_chosen)
        self.column.addWidget(self.calendar)
        self.calendar.setFocus()

    def _on_calendar_chosen(self, day: QDate) -> None:
        self.day_chosen.emit(date(day.year(), day.month(), day.day()))
        self.close()


_HEIGHT: Final = 260
_KEPT_AFTER_MS: Final = 500


class Split(QtWidgets.QSplitter):
    """Gives the upper part the height that the user gave it, as much larger as texts are."""

    def __init__(
        self, theme: Theme, layout: Layout, upper: QtWidgets.QWidget, lower: QtWidgets.QWidget
    ) -> None:
        super().__init__(Qt.Orientation.Vertical, handleWidth=1, childrenCollapsible=False)
        self._theme = theme
        self._saved = Saved(layout, "navigator/upper_height", int, _HEIGHT)
        self._height = self._saved.get_value()
        """At texts of 100 %."""
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEPT_AFTER_MS)
        self._keep_soon.timeout.connect(lambda: self._saved.keep_value(self._height))
        self.addWidget(upper)
        self.addWidget(lower)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._on_splitter_moved)
        theme.changed.connect(self._fit)

    def _fit(self) -> None:
        """Lay both out; games have half of the height, however large texts are."""
        whole = self.height()
        upper = min(self._theme.fonts.scaled(self._height), max(self._height, whole // 2))
        self.setSizes([upper, whole - upper])

    def _on_splitter_moved(self) -> None:
        self._height = round(self.sizes()[0] * 100 / self._theme.text_size)
        self._keep_soon.start()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
