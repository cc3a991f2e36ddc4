"""The value bets as rows: true EV beside the service's, stake, and what was placed."""

from typing import Final, NamedTuple

from oddsdesk.board.values import ValueEntry
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.models.figures import exact_odds_text, odds_text, signed_text, window_text
from oddsdesk.desk.models.held_rows import HeldColumn, HeldRowsModel
from oddsdesk.desk.moments import MINUTE_MS, age_text, local_time
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.cells import EMPTY, Align, Cell, Column
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.stakes import Bound, Stake

_LOWEST: Final = float("-inf")
_BOUNDS: Final = {
    Bound.KELLY: "",
    Bound.CAP: ", held at the cap",
    Bound.LIMIT: ", held at the reference's limit",
    Bound.NO_EDGE: "",
    Bound.TOO_SMALL: ", less than one step",
}


class ValueRow(NamedTuple):
    """A value bet with what the user makes of it."""

    entry: ValueEntry
    stake: Stake | None
    """None where the bet has no fair price."""
    placed: tuple[PlacedBet, ...] = ()
    """What the user placed on it, oldest first."""
    is_live: bool = False
    """Whether the game is in play."""
    direction: int = 0
    """1 where the price last rose, -1 where it fell, 0 where no move was seen."""


class ValuesModel(HeldRowsModel[ValueRow]):
    """Value bets, highest true EV first until the user sorts otherwise."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(COLUMNS, EV_COLUMN, clock)

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return "Gone: it is no value bet any more"
        shown = self.entry(row)
        if column == STAKE_COLUMN:
            return stake_tip(shown)
        bet = shown.entry.bet
        return (
            f"{bet.selection} at {bet.bookmaker}: {exact_odds_text(bet.odds)}\n"
            f"Reference {exact_odds_text(bet.reference_odds)}, "
            f"its margin {(bet.payout_rate - 1) * 100:.2f} %\n"
            f"Detected {local_time(shown.entry.detected_at):%H:%M:%S}"
        )


def stake_tip(row: ValueRow) -> str:
    """Return how a stake came about, and what was placed."""
    said = [
        f"Placed {bet.stake:.2f} at {exact_odds_text(bet.odds)}, {local_time(bet.placed_at):%H:%M}"
        for bet in row.placed
    ]
    stake = row.stake
    if stake is not None:
        said.append(
            f"Edge over the fair price {stake.edge * 100:+.2f} %, "
            f"full Kelly {stake.full_kelly * 100:.2f} % of the bankroll"
        )
        said.append(f"Stake {stake.amount:.2f}{_BOUNDS[stake.bound]}")
    return "\n".join(said)


def beside_text(selection: str, match_name: str) -> str:
    """Return what a selection belongs to: the opponent, or both teams."""
    pair = teams(match_name)
    if pair is None:
        return match_name
    home, away = pair
    if selection == home:
        return f"v {away}"
    return f"at {home}" if selection == away else f"{home} v {away}"


def market_text(market_type: str, sport: str, period: int) -> str:
    """Return a market with its period, which the whole game does not need."""
    title = market_title(market_type)
    return f"{title} · {period_label(sport, period)}" if period else title


def age_cell(since_ms: int, now_ms: int) -> Cell:
    """Return the look of an age, which changes by itself."""
    age = max(0, now_ms - since_ms)
    step = MINUTE_MS if age >= MINUTE_MS else 1_000
    return Cell(age_text(age), Ink.NOTE, due=now_ms + step - age % step)


def ev_cell(true_ev: float | None) -> Cell:
    """Return the look of a true EV."""
    if true_ev is None:
        return Cell("–", Ink.NOTE)
    return Cell(f"{signed_text(true_ev)} %", Ink.VALUE, is_strong=True)


def _selection(row: ValueRow, _now: int) -> Cell:
    bet = row.entry.bet
    beside = beside_text(bet.selection, bet.match_name)
    return Cell(bet.selection, is_strong=True, note=f"live · {beside}" if row.is_live else beside)


def _odds(row: ValueRow, _now: int) -> Cell:
    return Cell(odds_text(row.entry.bet.odds), is_strong=True, arrow=row.direction)


def _stake(row: ValueRow, _now: int) -> Cell:
    if row.placed:
        return Cell(f"✓ {sum(bet.stake for bet in row.placed):.2f}", Ink.ACCENT, is_strong=True)
    if row.stake is None:
        return EMPTY
    return Cell(f"{row.stake.amount:.2f}", Ink.STRONG if row.stake.amount else Ink.NOTE)


def _limit(row: ValueRow, _now: int) -> Cell:
    limit = row.entry.bet.liquidity
    return EMPTY if limit is None else Cell(f"{limit:,.0f}", Ink.SOFT)


def _or_lowest(figure: float | None) -> float:
    return _LOWEST if figure is None else figure


COLUMNS: Final[tuple[HeldColumn[ValueRow], ...]] = (
    HeldColumn(
        "Selection",
        Column("Under 6.5 Detroit Tigers", Align.LEFT, stretches=True),
        _selection,
        lambda row: (row.entry.bet.selection.casefold(), row.entry.bet.match_name),
    ),
    HeldColumn(
        "Market",
        Column("Both teams to score 1st", Align.LEFT),
        lambda row, _now: Cell(market_text(*_market_of(row)), Ink.SOFT),
        lambda row: (
            MARKET_RANK.get(row.entry.bet.market_type, len(MARKET_RANK)),
            row.entry.bet.period,
        ),
    ),
    HeldColumn(
        "Bookmaker",
        Column("Betfair Exchange UK", Align.LEFT),
        lambda row, _now: Cell(row.entry.bet.bookmaker),
        lambda row: row.entry.bet.bookmaker.casefold(),
    ),
    HeldColumn(
        "Odds", Column("100.00", has_arrow=True), _odds, lambda row: row.entry.bet.odds, True
    ),
    HeldColumn(
        "True EV",
        Column("+10.00 %"),
        lambda row, _now: ev_cell(row.entry.true_ev),
        lambda row: _or_lowest(row.entry.true_ev),
        True,
        "The edge over the fair price by your devig method, safety floor included",
    ),
    HeldColumn(
        "Service",
        Column("+10.00 %"),
        lambda row, _now: Cell(f"{signed_text(row.entry.bet.ev_pct)} %", Ink.NOTE),
        lambda row: row.entry.bet.ev_pct,
        True,
        "The edge as the service states it",
    ),
    HeldColumn(
        "Window",
        Column("12.34 – 12.34"),
        lambda row, _now: Cell(
            window_text(row.entry.value_from, row.entry.suspicious_above), Ink.SOFT
        ),
        lambda row: _or_lowest(row.entry.value_from),
        True,
        "From which price the selection is value, and above which it is suspicious",
    ),
    HeldColumn(
        "Stake",
        Column("✓ 1,000.00"),
        _stake,
        lambda row: (bool(row.placed), 0.0 if row.stake is None else row.stake.amount),
        True,
        "What to stake by your share of Kelly, or what you placed (✓)",
    ),
    HeldColumn(
        "Limit",
        Column("100,000"),
        _limit,
        lambda row: _or_lowest(row.entry.bet.liquidity),
        True,
        "The reference bookmaker's maximum bet",
    ),
    HeldColumn(
        "Age",
        Column("59 min"),
        lambda row, now: age_cell(row.entry.detected_at, now),
        lambda row: -row.entry.detected_at,
        False,
        "How long ago the bet was detected",
    ),
)
EV_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "True EV")
STAKE_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "Stake")


def _market_of(row: ValueRow) -> tuple[str, str, int]:
    bet = row.entry.bet
    return bet.market_type, bet.sport, bet.period
