"""Keeps a board current from a service, over REST and stream, within the request budget."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence, Set
from contextlib import aclosing, closing, suppress
from functools import partial
from typing import Final, NamedTuple

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import Jobs, awake, in_slices
from oddsdesk.board.board import Board
from oddsdesk.board.history.price_history import ASLEEP_MS
from oddsdesk.board.intake.connection_monitor import HEALTH, STREAM, ConnectionMonitor, task_name
from oddsdesk.board.intake.quote_readings import AHEAD_MS, WaitingMessages
from oddsdesk.board.intake.reading_plan import (
    GAMES,
    RIGHTS,
    ROWS,
    VALUE_BETS,
    BetReader,
    Pace,
    ReadingPlan,
    RowReader,
    open_game,
    watched_competition,
)
from oddsdesk.board.intake.result_reading import RESULTS, ResultReader
from oddsdesk.board.model.matrix import Matrix, optional_ms
from oddsdesk.board.model.notices import GamesChanged, Link, Notice
from oddsdesk.client.client import Client
from oddsdesk.client.errors import (
    ForbiddenError,
    MalformedAnswerError,
    NotFoundError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Budget, Quota, ReadingNow
from oddsdesk.client.rows import RowSlice
from oddsdesk.client.stream import Connected, Lost, StreamState
from oddsdesk.client.whole_lists import all_games, note_no_games
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.contract.access import ErrorCode
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.network import Backoff, Randomness, host_of

_LOOK_AGAIN_S: Final = 30.0
"""How often a long wait is recalculated, since the budget may have changed."""
_MOST_HURRIED: Final = 0.1
"""The share of the requests left that a read may take which nobody asked for by then."""
_FORBIDDEN_S: Final = 900.0
_OTHER_PLAN_S: Final = 6 * 3600.0
"""Seconds until what the plan refused is tried again: refused requests count too."""
_OTHER_PLAN_FREE_S: Final = 60.0
"""The same for a job that costs no requests: a stream token that is refused costs none."""
_UNKNOWN_KEY_S: Final = 60.0
_QUIET_PERIODS: Final = 6
"""While nothing is new, the next reading comes after this many periods, or after as long as
nothing was new already if that is more; but once a price is too old to be listed."""
_QUIET_S: Final = 600.0
"""The longest rest of a reading."""
_QUIET_BETS_S: Final = 30.0
"""The longest rest of value bets: a service drops them as they age."""
_QUIET_AFTER_MS: Final = 30_000
"""How long nothing was new before a reading that nothing has to follow soon."""
_WITHOUT_PRICES: Final = frozenset({GAMES, VALUE_BETS, STREAM, HEALTH, RIGHTS, RESULTS})
"""Jobs that bring no prices to keep on the board."""
_HEALTH_KNOWN_MS: Final = 60_000
"""How long an answer of the service's health holds."""


class Quiet(NamedTuple):
    """A time in which a service has nothing new."""

    since_ms: int
    first_unlisted_ms: float
    """When the first of the prices held is older than a service lists."""


Work = Callable[[], Awaitable[None]]
Outcome = Callable[[str, ServiceError | None, int | None], None]
"""Called with a job's name, its error and the time of the next try; None, None on success."""


