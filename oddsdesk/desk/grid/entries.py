"""What the rows of the odds grid are made of: selections, and their prices by bookmaker."""

from collections.abc import Iterable, Set
from enum import Enum
from statistics import median
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.matrix import Matrix, RowKey, Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import ev_pct
from oddsdesk.board.valuation import offered
from oddsdesk.contract.competition_titles import competition_title
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.rules import MAX_AGE_MS, MIN_EV
from oddsdesk.pricing.value import is_same_state

TOGETHER_MS: Final = MINUTE_MS
"""Prices of a game in play that were seen further apart tell nothing of each other."""


class EvDoubt(Enum):
    """What speaks against an EV; the value is the word of a column."""

    GONE = "withdrawn"
    NO_WINDOW = "outside the rules"
    SUSPICIOUS = "above the window"
    APART = "not seen together"


SENTENCES: Final = {
    EvDoubt.GONE: "the bookmaker no longer offers this price",
    EvDoubt.NO_WINDOW: "the reference's margin is too large for any price to be value",
    EvDoubt.SUSPICIOUS: "the price lies above its window: a mistake or an old price, hardly value",
    EvDoubt.APART: "price and reference were not seen together, and odds may have moved between",
}


def doubt_of(
    section: Section, bookmaker: str, price: Price, ev: float, most: float | None
) -> EvDoubt | None:
    """Return what speaks against a positive EV in percent, None where nothing does.

    ``most``: where the price window of the selection ends; None where it has none.
    """
    if price.withdrawn_at is not None:
        return EvDoubt.GONE
    if ev >= MIN_EV:
        if most is None:
            return EvDoubt.NO_WINDOW
        if price.odds > most:
            return EvDoubt.SUSPICIOUS
    apart = abs(_last_seen(section, bookmaker) - _last_seen(section, None))
    reference = section.reference
    in_play = price.is_live or (reference is not None and reference.is_live)
    return EvDoubt.APART if apart > (TOGETHER_MS if in_play else MAX_AGE_MS) else None


def _last_seen(section: Section, bookmaker: str | None) -> int:
    """When a market was last seen: a message of one selection says that the others stood."""
    prices = (
        row.reference if bookmaker is None else row.prices.get(bookmaker) for row in section.rows
    )
    return max((price.scraped_at for price in prices if price is not None), default=0)


AWAY = -1
"""The place of an entry that is not among the rows."""
FOLDED = -2
"""The place of an entry whose game is folded."""


_DOUBT = 1e7
"""More than any EV: what a doubtful one is set back by."""


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
    best_hold: float | None = None
    """Hold of the best prices of the whole line group, by all bookmakers."""
    best: float | None = None
    best_names: tuple[str, ...] = ()
    worst: float | None = None
    median: float | None = None
    spread: float | None = None
    """From worst to best in percentage points of probability."""
    count: int = 0


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
    place: int = AWAY

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
    def doubt(self) -> EvDoubt | None:
        """What speaks against that EV."""
        return None if self.best_entry is None else self.best_entry.doubt

    @property
    def rank(self) -> float | None:
        """What rows are sorted by where the highest EV comes first."""
        return None if self.best_entry is None else self.best_entry.rank

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
    """One bookmaker's price of a selection; what rows are sorted by lies open.

    The garbage collector passes it by, as there are so many: who drops a
    selection cuts the rings.
    """

    selection: SelectionEntry
    bookmaker: str | None
    """As the board has it: None is the reference."""
    name: str
    price: Price
    odds: float = 0.0
    scraped_at: int = 0
    changed_at: int = 0
    ev: float | None = None
    """True EV in percent, safety floor included; None for the reference's own price."""
    doubt: EvDoubt | None = None
    """What speaks against the EV."""
    rank: float | None = None
    """The EV as it is sorted by: where it is in doubt, below all that are not."""
    over_median: float | None = None
    """How far the price lies above the median, in percent."""
    is_held: bool = True
    """Whether the board holds it still."""
    place: int = AWAY

    def __post_init__(self) -> None:
        self.show(self.price)

    def show(self, price: Price) -> None:
        """Take in the price as it is now."""
        self.price = price
        self.odds = price.odds
        self.scraped_at = price.scraped_at
        self.changed_at = price.changed_at


Entry = SelectionEntry | PriceEntry


class GameGroup(msgspec.Struct, eq=False):
    """A game's title row, and the rows below it."""

    game_id: str
    first: SelectionEntry
    entries: list[Entry]
    is_folded: bool = False
    place: int = AWAY


def make_selection_entry(key: RowKey, matrix: Matrix, section: Section) -> SelectionEntry:
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
        key=GameSelectionKey(*key[:4]),
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
    compared: Set[str] | None,
    moved: Iterable[PriceEntry],
) -> bool:
    """Bring a selection and its prices up to date; ``compared`` None is every bookmaker.

    Returns whether the reference is another: then every price of it has another EV.
    """
    selection.figures = figures = _figures(section, selection.key.selection, compared)
    reference = section.reference
    by_reference = (
        figures.fair_odds,
        figures.suspicious_above,
        reference and (reference.scraped_at, reference.is_live),
    )
    before, selection.judged_by = (
        selection.judged_by,
        (by_reference, figures.median, frozenset(section.other_bets)),
    )
    if selection.judged_by != before:
        moved = selection.prices.values()
    for entry in moved:
        _judge(entry, section, figures)
    names = figures.best_names
    selection.best_entry = selection.prices.get(names[0]) if names else None
    return before[:1] != (by_reference,)


def _judge(entry: PriceEntry, section: Section, figures: Figures) -> None:
    """Compare a price with the reference, if it bets on the same (D27, D30), and the median."""
    odds, fair, middle = entry.odds, figures.fair_odds, figures.median
    entry.over_median = None if middle is None else (odds / middle - 1) * 100
    name, price, reference = entry.bookmaker, entry.price, section.reference
    if (
        name is None
        or fair is None
        or reference is None
        or name in section.other_bets
        or not is_same_state(price.is_live, reference.is_live)
    ):
        entry.ev = entry.doubt = entry.rank = None
        return
    entry.ev = entry.rank = ev = ev_pct(odds, fair, section.key.market_type)
    entry.doubt = doubt_of(section, name, price, ev, figures.suspicious_above) if ev > 0 else None
    if entry.doubt is not None:
        entry.rank = ev - _DOUBT


def _figures(section: Section, selection: str, compared: Set[str] | None) -> Figures:
    held, others = section.row_of(selection), section.other_bets
    odds = sorted(
        [
            price.odds
            for name, price in held.prices.items()
            if price.withdrawn_at is None
            and name not in others
            and (compared is None or name in compared)
        ]
    )
    return Figures(
        reference_odds=offered(held.reference),
        liquidity=held.liquidity,
        fair_odds=held.fair,
        value_from=held.value_from,
        suspicious_above=held.suspicious_above,
        reference_hold=section.reference_hold,
        best_hold=section.best_hold,
        best=odds[-1] if odds else None,
        best_names=held.best_bookmakers if compared is None else _best_of(held, compared - others),
        worst=odds[0] if odds else None,
        median=median(odds) if odds else None,
        spread=(1 / odds[0] - 1 / odds[-1]) * 100 if odds else None,
        count=len(odds),
    )


def _best_of(held: SelectionRow, names: Set[str]) -> tuple[str, ...]:
    """Who among bookmakers offers the highest odds, by name."""
    offers = {name: offered(held.prices.get(name)) or 0.0 for name in names}
    best = max(offers.values(), default=0.0)
    return tuple(sorted(name for name, odds in offers.items() if odds == best > 0))
