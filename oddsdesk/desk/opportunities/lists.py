"""Keeps the opportunities of a board up to date, in slices and with rests between them."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.board.opportunities import LOOK_RESTS, Opportunities
from oddsdesk.board.opportunity import OpportunityKey
from oddsdesk.clock import Clock
from oddsdesk.desk.settings.declared import SPLIT_TOTAL, STAKE_STEP, split_of
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.slices import one_slice

_REST_MS: Final = 1_000
_LISTED_RESTS: Final = 10
"""Between two looks at what is listed lies so many times what the last one took, at least."""
_KEYS: Final = {SPLIT_TOTAL.key, STAKE_STEP.key}


class OpportunityList(QObject):
    """Looks again and again while it is started, and ``is_seen`` says that it is worth it."""

    changed = Signal()
    """A look is done: ``entries`` are as the prices were."""
    fell_behind = Signal()
    """Nobody looked while it was out of sight, and what is listed may be another by now."""

    def __init__(
        self, board: Board, clock: Clock, preferences: Preferences, is_seen: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._board = board
        self._is_seen = is_seen
        self._preferences = preferences
        self._split = split_of(preferences.get)
        self._found = Opportunities(board, clock, lambda: self._split)
        self.entries = self._found.entries
        """By key; read it only."""
        self.has_looked = False
        """Whether all prices were looked through since the board began to be filled."""
        self._is_whole = False
        """Whether the look that goes on is through all prices that there are to be."""
        self._steps: Iterator[None] | None = None
        self._took_s = 0.0
        self._looks_at_all = True
        self._rested_at = 0.0
        """When all that changed is looked at again, by ``time.perf_counter``."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)
        preferences.changed.connect(self._on_preferences_changed)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)

    def keep(self, keys: Iterable[OpportunityKey]) -> None:
        """List these whatever they cost."""
        self._found.keep(keys)

    def count_placed(self, placed: Mapping[tuple[Hashable, str], float]) -> None:
        """Take what is placed off what bookmakers take at most."""
        self._found.count_placed(placed)

    def look_among(self, bookmakers: Iterable[str]) -> None:
        """Look at these bookmakers alone, at all of the user's for none."""
        if self._found.look_among(bookmakers):
            self.has_looked = self._is_whole = False

    def start(self) -> None:
        """Look now and from time to time; each second at those that may be others by now."""
        if not self._timer.isActive():
            self._rested_at = 0.0
            self._say_if_behind()
            self._timer.start(0)

    def stop(self) -> None:
        """Look no more; what changes meanwhile is looked at later."""
        self._timer.stop()

    def close(self) -> None:
        """Let go of the board."""
        self.stop()
        self._unsubscribe()
        self._found.close()

    def _on_timer_timeout(self) -> None:
        began, found = time.perf_counter(), self._found
        if self._steps is None:
            self._looks_at_all = began >= self._rested_at or self._is_awaited()
            self._is_whole = self._looks_at_all and not self._is_unread()
            if not (self._is_seen() and (self._looks_at_all or found.has_lapsed)):
                self._say_if_behind()
                self._timer.start(_REST_MS)
                return
            self._steps = found.looking() if self._looks_at_all else found.looking_at_lapsed()
            self._took_s = 0.0
        is_on = one_slice(self._steps)
        now = time.perf_counter()
        self._took_s += now - began
        if is_on:
            self._timer.start(0)
            return
        self._steps = None
        rest_ms = _REST_MS
        if self._looks_at_all:
            self._rested_at = now + self._took_s * LOOK_RESTS
        else:
            rest_ms = max(_REST_MS, round(self._took_s * _LISTED_RESTS * 1_000))
        self.has_looked |= self._is_whole
        self._timer.start(rest_ms)
        self.changed.emit()

    def _say_if_behind(self) -> None:
        if self._found.has_lapsed:
            self.fell_behind.emit()

    def _on_board_notice(self, _notice: Notice) -> None:
        if self._is_unread():
            self.has_looked = self._is_whole = False

    def _is_unread(self) -> bool:
        """Whether there are prices to come, or a service that may have some."""
        connection = self._board.connection
        is_beginning = connection.link is Link.STOPPED and not connection.has_no_service
        return is_beginning or connection.has_unread_prices

    def _is_awaited(self) -> bool:
        """Whether it is not known what there is, though all prices are read."""
        return not (self.has_looked or self._is_unread())

    def _on_preferences_changed(self, key: str) -> None:
        if key in _KEYS:
            self._split = split_of(self._preferences.get)
            self._found.look_at_all()
            self._rested_at = 0.0
            if self._timer.isActive():
                self._timer.start(0)
