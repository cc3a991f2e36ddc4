"""Sources of price history: the built-in server's log, a remote service, or what the desk saw.

No source returns anything later than the board's moment. A service returns the moves since a
time, but not the price at that time, which may be days old.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, Protocol

import msgspec
from msgspec import UNSET

from oddsdesk.base.tasks import in_slices
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import (
    Gap,
    History,
    Origin,
    Point,
    PricePath,
    SelectionKey,
    Why,
    tidy,
    without_known,
)
from oddsdesk.board.model.matrix import UNNAMED_REFERENCE
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import HISTORY_PATH, Client
from oddsdesk.client.errors import ForbiddenError, MalformedAnswerError, NotFoundError, ServiceError
from oddsdesk.client.whole_lists import pages
from oddsdesk.contract.administration import LogState
from oddsdesk.contract.resources import PriceChange
from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms


class HistoryError(Exception):
    """The history cannot be read now; the message says why in one line."""


class References(msgspec.Struct, frozen=True):
    """How the reference's prices of a game moved, by selection."""

    origin: Origin = Origin.SEEN
    paths: Mapping[SelectionKey, PricePath] = msgspec.field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()


class PriceLog(Protocol):
    """The embedded server's log of price changes; every coroutine raises ``HistoryError``."""

    async def logged_history(
        self, game_id: str, key: SelectionKey, since_ms: int
    ) -> Mapping[str, Iterable[Point]]:
        """Return how every bookmaker's price of a selection moved."""

    async def reference_history(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> Mapping[SelectionKey, Iterable[Point]]:
        """Return how the reference's prices of some selections moved."""

    async def log_state(self, since_ms: int) -> LogState:
        """Say how far back the log reaches, and when it was not written."""


class HistorySource(Protocol):
    """The past of prices, from the price on, at least, that stood at ``since_ms``.

    Every coroutine raises ``HistoryError``.
    """

    origin: Origin
    """Where it knows them from."""

    async def history_of(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return how every bookmaker's price of a selection moved."""

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return how the reference's prices of some selections moved."""


class PriceHistorySource:
    """What the board has seen since the desk was started."""

    origin = Origin.SEEN

    def __init__(self, board: Board) -> None:
        self._board = board

    async def history_of(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return all of it: it is never more than was seen."""
        section = self._board.section(game_id, *key)
        held = None if section is None else section.selection_row(key[2])
        return self._board.price_history.seen_history(game_id, key, held)

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return all of it."""
        board = self._board
        found = {}
        for key in keys:
            section = board.section(game_id, *key)
            price = None if section is None else section.selection_row(key[2]).reference
            whose = board.desk_reference.bookmaker
            found[key] = board.price_history.path(game_id, key, whose, price)
        return References(
            Origin.SEEN,
            {key: path for key, path in found.items() if path},
            board.price_history.gaps(game_id),
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

    async def history_of(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return what the log holds; where it recorded no price of any game is a gap."""
        logged = dict[str, list[Point]]()
        for text in self._board.players.texts(game_id, key[0], key[2]):
            told = await self._log.logged_history(game_id, (*key[:2], text), since_ms)
            for name, points in told.items():
                logged.setdefault(name, []).extend(points)
        state = await self._log.log_state(since_ms)
        paths = {name: self._known(points) for name, points in logged.items()}
        gaps = without_known(_gaps(state), paths.values())
        return History(Origin.LOG, paths, gaps, state.began, state.lacks)

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return what the log holds."""
        whose = self._board.desk_reference
        if whose.is_services_own:
            logged = await self._log.reference_history(game_id, keys, since_ms)
        else:
            logged = {key: await self._of(whose.bookmaker, game_id, key, since_ms) for key in keys}
        state = await self._log.log_state(since_ms)
        paths = {key: self._known(points) for key, points in logged.items()}
        return References(Origin.LOG, paths, without_known(_gaps(state), paths.values()))

    async def _of(
        self, bookmaker: str, game_id: str, key: SelectionKey, since_ms: int
    ) -> Iterable[Point]:
        """Return how one bookmaker's price moved; an empty name is nobody."""
        if not bookmaker:
            return ()
        return (await self._log.logged_history(game_id, key, since_ms)).get(bookmaker, ())


def _gaps(state: LogState) -> tuple[Gap, ...]:
    return tuple(Gap(*silence, Why.NOT_RECORDED) for silence in state.silences)


LATE_MS: Final = 10 * MINUTE_MS
"""By how much a move may be recorded after it was scraped and still be read."""

_A_PAGE: Final = 5_000
_MOST_SILENCES: Final = 200
_MOST_REFERENCES: Final = 3
"""The most markets that are held: more are read again."""
_Paths = dict[str, list[Point]]


class ServiceSource:
    """The service's history; what is held of what was shown last is not asked for again.

    A gap is where the service says that it recorded nothing; where it does not say it, where the
    desk was not connected and no move is told.
    """

    origin = Origin.SERVICE

    def __init__(self, client: Client, board: Board) -> None:
        self._client = client
        self._board = board
        self._seen = PriceHistorySource(board)
        self._is_offered: bool | None = None
        self._held: tuple[tuple[str, SelectionKey], _Paths] | None = None
        self._held_references: dict[tuple[str, tuple[str, int], frozenset[str], str], _Paths] = {}
        """By what was asked for, the latest last."""
        self._silences: tuple[Gap, ...] | None = None
        """As the service told them last; None where it does not."""

    async def history_of(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
        """Return how every bookmaker's price of a selection moved.

        Raises:
            HistoryError: the service cannot be asked now.
        """
        if not await self._asks():
            return await self._seen.history_of(game_id, key, since_ms)
        try:
            told = await self._paths_of(game_id, key)
        except (ForbiddenError, NotFoundError):
            return await self._seen.history_of(game_id, key, since_ms)
        except ServiceError as error:
            raise HistoryError(error.message) from error
        known = {name: self._known(path) for name, path in told.items()}
        paths = {name: path for name, path in known.items() if path}
        began = min((path[0].at for path in paths.values()), default=None)
        return History(Origin.SERVICE, paths, self._gaps(game_id, paths.values()), began)

    async def references(
        self, game_id: str, keys: Sequence[SelectionKey], since_ms: int
    ) -> References:
        """Return how the reference's prices of some selections moved.

        Raises:
            HistoryError: the service cannot be asked now.
        """
        reference = self._board.desk_reference.bookmaker
        if reference in ("", UNNAMED_REFERENCE) or not await self._asks():
            return await self._seen.references(game_id, keys, since_ms)
        found: dict[SelectionKey, PricePath] = {}
        try:
            for market in sorted({key[:2] for key in keys}):
                wanted = frozenset(key[2] for key in keys if key[:2] == market)
                told = await self._references_of(game_id, market, wanted, reference)
                found |= {(*market, name): self._known(path) for name, path in told.items()}
        except (ForbiddenError, NotFoundError):
            return await self._seen.references(game_id, keys, since_ms)
        except ServiceError as error:
            raise HistoryError(error.message) from error
        paths = {key: path for key in keys if (path := found.get(key))}
        return References(Origin.SERVICE, paths, self._gaps(game_id, paths.values()))

    async def _moves(self, game_id: str, **asked: Any) -> AsyncGenerator[PriceChange, None]:
        """Yield moves, and note when the service recorded none of any game."""

        async def fetch(cursor: str | None) -> Listing[PriceChange]:
            return await self._client.history(game_id, cursor=cursor, limit=_A_PAGE, **asked)

        async with aclosing(pages(fetch, "history")) as answers:
            async for answer in answers:
                told = UNSET if answer.meta is None else answer.meta.silences
                self._silences = None if told is UNSET else _silences(told, HISTORY_PATH)
                for move in answer:
                    yield move

    def _gaps(self, game_id: str, paths: Iterable[PricePath]) -> tuple[Gap, ...]:
        gaps = self._silences
        if gaps is None:
            seen = self._board.price_history.gaps(game_id)
            gaps = tuple(gap for gap in seen if gap.why is not Why.NOT_SUBSCRIBED)
        at_ms = self._board.connection.as_of_ms
        begun = (gap for gap in gaps if at_ms is None or gap.since < at_ms)
        return without_known(begun, paths)

    def _known(self, path: PricePath) -> PricePath:
        at_ms = self._board.connection.as_of_ms
        return path if at_ms is None else [point for point in path if point.at <= at_ms]

    async def _asks(self) -> bool:
        """Say whether the service tells its history; it is asked that once."""
        if self._is_offered is None:
            try:
                self._is_offered = await self._client.offers(HISTORY_PATH)
            except ServiceError as error:
                raise HistoryError(error.message) from error
        return self._is_offered

    async def _paths_of(self, game_id: str, key: SelectionKey) -> _Paths:
        """Return every bookmaker's moves of a selection."""
        market_type, period, selection = key
        players = self._board.players
        asked = [
            {"market_type": market_type, "period": period, "selection": text}
            for text in players.texts(game_id, market_type, selection)
        ]

        def whose(move: PriceChange) -> str | None:
            named = players.spelled(game_id, market_type, period, move.selection, move.bookmaker)
            return move.bookmaker if named == selection else None

        held = self._held[1] if self._held and self._held[0] == (game_id, key) else {}
        paths = await self._with_new(held, whose, game_id, *asked)
        self._held = ((game_id, key), paths)
        return paths

    async def _references_of(
        self, game_id: str, market: tuple[str, int], wanted: frozenset[str], reference: str
    ) -> _Paths:
        """Return the reference's moves of some selections of a market."""
        asked = {"market_type": market[0], "period": market[1], "bookmaker": reference}

        def own_words(text: str) -> str:
            return self._board.players.spelled(game_id, *market, text, reference)

        key = (game_id, market, wanted, reference)
        paths = await self._with_new(
            self._held_references.get(key, {}),
            lambda move: named if (named := own_words(move.selection)) in wanted else None,
            game_id,
            asked,
        )
        self._held_references.pop(key, None)
        self._held_references[key] = paths
        while len(self._held_references) > _MOST_REFERENCES:
            del self._held_references[next(iter(self._held_references))]
        return paths

    async def _with_new(
        self,
        held: _Paths,
        whose: Callable[[PriceChange], str | None],
        game_id: str,
        *asked: Mapping[str, Any],
    ) -> _Paths:
        """Return paths with the moves since, by ``whose`` they are: None is nobody's."""
        newest = max((path[-1].at for path in held.values() if path), default=None)
        since = None if newest is None else format_ms(newest - LATE_MS)
        told: _Paths = {}
        for one in asked:
            async with aclosing(self._moves(game_id, **one, since=since)) as moves:
                async for move in moves:
                    if (name := whose(move)) is not None:
                        told.setdefault(name, []).append(_point(move))
        paths = dict(held)

        def steps() -> Iterator[None]:
            for name, points in told.items():
                paths[name] = tidy(points, held.get(name, ()))
                yield

        await in_slices(steps())
        return paths


def _silences(told: list[list[str]], path: str) -> tuple[Gap, ...]:
    try:
        spans = [(parse_ms(since), parse_ms(until)) for since, until in told[-_MOST_SILENCES:]]
    except ValueError as error:
        raise MalformedAnswerError(f"{path} answered something unexpected: {error}") from error
    return tuple(Gap(since, until, Why.NOT_RECORDED) for since, until in spans)


def _point(move: PriceChange) -> Point:
    return Point(parse_ms(move.scraped_at), move.odds)
