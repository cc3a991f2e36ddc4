"""The sparklines of a matrix: six hours of the reference's price, one for each selection."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import spawn
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import (
    Gap,
    Origin,
    Point,
    SelectionKey,
    Span,
    segments,
    thin,
    tidy,
)
from oddsdesk.board.history.sources import HistoryError, HistorySource, References
from oddsdesk.board.model.matrix import Price
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.desk.ui.table.cells import Run, Sparkline

SPAN_MS: Final = 6 * HOUR_MS
STEPS: Final = 48
"""As many as a cell has pixels."""
_STEP_MS: Final = SPAN_MS // STEPS
_FOLDED: Final = 8
"""Up to this many moves are thinned on each drawing; more are thinned for good."""
_LEAST_RANGE: Final = 0.02
"""Of the price: a smaller move is not drawn as if it were a large one."""
_CALM_MS: Final = 300

Start = Callable[[str, Coroutine[Any, Any, None]], object]


class _Thinned(NamedTuple):
    """A path as it is drawn, and when its last move was."""

    path: list[Point]
    moved_at: int


class Sparklines(QObject):
    """The prices that the log holds of a game, then those that the board has seen."""

    changed = Signal()
    """History came in: draw everything again."""

    def __init__(self, board: Board, game_id: str, clock: Clock, start: Start = spawn) -> None:
        super().__init__()
        self._board = board
        self._game_id = game_id
        self._clock = clock
        self._start = start
        self._source: HistorySource | None = None
        self._logged = References()
        self._asked: set[SelectionKey] = set()
        self._thinned: dict[tuple[SelectionKey, str | None], _Thinned] = {}
        """By selection and reference."""
        self._reference = board.reference_name
        """Whose past was asked for."""
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._read)

    def use_source(self, source: HistorySource) -> None:
        """Read what was before this desk was started from a log; the board knows the rest."""
        self._source = source if source.origin is Origin.LOG else None
        self._forget()
        self.look_for_selections()

    def look_for_selections(self) -> None:
        """Note that the game may have selections that were not asked for; they are, soon."""
        if self._reference != self._board.reference_name:
            self._reference = self._board.reference_name
            self._forget()
        if self._source is not None and not self._calm.isActive():
            self._calm.start()

    def stop_reading(self) -> None:
        """Stop reading."""
        self._source = None
        self._calm.stop()

    def sparkline(self, selection: SelectionKey, price: Price | None) -> Sparkline | None:
        """Return the path of a selection's reference price, None where nothing is known of it."""
        now = self._clock()
        since = now - SPAN_MS
        found = segments(self._thin(selection, price), self._gaps(), since, now)
        odds = [span.odds for run in found for span in run]
        if not odds:
            return None
        low, high = min(odds), max(odds)
        air = max(0.0, _LEAST_RANGE * high - (high - low)) / 2
        scale = 1 / (high - low + 2 * air)
        return Sparkline([_corners(run, since, low - air, scale) for run in found])

    def _thin(self, selection: SelectionKey, price: Price | None) -> list[Point]:
        """Return the path thinned; what was thinned before is not gone through again."""
        key = selection, self._board.reference_name
        path, since = self._thinned.get(key, _Thinned([], 0))
        moved = self._path(selection, price, since)
        if path and moved and moved[0].odds == path[-1].odds:
            del moved[0]
        path = thin([*path, *moved], _STEP_MS)
        if len(moved) > _FOLDED:
            self._thinned[key] = _Thinned(path, moved[-1].at)
        return path

    def _path(self, selection: SelectionKey, price: Price | None, since_ms: int) -> list[Point]:
        logged = self._logged.paths.get(selection, ())
        whose = self._board.desk_reference.bookmaker
        seen = self._board.price_history.path(self._game_id, selection, whose, price, since_ms)
        if not logged or logged[-1].at < since_ms:
            return list(seen)
        moved = [point for point in seen if point.at > logged[-1].at]
        return tidy([*(point for point in logged if point.at >= since_ms), *moved])

    def _forget(self) -> None:
        self._logged, self._asked, self._thinned = References(), set(), {}

    def _gaps(self) -> tuple[Gap, ...]:
        return (
            self._logged.gaps
            if self._logged.paths
            else self._board.price_history.gaps(self._game_id)
        )

    def _read(self) -> None:
        matrix = self._board.matrix(self._game_id)
        if matrix is None or self._source is None:
            return
        selections = [
            (section.key.market_type, section.key.period, row.selection)
            for section in matrix.sections
            for row in section.rows
            if row.reference is not None
        ]
        new = [selection for selection in selections if selection not in self._asked]
        if new:
            self._asked.update(new)
            self._start("sparklines: read", self._load(self._source, new))

    async def _load(self, source: HistorySource, selections: Sequence[SelectionKey]) -> None:
        reference = self._reference
        try:
            logged = await source.references(self._game_id, selections, self._clock() - SPAN_MS)
        except HistoryError:
            # The dock says why; here the sparklines begin with what was seen.
            return
        if source is self._source and reference == self._reference:
            self._logged = References(
                Origin.LOG, {**self._logged.paths, **logged.paths}, logged.gaps
            )
            self._thinned = {}
            self.changed.emit()


def _corners(run: Sequence[Span], since_ms: int, low: float, scale: float) -> Run:
    corners = []
    for span in run:
        y = (span.odds - low) * scale
        corners.append(((span.since - since_ms) / SPAN_MS, y))
        corners.append(((span.until - since_ms) / SPAN_MS, y))
    return corners
