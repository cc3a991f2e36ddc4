"""The interface of the research panels to the recorded log."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from oddsdesk.desk.ui.formatting import day_text
from oddsdesk.ledger.presets import Preset
from oddsdesk.research.backtest_summary import Summary
from oddsdesk.research.backtests import Backtested
from oddsdesk.research.coverage import LogRead
from oddsdesk.research.question import Question
from oddsdesk.research.scorecards import Scored

Progress = Callable[[int], None]
"""Called on the window's thread with the number of rows done."""


class ResearchError(Exception):
    """The log cannot be read; one line with the reason."""


class AskedSpan(msgspec.Struct, frozen=True):
    """A span of time in milliseconds, without its end; None for no bound."""

    since_ms: int | None = None
    until_ms: int | None = None


class BacktestAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The choices for a backtest."""

    method: str
    preset: Preset | None
    latency_ms: int
    reference: str
    """Empty for the database's sharp book."""
    span: AskedSpan = AskedSpan()


class BacktestFound(msgspec.Struct, frozen=True):
    """A backtest and its summary, which is made off the window's thread as it takes a while."""

    question: Question
    done: Backtested
    summary: Summary


class ResearchLog(Protocol):
    """Processes the log off the window's thread; stops soon after being cancelled.

    Every coroutine raises ``ResearchError``.
    """

    async def run_backtest(self, asked: BacktestAsked, progress: Progress) -> BacktestFound:
        """Run a backtest."""

    async def scorecards(self, span: AskedSpan, progress: Progress) -> Scored:
        """Score the bookmakers of the log."""


def rows_text(log: LogRead) -> str:
    """Return the number of rows in the span, and the dates of the whole log."""
    if log.first_ms is None:
        return "no rows"
    return f"{log.asked:,} rows, log {day_text(log.first_ms)} to {day_text(log.last_ms)}"
