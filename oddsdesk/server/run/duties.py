"""What only one process of a database does: feeds, valuation, upkeep."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import Clock
from oddsdesk.base.places import can_write
from oddsdesk.base.polling import Arrivals, SilenceReporter
from oddsdesk.base.tasks import Jobs, until_beat
from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import FeedCondition, FeedReport
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import DAY_MS, MINUTE_MS, format_ms
from oddsdesk.server.rest import Sample
from oddsdesk.server.run.feeds import RunningFeeds
from oddsdesk.server.settings import Role, Settings
from oddsdesk.server.stream.log_tail import OnGrowth
from oddsdesk.server.troubles import Trouble, Troubles, job_troubles, read_only_trouble
from oddsdesk.server.valuation import HeadStart, Valuation, Valuing
from oddsdesk.store.errors import WHEN_MOVED, Fault, StoreUnavailableError
from oddsdesk.store.reader import misnamed_line, mistyped_line
from oddsdesk.store.spans import Position
from oddsdesk.store.sqlite.database import WriteLockProbe
from oddsdesk.store.store import Store

if TYPE_CHECKING:
    from oddsdesk.archive.archive import Archive

LOOK_S: Final = 2.0
"""How often the server checks whether another program keeps the database locked (s)."""

LOOK_TO_RECORD_S: Final = 0.75
"""How often the server checks that odds could be recorded, while none are (s)."""

LOOK_AT_TIMES_S: Final = 5.0

_WORDS: Final = {
    "prune": "archiving and removing old data",
    "write lock": "checking whether the database is locked",
    "recording": "checking whether odds can be recorded",
    "times": "checking for odds from the future",
}
"""Names of jobs in health."""


_log = logging.getLogger(__name__)


class Duties:
    """The leader's jobs: of the process with the database's lock, within its roles.

    It does not close the store. ``on_growth`` reports that the log grew. Troubles are reported to
    ``troubles`` or by ``troubles()``; nothing runs if the store is read-only.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        troubles: Troubles,
        on_growth: OnGrowth,
    ) -> None:
        self._store = store
        self._settings = settings
        self._valuing = Valuing(
            Valuation(store, clock, settings.devig_method, troubles, on_growth),
            settings.head_start_s,
        )
        self.feeds = RunningFeeds(
            store,
            clock,
            is_local=settings.shared_sources is None,
            share=settings.share,
            head_start=self.head_start,
        )
        self.pruning = Pruning(store, clock, archive=_archive(store, settings))
        self._write_lock = None if store.path is None else WriteLockProbe(store.path)
        self._probing = ThreadPoolExecutor(1, thread_name_prefix="oddsdesk write lock")
        self._trying = ThreadPoolExecutor(1, thread_name_prefix="oddsdesk recording")
        self._is_refusal_logged = False
        self._fault: Fault | None = None
        """What keeps it from recording, as of the last check."""
        self._is_writable_now = False
        self._clock = clock
        self._ahead_ms = 0
        """How far the newest current price is ahead of the clock: its writer's clock differed."""
        self._arrivals = Arrivals()
        self._silence = SilenceReporter(_log.warning)
        self._jobs = Jobs()

    @property
    def head_start(self) -> HeadStart:
        """What the valuation, and a simulation after its first prices, wait for."""
        return self._valuing.head_start

    async def open_feeds(self) -> None:
        """Open the feeds.

        Raises:
            FeedError: one cannot be opened.
        """
        await self.feeds.open_feeds(self._settings.feeds, self._settings.speed)

    async def start_duties(self) -> None:
        """Begin all jobs."""
        roles = self._settings.run_once
        look_to_record = partial(check_at_beats, LOOK_TO_RECORD_S, self._trying)
        self._jobs.start_job("recording", partial(look_to_record, self._look_to_record))
        if not self._store.is_read_only:
            if Role.VALUATION in roles:
                await self._log_misnamed_reference()
                self._valuing.start_valuing()
            if Role.UPKEEP in roles:
                self._jobs.start_job("prune", self.pruning.prune_forever)
                self._jobs.start_job("times", self._look_at_times)
            if self._write_lock is not None:
                check_lock = self._write_lock.check_lock
                probing = partial(check_at_beats, LOOK_S, self._probing, check_lock)
                self._jobs.start_job("write lock", probing)
        await self._log_empty_database()
        await self.feeds.start_all()

    async def _log_empty_database(self) -> None:
        """Log why all answers are empty, if no feed will change that."""
        if self._store.is_read_only or self.feeds.states():
            return
        with contextlib.suppress(StoreUnavailableError):  # reported elsewhere
            if await asyncio.to_thread(lambda: self._store.reader().last_scraped_at()) is None:
                _log.info(
                    "the database has no odds and no feed is running: answers stay empty until you"
                    " ingest or import some, or use `serve --feed`"
                )

    async def _log_misnamed_reference(self) -> None:
        with contextlib.suppress(StoreUnavailableError):  # reported elsewhere
            line = await asyncio.to_thread(self._misnamed_line)
            if line is not None:
                _log.warning("%s", line)

    def _misnamed_line(self) -> str | None:
        reader = self._store.reader()
        return misnamed_line(reader) or mistyped_line(reader, self._store.reference)

    async def stop_duties(self) -> None:
        """End all jobs; recorded data stays."""
        self.pruning.end_round()
        await self.feeds.stop_all()
        await self._jobs.stop_jobs()
        await self._valuing.stop_valuing()
        self._probing.shutdown()
        self._trying.shutdown()
        if self._write_lock is not None:
            self._write_lock.close_probe()

    def reports(self) -> list[FeedReport]:
        """Return the state of every feed."""
        return [FeedReport.from_state(feed) for feed in self.feeds.states()]

    def samples(self) -> Iterator[Sample]:
        """Yield the state of every feed, by number: its name may be a file or a key."""
        for feed in self.feeds.states():
            source = feed.spec.partition(":")[0]
            for state in FeedCondition:
                labels = {"feed": str(feed.number), "source": source, "state": state.value}
                yield Sample("oddsdesk_feed_state", float(feed.status.state is state), labels)

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the jobs, with recording and with feeds."""
        yield from job_troubles(self._jobs.faults, _WORDS)
        yield from self._valuing.troubles()
        if not self.pruning.is_archived:
            yield Trouble(
                N_("price history cannot be archived; it stays in the database until it can")
            )
        if self.pruning.waits_for:
            yield Trouble(self.pruning.waits_for)
        refusal = self._store.recording_refusal()
        is_held = self._write_lock is not None and self._write_lock.is_locked
        held = Fault.LOCKED if is_held else None
        if (why := held if refusal is None else refusal.fault) is not None:
            what = f"; {WHEN_MOVED}" if why is Fault.MOVED else ""
            line = N_(f"odds cannot be recorded: {why.value}{what}")
            yield Trouble(line, why, stops_recording=True)
        elif self._fault is Fault.NOT_ALLOWED:
            fault = self._fault.value
            line = N_(f"{fault}: only this server can record; restart it when that is fixed")
            yield Trouble(line)
        if self._store.is_read_only:
            yield read_only_trouble(
                should_record=self._settings.needs_lock, can_write=self._is_writable_now
            )
        if self._ahead_ms > CLOCK_TOLERANCE_MS:
            yield Trouble(self._ahead_line())
        yield from self.feeds.troubles()

    def _look_to_record(self) -> None:
        self._try_to_record()
        refusal = self._store.recording_refusal()
        is_refused = refusal is not None and refusal.fault is not Fault.MOVED  # logged elsewhere
        if is_refused != self._is_refusal_logged:
            self._is_refusal_logged = is_refused
            said = f"cannot be recorded: {refusal}" if is_refused else "can be recorded again"
            _log.warning("odds %s", said)

    def _try_to_record(self) -> None:
        if self._store.is_read_only:
            self._is_writable_now = self._store.path is not None and can_write(self._store.path)
        else:
            self._fault = self._store.check_recording()

    async def _look_at_times(self) -> None:
        while True:
            now_ms = self._clock()
            with contextlib.suppress(StoreUnavailableError):  # reported elsewhere
                self._note_newest(*await asyncio.to_thread(self._newest, now_ms), now_ms)
            await asyncio.sleep(until_beat(LOOK_AT_TIMES_S))

    def _note_newest(self, last_scraped_at: int, newest: int, now_ms: int) -> None:
        was_logged = self._ahead_ms > CLOCK_TOLERANCE_MS
        self._ahead_ms = last_scraped_at - now_ms
        if self._ahead_ms > CLOCK_TOLERANCE_MS and not was_logged:
            _log.warning("%s", self._ahead_line())
        self._arrivals.note_newest(newest, now_ms)
        self._silence.note_silence(self._arrivals.silent_since())

    def _ahead_line(self) -> str:
        hours = self._ahead_ms / 60 / MINUTE_MS
        return N_(
            f"some odds are from {hours:.1f} hours in the future: they are hidden until their"
            " bookmaker quotes them again. If this machine's clock is wrong, set it; otherwise do"
            " nothing"
        )

    def _newest(self, now_ms: int) -> tuple[int, int]:
        """Return when the newest current price was seen, and the newest of all; 0 for none.

        A future change in the log does not count as newest once a price was seen at a correct time.

        Raises:
            StoreUnavailableError: the database cannot be read now.
        """
        reader = self._store.reader()
        newest = reader.newest_price() or 0
        if newest > now_ms + CLOCK_TOLERANCE_MS:
            newest = reader.last_standing(now_ms) or newest
        return reader.last_scraped_at() or 0, newest


async def check_at_beats(
    period_s: float, thread: ThreadPoolExecutor, check: Callable[[], None]
) -> None:
    """Run a check now and every ``period_s``, until cancelled.

    The end of a check does not wake the loop, which raises its error at a later beat. A slow check
    is waited for.
    """
    checking = thread.submit(check)
    while True:
        await asyncio.sleep(until_beat(period_s))
        if checking.done():
            checking.result()
            checking = thread.submit(check)


def _archive(store: Store, settings: Settings) -> "Archive | None":
    if settings.archive is None:
        return None
    from oddsdesk.archive.archive import Archive  # noqa: PLC0415 - pyarrow is not everywhere

    return Archive(settings.archive, store.reader)


PRUNE_S: Final = 600.0
JUMP_MS: Final = 60 * MINUTE_MS
"""The difference between clock and elapsed time that skips a round."""
LEAP_MS: Final = DAY_MS
"""A gap without prices longer than this, or than a quarter of the kept time, may be a clock
error."""
TOLD_FOR_MS: Final = DAY_MS
"""How long it is reported, so that someone can set a wrong clock."""


class _Moment(msgspec.Struct, frozen=True):
    """One moment by the newest price, by the clock (ms) and by monotonic time (s)."""

    newest: int
    clock: int
    steady_s: float


class Pruning:
    """Rounds over a store; ``steady`` counts seconds and never jumps.

    Ages are counted from the newest price at the start, plus the time since; never from later than
    the newest price or the clock. So a wrong clock, at the start or later, removes nothing too
    early. A long gap in recording may come from a wrong clock at an earlier start: data before it
    is removed only after prices have come in for the full time kept. With an archive, no row
    is removed that the archive lacks.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        steady: Callable[[], float] = time.monotonic,
        archive: "Archive | None" = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._steady = steady
        self._archive = archive
        self.is_archived = True
        """Whether the archive took everything in the last round."""
        self.waits_for = ""
        """Why the last round kept data that is too old by the clock; empty if it did not."""
        self._first: _Moment | None = None
        self._last: _Moment | None = None

    async def prune_forever(self) -> None:
        """Prune periodically, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.round)
            except StoreUnavailableError as error:
                _log.warning("old data could not be removed: %s", error)
            await asyncio.sleep(PRUNE_S)

    def round(self) -> None:
        """Remove old data; blocks, so not on a loop.

        Raises:
            StoreUnavailableError: the file cannot be written now.
        """
        if games := self._store.put_back(self._clock()):
            _log.warning("%d games had odds from the future; these odds now count as old", games)
        now_ms = self._now()
        if now_ms is None:
            self._archived(None, 0)
            return
        keep_days = self._store.reader().keep_days() or 0
        now_ms -= self._doubted_ms(now_ms, keep_days)
        archived = self._archived(now_ms, keep_days)
        self._store.prune(now_ms, keep_days, archived)

    def _doubted_ms(self, now_ms: int, keep_days: int) -> int:
        """Return how long nothing was recorded within the kept time, by the clock alone."""
        reader, before = self._store.reader(), self.waits_for
        longest_ms = max(LEAP_MS, keep_days * DAY_MS // 4)
        kept_since = now_ms - keep_days * DAY_MS
        silences = reader.silences(kept_since, now_ms, longest_ms) if keep_days else []
        leaps = [(since, until) for since, until in silences if until <= now_ms]
        doubted_ms = sum(until - since for since, until in leaps)
        is_new = bool(leaps) and leaps[-1][1] >= now_ms - TOLD_FOR_MS
        began = reader.log_began() if is_new else None
        self.waits_for = ""
        if began is not None and began < kept_since:
            days, until = (leaps[-1][1] - leaps[-1][0]) / DAY_MS, format_ms(leaps[-1][1])
            self.waits_for = N_(
                f"old data is not removed yet: by the clock, odds came in at {until} after"
                f" {days:.1f} days without any. Set the clock if it is wrong; otherwise the data is"
                f" removed in {keep_days} days"
            )
        if self.waits_for and not before:
            _log.warning("%s", self.waits_for)
        return doubted_ms

    def end_round(self) -> None:
        """End an archiving round soon; any thread may call it."""
        if self._archive is not None:
            self._archive.stop_sealing()

    def _archived(self, now_ms: int | None, keep_days: int) -> Position | None:
        """Archive what is due; return the position up to which rows may be removed, None for any.

        Without a reference time it only checks whether the archive can be written.
        """
        if self._archive is None:
            return None
        through = None
        try:
            self._archive.prepare_folder()
            if now_ms is not None:
                self._archive.seal(self._clock())
                self._note(self._archive.folder)
                through = self._archive.through(now_ms - keep_days * DAY_MS) if keep_days else None
        except (ArchiveError, OSError) as error:
            if self.is_archived:
                _log.warning(
                    "price history cannot be archived and stays in the database: %s", error
                )
            self.is_archived = False
            return (0,) * self._store.reader().shards
        if not self.is_archived:
            _log.warning("price history can be archived again")
        self.is_archived = True
        return through

    def _note(self, folder: Path) -> None:
        """Store the archive's folder in the database, for other processes that read it."""
        place = folder.absolute()
        if self._store.reader().archive() != str(place):
            self._store.keep_archive(place).result()

    def _now(self) -> int | None:
        """Return the time that ages are counted from; None to skip this round."""
        newest = self._store.reader().newest_price()
        if newest is None:
            return None
        moment = _Moment(newest, self._clock(), self._steady())
        first = self._first = self._first or moment
        last, self._last = self._last or moment, moment
        jumped_ms = moment.clock - last.clock - _passed_ms(last, moment)
        if abs(jumped_ms) > JUMP_MS:
            hours = jumped_ms / 60 / MINUTE_MS
            _log.warning("the clock jumped by %+.1f hours: no old data is removed this time", hours)
            return None
        return min(newest, moment.clock, first.newest + _passed_ms(first, moment))


def _passed_ms(since: _Moment, until: _Moment) -> int:
    return int((until.steady_s - since.steady_s) * 1000)
