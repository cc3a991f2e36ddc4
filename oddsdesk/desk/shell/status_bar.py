"""The status bar: connection, delay, requests left and time."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStatusBar, QToolButton, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.texts import _, mid_sentence, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import (
    Connection,
    ConnectionChanged,
    GamesChanged,
    Link,
    Notice,
    SnapshotProgressChanged,
)
from oddsdesk.contract.access import DAY_S, HOUR_S, Plan
from oddsdesk.desk.ui.controls.labels import Dot, ElidedLabel, steady_width
from oddsdesk.desk.ui.formatting import local_time, moment_text, span_text
from oddsdesk.desk.ui.spacing import GAP, HALF, STEP, STRIP, horizontal
from oddsdesk.desk.ui.states import cut_text, faults_text, job_text, no_price_for, stream_alone
from oddsdesk.desk.ui.theme.theme import Theme, scale_height
from oddsdesk.desk.ui.theme.tokens import TextRole

_SECOND_MS = 1000
_TEN_SECONDS_MS = 10_000
_PACE_KNOWN_MS = 70_000
"""Time until a minute of changes is known; the first prices do not count."""
_LONGEST_STATE = _("Polling…")
"""The part of the state that is never cut; reasons can be long."""

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
    """Shows the connection, its delay, the requests left and the time."""

    favourites_requested = Signal()
    """The user wants to see the favourites only."""
    bets_requested = Signal()
    """The user wants to see the bets that need a result."""

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
        self._favourites.setToolTip(_("Show favourites only (Ctrl+Shift+F)"))
        self._favourites.clicked.connect(self.favourites_requested)
        self._favourites.hide()
        self._bets = QToolButton()
        self._bets.setProperty("variant", "plain")
        self._bets.setFont(theme.fonts.small)
        self._bets.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._bets.setToolTip(_("Show bets to settle"))
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
        self._show()

    def put_time_line(self, line: QWidget) -> None:
        """Insert the time line, as wide as possible."""
        self.insertWidget(1, line, 1)

    def show_method(self, devig_method: str) -> None:
        """Show the devig method."""
        method = translated(devig_method.replace("_", " "))
        self._method.show_text(_("Devig: {method}").format(method=method))

    def show_bets_waiting(self, bets: int) -> None:
        """Show how many bets need a result."""
        self._bets.setText(
            ngettext("{bets:,} bet to settle", "{bets:,} bets to settle", bets).format(
                bets=num(bets)
            )
        )
        self._bets.setVisible(bets > 0)

    def show_favourites(self, games: int) -> None:
        """Show how many games are favourites."""
        self._favourites.setText(
            ngettext("{games} favourite", "{games} favourites", games).format(games=num(games))
        )
        self._favourites.setVisible(games > 0)

    def close_panel(self) -> None:
        self._ticks.stop()
        self._unsubscribe()

    def _left(self) -> QWidget:
        holder = QWidget()
        horizontal(holder, self._dot, self._link, margins=(0, 0, GAP, 0), spacing=HALF)
        return holder

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show()

    def _tick(self) -> None:
        """Show the time, and schedule the next update for the next full second."""
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
        time = hour_text(local_time(now), seconds=True)
        self._time.setMinimumWidth(steady_width(self._time.width_of(time)))  # never cut the time
        self._time.show_text(time)

    def _show_unread(self) -> None:
        """Show what could not be loaded from the service."""
        told = list(unread_parts(self._board))
        self._unread.show_text(" · ".join(text for text, _ in told))
        self._unread.setToolTip("\n".join(tip for _, tip in told))
        self._unread.setVisible(bool(told))

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tick()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._ticks.stop()


def unread_parts(board: Board) -> Iterator[tuple[str, str]]:
    """Yield what could not be loaded, as a short text and a sentence."""
    games, progress = len(board.games), board.snapshot_progress
    if board.games_are_cut:
        yield (
            _("only {games:,} games loaded").format(games=num(games)),
            (
                _(
                    "The service has more than {games:,} games. The others appear in no "
                    "list, filter or search."
                ).format(games=num(games))
            ),
        )
    if progress.cut:
        yield _("not all prices loaded"), cut_text(progress)
    if board.values.is_cut:
        yield (
            _("not all value bets loaded"),
            (
                _(
                    "The service lists more value bets than could be loaded. Value among "
                    "the prices loaded here is still listed."
                )
            ),
        )


def link_ink(connection: Connection) -> TextRole:
    """Return the colour of the connection's dot."""
    troubles = (connection.faults, connection.reason, connection.service_troubles)
    is_live_and_ill = connection.link is Link.LIVE and any(troubles)
    is_silent = connection.is_heard and connection.silent_since_ms is not None
    if is_live_and_ill or is_silent or (connection.is_heard and connection.lacks_feeds):
        return TextRole.VALUE
    return _LINK_INKS[connection.link]


def link_text(connection: Connection, now_ms: int) -> str:
    """Return the connection's state in one line."""
    failing = [job_text(fault) for fault in connection.faults]
    text = _link_text(connection, now_ms)
    if said := stream_alone(connection):
        text = f"{text} · {said}"
    elif connection.link is Link.LIVE and connection.reason:
        failing.append(translated(connection.reason))
    return (
        _("{text} · failing: {names}").format(text=text, names=", ".join(failing))
        if failing
        else text
    )


