"""What value bets would have earned: choices, figures with intervals, the course, the bets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit

from oddsdesk.clock import Clock
from oddsdesk.desk.export.bets import table_of_bets
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.research.bet_columns import BacktestModel
from oddsdesk.desk.research.log import BacktestAsked, BacktestFound, ResearchLog
from oddsdesk.desk.research.panel import ResearchPanel
from oddsdesk.desk.research.running import Work
from oddsdesk.desk.research.span_fields import SpanFields
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.facts_bar import Fact, FactsBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState
from oddsdesk.desk.ui.formatting import signed_hundredths_text, signed_text
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.time_format import day_text, moment_text
from oddsdesk.ledger.presets import Preset
from oddsdesk.ledger.reporting import in_order, whole_report
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.reports import course
from oddsdesk.research.backtest.summary import Summary, notes
from oddsdesk.research.past.coverage import coverage_lines, games_text

_LEAST_FOR_CHART: Final = 430
_LATENCIES: Final = (
    ("at once", 0),
    ("after 2 s", 2_000),
    ("after 10 s", 10_000),
    ("after 1 min", 60_000),
)
_ALL_VALUE: Final = "All that is value"
_BEGIN: Final = EmptyState(
    "table",
    "What would value bets have earned?",
    "Goes through what your server has recorded, with the rules of the value bets and what was"
    " known at each moment. Past seasons: Import files… (Ctrl+I).",
    "Run",
)
_KEY: Final = "research/backtest"
Ends = tuple[float | None, float | None]


class KeptChoices(msgspec.Struct):
    """What is kept between starts; days as they were typed, empty for all there is."""

    preset: str = ""
    """Empty for all that is value."""
    method: str = ""
    """Empty for that of the desk's settings."""
    latency_ms: int = 0
    reference: str = ""
    since: str = ""
    until: str = ""


