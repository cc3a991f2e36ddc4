"""The Backtest tab: what value bets would have earned, with figures, chart and bets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit

from oddsdesk.base.clock import Clock
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT, method_title
from oddsdesk.desk import bet_cells
from oddsdesk.desk.export.files import Table, table_of_bets
from oddsdesk.desk.research.log import BacktestAsked, BacktestFound, ResearchLog
from oddsdesk.desk.research.panel import ResearchPanel, SpanFields, Work
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.controls.bars import Fact, FactsBar
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.formatting import (
    day_text,
    moment_text,
    odds_sample,
    signed_hundredths_text,
    signed_text,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme, scale_least_width, scale_most_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import Preset
from oddsdesk.ledger.reporting import in_order, whole_report
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.reports import course
from oddsdesk.research.backtest_summary import Summary, notes
from oddsdesk.research.coverage import coverage_lines, games_text

_LEAST_FOR_CHART: Final = 430
_REFERENCE_WIDTHS: Final = (108, 130)
_LATENCIES: Final = (
    ("At once", 0),
    ("After 2 s", 2_000),
    ("After 10 s", 10_000),
    ("After 1 min", 60_000),
)
_ALL_VALUE: Final = "All value bets"
_BEGIN: Final = EmptyState(
    "table",
    "What would value bets have earned?",
    "Replays your recorded odds and bets on value, with only what was known at each moment. "
    "For past seasons, use Import files… (Ctrl+I).",
    "Run",
)
_KEY: Final = "research/backtest"
Ends = tuple[float | None, float | None]


class KeptChoices(msgspec.Struct):
    """The choices kept between starts; days as entered, empty for the whole log."""

    preset: str = ""
    """Empty for all value bets."""
    method: str = ""
    """Empty for the method in the settings."""
    latency_ms: int = 0
    reference: str = ""
    since: str = ""
    until: str = ""


class BacktestPanel(ResearchPanel):
    """Runs a backtest on the recorded log when the user asks for it."""

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
        self._make_fields(theme, self._saved.get_value())
        fields = [self.preset, self.method, self.latency, self.reference, *self.span.fields]
        self._assemble(theme, fields, [self.facts, self.chart])

    def show_state(self) -> None:
        super().show_state()
        self._fit()

    def _work(self, log: ResearchLog) -> Work:
        asked = self._asked()
        self._keep(asked)
        return partial(log.run_backtest, asked)

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
        """Save the choices; the settings' method is saved as such, so that it follows them."""
        self._saved.keep_value(
            KeptChoices(
                preset="" if asked.preset is None else asked.preset.name,
                method="" if asked.method == self._usual_method else asked.method,
                latency_ms=asked.latency_ms,
                reference=asked.reference,
                since=self.span.since.text(),
                until=self.span.until.text(),
            )
        )

    def _make_fields(self, theme: Theme, kept: KeptChoices) -> None:
        self.preset, self.method, self.latency = ChoiceBox(), ChoiceBox(), ChoiceBox()
        self.preset.addItems([_ALL_VALUE, *(preset.name for preset in self._presets)])
        self.preset.setCurrentText(kept.preset or _ALL_VALUE)
        self.preset.setAccessibleName("Preset")
        self.preset.setToolTip("Bet only on what this preset lists")
        for name in METHODS:
            self.method.addItem(method_title(name), name)
        method = kept.method if kept.method in METHODS else self._usual_method
        self.method.setCurrentIndex(self.method.findData(method))
        self.method.setAccessibleName("Devig method")
        self.method.setToolTip("How the sharp book's margin is removed")
        for text, latency_ms in _LATENCIES:
            self.latency.addItem(text, latency_ms)
        self.latency.setCurrentIndex(max(self.latency.findData(kept.latency_ms), 0))
        self.latency.setAccessibleName("Latency")
        self.latency.setToolTip(
            "Time it takes to bet. Prices that are no longer value by then are missed"
        )
        self.reference = QLineEdit(kept.reference)
        self.reference.setPlaceholderText("Sharp book")
        self.reference.setAccessibleName("Sharp book")
        self.reference.setToolTip(
            "Fair odds come from this bookmaker, or “consensus”. Empty: the database's sharp book"
        )
        scale_least_width(self.reference, theme, _REFERENCE_WIDTHS[0])
        scale_most_width(self.reference, theme, _REFERENCE_WIDTHS[1])
        self.span = SpanFields(kept.since, kept.until)

    def _on_running_done(self, found: BacktestFound) -> None:
        self._found, done = found, found.done
        self.model.show_rows({(bet.ident or 0,): bet for bet in done.bets}, may_move=True)
        self.facts.fill_facts(
            [*_facts(found, whole_report(done.bets).drawdown.depth), _judge(found)]
        )
        self.chart.show_steps(course(counted for _, counted in in_order(done.bets)))
        if done.bets:
            self.messages.show_message(" · ".join(_told(found)), icon="info")
        self.show_state()

    def _on_table_opened(self, _index: object) -> None:
        current = self.table.current_cell()
        if current.isValid():
            self.game_requested.emit(self.model.entry(current.row()).game_id)

    def _fit(self) -> None:
        found = self._found
        has_bets = found is not None and bool(found.done.bets)
        self.facts.setVisible(has_bets)
        has_course = found is not None and found.summary.settled > 0
        self.chart.setVisible(has_course and self.height() >= _LEAST_FOR_CHART)
        self.chart.fit_chart(self.height() * 3 // 10)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _told(found: BacktestFound) -> list[str]:
    """Return the notes: what is missing, then the coverage of the log."""
    done, question = found.done, found.question
    covered = coverage_lines(done.coverage, question.reference, question.close, day_text)
    return [*notes(done, question, moment_text, day_text), *covered]


def _judge(found: BacktestFound) -> Fact:
    covered = found.done.coverage
    priced = f"priced {covered.priced:,} of {games_text(covered.games)}"
    if covered.last_priced_ms is not None:
        priced += f", until {day_text(covered.last_priced_ms)}"
    return Fact("Sharp book", found.question.reference, priced)


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
            f"{_between(found.clv_range, '%')}, of {found.clv_bets:,}, {by.close_by_text}".lstrip(
                ", "
            ),
        ),
        Fact("Drawdown", signed_hundredths_text(drawdown) if found.settled else "–", "worst"),
    ]


