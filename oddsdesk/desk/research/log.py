"""The recorded log as the panels ask it."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from oddsdesk.desk.ui.time_format import day_text
from oddsdesk.ledger.presets import Preset
from oddsdesk.research.backtest.betting import Backtested, Question
from oddsdesk.research.backtest.summary import Summary
from oddsdesk.research.past.log_words import LogRead
from oddsdesk.research.scorecards.scoring import Scored

Progress = Callable[[int], None]
"""Hears on the window's thread how many rows are done by now."""


class ResearchError(Exception):
    """The log cannot be read; one line that says why."""


class AskedSpan(msgspec.Struct, frozen=True):
    """From when to before when, in milliseconds; None for all there is."""

    since_ms: int | None = None
    until_ms: int | None = None


class BacktestAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What the user chose."""

    method: str
    preset: Preset | None
    latency_ms: int
    reference: str
    """Empty for the database's own."""
    span: AskedSpan = AskedSpan()


class BacktestFound(msgspec.Struct, frozen=True):
    """What came of a backtest, summed up where it was made: drawing games anew takes a while."""

    question: Question
    done: Backtested
    summary: Summary


class ResearchLog(Protocol):
    """Goes through the log off the window's thread; cancelled, it ends soon.

    Every coroutine raises ``ResearchError``.
    """

    async def backtest(self, asked: BacktestAsked, progress: Progress) -> BacktestFound:
        """Bet on the log."""

    async def scorecards(self, span: AskedSpan, progress: Progress) -> Scored:
        """Score the bookmakers of the log."""


def rows_text(log: LogRead) -> str:
    """Return how many rows a span has, and from when to when the whole log goes."""
    if log.first_ms is None:
        return "no rows"
    return f"{log.asked:,} rows of {day_text(log.first_ms)} to {day_text(log.last_ms)}"
