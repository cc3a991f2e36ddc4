"""The composition root: builds connection, board and window, and connects them."""

import asyncio
import gc
import logging
from collections.abc import Iterator
from functools import partial
from typing import Final, TypeVar

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QFont, QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QHBoxLayout, QPushButton, QWidget

from oddsdesk import __version__
from oddsdesk.base.clock import MomentClock, system_clock
from oddsdesk.base.ending import Ending
from oddsdesk.base.places import default_ledger, settings_folder
from oddsdesk.base.tasks import cancel_tasks, in_slices, spawn
from oddsdesk.base.texts import _
from oddsdesk.board.board import Board
from oddsdesk.board.history.sources import PriceLog
from oddsdesk.board.model.notices import ConnectionChanged, Notice
from oddsdesk.contract.administration import LocalServerError
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.connections.manager import (
    ConnectionManager,
    InUseError,
    MissingKeyError,
    RemoteSession,
    ServiceSession,
    SessionError,
)
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    Profile,
    Profiles,
    RemoteProfile,
    Secrets,
)
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import (
    AT_START,
    COLOUR_BLIND,
    DERIVED,
    FLASH,
    INTRODUCTION,
    METHOD,
    MINE,
    REFERENCE,
    SCHEME,
    SETTLE_BETS,
    VALUE_RULES,
    Whole,
    close_by,
    derived_choice,
    list_rules,
)
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.closing_lines import ClosingLineWriter, ReadLog
from oddsdesk.desk.shell.connections import Connections, DeskDialogs
from oddsdesk.desk.shell.embedding import (
    EmbeddedSession,
    GuestSession,
    closes_in,
    database_here,
    service_of,
)
from oddsdesk.desk.shell.looking_back import LookingBack, PastOpener
from oddsdesk.desk.shell.loop import Garbage, run_on_qt
from oddsdesk.desk.shell.messages import log_connection
from oddsdesk.desk.shell.navigation import setting_entries
from oddsdesk.desk.shell.settlement import BetSettlement
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.local_server import LocalServer
from oddsdesk.desk.ui.qt_texts import translate_qt
from oddsdesk.desk.ui.spacing import GAP, HALF, LEAD, STEP, vertical
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.ledger.own_tables import known_bands, known_weights


class Revaluation:
    """Revalues all prices of a board, a few milliseconds at a time."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def __call__(self, steps: Iterator[None]) -> None:
        """Run the steps, cancelling an unfinished run."""
        if self._task is not None:
            self._task.cancel()
        self._task = spawn("revalue prices", in_slices(steps))


_RULES: Final = {setting.key for setting in VALUE_RULES.settings}


class Effects(QObject):
    """Applies changed settings to the theme and the board."""

    method_changed = Signal(str)
    """The devig method has changed."""
    bookmakers_changed = Signal()
    """The user's bookmakers have changed."""

    def __init__(self, preferences: Preferences, theme: Theme, board: Board) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        self._board = board
        theme.flashes = preferences.get_setting(FLASH)
        preferences.changed.connect(self._on_preferences_changed)

    def _on_preferences_changed(self, key: str) -> None:
        get = self._preferences.get_setting
        if key in (SCHEME.key, COLOUR_BLIND.key):
            self._theme.choose_scheme(Scheme(get(SCHEME)), colour_blind=get(COLOUR_BLIND))
        elif key == FLASH.key:
            self._theme.flashes = get(FLASH)
        elif key == METHOD.key:
            self._board.set_bands(_logged(known_bands(get(METHOD))))
            self._board.set_method(get(METHOD))
            self.method_changed.emit(get(METHOD))
        elif key == REFERENCE.key:
            self._board.choose_reference(get(REFERENCE))
        elif key == DERIVED.key:
            self._board.set_derived(derived_choice(get))
        elif key in _RULES:
            self._board.set_rules(list_rules(get))
        elif key == MINE.key:
            self._board.set_bookmakers(get(MINE))
            self.bookmakers_changed.emit()


KEEP_DAYS_KEY: Final = "server/keep_days"
"""Its key up to 0.1; it is kept in databases since."""
_DAYS: Final = Whole(1, 3_650)

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


def _logged(known: tuple[_T, list[str]]) -> _T:
    """Return the content of the user's own file, and log its problems."""
    found, problems = known
    for problem in problems:
        _log.warning("%s", problem)
    return found