def _yield_words(found: Summary) -> str:
    """Return the interval of the yield; if most bets have no result, first how many have one."""
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


def _result(bet: PlacedBet, _now: int) -> Cell:
    if bet.result is None:
        return Cell("unknown", TextRole.NOTE)
    return Cell(bet.result.words, TextRole.SOFT)


COLUMNS: Final[tuple[ColumnSpec[PlacedBet, int], ...]] = (
    ColumnSpec(
        "placed_at",
        "Placed",
        Column("26 Nov 2024 18:30", Align.LEFT),
        lambda bet, _now: Cell(moment_text(bet.placed_at), TextRole.NOTE),
        lambda bet: bet.placed_at,
        tip="Time of the bet in the log",
    ),
    bet_cells.OUTCOME,
    bet_cells.MARKET,
    ColumnSpec(
        "bookmaker",
        "Bookmaker",
        Column("William Hill", Align.LEFT, stretches=True, widest="Betfair Exchange second"),
        lambda bet, _now: Cell(bet.bookmaker, TextRole.SOFT),
        lambda bet: bet.bookmaker.casefold(),
        tip="Bookmaker of the price",
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", note_sample="8.888", hangs=True),
        bet_cells.odds_cell,
        lambda bet: bet.odds,
        descending_first=True,
        sample=odds_sample,
        tip="Odds, and after commission or tax",
    ),
    ColumnSpec(
        "ev",
        "EV",
        Column("+100.0 %", note_sample=f"~ {PER_DECIDED}"),
        bet_cells.ev_cell,
        bet_cells.or_lowest(lambda bet: bet.ev),
        descending_first=True,
        tip=f"EV after commission at that moment; {PER_DECIDED} {PER_DECIDED_TEXT}",
        priority=Priority.EXTRA,
    ),
    bet_cells.CLV,
    ColumnSpec(
        "result",
        "Result",
        Column("unknown", Align.LEFT),
        _result,
        lambda bet: "" if bet.result is None else bet.result.value,
        tip="Result of the bet, if the game's result is known",
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "profit",
        "Profit",
        Column("+1,000.00"),
        lambda bet, _now: bet_cells.profit_cell(bet.profit),
        bet_cells.or_lowest(lambda bet: bet.profit),
        descending_first=True,
        tip="For a stake of one unit, after commission",
    ),
)


class BacktestModel(StableRowsModel[tuple[int], PlacedBet]):
    """The bets of a backtest in the order placed."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)
