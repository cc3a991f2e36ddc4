"""The interface of the research panels to the recorded log."""

from collections.abc import Callable
from itertools import pairwise, product
from typing import NamedTuple, Protocol

import msgspec

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext
from oddsdesk.board.valuation.explaining import method_name
from oddsdesk.desk.ui.formatting import day_text
from oddsdesk.ledger.presets import Preset
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.reports import Step, drawdown
from oddsdesk.research.backtest_summary import Summary
from oddsdesk.research.backtests import Backtested
from oddsdesk.research.coverage import LogRead
from oddsdesk.research.grids import Bests
from oddsdesk.research.question import BetAt, Question, Staking, Strategy
from oddsdesk.research.result_list import ListedResult
from oddsdesk.research.scorecards import Scored

Progress = Callable[[int], None]
"""Called on the window's thread with the number of rows done."""


class ResearchError(Exception):
    """The log cannot be read; one line with the reason."""


class AskedSpan(msgspec.Struct, frozen=True):
    """A span of time in milliseconds, without its end; None for no bound."""

    since_ms: int | None = None
    until_ms: int | None = None


class Combination(NamedTuple):
    """What differs between the backtests that are compared."""

    method: str
    reference: str
    least_ev: float | None


class BacktestSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The choices for a backtest that are seldom changed; kept between starts."""

    least_evs: tuple[float, ...] = ()
    """The least EV in percent; several are compared. Empty for the contract's."""
    rules: tuple[str, ...] | None = None
    """The price rules that hold, as values of ``Rule``; None for all of the contract's."""
    strategy: Strategy = "value"
    alpha: float = 0.05
    least_books: int = 3
    at: BetAt = "any"
    series: str = ""
    latency_ms: int = 0
    staking: Staking = Staking()
    close_reference: str = ""
    """Empty for that of the desk's settings."""
    close_method: str = ""
    """Empty for that of the desk's settings."""


class BacktestAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The choices for a backtest; several methods, sharp books or least EVs are compared."""

    methods: tuple[str, ...]
    preset: Preset | None
    references: tuple[str, ...] = ("",)
    """Empty for the database's sharp book."""
    span: AskedSpan = AskedSpan()
    settings: BacktestSettings = BacktestSettings()

    @property
    def combinations(self) -> list[Combination]:
        """Every method with every sharp book and least EV; no mean of all needs more than one."""
        if self.settings.strategy != "value":
            return [Combination(self.methods[0], self.references[0], None)]
        least_evs = self.settings.least_evs or (None,)
        return [Combination(*each) for each in product(self.methods, self.references, least_evs)]


class BacktestFound(msgspec.Struct, frozen=True):
    """A backtest and its figures, made off the window's thread as they take a while."""

    question: Question
    done: Backtested
    summary: Summary
    steps: tuple[Step, ...] = ()
    """The course of the profit, game by game."""
    least_ev: float | None = None
    """As asked; None for the contract's."""

    @property
    def drawdown(self) -> float:
        """The deepest fall of the profit from an earlier peak; 0 or negative."""
        profits = [[now.profit - before.profit] for before, now in pairwise(self.steps)]
        return drawdown(profits).depth


class BacktestsFound(msgspec.Struct, frozen=True):
    """One backtest for each combination."""

    asked: BacktestAsked
    runs: tuple[BacktestFound, ...]
    best: Bests = Bests()


class ListedResults(msgspec.Struct, frozen=True):
    """The results of a database."""

    rows: list[ListedResult]
    state: object
    """Differs if the database has changed."""
    took_ms: float
    """How long the reading took."""


class ResearchLog(Protocol):
    """Processes the log off the window's thread; stops soon after being cancelled.

    Every coroutine raises ``ResearchError``.
    """

    async def run_backtests(self, asked: BacktestAsked, progress: Progress) -> BacktestsFound:
        """Run a backtest for each combination, in one pass."""

    async def scorecards(self, span: AskedSpan, progress: Progress) -> Scored:
        """Score the bookmakers of the log."""

    async def results(self, known: object) -> ListedResults | None:
        """List the results; None if the database is in the state ``known``."""


def rows_text(log: LogRead) -> str:
    """Return the number of rows in the span, and the dates of the whole log."""
    if log.first_ms is None:
        return _("no rows")
    return _("{rows}, log {first} to {last}").format(
        rows=count_text(log.asked), first=day_text(log.first_ms), last=day_text(log.last_ms)
    )


def count_text(rows: int) -> str:
    """Return a number of rows in words."""
    return ngettext("{count:,} row", "{count:,} rows", rows).format(count=num(rows))


def games_text(games: int) -> str:
    """Return a number of games in words."""
    return ngettext("{count:,} game", "{count:,} games", games).format(count=num(games))


def clv_text(close: CloseBy) -> str:
    """Return what CLV is measured by."""
    method = method_name(close.method)
    if not close.reference:
        return _("CLV vs the sharp book's close, {method}").format(method=method)
    return _("CLV vs the {bookmaker} close, {method}").format(
        bookmaker=close.reference, method=method
    )