class Job:
    """One thing that is read again and again.

    Where it costs requests of the quota, ``reading`` says how many and how much depends on it, and
    the budget how often; else it is read every ``period_s`` seconds. ``after`` is waited for before
    the first read, so that what matters most is on screen first.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        reading: ReadingNow | None = None,
        after: Work | None = None,
        *,
        period_s: float = 0.0,
        is_asked: bool = False,
        longest_rest_s: float = 0.0,
    ) -> None:
        self.name = name
        self.work = work
        self.reading = reading
        self.after = after
        self.period_s = period_s
        self.longest_rest_s = longest_rest_s
        """Up to how long its reads wait while the service has nothing new; at least a period."""
        self.is_asked = is_asked
        """Whether the user waits for its next read, which may take what is kept for that."""
        self.hurried = asyncio.Event()
        self.tried = asyncio.Event()
        """Set once its first try is over: done, failed or cancelled."""
        self.is_at_work = False
        """Whether its work is under way; still true at a restart where the work failed."""
        self.began_ms = 0
        """When its latest read began."""


class Poller:
    """Runs reads, one of ``jobs`` each, until they are removed."""

    def __init__(
        self,
        budget: Budget,
        clock: Clock,
        on_outcome: Outcome,
        randomness: Randomness,
        jobs: Jobs,
        quiet_now: Callable[[], Quiet | None] = lambda: None,
    ) -> None:
        """``quiet_now`` returns since when nothing is new; None where something may be."""
        self._budget = budget
        self._clock = clock
        self._on_outcome = on_outcome
        self._randomness = randomness
        self._running = jobs
        self._quiet_now = quiet_now
        self._jobs: dict[str, Job] = {}

    def add_job(self, job: Job) -> None:
        """Begin a job, unless one of the same name is running."""
        if job.name in self._jobs:
            return
        self._jobs[job.name] = job
        if job.reading is not None:
            self._budget.plan_reading(job.name, job.reading)
        backoff = Backoff(self._randomness)
        self._running.start_job(
            task_name(job.name),
            lambda: self._repeat(job, backoff),
            says_it_is_well=job.reading is not None,
        )

    def remove_job(self, name: str) -> None:
        """End a job."""
        job = self._jobs.pop(name, None)
        if job is not None:
            job.tried.set()
            self._budget.drop_reading(name)
            self._running.end_job(task_name(name))

    def hurry(self, names: Iterable[str] | None = None, *, is_asked: bool = False) -> None:
        """Do jobs now, or once more where they are under way; all of them by default.

        Unless the user asks for it, only those that take little of what is left.
        """
        for name in list(self._jobs) if names is None else names:
            if (job := self._jobs.get(name)) is None:
                continue
            job.is_asked |= is_asked
            if is_asked or _cost(job) <= self._budget.spendable * _MOST_HURRIED:
                job.hurried.set()

    def end_rest(self) -> None:
        """Do the jobs now that rested for longer than their period."""
        now_ms = self._clock()
        self.hurry(
            each.name
            for each in self._jobs.values()
            if each.longest_rest_s
            and not each.is_at_work
            and now_ms - each.began_ms >= 1000 * self._period_s(each)
        )

    async def tried(self, name: str) -> None:
        """Wait until the first try of a job is over; return at once where there is no such job."""
        job = self._jobs.get(name)
        if job is not None:
            await job.tried.wait()

    def stop_jobs(self) -> None:
        """End every job soon."""
        for name in list(self._jobs):
            self.remove_job(name)

    async def _repeat(self, job: Job, backoff: Backoff) -> None:
        if job.is_at_work:
            job.tried.set()
            if job.reading is not None:
                # What it reads may kill it again, and each try is a request of the quota.
                await self._pause(job, backoff.next_s())
        if job.after is not None:
            await job.after()
        while True:
            job.hurried.clear()
            job.is_at_work, job.began_ms = True, self._clock()
            error = await self._try(job)
            job.is_at_work = False
            if job.reading is not None:
                self._running.well(task_name(job.name))
            if error is None:
                backoff.reset_waits()
                self._on_outcome(job.name, None, None)
                job.tried.set()
                await self._pause(job, None)
                continue
            wait_s = self._wait_s(job, error, backoff)
            self._on_outcome(job.name, error, self._clock() + round(wait_s * 1000))
            job.tried.set()
            await self._pause(job, wait_s)

    async def _try(self, job: Job) -> ServiceError | None:
        try:
            if job.reading is not None:
                await self._room(job)
            await job.work()
        except ServiceError as error:
            return error
        finally:
            job.is_asked = False
        return None

    async def _room(self, job: Job) -> None:
        """Wait until requests are taken, and as many are left as a read takes.

        Those that are kept count, too, where the user asked for it. Where none is left at all, the
        read is begun, with the time when they come back.
        """
        while True:
            wait_s = self._budget.blocked_s()
            if wait_s <= 0:
                spendable = self._budget.spendable
                if job.is_asked or not 0 < spendable < _cost(job):
                    return
                wait_s = _LOOK_AGAIN_S
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait_s, _LOOK_AGAIN_S)):
                    await job.hurried.wait()
            job.hurried.clear()

    def _wait_s(self, job: Job, error: ServiceError, backoff: Backoff) -> float:
        if isinstance(error, RateLimitedError):
            self._budget.block(error.retry_at_ms)
            return max(1.0, self._budget.blocked_s())
        if isinstance(error, ForbiddenError):
            if not error.is_about_plan:
                return _FORBIDDEN_S
            return _OTHER_PLAN_FREE_S if job.reading is None else _OTHER_PLAN_S
        if isinstance(error, UnauthorizedError):
            return _UNKNOWN_KEY_S
        return backoff.next_s()

    async def _pause(self, job: Job, seconds: float | None) -> None:
        """Wait until hurried, at most that long; None: the job's period by the budget."""
        since = self._clock()
        while True:
            since = min(since, self._clock())  # the clock may be put back
            period_s = self._period_s(job) if seconds is None else seconds
            whole_s = period_s if seconds is not None else self.rest_s(job)
            left_s = whole_s - (self._clock() - since) / 1000
            if left_s <= 0:
                return
            try:  # often enough to read in time once something is new
                async with asyncio.timeout(min(left_s, period_s, _LOOK_AGAIN_S)):
                    await job.hurried.wait()
            except TimeoutError:
                continue
            return

    def rest_s(self, job: Job) -> float:
        """Return the seconds between two reads of a job."""
        period_s = self._period_s(job)
        quiet = self._quiet_now() if job.longest_rest_s else None
        if quiet is None or job.began_ms - quiet.since_ms <= _QUIET_AFTER_MS:
            return period_s
        wait_s = max(_QUIET_PERIODS * period_s, (job.began_ms - quiet.since_ms) / 1000)
        until_unlisted_s = (quiet.first_unlisted_ms - job.began_ms) / 1000
        return max(period_s, min(wait_s, job.longest_rest_s, until_unlisted_s))

    def _period_s(self, job: Job) -> float:
        return job.period_s if job.reading is None else self._budget.period_s(job.name)


