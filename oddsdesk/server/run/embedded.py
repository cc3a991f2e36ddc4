"""The built-in server: runs in a separate thread, for the desk."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.base.tasks import new_loop, on_this_loop
from oddsdesk.base.texts import N_
from oddsdesk.contract import administration
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import KeyRefusedError, MissingKeyError
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.access import open_access
from oddsdesk.store.accounts import (
    OWN_ACCOUNT,
    BadAccountError,
    OwnAccountError,
    UnknownAccountError,
)
from oddsdesk.store.databases import KEEP_ALL
from oddsdesk.store.errors import PairError, StoreError, StoreUnavailableError
from oddsdesk.store.keys import KeyLimitError, UnknownKeyError
from oddsdesk.store.names import unknown_bookmaker, usual_spelling
from oddsdesk.store.reader import LONGEST_WINDOW_MS, Reader
from oddsdesk.store.retention import imported_past
from oddsdesk.store.store import Store
from oddsdesk.store.values import Skipped, origin_named

if TYPE_CHECKING:
    from oddsdesk.feeds.live.adapters import Guides

T = TypeVar("T")
P = ParamSpec("P")
START_LIMIT_S: Final = 60.0
"""Long, because the files of a replay are read first."""
STOP_LIMIT_S: Final = 2.0

_log = logging.getLogger(__name__)


def _load_guides() -> "type[Guides]":
    from oddsdesk.feeds.live.adapters import Guides  # noqa: PLC0415 - 0.4 s that a start saves

    return Guides


def _size(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


PATIENCE_S: Final = 0.5
"""How long calls may go on when the server stops, which takes 2 s in all."""


class LoopCalls:
    """Runs coroutines on a loop until ``end``; later or longer calls fail.

    A loop that is ending still accepts coroutines, but has no threads for them (`RuntimeError`)
    and never runs the last ones.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._open: set[Future[Any]] = set()
        self._has_ended = False

    def run_on_loop(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; any thread may ask.

        The future fails with ``StoreUnavailableError`` if the server stops before the answer.
        """
        answer: Future[T] = Future()
        with self._lock:
            if self._has_ended:
                work.close()
                answer.set_exception(_stopped())
                return answer
            asked = asyncio.run_coroutine_threadsafe(work, self._loop)
            self._open.add(asked)
        asked.add_done_callback(self._open.discard)
        asked.add_done_callback(partial(_pass_on, answer))
        answer.add_done_callback(partial(_give_up, asked))
        return answer

    async def end_calls(self) -> None:
        """Stop accepting calls, and finish running ones; on the loop itself."""
        with self._lock:
            self._has_ended = True
        asked = list(self._open)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*map(asyncio.wrap_future, asked), return_exceptions=True)
        for each in asked:
            each.cancel()


def _pass_on(answer: Future[T], asked: Future[T]) -> None:
    if not answer.set_running_or_notify_cancel():
        return
    if asked.cancelled():
        answer.set_exception(_stopped())
    elif (error := asked.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(asked.result())


def _give_up(asked: Future[T], answer: Future[T]) -> None:
    if answer.cancelled():
        asked.cancel()


def _stopped() -> StoreUnavailableError:
    return StoreUnavailableError("the built-in server has stopped")


BATCH_QUOTES: Final = 2_000
_REMEDY: Final = N_("shift all times to now to keep them")
_TOO_FAR: Final = N_("all times were shifted by as much as those of the first files")


def import_files(
    store: Store,
    clock: Clock,
    format_name: str,
    places: Sequence[str],
    *,
    shift_to_now: bool,
    together: bool = False,
) -> administration.ImportOutcome:
    """Convert files and record their odds; blocks until done.

    ``shift_to_now`` shifts all times by the same amount: the one that brought the newest price of
    the database's first such import to the present. Unless ``together``, nothing is
    recorded if the database's odds have such times and these prices would not, or the other way
    round.

    Raises:
        StoreError: the database cannot be written, or was closed meanwhile.
    """
    from oddsdesk.feeds import importing  # noqa: PLC0415 - 25 ms the desk saves at its start

    apart = importing.why_apart(store.reader(), shift_to_now=shift_to_now)
    imported = importing.read_files(format_name, places, lambda _prices: None)
    importing.leave_out_over(imported, clock())
    if apart and imported.quotes and not together:
        return administration.ImportOutcome.not_recorded(apart, imported.problems)
    shift = None
    if shift_to_now and imported.quotes:
        own = importing.shift_to(imported, clock())
        shift = store.agree_on_shift(own).result()
    importing.set_times(imported, clock(), shift)
    remedy = _TOO_FAR if shift_to_now else _REMEDY
    is_ahead = importing.leave_out_future(imported, clock(), remedy)
    past = imported_past(imported.quotes, store.reader().keep_days(), clock())
    newest = imported.quotes[-1].scraped_at if imported.quotes else None
    quotes = changes = 0
    skipped = Skipped()
    for start in range(0, len(imported.quotes), BATCH_QUOTES):
        batch = imported.quotes[start : start + BATCH_QUOTES]
        told = store.record(batch, origin=origin_named(format_name), shifted=imported.shifted)
        recorded = told.result()
        quotes += recorded.quotes
        changes += recorded.changes
        if recorded.skipped:
            skipped.add_recorded(recorded, store.reader().are_in_log)
    imported.skip_older(skipped.prices, there=skipped.prices_there)
    store.record_results(imported.results, origin_named(format_name)).result()
    store.record_series(imported.series, origin_named(format_name)).result()
    about = importing.american_line(imported), importing.series_line(imported)
    notes = (past, *about, skipped.in_a_line())
    _log.info("imported %s: %d quotes, %d changes", ", ".join(places), quotes, changes)
    return administration.ImportOutcome(
        kept=imported.kept,
        skipped=dict(imported.skipped.most_common()),
        problems=imported.problems,
        quotes=quotes,
        changes=changes,
        notes=[note for note in notes if note],
        newest_ms=newest,
        is_past=newest is not None and newest < clock() - LONGEST_WINDOW_MS,
        inferred_times=imported.inferred_times,
        apart=importing.AHEAD if is_ahead and shift_to_now else "",
    )


_REFUSALS = (
    *(StoreError, PairError, FeedError, KeyLimitError, UnknownKeyError),
    *(BadAccountError, UnknownAccountError, OwnAccountError),
)
Own = TypeVar("Own", bound="EmbeddedServer")
Asked = Callable[Concatenate[Own, P], Coroutine[Any, Any, T]]


def on_its_loop(method: Asked[Own, P, T]) -> Asked[Own, P, T]:
    """Run a coroutine of the server on its loop, from any loop."""

    @wraps(method)
    async def ask(own: Own, /, *given: P.args, **named: P.kwargs) -> T:
        try:
            return await asyncio.wrap_future(own.calls.run_on_loop(method(own, *given, **named)))
        except KeyRefusedError as error:
            is_missing = isinstance(error, MissingKeyError)
            raise administration.SourceKeyError(str(error), is_missing=is_missing) from error
        except _REFUSALS as error:
            raise administration.LocalServerError(str(error)) from error

    return ask


def on_a_worker_thread(method: Callable[Concatenate[Own, P], T]) -> Asked[Own, P, T]:
    """Turn a blocking method of the server into a coroutine; it runs on a thread of its loop."""

    async def run(own: Own, /, *given: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(method, own, *given, **named)

    return on_its_loop(wraps(method)(run))


class EmbeddedServer:
    """A server in a separate thread and loop, with everything its owner can do with it.

    Others reach it by loopback HTTP only. Once it has started, its coroutines may be awaited on any
    loop: they run on the server's, and fail with ``LocalServerError``.
    """

    def __init__(self, settings: Settings, clock: Clock = system_clock) -> None:
        self._settings = settings
        self._clock = clock
        self._thread = threading.Thread(target=self._main, name="server", daemon=True)
        self._changed = threading.Event()
        self._failure: BaseException | None = None
        self._end_wanted = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._starting: asyncio.Task[None] | None = None
        self._guides: Guides | None = None
        self._server: Server
        self.calls: LoopCalls
        """Runs calls on the server's loop, once it has started."""
        self.url: str = ""
        self.key = ""
        self.own_key_id: int = 0

    def start_server(self) -> str:
        """Start and return the address; ``key`` has all rights until the next start.

        Raises:
            StoreError, ListenError, FeedError: one line with the reason.
            TimeoutError: it did not answer in time.
        """
        self._thread.start()
        if not self._changed.wait(START_LIMIT_S):
            self.stop_server()
            raise TimeoutError(
                f"the built-in server did not start within {START_LIMIT_S:g} seconds"
            )
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self.url

    def stop_server(self) -> bool:
        """Stop it; False if it has not stopped within 2 s. May be called twice."""
        self._end_wanted.set()
        self._call_soon(self._end)
        if self._thread.ident is not None:
            self._thread.join(STOP_LIMIT_S)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether its thread is running."""
        return self._thread.is_alive()

    def prices_are_shown(self) -> None:
        """Let the server start what waits for the window."""
        self._call_soon(self._server.head_start.end_head_start)

    @on_a_worker_thread
    def read(self, question: Callable[[Reader], T]) -> T:
        """Run a query on the database."""
        return question(self._server.store.reader())

    @on_a_worker_thread
    def database(self) -> administration.DatabaseState:
        """Return where the database is and how large it is."""
        store, path = self._server.store, self._file()
        reader = store.reader()
        return administration.DatabaseState(
            path,
            _size(path),
            store.reference,
            reader.last_scraped_at(),
            reader.holds_real_odds(),
            store.is_read_only,
            reader.keep_days() or KEEP_ALL,
        )

    @on_a_worker_thread
    def keep_days(self, days: int) -> None:
        """Store in the database for how many days its log is kept, 0 for ever."""
        self._server.store.keep_log(days).result()

    @on_a_worker_thread
    def keep_days_unless_set(self, days: int) -> bool:
        """Do the same unless it was set before; return whether it was done."""
        return self._server.store.adopt_keep_days(days).result()

    async def back_up(
        self, target: Path, *, keys: bool, bets: bool, progress: Callable[[float], None]
    ) -> int:
        """Copy the database in use and return the size in bytes; ``progress`` gets the share."""
        return await self._back_up(target, keys, bets, on_this_loop(progress))

    @on_its_loop
    async def feed_reports(self) -> list[administration.FeedState]:
        """Return every feed."""
        return self._server.running_feeds.states()

    @on_its_loop
    async def add_feed(self, spec: str, speed: float) -> None:
        """Open a feed and run it; it ends with the server."""
        for number in await self._server.running_feeds.open_feeds([spec], speed):
            await self._server.running_feeds.start_feed(number)

    @on_its_loop
    async def add_simulation(self, spec: str, speed: float) -> None:
        """Do the same once the head start is over, unless real odds have come in."""
        await self._server.head_start.over()
        if not (await self.database()).holds_real_odds:
            await self.add_feed(spec, speed)

    @on_a_worker_thread
    def live_sources(self) -> list[administration.LiveSource]:
        """Return the available sources of live odds."""
        from oddsdesk.feeds.live.adapters import sources  # noqa: PLC0415 - 0.4 s that a start saves

        return sources()

    @on_its_loop
    async def source_choices(self, name: str, url: str, key: str) -> administration.Choices:
        """Return what a source offers; costs no credits."""
        return await (await self._opened_guides()).choices_of(name, url or None, key)

    @on_its_loop
    async def plan_feed(self, spec: str, key: str) -> administration.LivePlan:
        """Return what a feed will do and cost; costs no credits."""
        return await (await self._opened_guides()).plan_feed(spec, key)

    @on_its_loop
    async def start_feed(self, number: int) -> None:
        """Run a feed that was stopped or has ended."""
        await self._server.running_feeds.start_feed(number)

    @on_its_loop
    async def stop_feed(self, number: int) -> None:
        """End a feed."""
        await self._server.running_feeds.stop_feed(number)

    @on_its_loop
    async def remove_feed(self, number: int) -> None:
        """Remove a feed that was stopped or has ended."""
        self._server.running_feeds.remove_feed(number)

    @on_a_worker_thread
    def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool, together: bool = False
    ) -> administration.ImportOutcome:
        """Convert files in other formats and record them, once; see ``import_files``."""
        return import_files(
            self._server.store,
            self._clock,
            format_name,
            places,
            shift_to_now=shift_to_now,
            together=together,
        )

    @on_a_worker_thread
    def game_pairs(self) -> list[GamePair]:
        """Suggest games that may be the same; return these and all decisions."""
        return self._server.store.find_pairs().result()

    @on_a_worker_thread
    def decide_game_pairs(self, idents: Sequence[int], state: PairState) -> None:
        """Accept or refuse pairs, or undo that: all of them, or none."""
        self._server.store.decide_pairs(idents, state, self._clock()).result()

    @on_a_worker_thread
    def api_keys(self) -> list[administration.Key]:
        """Return every key, masked, revoked ones too."""
        return self._server.access.keys.all_keys()

    @on_a_worker_thread
    def create_key(self, account: str, plan: Plan | None, bookmaker: str | None) -> str:
        """Make a key and return its secret, which is shown only here."""
        create = self._server.access.keys.create
        return create(account, plan, self._spelled(bookmaker), self._clock()).secret

    @on_a_worker_thread
    def rotate_key(self, key_id: int) -> str:
        """Give a key a new secret and return it; the old one ends at once."""
        return self._server.access.keys.rotate(str(key_id)).secret

    @on_a_worker_thread
    def revoke_key(self, key_id: int) -> None:
        """End a key for good."""
        self._server.access.keys.revoke(str(key_id), self._clock())

    @on_a_worker_thread
    def change_rights(self, account: str, plan: Plan, bookmaker: str | None) -> str:
        """Change an account without touching its keys; return a warning, or an empty text."""
        change, spelled = self._server.access.keys.change_account, self._spelled(bookmaker)
        _, after = change(account, self._clock(), plan=plan, bookmaker=spelled)
        return self._warning(plan, after.bookmaker)

    @on_a_worker_thread
    def account_warning(self, plan: Plan, bookmaker: str | None) -> str:
        """Return why an account's keys get no odds, else an empty text."""
        return self._warning(plan, bookmaker)

    @on_a_worker_thread
    def drop_account(self, account: str) -> None:
        """Delete an account, its keys and its counts."""
        self._server.access.keys.remove_account(account, self._clock())

    def _main(self) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(self._serve())
        except asyncio.CancelledError:
            self._failure = TimeoutError("the built-in server was stopped before it was ready")
        except BaseException as error:  # noqa: BLE001 - thread main
            if self._changed.is_set():
                _log.exception("the built-in server failed")
            self._failure = error
        finally:
            self._changed.set()

    async def _serve(self) -> None:
        self._starting = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._end_wanted.is_set():
            raise asyncio.CancelledError
        async with serving(self._settings, self._clock) as server:
            self._starting = None
            await self._announce(server)
            await self._stopping.wait()
            await self.calls.end_calls()
            if self._guides is not None:
                await self._guides.close_guides()

    def _call_soon(self, work: Callable[[], None]) -> None:
        if self._loop is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):  # it has ended in between
                self._loop.call_soon_threadsafe(work)

    def _end(self) -> None:
        """On the loop: stop the server, or its start."""
        self._stopping.set()
        if self._starting is not None:
            self._starting.cancel()

    async def _announce(self, server: Server) -> None:
        """Make a new key and revoke the last one, so that no secret is on the disk.

        The desk's own requests are not counted.
        """
        reissue = server.access.keys.reissue
        made = await asyncio.to_thread(reissue, OWN_ACCOUNT, Plan.PRO_LIVE, self._clock())
        server.access.quotas.exempt(made.key.key_id)
        self._server, self.calls = server, LoopCalls(asyncio.get_running_loop())
        self.url, self.key, self.own_key_id = server.url, made.secret, made.key.key_id
        self._changed.set()

    def _warning(self, plan: Plan, bookmaker: str | None) -> str:
        sees_all, spelled = plan.rights.all_bookmakers, self._spelled(bookmaker)
        if spelled is None:
            none = N_("its keys get no odds: Free has one bookmaker, and none is chosen")
            return "" if sees_all else none
        unknown = unknown_bookmaker(spelled, self._server.store.reader().recorded_bookmakers())
        if not unknown:
            return ""
        if sees_all:
            return N_(f"on Free its keys would get no odds: {unknown}")
        return N_(f"its keys get no odds: {unknown}")

    def _spelled(self, bookmaker: str | None) -> str | None:
        if bookmaker is None:
            return None
        return usual_spelling(bookmaker, self._server.store.reader().recorded_bookmakers())

    def _file(self) -> Path:
        path = self._server.store.path
        assert path is not None, "an embedded server has a file"
        return path

    @on_a_worker_thread
    def _back_up(
        self, target: Path, keys: bool, bets: bool, progress: Callable[[float], None]
    ) -> int:
        from oddsdesk.store.sqlite.backup import Contents, back_up, total_bytes  # noqa: PLC0415 - seldom

        contents = Contents(keys, default_ledger() if bets else None, self._settings.access)
        database = self._file()
        total = max(total_bytes(database, contents), 1)
        done = 0

        def tell_progress(count: int) -> None:
            nonlocal done
            if self._end_wanted.is_set():
                raise StoreUnavailableError("the backup was stopped: the server is shutting down")
            if count:
                done += count
                progress(min(done / total, 1.0))

        written = back_up(database, target, contents, clock=self._clock, progress=tell_progress)
        _log.info("%s backed up to %s", database, target)
        return written.size

    async def _opened_guides(self) -> "Guides":
        kind = await asyncio.to_thread(_load_guides)
        self._guides = self._guides or kind(self._clock)
        return self._guides


@contextlib.contextmanager
def guest_key(database: Path, clock: Clock, keys_path: Path | None = None) -> Iterator[str]:
    """Make a key for the server that owns a database, and revoke it afterwards.

    ``keys_path`` is that server's key file. This grants no new rights: anyone who may write that
    file can make keys.

    Raises:
        StoreError: none can be made; one line with the reason.
    """
    with contextlib.closing(open_access(database, keys_path)) as access:
        try:
            made = access.keys.create(OWN_ACCOUNT, Plan.PRO_LIVE, None, clock())
        except KeyLimitError as error:
            raise StoreError(f"{database}: {error}") from error
        try:
            yield made.secret
        finally:
            with contextlib.suppress(UnknownKeyError):  # ended from elsewhere already
                access.keys.revoke(str(made.key.key_id), clock())
