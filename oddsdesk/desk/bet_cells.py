"""How a placed bet is shown in a row, of the user's own and of a backtest's alike."""

from collections.abc import Callable
from typing import Final

from oddsdesk.board.verdict_words import FLOOR_TEXT, PER_DECIDED, PER_DECIDED_TEXT
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.ui.formatting import (
    beside_text,
    edge_text,
    exact_odds_text,
    odds_text,
    signed_hundredths_text,
    signed_text,
    untold_text,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.results import Result

_LOWEST: Final = float("-inf")


def result_text(result: Result) -> str:
    """Return a result as people say it."""
    return result.value.replace("_", " ")


def stake_text(bet: PlacedBet) -> str:
    """Return a bet's stake with its currency."""
    return f"{bet.stake:,.2f}{f' {bet.currency}' if bet.currency else ''}"


def market_and_game(bet: PlacedBet) -> str:
    """Return what a selection is of, as far as that is known."""
    game = beside_text("", bet.match_name) if bet.match_name else ""
    return ", ".join(filter(None, (_market_text(bet), game)))


def bet_named(bet: PlacedBet) -> str:
    """Return a bet in words that fit no other one: its stake, what it is on, where, its odds."""
    beside = f" ({what})" if (what := market_and_game(bet)) else ""
    odds = exact_odds_text(bet.odds)
    return f"{stake_text(bet)} on {bet.selection}{beside}, {bet.bookmaker}, odds {odds}"


def odds_cell(bet: PlacedBet, _now: int) -> Cell:
    """Return the odds of a bet, and what they pay net where that is less."""
    net = "" if bet.net == bet.odds else odds_text(bet.net)
    return Cell(odds_text(bet.odds), TextRole.STRONG, note=net)


def ev_cell(bet: PlacedBet, _now: int) -> Cell:
    """Return the EV that a bet had when it was placed."""
    unit = PER_DECIDED if bet.per == "decided" else ""
    ev = "" if bet.true_ev is None else edge_text(bet.true_ev)
    return Cell(ev, TextRole.SOFT, note=unit)


def profit_cell(profit: float | None) -> Cell:
    """Return an amount that was won or lost, nothing where that is not known."""
    if profit is None:
        return Cell("", TextRole.NOTE)
    ink = TextRole.UP if profit > 0 else TextRole.DOWN if profit < 0 else TextRole.SOFT
    return Cell(signed_hundredths_text(profit), ink, is_strong=True)


def or_lowest(value: Callable[[PlacedBet], float | None]) -> Callable[[PlacedBet], float]:
    """Return what sorts by a figure: what is not known comes after the lowest."""
    return lambda bet: _LOWEST if (found := value(bet)) is None else found


def _outcome(bet: PlacedBet, _now: int) -> Cell:
    beside = beside_text(bet.selection, bet.match_name) if bet.match_name else ""
    return Cell(bet.selection, TextRole.STRONG, note=beside, is_strong=True)


def _market_text(bet: PlacedBet) -> str:
    title = market_title(bet.market_type) if bet.market_type else ""
    part = f" · {period_label(bet.sport, bet.period)}" if bet.period else ""
    return f"{title}{part}"


def _market(bet: PlacedBet, _now: int) -> Cell:
    return Cell(_market_text(bet), TextRole.SOFT)


def _clv(bet: PlacedBet, _now: int) -> Cell:
    clv = bet.clv_pct
    if clv is not None:
        unit = PER_DECIDED if bet.clv_per == "decided" else ""
        return Cell(f"{signed_text(clv)} %", TextRole.UP if clv > 0 else TextRole.DOWN, note=unit)
    if bet.close is None:
        return Cell("", TextRole.NOTE)
    return Cell("line moved" if bet.close.moved_to else "no close", TextRole.NOTE)


OUTCOME: Final = ColumnSpec[PlacedBet, int](
    "outcome",
    "Outcome",
    Column(
        "Wolverhampton −0.75 at L",
        Align.LEFT,
        stretches=True,
        likes="Wolverhampton −0.75 at Nottingham Forest",
        widest="Minnesota Timberwolves −113.5 at Oklahoma City Thunder or so",
        before_others="Home Over 113.5 Minneso",
        narrow="Over 113.5 v O",
    ),
    _outcome,
    lambda bet: (bet.selection.casefold(), bet.match_name),
    tip="What was bet on, and the game",
)
MARKET: Final = ColumnSpec[PlacedBet, int](
    "market",
    "Market",
    Column("Match result · 1st", Align.LEFT, drops=4),
    _market,
    lambda bet: (MARKET_RANK.get(bet.market_type, len(MARKET_RANK)), bet.period),
    in_short=lambda bet: untold_text(
        bet.market_type, bet.sport, bet.period, bet.selection, bet.match_name
    ),
)
CLV: Final = ColumnSpec[PlacedBet, int](
    "clv",
    "CLV",
    Column("line moved", note_sample=PER_DECIDED),
    _clv,
    or_lowest(lambda bet: bet.clv_pct),
    descending_first=True,
    tip="Closing line value per unit staked: net odds over the fair close of one reference, whoever"
    f" judged the bet; {PER_DECIDED} {PER_DECIDED_TEXT}; {FLOOR_TEXT}",
)