class OldRetention(QObject):
    """Moves the retention from the settings of an older version to the first database without
    one."""

    def __init__(self, layout: Layout, manager: ConnectionManager) -> None:
        super().__init__()
        self._layout = layout
        self._manager = manager
        manager.entered.connect(self._on_manager_entered)

    def _on_manager_entered(self) -> None:
        session = self._manager.session
        word = self._layout.get_word(KEEP_DAYS_KEY, "")
        if word and session is not None and session.local is not None:
            spawn("hand over retention", self._hand_over(session.local, word))

    async def _hand_over(self, server: LocalServer, word: str) -> None:
        try:
            handed_over = await server.keep_days_unless_set(_DAYS.parse_word(word))
        except ValueError:
            _log.warning("setting %s: %r cannot be used; ignored", KEEP_DAYS_KEY, word)
            handed_over = True
        except LocalServerError as error:
            _log.info(
                "setting %s stays in the settings until a database accepts it: %s",
                KEEP_DAYS_KEY,
                error,
            )
            return
        if handed_over:
            self._layout.remove_word(KEEP_DAYS_KEY)


class Start(msgspec.Struct, frozen=True):
    """The command line's choices; a profile of None means the one in the settings."""

    profile: Profile | None = None
    devig_method: str | None = None
    """For this run only; None for the setting."""


class Root:
    """Objects that live as long as the program: settings, saved connections, keys."""

    def __init__(self, start: Start) -> None:
        self.layout = Layout()
        self.preferences = Preferences(self.layout)
        self.profiles = Profiles(settings_folder())
        self.secrets = Secrets(settings_folder())
        self.method = start.devig_method or self.preferences.get_setting(METHOD)
        self.was_asked = start.profile is not None
        self.first = self._first_session(start.profile or self._usual_profile())

    def make_session(self, profile: Profile) -> ServiceSession:
        """Return a session that is checked before it is used."""
        if isinstance(profile, RemoteProfile):
            return RemoteSession(profile, self.secrets, asks_first=True)
        if profile.guest:
            return GuestSession(profile, system_clock)
        return EmbeddedSession(profile, system_clock)

    def _usual_profile(self) -> Profile:
        if self.preferences.get_setting(AT_START) == "last":
            return self.profiles.last
        return self.profiles.find_profile(EMBEDDED_NAME)

    def _first_session(self, profile: Profile) -> ServiceSession:
        """Return the first session: the server starts in parallel with Qt; a service may be
        away."""
        if isinstance(profile, RemoteProfile):
            return RemoteSession(profile, self.secrets, asks_first=False)
        session = EmbeddedSession(profile, system_clock)
        session.begin_session()
        return session


def run_desk(start: Start) -> None:
    """Open the desk and return after it was closed.

    Raises:
        SessionError: The connection named on the command line failed; one line.
    """
    gc.freeze()
    ending = Ending()
    ending.then(lambda: None)  # until there is a window
    ending.listen()
    root = Root(start)
    app = QApplication(["oddsdesk"])
    app.setApplicationName("oddsdesk")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("org.oddsdesk.oddsdesk")
    translate_qt(app)
    garbage = Garbage(app)
    try:
        failure = run_on_qt(app, lambda: _run(app, root, ending, garbage))
    finally:
        ending.listen()  # the loop no longer handles signals, and a second one may arrive
    if failure is not None:
        raise SessionError(failure)


