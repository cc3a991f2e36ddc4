"""The one line of the window for expected trouble and short answers."""

import logging
from collections.abc import Callable, Hashable

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, not_offered
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.clock import Clock
from oddsdesk.desk.ui.controls.message_bar import MessageBar
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
    """Says the latest message, then the connection's trouble, then what is wrong with own files.

    What is said to stay gives way to trouble after a while, and is back when that is over.
    Warnings wait for each other: closing one shows the next. Trouble that was closed stays closed
    until the next one.
    """

    retry_requested = Signal()
    """The user does not want to wait for the next try."""

    def __init__(self, bar: MessageBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self._said: _Message | None = None
        self._aside: _Message | None = None
        """What was said to stay before another moment was shown."""
        self._gives_way = False
        """Whether what was said has been read long enough, and trouble has its turn."""
        self._warnings: list[tuple[str, _Message]] = []
        """With what each is about; the first is shown."""
        self._trouble = ""
        self._is_dismissed = False
        self._passing = QTimer(self, singleShot=True, interval=PASSING_MS)
        self._passing.timeout.connect(self._on_passing_timeout)
        bar.closed.connect(self._on_bar_closed)
        bar.action_requested.connect(self._on_bar_action_requested)

    def say(
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
        """Say something in place of what is said now; ``passes``: it goes by itself.

        What is ``about`` something can be withdrawn by that.
        """
        self._say(_Message(text, icon, ink, action, act, passes, about))

    def warn(self, about: str, text: str, *, action: str = "", act: Act | None = None) -> None:
        """Say and log what is wrong with a file of the user's, until the user has closed it."""
        warning = _Message(text, "warning", TextRole.DOWN, action, act, passes=False)
        if all(text != said.text for _, said in self._warnings):
            _log.warning("%s", text)
            self._warnings.append((about, warning))
            self._show()

    def withdraw(self, about: Hashable) -> None:
        """Take back what was said about something, unless other things were said since."""
        if self._said is not None and self._said.about == about:
            self.clear_message()
        if self._aside is not None and self._aside.about == about:
            self._aside = None

    def set_aside(self, but: Hashable) -> None:
        """Say what was said no longer, unless that is about ``but``: another moment is shown."""
        said = self._said
        if said is not None and said.about != but:
            self.clear_message()
            self._aside = None if said.passes else said

    def bring_back(self) -> None:
        """Take back what was said since ``set_aside``; what was to stay is said again."""
        aside, self._aside = self._aside, None
        self.clear_message()
        if aside is not None:
            self._say(aside)

    def withdraw_warnings(self, about: str) -> None:
        """Take back what was said of a file that is read anew."""
        self._warnings = [each for each in self._warnings if each[0] != about]
        self._show()

    def clear_message(self) -> None:
        """Clear the message said last; warnings and trouble show again."""
        self._passing.stop()
        self._said = None
        self._show()

    def show_trouble(self, text: str) -> None:
        """Say why prices grow old, as long as they do; empty when that is over."""
        if bool(text) != bool(self._trouble):
            self._is_dismissed = self._gives_way = False
            if self._said is not None and not self._said.passes:
                (self._passing.start if text else self._passing.stop)()
        if text != self._trouble:
            self._trouble = text
            self._show()

    def _say(self, message: _Message) -> None:
        self._said = message
        self._gives_way = False
        is_timed = message.passes or self._has_trouble
        (self._passing.start if is_timed else self._passing.stop)()
        self._show()

    @property
    def _has_trouble(self) -> bool:
        return bool(self._trouble) and not self._is_dismissed

    @property
    def _shows_trouble(self) -> bool:
        return self._has_trouble and (self._said is None or self._gives_way)

    def _show(self) -> None:
        said = self._in_front()
        if self._shows_trouble:
            self._bar.say(self._trouble, icon="offline", action="Try now")
        elif said is not None:
            self._bar.say(said.text, icon=said.icon, action=said.action, ink=said.ink)
        else:
            self._bar.hide()

    def _on_passing_timeout(self) -> None:
        if self._said is None or self._said.passes:
            self.clear_message()
        else:
            self._gives_way = True
            self._show()

    def _in_front(self) -> _Message | None:
        if self._said is not None:
            return self._said
        return self._warnings[0][1] if self._warnings else None

    def _drop_front(self) -> None:
        """Let go of the message in front, and show what comes after it."""
        if self._said is None:
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
        said = self._in_front()
        self._drop_front()
        if said is not None and said.act is not None:
            said.act()


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
        """Stop listening to the board."""
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
    """Says the connection's trouble in a window that says nothing else of it: to the end of it."""

    retry_requested = Signal()
    """The user does not want to wait for the next try."""

    def __init__(self, board: Board, theme: Theme, clock: Clock, parent: QWidget) -> None:
        super().__init__(theme, parent, closable=False)
        center = MessageCenter(self)
        center.retry_requested.connect(self.retry_requested)
        self._trouble = ConnectionTrouble(center, board, clock)

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._trouble.close_panel()


def log_connection(board: Board, clock: Clock) -> Callable[[], None]:
    """Log each change of the link, and that nobody offers odds, until the answer is called."""
    link = board.connection.link
    told = ""

    def on_board_notice(_notice: Notice) -> None:
        nonlocal link, told
        connection = board.connection
        if connection.link is not link:
            link = connection.link
            _log.info("%s", _link_text(connection, clock()))
        said = not_offered(simulated=connection.simulated, shifted=connection.shifted)
        if said and said != told:
            _log.info("%s", said)
        told = said

    return board.subscribe(on_board_notice, ConnectionChanged)


def _link_text(connection: Connection, now_ms: int) -> str:
    if trouble := trouble_text(connection, now_ms):
        return trouble
    reason = f" ({connection.reason})" if connection.reason else ""
    return f"connection: {connection.link.value}{reason}"
