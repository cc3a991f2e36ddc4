"""The embedded server's log as the desk reads it: the work is done on the server's threads."""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from oddsdesk.board.history import Point
from oddsdesk.board.seen import LineName
from oddsdesk.desk.history_source import HistoryError, LogState
from oddsdesk.server.administration import Administration
from oddsdesk.store.errors import StoreError
from oddsdesk.store.values import HistoryPoint

T = TypeVar("T")


class EmbeddedLog:
    """Asks the server that was started beside the desk."""

    def __init__(self, administration: Administration) -> None:
        self._server = administration

    async def history(self, game_id: str, line: LineName, since_ms: int) -> dict[str, list[Point]]:
        """Return how every bookmaker's price of a selection moved."""
        found: dict[str, list[Point]] = {}
        for point in await _answer(self._server.history(game_id, *line, since_ms)):
            found.setdefault(point.bookmaker, []).append(Point(point.scraped_at, point.odds))
        return found

    async def reference_history(
        self, game_id: str, lines: Sequence[LineName], since_ms: int
    ) -> dict[LineName, list[Point]]:
        """Return how the reference's prices of some selections moved."""
        told = await _answer(self._server.reference_history(game_id, lines, since_ms))
        return {line: list(_points(points)) for line, points in told.items()}

    async def state(self, since_ms: int) -> LogState:
        """Say how far back the log reaches, and when it was not written."""
        state = await _answer(self._server.log_state(since_ms))
        return LogState(state.began, state.silences)


async def _answer(future: Future[T]) -> T:
    try:
        return await asyncio.wrap_future(future)
    except StoreError as error:
        raise HistoryError(str(error)) from error


def _points(points: Iterable[HistoryPoint]) -> Iterable[Point]:
    return (Point(point.scraped_at, point.odds) for point in points)
