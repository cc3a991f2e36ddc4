"""The message line of the window."""

import logging
from collections.abc import Callable, Hashable

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, ConnectionChanged, Notice
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.states import faults_text, service_text, trouble_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

PASSING_MS = 8_000
_SECOND_MS = 1_000

Act = Callable[[], object]

_log = logging.getLogger(__name__)


class _Message(msgspec.Struct, frozen=True):
    text: str
    icon: str
    ink: TextRole
    action: str
    act: Act | None
    passes: bool
    about: Hashable = None


class MessageCenter(QObject):
    """Shows the latest message, else connection trouble, else warnings about the user's files.

    A permanent message gives way to trouble after a while, and returns when the trouble ends.
    Closing a warning shows the next one. Closed trouble stays hidden until there is a new one.
    """

    retry_requested = Signal()
    """The user wants to retry now."""

    def __init__(self, bar: MessageBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self._message: _Message | None = None
        self._aside: _Message | None = None
        """The permanent message from before another moment was shown."""
        self._gives_way = False
        """Whether the message was shown long enough, so that trouble is shown."""
        self._warnings: list[tuple[str, _Message]] = []
        """Warnings with their subjects; the first is shown."""
        self._trouble = ""
        self._is_dismissed = False
        self._passing = QTimer(self, singleShot=True, interval=PASSING_MS)
        self._passing.timeout.connect(self._on_passing_timeout)
        bar.closed.connect(self._on_bar_closed)
        bar.action_requested.connect(self._on_bar_action_requested)

    def show_message(
        self,
        text: str,
        *,
        icon: str = "info",
        ink: TextRole = TextRole.SOFT,
        action: str = "",
        act: Act | None = None,
        passes: bool = False,
        about: Hashable = None,
    ) -> None:
        """Replace the message.

        ``passes`` makes it disappear by itself; ``about`` is a subject to withdraw it by.
        """
        self._say(_Message(text, icon, ink, action, act, passes, about))

    def warn(self, about: str, text: str, *, action: str = "", act: Act | None = None) -> None:
        """Show and log a warning about one of the user's files, until the user closes it.

        ``text`` is English, as logs are, and shown in the user's language.
        """
        shown_text = translated(text)
        warning = _Message(shown_text, "warning", TextRole.DOWN, action, act, passes=False)
        if all(shown_text != shown.text for _, shown in self._warnings):
            _log.warning("%s", text)
            self._warnings.append((about, warning))
            self._show()

    def withdraw(self, about: Hashable) -> None:
        """Remove the message about a subject, unless it has been replaced."""
        if self._message is not None and self._message.about == about:
            self.clear_message()
        if self._aside is not None and self._aside.about == about:
            self._aside = None

    def set_aside(self, but: Hashable) -> None:
        """Hide the message for another moment, unless it is about ``but``."""
        message = self._message
        if message is not None and message.about != but:
            self.clear_message()
            self._aside = None if message.passes else message

    def bring_back(self) -> None:
        """Remove the messages since ``set_aside``, and show the permanent one from before again."""
        aside, self._aside = self._aside, None
        self.clear_message()
        if aside is not None:
            self._say(aside)

    def withdraw_warnings(self, about: str) -> None:
        """Remove the warnings about a file that is read again."""
        self._warnings = [each for each in self._warnings if each[0] != about]
        self._show()

    def clear_message(self) -> None:
        """Remove the message; warnings and trouble show again."""
        self._passing.stop()
        self._message = None
        self._show()

    def show_trouble(self, text: str) -> None:
        """Show why prices are not updated; empty when that is over."""
        if bool(text) != bool(self._trouble):
            self._is_dismissed = self._gives_way = False
            if self._message is not None and not self._message.passes:
                (self._passing.start if text else self._passing.stop)()
        if text != self._trouble:
            self._trouble = text
            self._show()

    def _say(self, message: _Message) -> None:
        self._message = message
        self._gives_way = False
        is_timed = message.passes or self._has_trouble
        (self._passing.start if is_timed else self._passing.stop)()
        self._show()

    @property
    def _has_trouble(self) -> bool:
        return bool(self._trouble) and not self._is_dismissed

    @property
    def _shows_trouble(self) -> bool:
        return self._has_trouble and (self._message is None or self._gives_way)

    def _show(self) -> None:
        message = self._in_front()
        if self._shows_trouble:
            self._bar.show_message(self._trouble, icon="offline", action=_("Try now"))
        elif message is not None:
            self._bar.show_message(
                message.text, icon=message.icon, action=message.action, ink=message.ink
            )
        else:
            self._bar.hide()

    def _on_passing_timeout(self) -> None:
        if self._message is None or self._message.passes:
            self.clear_message()
        else:
            self._gives_way = True
            self._show()

    def _in_front(self) -> _Message | None:
        if self._message is not None:
            return self._message
        return self._warnings[0][1] if self._warnings else None

    def _drop_front(self) -> None:
        """Remove the front message and show the next one."""
        if self._message is None:
            del self._warnings[:1]
        self.clear_message()

    def _on_bar_closed(self) -> None:
        if self._shows_trouble:
            self._is_dismissed = True
            self._show()
        else:
            self._drop_front()

    def _on_bar_action_requested(self) -> None:
        if self._shows_trouble:
            self.retry_requested.emit()
            return
        message = self._in_front()
        self._drop_front()
        if message is not None and message.act is not None:
            message.act()


class ConnectionTrouble(QObject):
    """Shows the connection's trouble in a message center."""

    def __init__(self, center: MessageCenter, board: Board, clock: Clock) -> None:
        super().__init__(center)
        self._center = center
        self._board = board
        self._clock = clock
        self._seconds = QTimer(self, interval=_SECOND_MS)
        self._seconds.timeout.connect(self._count_down)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)
        self._count_down()

    def close_panel(self) -> None:
        self._seconds.stop()
        self._unsubscribe()

    def _count_down(self) -> None:
        has_prices = next(self._board.row_keys(), None) is not None
        connection = self._board.connection
        text = trouble_text(connection, self._clock(), has_prices=has_prices)
        text = text or faults_text(connection) or service_text(connection)
        (self._seconds.start if text else self._seconds.stop)()
        self._center.show_trouble(text)

    def _on_board_notice(self, _notice: Notice) -> None:
        self._count_down()


class TroubleStrip(MessageBar):
    """Shows connection trouble in a separate game window."""

    retry_requested = Signal()
    """The user wants to retry now."""

    def __init__(self, board: Board, theme: Theme, clock: Clock, parent: QWidget) -> None:
        super().__init__(theme, parent, closable=False)
        center = MessageCenter(self)
        center.retry_requested.connect(self.retry_requested)
        self._trouble = ConnectionTrouble(center, board, clock)

    def close_panel(self) -> None:
        self._trouble.close_panel()


def log_connection(board: Board) -> Callable[[], None]:
    """Log changes of the connection and unreal odds, until the returned function is called.

    In English, as all logs, whatever the window says.
    """
    link = board.connection.link
    told = ""

    def on_board_notice(_notice: Notice) -> None:
        nonlocal link, told
        connection = board.connection
        if connection.link is not link:
            link = connection.link
            _log.info("connection: %s", _link_text(connection))
        unreal = "simulated" if connection.simulated else "old, with shifted times"
        said = unreal if connection.simulated or connection.shifted else ""
        if said and said != told:
            _log.info("these odds are %s: no bookmaker offers them", said)
        told = said

    return board.subscribe(on_board_notice, ConnectionChanged)


def _link_text(connection: Connection) -> str:
    reason = f" ({connection.reason})" if connection.reason else ""
    return f"{connection.link.value}{reason}"