def _link_text(connection: Connection, now_ms: int) -> str:
    reason = f": {translated(connection.reason)}" if connection.reason else ""
    silence = no_price_for(connection, now_ms)
    match connection.link:
        case Link.LIVE | Link.POLLING if connection.lacks_feeds:
            return _no_feed_text(connection, now_ms)
        case Link.LIVE if silence:
            return _("Live · {silence}").format(silence=silence)
        case Link.POLLING if silence:
            return _("Polling · {silence}{reason}").format(silence=silence, reason=reason)
        case Link.LIVE:
            lag = (
                ""
                if connection.lag_ms is None
                else _(" · lag {lag}").format(lag=_lag(connection.lag_ms))
            )
            return _("Live{lag}{pace}").format(lag=lag, pace=_pace(connection, now_ms))
        case Link.POLLING:
            return _("Polling{reason}").format(reason=reason)
        case Link.CONNECTING:
            return _("Connecting…")
        case Link.WAITING:
            return _("Disconnected{reason}{next_try}").format(
                reason=reason, next_try=_next_try(connection, now_ms)
            )
        case Link.REFUSED:
            return _("Refused{reason}").format(reason=reason)
        case Link.STOPPED:
            return _("Not connected")
        case Link.PAST:
            return _("As of {moment}").format(moment=moment_text(now_ms))


def _no_feed_text(connection: Connection, now_ms: int) -> str:
    newest = connection.newest_ms
    age = (
        ""
        if newest is None
        else _(" · newest price {span} old").format(span=span_text(max(0, now_ms - newest)))
    )
    return _("No feed running{age}").format(age=age)


def lag_text(connection: Connection) -> str:
    """Return the explanation of the delay; empty while it is unknown."""
    if connection.lag_ms is None:
        return ""
    return _(
        "Prices arrive {lag} after they were scraped (median of the latest). This "
        "includes the feed, the stream and any difference between the two clocks."
    ).format(lag=_lag(connection.lag_ms))


def requests_text(connection: Connection) -> str:
    """Return the requests left, when they reset, and how often prices are read.

    Empty if unknown.
    """
    if connection.requests_left is None:
        return ""
    of = (
        ""
        if connection.requests_limit is None
        else _(" of {requests_limit:,}").format(requests_limit=num(connection.requests_limit))
    )
    parts = [
        _("{requests_left:,}{of} requests left").format(
            requests_left=num(connection.requests_left), of=of
        )
    ]
    if connection.resets_at_ms is not None:
        parts.append(_("resets {at}").format(at=hour_text(local_time(connection.resets_at_ms))))
    prices = connection.reading_plan.partition(";")[0]
    if prices and connection.requests_left:
        parts.append(mid_sentence(prices))
    return " · ".join(parts)


def reading_text(connection: Connection, now_ms: int) -> str:
    """Return the reading plan that makes the requests last; empty if requests are unlimited."""
    left, resets_at_ms = connection.requests_left, connection.resets_at_ms
    if left is None:
        return ""
    allowance = _allowance(connection.requests_limit)
    if left > 0:
        return "\n".join(part for part in (f"{connection.reading_plan}.", allowance) if part != ".")
    until = (
        ""
        if resets_at_ms is None
        else _(" for {span}").format(span=span_text(max(0, resets_at_ms - now_ms)))
    )
    said = _("No requests left{until}. Nothing is loaded until the limit resets.").format(
        until=until
    )
    goes_on = _("Streamed prices continue.") if connection.link is Link.LIVE else ""
    return "\n".join(part for part in (said, goes_on, allowance) if part)


def _allowance(limit: int | None) -> str:
    windows = {plan.rights.requests: plan.rights.window_s for plan in Plan}
    window = {HOUR_S: _("an hour"), DAY_S: _("a day")}.get(windows.get(limit or 0, 0))
    return (
        ""
        if window is None
        else _("Your plan allows {limit:,} requests {window}.").format(
            limit=num(limit), window=window
        )
    )


def _pace(connection: Connection, now_ms: int) -> str:
    """Return the changes per minute; empty during the first minute."""
    if connection.since_ms is not None and now_ms - connection.since_ms < _PACE_KNOWN_MS:
        return ""
    return _(" · {messages_per_minute:,} changes a minute").format(
        messages_per_minute=num(connection.messages_per_minute)
    )


def _lag(lag_ms: int) -> str:
    if lag_ms < _SECOND_MS:
        return _("{lag_ms} ms").format(lag_ms=lag_ms)
    return f"{num(lag_ms / 1000):.1f} s" if lag_ms < _TEN_SECONDS_MS else span_text(lag_ms)


def _next_try(connection: Connection, now_ms: int) -> str:
    since = ""
    if connection.since_ms is not None:
        since = _(" · for {span}").format(span=span_text(now_ms - connection.since_ms))
    if connection.next_try_ms is None:
        return since
    left = connection.next_try_ms - now_ms
    if left <= 0:
        return _("{since} · trying again").format(since=since)
    return _("{since} · next try in {span}").format(since=since, span=span_text(left))
