"""Looks for near misses in the games that are read here, without holding up the window."""

import time
from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.misses import Miss, by_selection, near_misses
from oddsdesk.clock import Clock

MOST_SHOWN: Final = 100
_REST_MS: Final = 2_000
_SLICE_S: Final = 0.004
"""How long the window is held at a time."""


class MissFinder(QObject):
    """Goes through the board's games again and again while it is started."""

    found = Signal()
    """A whole pass is done: ``misses`` and ``games`` are of it."""

    def __init__(self, board: Board, clock: Clock) -> None:
        super().__init__()
        self.misses: dict[RowKey, Miss] = {}
        """By selection: the nearest of each, at most ``MOST_SHOWN``; listed bets left out."""
        self.games = 0
        """How many games were read here."""
        self._board = board
        self._clock = clock
        self._steps: Iterator[None] | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_timer_timeout)

    def start(self) -> None:
        """Look now and from time to time."""
        if not self._timer.isActive():
            self._timer.start(0)

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
        self._steps = None

    def look(self) -> None:
        """Go through all games at once."""
        for _ in self._pass():
            pass

    def _on_timer_timeout(self) -> None:
        began = time.perf_counter()
        if self._steps is None:
            self._steps = self._pass()
        for _ in self._steps:
            if time.perf_counter() - began > _SLICE_S:
                self._timer.start(0)
                return
        self._steps = None
        self._timer.start(_REST_MS)

    def _pass(self) -> Iterator[None]:
        """Look game by game; each step is one game."""
        near: list[Miss] = []
        games = 0
        for game in list(self._board.games):
            matrix = self._board.matrix(game)
            if matrix is not None and matrix.sections:
                games += 1
                near += near_misses(matrix, self._clock())
                yield
        listed = self._board.value_bets
        nearest = by_selection(miss for miss in near if miss.key not in listed)
        self.misses = {miss.line_key: miss for miss in nearest[:MOST_SHOWN]}
        self.games = games
        self.found.emit()
