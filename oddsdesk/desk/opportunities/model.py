"""Opportunities as a table: a leg a row, what is of all legs in the row of the first."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.opportunity import OpportunityLeg
from oddsdesk.board.verdict_words import caution_text, currency_text, levels_in_words
from oddsdesk.clock import Clock
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.opportunities.rows import LegKey, LegRow
from oddsdesk.desk.ui.formatting import (
    beside_text,
    exact_odds_text,
    gain_text,
    odds_sample,
    odds_text,
    percent_text,
    signed_hundredths_text,
    signed_text,
    untold_text,
)
from oddsdesk.desk.ui.table.cells import EMPTY, REPAINT_MS, Align, Cell, Column, aged
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import MINUTE_MS, age_text, clock_text
from oddsdesk.pricing.opportunities import LEAST_WIN_PCT, OpportunityKind, Outlay

_NO_PRICE: Final = "no price to rely on"
_RECEDING: Final = (TextRole.STRONG, TextRole.VALUE, TextRole.SOFT)
"""What is written so, and may be another by now, is a note until it is looked at."""
_UNKNOWN: Final = Cell("–", TextRole.NOTE)
_APART: Final = 1e6
"""No worst is so many percent."""
KIND_TITLES: Final = {
    OpportunityKind.ARBITRAGE: "Arbitrage",
    OpportunityKind.MIDDLE: "Middle",
    OpportunityKind.LOW_HOLD: "Low hold",
}


class OpportunitiesModel(StableRowsModel[LegKey, LegRow]):
    """Opportunities, the most profitable on top until the user sorts otherwise."""

    def __init__(self, clock: Clock, board: Board) -> None:
        super().__init__(COLUMNS, PROFIT_COLUMN, clock)
        self._board = board
        self._is_behind = False

    def recede(self, *, is_behind: bool) -> None:
        """Show rows as such that may be others by now, or as they are."""
        if is_behind is not self._is_behind:
            self._is_behind = is_behind
            self._touch_all()

    def cell(self, row: int, column: int) -> Cell:
        cell = super().cell(row, column)
        if self._is_behind and cell.ink in _RECEDING:
            cell = cell._replace(ink=TextRole.NOTE, is_strong=False)
        if column not in (ODDS_COLUMN, PROFIT_COLUMN, SEEN_COLUMN):
            return cell
        shown = self.entry(row)
        if column == SEEN_COLUMN:
            is_there = shown.is_priced and not self.is_gone(row)
            return _age(self._seen_at(shown.leg), self._clock()) if is_there else cell
        legs = shown.found.legs if column == PROFIT_COLUMN else (shown.leg,)
        return aged(cell, max(self._board.freshness_of(leg.key) for leg in legs), self._clock())

    def _seen_at(self, leg: OpportunityLeg) -> int:
        """Return when the price of a leg was seen last: after the look that found it, too."""
        price = self._board.price(leg.key.game_id, CellKey(*leg.key[1:]))
        return leg.seen_at if price is None or price.odds != leg.odds else price.scraped_at

    def tip(self, row: int, column: int) -> str:
        if self.is_gone(row):
            return "Gone: these prices no longer cover everything at so little"
        return "\n".join(self._told(self.entry(row)))

    def _told(self, row: LegRow) -> Iterator[str]:
        return _facts(row, self._seen_at(row.leg), self._clock())


def open_text(row: LegRow) -> str:
    """Return what an opportunity is open on, and what to stake there; empty where it is not."""
    if row.rest is None:
        return ""
    if row.lacking:
        return f"{_NO_PRICE} for {' or '.join(row.lacking)} now"
    legs = row.found.legs
    on = (
        legs[place].key.selection + ("" if row.is_lost else f", stake {stake:g}")
        for place, stake in row.rest.stakes.items()
    )
    if not row.loses:
        return f"open on {' and '.join(on)}"
    lost = signed_hundredths_text(row.staked.worst_of_all_pct)
    return f"no profit beside what is placed: {' and '.join(on)} would leave {lost} % at worst"


def middle_text(row: LegRow) -> str:
    """Return what a middle wins and when it gains; what a push leaves where a line can push.

    Of a middle's hit by the list's stakes alone: beside what is placed only the chance holds.
    """
    middle, staked = row.found.middle, row.staked
    if row.unpriced is not None:
        return ""
    if middle is None:
        return _push_text(staked)
    chance = [] if middle.chance is None else [f"chance {percent_text(middle.chance * 100)} %"]
    if row.outlay is not None:
        return "".join(chance)
    even = percent_text(middle.break_even * 100)
    return " · ".join([f"hit {signed_hundredths_text(middle.hit)}", f"even at {even} %", *chance])


def _push_text(staked: Outlay) -> str:
    """Return what a push leaves, beside the worst outcome that decides where that is more."""
    if staked.push is None:
        return ""
    decided = f", else {signed_hundredths_text(staked.worst)}"
    push = signed_hundredths_text(staked.push)
    return f"push {push}{decided if staked.push < staked.worst else ''}"


def _facts(row: LegRow, seen_at: int, now_ms: int) -> Iterator[str]:
    found, leg = row.found, row.leg
    if row.is_priced:
        yield f"{leg.key.selection} at {leg.bookmaker}: {exact_odds_text(leg.odds)}"
    else:
        yield f"{leg.key.selection}: {_NO_PRICE}"
    game = beside_text("", found.match_name)
    yield f"{KIND_TITLES[row.kind]} · {game} · {_market_text(row)}"
    if row.is_priced:
        yield from _price_facts(row, seen_at, now_ms)
    staked = row.staked
    for bet in row.placed:
        yield f"Placed {bet.stake:.2f} at {bet.bookmaker}, {exact_odds_text(bet.odds)}"
    if text := open_text(row):
        yield text[0].upper() + text[1:]
    if row.lacking:
        return
    if row.is_lost:
        yield "No stake: nobody knows whether these prices still stand"
    elif row.rest is not None:
        worst = signed_hundredths_text(staked.worst_of_all_pct)
        money = signed_hundredths_text(staked.worst_of_all)
        yield f"With that {worst} % of all stakes at worst: {money} of {staked.staked:g}"
    else:
        worst = signed_hundredths_text(staked.worst_of_all)
        yield f"All legs: {staked.staked:g} staked, {worst} in the worst case after rounding"
    if found.eaten_pct >= LEAST_WIN_PCT and row.outlay is None:
        most = signed_hundredths_text(found.eaten_pct)
        finer = f"a finer one or a larger total leaves up to {most} %"
        yield f"The step of stakes eats the profit: {finer}"
    if text := middle_text(row):
        yield text[0].upper() + text[1:]
    if row.limited_by:
        yield f"All stakes are smaller: {row.limited_by} takes no more"
    if row.profile.limit is not None:
        yield f"{leg.bookmaker} takes at most {row.profile.limit:,g}, as you noted"


def _price_facts(row: LegRow, seen_at: int, now_ms: int) -> Iterator[str]:
    leg = row.leg
    if leg.net_odds != leg.odds:
        yield f"Net {exact_odds_text(round(leg.net_odds, 4))}"
    if leg.same_at:
        yield f"The same at {', '.join(leg.same_at)}"
    levels = levels_in_words(row.profile, leg.depth)
    if for_sale := ", ".join(f"{amount} at {odds}" for odds, amount in levels):
        yield f"For sale: {for_sale}"
        if text := currency_text(leg.depth):
            yield text
    yield f"Seen at {clock_text(seen_at, now_ms)}"
    for caution in leg.cautions:
        yield f"Beside {row.reference}: {caution_text(caution, row.reference)}"


def _of_all(cell: Callable[[LegRow], Cell]) -> Callable[[LegRow, int], Cell]:
    """Show what is of all legs in the row of the first."""
    return lambda row, _now: cell(row) if row.is_first else EMPTY


def _kind(row: LegRow) -> Cell:
    is_sure = row.kind is OpportunityKind.ARBITRAGE
    return Cell(KIND_TITLES[row.kind], TextRole.STRONG if is_sure else TextRole.SOFT)


def _profit(row: LegRow) -> Cell:
    if row.lacking:
        return _UNKNOWN
    profit = row.staked.worst_of_all_pct
    is_win = profit > 0 and not row.is_too_good
    ink = TextRole.VALUE if is_win else TextRole.SOFT
    return Cell(gain_text(profit), ink, is_strong=is_win)


def _margin(row: LegRow) -> Cell:
    if row.unpriced is not None:
        return _UNKNOWN
    return Cell(f"{signed_text(row.found.hold_pct)} %", TextRole.NOTE)


def _selection(row: LegRow, _now: int) -> Cell:
    selection = row.leg.key.selection
    beside = beside_text(selection, row.found.match_name)
    return Cell(selection, is_strong=True, note=f"live · {beside}" if row.found.in_play else beside)


def _market_text(row: LegRow) -> str:
    key = row.found.key
    title = market_title(key.market_type)
    return f"{title} · {period_label(row.found.sport, key.period)}" if key.period else title


def _odds(row: LegRow, _now: int) -> Cell:
    if not row.is_priced:
        return _UNKNOWN
    leg = row.leg
    net = odds_text(leg.net_odds) if leg.net_odds != leg.odds else ""
    return Cell(odds_text(leg.odds), is_strong=True, note=net)


def _at(row: LegRow, _now: int) -> Cell:
    if not row.is_priced:
        return EMPTY
    others = len(row.leg.same_at)
    return Cell(row.profile.short or row.leg.bookmaker, note=f"+{others}" if others else "")


def _stake(row: LegRow, _now: int) -> Cell:
    if row.placed:
        return Cell(f"✓ {sum(bet.stake for bet in row.placed):g}", TextRole.ACCENT)
    note = "open" if row.rest is not None else ""
    if row.leg.bookmaker == row.limited_by:
        note = f"{note} limit".strip()
    if not row.stake:
        return Cell("–", TextRole.NOTE, note=note)
    return Cell(f"{row.stake:g}", is_strong=True, note=note)


def _seen(row: LegRow, now_ms: int) -> Cell:
    return _age(row.leg.seen_at, now_ms) if row.is_priced else EMPTY


def _age(seen_at: int, now_ms: int) -> Cell:
    age = max(0, now_ms - seen_at)
    until = 1_000 - age % 1_000 if age < MINUTE_MS else REPAINT_MS  # it may be seen again
    return Cell(age_text(age), TextRole.NOTE, repaint_at_ms=now_ms + until)


def _caution(row: LegRow, _now: int) -> Cell:
    if not row.is_priced:
        return Cell(_NO_PRICE, TextRole.VALUE)
    cautions = row.leg.cautions
    if not cautions:
        return EMPTY
    more = f"+ {len(cautions) - 1}" if len(cautions) > 1 else ""
    return Cell(caution_text(cautions[0], row.reference), TextRole.VALUE, note=more)


def _worst_downwards(row: LegRow) -> float:
    """On top is what nobody can complete now, last what may be a mistake; so it is upwards."""
    if row.lacking:
        return _APART
    worst = row.staked.worst_of_all_pct
    return worst - _APART if row.is_too_good else worst


def _worst_upwards(row: LegRow) -> float:
    if row.lacking:
        return -_APART
    worst = row.staked.worst_of_all_pct
    return worst + _APART if row.is_too_good else worst


def _kind_rank(row: LegRow) -> Any:
    return list(OpportunityKind).index(row.kind), row.found.total


COLUMNS: Final[tuple[ColumnSpec[LegRow, int], ...]] = (
    ColumnSpec(
        "kind",
        "Kind",
        Column("Arbitrage", Align.LEFT, drops=6),
        _of_all(_kind),
        _kind_rank,
        tip="Arbitrage wins whatever happens; low hold costs at most 2 %, or what completes the "
        "legs that you placed; between the lines of a middle no leg loses",
    ),
    ColumnSpec(
        "profit_pct",
        "Worst",
        Column("+10.00 %"),
        _of_all(_profit),
        _worst_downwards,
        order_up=_worst_upwards,
        descending_first=True,
        tip="What the worst of all outcomes leaves of these stakes, in percent of all of them; "
        "where a line can be hit, a push is one; those with a price that is too good stand below, "
        "and on top is what you placed a leg of and nothing completes now",
    ),
    ColumnSpec(
        "hold_pct",
        "Margin",
        Column("−10.0 %", drops=3),
        _of_all(_margin),
        lambda row: row.found.hold_pct if row.unpriced is None else None,
        tip="S − 1, S the sum of 1 / net odds of all legs, before stakes are rounded; below 0 is "
        "an arbitrage where your steps leave something",
    ),
    ColumnSpec(
        "selection",
        "Selection",
        Column(
            "Timberwolves −113.5 v O",
            Align.LEFT,
            stretches=True,
            likes="Timberwolves −113.5 at Oklahoma City Thunder",
            widest="Minnesota Timberwolves −113.5 live at Oklahoma City Thunder or so",
            before_others="Home Over 113.5 Minneso",
            narrow="Over 113.5",
        ),
        _selection,
        lambda row: row.found.match_name,
    ),
    ColumnSpec(
        "market_type",
        "Market",
        Column(
            "Match result · 1st Q",
            Align.LEFT,
            stretches=True,
            widest="Both teams to score · 1st Half",
            drops=2,
        ),
        _of_all(lambda row: Cell(_market_text(row), TextRole.SOFT)),
        lambda row: (row.found.key.market_type, row.found.key.period),
        in_short=lambda row: untold_text(
            row.found.key.market_type,
            row.found.sport,
            row.found.key.period,
            row.leg.key.selection,
            row.found.match_name,
        ),
    ),
    ColumnSpec(
        "odds",
        "Odds",
        Column("", note_sample="8.888", hangs=True, narrow=""),
        _odds,
        lambda row: row.found.legs[0].odds,
        descending_first=True,
        sample=odds_sample,
        tip="The price as it is offered; beside it what is left after commission or tax",
    ),
    ColumnSpec(
        "bookmaker",
        "At",
        Column(
            "William Hill UK",
            Align.LEFT,
            stretches=True,
            likes="Betfair Exchange",
            widest="Betfair Exchange Australia",
            narrow="Pinnacle",
        ),
        _at,
        lambda row: row.found.legs[0].bookmaker.casefold(),
        tip="Who offers the price; +2: two more do, which the row's tip names",
    ),
    ColumnSpec(
        "stake",
        "Stake",
        Column("1,000", note_sample="open limit", narrow=""),
        _stake,
        lambda row: 0.0 if row.is_lost else row.staked.stakes[0],
        descending_first=True,
        tip="Your total divided in your steps so that the worst outcome leaves most. Limit: this "
        "bookmaker takes no more, by the limit that you noted or what is for sale, so all stakes "
        "are smaller. ✓ is what you placed and is open; the others then complete it",
    ),
    ColumnSpec(
        "seen",
        "Seen",
        Column("59 min", drops=5),
        _seen,
        lambda row: -min(leg.seen_at for leg in row.found.legs),
        tip="How long ago the bookmaker was last seen to offer the price",
    ),
    ColumnSpec(
        "middle",
        "Middle, push",
        Column("hit +96.50 · even at 2.5 % · chance 10.1 %", Align.LEFT, drops=1),
        _of_all(lambda row: Cell(middle_text(row), TextRole.SOFT)),
        lambda row: -1.0 if row.found.middle is None else row.found.middle.hit,
        descending_first=True,
        tip="The least that a hit wins, from which chance on that gains, and the chance by the "
        "reference's prices; of others what a push leaves, and the worst of what decides "
        "where that is more",
    ),
    ColumnSpec(
        "cautions",
        "Beside the reference",
        Column("too good: above the window", Align.LEFT, stretches=True, drops=4),
        _caution,
        lambda row: len(row.found.legs[0].cautions),
        tip="What speaks against the price where it is compared with the reference's; a price that "
        "is too good may be a mistake that the bookmaker takes back",
    ),
)
PROFIT_COLUMN, ODDS_COLUMN, SEEN_COLUMN = (
    [column.key for column in COLUMNS].index(key) for key in ("profit_pct", "odds", "seen")
)
