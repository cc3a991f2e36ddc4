"""Runs backtest and scorecards on the built-in server's database, on a thread."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import in_daemon_thread, on_this_loop
from oddsdesk.desk.research.log import (
    AskedSpan,
    BacktestAsked,
    BacktestFound,
    BacktestsFound,
    Combination,
    ListedResults,
    Progress,
    ResearchError,
)
from oddsdesk.ledger.own_tables import known_bands
from oddsdesk.ledger.reporting import in_order
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.reports import course
from oddsdesk.pricing.value import DerivedChoice
from oddsdesk.research.backtest_summary import summary
from oddsdesk.research.backtests import run_backtests as run_all
from oddsdesk.research.grids import bests_of
from oddsdesk.research.past_game import Mine
from oddsdesk.research.question import Question, SettingsError, rules_named
from oddsdesk.research.recorded_log import Opened, RecordedLog, open_judged
from oddsdesk.research.result_list import list_results
from oddsdesk.research.scorecards import Scored, scorecards
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store

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

    async def run_backtests(self, asked: BacktestAsked, progress: Progress) -> BacktestsFound:
        """Run a backtest for each combination, in one pass.

        Raises:
            ResearchError: The log cannot be read.
        """
        closing = asked.settings.close_reference, asked.settings.close_method
        close = CloseBy(closing[0] or self._close_by.reference, closing[1] or self._close_by.method)
        combinations = asked.combinations
        names = list(dict.fromkeys(each.reference for each in combinations))

        def run_backtests(opened: Opened, tell: Progress) -> BacktestsFound:
            references = {names[0]: opened.reference}
            for name in names[1:]:
                judged = open_judged(self._database, name, close)
                judged.store.close()
                references[name] = judged.reference
            questions = [self._question(asked, each, references, opened) for each in combinations]
            log = RecordedLog(opened.store.reader())
            found = run_all(log, questions, self._clock(), tell)
            runs = [
                BacktestFound(
                    question,
                    done,
                    summary(done.bets),
                    tuple(course(counted for _, counted in in_order(done.bets))),
                    each.least_ev,
                )
                for question, done, each in zip(questions, found, combinations, strict=True)
            ]
            best = bests_of([run.done.bets for run in runs], [run.summary for run in runs])
            return BacktestsFound(asked, tuple(runs), best)

        return await self._run("backtest", names[0], close, run_backtests, progress)

    def _question(
        self,
        asked: BacktestAsked,
        which: Combination,
        references: Mapping[str, str],
        opened: Opened,
    ) -> Question:
        preset, chosen = asked.preset, asked.settings
        rules = "contract" if chosen.rules is None else chosen.rules or "none"
        return Question(
            reference=references[which.reference],
            method=which.method,
            close=opened.close,
            profiles=self._profiles,
            mine=self._mine,
            since_ms=asked.span.since_ms,
            until_ms=asked.span.until_ms,
            latency_ms=chosen.latency_ms,
            preset="" if preset is None else preset.name,
            filter=None if preset is None else preset.filter,
            derived=self._derived,
            bands=known_bands(which.method).bands,
            rules=rules_named(rules, which.least_ev),
            strategy=chosen.strategy,
            at=chosen.at,
            alpha=chosen.alpha,
            least_books=chosen.least_books,
            series=chosen.series,
            staking=chosen.staking,
        )

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

        return await self._run("scorecards", "", self._close_by, run_scorecards, progress)

    async def results(self, known: object) -> ListedResults | None:
        """List the results; None if the database is in the state ``known``.

        Raises:
            ResearchError: The database cannot be read.
        """

        def read_results() -> ListedResults | None:
            begun, state = time.monotonic(), _state_of(self._database)
            if state == known:
                return None
            with contextlib.closing(open_store(self._database, read_only=True)) as store:
                rows = list_results(store.reader(), self._clock())
            return ListedResults(rows, state, (time.monotonic() - begun) * 1000)

        try:
            return await in_daemon_thread("results", read_results)
        except (StoreError, ArchiveError, OSError) as error:
            raise ResearchError(str(error)) from error

    async def _run(
        self,
        name: str,
        reference: str,
        close: CloseBy,
        work: Callable[[Opened, Progress], T],
        progress: Progress,
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
            opened = open_judged(self._database, reference, close)
            with contextlib.closing(opened.store):
                return work(opened, tell_progress)

        try:
            return await in_daemon_thread(name, run_work)
        except (StoreError, ArchiveError, SettingsError, OSError) as error:
            raise ResearchError(str(error)) from error
        finally:
            ended.set()


def _state_of(database: Path) -> object:
    """Return what changes whenever something is recorded."""
    found = []
    for path in (database, database.with_name(f"{database.name}-wal")):
        with contextlib.suppress(FileNotFoundError):
            stat = path.stat()
            if stat.st_size:  # an empty one comes and goes with readers
                found.append((stat.st_mtime_ns, stat.st_size))
    return found
