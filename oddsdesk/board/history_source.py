"""Where the past of prices comes from: the embedded server's log, or what the desk has seen.

``service_history`` asks another service.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.history import Gap, History, Origin, Point, PricePath, Why, tidy, without_known
from oddsdesk.board.price_history import SelectionKey
from oddsdesk.contract.administration import LogState


class HistoryError(Exception):
    """The history cannot be read now; the message says why in one line."""


class References(msgspec.Struct, frozen=True):
    """How the reference's prices of a game moved, by selection."""

    origin: Origin = Origin.SEEN
    paths: Mapping[SelectionKey, PricePath] = msgspec.field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()


class PriceLog(Protocol):
    """The embedded server's log of price changes; every coroutine raises ``HistoryError``."""

    async def history(
        self, game_id: str, key: SelectionKey, since_ms: int
    ) -> Mapping[str, Iterable[Point]]:
        """Return how every bookmaker's price of a selection moved."""
        ...

    async def reference_history(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> Mapping[SelectionKey, Iterable[Point]]:
        """Return how the reference's prices of some selections moved."""
        ...

    async def state(self, since_ms: int) -> LogState:
        """Say how far back the log reaches, and when it was not written."""
        ...


class HistorySource(Protocol):
    """The past of prices, from the price on, at least, that stood at ``since_ms``.

    Every coroutine raises ``HistoryError``.
    """

    origin: Origin
    """Where it knows them from."""

    async def history(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return how every bookmaker's price of a selection moved."""
        ...

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return how the reference's prices of some selections moved."""
        ...


class PriceHistorySource:
    """What the board has seen since the desk was started."""

    origin = Origin.SEEN

    def __init__(self, board: Board) -> None:
        self._board = board

    async def history(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return all of it: it is never more than was seen."""
        section = self._board.section(game_id, *key)
        held = None if section is None else section.row_of(key[2])
        return self._board.seen.history(game_id, key, held)

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return all of it."""
        board = self._board
        found = {}
        for key in keys:
            section = board.section(game_id, *key)
            price = None if section is None else section.row_of(key[2]).reference
            found[key] = board.seen.path(game_id, key, None, price)
        return References(
            Origin.SEEN,
            {key: path for key, path in found.items() if path},
            board.seen.gaps(game_id),
        )


class LogSource:
    """The embedded server's log, as far as the board's moment: it does not tell what came later."""

    origin = Origin.LOG

    def __init__(self, log: PriceLog, board: Board) -> None:
        self._log = log
        self._board = board

    def _known(self, points: Iterable[Point]) -> PricePath:
        at_ms = self._board.connection.as_of_ms
        return tidy(point for point in points if at_ms is None or point.at <= at_ms)

    async def history(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return what the log holds; where it recorded no price of any game is a gap."""
        logged = dict[str, list[Point]]()
        for text in self._board.players.texts(game_id, key[0], key[2]):
            told = await self._log.history(game_id, (*key[:2], text), since_ms)
            for name, points in told.items():
                logged.setdefault(name, []).extend(points)
        state = await self._log.state(since_ms)
        reference = self._board.whose.bookmaker
        paths: dict[str | None, PricePath] = {
            None if name == reference else name: self._known(points)
            for name, points in logged.items()
        }
        gaps = without_known(_gaps(state), paths.values())
        return History(Origin.LOG, paths, gaps, state.began, state.lacks)

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return what the log holds."""
        whose = self._board.whose
        if whose.is_services_own:
            logged = await self._log.reference_history(game_id, keys, since_ms)
        else:
            logged = {key: await self._of(whose.bookmaker, game_id, key, since_ms) for key in keys}
        state = await self._log.state(since_ms)
        paths = {key: self._known(points) for key, points in logged.items()}
        return References(Origin.LOG, paths, without_known(_gaps(state), paths.values()))

    async def _of(
        self, bookmaker: str | None, game_id: str, key: SelectionKey, since_ms: int
    ) -> Iterable[Point]:
        """Return how one bookmaker's price moved; None is nobody."""
        if bookmaker is None:
            return ()
        return (await self._log.history(game_id, key, since_ms)).get(bookmaker, ())


def _gaps(state: LogState) -> tuple[Gap, ...]:
    return tuple(Gap(*silence, Why.NOT_RECORDED) for silence in state.silences)
