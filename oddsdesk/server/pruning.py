"""Archiving and pruning what is too old, by a time that a wrong clock cannot push ahead."""

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.clock import Clock
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.retention import DAY_MS
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store

if TYPE_CHECKING:
    from oddsdesk.archive.archive import Archive

PRUNE_S: Final = 600.0
JUMP_MS: Final = 60 * MINUTE_MS
"""The difference between clock and elapsed time at which a round is left out."""
LEAP_MS: Final = DAY_MS
"""A longer while without prices, or than a quarter of what is kept, is not yet taken for one."""
TOLD_FOR_MS: Final = DAY_MS
"""For so long after it that is told: who sees it puts a wrong clock right."""

_log = logging.getLogger(__name__)


class _Moment(msgspec.Struct, frozen=True):
    """One moment by the newest price, the clock (ms) and time that only goes on (s)."""

    newest: int
    clock: int
    steady_s: float


class Pruning:
    """Rounds over a store; ``steady`` counts seconds and never jumps.

    Ages are counted from the newest price that was there at the start, plus the time that went by
    since; never from later than the newest price or the clock. So a clock that is wrong, at the
    start or on its way, takes nothing before its time. A long while in which nothing was recorded
    may be the leap of a wrong clock of an earlier start: it counts once prices came in after it for
    as long as they are kept, when what was before it is that old whatever the clock said. With an
    archive no row of the log goes that it does not have.
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
        """Whether the archive took, in the last round, all that it was to take."""
        self.waits_for = ""
        """Why the last round left what is too old by the clock; empty where it did not."""
        self._first: _Moment | None = None
        self._last: _Moment | None = None

    async def run(self) -> None:
        """Prune now and then, until cancelled."""
        while True:
            try:
                await asyncio.to_thread(self.round)
            except StoreUnavailableError as error:
                _log.warning("what is too old is kept for now: %s", error)
            await asyncio.sleep(PRUNE_S)

    def round(self) -> None:
        """Remove what is too old now; waits, so not on a loop.

        Raises:
            StoreUnavailableError: the file cannot be written now.
        """
        if games := self._store.put_back(self._clock()):
            _log.warning("prices of %d games, seen ahead of this clock, are old from now on", games)
        now_ms = self._now()
        if now_ms is None:
            self._archived(None, 0)
            return
        keep_days = self._store.reader().keep_days() or 0
        now_ms -= self._doubted_ms(now_ms, keep_days)
        archived = self._archived(now_ms, keep_days)
        self._store.prune(now_ms, keep_days, archived)

    def _doubted_ms(self, now_ms: int, keep_days: int) -> int:
        """Return for how long nothing was recorded within what is kept, as the clock alone says."""
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
            self.waits_for = (
                f"what is too old is not removed yet: by the clock, prices came in at {until} after"
                f" {days:.1f} days without any; set the clock if it is wrong, else it goes in"
                f" {keep_days} days"
            )
        if self.waits_for and not before:
            _log.warning("%s", self.waits_for)
        return doubted_ms

    def stop(self) -> None:
        """End a round that archives soon; any thread may call it."""
        if self._archive is not None:
            self._archive.stop()

    def _archived(self, now_ms: int | None, keep_days: int) -> Position | None:
        """Archive what is to be; return up to where rows may go, None for wherever.

        Without a time to count from it is only seen whether the archive can be written.
        """
        if self._archive is None:
            return None
        through = None
        try:
            self._archive.prepare()
            if now_ms is not None:
                self._archive.seal(self._clock())
                self._note(self._archive.folder)
                through = self._archive.through(now_ms - keep_days * DAY_MS) if keep_days else None
        except (ArchiveError, OSError) as error:
            if self.is_archived:
                _log.warning("price history is not archived and stays in the database: %s", error)
            self.is_archived = False
            return (0,) * self._store.reader().shards
        if not self.is_archived:
            _log.warning("price history is archived again")
        self.is_archived = True
        return through

    def _note(self, folder: Path) -> None:
        """Have the database say where its archive is, for other processes that read it."""
        place = folder.absolute()
        if self._store.reader().archive() != str(place):
            self._store.keep_archive(place).result()

    def _now(self) -> int | None:
        """Return what ages are counted from; None to leave this round out."""
        newest = self._store.reader().newest_price()
        if newest is None:
            return None
        moment = _Moment(newest, self._clock(), self._steady())
        first = self._first = self._first or moment
        last, self._last = self._last or moment, moment
        jumped_ms = moment.clock - last.clock - _passed_ms(last, moment)
        if abs(jumped_ms) > JUMP_MS:
            hours = jumped_ms / 60 / MINUTE_MS
            _log.warning("the clock jumped by %+.1f hours: nothing is pruned this time", hours)
            return None
        return min(newest, moment.clock, first.newest + _passed_ms(first, moment))


def _passed_ms(since: _Moment, until: _Moment) -> int:
    return int((until.steady_s - since.steady_s) * 1000)
