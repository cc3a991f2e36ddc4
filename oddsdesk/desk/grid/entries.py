"""What the rows of the odds grid are made of: selections, and their prices by bookmaker."""

from collections.abc import Iterable, Sequence, Set
from enum import Enum
from typing import NamedTuple

import msgspec

from oddsdesk.board.basis import Basis
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import LineHolds, Matrix, RowKey, Section, SectionKey, SelectionRow
from oddsdesk.board.own_groups import offered
from oddsdesk.board.prices import Price
from oddsdesk.board.valuation import best_of, decided_beside, fair_beside, window_beside
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.rules import MIN_EV, safety_floor
from oddsdesk.pricing.value import is_same_state

NOWHERE = -1
"""The number of an entry that no list has."""

_SET_BACK = 1e7
"""More than any EV: what one that something speaks against is sorted below the others by."""


class Shape(Enum):
    """What one row of the grid is; the value is the word that settings keep."""

    PRICES = "prices"
    SELECTIONS = "selections"


class GameSelectionKey(NamedTuple):
    """A selection among all games."""

    game_id: str
    market_type: str
    period: int
    selection: str


class Figures(msgspec.Struct, frozen=True):
    """What bookmakers say of a selection together; the reference stands apart.

    ``best`` to ``count`` are over the prices offered now by the bookmakers compared;
    those that bet on something else (D27) are left out.
    """

    reference_odds: float | None = None
    liquidity: float | None = None
    fair_odds: float | None = None
    value_from: float | None = None
    suspicious_above: float | None = None
    reference_hold: float | None = None
    holds: LineHolds = msgspec.field(default_factory=LineHolds)
    """Of the line group, as the board has them now."""
    best: float | None = None
    best_names: tuple[str, ...] = ()
    worst: float | None = None
    median: float | None = None
    spread: float | None = None
    """From worst to best in percentage points of probability."""
    count: int = 0

    @property
    def best_hold(self) -> float | None:
        """Hold of the best prices of the whole line group, by all bookmakers, in percent."""
        return self.holds.best()


class SelectionEntry(msgspec.Struct, eq=False):
    """A selection of a game; as a row it shows the best price compared."""

    key: GameSelectionKey
    match_name: str
    game: str
    """How the game is written: ``Everton v Liverpool``."""
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    period_label: str
    order: tuple[object, ...]
    """Its place in the field's order: game, market, line, side."""
    text: str
    """What filter words are looked for in, case folded."""
    figures: Figures = msgspec.field(default_factory=Figures)
    prices: dict[str | None, "PriceEntry"] = msgspec.field(default_factory=dict)
    best_entry: "PriceEntry | None" = None
    judged_by: tuple[object, ...] = ()
    """What its prices were judged by; while that stays, only those that moved are judged anew."""
    line: SectionKey | None = None
    """The line group of its game: what one of its prices moves, they may share."""
    number: int = NOWHERE
    """Among the selections of the grid."""

    @property
    def selection(self) -> "SelectionEntry":
        """Itself: both kinds of row are asked alike."""
        return self

    @property
    def price(self) -> Price | None:
        """The best price compared, None where nobody offers one."""
        return None if self.best_entry is None else self.best_entry.price

    @property
    def name(self) -> str:
        """Who offers the best price."""
        return "" if self.best_entry is None else self.best_entry.name

    @property
    def bookmaker(self) -> str | None:
        """The same as the board has it."""
        return None if self.best_entry is None else self.best_entry.bookmaker

    @property
    def odds(self) -> float | None:
        """The best odds."""
        return None if self.best_entry is None else self.best_entry.odds

    @property
    def ev(self) -> float | None:
        """True EV of the best price in percent."""
        return None if self.best_entry is None else self.best_entry.ev

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What speaks against that price."""
        return () if self.best_entry is None else self.best_entry.cautions

    @property
    def has_no_window(self) -> bool:
        """Whether that price has an edge where no price can be value."""
        return self.best_entry is not None and self.best_entry.has_no_window

    @property
    def is_doubtful(self) -> bool:
        """Whether anything speaks against that price."""
        return self.best_entry is not None and self.best_entry.is_doubtful

    @property
    def is_value(self) -> bool:
        """Whether that price is value."""
        return self.best_entry is not None and self.best_entry.is_value

    @property
    def rank(self) -> float | None:
        """What rows are sorted by where the highest EV comes first."""
        return None if self.best_entry is None else self.best_entry.rank

    @property
    def hold(self) -> float | None:
        """What that bookmaker keeps on the line, in percent."""
        return None if self.best_entry is None else self.best_entry.hold

    @property
    def over_median(self) -> float | None:
        """How far the best price lies above the median, in percent."""
        return None if self.best_entry is None else self.best_entry.over_median

    @property
    def scraped_at(self) -> int | None:
        """When the best price was last seen."""
        return None if self.best_entry is None else self.best_entry.scraped_at

    @property
    def changed_at(self) -> int | None:
        """When the best price last moved."""
        return None if self.best_entry is None else self.best_entry.changed_at

    @property
    def is_held(self) -> bool:
        """Whether any bookmaker compared, or the reference, prices it still."""
        return self.figures.count > 0 or self.figures.reference_odds is not None


class PriceEntry(msgspec.Struct, eq=False, gc=False):
    """One bookmaker's price of a selection; holds nothing that its price or selection tells.

    The garbage collector passes it by, as there are so many: who drops a
    selection cuts the rings.
    """

    selection: SelectionEntry
    bookmaker: str | None
    """As the board has it: None is the reference."""
    name: str
    price: Price
    """As it is now."""
    ev: float | None = None
    """True EV in percent, net, floor included; None for the reference's own price."""
    cautions: tuple[Caution, ...] = ()
    """What speaks against the price, as far as it has the least edge at all."""
    has_no_window: bool = False
    """Whether it has an edge where no price can be value: the reference keeps too much."""
    is_value: bool = False
    is_held: bool = True
    """Whether the board holds it still."""
    number: int = NOWHERE
    """Among the prices of the grid."""

    @property
    def odds(self) -> float:
        """The odds."""
        return self.price.odds

    @property
    def scraped_at(self) -> int:
        """When it was last seen."""
        return self.price.scraped_at

    @property
    def changed_at(self) -> int:
        """When it last moved."""
        return self.price.changed_at

    @property
    def rank(self) -> float | None:
        """The EV as it is sorted by: in doubt below all that are not."""
        return self.ev if self.ev is None or not self.is_doubtful else self.ev - _SET_BACK

    @property
    def over_median(self) -> float | None:
        """How far the price lies above the median, in percent."""
        middle = self.selection.figures.median
        return None if middle is None else (self.price.odds / middle - 1) * 100

    @property
    def is_doubtful(self) -> bool:
        """Whether anything speaks against the price."""
        return self.has_no_window or bool(self.cautions)

    @property
    def hold(self) -> float | None:
        """What the bookmaker keeps on the line, in percent; None where it does not price it all."""
        figures = self.selection.figures
        return figures.reference_hold if self.bookmaker is None else figures.holds.get(self.name)


