"""Fills a board with the prices of a past moment, which can be changed or played on.

It replaces ``Sync`` while the user looks back. A moment is read in full once. After that the
log's moves are applied, so a step costs as much as moved in it, whatever the size of the board.

A remote service returns the prices at a moment, and the moves of one game. So the moves of the
games shown are requested in advance, for an hour or more at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from typing import Any, Final, NamedTuple, Protocol

from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import cancel_tasks, in_slices, spawn
from oddsdesk.base.texts import N_
from oddsdesk.board.board import Board
from oddsdesk.board.history.sources import HistoryError
from oddsdesk.board.intake.quote_readings import LoggedMove
from oddsdesk.board.model.matrix import CellKey, GameEntry
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import HISTORY_PATH, Client
from oddsdesk.client.errors import ForbiddenError, NotFoundError, ServiceError
from oddsdesk.client.whole_lists import LIMIT, all_games, pages
from oddsdesk.contract.administration import LogMap
from oddsdesk.contract.resources import Game, Meta, OddsRow, PriceChange
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, format_ms, parse_ms

MOST_MOVES: Final = 20_000
"""A step with more moves reads the moment that it leads to instead."""
_LIST_MS: Final = 10 * MINUTE_MS
"""How much passes in the past before the games are listed again, unless a new one moved."""
_SWEEP_MS: Final = 1_000
_PATIENCE_S: Final = 0.5
"""How long what stood at another moment may be shown while a moment is read."""
Work = Callable[[], Awaitable[None]]


class PastLog(Protocol):
    """A server's log by the times of prices, in milliseconds.

    Every coroutine raises ``HistoryError``.
    """

    async def moves_between(
        self, since_ms: int, until_ms: int, limit: int, games: Collection[str]
    ) -> list[LoggedMove]:
        """Return what moved after one moment and not after another, in order; of these at least."""

    async def ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price; None for an empty log."""

    async def map(self, since_ms: int, until_ms: int, parts: int) -> LogMap:
        """Say what there is in a span, how much moved in each of its equal parts."""

    async def move_after(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before; of one game or of any."""

    async def largest_price_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most."""


class Past:
    """Reads what the desk subscribes to as it stood at a time, and goes on from there.

    ``set_clock`` is told each moment that the board comes to stand at, before it is filled.
    ``go_on`` and ``go_to`` are to be called one after the other.
    """

    def __init__(
        self,
        client: Client,
        board: Board,
        at_ms: int,
        log: PastLog,
        set_clock: Callable[[int], None] = lambda _at_ms: None,
    ) -> None:
        self._client = client
        self._board = board
        self._at_ms = at_ms
        self._log = log
        self._set_clock = set_clock
        self._tasks: set[Any] = set()
        self._subscribed: dict[str, None] = {}
        self._is_started = False
        self._listed_at = self._swept_at = at_ms
        self._unlisted: set[str] = set()
        """Games that moved and are not listed: long over, or dated otherwise."""
        self._is_unread = True
        """Whether the moment was not read, or could not be: no step goes on from there."""
        self._unread: set[str] = set()
        """Games whose prices are of the moment before, until they are read."""
        self._is_unlisted = False
        """Whether the games are those of the moment before."""
        self._tells_rows: bool | None = None
        """Whether the service tells odds rows as of a moment; None until it was asked."""

    def start_reading(self) -> None:
        """Read the games of that moment, then those that are subscribed."""
        self._is_started = True
        self._stand_at(self._at_ms)
        self.read_all_again()

    async def stop_reading(self) -> None:
        """End what is being read; what the board holds stays."""
        self._is_started = False
        await cancel_tasks(*self._tasks)

    async def go_on(self, to_ms: int) -> None:
        """Go on to a later moment by what moved until then.

        Raises:
            HistoryError: the log cannot be read and the board stands where it stood, or the moment
                that was jumped to cannot be read.
        """
        if self._is_unread:
            await self.go_to(to_ms)
            if self._is_unread and self._is_started:
                raise HistoryError(
                    self._board.connection.reason or N_("this moment could not be read")
                )
            return
        moves = await self._log.moves_between(self._at_ms, to_ms, MOST_MOVES, self._shown())
        if not self._is_started:
            return
        if len(moves) == MOST_MOVES:
            await self.go_to(to_ms)
            return
        self._stand_at(to_ms)
        moved = {move.game.game_id for move in moves} - self._board.games.keys()
        if not moved <= self._unlisted or to_ms - self._listed_at >= _LIST_MS:
            await self._reported(self._list_games)
            self._unlisted |= moved - self._board.games.keys()
        shown = self._shown()
        self._board.apply_moves([move for move in moves if move.game.game_id in shown])
        if to_ms - self._swept_at >= _SWEEP_MS:
            self._swept_at = to_ms
            await in_slices(self._board.sweeping())

    async def go_to(self, to_ms: int) -> None:
        """Stand at any other moment: all that is shown is read again."""
        await cancel_tasks(*self._tasks)
        self._is_unread = self._is_unlisted = True
        self._stand_at(to_ms)
        self._board.set_snapshot_progress(SnapshotProgress())
        self._unread = {key.game_id for key in self._board.row_keys()}
        patience = asyncio.get_running_loop().call_later(_PATIENCE_S, self._forget_unread)
        try:
            await self._reported(self._read_games)
        finally:
            patience.cancel()
            self._forget_unread()

    def subscribe_game(self, game_id: str) -> None:
        """Read a game's prices."""
        self._board.subscribe_game(game_id)
        self._subscribed[game_id] = None
        if self._is_started:
            self._read("matrix", lambda: self._read_matrix(game_id))

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep a game no longer."""
        self._subscribed.pop(game_id, None)
        self._board.unsubscribe_game(game_id)

    def want_rows(self, wanted: bool) -> None:
        """Read the prices of all listed games, for the odds grid."""
        if wanted != self._board.rows_wanted:
            self._board.keep_all_rows(wanted)
        if wanted and self._is_started:
            self._read("rows", self._read_rows)

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Note what the odds grid shows: the rows are read once, not again and again."""
        self._board.watched = codes

    def pause_rows(self, paused: bool) -> None:
        """Do nothing: the rows are read once, not again and again."""

    def read_all_again(self) -> None:
        """Read everything."""
        self._read("games", self._read_games)

    async def _read_games(self) -> None:
        await self._list_games()
        for game in list(self._subscribed):
            await self._read_matrix(game)
        if self._board.rows_wanted:
            await self._read_rows()
        self._is_unread = False

    def _forget_unread(self) -> None:
        """Drop what is of another moment: it must not pass for this one's."""
        if self._is_unlisted:
            self._is_unlisted = False
            self._board.load_games([])
        while self._unread:
            self._board.forget_game(self._unread.pop())

    async def _list_games(self) -> None:
        at_ms = self._at_ms
        board = self._board
        answers: list[Listing[Game]] = []
        found = await all_games(self._client, format_ms(at_ms), answers.append)
        self._note_kinds([(answer.meta, len(answer)) for answer in answers])
        board.load_games(found.games, is_cut=found.is_cut or bool(found.failed))
        nearest = () if found.games else await self._nearest(at_ms)
        board.set_connection(replace(board.connection, nearest_ms=nearest))
        self._listed_at, self._is_unlisted = at_ms, False
        shown = board.games.keys() | self._subscribed.keys()
        for game in {key.game_id for key in board.row_keys()} - shown:
            self._unread.discard(game)
            board.forget_game(game)

    async def _nearest(self, at_ms: int) -> tuple[int, ...]:
        """Return when prices moved before and after; nothing of a log that is told by game."""
        try:
            moves = [await self._log.move_after(at_ms, None, back=back) for back in (True, False)]
        except HistoryError:
            return ()
        return tuple(move for move in moves if move is not None)

    def _note_kinds(self, told: Sequence[tuple[Meta | None, int]]) -> None:
        """Say which of the games nobody offered, by what came with each page."""
        metas = [(meta, count) for meta, count in told if meta is not None]
        # Never False: a board lets go of all that is simulated as real odds come.
        simulated = True if any(meta.simulated is True for meta, _ in metas) else None
        has_real = any(meta.simulated is False and count for meta, count in metas)
        is_mixed = bool(simulated) and (has_real or any(meta.mixed is True for meta, _ in metas))
        shifted = any(meta.shifted is True for meta, _ in metas)
        state = replace(
            self._board.connection, simulated=simulated, is_mixed=is_mixed, shifted=shifted
        )
        self._board.set_connection(state)

    async def _read_rows(self) -> None:
        """Read all listed games: in a few requests where the service tells rows as of a moment."""
        board, at_ms = self._board, self._at_ms
        if self._tells_rows is None:
            self._tells_rows = await self._client.offers("/api/odds", "as_of")
        if not self._tells_rows:
            await self._read_each()
            return
        rows, done = list[OddsRow](), 0
        as_of = format_ms(at_ms)
        fetched = pages(lambda at: self._client.odds(limit=LIMIT, cursor=at, as_of=as_of), "odds")
        async with aclosing(fetched) as answers:
            async for answer in answers:
                rows += answer
                done += 1
                board.set_snapshot_progress(SnapshotProgress(done, None, len(rows)))
        if board.rows_wanted and at_ms <= self._at_ms:
            self._unread &= self._subscribed.keys()
            await in_slices(board.replace_rows(rows, self._subscribed.keys()))
            await self._catch_up(at_ms, board.games.keys() - self._subscribed.keys())
        board.set_snapshot_progress(SnapshotProgress(done, done, len(rows), finished_at=at_ms))

    async def _read_each(self) -> None:
        board, games = self._board, list(self._board.games)
        for done, game in enumerate(games, 1):
            board.set_snapshot_progress(SnapshotProgress(done, len(games)))
            if board.rows_wanted and game not in self._subscribed:
                await self._read_matrix(game)
        board.set_snapshot_progress(
            SnapshotProgress(len(games), len(games), finished_at=self._at_ms)
        )

    async def _read_matrix(self, game_id: str) -> None:
        at_ms = self._at_ms
        try:
            matrix = await self._client.game(game_id, as_of=format_ms(at_ms))
        except NotFoundError:
            self._unread.discard(game_id)
            self._board.end_game(game_id)
            self._board.forget_game(game_id)
            return
        self._unread.discard(game_id)
        await in_slices(self._board.replace_matrix(matrix))
        await self._catch_up(at_ms, {matrix.game_id})
        if matrix.game_id != game_id:
            self._board.merge_game(game_id, matrix.game_id)

    async def _catch_up(self, at_ms: int, games: Collection[str]) -> None:
        """Take in what moved meanwhile in games that were read as of ``at_ms``."""
        if at_ms != self._at_ms:
            moves = await self._log.moves_between(at_ms, self._at_ms, MOST_MOVES, games)
            self._board.apply_moves([move for move in moves if move.game.game_id in games])

    def _shown(self) -> Collection[str]:
        """Return the games whose prices are shown."""
        listed = self._board.games.keys() if self._board.keeps_all else ()
        return {*listed, *self._subscribed}

    def _stand_at(self, at_ms: int) -> None:
        self._swept_at = min(self._swept_at, at_ms)
        self._listed_at = min(self._listed_at, at_ms)
        self._at_ms = at_ms
        self._set_clock(at_ms)
        before = self._board.connection
        state = Connection(
            link=Link.PAST,
            as_of_ms=at_ms,
            since_ms=at_ms if before.since_ms is None else before.since_ms,
            simulated=before.simulated,
            is_mixed=before.is_mixed,
            shifted=before.shifted,
            nearest_ms=before.nearest_ms,
            has_unread_prices=self._is_unread,
        )
        self._board.set_connection(state)

    def _read(self, name: str, work: Work) -> None:
        task = spawn(f"past: {name}", self._reported(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reported(self, work: Work) -> None:
        """Show in the connection's state what went wrong; ``read_all_again`` tries again."""
        try:
            await work()
        except (ServiceError, HistoryError) as error:
            waiting = replace(self._board.connection, link=Link.WAITING, reason=str(error))
            self._board.set_connection(waiting)
        else:
            if self._is_unread:
                return  # one game of it was read; what could not be is told yet
            before = self._board.connection
            now = replace(before, link=Link.PAST, reason=None, has_unread_prices=False)
            self._board.set_connection(now)


_AHEAD_MS: Final = 60 * MINUTE_MS
_STEPS_AHEAD: Final = 500
"""The least number of steps that are asked ahead: 100 s of playing."""
_MOST_GAMES: Final = 500
"""What was asked ahead is kept of this many games."""
_BACK_MS: Final = (60 * MINUTE_MS, DAY_MS, 30 * DAY_MS, 400 * DAY_MS)
"""How far back to look for the move before a moment, one after the other."""
_UNNAMED: Final = ("", "", "", None, False, 0, None)
"""A game that is open and not listed: the board knows more of it."""
_ONLY_GAMES: Final = N_("This service has moves game by game. Open a game to step through it.")
_NOTHING: Final = N_("This service has no history.")


class _Told(NamedTuple):
    """The moves of a game in a span, after its beginning and up to its end."""

    since: int
    until: int
    moves: list[LoggedMove]


class ServiceLog:
    """The past of a service elsewhere, as a ``PastLog``; ``clock`` is the wall's."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, game_in_front: Callable[[], str | None]
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._game_in_front = game_in_front
        self._told: dict[str, _Told] = {}

    async def why_not_shown(self, at_ms: int) -> str:
        """Return why the service does not show a moment, one line; empty where it does."""
        try:
            for path, parameter in (("/api/games", "as_of"), (HISTORY_PATH, "since")):
                if not await self._client.offers(path, parameter):
                    return _NOTHING
            await self._client.games(as_of=format_ms(at_ms), limit=1)
        except ForbiddenError as error:
            return N_("The past is not for this key's plan: {message}").format(
                message=error.message
            )
        except ServiceError as error:
            return N_("The past cannot be read: {message}").format(message=error.message)
        return ""

    async def moves_between(
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
        return None if said is None else (parse_ms(said) - DAY_MS, parse_ms(said))

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

    async def move_after(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
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

    async def largest_price_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most: the reference's, before kick-off, if any."""
        reference, odds = self._board.reference_name, dict[tuple[object, ...], float]()
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
