"""Makes one connection state, as people see it, from what jobs and stream report."""

from collections import deque
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.games import optional_ms
from oddsdesk.board.polling import task_name
from oddsdesk.client.diagnosis import advice
from oddsdesk.client.errors import (
    ForbiddenError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.client.stream import Connected, Connecting, StreamState
from oddsdesk.clock import Clock
from oddsdesk.network.errors import silence_text
from oddsdesk.silence import Arrivals
from oddsdesk.tasks import JobFault

STREAM: Final = "stream"
"""The name of the stream's job."""
HEALTH: Final = "health"
"""The name of the job that asks how the service is."""
_SILENCE: Final = "silence"
"""Stands among the jobs that went wrong while a request is not answered."""
_MOST_SILENT: Final = 6
"""Looks, a second each: so many find a request unanswered and nothing heard before that is said."""
_MINUTE_MS: Final = 60_000
_LATEST: Final = 200
"""So many messages tell of the lag, and those that came together with them."""


class _Trouble(NamedTuple):
    link: Link
    reason: str
    next_try_ms: int | None
    advice: str
    code: str | None
    is_unanswered: bool


class _Heard(NamedTuple):
    """Messages that came together."""

    at_ms: int
    opened_at: int
    scraped: Sequence[str]

    def lags(self) -> list[int]:
        """Return how long each took from scrape to receipt, of those scraped since the opening."""
        scraped = [at for text in self.scraped if (at := optional_ms(text)) is not None]
        return [max(0, self.at_ms - at) for at in scraped if at >= self.opened_at]


class ConnectionMonitor:
    """Keeps ``board.connection`` true; ``read_by`` names the jobs that read all prices held."""

    def __init__(
        self,
        board: Board,
        clock: Clock,
        read_by: Callable[[], frozenset[str]] = lambda: frozenset(),
    ) -> None:
        self._board = board
        self._clock = clock
        self._read_by = read_by
        self._read_at: dict[str, int] = {}
        """When the last whole reading of each job began."""
        self._back_at = 0
        """Since when what is read counts: the service came back."""
        self._failed_at = 0
        self._was_heard = False
        self._was_served = False
        """Whether a reading was answered, if only that no requests are left: stream and health may
        be well while all else fails."""
        self._heard_before: int | None = None
        self._silent_looks = 0
        self._arrivals = Arrivals()
        self._stream: tuple[Link, str | None, int | None] = (Link.CONNECTING, None, None)
        self._troubles: dict[str, _Trouble] = {}
        self._opened_at = 0
        self._heard_at: int | None = None
        self._latest: deque[_Heard] = deque()
        self._per_second: deque[tuple[int, int]] = deque()

    @property
    def troubled(self) -> tuple[str, ...]:
        """The jobs that went wrong last."""
        return tuple(self._troubles)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Those of them that nothing answered."""
        return tuple(job for job, each in self._troubles.items() if each.is_unanswered)

    @property
    def waits_for_stream(self) -> bool:
        """Whether the stream is lost, and is to be opened anew."""
        return self._stream[0] is Link.WAITING

    def begin(self) -> None:
        """Set the state to connecting: no answer has come yet."""
        self._was_heard, self._was_served, self._back_at = False, False, 0
        state = Connection(
            link=Link.CONNECTING,
            since_ms=self._clock(),
            has_unread_prices=self._has_unread_prices(),
        )
        self._board.set_connection(state)

    def end(self) -> None:
        """Set the state to stopped."""
        self._show(Link.STOPPED, None, None)

    def stream_state(self, state: StreamState) -> None:
        """Take in a change of the stream's state."""
        if isinstance(state, Connected):
            self._stream = (Link.LIVE, None, None)
            self._opened_at = self._heard_at = self._clock()
            self._troubles.pop(STREAM, None)
            self._learn(has_stream=True)
        elif isinstance(state, Connecting):
            if self._stream[0] not in (Link.WAITING, Link.POLLING):
                self._stream = (Link.CONNECTING, None, None)
        else:
            self._stream = (Link.WAITING, state.reason, state.next_try_ms)
        self._refresh()

    def outcome(self, job: str, error: ServiceError | None, next_try_ms: int | None) -> None:
        """Take in how a job went."""
        if error is None:
            self._heard_at = self._clock()
            self._was_served |= job not in (STREAM, HEALTH)
            for each in self.unanswered if job in self.unanswered else (job, _SILENCE):
                self._troubles.pop(each, None)  # what answers one, after all, answers the others
        elif isinstance(error, ForbiddenError) and error.is_about_plan:
            self._not_on_plan(error)
        elif job == STREAM and not isinstance(error, UnauthorizedError):
            self._stream = (Link.POLLING, error.message, next_try_ms)
        else:
            refused = isinstance(error, UnauthorizedError | ForbiddenError)
            link = Link.REFUSED if refused else Link.WAITING
            self._failed_at = self._clock()
            self._was_served |= isinstance(error, RateLimitedError)
            self._troubles[job] = self._trouble(link, error, next_try_ms)
        self._refresh()

    def look(self, heard: int | None, host: str) -> None:
        """Look whether the service answers what it was asked; call it every second or so.

        A plan without a stream has no other sign of one that hangs, and a request is given up after
        15 s. What is counted are looks, since the desk may have been too busy to hear.

        Args:
            heard: How often anything was heard, None while no answer is waited for.
            host: Who is asked.
        """
        is_silent = heard is not None and heard == self._heard_before
        self._silent_looks = self._silent_looks + 1 if is_silent else 0
        self._heard_before = heard
        if self._silent_looks == _MOST_SILENT and self._stream[0] is not Link.LIVE:
            error = OfflineError(silence_text(host))
            since = self._clock() - _MOST_SILENT * 1000
            self._failed_at = max(self._failed_at, since)  # a reading begun since then is as good
            self._troubles[_SILENCE] = self._trouble(Link.WAITING, error, None)
            self._refresh()
        elif not self._silent_looks and self._troubles.pop(_SILENCE, None) is not None:
            self._refresh()

    def read(self, job: str, began_ms: int) -> None:
        """Take in that a job has read all that it reads, which it began at a moment."""
        self._read_at[job] = began_ms
        self._learn(
            is_catching_up=self._is_catching_up(), has_unread_prices=self._has_unread_prices()
        )

    def jobs_failing(self, faults: tuple[JobFault, ...]) -> None:
        """Take in which jobs of the desk failed: without that of the stream the link is not live.

        It is live again once the stream reports that it is connected.
        """
        before = self._board.connection.faults
        self._learn(faults=faults)
        for fault in faults:
            if fault.job == task_name(STREAM) and fault not in before:
                reason = f"the desk could not take in what the stream sent ({fault.reason})"
                self._stream = (Link.WAITING, reason, None)
                self._refresh()

    def heard(self, scraped: Sequence[str]) -> None:
        """Count stream messages, by when each one says that its price was scraped."""
        now = self._clock()
        self._heard_at = now
        self._latest.append(_Heard(now, self._opened_at, scraped))
        if self._per_second and 0 <= now - self._per_second[-1][0] < 1000:
            since, count = self._per_second[-1]
            self._per_second[-1] = (since, count + len(scraped))
        else:
            self._per_second.append((now, len(scraped)))

    def tick(self, quota: Quota | None, reading_plan: str = "", *, clock_ahead_ms: int = 0) -> None:
        """Bring figures up to date; call it every second or so.

        Args:
            quota: What is left; None where nobody counts.
            reading_plan: What is read how often, for people.
            clock_ahead_ms: How far the own clock is ahead of the service's.
        """
        now = self._clock()
        while self._per_second and not 0 <= now - self._per_second[0][0] <= _MINUTE_MS:
            self._per_second.popleft()
        lags = self._lags(now)
        self._learn(
            is_catching_up=self._is_catching_up(),
            has_unread_prices=self._has_unread_prices(),
            clock_ahead_ms=clock_ahead_ms,
            lag_ms=round(median(lags)) if lags else None,
            messages_per_minute=sum(count for _, count in self._per_second),
            requests_left=None if quota is None else quota.remaining,
            requests_limit=None if quota is None else quota.limit,
            resets_at_ms=None if quota is None else quota.resets_at_ms,
            reading_plan="" if quota is None else reading_plan,
        )

    def told_newest(self, newest_ms: int | None) -> None:
        """Take in when the newest price of all was scraped; None where the service has none."""
        if newest_ms is not None:
            now = self._clock() - self._board.connection.clock_ahead_ms
            self._arrivals.look(newest_ms, now)
        self._learn(newest_ms=newest_ms, silent_since_ms=self._arrivals.silent_since())

    def knows(self, **facts: bool | int | str | tuple[str, ...] | None) -> None:
        """Set fields of the connection: what the plan has, or what the service says of itself."""
        self._learn(**facts)

    def _lags(self, now: int) -> list[int]:
        """Return how long the latest messages of a minute took; those before are let go of."""
        kept, count, lags = deque[_Heard](), 0, list[int]()
        while self._latest and count < _LATEST and now - self._latest[-1].at_ms <= _MINUTE_MS:
            heard = self._latest.pop()
            kept.appendleft(heard)
            count += len(heard.scraped)
            lags += heard.lags()
        self._latest = kept
        return lags

    def _not_on_plan(self, error: ForbiddenError) -> None:
        self._learn(upgrade_url=error.upgrade_url or self._board.connection.upgrade_url)
        if error.code == "websocket_not_on_plan":
            self._stream = (Link.POLLING, error.message, None)
            self._learn(has_stream=False)
        elif error.code == "value_bets_not_on_plan":
            self._learn(has_value_bets=False)
        elif error.code == "live_not_on_plan":
            self._learn(has_live=False)

    def _refresh(self) -> None:
        link, reason, next_try_ms = self._stream
        trouble = max(self._troubles.values(), key=_weight, default=None)
        if trouble is None:
            self._show(link, reason, next_try_ms)
            return
        if link is not Link.LIVE or trouble.link is Link.REFUSED or not self._was_served:
            link = trouble.link
        self._show(link, trouble.reason, trouble.next_try_ms, trouble.advice, trouble.code)

    def _trouble(self, link: Link, error: ServiceError, next_try_ms: int | None) -> _Trouble:
        is_unanswered = isinstance(error, OfflineError)
        said = self._advice(error)
        return _Trouble(link, error.message, next_try_ms, said, error.code, is_unanswered)

    def _advice(self, error: ServiceError) -> str:
        """Return what to do; nothing if the service answered before, unless it refuses the key."""
        refused = isinstance(error, UnauthorizedError | ForbiddenError)
        return advice(error) if refused or self._heard_at is None else ""

    def _show(
        self,
        link: Link,
        reason: str | None,
        next_try_ms: int | None,
        advised: str = "",
        code: str | None = None,
    ) -> None:
        before = self._board.connection
        since = before.since_ms if before.link is link else self._since(link)
        shown = replace(before, link=link)
        if shown.is_heard and not before.is_heard:
            self._come_back(before.link, link)
            self._arrivals.begin()
        self._was_heard |= shown.is_heard
        self._board.set_connection(
            replace(
                shown,
                is_catching_up=self._is_catching_up(),
                has_unread_prices=self._has_unread_prices(),
                reason=reason,
                advice=advised,
                code=code,
                next_try_ms=next_try_ms,
                since_ms=since,
            )
        )

    def _come_back(self, before: Link, link: Link) -> None:
        """Have prices count again once they are read anew; before the first loss they do.

        With the stream all that moved before it opened went unheard; without it a reading after
        the last that failed is as good as any.
        """
        if self._was_heard or before is not Link.CONNECTING:
            self._back_at = self._clock() if link is Link.LIVE else self._failed_at

    def _is_catching_up(self) -> bool:
        return any(self._read_at.get(job, 0) < self._back_at for job in self._read_by())

    def _has_unread_prices(self) -> bool:
        return not self._read_by() <= self._read_at.keys()

    def _since(self, link: Link) -> int:
        """Return since when; a lost service is away since its last answer, not since the loss."""
        now = self._clock()
        return self._heard_at or now if link is Link.WAITING else now

    def _learn(self, **facts: object) -> None:
        self._board.set_connection(replace(self._board.connection, **facts))


def _weight(trouble: _Trouble) -> tuple[bool, int]:
    return trouble.link is Link.REFUSED, trouble.next_try_ms or 0
