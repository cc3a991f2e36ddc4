"""The status bar: connected or not, how fresh, what is left, the time."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QToolButton, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.notices import (
    ConnectionChanged,
    GamesChanged,
    Notice,
    SnapshotProgressChanged,
)
from oddsdesk.clock import Clock
from oddsdesk.contract.plans import DAY_S, HOUR_S, Plan
from oddsdesk.desk.ui.controls.dot import Dot
from oddsdesk.desk.ui.controls.labels import ElidedLabel, steady_width
from oddsdesk.desk.ui.controls.scaling import scale_height
from oddsdesk.desk.ui.states import cut_text, faults_text, job_text, no_price_for, stream_alone
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, STEP, STRIP, TextRole
from oddsdesk.desk.ui.time_format import local_time, moment_text, span_text

_SECOND_MS = 1000
_TEN_SECONDS_MS = 10_000
_PACE_KNOWN_MS = 70_000
"""A minute after the first prices, which come within ten seconds and are no changes."""
_LONGEST_STATE = "Reading in turns…"
"""So much of the state is shown whatever else is cut; reasons may be long."""

_LINK_INKS = {
    Link.LIVE: TextRole.UP,
    Link.POLLING: TextRole.ACCENT,
    Link.CONNECTING: TextRole.NOTE,
    Link.WAITING: TextRole.VALUE,
    Link.REFUSED: TextRole.DOWN,
    Link.STOPPED: TextRole.NOTE,
    Link.PAST: TextRole.VALUE,
}


class StatusBar(QStatusBar):
    """Answers: am I connected, how fresh is this, what have I left."""

    favourites_requested = Signal()
    """The user wants to see the favourites only."""
    bets_requested = Signal()
    """The user wants to see the bets that want a result."""

    def __init__(self, board: Board, theme: Theme, clock: Clock, devig_method: str) -> None:
        super().__init__()
        self._board = board
        self._clock = clock
        self.setSizeGripEnabled(False)
        scale_height(self, theme, STRIP)
        self._dot = Dot(theme)
        self._link = ElidedLabel()
        self._unread = ElidedLabel()
        self._unread.hide()
        self._requests = ElidedLabel()
        self._favourites = QToolButton()
        self._favourites.setProperty("variant", "plain")
        self._favourites.setFont(theme.fonts.small)
        self._favourites.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._favourites.setToolTip("Show favourites only (Ctrl+Shift+F)")
        self._favourites.clicked.connect(self.favourites_requested)
        self._favourites.hide()
        self._bets = QToolButton()
        self._bets.setProperty("variant", "plain")
        self._bets.setFont(theme.fonts.small)
        self._bets.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._bets.setToolTip("Show the bets that want a result")
        self._bets.clicked.connect(self.bets_requested)
        self._bets.hide()
        self._method = ElidedLabel()
        self.show_method(devig_method)
        self._time = ElidedLabel()
        self.addWidget(self._left())
        self.addWidget(self._unread)
        self.addWidget(self._requests)
        self.addWidget(self._favourites)
        self.addWidget(self._bets)
        self.addPermanentWidget(self._method)
        self.addPermanentWidget(self._time)
        for label in (self._link, self._unread, self._requests, self._method, self._time):
            label.setFont(theme.fonts.small)
            label.setProperty("variant", "soft")
            label.setContentsMargins(HALF, 0, HALF, 0)
        self.setContentsMargins(STEP, 0, STEP, 0)
        self._unsubscribe = board.subscribe(
            self._on_board_notice, ConnectionChanged, GamesChanged, SnapshotProgressChanged
        )
        self._ticked_at = 0
        self._ticks = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._ticks.timeout.connect(self._tick)
        self._tick()

    def put_time_line(self, line: QWidget) -> None:
        """Set a time line in, as wide as there is room."""
        self.insertWidget(1, line, 1)

    def show_method(self, devig_method: str) -> None:
        """Name the method that true EV rests on."""
        self._method.show_text(f"True EV: {devig_method.replace('_', ' ')}")

    def show_bets_waiting(self, bets: int) -> None:
        """Say how many bets want a result."""
        self._bets.setText("1 bet wants a result" if bets == 1 else f"{bets:,} bets want a result")
        self._bets.setVisible(bets > 0)

    def show_favourites(self, games: int) -> None:
        """Say how many favourites are among the games."""
        self._favourites.setText(f"{games} favourite{'s' if games != 1 else ''}")
        self._favourites.setVisible(games > 0)

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._ticks.stop()
        self._unsubscribe()

    def _left(self) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, GAP, 0)
        row.setSpacing(HALF)
        row.addWidget(self._dot)
        row.addWidget(self._link)
        return holder

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show()

    def _tick(self) -> None:
        """Show the time, and anew when its next second begins; a clock that stands has none."""
        self._show()
        now, before = self._clock(), self._ticked_at
        self._ticked_at = now
        self._ticks.start(_SECOND_MS - now % _SECOND_MS if now != before else _SECOND_MS)

    def _show(self) -> None:
        connection = self._board.connection
        now = self._clock()
        self._dot.show_ink(link_ink(connection))
        state = link_text(connection, now)
        least = min(map(self._link.width_of, (f"{state.partition(' · ')[0]}…", _LONGEST_STATE)))
        self._link.setMinimumWidth(steady_width(least))
        self._link.show_text(state)
        self._link.setToolTip(faults_text(connection) or lag_text(connection))
        self._show_unread()
        requests = requests_text(connection)
        self._requests.show_text(requests)
        self._requests.setToolTip(f"{requests}\n{reading_text(connection, now)}".strip())
        time = f"{local_time(now):%H:%M:%S}"
        self._time.setMinimumWidth(steady_width(self._time.width_of(time)))  # half a time misleads
        self._time.show_text(time)

    def _show_unread(self) -> None:
        """Say what the service has that is nowhere in the window."""
        told = list(unread_parts(self._board))
        self._unread.show_text(" · ".join(text for text, _ in told))
        self._unread.setToolTip("\n".join(tip for _, tip in told))
        self._unread.setVisible(bool(told))


def unread_parts(board: Board) -> Iterator[tuple[str, str]]:
    """Yield what a board could not read, in few words and in a sentence."""
    games, progress = len(board.games), board.snapshot_progress
    if board.games_are_cut:
        yield (
            f"only {games:,} games are read",
            f"The service has more games than the {games:,} that are read: no list, filter or"
            " search of this window finds the others.",
        )
    if progress.cut:
        yield "not all prices are read", cut_text(progress)
    if board.values.is_cut:
        yield (
            "not all value bets are read",
            "The service lists more value bets than could be read. Value among the prices read"
            " here is listed all the same.",
        )


def link_ink(connection: Connection) -> TextRole:
    """Return the colour of the connection's dot; words beside it say the same."""
    troubles = (connection.faults, connection.reason, connection.service_troubles)
    is_live_and_ill = connection.link is Link.LIVE and any(troubles)
    is_silent = connection.is_heard and connection.silent_since_ms is not None
    return TextRole.VALUE if is_live_and_ill or is_silent else _LINK_INKS[connection.link]


