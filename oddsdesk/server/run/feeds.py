"""The feeds of a running server: started, stopped and added while it serves."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import JobFault, Jobs, in_daemon_thread
from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import FeedCondition, FeedState, FeedStatus
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.feed import Feed, Recorder, one_of, open_feed
from oddsdesk.feeds.live.live_feed import LiveFeed
from oddsdesk.server.troubles import Trouble
from oddsdesk.server.valuation import HeadStart
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.owner_secret import secret_path
from oddsdesk.store.store import Store

LOSS_S: Final = 600.0
"""How long health reports lost quotes (s); the feed's state shows them until its restart."""

FAILING_MS: Final = 30_000
"""How long readings must fail until a source counts as away (ms)."""
_AWAY: Final = {
    FeedCondition.OUT_OF_CREDITS: N_("is out of credits"),
    FeedCondition.REFUSED: N_("is refused: its key is missing or not accepted"),
    FeedCondition.FAILING: N_("brings no odds: reading them fails"),
}

_log = logging.getLogger(__name__)


class _Entry(msgspec.Struct):
    spec: str
    speed: float
    feed: Feed
    recorder: Recorder
    is_running: bool = False
    has_run: bool = False
    has_ended: bool = False
    started_at: int | None = None
    stopped_at: int | None = None
    left_out: str = ""
    """Why its odds are left out of all answers here."""