def _cost(job: Job) -> float:
    """Return how many requests a read takes."""
    return 0.0 if job.reading is None else job.reading().cost


_TICK_S: Final = 1.0
_LOOKS_A_SIGN: Final = 4
"""A sign of life is asked for at every so-manieth tick, as often as a stream is pinged."""
_FILLING_MS: Final = 10_000
"""For so long after a connect an unknown game has the list read at once, later with its poll."""
_HURRY_S: Final = 1.0
_HEALTH_FIRST_S: Final = 5.0
"""The longest that prices wait for the service's health, which says whether they are simulated."""
_FIRST_PRICES_S: Final = 2.0
"""The longest that other reading waits for the first prices; the quota may hold them up."""
_PATIENCE: Final = 1.5
"""In polling intervals: for so long a price may go unread while the stream is up."""
_MOST_WATCHED: Final = 5
"""Up to this many competitions are read one by one; more are hardly fewer than all."""
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
        self._results = ResultReader(client, board, clock)
        self._monitor = ConnectionMonitor(board, clock, self._read_by)
        self._jobs = Jobs(lambda: self._monitor.jobs_failing(self._jobs.faults))
        self._poller = Poller(
            self.budget, clock, self._on_outcome, randomness, self._jobs, self._quiet_now
        )
        self._newest: tuple[int | None, int] = (None, 0)
        """When the newest price was scraped, as the service's health said, and when it said so."""
        self._new_at = 0
        """When something was new last."""
        self._first_unlisted_ms: float | None = None
        """When the first price held is too old to be listed; None until that is asked for."""
        self._subscribed: dict[str, None] = {}
        self._watched: frozenset[str] = frozenset()
        self._is_started = False
        self._hurry_handle: asyncio.TimerHandle | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._filling_until_ms = 0
        self._known_games: frozenset[str] = frozenset()
        """Games that were listed when the service last reported its health."""
        self._health_began_ms = 0
        """When the last answered health request was sent."""
        self._has_tried_bets = False
        """Whether it is known if the prices of all games are kept to find value among them."""
        self._looks = 0

    def start_reading(self) -> None:
        """Begin: games and subscribed ones first, then value bets, the stream and the rest."""
        if self._is_started:
            return
        self._is_started = True
        plan = self.plan
        self._monitor.begin_connecting()
        self._unsubscribe = self._board.subscribe(self._on_board_notice, GamesChanged)
        self._jobs.start_job(task_name("tick"), self._tick)
        self._jobs.start_job(task_name("messages"), self._queue.take_in_messages)
        for game in self._subscribed:
            self._add_matrix(game)
        later = self._after_first_prices
        self._poller.add_job(
            Job(GAMES, self._read_games, plan.games_reading, longest_rest_s=_QUIET_S)
        )
        read, cost, rest_s = self._read_value_bets, plan.value_bets_reading, _QUIET_BETS_S
        self._poller.add_job(Job(VALUE_BETS, read, cost, later, longest_rest_s=rest_s))
        self._add_stream()
        # First: no price is shown before it is known whether odds are simulated.
        self._poller.add_job(Job(HEALTH, self._read_health, period_s=self._pace.health_s))
        self._poller.add_job(Job(RIGHTS, self._try_live, plan.rights, later))
        self._read_rows()

    async def stop_reading(self) -> None:
        """End everything; what the board holds stays."""
        if self._hurry_handle is not None:
            self._hurry_handle.cancel()
            self._hurry_handle = None
        self._unsubscribe()
        self._is_started = False
        self._watched = frozenset()
        self._poller.stop_jobs()
        await self._jobs.stop_jobs()
        self._queue.drop_messages()
        self._monitor.end_connection()

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current, at once and until it is unsubscribed."""
        self._board.subscribe_game(game_id)
        self._subscribed[game_id] = None
        if self._is_started:
            self._add_matrix(game_id)

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current no longer."""
        self._subscribed.pop(game_id, None)
        self._board.unsubscribe_game(game_id)
        self._poller.remove_job(open_game(game_id))

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, or no longer."""
        if wanted != self._board.rows_wanted:
            self._board.keep_all_rows(wanted)
        self._read_rows()

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read these one by one while the odds grid shows them; none where they are many."""
        self._board.watched = codes if len(codes) <= _MOST_WATCHED else frozenset()
        self._read_rows()

    def want_values(self, wanted: bool) -> None:
        """Keep the prices of all games current to find value among them, or no longer."""
        self._board.want_values(wanted)
        self._read_rows()

    def pause_rows(self, paused: bool) -> None:
        """Stop reading the rows of the odds grid after the request under way, or go on."""
        self._rows.pause(paused)

    def read_all_again(self) -> None:
        """Read everything now, open games first; where the stream is not up, try that now, too."""
        if self._is_started and self._board.connection.link in (Link.WAITING, Link.REFUSED):
            self._restart_stream()
        self._poller.hurry(map(open_game, self._subscribed), is_asked=True)
        self._poller.hurry(is_asked=True)

    def _quota(self) -> Quota | None:
        return self._client.quota if self._client.keeps_quota else None

    def _add_stream(self) -> None:
        self._poller.add_job(
            Job(STREAM, self._listen, after=self._after_first_prices, period_s=1.0)
        )

    def _read_rows(self) -> None:
        self._read_watched()
        if not self._board.keeps_all:
            self._poller.remove_job(ROWS)
        elif self._is_started:
            later = self._after_first_prices
            rows = Job(ROWS, self._read_all, self.plan.rows_reading, later, longest_rest_s=_QUIET_S)
            self._poller.add_job(rows)

    def _read_watched(self) -> None:
        wanted = self._board.watched if self._board.rows_wanted else frozenset[str]()
        for code in self._watched - wanted:
            self._poller.remove_job(watched_competition(code))
        if self._is_started:
            for code in wanted - self._watched:
                self._add_competition(code)
            self._watched = wanted
        else:
            self._watched &= wanted

    def _add_competition(self, code: str) -> None:
        name = watched_competition(code)
        read, later = partial(self._rows.read_competition, code), self._after_first_prices
        reading = partial(self.plan.competition_reading, code)
        self._poller.add_job(Job(name, read, reading, later, longest_rest_s=_QUIET_S))

    def _add_matrix(self, game_id: str) -> None:
        self._poller.add_job(
            Job(
                open_game(game_id),
                lambda: self._read_matrix(game_id),
                lambda: self.plan.game_reading(game_id),
                is_asked=True,
                longest_rest_s=_QUIET_S,
            )
        )

    async def _read_games(self) -> None:
        asked: list[None] = []
        found = await all_games(self._client, on_request=lambda: asked.append(None))
        await self._look_at_new_games({game.game_id for game in found.games})
        self._board.load_games(found.games, is_cut=found.is_cut or bool(found.failed))
        self.plan.pages[GAMES] = max(1, len(asked))

    async def _look_at_new_games(self, listed: Set[str]) -> None:
        """Read the service's health again before showing games that are new since the last time.

        Their odds may be simulated, or old with shifted times.
        """
        answered_at = self._clock()
        await self._health_tried()
        if listed <= self._known_games or self._health_began_ms >= answered_at:
            return
        with suppress(ServiceError, TimeoutError):
            async with asyncio.timeout(_HEALTH_FIRST_S):
                await self._read_health()
                self._known_games |= listed

    async def _health_tried(self) -> None:
        """Wait, for a limited time, until the health says whether odds are simulated or old."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEALTH_FIRST_S):
                await self._poller.tried(HEALTH)

    def _read_by(self) -> frozenset[str]:
        """Name the jobs that read all prices which are held, or say which are to be."""
        of_all = frozenset([ROWS] if self._board.keeps_all else map(open_game, self._subscribed))
        return of_all if self._has_tried_bets else of_all | {VALUE_BETS}

    async def _read_all(self) -> None:
        await self._rows.read_rows()
        self._monitor.note_prices_read(ROWS, self._rows.began_ms)

    async def _read_value_bets(self) -> None:
        try:
            await self._bets.read_bets()
        except ForbiddenError as error:
            # The contract has no code for it: any refusal but one of the bookmaker is the plan's.
            if error.is_about_plan or error.code.startswith("bookmaker_"):
                raise
            code = ErrorCode.VALUE_BETS_NOT_ON_PLAN.value
            raise ForbiddenError(code, error.message, error.status, error.upgrade_url) from error
        self._monitor.set_facts(has_value_bets=True)
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
            self._monitor.note_prices_read(open_game(game_id), asked_at)
            return
        await self._health_tried()
        await in_slices(self._board.merge_matrix(matrix, asked_at))
        await learn_in_play(self._client, self._board, matrix.game_id, self._clock)
        self._monitor.note_prices_read(open_game(game_id), asked_at)
        if matrix.game_id != game_id:
            self._board.merge_game(game_id, matrix.game_id)

    async def _read_rows_of(self, game_id: str) -> None:
        """Read a game's prices by the rows of its competition: the key may not read games."""
        await self._health_tried()
        if (game := self._board.games.get(game_id)) is not None:
            began_ms = await self._rows.read_game(game)
            self._monitor.note_prices_read(open_game(game_id), began_ms)

    async def _read_health(self) -> None:
        began_ms = self._clock()
        try:
            health = await self._client.health()
        except (NotFoundError, MalformedAnswerError):
            self._monitor.set_facts(
                simulated=None,
                shifted=False,
                unpriced_reference="",
                service_troubles=(),
                sources=(),
            )
        else:
            troubles = tuple(health.reasons[:_MOST_TROUBLES])
            were_simulated = self._board.connection.simulated
            self._monitor.set_facts(
                simulated=health.simulated,
                shifted=health.shifted,
                unpriced_reference=health.unpriced_reference or "",
                service_troubles=troubles,
                sources=tuple(health.sources or ())[:_MOST_SOURCES],
            )
            self._health_began_ms = began_ms
            self._note_newest(optional_ms(health.last_scraped_at))
            if health.unpriced_reference:
                self._board.name_reference(health.unpriced_reference)
            if were_simulated and health.simulated is False:
                self._poller.hurry()  # the board has dropped all that it held

    def _note_newest(self, newest_ms: int | None) -> None:
        now_ms = self._clock()
        is_new, self._newest = newest_ms != self._newest[0], (newest_ms, now_ms)
        if is_new:
            self._new_at = now_ms
            self._poller.end_rest()
        self._monitor.note_newest(newest_ms)

    def _quiet_now(self) -> Quiet | None:
        """Return since when no price was scraped or streamed, and no game began.

        None where that is not known: without the stream, or the service's word for it.
        """
        newest_ms, told_at = self._newest
        now_ms = self._clock()
        is_told = newest_ms is not None and 0 <= now_ms - told_at <= _HEALTH_KNOWN_MS
        if not is_told or self._board.connection.link is not Link.LIVE:
            return None
        kick_offs = [each.kick_off for each in self._board.games.values() if each.kick_off]
        began_ms = max((each for each in kick_offs if each <= now_ms), default=0)
        first_ms = math.inf if self._first_unlisted_ms is None else self._first_unlisted_ms
        return Quiet(max(self._new_at, began_ms), first_ms)

    async def _find_first_unlisted(self) -> None:
        """Find the oldest price held while nothing is new, in slices, unless it is known."""
        quiet = self._quiet_now() if self._first_unlisted_ms is None else None
        if quiet is None or self._clock() - quiet.since_ms <= _QUIET_AFTER_MS:
            return
        self._first_unlisted_ms = math.inf  # until something is read meanwhile
        oldest_ms = await awake(self._board.finding_oldest())
        if self._first_unlisted_ms is not None:
            self._first_unlisted_ms = oldest_ms + WINDOW_MS

    async def _try_live(self) -> None:
        await self._client.live_odds(limit=1)
        self._monitor.set_facts(has_live=True)
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
                self._queue.put_messages(messages)
                self._new_at, self._first_unlisted_ms = self._clock(), None
                self._hurry_games_soon(messages)
                self._monitor.pace.count_messages([each.scraped_at for each in messages])
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
            self._new_at = self._clock()
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
        if job not in _WITHOUT_PRICES:
            self._first_unlisted_ms = None
        unanswered = self._monitor.unanswered
        self._monitor.outcome(job, error, next_try_ms)
        if error is None and job in unanswered:
            self._poller.hurry(each for each in unanswered if each != job)
            if self._monitor.waits_for_stream:
                self._restart_stream()
        if self._board.connection.is_catching_up and not were_catching_up:
            self._poller.hurry(self._read_by())

    def _restart_stream(self) -> None:
        self._poller.remove_job(STREAM)
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
                self._restart_stream()
                self._poller.hurry()
            quota, ahead_ms = self._quota(), self._client.clock_ahead_ms
            said = "" if quota is None else self.plan.in_words(self.budget.periods_s())
            self._monitor.refresh_figures(quota, said, clock_ahead_ms=ahead_ms)
            self._look_for_silence()
            self._say_if_used_up()
            self._read_results()
            await in_slices(self._board.sweeping())
            since_ms = self._board.connection.since_ms or 0
            self._board.scrape_interval.be_patient(self._patience_ms(), since_ms)
            await self._find_first_unlisted()
            await asyncio.sleep(_TICK_S)

    def _read_results(self) -> None:
        """Read results only while something depends on them."""
        if self._results.is_due:
            read, reading = self._results.read_results, self._results.reading
            self._poller.add_job(Job(RESULTS, read, reading, self._after_first_prices))
        else:
            self._poller.remove_job(RESULTS)

    def _look_for_silence(self) -> None:
        """Ask for a sign of life where no stream gives one; it costs no request of the quota."""
        self._monitor.note_sign_of_life(
            self._client.signs_of_life, host_of(self._client.addresses.base)
        )
        self._looks += 1
        if self._looks % _LOOKS_A_SIGN == 0 and self._board.connection.link is Link.POLLING:
            self._poller.hurry([HEALTH])

    def _say_if_used_up(self) -> None:
        """Have a read refused, which sends nothing, where an answer told that nothing is left.

        All are due in a day then, and none would tell.
        """
        quota = self._quota()
        is_used_up = quota is not None and quota.used_up_until_ms(0, self._clock()) is not None
        if is_used_up and not self.budget.blocked_s():
            self._poller.hurry([GAMES], is_asked=True)

    def _patience_ms(self) -> int:
        """Return how long a price may go unread without looking older.

        0 without the stream; while nothing is read, as the stream reports no withdrawals; while no
        price comes in at all, as then nobody checked for moves; and while the service has nothing
        new, as then nothing is unread.
        """
        connection = self._board.connection
        is_told = connection.link is Link.LIVE and connection.silent_since_ms is None
        if not is_told or self.budget.blocked_s() or self._is_read():
            return 0
        if self._board.keeps_all and not self._board.snapshot_progress.is_paused:
            turn_ms = float(self._rows.turn_ms())
        else:
            turns = [self.budget.period_s(open_game(game)) for game in self._subscribed]
            turn_ms = max(turns, default=0.0) * 1000
        return round(turn_ms * _PATIENCE)

    def _is_read(self) -> bool:
        """Whether all prices were read since the service has nothing new, for a while by now."""
        quiet = self._quiet_now()
        if quiet is None or self._newest[1] - quiet.since_ms <= _QUIET_AFTER_MS:
            return False
        return self._monitor.has_read_since(quiet.since_ms)