class BacktestPanel(ResearchPanel):
    """Bets on the recorded log when the user asks for it."""

    ident = "backtest"
    game_requested = Signal(str)
    """The id of the game of a bet."""

    def __init__(
        self,
        theme: Theme,
        clock: Clock,
        log: Callable[[], ResearchLog | None],
        method: Callable[[], str],
        presets: Callable[[], Sequence[Preset]],
        layout: Layout,
    ) -> None:
        model = BacktestModel(clock)
        super().__init__(theme, log, model, LiveTable(theme, model, clock))
        self.model = model
        self.table.setAccessibleName("Bets of the backtest")
        self.table.opened.connect(self._on_table_opened)
        self._presets = list(presets())
        self._found: BacktestFound | None = None
        self.facts, self.chart = FactsBar(theme), CourseChart(theme)
        self._usual_method = method()
        self._saved = Saved(layout, _KEY, KeptChoices, KeptChoices())
        self._make_fields(self._saved.get())
        fields = [self.preset, self.method, self.latency, self.reference, *self.span.fields]
        self._assemble(theme, fields, [self.facts, self.chart])

    def show_state(self) -> None:
        """Show what was found, or what to do where nothing was."""
        super().show_state()
        self._fit()

    def _work(self, log: ResearchLog) -> Work:
        asked = self._asked()
        self._keep(asked)
        return partial(log.backtest, asked)

    def _about(self) -> str:
        return "" if self._found is None else f"{self._found.done.asked:,} rows"

    def _state(self) -> EmptyState:
        if self._found is None:
            return _BEGIN
        told = _told(self._found)[0]
        return EmptyState("table", f"{told[0].upper()}{told[1:]}.", "", "Run again")

    def _exported(self) -> Table:
        return table_of_bets([] if self._found is None else self._found.done.bets)

    def _asked(self) -> BacktestAsked:
        place = self.preset.currentIndex() - 1
        return BacktestAsked(
            method=self.method.currentData(),
            preset=self._presets[place] if place >= 0 else None,
            latency_ms=self.latency.currentData(),
            reference=self.reference.text().strip(),
            span=self.span.span(),
        )

    def _keep(self, asked: BacktestAsked) -> None:
        """Keep what was chosen; what the desk's settings say goes on to be what they say."""
        self._saved.put(
            KeptChoices(
                preset="" if asked.preset is None else asked.preset.name,
                method="" if asked.method == self._usual_method else asked.method,
                latency_ms=asked.latency_ms,
                reference=asked.reference,
                since=self.span.since.text(),
                until=self.span.until.text(),
            )
        )

    def _make_fields(self, kept: KeptChoices) -> None:
        self.preset, self.method, self.latency = ChoiceBox(), ChoiceBox(), ChoiceBox()
        self.preset.addItems([_ALL_VALUE, *(preset.name for preset in self._presets)])
        self.preset.setCurrentText(kept.preset or _ALL_VALUE)
        self.preset.setAccessibleName("Preset")
        self.preset.setToolTip("Only what this preset lists is bet on")
        for name in METHODS:
            self.method.addItem(name.replace("_", " "), name)
        method = kept.method if kept.method in METHODS else self._usual_method
        self.method.setCurrentIndex(self.method.findData(method))
        self.method.setAccessibleName("Devig method")
        self.method.setToolTip("How the reference's margin is taken out")
        for text, latency_ms in _LATENCIES:
            self.latency.addItem(text, latency_ms)
        self.latency.setCurrentIndex(max(self.latency.findData(kept.latency_ms), 0))
        self.latency.setAccessibleName("Latency")
        self.latency.setToolTip("How long it takes to bet: what is value no more by then is missed")
        self.reference = QLineEdit(kept.reference)
        self.reference.setPlaceholderText("Reference")
        self.reference.setAccessibleName("Reference")
        self.reference.setToolTip(
            "Whom prices are judged by: a bookmaker, or consensus. Empty: the database's"
        )
        self.reference.setMaximumWidth(110)
        self.span = SpanFields(kept.since, kept.until)

    def _on_running_done(self, found: BacktestFound) -> None:
        self._found, done = found, found.done
        self.model.show_rows({(bet.ident or 0,): bet for bet in done.bets}, may_move=True)
        self.facts.show_facts(
            [*_facts(found, whole_report(done.bets).drawdown.depth), _judge(found)]
        )
        self.chart.show_steps(course(counted for _, counted in in_order(done.bets)))
        if done.bets:
            self.messages.say(" · ".join(_told(found)), icon="info")
        self.show_state()

    def _on_table_opened(self, _index: object) -> None:
        current = self.table.current()
        if current.isValid():
            self.game_requested.emit(self.model.entry(current.row()).game_id)

    def _fit(self) -> None:
        found = self._found
        has_bets = found is not None and bool(found.done.bets)
        self.facts.setVisible(has_bets)
        has_course = found is not None and found.summary.settled > 0
        self.chart.setVisible(has_course and self.height() >= _LEAST_FOR_CHART)
        self.chart.fit(self.height() * 3 // 10)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _told(found: BacktestFound) -> list[str]:
    """Return what has to be said: what is missing, then what the log has of the games."""
    done, question = found.done, found.question
    covered = coverage_lines(done.coverage, question.reference, question.close, day_text)
    return [*notes(done, question, moment_text, day_text), *covered]


def _judge(found: BacktestFound) -> Fact:
    covered = found.done.coverage
    priced = f"priced {covered.priced:,} of {games_text(covered.games)}"
    if covered.last_priced_ms is not None:
        priced += f", until {day_text(covered.last_priced_ms)}"
    return Fact("Judged by", found.question.reference, priced)


def _facts(backtested: BacktestFound, drawdown: float) -> list[Fact]:
    found, by = backtested.summary, backtested.question.close
    profit = "–" if found.profit is None else signed_hundredths_text(found.profit)
    return [
        Fact("Bets", f"{found.bets:,}", f"{found.settled:,} with a result"),
        Fact("Profit", profit, _between(found.profit_range, "units")),
        Fact("Yield", _percent(found.yield_pct), _yield_words(found)),
        Fact(
            "Closing line",
            _percent(found.clv_pct),
            f"{_between(found.clv_range, '%')}, of {found.clv_bets:,}, {by.text}".lstrip(", "),
        ),
        Fact("Drawdown", signed_hundredths_text(drawdown) if found.settled else "–", "worst"),
    ]


def _yield_words(found: Summary) -> str:
    """Return how sure a yield is; where most bets have no result, first of how many it is."""
    between = _between(found.yield_range, "%")
    if found.settled * 2 >= found.bets:
        return between
    return f"of {found.settled_text}, {between}"


def _between(ends: Ends, unit: str) -> str:
    low, high = ends
    if low is None or high is None:
        return "too few games for an interval"
    return f"95 %: {signed_text(low)} to {signed_text(high)} {unit}"


def _percent(figure: float | None) -> str:
    return "–" if figure is None else f"{signed_text(figure)} %"
