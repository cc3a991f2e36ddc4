"""The nearest misses as rows: the price, and the rule that stops it by how much."""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.near_misses import NearMiss
from oddsdesk.board.verdict_words import PER_DECIDED, PER_DECIDED_TEXT, margin_text, rule_title
from oddsdesk.clock import Clock
from oddsdesk.desk.ui.formatting import (
    beside_text,
    exact_odds_text,
    odds_sample,
    odds_text,
    untold_text,
    window_sample,
    window_text,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, aged
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.cells import (
    EV_WIDTH,
    MARKET_WIDTH,
    SELECTION_WIDTH,
    age_cell,
    ev_cell,
    market_text,
)

MOST_NAMED: Final = 12
"""So many other bookmakers are named in a tooltip."""


class NearMissesModel(StableRowsModel[RowKey, NearMiss]):
    """Prices that are almost value, the nearest first until the user sorts otherwise."""

    def __init__(self, clock: Clock, freshness: Callable[[RowKey], Freshness]) -> None:
        super().__init__(COLUMNS, NEARNESS_COLUMN, clock)
        self._freshness = freshness

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if column != ODDS_COLUMN:
            return cell
        return aged(cell, self._freshness(self.entry(row).key), self._clock())

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return "Gone: it is no near miss any more"
        miss = self.entry(row)
        said = [f"{miss.key.selection} at {miss.key.bookmaker}: {exact_odds_text(miss.price.odds)}"]
        said += [
            f"{rule_title(check)}: {margin_text(check)}" for check in miss.assessment.stopped_by
        ]
        if miss.assessment.per == "decided":
            said.append(f"EV {PER_DECIDED_TEXT}")
        said.append(f"Window {window_text(*miss.window)}, net")
        return "\n".join((*said, *_others(miss)))


def _selection(miss: NearMiss, _now: int) -> Cell:
    beside = beside_text(miss.key.selection, miss.match_name)
    note = f"live · {beside}" if miss.is_live else beside
    return Cell(miss.key.selection, is_strong=True, note=note)


def _others(miss: NearMiss) -> Iterator[str]:
    for other in miss.others[:MOST_NAMED]:
        short = margin_text(other.stopped_by)
        yield f"{other.key.bookmaker} {exact_odds_text(other.price.odds)}: {short}"
    if len(miss.others) > MOST_NAMED:
        yield f"and {len(miss.others) - MOST_NAMED} more"


def _bookmaker(miss: NearMiss, _now: int) -> Cell:
    others = len(miss.others)
    books = "book" if others == 1 else "books"
    return Cell(miss.key.bookmaker or "", note=f"+ {others} {books}" if others else "")


def _stopped_by(miss: NearMiss, _now: int) -> Cell:
    check = miss.stopped_by
    more = len(miss.assessment.stopped_by) - 1
    return Cell(rule_title(check), TextRole.DOWN, note=f"+ {more} more" if more else "")


def _margin(miss: NearMiss, _now: int) -> Cell:
    return Cell(margin_text(miss.stopped_by))


def _ev(miss: NearMiss, _now: int) -> Cell:
    return ev_cell(miss.assessment)._replace(ink=TextRole.SOFT)


def _window(miss: NearMiss, _now: int) -> Cell:
    return Cell(window_text(*miss.window), TextRole.SOFT)


COLUMNS: Final[tuple[ColumnSpec[NearMiss, int], ...]] = (
    ColumnSpec(
        "selection",
        "Selection",
        SELECTION_WIDTH,
        _selection,
        lambda miss: (miss.key.selection.casefold(), miss.match_name),
    ),
    ColumnSpec(
        "market_type",
        "Market",
        replace(MARKET_WIDTH, drops=4),
        lambda miss, _now: Cell(
            market_text(miss.key.market_type, miss.section.sport, miss.key.period), TextRole.SOFT
        ),
        lambda miss: miss.section.order(),
        in_short=lambda miss: untold_text(
            miss.key.market_type,
            miss.section.sport,
            miss.key.period,
            miss.key.selection,
            miss.match_name,
        ),
    ),
    ColumnSpec(
        "bookmaker",
        "Bookmaker",
        Column(
            "Betfair Ex + 11 books",
            Align.LEFT,
            stretches=True,
            likes="Betfair Exchange UK + 11 books",
            widest="Betfair Exchange Australia + 11 books",
            narrow="Betfair + 11 books",
        ),
        _bookmaker,
        lambda miss: (miss.key.bookmaker or "").casefold(),
    ),
    ColumnSpec(
        "stopped_by",
        "Stopped by",
        Column("Reference S 1 – 1.05 +", Align.LEFT, likes="Price age ≤ 15 min + 1 more"),
        _stopped_by,
        lambda miss: rule_title(miss.stopped_by),
        tip="The rule that is farthest from holding",
    ),
    ColumnSpec(
        "distance",
        "By",
        Column("00.00 pp short"),
        _margin,
        lambda miss: miss.distance,
        tip="How far the price is from the rule's threshold: nearest first",
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", has_arrow=True, hangs=True),
        lambda miss, _now: Cell(
            odds_text(miss.price.odds), is_strong=True, arrow=miss.price.direction
        ),
        lambda miss: miss.price.odds,
        descending_first=True,
        sample=odds_sample,
        tip="The price as it is offered, before commission or tax",
    ),
    ColumnSpec(
        "true_ev_pct",
        "EV net",
        replace(EV_WIDTH, drops=3),
        _ev,
        lambda miss: miss.assessment.ev_pct or 0.0,
        descending_first=True,
        tip="The edge over the fair price by your devig method, of a unit staked, after "
        "commission, safety floor included; "
        f"{PER_DECIDED} {PER_DECIDED_TEXT}",
    ),
    ColumnSpec(
        "window",
        "Window",
        Column("", drops=1),
        _window,
        lambda miss: miss.window[0] or 0.0,
        descending_first=True,
        tip="From which price the selection is value, and above which it is suspicious; "
        "none: no price can be value by the rules",
        sample=window_sample,
    ),
    ColumnSpec(
        "scraped_at",
        "Seen",
        Column("59 min", drops=2),
        lambda miss, now: age_cell(miss.price.scraped_at, now),
        lambda miss: -miss.price.scraped_at,
        tip="How long ago the bookmaker was last seen to offer the price",
    ),
)
NEARNESS_COLUMN, ODDS_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("distance", "odds")
)
