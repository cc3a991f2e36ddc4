"""The client for scripts without ``await``: ``with SyncClient(url, key) as client``."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from contextlib import closing, suppress
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Quota
from oddsdesk.client.requests import Addresses

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncClient, P], T]:
    """Return a coroutine method of ``Client`` as a blocking one with the same signature."""

    @wraps(method)
    def wait(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._loop.wait_for(method(self._client, *args, **kwargs))

    return wait


def _iterating(
    method: Callable[Concatenate[Client, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[SyncClient, P], Generator[T, None, None]]:
    """Return an async generator method of ``Client`` as one for plain ``for`` loops."""

    @wraps(method)
    def iterate(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._loop.iterate(method(self._client, *args, **kwargs))

    return iterate


def _listing(
    method: Callable[Concatenate[Client, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[SyncClient, P], Generator[T, None, None]]:
    """Return the same of an ``all_`` method, which waits once a page: a wait takes 0.1 ms."""
    in_pages: Callable[..., AsyncGenerator[Sequence[T], None]] = method.in_pages  # type: ignore[attr-defined]

    @wraps(method)
    def iterate(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        with closing(self._loop.iterate(in_pages(self._client, *args, **kwargs))) as pages:
            for page in pages:
                yield from page

    return iterate


class SyncClient:
    """A ``Client`` with blocking methods; several threads may share it.

    Its requests run on an event loop in a separate thread, so it also works in a notebook, which
    already runs a loop. ``on_state`` of a stream is called on that thread.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        auth_url: str | None = None,
        ws_url: str | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self._client = Client(base_url, key, auth_url=auth_url, ws_url=ws_url, clock=clock)
        self._loop = LoopThread("oddsdesk client")

    def __repr__(self) -> str:
        return f"<SyncClient of {self.addresses.base}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def addresses(self) -> Addresses:
        """Where the service is."""
        return self._client.addresses

    @property
    def quota(self) -> Quota | None:
        """Requests left, None before the first answer."""
        return self._client.quota

    @property
    def clock_ahead_ms(self) -> int:
        """How far this clock is ahead of the service's, by its last answer; 0 if they agree."""
        return self._client.clock_ahead_ms

    def close(self) -> None:
        """Close the connections and end the thread; a later request restarts it."""
        if self._loop.is_running:
            self._loop.wait_for(self._client.close())
            self._loop.stop_thread()

    sports = _blocking(Client.sports)
    bookmakers = _blocking(Client.bookmakers)
    events = _blocking(Client.events)
    event = _blocking(Client.event)
    odds = _blocking(Client.odds)
    live_odds = _blocking(Client.live_odds)
    games = _blocking(Client.games)
    game = _blocking(Client.game)
    history = _blocking(Client.history)
    moves = _blocking(Client.moves)
    value_bets = _blocking(Client.value_bets)
    results = _blocking(Client.results)
    health = _blocking(Client.health)
    offers = _blocking(Client.offers)
    stream_token = _blocking(Client.stream_token)
    odds_snapshot = _blocking(Client.odds_snapshot)
    all_events = _listing(Client.all_events)
    all_odds = _listing(Client.all_odds)
    all_live_odds = _listing(Client.all_live_odds)
    all_games = _listing(Client.all_games)
    all_history = _listing(Client.all_history)
    all_moves = _listing(Client.all_moves)
    all_value_bets = _listing(Client.all_value_bets)
    all_results = _listing(Client.all_results)
    stream = _iterating(Client.stream)


class LoopThread:
    """Runs coroutines for other threads; starts on first use, and again after ``stop``."""

    def __init__(self, name: str) -> None:
        self._name = name
        # a generator that is garbage-collected meanwhile closes itself through here
        self._lock = threading.RLock()
        self._running: _Running | None = None

    @property
    def is_running(self) -> bool:
        """Whether the thread is running."""
        return self._running is not None

    def wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine and return its result; an interrupted wait cancels it.

        Raises:
            RuntimeError: called from the loop's own thread, which would wait for itself.
        """
        running = self._start()
        if running.thread is threading.current_thread():
            coroutine.close()
            raise RuntimeError("a callback of this client cannot wait for the same client")
        call = _Call(coroutine)
        try:  # an interrupt may come before there is a future to cancel
            return asyncio.run_coroutine_threadsafe(call.run(), running.loop).result()
        except BaseException:
            with suppress(RuntimeError):  # the loop is closed: nothing runs there any more
                running.loop.call_soon_threadsafe(call.give_up)
            raise

    def iterate(self, source: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        """Yield the items of an async generator, and close it when the iteration ends."""
        running = self._start()
        try:
            while item := self.wait_for(_next(source)):
                yield item[0]
        finally:
            if running.thread.is_alive() and running.thread is not threading.current_thread():
                self.wait_for(source.aclose())

    def stop_thread(self) -> None:
        """Cancel what is running, end the thread and wait for it."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.stop()

    def _start(self) -> _Running:
        with self._lock:
            if self._running is None:
                self._running = _Running(self._name)
            return self._running


class _Call(Generic[T]):
    """A coroutine on the loop's thread; it can be cancelled at any moment."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[Any] | None = None
        self._is_given_up = False

    async def run(self) -> T:
        if self._is_given_up:
            self._coroutine.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        return await self._coroutine

    def give_up(self) -> None:
        self._is_given_up = True
        if self._task is not None:
            self._task.cancel()


class _Running:
    """A loop and its thread; they also end when this is garbage collected, and at exit."""

    def __init__(self, name: str) -> None:
        # not by the policy: qasync sets one whose loops belong to the GUI thread
        self.loop = asyncio.SelectorEventLoop()
        stopping = asyncio.Event()
        self.thread = threading.Thread(
            target=_serve, args=(self.loop, stopping), name=name, daemon=True
        )
        self.thread.start()
        self.stop = weakref.finalize(self, _stop, self.loop, stopping, self.thread)


def _serve(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_until(stopping))


async def _until(stopping: asyncio.Event) -> None:
    await stopping.wait()


def _stop(
    loop: asyncio.AbstractEventLoop, stopping: asyncio.Event, thread: threading.Thread
) -> None:
    loop.call_soon_threadsafe(stopping.set)
    if thread is not threading.current_thread():
        thread.join()


async def _next(source: AsyncGenerator[T, None]) -> tuple[T] | None:
    try:
        return (await anext(source),)
    except StopAsyncIteration:
        return None
