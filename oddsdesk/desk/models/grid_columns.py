"""The columns of the odds grid: what each shows of a row, and what it is sorted by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oddsdesk.board.rows import GridRow
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.desk.models.figures import fair_text, odds_text, signed_text
from oddsdesk.desk.moments import MINUTE_MS, age_text, kick_off_text
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.cells import EMPTY, Align, Cell, Column
from oddsdesk.pricing.rules import MIN_EV, edge_limit

_LAST = float("inf")

SortKey = Callable[[GridRow], Any]


@dataclass(frozen=True, slots=True)
class GridColumn:
    """One column: title, width, how a cell looks at a time, and the order it gives."""

    title: str
    column: Column
    cell: Callable[[GridRow, int], Cell]
    sort_key: SortKey
    descending_first: bool = False
    """Whether the first click on the header puts the highest on top."""
    tip: str = ""


def game_title(match_name: str) -> str:
    """Return how a game is written: ``Everton v Liverpool``."""
    pair = teams(match_name)
    return f"{pair[0]} v {pair[1]}" if pair else match_name


def _odds(row: GridRow, now_ms: int) -> Cell:
    if row.withdrawn_at is not None:
        return Cell(odds_text(row.odds), Ink.NOTE, is_struck=True)
    moved = 0 if row.previous is None else (row.odds > row.previous) - (row.odds < row.previous)
    return Cell(
        odds_text(row.odds),
        is_strong=True,
        arrow=moved,
        arrow_is_pale=now_ms - row.changed_at > MINUTE_MS,
    )


def _ev(row: GridRow, _now_ms: int) -> Cell:
    if row.ev is None or row.is_reference:
        return EMPTY
    is_value = MIN_EV <= row.ev <= edge_limit(row.market_type)
    return Cell(f"{signed_text(row.ev)} %", Ink.VALUE if is_value else Ink.SOFT)


def _age(row: GridRow, now_ms: int) -> Cell:
    age = max(0, now_ms - row.scraped_at)
    step = MINUTE_MS if age >= MINUTE_MS else 1_000
    return Cell(age_text(age), Ink.NOTE, due=now_ms + step - age % step)


def _optional(text: Callable[[float], str], number: float | None, ink: Ink) -> Cell:
    return EMPTY if number is None else Cell(text(number), ink)


def _or_last(number: float | None) -> float:
    return _LAST if number is None else number


def _or_lowest(number: float | None) -> float:
    return -_LAST if number is None else number


COLUMNS = (
    GridColumn(
        "Game",
        Column("Wolverhampton Wanderers v Newcastle U", Align.LEFT, most=260),
        lambda row, _now: Cell(game_title(row.match_name)),
        lambda row: (row.match_name, row.kick_off or 0),
    ),
    GridColumn(
        "Competition",
        Column("Competition", Align.LEFT),
        lambda row, _now: Cell(row.competition, Ink.SOFT),
        lambda row: row.competition,
    ),
    GridColumn(
        "Kick-off",
        Column("25 Apr 14:00", Align.LEFT),
        lambda row, now: (
            Cell("live", Ink.LIVE)
            if row.is_live
            else Cell(kick_off_text(row.kick_off, now), Ink.SOFT)
        ),
        lambda row: (not row.is_live, _or_last(row.kick_off)),
    ),
    GridColumn(
        "Market",
        Column("Both teams to score", Align.LEFT),
        lambda row, _now: Cell(market_title(row.market_type), Ink.SOFT),
        lambda row: (MARKET_RANK.get(row.market_type, len(MARKET_RANK)), row.period),
    ),
    GridColumn(
        "Period",
        Column("2nd Quarter", Align.LEFT),
        lambda row, _now: Cell(row.period_label, Ink.NOTE),
        lambda row: row.period,
    ),
    GridColumn(
        "Selection",
        Column("Wolverhampton Wanderers +1.5", Align.LEFT, stretches=True),
        lambda row, _now: Cell(row.selection),
        lambda row: row.selection,
    ),
    GridColumn(
        "Bookmaker",
        Column("Betfair Exchange UK", Align.LEFT),
        lambda row, _now: Cell(row.bookmaker, Ink.ACCENT if row.is_reference else Ink.STRONG),
        lambda row: row.bookmaker.casefold(),
    ),
    GridColumn("Odds", Column("100.00", has_arrow=True), _odds, lambda row: row.odds, True),
    GridColumn(
        "Reference",
        Column("100.00"),
        lambda row, _now: _optional(odds_text, row.reference_odds, Ink.SOFT),
        lambda row: _or_lowest(row.reference_odds),
        True,
        "The reference bookmaker's price of the selection",
    ),
    GridColumn(
        "Fair",
        Column("100.000"),
        lambda row, _now: _optional(fair_text, row.fair_odds, Ink.SOFT),
        lambda row: _or_lowest(row.fair_odds),
        True,
        "The reference price without its margin, by your devig method",
    ),
    GridColumn(
        "EV",
        Column("+10.0 %"),
        _ev,
        lambda row: _or_lowest(None if row.is_reference else row.ev),
        True,
        "The edge over the fair price, safety floor included",
    ),
    GridColumn("Age", Column("59 min"), _age, lambda row: -row.scraped_at, False, "Last seen"),
)
EV_COLUMN = next(i for i, column in enumerate(COLUMNS) if column.title == "EV")
ODDS_COLUMN = next(i for i, column in enumerate(COLUMNS) if column.title == "Odds")
