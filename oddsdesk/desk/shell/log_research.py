"""Runs backtest and scorecards on the built-in server's database, on a thread."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import in_daemon_thread, on_this_loop
from oddsdesk.desk.research.log import (
    AskedSpan,
    BacktestAsked,
    BacktestFound,
    Progress,
    ResearchError,
)
from oddsdesk.ledger.own_tables import known_bands
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.research.backtest_summary import summary
from oddsdesk.research.backtests import run_backtest as backtest
from oddsdesk.research.past_game import Mine
from oddsdesk.research.question import Question
from oddsdesk.research.recorded_log import Opened, RecordedLog, open_judged
from oddsdesk.research.scorecards import Scored, scorecards
from oddsdesk.store.errors import StoreError

T = TypeVar("T")


class _CancelledError(Exception):
    """The user cancelled the work."""


class DatabaseResearch:
    """A ``ResearchLog`` of one database, with the desk's current settings."""

    def __init__(
        self,
        database: Path,
        profiles: Profiles,
        mine: Mine,
        method: str,
        close_by: CloseBy,
        clock: Clock,
        derived: DerivedChoice = "none",
    ) -> None:
        self._database = database
        self._profiles = profiles
        self._mine = mine
        self._method = method
        self._close_by = close_by
        self._clock = clock
        self._derived = derived

    async def run_backtest(self, asked: BacktestAsked, progress: Progress) -> BacktestFound:
        """Run a backtest.

        Raises:
            ResearchError: The log cannot be read.
        """
        preset = asked.preset

        def run_backtest(opened: Opened, tell: Progress) -> BacktestFound:
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
                derived=self._derived,
                bands=known_bands(asked.method).bands,
            )
            done = backtest(RecordedLog(opened.store.reader()), question, self._clock(), tell)
            return BacktestFound(question, done, summary(done.bets))

        return await self._run("backtest", asked.reference, run_backtest, progress)

    async def scorecards(self, span: AskedSpan, progress: Progress) -> Scored:
        """Score the bookmakers of the log.

        Raises:
            ResearchError: The log cannot be read.
        """

        def run_scorecards(opened: Opened, tell: Progress) -> Scored:
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

        return await self._run("scorecards", "", run_scorecards, progress)

    async def _run(
        self, name: str, reference: str, work: Callable[[Opened, Progress], T], progress: Progress
    ) -> T:
        """Run work on a thread; when cancelled, it stops at the next rows."""
        ended, tell = threading.Event(), on_this_loop(progress)
        rows = 0

        def tell_progress(count: int) -> None:
            nonlocal rows
            if ended.is_set():
                raise _CancelledError
            rows += count
            tell(rows)

        def run_work() -> T:
            opened = open_judged(self._database, reference, self._close_by)
            with contextlib.closing(opened.store):
                return work(opened, tell_progress)

        try:
            return await in_daemon_thread(name, run_work)
        except (StoreError, ArchiveError, OSError) as error:
            raise ResearchError(str(error)) from error
        finally:
            ended.set()