async def _run(app: QApplication, root: Root, ending: Ending, garbage: Garbage) -> str | None:
    """Return why there is no connection, or None; an exception would keep widgets alive."""
    get = root.preferences.get_setting
    theme = Theme(app, Scheme(get(SCHEME)), colour_blind=get(COLOUR_BLIND))
    clock = MomentClock()
    board = Board(clock, root.method, Revaluation())
    log_connection(board)
    records = Records(default_ledger())
    desk = Desk(board, theme, root.layout, root.preferences, records, clock, clock.now)
    manager = ConnectionManager(board, clock, root.make_session)
    looking_back = LookingBack(manager, board, clock)
    desk.offer_past(looking_back)
    past_opener = PastOpener(looking_back, manager, board, clock.now)
    manager.left.connect(desk.reset_desk)
    manager.entered.connect(desk.enter_service)
    desk.connect_reading(manager)
    manager.entered.connect(lambda: _tell_service(manager, desk))
    manager.entered.connect(lambda: desk.read_history(_price_log(manager), manager.client))
    closing = ClosingLineWriter(
        board, clock, records, desk.follow_games, partial(close_by, root.preferences.get_setting)
    )
    root.preferences.changed.connect(closing.follow_again)
    fill_closes_from_log(closing, manager)
    desk.bets.then(lambda panel: panel.close_again_requested.connect(closing.close_again))
    closing.closed_again.connect(lambda text: desk.bets().say_closed_again(text))
    settlement = BetSettlement(
        board, clock.now, records, lambda: get(SETTLE_BETS), lambda: manager.client
    )
    root.preferences.changed.connect(lambda _key: settlement.look_soon())
    settlement.settled.connect(desk.say_settled)
    settlement.corrected.connect(desk.say_to_check)
    settlement.rules_unread.connect(partial(desk.window.messages.warn, "settlement rules"))
    manager.entered.connect(lambda: desk.research.read_log_of(database_here(manager.session)))
    effects = Effects(root.preferences, theme, board)
    old_retention = OldRetention(root.layout, manager)
    effects.method_changed.connect(desk.status_bar.show_method)
    effects.bookmakers_changed.connect(desk.arrange_bookmakers)
    bookmakers = BookmakersController(
        theme, root.preferences, desk.window, board.bookmakers_with_prices
    )
    board.set_profiles(bookmakers.profiles)
    records.money_changed.connect(lambda: board.set_rates(records.book.rates_at(clock.now())))
    board.set_rates(records.book.rates_at(clock.now()))  # if it was read before
    board.set_bookmakers(get(MINE))
    board.set_rules(list_rules(get))
    board.set_derived(derived_choice(get))
    board.set_learned(_logged(known_weights()))
    board.set_bands(_logged(known_bands(root.method)))
    board.choose_reference(get(REFERENCE))
    bookmakers.profiles_changed.connect(board.set_profiles)
    connections = _connections(desk, theme, manager, root, bookmakers, past_opener)
    connections.restored.connect(records.read_again)
    manager.entered.connect(desk.alerting.controller.read_rules)
    desk.first_paint.painted.connect(partial(_prices_are_shown, manager))
    desk.late_panels.begun.connect(garbage.begin_collecting)
    desk.window.visibility_changed.connect(garbage.follow_window)
    importing = desk.around.actions["server.import"]
    introduction = Introduction(theme, board, root.preferences, importing)
    introduction.live_requested.connect(connections.get_live_odds)
    introduction.service_requested.connect(connections.add_connection)
    desk.window.put_notice(introduction)
    try:
        return await _until_closed(desk, connections, root, ending)
    finally:
        desk.window.hide()
        await closing.stop_writer()
        await settlement.stop_settling()
        await desk.alerting.controller.close_alerts()
        past_opener.stop_opener()
        await looking_back.cancel_looking_back()
        await connections.end_connections()
        introduction.close_panel()
        old_retention.deleteLater()
        desk.close_desk()
        records.close_records()


def _tell_service(manager: ConnectionManager, desk: Desk) -> None:
    if manager.session is not None:
        desk.around.open_games.enter(service_of(manager.session))


def _prices_are_shown(manager: ConnectionManager) -> None:
    session = manager.session
    if session is not None and session.local is not None:
        session.local.prices_are_shown()


def fill_closes_from_log(closing: ClosingLineWriter, manager: ConnectionManager) -> None:
    """Fill in closing lines from the log of each new connection."""
    manager.entered.connect(lambda: closing.read_log(_closes(manager)))


def _closes(manager: ConnectionManager) -> ReadLog | None:
    database = database_here(manager.session)
    return None if database is None else partial(closes_in, database)


def _price_log(manager: ConnectionManager) -> PriceLog | None:
    session = manager.session
    return None if session is None or session.local is None else session.local.log


def _connections(
    desk: Desk,
    theme: Theme,
    manager: ConnectionManager,
    root: Root,
    bookmakers: BookmakersController,
    past_opener: PastOpener,
) -> Connections:
    dialogs = DeskDialogs(
        desk.window,
        theme,
        root.preferences,
        root.profiles,
        root.secrets,
        manager,
        system_clock,
        desk.around.reference.bookmakers,
    )
    desk.offer_settings(dialogs.open_settings)
    desk.around.palette.add_provider(setting_entries(dialogs.open_settings))
    desk.offer_bookmakers(bookmakers)
    dialogs.bookmakers_requested.connect(bookmakers.open_dialog)
    dialogs.day_requested.connect(desk.navigator.day_requested)
    dialogs.past_imported.connect(past_opener.show_imported)
    connections = Connections(
        desk.window,
        desk.top_bar,
        desk.connections_menu,
        manager,
        root.profiles,
        dialogs,
        desk.around.actions,
        desk.around.palette,
    )
    desk.offer_server(connections.live_here)
    return connections


