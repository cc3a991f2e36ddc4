"""What one process of a database does for all: feeds, valuation, upkeep."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import FeedCondition, FeedReport
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.places import can_write
from oddsdesk.server.figures import Sample
from oddsdesk.server.head_start import HeadStart
from oddsdesk.server.log_watch import OnGrowth
from oddsdesk.server.pruning import Pruning
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.running_feeds import RunningFeeds
from oddsdesk.server.settings import Role, Settings
from oddsdesk.server.troubles import Trouble, Troubles, job_troubles, read_only_trouble
from oddsdesk.server.valuing import Valuing
from oddsdesk.silence import Arrivals, ToldSilence
from oddsdesk.store.errors import WHEN_MOVED, Fault, StoreUnavailableError
from oddsdesk.store.sqlite.write_lock import WriteLockProbe
from oddsdesk.store.store import Store
from oddsdesk.store.unpriced_reference import misnamed_line, mistyped_line
from oddsdesk.tasks import Jobs

if TYPE_CHECKING:
    from oddsdesk.archive.archive import Archive

LOOK_S: Final = 2.0
"""How often the server looks whether another program keeps the database locked."""

LOOK_TO_RECORD_S: Final = 0.5
"""How often the server looks whether prices could be recorded, where nobody does."""

LOOK_AT_TIMES_S: Final = 5.0

_WORDS: Final = {
    "prune": "archiving and removing what is too old",
    "write lock": "looking whether the database is locked",
    "recording": "looking whether prices can be recorded",
    "times": "looking whether prices are ahead of the clock",
}
"""Jobs as the health endpoint calls them."""


_log = logging.getLogger(__name__)


class Duties:
    """The jobs of who holds the database's lock, as far as the roles of ``settings`` go.

    It does not close the store. ``on_growth`` tells that the log grew. What is wrong is said to
    ``troubles`` or told by ``troubles()``; nothing runs where the store can only be read.
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
        self._valuing = Valuing(store, settings, clock, troubles, on_growth)
        self.feeds = RunningFeeds(
            store,
            clock,
            is_local=settings.told is None,
            share=settings.share,
            head_start=self.head_start,
        )
        self.pruning = Pruning(store, clock, archive=_archive(store, settings))
        self._write_lock = None if store.path is None else WriteLockProbe(store.path)
        self._probing = ReaderPool("write lock", threads=1)
        self._trying = ReaderPool("recording", threads=1)
        self._fault: Fault | None = None
        """What the last look found that keeps somebody from recording."""
        self._is_writable_now = False
        self._clock = clock
        self._ahead_ms = 0
        """How far the newest present price lies ahead of the clock: its writer had another."""
        self._arrivals = Arrivals()
        self._silence = ToldSilence(_log.warning)
        self._jobs = Jobs()

    @property
    def head_start(self) -> HeadStart:
        """What the valuation waits for, and a simulation once it has its first prices."""
        return self._valuing.head_start

    async def open(self) -> None:
        """Open the feeds.

        Raises:
            FeedError: one cannot be opened.
        """
        await self.feeds.open(self._settings.feeds, self._settings.speed)

    async def start(self) -> None:
        """Begin all jobs."""
        roles = self._settings.run_once
        self._jobs.start("recording", self._look_to_record)
        if not self._store.is_read_only:
            if Role.VALUATION in roles:
                await self._tell_of_misnamed_reference()
                self._valuing.start()
            if Role.UPKEEP in roles:
                self._jobs.start("prune", self.pruning.run)
                self._jobs.start("times", self._look_at_times)
            if self._write_lock is not None:
                self._jobs.start("write lock", partial(self._watch, self._write_lock))
        await self._tell_of_empty_database()
        await self.feeds.start_all()

    async def _tell_of_empty_database(self) -> None:
        """Say why all answers are empty, where no feed will change that."""
        if self._store.is_read_only or self.feeds.states():
            return
        with contextlib.suppress(StoreUnavailableError):  # told elsewhere
            if await asyncio.to_thread(lambda: self._store.reader().last_scraped_at()) is None:
                _log.info(
                    "there are no odds yet, and no feed runs: answers are empty until"
                    " some are ingested or imported, or `serve --feed` brings them"
                )

    async def _tell_of_misnamed_reference(self) -> None:
        with contextlib.suppress(StoreUnavailableError):  # told elsewhere
            line = await asyncio.to_thread(self._misnamed_line)
            if line is not None:
                _log.warning("%s", line)

    def _misnamed_line(self) -> str | None:
        reader = self._store.reader()
        return misnamed_line(reader) or mistyped_line(reader, self._store.reference)

    async def stop(self) -> None:
        """End all jobs; what they recorded stays."""
        self.pruning.stop()
        await self.feeds.stop_all()
        await self._jobs.stop()
        await self._valuing.stop()
        self._probing.close()
        self._trying.close()
        if self._write_lock is not None:
            self._write_lock.close()

    def reports(self) -> list[FeedReport]:
        """Return the state of every feed."""
        return [FeedReport.of(feed) for feed in self.feeds.states()]

    def samples(self) -> Iterator[Sample]:
        """Yield the state of every feed, by its number: what names it may be a file or a key."""
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
            yield Trouble("price history is not archived; it stays in the database meanwhile")
        if self.pruning.waits_for:
            yield Trouble(self.pruning.waits_for)
        refusal = self._store.refusal()
        is_held = self._write_lock is not None and self._write_lock.is_held
        held = Fault.LOCKED if is_held else None
        if (why := held if refusal is None else refusal.fault) is not None:
            what = f"; {WHEN_MOVED}" if why is Fault.MOVED else ""
            line = f"prices cannot be recorded: {why.value}{what}"
            yield Trouble(line, why, stops_recording=True)
        elif self._fault is Fault.NOT_ALLOWED:
            yield Trouble(f"{self._fault.value}: only this server records, until it is restarted")
        if self._store.is_read_only:
            yield read_only_trouble(
                should_record=self._settings.needs_lock, can_write=self._is_writable_now
            )
        if self._ahead_ms > CLOCK_TOLERANCE_MS:
            yield Trouble(self._ahead_line())
        yield from self.feeds.troubles()

    async def _look_to_record(self) -> None:
        is_told = False
        while True:
            await self._trying.run(self._try_to_record)
            refusal = self._store.refusal()
            is_refused = refusal is not None and refusal.fault is not Fault.MOVED  # which is told
            if is_refused != is_told:
                is_told = is_refused
                said = f"cannot be recorded: {refusal}" if is_told else "can be recorded again"
                _log.warning("prices %s", said)
            await asyncio.sleep(LOOK_TO_RECORD_S)

    def _try_to_record(self) -> None:
        if self._store.is_read_only:
            self._is_writable_now = self._store.path is not None and can_write(self._store.path)
        else:
            self._fault = self._store.look()

    async def _look_at_times(self) -> None:
        while True:
            now_ms = self._clock()
            with contextlib.suppress(StoreUnavailableError):  # told elsewhere
                self._note_newest(*await asyncio.to_thread(self._newest, now_ms), now_ms)
            await asyncio.sleep(LOOK_AT_TIMES_S)

    def _note_newest(self, last_scraped_at: int, newest: int, now_ms: int) -> None:
        was_told = self._ahead_ms > CLOCK_TOLERANCE_MS
        self._ahead_ms = last_scraped_at - now_ms
        if self._ahead_ms > CLOCK_TOLERANCE_MS and not was_told:
            _log.warning("%s", self._ahead_line())
        self._arrivals.look(newest, now_ms)
        self._silence.note(self._arrivals.silent_since())

    def _ahead_line(self) -> str:
        hours = self._ahead_ms / 60 / MINUTE_MS
        return (
            f"prices were recorded {hours:.1f} hours ahead of this clock: none of them is shown"
            " until it is seen again; set the clock if it is wrong, else nothing is to be done"
        )

    def _newest(self, now_ms: int) -> tuple[int, int]:
        """Return when the newest present price was seen, and the newest of all; 0 for none.

        A change of the future that is still in the log is not the newest of all, once a price was
        seen at a right time.

        Raises:
            StoreUnavailableError: the database cannot be read now.
        """
        reader = self._store.reader()
        newest = reader.newest_price() or 0
        if newest > now_ms + CLOCK_TOLERANCE_MS:
            newest = reader.last_standing(now_ms) or newest
        return reader.last_scraped_at() or 0, newest

    async def _watch(self, write_lock: WriteLockProbe) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self._probing.run(write_lock.check)


def _archive(store: Store, settings: Settings) -> "Archive | None":
    if settings.archive is None:
        return None
    from oddsdesk.archive.archive import Archive  # noqa: PLC0415 - pyarrow is not everywhere

    return Archive(settings.archive, store.reader)
