"""The columns of a backtest's bets."""

from collections.abc import Callable
from typing import Final

from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.ui.formatting import (
    beside_text,
    odds_sample,
    odds_text,
    signed_hundredths_text,
    signed_text,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.ledger.bets import PlacedBet

_LOWEST: Final = float("-inf")


def _outcome(bet: PlacedBet, _now: int) -> Cell:
    beside = beside_text(bet.selection, bet.match_name)
    return Cell(bet.selection, TextRole.STRONG, note=beside, is_strong=True)


def _market(bet: PlacedBet, _now: int) -> Cell:
    part = f" · {period_label(bet.sport, bet.period)}" if bet.period else ""
    return Cell(f"{market_title(bet.market_type)}{part}", TextRole.SOFT)


def _odds(bet: PlacedBet, _now: int) -> Cell:
    net = "" if bet.net == bet.odds else odds_text(bet.net)
    return Cell(odds_text(bet.odds), TextRole.STRONG, note=net)


def _ev(bet: PlacedBet, _now: int) -> Cell:
    return Cell("" if bet.true_ev is None else f"{signed_text(bet.true_ev)} %", TextRole.SOFT)


def _clv(bet: PlacedBet, _now: int) -> Cell:
    clv = bet.clv_pct
    if clv is not None:
        return Cell(f"{signed_text(clv)} %", TextRole.UP if clv > 0 else TextRole.DOWN)
    why = "" if bet.close is None else bet.close.why
    return Cell("line moved" if why == "the line moved" else "no close", TextRole.NOTE)


def _result(bet: PlacedBet, _now: int) -> Cell:
    if bet.result is None:
        return Cell("not known", TextRole.NOTE)
    return Cell(bet.result.value.replace("_", " "), TextRole.SOFT)


def _profit(bet: PlacedBet, _now: int) -> Cell:
    profit = bet.profit
    if profit is None:
        return Cell("", TextRole.NOTE)
    ink = TextRole.UP if profit > 0 else TextRole.DOWN if profit < 0 else TextRole.SOFT
    return Cell(signed_hundredths_text(profit), ink, is_strong=True)


def _or_lowest(value: Callable[[PlacedBet], float | None]) -> Callable[[PlacedBet], float]:
    return lambda bet: _LOWEST if (found := value(bet)) is None else found


COLUMNS: Final[tuple[ColumnSpec[PlacedBet, int], ...]] = (
    ColumnSpec(
        "placed_at",
        "Bet at",
        Column("26 Nov 2024 18:30", Align.LEFT),
        lambda bet, _now: Cell(moment_text(bet.placed_at), TextRole.NOTE),
        lambda bet: bet.placed_at,
        tip="By the clock of the log",
    ),
    ColumnSpec(
        "outcome",
        "Outcome",
        Column(
            "Wolverhampton −0.75 at L",
            Align.LEFT,
            stretches=True,
            likes="Wolverhampton −0.75 at Nottingham Forest",
            widest="Minnesota Timberwolves −113.5 at Oklahoma City Thunder or so",
        ),
        _outcome,
        lambda bet: (bet.selection.casefold(), bet.match_name),
    ),
    ColumnSpec(
        "market",
        "Market",
        Column("Match result · 1st", Align.LEFT, drops=3),
        _market,
        lambda bet: (MARKET_RANK.get(bet.market_type, len(MARKET_RANK)), bet.period),
    ),
    ColumnSpec(
        "bookmaker",
        "At",
        Column("William Hill", Align.LEFT, stretches=True, widest="Betfair Exchange second"),
        lambda bet, _now: Cell(bet.bookmaker, TextRole.SOFT),
        lambda bet: bet.bookmaker.casefold(),
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", note_sample="8.888", hangs=True),
        _odds,
        lambda bet: bet.odds,
        descending_first=True,
        sample=odds_sample,
        tip="Beside them what is left after commission or tax",
    ),
    ColumnSpec(
        "ev",
        "EV",
        Column("+10.0 %", drops=2),
        _ev,
        _or_lowest(lambda bet: bet.true_ev),
        descending_first=True,
        tip="Net, as it was reckoned at that moment",
    ),
    ColumnSpec(
        "clv",
        "CLV",
        Column("line moved"),
        _clv,
        _or_lowest(lambda bet: bet.clv_pct),
        descending_first=True,
        tip="Closing line value: net odds over the fair close of the reference",
    ),
    ColumnSpec(
        "result",
        "Result",
        Column("not known", Align.LEFT, drops=1),
        _result,
        lambda bet: "" if bet.result is None else bet.result.value,
    ),
    ColumnSpec(
        "profit",
        "Profit",
        Column("+1,000.00"),
        _profit,
        _or_lowest(lambda bet: bet.profit),
        descending_first=True,
        tip="Of one unit, net of commission",
    ),
)


class BacktestModel(StableRowsModel[tuple[int], PlacedBet]):
    """The bets of a backtest, the first one placed on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)