def link_text(connection: Connection, now_ms: int) -> str:
    """Return the connection's state in one line of plain words."""
    failing = [job_text(fault) for fault in connection.faults]
    text = _link_text(connection, now_ms)
    if said := stream_alone(connection):
        text = f"{text} · {said}"
    elif connection.link is Link.LIVE and connection.reason:
        failing.append(connection.reason)
    return f"{text} · failing: {', '.join(failing)}" if failing else text


def _link_text(connection: Connection, now_ms: int) -> str:
    reason = f": {connection.reason}" if connection.reason else ""
    silence = no_price_for(connection, now_ms)
    match connection.link:
        case Link.LIVE if silence:
            return f"Live · {silence}"
        case Link.POLLING if silence:
            return f"Reading in turns · {silence}{reason}"
        case Link.LIVE:
            lag = "" if connection.lag_ms is None else f" · lag {_lag(connection.lag_ms)}"
            return f"Live{lag}{_pace(connection, now_ms)}"
        case Link.POLLING:
            return f"Reading in turns{reason}"
        case Link.CONNECTING:
            return "Connecting…"
        case Link.WAITING:
            return f"Disconnected{reason}{_next_try(connection, now_ms)}"
        case Link.REFUSED:
            return f"Refused{reason}"
        case Link.STOPPED:
            return "Not connected"
        case Link.PAST:
            return f"As of {moment_text(now_ms)}"


def lag_text(connection: Connection) -> str:
    """Return what the lag is of; empty while none is known."""
    if connection.lag_ms is None:
        return ""
    return (
        f"Price changes come {_lag(connection.lag_ms)} after their scrape (the median of the "
        "latest): what the feed takes, what the stream takes, and how far the two clocks differ."
    )


def requests_text(connection: Connection) -> str:
    """Return how many requests are left, when they return, and how often prices are read of them.

    Empty while that is not known.
    """
    if connection.requests_left is None:
        return ""
    of = "" if connection.requests_limit is None else f" of {connection.requests_limit:,}"
    parts = [f"{connection.requests_left:,}{of} requests left"]
    if connection.resets_at_ms is not None:
        parts.append(f"back {local_time(connection.resets_at_ms):%H:%M}")
    prices = connection.reading_plan.partition(";")[0]
    if prices and connection.requests_left:
        parts.append(prices[0].lower() + prices[1:])
    return " · ".join(parts)


def reading_text(connection: Connection, now_ms: int) -> str:
    """Return what is read how often so that the requests last; empty where none are counted."""
    left, resets_at_ms = connection.requests_left, connection.resets_at_ms
    if left is None:
        return ""
    allowance = _allowance(connection.requests_limit)
    if left > 0:
        return "\n".join(part for part in (f"{connection.reading_plan}.", allowance) if part != ".")
    until = "" if resets_at_ms is None else f" for {span_text(max(0, resets_at_ms - now_ms))}"
    said = f"No requests are left{until}: nothing is read until they are back."
    goes_on = "Streamed prices go on." if connection.link is Link.LIVE else ""
    return "\n".join(part for part in (said, goes_on, allowance) if part)


def _allowance(limit: int | None) -> str:
    windows = {plan.rights.requests: plan.rights.window_s for plan in Plan}
    window = {HOUR_S: "an hour", DAY_S: "a day"}.get(windows.get(limit or 0, 0))
    return "" if window is None else f"Your plan allows {limit:,} requests {window}."


def _pace(connection: Connection, now_ms: int) -> str:
    """Return how many changes came in a minute; empty before a minute holds no first prices."""
    if connection.since_ms is not None and now_ms - connection.since_ms < _PACE_KNOWN_MS:
        return ""
    return f" · {connection.messages_per_minute:,} changes a minute"


def _lag(lag_ms: int) -> str:
    if lag_ms < _SECOND_MS:
        return f"{lag_ms} ms"
    return f"{lag_ms / 1000:.1f} s" if lag_ms < _TEN_SECONDS_MS else span_text(lag_ms)


def _next_try(connection: Connection, now_ms: int) -> str:
    since = ""
    if connection.since_ms is not None:
        since = f" · for {span_text(now_ms - connection.since_ms)}"
    if connection.next_try_ms is None:
        return since
    left = connection.next_try_ms - now_ms
    return f"{since} · {f'next try in {span_text(left)}' if left > 0 else 'trying again'}"
