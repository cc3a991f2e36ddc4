"""Makes one connection state, as people see it, from what jobs and stream report."""

from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.polling import Arrivals
from oddsdesk.base.tasks import JobFault
from oddsdesk.base.texts import N_
from oddsdesk.board.board import Board
from oddsdesk.board.intake.quote_readings import StreamPace
from oddsdesk.board.model.notices import Connection, Link
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
from oddsdesk.network import silence_text

STREAM: Final = "stream"
"""The name of the stream's job."""
HEALTH: Final = "health"
"""The name of the job that asks how the service is."""
_SILENCE: Final = "silence"
"""Stands among the jobs that went wrong while a request is not answered."""
_MOST_SILENT: Final = 6
"""Looks, a second each, that find a request unanswered and nothing heard before that is shown."""


def task_name(job: str) -> str:
    """Return the name of a job's task, under which its faults are reported."""
    return f"sync: {job}"


class _Trouble(NamedTuple):
    link: Link
    reason: str
    next_try_ms: int | None
    advice: str
    code: str | None
    is_unanswered: bool


class ConnectionMonitor:
    """Keeps ``Connection`` true; ``read_by`` names the jobs that read all prices held."""

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
        self._was_usable = False
        """Whether a reading or the stream ever worked: address and key are right. Health is not
        counted: it needs no key and takes nothing of the quota, and other sites answer it too."""
        self._heard_before: int | None = None
        self._silent_looks = 0
        self._arrivals = Arrivals()
        self._stream: tuple[Link, str | None, int | None] = (Link.CONNECTING, None, None)
        self._troubles: dict[str, _Trouble] = {}
        self.pace = StreamPace(clock)

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
        """Whether the stream is lost, and is to be opened again."""
        return self._stream[0] is Link.WAITING

    def begin_connecting(self) -> None:
        """Set the state to connecting: no answer has come yet."""
        self._was_heard, self._was_served, self._back_at = False, False, 0
        state = Connection(
            link=Link.CONNECTING,
            since_ms=self._clock(),
            has_unread_prices=self._has_unread_prices(),
        )
        self._board.set_connection(state)

    def end_connection(self) -> None:
        """Set the state to stopped."""
        self._show(Link.STOPPED, None, None)

    def stream_state(self, state: StreamState) -> None:
        """Take in a change of the stream's state."""
        if isinstance(state, Connected):
            self._stream = (Link.LIVE, None, None)
            self._was_usable = True
            self.pace.open_stream()
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
            self.pace.heard_at = self._clock()
            self._was_served |= job not in (STREAM, HEALTH)
            self._was_usable |= job != HEALTH
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

    def note_sign_of_life(self, heard: int | None, host: str) -> None:
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

    def note_prices_read(self, job: str, began_ms: int) -> None:
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
                reason = N_("the desk could not read what the stream sent ({reason})").format(
                    reason=fault.reason
                )
                self._stream = (Link.WAITING, reason, None)
                self._refresh()

    def refresh_figures(
        self, quota: Quota | None, reading_plan: str = "", *, clock_ahead_ms: int = 0
    ) -> None:
        """Bring figures up to date; call it every second or so.

        Args:
            quota: What is left; None where nobody counts.
            reading_plan: What is read how often, for people.
            clock_ahead_ms: How far the own clock is ahead of the service's.
        """
        self._learn(
            is_catching_up=self._is_catching_up(),
            has_unread_prices=self._has_unread_prices(),
            clock_ahead_ms=clock_ahead_ms,
            lag_ms=self.pace.lag_ms(),
            messages_per_minute=self.pace.messages_per_minute(),
            requests_left=None if quota is None else quota.remaining,
            requests_limit=None if quota is None else quota.limit,
            resets_at_ms=None if quota is None else quota.resets_at_ms,
            reading_plan="" if quota is None else reading_plan,
        )

    def note_newest(self, newest_ms: int | None) -> None:
        """Take in when the newest price of all was scraped; None where the service has none."""
        if newest_ms is not None:
            now = self._clock() - self._board.connection.clock_ahead_ms
            self._arrivals.note_newest(newest_ms, now)
        self._learn(newest_ms=newest_ms, silent_since_ms=self._arrivals.silent_since())

    def set_facts(self, **facts: bool | int | str | tuple[str, ...] | None) -> None:
        """Set fields of the connection: what the plan has, or what the service says of itself."""
        self._learn(**facts)

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
        """Return what to do; nothing once the service has worked, unless it refuses the key."""
        refused = isinstance(error, UnauthorizedError | ForbiddenError)
        return advice(error) if refused or not self._was_usable else ""

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
            self._arrivals.begin_counting()
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
        """Have prices count again once they are read again; before the first loss they do.

        With the stream all that moved before it opened went unheard; without it a reading after
        the last that failed is as good as any.
        """
        if self._was_heard or before is not Link.CONNECTING:
            self._back_at = self._clock() if link is Link.LIVE else self._failed_at

    def has_read_since(self, moment_ms: int) -> bool:
        """Return whether all prices were read again, beginning at a moment or later."""
        return all(self._read_at.get(job, 0) >= moment_ms for job in self._read_by())

    def _is_catching_up(self) -> bool:
        return not self.has_read_since(self._back_at)

    def _has_unread_prices(self) -> bool:
        return not self._read_by() <= self._read_at.keys()

    def _since(self, link: Link) -> int:
        """Return since when; a lost service is away since its last answer, not since the loss."""
        now = self._clock()
        return self.pace.heard_at or now if link is Link.WAITING else now

    def _learn(self, **facts: object) -> None:
        self._board.set_connection(replace(self._board.connection, **facts))


def _weight(trouble: _Trouble) -> tuple[bool, int]:
    return trouble.link is Link.REFUSED, trouble.next_try_ms or 0
