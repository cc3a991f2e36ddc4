"""Keeps a board current from a service, over REST and stream, within the request budget."""

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Final

from oddsdesk.board.bet_reading import BetReader
from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.connection_monitor import HEALTH, STREAM, ConnectionMonitor
from oddsdesk.board.games import optional_ms
from oddsdesk.board.matrix import Matrix
from oddsdesk.board.message_queue import GATHER_S, MessageQueue
from oddsdesk.board.notices import GamesChanged, Notice
from oddsdesk.board.polling import Job, Poller, task_name
from oddsdesk.board.price_history import ASLEEP_MS
from oddsdesk.board.reading_plan import (
    GAMES,
    RIGHTS,
    ROWS,
    VALUE_BETS,
    Pace,
    ReadingPlan,
    open_game,
    watched_competition,
)
from oddsdesk.board.readings import AHEAD_MS
from oddsdesk.board.row_reading import RowReader
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    ServiceError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.client.row_slices import RowSlice
from oddsdesk.client.stream import Connected, Lost, StreamState
from oddsdesk.client.whole_lists import all_games, note_no_games
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.clock import Clock
from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.network.addresses import host_of
from oddsdesk.network.backoff import Randomness
from oddsdesk.slices import in_slices
from oddsdesk.tasks import Jobs

_TICK_S: Final = 1.0
_LOOKS_A_SIGN: Final = 4
"""A sign of life is asked for at every so-manieth tick, as often as a stream is pinged."""
_FILLING_MS: Final = 10_000
"""For so long after a connect an unknown game has the list read at once, later with its poll."""
_HURRY_S: Final = 1.0
_FIRST_PRICES_S: Final = 2.0
"""The longest that other reading waits for the first prices; the quota may hold them up."""
_PATIENCE: Final = 1.5
"""In polling intervals: for so long a price may go unread while the stream is up."""
_MOST_WATCHED: Final = 5
"""Of so many competitions each is read beside all others; more are hardly fewer than all."""
_MOST_TROUBLES: Final = 5
"""How many of the troubles that a service reports of itself are shown."""
_MOST_SOURCES: Final = 20


