"""The log of the desk's own server for backtest and scorecards, read on a thread beside it."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.clock import Clock
from oddsdesk.desk.research.log import (
    AskedSpan,
    BacktestAsked,
    BacktestFound,
    Progress,
    ResearchError,
)
from oddsdesk.desk.ui.background import in_background
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.backtest.betting import Question, backtest
from oddsdesk.research.backtest.summary import summary
from oddsdesk.research.past.game import Mine
from oddsdesk.research.past.judged_by import Opened, open_judged
from oddsdesk.research.past.recorded_log import RecordedLog
from oddsdesk.research.scorecards.scoring import Scored, scorecards
from oddsdesk.store.errors import StoreError

T = TypeVar("T")


class _CancelledError(Exception):
    """The user ended the work."""


class DatabaseResearch:
    """A ``desk.research.log.ResearchLog`` of one database, judged as the desk judges now."""

    def __init__(
        self,
        database: Path,
        profiles: Profiles,
        mine: Mine,
        method: str,
        close_by: CloseBy,
        clock: Clock,
    ) -> None:
        self._database = database
        self._profiles = profiles
        self._mine = mine
        self._method = method
        self._close_by = close_by
        self._clock = clock

    async def backtest(self, asked: BacktestAsked, progress: Progress) -> BacktestFound:
        """Bet on the log.

        Raises:
            ResearchError: it cannot be read.
        """
        preset = asked.preset

        def work(opened: Opened, tell: Progress) -> BacktestFound:
            question = Question(
                reference=opened.reference,
                method=asked.method,
                close=opened.close,
                profiles=self._profiles,
                mine=self._mine,
                since_ms=asked.span.since_ms,
                until_ms=asked.span.until_ms,
                latency_ms=asked.latency_ms,
                preset="" if preset is None else preset.name,
                filter=None if preset is None else preset.filter,
            )
            done = backtest(RecordedLog(opened.store.reader()), question, self._clock(), tell)
            return BacktestFound(question, done, summary(done.bets))

        return await self._run("backtest", asked.reference, work, progress)

    async def scorecards(self, span: AskedSpan, progress: Progress) -> Scored:
        """Score the bookmakers of the log.

        Raises:
            ResearchError: it cannot be read.
        """

        def work(opened: Opened, tell: Progress) -> Scored:
            return scorecards(
                RecordedLog(opened.store.reader()),
                reference=opened.reference,
                method=self._method,
                close=opened.close,
                profiles=self._profiles,
                now_ms=self._clock(),
                since_ms=span.since_ms,
                until_ms=span.until_ms,
                progress=tell,
            )

        return await self._run("scorecards", "", work, progress)

    async def _run(
        self,
        name: str,
        reference: str,
        work: Callable[[Opened, Progress], T],
        progress: Progress,
    ) -> T:
        """Run work on a thread; cancelled, it ends at the next rows."""
        loop = asyncio.get_running_loop()
        ended = threading.Event()
        rows = 0

        def tell(count: int) -> None:
            nonlocal rows
            if ended.is_set():
                raise _CancelledError
            rows += count
            with contextlib.suppress(RuntimeError):  # the desk has ended
                loop.call_soon_threadsafe(progress, rows)

        def run() -> T:
            opened = open_judged(self._database, reference, self._close_by)
            with contextlib.closing(opened.store):
                return work(opened, tell)

        try:
            return await asyncio.wrap_future(in_background(name, run))
        except (StoreError, ArchiveError, OSError) as error:
            raise ResearchError(str(error)) from error
        finally:
            ended.set()