async def learn_in_play(client: Client, board: Board, game_id: str, clock: Clock) -> None:
    """Read the in-play rows of a game's competition, where that is not known of some price.

    Usually needed once: later moves come with the stream, which tells. Plans without in-play
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


GATHER_S: Final = 0.075
"""For how long messages that follow each other sooner come in before they are read together.

It is the beat of a busy desk: tables show what they hear soon after. Thirteen times a second reads
as live; a process that wakes oftener for less at a time takes more of a core.
"""
_SLICE_S: Final = 0.005
"""How long the loop is held at a time: for what mostly comes in one beat, to be shown as one."""
_REST_S: Final = 0.001
"""For so long, for each message taken in, those of games out of sight then wait for more of them.

Of few messages that is no time; of thousands a second each game comes four times a second.
"""
_MOST_REST_S: Final = 0.25
"""The longest they wait: who watches no price of a game sees its value bets twice a second."""
_FULL: Final = 20_000
"""Messages that may wait; beyond that reading stops, and the service ends the stream (4008)."""


class MessageQueue:
    """Holds stream messages until ``take_in_messages`` hands them to the board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._waiting = WaitingMessages(board.is_in_sight)
        self._has_some = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def put_messages(self, messages: Iterable[PriceMessage]) -> None:
        """Add messages; those of a game are taken in in order."""
        self._waiting.add_messages(messages)
        self._has_some.set()
        if self._waiting.count >= _FULL:
            self._has_room.clear()

    async def room(self) -> None:
        """Wait until there is room for more messages."""
        await self._has_room.wait()

    def drop_messages(self) -> None:
        """Forget what was not taken in yet."""
        self._waiting.drop_messages()
        self._has_room.set()

    async def take_in_messages(self) -> None:
        """Take messages in, for ever; an error in one loses those taken in together with it."""
        loop, others_at = asyncio.get_running_loop(), 0.0
        self._has_some.set()
        while True:
            await self._has_some.wait()
            self._has_some.clear()
            count = self._waiting.count
            are_all_due = loop.time() >= others_at or count >= _FULL
            await in_slices(self._take(are_all=are_all_due), _SLICE_S)
            if are_all_due and count:
                rest_s = min(count * _REST_S, _MOST_REST_S)
                others_at = loop.time() + rest_s
                loop.call_later(rest_s, self._has_some.set)

    def _take(self, *, are_all: bool) -> Iterator[None]:
        """Take in what waits: messages of games in sight, or of all games."""
        waiting = self._waiting
        with closing(self._board.applying(waiting)) as steps:
            while waiting.are_in_sight or (are_all and waiting.count):
                next(steps)
                if waiting.count < _FULL:
                    self._has_room.set()
                yield