class RunningFeeds:
    """Feeds by number, on the server's loop. One that fails is restarted."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        is_local: bool = True,
        share: Collection[str] = (),
        head_start: HeadStart | None = None,
    ) -> None:
        self._head_start = head_start or HeadStart()
        self._is_local = is_local
        self._share = frozenset(share)
        self._store = store
        self._clock = clock
        self._entries: dict[int, _Entry] = {}
        self._newest = 0
        """The last number; none is given twice."""
        self._left_out: set[str] = set()
        """Sources of removed feeds, whose odds are still there."""
        self._jobs = Jobs()

    async def open_feeds(self, specs: Iterable[str], speed: float) -> list[int]:
        """Open feeds without starting them and return their numbers.

        Raises:
            FeedError: one cannot be opened; then none is kept.
        """
        opened = await self._open_all(list(specs), speed)
        if opened and self._store.is_read_only:
            raise FeedError(f"{self._store.shown}: is read-only, so no feed can record in it")
        first = self._newest + 1
        self._newest += len(opened)
        for number, entry in enumerate(opened, first):
            _number(number, entry)
            self._entries[number] = entry
        return list(range(first, first + len(opened)))

    async def start_feed(self, number: int) -> None:
        """Run a feed; one that ran before starts from its beginning.

        Raises:
            FeedError: there is no such feed, or its files cannot be used any more.
        """
        entry = self._entry(number)
        if entry.is_running:
            return
        entry.is_running = True
        try:
            if entry.has_run:
                fresh = await self._open(entry.spec, entry.speed)
                assert fresh is not None, "what was opened once is no `none`"
                entry.feed, entry.recorder = fresh.feed, fresh.recorder
                _number(number, entry)
        except BaseException:
            entry.is_running = False
            raise
        entry.has_run, entry.has_ended, entry.started_at = True, False, self._clock()
        self._note_terms(entry)
        self._jobs.start_job(_job(number), lambda: self._run(entry))

    def _note_terms(self, entry: _Entry) -> None:
        """Log that a feed's odds are left out of answers, if its terms require it."""
        origin = entry.feed.origin
        if self._is_local or origin is None or origin.may_share or origin.source in self._share:
            return
        entry.left_out = left_out_line(origin.source)
        _log.warning("%s", entry.left_out)

    def sources_left_out(self) -> set[str]:
        """Return the sources of feeds whose odds are left out of answers."""
        return self._left_out.union(*map(_left_out_by, self._entries.values()))

    async def start_all(self) -> None:
        """Run every feed."""
        for number in self._entries:
            await self.start_feed(number)

    async def stop_feed(self, number: int) -> None:
        """End a feed; recorded data stays, but a simulation's prices are ended.

        Raises:
            FeedError: there is no such feed.
        """
        entry = self._entry(number)
        await self._jobs.stop_jobs(_job(number))
        self._note_end(entry)
        try:
            await entry.recorder.withdraw_simulated()
        except StoreUnavailableError as error:
            _log.warning(
                "simulated odds could not be removed and stay until they expire: %s", error
            )

    def remove_feed(self, number: int) -> None:
        """Remove a stopped feed; recorded data stays.

        Raises:
            FeedError: there is no such feed, or it runs.
        """
        entry = self._entry(number)
        if entry.is_running:
            raise FeedError(f"feed {number}: is running; stop it first")
        self._left_out |= _left_out_by(entry)
        del self._entries[number]

    async def stop_all(self) -> None:
        """End every feed."""
        await self._jobs.stop_jobs()
        for entry in self._entries.values():
            self._note_end(entry)

    async def _run(self, entry: _Entry) -> None:
        await entry.recorder.record_feed()
        self._note_end(entry)
        entry.has_ended = True
        if not entry.recorder.ended_by:  # already reported
            level = logging.INFO if entry.recorder.recorded else logging.WARNING
            _log.log(level, "%s: %s", entry.recorder.name, _status(entry, None).reason)

    def _note_end(self, entry: _Entry) -> None:
        if entry.is_running:
            entry.is_running, entry.stopped_at = False, self._clock()

    def states(self) -> list[FeedState]:
        """Return every feed, in the order they were added."""
        faults = self._faults()
        return [
            _state(number, entry, faults.get(_job(number)))
            for number, entry in self._entries.items()
        ]

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with feeds, by number: their names may be file names."""
        faults = self._faults()
        for number, entry in self._entries.items():
            if _job(number) in faults:
                yield Trouble(N_(f"feed {number} failed; restarting"))
            recorder = entry.recorder
            if recorder.fault is not None:
                line = N_(f"feed {number}: {recorder.waiting} quotes wait, {recorder.fault.value}")
                yield Trouble(line, recorder.fault, stops_recording=True)
            elif (why := _useless(entry) or self._away(entry)) is not None:
                yield Trouble(N_(f"feed {number}{_source(entry)} {why}"))
            if recorder.lost and time.monotonic() - recorder.lost_at < LOSS_S:
                yield Trouble(N_(f"feed {number}: {recorder.lost} quotes were lost"))

    def _away(self, entry: _Entry) -> str | None:
        """Return why a source brings no odds; after a single failed reading the next may
        succeed."""
        if not (entry.is_running and isinstance(entry.feed, LiveFeed)):
            return None
        status, now_ms = entry.feed.status, self._clock()
        since = status.failing_since(now_ms)
        if since is not None and now_ms - since >= FAILING_MS:
            return _AWAY[FeedCondition.FAILING]
        return None if status.now.state is FeedCondition.FAILING else _AWAY.get(status.now.state)

    def _faults(self) -> dict[str, JobFault]:
        return {fault.job: fault for fault in self._jobs.faults}

    async def _open_all(self, specs: list[str], speed: float) -> list[_Entry]:
        opened = []
        for number, spec in enumerate(specs, 1):
            with one_of(number, len(specs)):
                entry = await self._open(spec, speed)
            if entry is not None:
                opened.append(entry)
        return opened

    async def _open(self, spec: str, speed: float) -> _Entry | None:
        reference = self._store.reference
        work = partial(open_feed, spec, reference=reference, speed=speed)
        feed = await in_daemon_thread(f"open {spec}", work)  # a FIFO is waited for without end
        if feed is None:
            return None
        if isinstance(feed, LiveFeed):
            feed.sharing = partial(self._sharing, feed)
            if self._store.path is not None:
                feed.secret_file = secret_path(self._store.path)
        if isinstance(feed, LiveFeed) and not self._store.is_read_only:
            await self._lend_memory(feed, spec)
        recorder = Recorder(feed, self._store, self._clock, self._head_start.over)
        return _Entry(spec, speed, feed, recorder)

    def _sharing(self, feed: LiveFeed) -> int:
        """Return how many running feeds share this one's credits, itself included."""
        running = (entry.feed for entry in self._entries.values() if entry.is_running)
        others = sum(
            isinstance(other, LiveFeed)
            and other is not feed
            and (other.name, other.account) == (feed.name, feed.account)
            for other in running
        )
        return others + 1

    async def _lend_memory(self, feed: LiveFeed, spec: str) -> None:
        """Let a feed save its state in the database for its next run."""
        store = self._store
        with contextlib.suppress(StoreUnavailableError):  # then it starts learning again
            kept = await asyncio.wrap_future(store.kept_for_feed(spec))
            if kept is not None:
                feed.recall(kept)
        feed.keep = lambda memory: _note_refusal(store.keep_for_feed(spec, memory))

    def _entry(self, number: int) -> _Entry:
        entry = self._entries.get(number)
        if entry is None:
            raise FeedError(f"feed {number}: no such feed")
        return entry