Entry = SelectionEntry | PriceEntry


def make_selection_entry(key: GameSelectionKey, matrix: Matrix, section: Section) -> SelectionEntry:
    """Return the selection of a price that is new to the grid."""
    pair = teams(matrix.match_name)
    game = f"{pair[0]} v {pair[1]}" if pair else matrix.match_name
    said = (
        matrix.match_name,
        game,
        matrix.competition,
        competition_title(matrix.competition),
        matrix.sport,
        section.title,
        key.market_type,
        section.period_label,
        key.selection,
    )
    kick_off = float("inf") if matrix.kick_off is None else matrix.kick_off
    side = next(i for i, row in enumerate(section.rows) if row.selection == key.selection)
    return SelectionEntry(
        key=key,
        match_name=matrix.match_name,
        game=game,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=matrix.is_live,
        period_label=section.period_label,
        order=(kick_off, matrix.match_name, *section.order(), side),
        text=" ".join((*said, market_title(key.market_type))).casefold(),
    )


def refresh(
    selection: SelectionEntry,
    section: Section,
    board: Board,
    compared: Set[str] | None,
    moved: Iterable[PriceEntry],
) -> bool:
    """Bring a selection and its prices up to date; ``compared`` None is every bookmaker.

    Returns whether the reference is another: then every price of it has another EV.
    """
    row = section.row_of(selection.key.selection)
    selection.line = section.key
    selection.figures = figures = _figures(section, row, board.basis, compared)
    reference = section.reference
    by_reference = (
        figures.fair_odds,
        row.decided,
        reference and reference.is_live,
        section.pool,  # another one as soon as a bookmaker says something else
    )
    before, selection.judged_by = (
        selection.judged_by,
        (by_reference, tuple(sorted(section.other_bets))),
    )
    if selection.judged_by != before:
        moved = selection.prices.values()
    for entry in moved:
        _judge(entry, section, row, board)
    names = figures.best_names
    selection.best_entry = selection.prices.get(names[0]) if names else None
    return before[:1] != (by_reference,)


def _judge(entry: PriceEntry, section: Section, row: SelectionRow, board: Board) -> None:
    """Take what the board says of a price."""
    name, price, reference = entry.bookmaker, entry.price, section.reference
    entry.cautions, entry.is_value, entry.has_no_window = (), False, False
    if name is not None and name in row.near:
        key = RowKey(*entry.selection.key, name)
        judged = board.value_bets.get(key)
        if judged is not None:
            entry.cautions, entry.is_value = judged.assessment.cautions, board.is_value(key)
    if (
        name is None
        or (fair := fair_beside(section, row, name)) is None
        or reference is None
        or name in section.other_bets
        or not is_same_state(price.is_live, reference.is_live)
    ):
        entry.ev = None
        return
    final, decided = fair * safety_floor(section.key.market_type), row.decided
    least = row.value_from
    if section.pool is not None:
        decided, (least, _) = (
            decided_beside(section, row, name),
            window_beside(section, row, name),
        )
    entry.ev = ev = (board.basis.net(name, price.odds) / final - 1) * 100 * decided
    entry.has_no_window = least is None and ev >= MIN_EV


def _figures(
    section: Section, row: SelectionRow, basis: Basis, compared: Set[str] | None
) -> Figures:
    others = section.other_bets
    odds = sorted(
        [
            price.odds
            for name, price in row.prices.items()
            if price.withdrawn_at is None
            and name not in others
            and (compared is None or name in compared)
        ]
    )
    names = row.best_bookmakers if compared is None else best_of(section, row, basis, compared)
    return Figures(
        reference_odds=offered(row.reference),
        liquidity=row.liquidity,
        fair_odds=row.fair,
        value_from=row.value_from,
        suspicious_above=row.suspicious_above,
        reference_hold=section.reference_hold,
        holds=section.holds,
        best=row.prices[names[0]].odds if names else None,
        best_names=names,
        worst=odds[0] if odds else None,
        median=_middle(odds) if odds else None,
        spread=(1 / odds[0] - 1 / odds[-1]) * 100 if odds else None,
        count=len(odds),
    )


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of figures in order; ``statistics`` would put them in order again."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
