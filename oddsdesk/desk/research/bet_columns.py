"""The columns of a backtest's bets."""

from collections.abc import Callable
from typing import Final

from oddsdesk.board.verdict_words import PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.desk.bet_cells import (
    CLV,
    MARKET,
    OUTCOME,
    ev_cell,
    odds_cell,
    or_lowest,
    profit_cell,
    result_text,
)
from oddsdesk.desk.ui.formatting import (
    odds_sample,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.ledger.bets import PlacedBet


def _result(bet: PlacedBet, _now: int) -> Cell:
    if bet.result is None:
        return Cell("not known", TextRole.NOTE)
    return Cell(result_text(bet.result), TextRole.SOFT)


COLUMNS: Final[tuple[ColumnSpec[PlacedBet, int], ...]] = (
    ColumnSpec(
        "placed_at",
        "Bet at",
        Column("26 Nov 2024 18:30", Align.LEFT),
        lambda bet, _now: Cell(moment_text(bet.placed_at), TextRole.NOTE),
        lambda bet: bet.placed_at,
        tip="By the clock of the log",
    ),
    OUTCOME,
    MARKET,
    ColumnSpec(
        "bookmaker",
        "At",
        Column("William Hill", Align.LEFT, stretches=True, widest="Betfair Exchange second"),
        lambda bet, _now: Cell(bet.bookmaker, TextRole.SOFT),
        lambda bet: bet.bookmaker.casefold(),
        tip="Who offered the price that is bet on",
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", note_sample="8.888", hangs=True),
        odds_cell,
        lambda bet: bet.odds,
        descending_first=True,
        sample=odds_sample,
        tip="Beside them what is left after commission or tax",
    ),
    ColumnSpec(
        "ev",
        "EV",
        Column("+10.0 %", note_sample=PER_DECIDED, drops=2),
        ev_cell,
        or_lowest(lambda bet: bet.true_ev),
        descending_first=True,
        tip=f"Net, as it was reckoned at that moment; {PER_DECIDED} {PER_DECIDED_TEXT}",
    ),
    CLV,
    ColumnSpec(
        "result",
        "Result",
        Column("not known", Align.LEFT, drops=1),
        _result,
        lambda bet: "" if bet.result is None else bet.result.value,
        tip="How the bet ended, where the result of the game is known",
    ),
    ColumnSpec(
        "profit",
        "Profit",
        Column("+1,000.00"),
        lambda bet, _now: profit_cell(bet.profit),
        or_lowest(lambda bet: bet.profit),
        descending_first=True,
        tip="Of one unit, net of commission",
    ),
)


class BacktestModel(StableRowsModel[tuple[int], PlacedBet]):
    """The bets of a backtest, the first one placed on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)
