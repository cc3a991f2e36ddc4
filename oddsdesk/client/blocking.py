"""The same client for scripts that do not await: ``with SyncClient(url, key) as client``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.client import Client
from oddsdesk.client.loop_thread import LoopThread
from oddsdesk.client.quota import Quota
from oddsdesk.clock import Clock, system_clock

P = ParamSpec("P")
T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncClient, P], T]:
    """Return a coroutine method of ``Client`` as one that waits, of the same signature."""

    @wraps(method)
    def wait(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._loop.run(method(self._client, *args, **kwargs))

    return wait


def _iterating(
    method: Callable[Concatenate[Client, P], AsyncGenerator[T, None]],
) -> Callable[Concatenate[SyncClient, P], Generator[T, None, None]]:
    """Return an async generator method of ``Client`` as one for plain ``for`` loops."""

    @wraps(method)
    def iterate(self: SyncClient, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._loop.iterate(method(self._client, *args, **kwargs))

    return iterate


class SyncClient:
    """A ``Client`` whose methods wait for the answer; several threads may share it.

    Its requests run on an event loop in a thread of its own, so it works in a notebook too,
    where a loop runs already. ``on_state`` of a stream is called on that thread.
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
        """How far the own clock is ahead of the service's, by its last answer; 0 if they agree."""
        return self._client.clock_ahead_ms

    def close(self) -> None:
        """Close the connections and end the thread; a later request starts anew."""
        if self._loop.is_running:
            self._loop.run(self._client.close())
            self._loop.stop()

    sports = _blocking(Client.sports)
    bookmakers = _blocking(Client.bookmakers)
    events = _blocking(Client.events)
    event = _blocking(Client.event)
    odds = _blocking(Client.odds)
    live_odds = _blocking(Client.live_odds)
    games = _blocking(Client.games)
    game = _blocking(Client.game)
    history = _blocking(Client.history)
    value_bets = _blocking(Client.value_bets)
    health = _blocking(Client.health)
    offers = _blocking(Client.offers)
    stream_token = _blocking(Client.stream_token)
    odds_snapshot = _blocking(Client.odds_snapshot)
    all_events = _iterating(Client.all_events)
    all_odds = _iterating(Client.all_odds)
    all_live_odds = _iterating(Client.all_live_odds)
    all_games = _iterating(Client.all_games)
    all_history = _iterating(Client.all_history)
    all_value_bets = _iterating(Client.all_value_bets)
    stream = _iterating(Client.stream)