class Sync:
    """Keeps one board current by polling and streaming; runs on the board's loop."""

    def __init__(
        self,
        client: Client,
        board: Board,
        clock: Clock,
        *,
        pace: Pace | None = None,
        randomness: Randomness = random.random,
    ) -> None:
        self.budget = Budget(clock, self._quota)
        self._client = client
        self._board = board
        self._queue = MessageQueue(board)
        self._clock = clock
        self._pace = pace or Pace()
        self.plan = ReadingPlan(board, clock, self._pace)
        self._rows = RowReader(client, board, clock, self.budget, self.plan)
        self._bets = BetReader(client, board, clock, self.budget, self.plan)
        self._monitor = ConnectionMonitor(board, clock, self._read_by)
        self._jobs = Jobs(lambda: self._monitor.jobs_failing(self._jobs.faults))
        self._poller = Poller(self.budget, clock, self._on_outcome, randomness, self._jobs)
        self._subscribed: dict[str, None] = {}
        self._watched: frozenset[str] = frozenset()
        self._is_started = False
        self._hurry_handle: asyncio.TimerHandle | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._filling_until_ms = 0
        self._known_games: frozenset[str] = frozenset()
        self._has_tried_bets = False
        """Whether it is known if the prices of all games are kept to find value among them."""
        self._looks = 0

    def start(self) -> None:
        """Begin: games and subscribed ones first, then value bets, the stream and the rest."""
        if self._is_started:
            return
        self._is_started = True
        plan = self.plan
        self._monitor.begin()
        self._unsubscribe = self._board.subscribe(self._on_board_notice, GamesChanged)
        self._jobs.start(task_name("tick"), self._tick)
        self._jobs.start(task_name("messages"), self._queue.run)
        for game in self._subscribed:
            self._add_matrix(game)
        later = self._after_first_prices
        self._poller.add(Job(GAMES, self._read_games, plan.games))
        self._poller.add(Job(VALUE_BETS, self._read_value_bets, plan.value_bets, later))
        self._add_stream()
        health_s, listed = self._pace.health_s, partial(self._poller.tried, GAMES)
        # Beside the first prices: whether they are simulated is not to be said after them.
        self._poller.add(Job(HEALTH, self._read_health, after=listed, period_s=health_s))
        self._poller.add(Job(RIGHTS, self._try_live, plan.rights, later))
        self._read_rows()

    async def stop(self) -> None:
        """End everything; what the board holds stays."""
        if self._hurry_handle is not None:
            self._hurry_handle.cancel()
            self._hurry_handle = None
        self._unsubscribe()
        self._is_started = False
        self._watched = frozenset()
        self._poller.stop()
        await self._jobs.stop()
        self._queue.clear()
        self._monitor.end()

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current, at once and until it is unsubscribed."""
        self._board.subscribe_game(game_id)
        self._subscribed[game_id] = None
        if self._is_started:
            self._add_matrix(game_id)

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current no more."""
        self._subscribed.pop(game_id, None)
        self._board.unsubscribe_game(game_id)
        self._poller.remove(open_game(game_id))

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, or no more."""
        if wanted != self._board.rows_wanted:
            self._board.want_rows(wanted)
        self._read_rows()

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read these beside all others while the odds grid shows them; none where they are many."""
        self._board.watched = codes if len(codes) <= _MOST_WATCHED else frozenset()
        self._read_rows()

    def want_values(self, wanted: bool) -> None:
        """Keep the prices of all games current to find value among them, or no more."""
        self._board.want_values(wanted)
        self._read_rows()

    def pause_rows(self, paused: bool) -> None:
        """Stop reading the rows of the odds grid after the request under way, or go on."""
        self._rows.pause(paused)

    def refresh(self) -> None:
        """Read everything now, open games first; where the stream is not up, try that now, too."""
        if self._is_started and self._board.connection.link in (Link.WAITING, Link.REFUSED):
            self._add_stream_anew()
        self._poller.hurry(map(open_game, self._subscribed), is_asked=True)
        self._poller.hurry(is_asked=True)

    def _quota(self) -> Quota | None:
        return self._client.quota if self._client.keeps_quota else None

    def _add_stream(self) -> None:
        self._poller.add(Job(STREAM, self._listen, after=self._after_first_prices, period_s=1.0))

    def _read_rows(self) -> None:
        self._read_watched()
        if not self._board.keeps_all:
            self._poller.remove(ROWS)
        elif self._is_started:
            later = self._after_first_prices
            self._poller.add(Job(ROWS, self._read_all, self.plan.rows, later))

    def _read_watched(self) -> None:
        wanted = self._board.watched if self._board.rows_wanted else frozenset[str]()
        for code in self._watched - wanted:
            self._poller.remove(watched_competition(code))
        if self._is_started:
            for code in wanted - self._watched:
                self._add_competition(code)
            self._watched = wanted
        else:
            self._watched &= wanted

    def _add_competition(self, code: str) -> None:
        name = watched_competition(code)
        read, later = partial(self._rows.read_competition, code), self._after_first_prices
        self._poller.add(Job(name, read, partial(self.plan.competition, code), later))

    def _add_matrix(self, game_id: str) -> None:
        self._poller.add(
            Job(
                open_game(game_id),
                lambda: self._read_matrix(game_id),
                lambda: self.plan.game(game_id),
                is_asked=True,
            )
        )

    async def _read_games(self) -> None:
        asked: list[None] = []
        found = await all_games(self._client, on_request=lambda: asked.append(None))
        self._board.load_games(found.games, is_cut=found.is_cut or bool(found.failed))
        self.plan.pages[GAMES] = max(1, len(asked))

    def _read_by(self) -> frozenset[str]:
        """Name the jobs that read all prices which are held, or say which are to be."""
        of_all = frozenset([ROWS] if self._board.keeps_all else map(open_game, self._subscribed))
        return of_all if self._has_tried_bets else of_all | {VALUE_BETS}

    async def _read_all(self) -> None:
        await self._rows.read()
        self._monitor.read(ROWS, self._rows.began_ms)

    async def _read_value_bets(self) -> None:
        try:
            await self._bets.read()
        except ForbiddenError as error:
            # The contract has no code for it: any refusal but one of the bookmaker is the plan's.
            if error.is_about_plan or error.code.startswith("bookmaker_"):
                raise
            code = ErrorCode.VALUE_BETS_NOT_ON_PLAN.value
            raise ForbiddenError(code, error.message, error.status, error.upgrade_url) from error
        self._monitor.knows(has_value_bets=True)
        if not self._board.values_wanted:
            self.want_values(True)

    def _on_board_notice(self, _notice: Notice) -> None:
        games = frozenset(self._board.games)
        if games - self._known_games or self._board.connection.simulated:
            # New games may be simulated, or old ones moved to now; neither is so for ever.
            self._poller.hurry([HEALTH])
        self._known_games = games

    async def _read_matrix(self, game_id: str) -> None:
        asked_at = self._clock()
        if not self._client.has_games or self._board.is_series(game_id):
            await self._read_rows_of(game_id)
            return
        try:
            matrix = await self._client.game(game_id)
        except ForbiddenError as error:
            if error.code.startswith("bookmaker_"):
                raise
            note_no_games(self._client, error)
            await self._read_rows_of(game_id)
            return
        except NotFoundError:
            self._board.end_game(game_id)
            self._monitor.read(open_game(game_id), asked_at)
            return
        await in_slices(self._board.merge_matrix(matrix, asked_at))
        await learn_in_play(self._client, self._board, matrix.game_id, self._clock)
        self._monitor.read(open_game(game_id), asked_at)
        if matrix.game_id != game_id:
            self._board.merge_game(game_id, matrix.game_id)

    async def _read_rows_of(self, game_id: str) -> None:
        """Read a game's prices by the rows of its competition: the key may not read games."""
        if (game := self._board.games.get(game_id)) is not None:
            began_ms = await self._rows.read_game(game)
            self._monitor.read(open_game(game_id), began_ms)

    async def _read_health(self) -> None:
        try:
            health = await self._client.health()
        except (NotFoundError, MalformedAnswerError):
            self._monitor.knows(
                simulated=None,
                shifted=False,
                unpriced_reference="",
                service_troubles=(),
                sources=(),
            )
        else:
            troubles = tuple(health.reasons[:_MOST_TROUBLES])
            were_simulated = self._board.connection.simulated
            self._monitor.knows(
                simulated=health.simulated,
                shifted=health.shifted,
                unpriced_reference=health.unpriced_reference or "",
                service_troubles=troubles,
                sources=tuple(health.sources or ())[:_MOST_SOURCES],
            )
            self._monitor.told_newest(optional_ms(health.last_scraped_at))
            if health.unpriced_reference:
                self._board.name_reference(health.unpriced_reference)
            if were_simulated and health.simulated is False:
                self._poller.hurry()  # the board has let go of all that it held

    async def _try_live(self) -> None:
        await self._client.live_odds(limit=1)
        self._monitor.knows(has_live=True)
        for game in list(self._subscribed):
            await learn_in_play(self._client, self._board, game, self._clock)

    async def _after_first_prices(self) -> None:
        """Wait for what the window shows first: the games, then the prices of one."""
        await self._poller.tried(GAMES)
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_PRICES_S):
                for game in list(self._subscribed):
                    await self._poller.tried(open_game(game))

    async def _listen(self) -> None:
        changes = self._client.stream_together(GATHER_S, self._on_stream_state)
        async with aclosing(changes):
            async for messages in changes:
                await self._queue.room()
                self._queue.put(messages)
                self._hurry_games_soon(messages)
                self._monitor.heard([each.scraped_at for each in messages])
                if self._board.connection.silent_since_ms is not None:
                    self._poller.hurry([HEALTH])

    def _hurry_games_soon(self, messages: Sequence[PriceMessage]) -> None:
        """Read the games soon that no list has, while a service that just started fills up.

        Also while all odds are simulated: it may be the first with real ones.
        """
        is_filling = self._clock() < self._filling_until_ms
        if self._hurry_handle is None and (is_filling or self._board.connection.simulated):
            games = {(each.competition, each.match_name) for each in messages}
            if not all(self._board.lists(*game) for game in games):
                loop = asyncio.get_running_loop()
                self._hurry_handle = loop.call_later(_HURRY_S, self._hurry_games)

    def _hurry_games(self) -> None:
        self._hurry_handle = None
        self._poller.hurry([GAMES])
        if self._board.connection.simulated:  # a new simulation takes back what another offered
            self._poller.hurry(self._read_by())

    def _on_stream_state(self, state: StreamState) -> None:
        self._monitor.stream_state(state)
        if isinstance(state, Connected):
            self._rows.start_over()
            self._filling_until_ms = self._clock() + _FILLING_MS
            lists = [GAMES, VALUE_BETS, ROWS] if self.plan.has_bets else [GAMES, ROWS]
            known = [*lists, *map(open_game, self._subscribed)]
            self._poller.hurry([*known, *self._monitor.troubled])
        elif isinstance(state, Lost):
            self._poller.hurry([HEALTH])  # its answer, or none, says whether it is the service

    def _on_outcome(self, job: str, error: ServiceError | None, next_try_ms: int | None) -> None:
        were_catching_up = self._board.connection.is_catching_up
        self._has_tried_bets |= job == VALUE_BETS
        unanswered = self._monitor.unanswered
        self._monitor.outcome(job, error, next_try_ms)
        if error is None and job in unanswered:
            self._poller.hurry(each for each in unanswered if each != job)
            if self._monitor.waits_for_stream:
                self._add_stream_anew()
        if self._board.connection.is_catching_up and not were_catching_up:
            self._poller.hurry(self._read_by())

    def _add_stream_anew(self) -> None:
        self._poller.remove(STREAM)
        self._add_stream()

    async def _tick(self) -> None:
        ticked_at = self._clock()
        while True:
            before, ticked_at = ticked_at, self._clock()
            is_back = before - ticked_at > AHEAD_MS
            if is_back:  # what was seen by then would hide what is seen now
                self._board.forget_prices()
            if is_back or ticked_at - before >= ASLEEP_MS:
                # The computer slept: a stream from before may never tell that it is gone.
                self._add_stream_anew()
                self._poller.hurry()
            periods_s = self.budget.periods_s()
            said, ahead_ms = self.plan.in_words(periods_s), self._client.clock_ahead_ms
            self._monitor.tick(self._quota(), said, clock_ahead_ms=ahead_ms)
            self._look_for_silence()
            self._say_if_used_up()
            await in_slices(self._board.sweeping())
            since_ms = self._board.connection.since_ms or 0
            self._board.scrape_interval.be_patient(self._patience_ms(), since_ms)
            await asyncio.sleep(_TICK_S)

    def _look_for_silence(self) -> None:
        """Ask for a sign of life where no stream gives one; it costs no request of the quota."""
        self._monitor.look(self._client.heard, host_of(self._client.addresses.base))
        self._looks += 1
        if self._looks % _LOOKS_A_SIGN == 0 and self._board.connection.link is Link.POLLING:
            self._poller.hurry([HEALTH])

    def _say_if_used_up(self) -> None:
        """Have a read refused, which sends nothing, where an answer told that nothing is left.

        All are due in a day then, and none would say so.
        """
        quota = self._quota()
        is_used_up = quota is not None and quota.used_up_until_ms(0, self._clock()) is not None
        if is_used_up and not self.budget.blocked_s():
            self._poller.hurry([GAMES], is_asked=True)

    def _patience_ms(self) -> int:
        """Return how long a price may go unread without looking older.

        0 without the stream, and while nothing is read: the stream tells of no withdrawal. While no
        price comes in at all, too: then nobody looked whether one moved.
        """
        connection = self._board.connection
        is_told = connection.link is Link.LIVE and connection.silent_since_ms is None
        if not is_told or self.budget.blocked_s():
            return 0
        if self._board.keeps_all and not self._board.snapshot_progress.is_paused:
            turn_ms = float(self._rows.turn_ms())
        else:
            turns = [self.budget.period_s(open_game(game)) for game in self._subscribed]
            turn_ms = max(turns, default=0.0) * 1000
        return round(turn_ms * _PATIENCE)


async def learn_in_play(client: Client, board: Board, game_id: str, clock: Clock) -> None:
    """Read the in-play rows of a game's competition, where that is not known of some price.

    Usually needed once: later moves come with the stream, which says so. Plans without in-play
    odds see none, so nothing is asked.
    """
    matrix = board.matrix(game_id)
    if matrix is None or not matrix.is_live or board.connection.has_live is not True:
        return
    if not _has_unstated(matrix):
        return
    asked_at, name = clock(), matrix.match_name
    reading = WholeOdds(client, RowSlice(competition=matrix.competition), in_play=True, clock=clock)
    async with aclosing(reading.read()) as slices:
        async for part in slices:
            rows = [row for row in part.rows if row.match_name == name]
            await in_slices(board.merge_rows(rows, asked_at))
    if reading.is_whole:
        board.mark_not_in_play(game_id)


def _has_unstated(matrix: Matrix) -> bool:
    return any(price.is_live is None and price.is_offered for price in matrix.prices())
