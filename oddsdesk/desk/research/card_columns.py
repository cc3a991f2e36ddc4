"""The columns of scorecards: each figure with its interval and how many it is of."""

from collections.abc import Callable
from typing import Any, Final

from oddsdesk.contract.markets import MARKET_RANK, market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.export.tables import ExportColumn, Table
from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.column_spec import ColumnSpec, Kind
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.research.intervals import SHARE, Interval
from oddsdesk.research.scorecards.tally import Card, CardKey

FEW: Final = 30
"""Figures of fewer are written faintly."""
_HIGHEST: Final = float("inf")
_FIGURES: Final = (
    *("hold_pct", "best_pct", "clv_pct", "age_s", "lag_s", "tied_pct"),
    *("log_loss", "log_loss_vs_reference"),
)


def market_text(key: CardKey) -> str:
    """Return what kind of market a card is of."""
    period = f" · {period_label(key.sport, key.period)}" if key.period else ""
    return f"{market_title(key.market_type)}{period}, {key.sport}"


def _figure(
    key: str,
    title: str,
    sample: str,
    digits: int,
    tip: str,
    *,
    sign: str = "",
    drops: int = 0,
    more: Callable[[Card], str] = lambda _: "",
    unknown: str = "",
) -> ColumnSpec[Card, int]:
    def found(card: Card) -> Interval:
        of: Interval = getattr(card, key)
        return of

    def number(figure: float) -> str:
        return f"{figure:{sign},.{digits}f}".replace("-", "−")

    def cell(card: Card, _now: int) -> Cell:
        of = found(card)
        if of.figure is None:
            return Cell(unknown if of.count else "", TextRole.NOTE)
        is_few = of.low is None or of.count < FEW
        return Cell(
            number(of.figure),
            TextRole.NOTE if is_few else TextRole.STRONG,
            note=_reach(of, number),
            is_strong=not is_few,
        )

    def order(card: Card) -> float:
        figure = found(card).figure
        return _HIGHEST if figure is None else figure

    def cell_tip(card: Card, _now: int) -> str:
        of = found(card)
        if of.figure is None:
            return more(card).lstrip() or "Nothing is known to form it of"
        if of.low is None or of.high is None:
            return f"Of {of.count:,}: too few to say how sure it is{more(card)}"
        sure = f"Of {of.count:,}: {SHARE:.0%} between {number(of.low)} and {number(of.high)}"
        return sure + more(card)

    column = Column(
        sample, note_sample="±88.88 · 88,888", drops=drops, narrow="" if drops else None
    )
    return ColumnSpec(
        key, title, column, cell, order, kind=Kind.NUMBER, order=order, tip=tip, cell_tip=cell_tip
    )


def _reach(of: Interval, number: Callable[[float], str]) -> str:
    """Return half of an interval and the count; a question mark where there is too little."""
    if of.low is None or of.high is None:
        return f"? · {of.count:,}"
    return f"±{number((of.high - of.low) / 2).lstrip('+')} · {of.count:,}"


def _tied(card: Card) -> str:
    tied = card.tied_pct.figure
    return f"\n{tied:.0f} % were read at one moment: who was first is not known" if tied else ""


def _tied_age(card: Card) -> str:
    if card.age_s.figure is not None or not card.age_s.count:
        return ""
    return "\nHalf or more may be read at one moment with that move: what stood before is not known"


def _own_loss(card: Card) -> str:
    own = card.log_loss
    return "" if own.figure is None else f"\nIts own log loss is {own.figure:.3f}, of {own.count:,}"


def _name(card: Card, _now: int) -> Cell:
    note = "reference" if card.is_reference else ""
    return Cell(card.key.bookmaker, TextRole.STRONG, note=note, is_strong=True)


COLUMNS: Final[tuple[ColumnSpec[Card, int], ...]] = (
    ColumnSpec(
        "bookmaker",
        "Bookmaker",
        Column(
            "Betfair Exchange ref", Align.LEFT, stretches=True, widest="Betfair Exchange second"
        ),
        _name,
        lambda card: card.key.bookmaker,
        order=lambda card: card.key.bookmaker.casefold(),
    ),
    ColumnSpec(
        "market",
        "Market",
        Column("Match result, Football", Align.LEFT),
        lambda card, _now: Cell(market_text(card.key), TextRole.SOFT),
        lambda card: market_text(card.key),
        order=lambda card: (
            card.key.sport,
            MARKET_RANK.get(card.key.market_type, len(MARKET_RANK)),
            card.key.period,
        ),
    ),
    _figure(
        "hold_pct",
        "Hold % pre-close",
        "8.88",
        2,
        "Median of the last prices before the close, gross of fees",
    ),
    _figure(
        "best_pct",
        "Best % pre-close",
        "88.8",
        1,
        "How often its last price before the close was the best after commission",
    ),
    ColumnSpec(
        "value_bets",
        "Value",
        Column("8,888"),
        lambda card, _now: Cell(f"{card.value_bets:,}", TextRole.SOFT),
        lambda card: card.value_bets,
        kind=Kind.NUMBER,
        descending_first=True,
        tip="Prices that were value, each once",
    ),
    _figure("clv_pct", "CLV %", "+8.88", 2, "Mean closing line value of those", sign="+"),
    _figure(
        "age_s",
        "Age s",
        "88,888",
        0,
        "How long its price had stood when the reference moved",
        drops=2,
        more=_tied_age,
        unknown="tied",
    ),
    _figure(
        "lag_s",
        "Lag s",
        "+88,888",
        0,
        "How long after a move of the reference its nearest move the same way was, however late, of"
        " the moves that it went along with; below 0 it leads",
        sign="+",
        drops=1,
        more=_tied,
        unknown="tied",
    ),
    _figure(
        "log_loss_vs_reference",
        "Loss vs. ref.",
        "+0.8888",
        4,
        "How much more the log loss of its closing line without margin was than the reference's, of"
        " lines that both closed and with a result: below 0 it knew more",
        sign="+",
        drops=3,
        more=_own_loss,
    ),
)
_HOLD: Final = [column.key for column in COLUMNS].index("hold_pct")


class ScorecardModel(StableRowsModel[CardKey, Card]):
    """Cards by what they are of, the least hold on top."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, _HOLD, clock)

    def tip(self, row: int, column: int) -> str:
        """Return how sure a figure is."""
        return COLUMNS[column].cell_tip(self.entry(row), self._clock())

    def exported(self) -> Table:
        """Return the cards as they stand, each figure with its count and its ends."""
        texts = ("bookmaker", "sport", "market_type")
        columns = [ExportColumn(name, name.replace("_", " ")) for name in texts]
        for name in ("period", "value_bets", *_ends()):
            columns.append(ExportColumn(name, name.replace("_", " "), Kind.NUMBER))
        cards = [self.entry(row) for row in range(self.rowCount())]
        return Table(tuple(columns), [_values(card) for card in cards])


def _ends() -> list[str]:
    return [f"{name}{end}" for name in _FIGURES for end in ("", "_count", "_low", "_high")]


def _values(card: Card) -> list[Any]:
    found = [getattr(card, name) for name in _FIGURES]
    figures = [each for of in found for each in (of.figure, of.count, of.low, of.high)]
    return [*card.key, card.value_bets, *figures]
