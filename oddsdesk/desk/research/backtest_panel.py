"""The Backtest tab: what value bets would have earned, with figures, chart and bets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, pgettext, translated
from oddsdesk.board.valuation.verdict_words import PER_DECIDED, PER_DECIDED_TEXT, method_title
from oddsdesk.desk import bet_cells
from oddsdesk.desk.export.files import Table, table_of_bets
from oddsdesk.desk.research.backtest_settings import (
    BacktestSettingsDialog,
    kept_method,
    settings_words,
    typed_list,
    typed_methods,
    with_limits,
)
from oddsdesk.desk.research.grid_table import GridModel, comparison_lines, run_words
from oddsdesk.desk.research.log import (
    BacktestAsked,
    BacktestFound,
    BacktestSettings,
    BacktestsFound,
    ResearchLog,
    clv_text,
    count_text,
)
from oddsdesk.desk.research.panel import ChoiceError, ResearchPanel, SpanFields, Work
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.chart.course_chart import CourseChart
from oddsdesk.desk.ui.controls.bars import Fact, FactsBar
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.formatting import (
    day_sample,
    day_text,
    moment_text,
    odds_sample,
    signed_hundredths_text,
    signed_text,
)
from oddsdesk.desk.ui.spacing import HALF, LEAD, STEP, horizontal
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme, scale_least_width, scale_most_width
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import Preset
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.research.backtest_summary import Summary, covered_lines, notes, shared_coverage

_LEAST_FOR_CHART: Final = 430
_LEAST_BELOW: Final = 100
"""Height of some bets and notes below the figures."""
_REFERENCE_WIDTHS: Final = (88, 150)
_ALL_VALUE: Final = _("All value bets")
_BEGIN: Final = EmptyState(
    "table",
    _("What would value bets have earned?"),
    _(
        "Replays your recorded odds and bets on value, with only what was known at each "
        "moment. For past seasons, use Import files… (Ctrl+I)."
    ),
    _("Run"),
)
_KEY: Final = "research/backtest"
Ends = tuple[float | None, float | None]


class KeptChoices(msgspec.Struct):
    """The choices kept between starts; days and lists as entered."""

    preset: str = ""
    """Empty for all value bets."""
    method: str = ""
    """A devig method or several; empty for the method in the settings."""
    reference: str = ""
    since: str = ""
    until: str = ""
    settings: BacktestSettings = BacktestSettings()


class BacktestPanel(ResearchPanel):
    """Runs backtests on the recorded log when the user asks for them.

    Several methods, sharp books or least EVs are compared in a table, of which a row opens its
    bets.
    """

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
        plan: Callable[[], StakePlan] = StakePlan,
    ) -> None:
        """``plan`` returns the user's, whose limits Kelly's stakes keep to."""
        model = BacktestModel(clock)
        super().__init__(theme, log, model, LiveTable(theme, model, clock))
        self.model = model
        self.table.setAccessibleName(_("Bets of the backtest"))
        self.table.opened.connect(self._on_table_opened)
        self.grid_model = GridModel(clock)
        self.grid = LiveTable(theme, self.grid_model, clock)
        self.grid.setAccessibleName(_("Backtests compared"))
        self.grid.opened.connect(self._on_grid_opened)
        self.grid.header_clicked.connect(self.grid_model.sort_by)
        self._theme = theme
        self._plan = plan
        self._presets = list(presets())
        self._found: BacktestsFound | None = None
        self._run: BacktestFound | None = None
        """The backtest whose bets are shown; None for the table of several."""
        self.facts, self.chart = FactsBar(theme), CourseChart(theme)
        self.facts.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.back = QPushButton()
        self.back.setToolTip(_("Back to the table (B)"))
        self.back.clicked.connect(self.show_grid)
        self.opened = ElidedLabel()
        """Says which backtest of several is shown."""
        self.back_bar = _back_bar(self.back, self.opened)
        self._usual_method = method()
        self._saved = Saved(layout, _KEY, KeptChoices, KeptChoices())
        kept = self._saved.get_value()
        self._settings = kept.settings
        self._make_fields(theme, kept)
        fields = [self.preset, self.method, self.reference, *self.span.fields, self.more]
        self._assemble(theme, fields, [self.back_bar, self.facts, self.chart], wraps_at=2)
        self._stack.addWidget(self.grid)
        self.preset.currentIndexChanged.connect(self._on_choice_changed)
        self.bar.wrapped.connect(self._fit)
        add_action(self, "backtest.settings", self.ask_settings)
        add_action(self, "backtest.back", self.show_grid)
        self._show_settings()

    def ask_settings(self) -> None:
        """Open the dialog of the settings that are seldom changed."""
        try:
            asked = self._asked()
        except ChoiceError as error:
            self._say_trouble(str(error))
            return
        dialog = BacktestSettingsDialog(self._theme, asked, self._plan(), self)
        dialog.chosen.connect(self._on_settings_chosen)
        dialog.open()

    def show_grid(self) -> None:
        """Go back from the bets of one backtest to the table of all."""
        if self._found is not None and len(self._found.runs) > 1 and self._run is not None:
            self._run = None
            self._say_notes()
            self.show_state()
            self.grid.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_state(self) -> None:
        super().show_state()
        has_grid = self._found is not None and len(self._found.runs) > 1
        if has_grid and self._run is None:
            self._stack.setCurrentWidget(self.grid)
            self.setFocusProxy(self.grid)
            self.bar.offer_export(True)
        self.back_bar.setVisible(has_grid and self._run is not None)
        self._fit()

    def _work(self, log: ResearchLog) -> Work:
        asked = self._asked()
        self._keep()
        return partial(log.run_backtests, asked)

    def _about(self) -> str:
        return "" if self._found is None else count_text(self._found.runs[0].done.asked)

    def _is_of_choices(self) -> bool:
        return self._found is not None and self._found.asked == self._asked()

    def _notes(self) -> list[str]:
        if self._run is not None:
            close = clv_text(self._run.question.close)
            return [*_told(self._run), close] if self._run.done.bets else []
        return [] if self._found is None else _grid_notes(self._found)

    def _state(self) -> EmptyState:
        if self._found is None:
            return _BEGIN
        told = _told(self._run or self._found.runs[0])[0]
        return EmptyState("table", f"{told[0].upper()}{told[1:]}.", "", _("Run again"))

    def _exported(self) -> Table:
        if self._found is not None and self._run is None:
            return self.grid_model.exported()
        return table_of_bets([] if self._run is None else self._run.done.bets)

    def _asked(self) -> BacktestAsked:
        """Return the choices.

        Raises:
            ChoiceError: One of them is invalid.
        """
        place = self.preset.currentIndex() - 1
        return BacktestAsked(
            methods=typed_methods(self.method.currentText(), self._usual_method),
            preset=self._presets[place] if place >= 0 else None,
            references=tuple(typed_list(self.reference.text())) or ("",),
            span=self.span.span(),
            settings=with_limits(self._settings, self._plan()),
        )

    def _keep(self) -> None:
        """Save the choices; the settings' method is saved as such, so that it follows them."""
        method = self.method.currentText().strip()
        self._saved.keep_value(
            KeptChoices(
                preset=self.preset.currentData(),
                method="" if method == method_title(self._usual_method) else kept_method(method),
                reference=self.reference.text().strip(),
                since=self.span.since.text(),
                until=self.span.until.text(),
                settings=self._settings,
            )
        )

    def _make_fields(self, theme: Theme, kept: KeptChoices) -> None:
        self.preset, self.method = ChoiceBox(), ChoiceBox(editable=True)
        self.preset.addItem(_ALL_VALUE, "")
        for preset in self._presets:
            self.preset.addItem(translated(preset.name), preset.name)
        self.preset.setCurrentIndex(max(0, self.preset.findData(kept.preset)))
        self.preset.setAccessibleName(_("Preset"))
        self.preset.setToolTip(_("Bet only on what this preset lists"))
        for name in METHODS:
            self.method.addItem(method_title(name), name)
        method = kept.method or self._usual_method
        self.method.setCurrentText(method_title(method) if method in METHODS else method)
        if (edit := self.method.lineEdit()) is not None:
            edit.editingFinished.connect(partial(edit.setCursorPosition, 0))  # shows its beginning
            edit.setCursorPosition(0)
        self.method.setAccessibleName(_("Devig method"))
        self.method.setToolTip(
            _(
                "How the sharp book's margin is removed. Several with commas are "
                "compared: power, shin"
            )
        )
        self.reference = QLineEdit(kept.reference)
        self.reference.setPlaceholderText(_("Sharp book"))
        self.reference.setAccessibleName(_("Sharp book"))
        self.reference.setToolTip(
            _(
                "Fair odds come from this bookmaker, or “consensus”. Empty: the "
                "database's sharp book. Several with commas are compared"
            )
        )
        scale_least_width(self.reference, theme, _REFERENCE_WIDTHS[0])
        scale_most_width(self.reference, theme, _REFERENCE_WIDTHS[1])
        self.span = SpanFields(theme, kept.since, kept.until)
        self.more = QPushButton()
        self.more.clicked.connect(self.ask_settings)

    def _show_settings(self) -> None:
        """Say on the button how many settings are not the usual ones."""
        usual = BacktestSettings()
        names = self._settings.__struct_fields__
        changed = sum(getattr(self._settings, name) != getattr(usual, name) for name in names)
        self.more.setText(
            _("Settings ({count})…").format(count=changed) if changed else _("Settings…")
        )
        self.more.setAccessibleName(_("Backtest settings"))
        try:
            words = settings_words(self._asked())
        except ChoiceError:
            words = _("Rules, stakes, delay, closing prices and more")
        self.more.setToolTip(f"{words} (S)")

    def _on_settings_chosen(self, settings: BacktestSettings) -> None:
        self._settings = settings
        self._keep()
        self._show_settings()
        self._on_choice_changed()

    def _on_running_done(self, found: BacktestsFound) -> None:
        self._found = found
        rows = {(number,): run for number, run in enumerate(found.runs)}
        self.grid_model.show_rows(rows, may_move=True)
        self._run = found.runs[0] if len(found.runs) == 1 else None
        self._show_run()
        self.show_state()

    def _show_run(self) -> None:
        """Show the bets of the backtest that was opened."""
        run = self._run
        bets = [] if run is None else run.done.bets
        self.model.show_rows({(bet.ident or 0,): bet for bet in bets}, may_move=True)
        self._say_notes()
        if run is None:
            return
        self.facts.fill_facts(_facts(run))
        bankroll = run.done.bankroll
        self.chart.show_steps(run.steps, None if bankroll is None else bankroll.start)

    def _on_grid_opened(self, _index: object) -> None:
        current = self.grid.current_cell()
        if current.isValid() and self._found is not None:
            self._run = self.grid_model.entry(current.row())
            self._show_run()
            self.back.setText(_("‹ All {count}").format(count=len(self._found.runs)))
            self.opened.show_text(run_words(self._run))
            self.show_state()
            (self.table if self._run.done.bets else self.back).setFocus(
                Qt.FocusReason.OtherFocusReason
            )

    def _on_table_opened(self, _index: object) -> None:
        current = self.table.current_cell()
        if current.isValid():
            self.game_requested.emit(self.model.entry(current.row()).game_id)

    def _fit(self) -> None:
        run = self._run
        above = self.bar.needed_height + self.facts.sizeHint().height()
        has_room = self.height() >= above + self._theme.fonts.scaled(_LEAST_BELOW)
        self.facts.setVisible(run is not None and bool(run.done.bets) and has_room)
        has_course = run is not None and run.summary.settled > 0
        self.chart.setVisible(has_course and self.height() >= _LEAST_FOR_CHART)
        self.chart.fit_chart(self.height() * 3 // 10)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _back_bar(back: QPushButton, opened: ElidedLabel) -> QWidget:
    bar = QWidget()
    bar.setProperty("variant", "bar")
    bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    line = horizontal(bar, margins=(LEAD, HALF, LEAD, HALF), spacing=STEP)
    line.addWidget(back)
    line.addWidget(opened, 1)
    return bar


def _told(found: BacktestFound) -> list[str]:
    """Return the notes: what is missing, then the coverage of the log."""
    done, question = found.done, found.question
    covered = covered_lines(done, question, day_text)
    noted = notes(done, question, moment_text, day_text, translated)
    return [*map(translated, (*noted, *covered))]


def _judge(found: BacktestFound) -> Fact:
    covered = found.done.coverage
    priced = ngettext(
        "priced {priced:,} of {count:,} game", "priced {priced:,} of {count:,} games", covered.games
    ).format(priced=num(covered.priced), count=num(covered.games))
    if covered.last_priced_ms is not None:
        priced = _("{priced}, until {day}").format(
            priced=priced, day=day_text(covered.last_priced_ms)
        )
    return Fact(_("Sharp book"), found.question.judged_by, priced)


def _grid_notes(found: BacktestsFound) -> list[str]:
    """Return what was compared, why some have no bets, and what the log covers by sharp book."""
    close = found.runs[0].question.close
    without = (_told(run)[0] for run in found.runs if not run.done.bets)
    covered = shared_coverage([(run.done, run.question) for run in found.runs], day_text)
    return [
        *comparison_lines(found),
        clv_text(close),
        *dict.fromkeys(without),
        *map(translated, covered),
    ]


def _facts(run: BacktestFound) -> list[Fact]:
    found, bankroll = run.summary, run.done.bankroll
    profit = "–" if found.profit is None else signed_hundredths_text(found.profit)
    facts = [
        Fact(
            _("Bets"),
            f"{num(found.bets):,}",
            _("{count:,} with a result").format(count=num(found.settled)),
        ),
        Fact(_("Profit"), profit, _between(found.profit_range, _IN_UNITS)),
        Fact(_("Yield"), _percent(found.yield_pct), _yield_words(found)),
        Fact(
            _("Closing line"),
            _percent(found.clv_pct),
            _("{interval}, of {count:,}").format(
                interval=_between(found.clv_range, _IN_PERCENT), count=num(found.clv_bets)
            ),
        ),
    ]
    if bankroll is None:
        worst = signed_hundredths_text(run.drawdown) if found.settled else "–"
        facts.append(Fact(_("Drawdown"), worst, pgettext("a drawdown", "worst")))
    else:
        grown = _("{growth} % from {start:,.10g} units").format(
            growth=signed_text(bankroll.growth_pct), start=num(bankroll.start)
        )
        facts += [
            Fact(_("Bankroll"), f"{num(bankroll.end):,.2f}", grown),
            Fact(
                _("Drawdown"),
                signed_hundredths_text(bankroll.drawdown),
                _("worst, or {percent} %").format(percent=signed_text(bankroll.drawdown_pct)),
            ),
        ]
    return [*facts, _judge(run)]


def _yield_words(found: Summary) -> str:
    """Return the interval of the yield; if most bets have no result, first how many have one."""
    interval = _between(found.yield_range, _IN_PERCENT)
    if found.settled * 2 >= found.bets:
        return interval
    return ngettext(
        "of {settled:,} of {count:,} bet, {interval}",
        "of {settled:,} of {count:,} bets, {interval}",
        found.bets,
    ).format(settled=num(found.settled), count=num(found.bets), interval=interval)


_IN_UNITS: Final = _("95 %: {low} to {high} units")
_IN_PERCENT: Final = _("95 %: {low} to {high} %")


def _between(ends: Ends, text: str) -> str:
    low, high = ends
    if low is None or high is None:
        return _("too few games for an interval")
    return text.format(low=signed_text(low), high=signed_text(high))


def _percent(figure: float | None) -> str:
    return "–" if figure is None else f"{signed_text(figure)} %"


_UNKNOWN: Final = pgettext("the result of a bet", "unknown")


def _result(bet: PlacedBet, _now: int) -> Cell:
    if bet.result is None:
        return Cell(_UNKNOWN, TextRole.NOTE)
    return Cell(translated(bet.result.words), TextRole.SOFT)


COLUMNS: Final[tuple[ColumnSpec[PlacedBet, int], ...]] = (
    ColumnSpec(
        "placed_at",
        N_("Placed"),
        Column("26 Nov 2024 18:30", Align.LEFT),
        lambda bet, _now: Cell(moment_text(bet.placed_at), TextRole.NOTE),
        lambda bet: bet.placed_at,
        tip=_("Time of the bet in the log"),
        sample=lambda: day_sample(year=True),
    ),
    bet_cells.OUTCOME,
    bet_cells.MARKET,
    ColumnSpec(
        "bookmaker",
        N_("Bookmaker"),
        Column("William Hill", Align.LEFT, stretches=True, widest="Betfair Exchange second"),
        lambda bet, _now: Cell(bet.bookmaker, TextRole.SOFT),
        lambda bet: bet.bookmaker.casefold(),
        tip=_("Bookmaker of the price"),
    ),
    ColumnSpec(
        "odds",
        N_("Odds"),
        Column("", note_sample="8.888", hangs=True),
        bet_cells.odds_cell,
        lambda bet: bet.odds,
        descending_first=True,
        sample=odds_sample,
        tip=_("Odds, and after commission or tax"),
    ),
    ColumnSpec(
        "ev",
        N_("EV"),
        Column("+100.0 %", note_sample=f"~ {PER_DECIDED}"),
        bet_cells.ev_cell,
        bet_cells.or_lowest(lambda bet: bet.ev),
        descending_first=True,
        tip=_("EV after commission at that moment; {mark} {meaning}").format(
            mark=PER_DECIDED, meaning=translated(PER_DECIDED_TEXT)
        ),
        priority=Priority.EXTRA,
    ),
    bet_cells.CLV,
    ColumnSpec(
        "stake",
        N_("Stake"),
        Column("1,000.00"),
        lambda bet, _now: Cell(f"{num(bet.stake):,.2f}", TextRole.SOFT),
        lambda bet: bet.stake,
        descending_first=True,
        tip=_("In units"),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "result",
        N_("Result"),
        Column(_UNKNOWN, Align.LEFT),
        _result,
        lambda bet: "" if bet.result is None else bet.result.value,
        tip=_("Result of the bet, if the game's result is known"),
        priority=Priority.EXTRA,
    ),
    ColumnSpec(
        "profit",
        N_("Profit"),
        Column("+1,000.00"),
        lambda bet, _now: bet_cells.profit_cell(bet.profit),
        bet_cells.or_lowest(lambda bet: bet.profit),
        descending_first=True,
        tip=_("After commission"),
    ),
)


class BacktestModel(StableRowsModel[tuple[int], PlacedBet]):
    """The bets of a backtest in the order placed."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)
