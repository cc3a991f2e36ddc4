"""Keeps the ways to use one offer up to date, in slices with pauses between them."""

import time
from collections.abc import Callable, Collection, Generator
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import SLICE_S
from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import (
    ConnectionChanged,
    GamesChanged,
    MatrixLoaded,
    Notice,
    PricesChanged,
)
from oddsdesk.board.promotions import OpenStakes, PromoWay, WayKey, Ways, way_now, ways_to_use
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.promotions import Promotion

_REST_MS: Final = 1_000
_LOOK_RESTS: Final = 10
"""The shortest pause after a search, as a multiple of its duration; after a search of the whole
board, until the next one of all."""


class WayList(QObject):
    """Searches repeatedly while it is started and ``is_seen`` returns True.

    Between two searches of the whole board, listed ways with moved prices are worked out again
    every second.
    """

    changed = Signal()
    """``ways`` match the current prices."""

    def __init__(
        self,
        board: Board,
        clock: Clock,
        plan: Callable[[], StakePlan],
        placed: Callable[[], OpenStakes],
        is_seen: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._board = board
        self._clock = clock
        self._plan = plan
        self._placed = placed
        self._is_seen = is_seen
        self.offer: Promotion | None = None
        """The offer to search for."""
        self.ways = Ways()
        self.has_looked = False
        """Whether all prices have been searched for this offer."""
        self._steps: Generator[None, None, Ways] | None = None
        self._looks_at_all = True
        """Whether the current search covers the whole board."""
        self._is_whole = False
        """Whether the current search covers all prices, none of them still loading."""
        self._is_due = True
        """Whether a price moved since the last search of the whole board began."""
        self._moved: set[str] = set()
        """Games with a listed way whose prices moved since it was worked out."""
        self._took_s = 0.0
        self._rested_at = 0.0
        """When the whole board may be searched again, by ``time.perf_counter``."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._unsubscribe = board.subscribe(
            self._on_board_notice, PricesChanged, MatrixLoaded, ConnectionChanged, GamesChanged
        )

    def look_for(self, offer: Promotion | None) -> None:
        """Search for ways to use this offer; None for no offer."""
        if offer != self.offer:
            self.offer, self.ways, self.has_looked = offer, Ways(), False
            self.look_again()

    def look_again(self) -> None:
        """Look at the whole board at once: stakes, open bets or the offer are others."""
        self._steps, self._is_due, self._rested_at = None, True, 0.0
        if self._timer.isActive():
            self._timer.start(0)

    def start_looking(self) -> None:
        """Search now and from time to time."""
        if not self._timer.isActive():
            self._rested_at = 0.0
            self._timer.start(0)

    def stop_looking(self) -> None:
        """Stop the search; changes meanwhile are searched later."""
        self._timer.stop()

    def stop_listening(self) -> None:
        """Stop listening to the board."""
        self.stop_looking()
        self._unsubscribe()

    def _on_timer_timeout(self) -> None:
        rest_ms = _REST_MS
        if self.offer is not None and self._is_seen():
            if self._steps is None:
                self._steps = self._next_steps(self.offer)
            if self._steps is not None:
                is_on = self._go_on(self._steps)
                after_ms = 0 if self._looks_at_all else round(self._took_s * _LOOK_RESTS * 1_000)
                rest_ms = 0 if is_on else max(_REST_MS, after_ms)
        self._timer.start(rest_ms)

    def _next_steps(self, offer: Promotion) -> Generator[None, None, Ways] | None:
        """Return the next search: the whole board, or ways whose prices moved; None for none."""
        self._took_s, self._looks_at_all = 0.0, False
        if self._is_due and time.perf_counter() >= self._rested_at:
            self._is_whole = not self._board.connection.may_lack_prices
            self._is_due, self._looks_at_all = False, True
            self._moved.clear()
            return ways_to_use(self._board, offer, self._plan(), placed=self._placed())
        if self._moved or self._has_lapsed():
            moved, self._moved = self._moved, set()
            return self._working_out_again(moved)
        return None

    def _go_on(self, steps: Generator[None, None, Ways]) -> bool:
        """Run one slice; return whether any of it is left."""
        began = time.perf_counter()
        try:
            while time.perf_counter() - began < SLICE_S:
                next(steps)
        except StopIteration as end:
            self.ways, self._steps = end.value, None
        now = time.perf_counter()
        self._took_s += now - began
        if self._steps is not None:
            return True
        if self._looks_at_all:
            self.has_looked |= self._is_whole
            self._rested_at = now + self._took_s * _LOOK_RESTS
        self.changed.emit()
        return False

    def _working_out_again(self, moved: Collection[str]) -> Generator[None, None, Ways]:
        """Work out the listed ways again whose prices moved or whose time is over, one a step."""
        plan, placed = self._plan(), self._placed()
        now, ways = self._clock(), self.ways
        current: dict[WayKey, PromoWay] = {}
        for way in (*ways.hedged, *ways.unhedged):
            found: PromoWay | None = way
            if way.due_at <= now or way.legs[0].key.game_id in moved:
                found = way_now(self._board, way, plan, placed)
                yield
            if found is not None:
                current[way.key] = found
        hedged, unhedged = (
            tuple(current[way.key] for way in listed if way.key in current)
            for listed in (ways.hedged, ways.unhedged)
        )
        return ways._replace(hedged=hedged, unhedged=unhedged)

    def _has_lapsed(self) -> bool:
        now = self._clock()
        return any(way.due_at <= now for way in (*self.ways.hedged, *self.ways.unhedged))

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, ConnectionChanged):
            if self._board.connection.may_lack_prices:
                self.has_looked = self._is_whole = False
            return
        self._is_due = True
        if isinstance(notice, PricesChanged | MatrixLoaded):
            self._moved.add(notice.game_id)
