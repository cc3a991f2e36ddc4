"""The value bets as rows: true EV beside the service's, stake, and what was placed."""

from collections.abc import Callable
from typing import Final, NamedTuple

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.last_seen import LastSeen
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.value_entry import Standing, ValueEntry
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.models.figures import (
    exact_odds_text,
    odds_sample,
    odds_text,
    signed_text,
    window_sample,
    window_text,
)
from oddsdesk.desk.models.held_rows import HeldColumn, HeldRowsModel, struck
from oddsdesk.desk.models.matrix_cells import RELOOK_MS
from oddsdesk.desk.models.value_words import bet_tip, method_note, why_no_stake
from oddsdesk.desk.moments import MINUTE_MS, age_text, local_time
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.cells import EMPTY, Align, Cell, Column
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.stakes import Bound, Stake

SELECTION_WIDTH: Final = Column(
    "Minnesota Timberwolves −113.5 v",
    Align.LEFT,
    stretches=True,
    likes="Timberwolves −113.5 at Oklahoma City Thunder",
    widest="Minnesota Timberwolves −113.5 live at Oklahoma City Thunder or so",
)
MARKET_WIDTH: Final = Column(
    "Match result · 1st Quarter",
    Align.LEFT,
    stretches=True,
    widest="Both teams to score · 1st Half",
)
BOOKMAKER_WIDTH: Final = Column(
    "Betfair Exchange",
    Align.LEFT,
    stretches=True,
    likes="Betfair Exchange UK",
    widest="Betfair Exchange Australia",
)
_LOWEST: Final = float("-inf")
_AGE_INKS: Final = (Ink.SOFT, Ink.NOTE, Ink.NOTE, Ink.NOTE)
NO_STAKE: Final = Cell("–", Ink.NOTE)
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


class ValuesModel(HeldRowsModel[ValueRow]):
    """Value bets, highest true EV first until the user sorts otherwise; they pale with age."""

    def __init__(
        self, clock: Clock, sight: Callable[[RowKey], LastSeen], method: Callable[[], str]
    ) -> None:
        super().__init__(COLUMNS, EV_COLUMN, clock)
        self._sight = sight
        self._method = method

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if self.is_gone(row):
            return cell
        shown, now = self.entry(row), self._clock()
        entry = shown.entry
        if entry.standing is not Standing.HOLDS:
            is_blank = column == STAKE_COLUMN and not shown.placed
            return NO_STAKE if is_blank else struck(cell)
        seen = self._sight(entry.key)
        if column == SEEN_COLUMN:
            return seen_cell(seen, now)
        if column == STAKE_COLUMN and not shown.placed and seen.freshness >= Freshness.STALE:
            return NO_STAKE
        if column == EV_COLUMN and method_note(entry, self._method()):
            cell = cell._replace(text=f"≈ {cell.text}", ink=Ink.SOFT, is_strong=False)
        is_struck = column == ODDS_COLUMN and seen.freshness is Freshness.DEAD
        return paled(cell, seen.freshness, now)._replace(is_struck=is_struck)

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return "Gone: it is no value bet any more"
        shown, now = self.entry(row), self._clock()
        seen = self._sight(shown.entry.key)
        if column == STAKE_COLUMN:
            return stake_tip(shown, why_no_stake(shown.entry, seen))
        note = method_note(shown.entry, self._method())
        said = bet_tip(shown.entry, seen, now)
        return f"{said}\n{note}" if note else said


def stake_tip(row: ValueRow, why_none: str) -> str:
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


def seen_cell(seen: LastSeen, now_ms: int) -> Cell:
    """Return the look of when a price was last seen; ``≥``: some time before that."""
    cell = age_cell(seen.at, now_ms)
    text = cell.text if seen.is_known else f"≥ {cell.text}"
    return cell._replace(text=text, ink=_AGE_INKS[seen.freshness])


def paled(cell: Cell, freshness: Freshness, now_ms: int) -> Cell:
    """Return a cell in the brightness of its price's age."""
    if freshness is Freshness.FRESH or cell.ink in (Ink.NOTE, Ink.GHOST):
        ink = cell.ink
    else:
        ink = Ink.SOFT if freshness is Freshness.AGEING else Ink.NOTE
    return cell._replace(ink=ink, due=min(cell.due, now_ms + RELOOK_MS))


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
    return Cell(odds_text(row.entry.odds), is_strong=True, arrow=row.direction)


def _window(row: ValueRow, _now: int) -> Cell:
    if row.entry.true_fair is None:
        return Cell("–", Ink.NOTE)
    return Cell(window_text(row.entry.value_from, row.entry.suspicious_above), Ink.SOFT)


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
        SELECTION_WIDTH,
        _selection,
        lambda row: (row.entry.bet.selection.casefold(), row.entry.bet.match_name),
    ),
    HeldColumn(
        "Market",
        MARKET_WIDTH,
        lambda row, _now: Cell(market_text(*_market_of(row)), Ink.SOFT),
        lambda row: (
            MARKET_RANK.get(row.entry.bet.market_type, len(MARKET_RANK)),
            row.entry.bet.period,
        ),
    ),
    HeldColumn(
        "Bookmaker",
        BOOKMAKER_WIDTH,
        lambda row, _now: Cell(row.entry.bet.bookmaker),
        lambda row: row.entry.bet.bookmaker.casefold(),
    ),
    HeldColumn(
        "Odds",
        Column("", has_arrow=True, hangs=True),
        _odds,
        lambda row: row.entry.odds,
        True,
        sample=odds_sample,
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
        Column("+10.00 %", drops=3),
        lambda row, _now: Cell(f"{signed_text(row.entry.bet.ev_pct)} %", Ink.NOTE),
        lambda row: row.entry.bet.ev_pct,
        True,
        "The edge as the service states it",
    ),
    HeldColumn(
        "Window",
        Column("", drops=4),
        _window,
        lambda row: _or_lowest(row.entry.value_from),
        True,
        "From which price the selection is value, and above which it is suspicious; "
        "none: no price can be value by the rules",
        window_sample,
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
        Column("100,000", drops=1),
        _limit,
        lambda row: _or_lowest(row.entry.bet.liquidity),
        True,
        "The reference bookmaker's maximum bet",
    ),
    HeldColumn(
        "Age",
        Column("59 min", drops=2),
        lambda row, now: age_cell(row.entry.detected_at, now),
        lambda row: -row.entry.detected_at,
        False,
        "How long ago the bet was detected",
    ),
    HeldColumn(
        "Seen",
        Column("≥ 59 min"),
        lambda row, now: age_cell(row.seen_at, now),
        lambda row: -row.seen_at,
        False,
        "How long ago the price was last seen; ≥: the service listed it so long ago, and does "
        "not say when the bookmaker was read",
    ),
)
EV_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "True EV")
STAKE_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "Stake")
ODDS_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "Odds")
SEEN_COLUMN: Final = next(i for i, column in enumerate(COLUMNS) if column.title == "Seen")


def _market_of(row: ValueRow) -> tuple[str, str, int]:
    bet = row.entry.bet
    return bet.market_type, bet.sport, bet.period
