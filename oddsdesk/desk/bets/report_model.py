"""The table of a report: a row for each bookmaker, sport, market, preset or month."""

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import Qt

from oddsdesk.board.verdict_words import FLOOR_TEXT
from oddsdesk.desk.bet_cells import profit_cell
from oddsdesk.desk.ui.formatting import signed_hundredths_text, signed_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec, Kind
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.reporting import Grouping, luck_text
from oddsdesk.pricing.reports import MOST_EXACT, Report

ReportRow = tuple[str, Report]
"""What the row is of, and its report."""
_LOWEST: Final = float("-inf")


def _figure(
    key: str,
    title: str,
    sample: str,
    value: Callable[[Report], float | None],
    text: Callable[[float], str],
    *,
    known: Callable[[Report], int] | None = None,
    drops: int = 0,
    tip: str = "",
) -> ColumnSpec[ReportRow, int]:
    """``known`` says of how many bets the figure is, where it may be of some."""

    def cell(row: ReportRow, _now: int) -> Cell:
        figure, found = value(row[1]), row[1]
        if figure is None:
            return Cell("", TextRole.SOFT)
        count = found.bets if known is None else known(found)
        note = f"of {count:,}" if count < found.bets else ""
        return Cell(text(figure), TextRole.SOFT, note=note)

    def order(row: ReportRow) -> float:
        figure = value(row[1])
        return _LOWEST if figure is None else figure

    return ColumnSpec(
        key,
        title,
        Column(sample, drops=drops)
        if known is None
        else Column(sample, note_sample="of 1,000", drops=drops, narrow=""),
        cell,
        lambda row: value(row[1]),
        kind=Kind.NUMBER,
        order=order,
        descending_first=True,
        tip=tip,
    )


def _percent(figure: float) -> str:
    return f"{signed_text(figure)} %"


def _profit(row: ReportRow, _now: int) -> Cell:
    return profit_cell(row[1].profit)


COLUMNS: Final[tuple[ColumnSpec[ReportRow, int], ...]] = (
    ColumnSpec(
        "of",
        "Of",
        Column("Betfair Exchange", Align.LEFT, stretches=True, widest="Both teams to score or so"),
        lambda row, _now: Cell(row[0], TextRole.STRONG, is_strong=True),
        lambda row: row[0],
        order=lambda row: row[0].casefold(),
        tip="What the bets of a row have in common",
    ),
    _figure(
        "bets",
        "Bets",
        "1,000",
        lambda found: found.bets,
        lambda count: f"{count:,}",
        tip="How many bets were settled",
    ),
    _figure(
        "staked",
        "Staked",
        "10,000.00",
        lambda found: found.staked,
        "{:,.2f}".format,
        tip="Stakes of those bets together",
    ),
    ColumnSpec(
        "profit",
        "Profit",
        Column("+1,000.00"),
        _profit,
        lambda row: row[1].profit,
        kind=Kind.NUMBER,
        descending_first=True,
        tip="Net of commission",
    ),
    _figure(
        "yield_pct",
        "Yield",
        "+10.0 %",
        lambda found: found.yield_pct,
        _percent,
        tip="Profit in percent of what was staked",
    ),
    _figure(
        "expected",
        "Expected",
        "+1,000.00",
        lambda found: found.expected if found.expected_bets else None,
        signed_hundredths_text,
        known=lambda found: found.expected_bets,
        drops=4,
        tip="What the EV promised when the bets were placed; of how many, where not of all",
    ),
    _figure(
        "clv_pct",
        "CLV",
        "+10.0 %",
        lambda found: found.clv_pct,
        _percent,
        known=lambda found: found.clv_bets,
        tip="Mean closing line value of the bets with a closing line; how many, where not all; "
        + FLOOR_TEXT,
    ),
    _figure(
        "beaten_pct",
        "Beaten",
        "100 %",
        lambda found: found.beaten_pct,
        "{:.0f} %".format,
        drops=3,
        tip="How many of those beat the close",
    ),
    _figure(
        "drawdown",
        "Drawdown",
        "−1,000.00",
        lambda found: found.drawdown.depth,
        signed_hundredths_text,
        drops=2,
        tip="The deepest fall of the profit below a peak",
    ),
    _figure(
        "z",
        "z",
        "−10.0",
        lambda found: found.z,
        lambda figure: f"{figure:.1f}".replace("-", "−"),
        tip="Profit in standard deviations of what bets without an edge do by chance; of up to "
        f"{MOST_EXACT} outcomes it would say little",
    ),
    ColumnSpec(
        "luck",
        "Luck or skill",
        Column("about one in 100 as bad by chance", Align.LEFT, drops=1),
        lambda row, _now: Cell(luck_text(row[1]), TextRole.NOTE),
        lambda row: luck_text(row[1]),
        tip="How often bets without an edge do as well, or as badly, by chance. Nested lines of a "
        "game count as one outcome; about: different markets of a game count as independent",
    ),
)
_OF, _STAKED = ([column.key for column in COLUMNS].index(key) for key in ("of", "staked"))


class ReportModel(StableRowsModel[tuple[str], ReportRow]):
    """The reports of a view, by what they are of; the highest turnover first."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, _STAKED, clock)

    def order_by(self, grouping: Grouping) -> None:
        """Begin with the order that suits a report: the last month first, else most staked."""
        self._sorted_by = _OF if grouping is Grouping.MONTH else _STAKED
        self._descending = True
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def exported(self) -> list[list[Any]]:
        """Return the rows as they stand, a value a column."""
        rows = [self.entry(row) for row in range(self.rowCount())]
        return [[column.export_value(row) for column in COLUMNS] for row in rows]
