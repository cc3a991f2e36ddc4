"""The value bets as rows: true EV beside the service's, stake, and what was placed."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from oddsdesk.board.explanation_text import method_title
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.last_seen import LastSeen
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.value_entry import Standing, ValueEntry
from oddsdesk.clock import Clock
from oddsdesk.contract.markets import MARKET_RANK
from oddsdesk.desk.ui.formatting import (
    beside_text,
    exact_odds_text,
    odds_sample,
    odds_text,
    signed_text,
    window_sample,
    window_text,
)
from oddsdesk.desk.ui.table.cells import EMPTY, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel, struck
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import local_time, span_text
from oddsdesk.desk.value_bets.cells import (
    BOOKMAKER_WIDTH,
    MARKET_WIDTH,
    SELECTION_WIDTH,
    age_cell,
    ev_cell,
    market_text,
    paled,
    seen_cell,
)
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.stakes import Bound, Stake

_FALLEN: Final = {
    Standing.WITHDRAWN: "Gone: the bookmaker offers this price no more",
    Standing.MOVED: "Gone: prices moved since, and this one lies outside its window now",
    Standing.NO_REFERENCE: "Gone: the reference offers its price no more",
    Standing.OTHER_STATE: "Not compared: one of bookmaker and reference is in play, one is not",
}
_OLD: Final = {
    Freshness.STALE: "stale: not read for several of the bookmaker's turns",
    Freshness.DEAD: "dead: not read for ten minutes",
}


def bet_tip(entry: ValueEntry, seen: LastSeen, now_ms: int) -> str:
    """Return all that is known of a bet, columns that have no room included."""
    return "\n".join(_facts(entry, seen, now_ms))


def why_no_stake(entry: ValueEntry, seen: LastSeen) -> str:
    """Return why nothing should be staked on a bet now, empty where something may."""
    if entry.standing is not Standing.HOLDS:
        return f"No stake. {_FALLEN[entry.standing]}."
    if seen.freshness >= Freshness.STALE:
        return f"No stake: the price is {_OLD[seen.freshness]}."
    return ""


def method_note(entry: ValueEntry, method: str) -> str:
    """Return by which method a true EV is, where it is not the user's; else nothing."""
    if entry.true_ev is None or entry.method == method:
        return ""
    return (
        f"True EV by {_name(entry.method)}: {_name(method)} needs the prices of all outcomes, "
        "which are read while the game is open"
    )


def _facts(entry: ValueEntry, seen: LastSeen, now_ms: int) -> Iterator[str]:
    bet = entry.bet
    yield f"{bet.selection} at {bet.bookmaker}: {exact_odds_text(entry.odds)}"
    if entry.standing is not Standing.HOLDS:
        yield _FALLEN[entry.standing]
    yield (
        f"Reference {exact_odds_text(bet.reference_odds)}, "
        f"its margin {(bet.payout_rate - 1) * 100:.2f} %"
    )
    if entry.odds != bet.odds:
        yield f"The service lists it at {exact_odds_text(bet.odds)}"
    yield f"Service EV {signed_text(bet.ev_pct)} %"
    yield f"Window {window_text(entry.value_from, entry.suspicious_above)}"
    if bet.liquidity is not None:
        yield f"The reference takes up to {bet.liquidity:,.0f}"
    yield seen_text(seen, now_ms)
    yield f"Detected {local_time(entry.detected_at):%H:%M:%S}"


def seen_text(seen: LastSeen, now_ms: int) -> str:
    """Return when a price was last seen, in a sentence."""
    ago = span_text(now_ms - seen.at)
    old = f", {_OLD[seen.freshness]}" if seen.freshness in _OLD else ""
    if seen.is_known:
        return f"Seen {ago} ago{old}"
    return f"Listed {ago} ago{old}; open the game to see when the bookmaker was read"


def _name(method: str) -> str:
    return method_title(method).lower()


_LOWEST: Final = float("-inf")
_NO_STAKE: Final = Cell("–", TextRole.NOTE)
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
    seen_at: int = 0
    """When the price was last seen as the row was made."""


class ValuesModel(StableRowsModel[RowKey, ValueRow]):
    """Value bets, highest true EV first until the user sorts otherwise; they pale with age."""

    def __init__(
        self, clock: Clock, last_seen: Callable[[RowKey], LastSeen], method: Callable[[], str]
    ) -> None:
        super().__init__(COLUMNS, EV_COLUMN, clock)
        self._last_seen = last_seen
        self._method = method

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if self.is_gone(row):
            return cell
        shown, now = self.entry(row), self._clock()
        entry = shown.entry
        if entry.standing is not Standing.HOLDS:
            is_blank = column == STAKE_COLUMN and not shown.placed
            return _NO_STAKE if is_blank else struck(cell)
        seen = self._last_seen(entry.key)
        if column == SEEN_COLUMN:
            return seen_cell(seen, now)
        if column == STAKE_COLUMN and not shown.placed and seen.freshness >= Freshness.STALE:
            return _NO_STAKE
        if column == EV_COLUMN and method_note(entry, self._method()):
            cell = cell._replace(text=f"≈ {cell.text}", ink=TextRole.SOFT, is_strong=False)
        is_struck = column == ODDS_COLUMN and seen.freshness is Freshness.DEAD
        return paled(cell, seen.freshness, now)._replace(is_struck=is_struck)

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return "Gone: it is no value bet any more"
        shown, now = self.entry(row), self._clock()
        seen = self._last_seen(shown.entry.key)
        if column == STAKE_COLUMN:
            return _stake_tip(shown, why_no_stake(shown.entry, seen))
        note = method_note(shown.entry, self._method())
        said = bet_tip(shown.entry, seen, now)
        return f"{said}\n{note}" if note else said


