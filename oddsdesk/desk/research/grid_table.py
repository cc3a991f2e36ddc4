"""The table of backtests that are compared: a row for each method, sharp book and least EV."""

from collections.abc import Callable
from typing import Final

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, pgettext, translated
from oddsdesk.board.valuation.verdict_words import method_title
from oddsdesk.desk.bet_cells import profit_cell
from oddsdesk.desk.export.files import ExportColumn, Table
from oddsdesk.desk.research.log import BacktestFound, BacktestsFound
from oddsdesk.desk.ui.formatting import signed_hundredths_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.devig import METHODS
from oddsdesk.research.backtest_summary import summary_fields
from oddsdesk.research.grids import best_lines

_LOWEST: Final = float("-inf")
_INTERVAL: Final = "−88.88..+88.88"
Ends = tuple[float | None, float | None]


def run_words(run: BacktestFound) -> str:
    """Return what sets a backtest apart from those it is compared with."""
    named = [method_title(run.question.method), run.question.reference]
    if run.least_ev is not None:
        named.append(_("EV from {evs} %").format(evs=f"{num(run.least_ev):g}".replace("-", "−")))
    return ", ".join(named)


def comparison_lines(found: BacktestsFound) -> list[str]:
    """Return how many combinations were compared, and how sure the best of them is."""
    best = best_lines(found.best, [run_words(run) for run in found.runs])
    return [
        _("{count} combinations compared").format(count=len(found.runs)),
        *(translated(line).rstrip(".") for line in best),
    ]


def _percent(figure: float | None, ends: Ends) -> Cell:
    """Return a figure with its interval; faint if it has none."""
    if figure is None:
        return Cell("", TextRole.NOTE)
    low, high = ends
    if low is None or high is None:
        return Cell(
            f"{signed_hundredths_text(figure)} %",
            TextRole.NOTE,
            note=pgettext("games for an interval", "too few"),
        )
    ink = TextRole.UP if low > 0 else TextRole.DOWN if high < 0 else TextRole.SOFT
    between = f"{signed_hundredths_text(low)}..{signed_hundredths_text(high)}"
    return Cell(f"{signed_hundredths_text(figure)} %", ink, note=between, is_strong=True)


def _interval_text(ends: Ends) -> str:
    low, high = ends
    if low is None or high is None:
        return _("Too few games for an interval")
    return _("95 % interval {low} to {high} %").format(
        low=signed_hundredths_text(low), high=signed_hundredths_text(high)
    )


def _or_lowest(figure: float | None) -> float:
    return _LOWEST if figure is None else figure


_CONTRACT: Final = pgettext("the least EV", "contract")


def _least_ev(run: BacktestFound, _now: int) -> Cell:
    if run.least_ev is None:
        return Cell(_CONTRACT, TextRole.NOTE)
    return Cell(f"{num(run.least_ev):g} %".replace("-", "−"), TextRole.SOFT)


_LONGEST_METHOD: Final = max(map(method_title, METHODS), key=len)

COLUMNS: Final[tuple[ColumnSpec[BacktestFound, int], ...]] = (
    ColumnSpec(
        "method",
        N_("Devig method"),
        Column(
            _LONGEST_METHOD,
            Align.LEFT,
            stretches=True,
            widest=f"{_LONGEST_METHOD} 8",
            narrow="Shin",
        ),
        lambda run, _now: Cell(method_title(run.question.method), TextRole.STRONG, is_strong=True),
        lambda run: run.question.method,
        tip=_("How the sharp book's margin is removed"),
    ),
    ColumnSpec(
        "reference",
        "Sharp book",
        Column(_("Pinnacle"), Align.LEFT, stretches=True, widest="Betfair Exchange UK"),
        lambda run, _now: Cell(run.question.reference, TextRole.SOFT),
        lambda run: run.question.reference.casefold(),
        tip=_("Fair odds come from this bookmaker"),
    ),
    ColumnSpec(
        "least_ev",
        N_("Least EV"),
        Column(_CONTRACT),
        _least_ev,
        lambda run: _or_lowest(run.least_ev),
        tip=_("Only prices with this EV or more are bet on; contract: the contract's minimum"),
    ),
    ColumnSpec(
        "bets",
        N_("Bets"),
        Column("88,888"),
        lambda run, _now: Cell(f"{num(run.summary.bets):,}", TextRole.SOFT),
        lambda run: run.summary.bets,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_("Number of bets with a stake"),
    ),
    ColumnSpec(
        "profit",
        N_("Profit"),
        Column("+1,000.00"),
        lambda run, _now: profit_cell(run.summary.profit),
        lambda run: _or_lowest(run.summary.profit),
        descending_first=True,
        tip=_("In units, after commission"),
        priority=Priority.USEFUL,
    ),
    ColumnSpec(
        "yield",
        N_("Yield"),
        Column("+88.88 %", note_sample=_INTERVAL),
        lambda run, _now: _percent(run.summary.yield_pct, run.summary.yield_range),
        lambda run: _or_lowest(run.summary.yield_pct),
        descending_first=True,
        tip=_("Profit in percent of stakes, with the 95 % interval of this row alone"),
        cell_tip=lambda run, _now: _interval_text(run.summary.yield_range),
    ),
    ColumnSpec(
        "clv",
        N_("CLV"),
        Column("+88.88 %", note_sample=_INTERVAL),
        lambda run, _now: _percent(run.summary.clv_pct, run.summary.clv_range),
        lambda run: _or_lowest(run.summary.clv_pct),
        descending_first=True,
        tip=_("Mean closing line value, with the 95 % interval of this row alone"),
        cell_tip=lambda run, _now: _interval_text(run.summary.clv_range),
    ),
    ColumnSpec(
        "closes",
        N_("Closes"),
        Column("88,888"),
        lambda run, _now: Cell(f"{num(run.summary.clv_bets):,}", TextRole.NOTE),
        lambda run: run.summary.clv_bets,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_("Number of bets with a closing line"),
        priority=Priority.EXTRA,
    ),
)
_CLV: Final = [column.key for column in COLUMNS].index("clv")


class GridModel(StableRowsModel[tuple[int], BacktestFound]):
    """The backtests that are compared, the highest CLV on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, _CLV, clock)

    def tip(self, row: int, column: int) -> str:
        """Return the interval of a figure."""
        return COLUMNS[column].cell_tip(self.entry(row), self._clock())

    def exported(self) -> Table:
        """Return the rows in their order, each figure with its interval."""
        runs = [self.entry(row) for row in range(self.rowCount())]
        fields = [
            {
                "method": run.question.method,
                "reference": run.question.reference,
                "least_ev": run.least_ev,
                **summary_fields(run.summary),
            }
            for run in runs
        ]
        names = list(fields[0]) if fields else []
        texts = {"method", "reference"}
        columns = tuple(
            ExportColumn(name, name.replace("_", " "), Kind.TEXT if name in texts else Kind.NUMBER)
            for name in names
        )
        table = Table(columns, [list(row.values()) for row in fields])
        if not runs:
            return table
        by = runs[0].question.close
        return table.with_shared(
            close_reference=by.reference, close_method=by.method, comparisons=str(len(runs))
        )
