"""A service's log by the times of its prices, game by game, for who looks back on it (D73, D75).

A service elsewhere tells what stood at a moment, and how the prices of one game moved. So what
moves is asked ahead, an hour or more at a time, of the games that are shown.
"""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.games import GameEntry
from oddsdesk.board.history_source import HistoryError
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.readings import LoggedMove
from oddsdesk.client.client import HISTORY_PATH, Client
from oddsdesk.client.errors import ForbiddenError, NotFoundError, ServiceError
from oddsdesk.clock import Clock
from oddsdesk.contract.administration import LogMap
from oddsdesk.contract.resources import PriceChange
from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms

_AHEAD_MS: Final = 60 * MINUTE_MS
_STEPS_AHEAD: Final = 500
"""So many steps are asked ahead at least: 100 s of playing."""
_MOST_GAMES: Final = 500
"""Of so many games what was asked ahead is kept."""
_DAY_MS: Final = 24 * 60 * MINUTE_MS
_BACK_MS: Final = (60 * MINUTE_MS, _DAY_MS, 30 * _DAY_MS, 400 * _DAY_MS)
"""How far back is looked for the move before a moment, in turns."""
_UNNAMED: Final = ("", "", "", None, False, 0, None)
"""A game that is open and not listed: the board knows more of it."""
_ONLY_GAMES: Final = "This service tells moves game by game: open a game to step through it."
_NOTHING: Final = "This service tells nothing of the past."


class _Told(NamedTuple):
    """The moves of a game in a span, after its beginning and up to its end."""

    since: int
    until: int
    moves: list[LoggedMove]


class ServiceLog:
    """The past of a service elsewhere, as ``board.past.PastLog``; ``clock`` is the wall's."""

    def __init__(
        self,
        client: Client,
        board: Board,
        clock: Clock,
        game_in_front: Callable[[], str | None],
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._game_in_front = game_in_front
        self._told: dict[str, _Told] = {}

    async def refusal(self, at_ms: int) -> str:
        """Return why the service does not show a moment, one line; empty where it does."""
        try:
            for path, parameter in (("/api/games", "as_of"), (HISTORY_PATH, "since")):
                if not await self._client.offers(path, parameter):
                    return _NOTHING
            await self._client.games(as_of=format_ms(at_ms), limit=1)
        except ForbiddenError as error:
            return f"The past is not for this key's plan: {error.message}"
        except ServiceError as error:
            return f"The past cannot be read: {error.message}"
        return ""

    async def moves(
        self, since_ms: int, until_ms: int, limit: int, games: Collection[str]
    ) -> list[LoggedMove]:
        """Return what moved of some games after one moment and not after another, in order."""
        found: list[LoggedMove] = []
        for game in games:
            told = self._told.get(game)
            if told is None or not told.since <= since_ms <= until_ms <= told.until:
                if len(self._told) >= _MOST_GAMES:
                    self._told.clear()
                ahead = max(_AHEAD_MS, _STEPS_AHEAD * (until_ms - since_ms))
                until = max(until_ms, min(since_ms + ahead, self._clock()))
                moves = [
                    self._logged(game, move) for move in await self._ask(game, since_ms, until)
                ]
                told = self._told[game] = _Told(since_ms, until, moves)
            found += [move for move in told.moves if since_ms < move.scraped_at <= until_ms]
        return sorted(found, key=lambda move: move.scraped_at)[:limit]

    async def ends(self) -> tuple[int, int] | None:
        """Return a day of the log with its newest price: how far it reaches back is not told."""
        try:
            said = (await self._client.health()).last_scraped_at
        except ServiceError as error:
            raise HistoryError(error.message) from error
        return None if said is None else (parse_ms(said) - _DAY_MS, parse_ms(said))

    async def map(self, since_ms: int, until_ms: int, parts: int) -> LogMap:
        """Say when games begin in a span, and how much moved of the game in front."""
        counts = [0] * parts
        game, until = self._game_in_front(), min(until_ms, self._clock())
        if game is not None and until > since_ms:
            for move in await self._ask(game, since_ms - 1, until - 1):
                part = (parse_ms(move.scraped_at) - since_ms) * parts // (until_ms - since_ms)
                counts[min(part, parts - 1)] += 1
        begins: dict[int, int] = {}
        for entry in self._board.games.values():
            if entry.kick_off is not None and since_ms <= entry.kick_off < until_ms:
                begins[entry.kick_off] = begins.get(entry.kick_off, 0) + 1
        return LogMap(since_ms, until_ms, counts, sorted(begins.items()), [])

    async def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price of a game moved next, or last before."""
        if game_id is None:
            raise HistoryError(_ONLY_GAMES)
        if not back:
            moves = await self._ask(game_id, at_ms, self._clock(), most=1)
            return parse_ms(moves[0].scraped_at) if moves else None
        for span_ms in _BACK_MS:
            moves = await self._ask(game_id, at_ms - span_ms, at_ms - 1)
            if moves:
                return parse_ms(moves[-1].scraped_at)
        return None

    async def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most: the reference's, before kick-off, if any."""
        reference, odds = self._board.reference, dict[tuple[object, ...], float]()
        found: list[tuple[bool, bool, float, int]] = []
        for move in await self._ask(game_id, 0, self._clock()):
            cell = (move.bookmaker, move.market_type, move.period, move.selection)
            before = odds.pop(cell, None)
            if move.odds is None:
                continue
            odds[cell] = move.odds
            if before is not None:
                size = abs(1 / move.odds - 1 / before)
                is_other = move.bookmaker != reference
                found.append((is_other, move.is_live, -size, parse_ms(move.scraped_at)))
        return min(found)[-1] if found else None

    async def _ask(
        self, game_id: str, since_ms: int, until_ms: int, most: int | None = None
    ) -> list[PriceChange]:
        """Return the moves of a game after one moment and up to another."""
        since, until = format_ms(since_ms + 1), format_ms(until_ms + 1)
        ask = self._client
        try:
            if most is not None:
                return list(await ask.history(game_id, since=since, until=until, limit=most))
            return [move async for move in ask.all_history(game_id, since=since, until=until)]
        except NotFoundError:
            return []
        except ServiceError as error:
            raise HistoryError(error.message) from error

    def _logged(self, game_id: str, move: PriceChange) -> LoggedMove:
        entry = self._board.games.get(game_id) or GameEntry(game_id, *_UNNAMED)
        key = CellKey(move.market_type, move.period, move.selection, move.bookmaker)
        return LoggedMove(entry, key, move.odds, parse_ms(move.scraped_at), move.is_live)