def _stake_tip(row: ValueRow, why_none: str) -> str:
    """Return how a stake came about, or why there is none; and what was placed."""
    said = [
        f"Placed {bet.stake:.2f} at {exact_odds_text(bet.odds)}, {local_time(bet.placed_at):%H:%M}"
        for bet in row.placed
    ]
    stake = row.stake
    if why_none:
        said.append(why_none)
    elif stake is not None:
        said.append(
            f"Edge over the fair price {stake.edge * 100:+.2f} %, "
            f"full Kelly {stake.full_kelly * 100:.2f} % of the bankroll"
        )
        said.append(f"Stake {stake.amount:.2f}{_BOUNDS[stake.bound]}")
    return "\n".join(said)


def _selection(row: ValueRow, _now: int) -> Cell:
    bet = row.entry.bet
    beside = beside_text(bet.selection, bet.match_name)
    return Cell(bet.selection, is_strong=True, note=f"live · {beside}" if row.is_live else beside)


def _odds(row: ValueRow, _now: int) -> Cell:
    return Cell(odds_text(row.entry.odds), is_strong=True, arrow=row.direction)


def _window(row: ValueRow, _now: int) -> Cell:
    if row.entry.true_fair is None:
        return Cell("–", TextRole.NOTE)
    return Cell(window_text(row.entry.value_from, row.entry.suspicious_above), TextRole.SOFT)


def _stake(row: ValueRow, _now: int) -> Cell:
    if row.placed:
        return Cell(
            f"✓ {sum(bet.stake for bet in row.placed):.2f}", TextRole.ACCENT, is_strong=True
        )
    if row.stake is None:
        return EMPTY
    return Cell(f"{row.stake.amount:.2f}", TextRole.STRONG if row.stake.amount else TextRole.NOTE)


def _limit(row: ValueRow, _now: int) -> Cell:
    limit = row.entry.bet.liquidity
    return EMPTY if limit is None else Cell(f"{limit:,.0f}", TextRole.SOFT)


def _or_lowest(figure: float | None) -> float:
    return _LOWEST if figure is None else figure


COLUMNS: Final[tuple[ColumnSpec[ValueRow, int], ...]] = (
    ColumnSpec(
        "selection",
        "Selection",
        SELECTION_WIDTH,
        _selection,
        lambda row: (row.entry.bet.selection.casefold(), row.entry.bet.match_name),
    ),
    ColumnSpec(
        "market_type",
        "Market",
        MARKET_WIDTH,
        lambda row, _now: Cell(market_text(*_market_of(row)), TextRole.SOFT),
        lambda row: (
            MARKET_RANK.get(row.entry.bet.market_type, len(MARKET_RANK)),
            row.entry.bet.period,
        ),
    ),
    ColumnSpec(
        "bookmaker",
        "Bookmaker",
        BOOKMAKER_WIDTH,
        lambda row, _now: Cell(row.entry.bet.bookmaker),
        lambda row: row.entry.bet.bookmaker.casefold(),
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", has_arrow=True, hangs=True),
        _odds,
        lambda row: row.entry.odds,
        descending_first=True,
        sample=odds_sample,
    ),
    ColumnSpec(
        "true_ev_pct",
        "True EV",
        Column("+10.00 %"),
        lambda row, _now: ev_cell(row.entry.true_ev),
        lambda row: _or_lowest(row.entry.true_ev),
        descending_first=True,
        tip="The edge over the fair price by your devig method, safety floor included",
    ),
    ColumnSpec(
        "service_ev_pct",
        "Service",
        Column("+10.00 %", drops=3),
        lambda row, _now: Cell(f"{signed_text(row.entry.bet.ev_pct)} %", TextRole.NOTE),
        lambda row: row.entry.bet.ev_pct,
        descending_first=True,
        tip="The edge as the service states it",
    ),
    ColumnSpec(
        "window",
        "Window",
        Column("", drops=4),
        _window,
        lambda row: _or_lowest(row.entry.value_from),
        descending_first=True,
        tip="From which price the selection is value, and above which it is suspicious; "
        "none: no price can be value by the rules",
        sample=window_sample,
    ),
    ColumnSpec(
        "stake",
        "Stake",
        Column("✓ 1,000.00"),
        _stake,
        lambda row: (bool(row.placed), 0.0 if row.stake is None else row.stake.amount),
        descending_first=True,
        tip="What to stake by your share of Kelly, or what you placed (✓)",
    ),
    ColumnSpec(
        "liquidity",
        "Limit",
        Column("100,000", drops=1),
        _limit,
        lambda row: _or_lowest(row.entry.bet.liquidity),
        descending_first=True,
        tip="The reference bookmaker's maximum bet",
    ),
    ColumnSpec(
        "detected_at",
        "Age",
        Column("59 min", drops=2),
        lambda row, now: age_cell(row.entry.detected_at, now),
        lambda row: -row.entry.detected_at,
        tip="How long ago the bet was detected",
    ),
    ColumnSpec(
        "scraped_at",
        "Seen",
        Column("≥ 59 min"),
        lambda row, now: age_cell(row.seen_at, now),
        lambda row: -row.seen_at,
        tip="How long ago the price was last seen; ≥: the service listed it so long ago, and does "
        "not say when the bookmaker was read",
    ),
)


EV_COLUMN, STAKE_COLUMN, ODDS_COLUMN, SEEN_COLUMN = (
    [column.key for column in COLUMNS].index(key)
    for key in ("true_ev_pct", "stake", "odds", "scraped_at")
)


def _market_of(row: ValueRow) -> tuple[str, str, int]:
    bet = row.entry.bet
    return bet.market_type, bet.sport, bet.period