def _source(entry: _Entry) -> str:
    """Return a feed's source, unless it may be a file or an address."""
    origin = entry.feed.origin
    return "" if origin is None else f" ({origin.source})"


def _note_refusal(kept: Future[None]) -> None:
    """Log that a state was not saved: the database reports why elsewhere."""

    def note_refusal(done: Future[None]) -> None:
        if not done.cancelled() and (error := done.exception()) is not None:
            _log.info("a feed's state could not be saved: %s", error)

    kept.add_done_callback(note_refusal)


def _left_out_by(entry: _Entry) -> set[str]:
    origin = entry.feed.origin
    return {origin.source} if entry.left_out and origin is not None else set()


def left_out_line(source: str) -> str:
    """Return the line about a source whose odds are not passed on."""
    return N_(
        f"{source}: its terms forbid passing its odds on, and other machines can reach this server:"
        " its odds are recorded but left out of answers. Listen on 127.0.0.1, or use"
        f" --share {source} if your terms allow it"
    )


def _number(number: int, entry: _Entry) -> None:
    """Make a feed distinguishable in the log from others of its source."""
    entry.recorder.name = N_(f"feed {number}, {entry.feed.name}")
    if isinstance(entry.feed, LiveFeed):
        entry.feed.status.name = entry.recorder.name


def _job(number: int) -> str:
    return f"feed {number}"


def _state(number: int, entry: _Entry, fault: JobFault | None) -> FeedState:
    return FeedState(
        number,
        entry.spec,
        entry.feed.name,
        entry.speed,
        entry.feed.simulated,
        entry.is_running,
        _problem(entry, fault),
        entry.feed.recorded_at,
        _status(entry, fault),
        is_over=entry.feed.is_over,
    )


def _status(entry: _Entry, fault: JobFault | None) -> FeedStatus:
    """Return a feed's status: its own, unless it is not running or cannot record."""
    said = entry.feed.status.now if isinstance(entry.feed, LiveFeed) else FeedStatus()
    problem = _problem(entry, fault)
    if not entry.is_running:
        bad = _bad_lines(entry) if entry.has_ended else ""
        reason = "; ".join(filter(None, (problem, bad)))
        return msgspec.structs.replace(
            said, state=FeedCondition.STOPPED, since=entry.stopped_at, until=None, reason=reason
        )
    if problem:
        since = said.since if said.state is FeedCondition.FAILING else entry.started_at
        return msgspec.structs.replace(
            said, state=FeedCondition.FAILING, since=since, until=None, reason=problem
        )
    reason = said.reason or entry.left_out
    return msgspec.structs.replace(said, since=said.since or entry.started_at, reason=reason)


def _useless(entry: _Entry) -> str | None:
    """Return why a feed ended with output but without a quote."""
    is_useless = entry.has_ended and not entry.recorder.recorded and _bad_lines(entry)
    return N_("has ended: all its lines were refused") if is_useless else None


def _bad_lines(entry: _Entry) -> str:
    """Return the last refused lines of an otherwise working feed."""
    if not isinstance(entry.feed, LiveFeed):
        return ""
    said = entry.feed.status.now
    return said.reason if said.state is FeedCondition.RUNNING else ""


def _problem(entry: _Entry, fault: JobFault | None) -> str:
    recorder = entry.recorder
    if fault is not None:
        return N_(f"it failed; restarting: {fault.reason}")
    if recorder.fault is not None:
        return N_(f"{recorder.waiting} quotes wait: {recorder.fault.value}")
    if recorder.lost:
        return N_(f"{recorder.lost} quotes were lost")
    if recorder.ended_by or not entry.has_ended:
        return recorder.ended_by
    return N_("it has ended") if recorder.recorded else N_("it has ended without a quote")