async def _until_closed(
    desk: Desk, connections: Connections, root: Root, ending: Ending
) -> str | None:
    closed = asyncio.Event()
    desk.window.closed.connect(closed.set)
    desk.window.closed.connect(ending.limit)
    desk.window.restore_window()
    desk.window.show()
    ending.listen_on(asyncio.get_running_loop())
    ending.then(desk.window.quit)
    ended = spawn("desk: closed", closed.wait())
    opening = spawn("desk: first connection", connections.open_first(root.first))
    await asyncio.wait([ended, opening], return_when=asyncio.FIRST_COMPLETED)
    if opening.done() and opening.exception() is None and (error := opening.result()) is not None:
        if root.was_asked and not isinstance(error, InUseError | MissingKeyError):
            return str(error)  # for other errors the window offers what to do
        connections.show_error(root.first.profile, error)
    await ended
    await cancel_tasks(opening)
    return None


_WHAT = _(
    "oddsdesk compares many bookmakers with a sharp one and marks value: prices "
    "above the fair odds."
)
_SIMULATED = _("These odds are simulated: no bookmaker offers them.")
_MIXED = _("Some of these odds are simulated: no bookmaker offers those.")
_SHIFTED = _("Some of these odds are old, with shifted times: no bookmaker offers those any more.")
_REAL = _("These odds come from the connection named above.")
_HOW = _(
    "For real odds, get live odds (some sources need no key), connect to an odds "
    "service, or import "
)
_IMPORT = _("your own files (Ctrl+I).")
_IMPORT_ELSEWHERE = _("your own files into the built-in server.")


_LEAST_IN_LINE = 780
"""Below this width the buttons are below the text."""
_LEAST_HIGH = 560
"""Below this window height the title and first sentence are left out."""


class Introduction(QWidget):
    """A strip above the tabs with a short introduction; the user can close it for good."""

    live_requested = Signal()
    service_requested = Signal()

    def __init__(
        self, theme: Theme, board: Board, preferences: Preferences, importing: QAction
    ) -> None:
        super().__init__()
        self._importing = importing
        self._theme = theme
        self._board = board
        self._preferences = preferences
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(_("Introduction"))
        self._title = Label(_("What you see here"))
        self._title.setFont(theme.fonts.strong)
        self._text = Label(wordWrap=True)
        self._text.setProperty("variant", "soft")
        live = QPushButton(_("Get live odds…"))
        live.setProperty("variant", "primary")
        live.clicked.connect(self.live_requested)
        connect = QPushButton(_("Connect to a service…"))
        connect.clicked.connect(self.service_requested)
        close = QPushButton(_("Got it"))
        close.clicked.connect(lambda: preferences.keep_setting(INTRODUCTION, False))
        texts = vertical(None, self._title, self._text, spacing=HALF)
        row = self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(LEAD, GAP, GAP, GAP)
        row.setSpacing(STEP)
        row.addLayout(texts, 1)
        row.addSpacing(GAP)
        buttons = self._buttons = QHBoxLayout()
        buttons.setSpacing(STEP)
        buttons.addWidget(live)
        buttons.addWidget(connect)
        buttons.addWidget(close)
        buttons.addStretch()
        row.addLayout(buttons)
        self._fitted: tuple[str, int, QFont] | None = None
        """The text that has its height, in which width and font."""
        preferences.changed.connect(self._show)
        importing.enabledChanged.connect(self._fit)
        theme.changed.connect(self._fit)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)
        self._show()

    def close_panel(self) -> None:
        self._unsubscribe()

    def _show(self) -> None:
        self._fit()
        self.setVisible(self._preferences.get_setting(INTRODUCTION))

    def _fit(self) -> None:
        connection = self._board.connection
        real = _SHIFTED if connection.shifted else _REAL
        made_up = _MIXED if connection.is_mixed else _SIMULATED
        said = {True: made_up, False: real, None: ""}[connection.simulated]
        is_low = self.window().height() < self._theme.fonts.scaled(_LEAST_HIGH)
        self._title.setVisible(not is_low)
        how = _HOW + (_IMPORT if self._importing.isEnabled() else _IMPORT_ELSEWHERE)
        self._text.setText(" ".join(part for part in ("" if is_low else _WHAT, said, how) if part))
        is_narrow = self.width() < self._theme.fonts.scaled(_LEAST_IN_LINE)
        ways = QBoxLayout.Direction
        self._row.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)
        buttons = 0 if is_narrow else self._buttons.sizeHint().width() + 2 * STEP + GAP
        room = self.width() - LEAD - GAP - buttons
        fitted = self._text.text(), room, self._text.font()
        if fitted == self._fitted:  # connection updates must not lay out the window again
            return
        self._fitted = fitted
        # Qt ignores heightForWidth in a central widget, so the label sets a minimum height. It must
        # be reset first, as heightForWidth never returns less than the minimum.
        self._text.setMinimumHeight(0)
        self._text.setMinimumHeight(self._text.heightForWidth(room))

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
