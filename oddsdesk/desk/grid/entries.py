"""What the rows of the odds grid are made of: selections, and their prices by bookmaker."""

from array import array
from collections.abc import Iterable, Sequence, Set
from enum import Enum
from math import isnan, nan
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.market_words import (
    competition_text,
    searched_selection,
    selection_order,
    shown_game,
)
from oddsdesk.base.texts import translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import (
    Doubted,
    Laid,
    LineHolds,
    Matrix,
    Price,
    RowKey,
    Section,
    SelectionRow,
    offered,
)
from oddsdesk.board.valuation.figures import (
    best_among,
    best_lay,
    decided_without,
    fair_without,
    window_without,
)
from oddsdesk.contract.competitions import competition_title, period_label
from oddsdesk.contract.markets import market_title
from oddsdesk.pricing.assessment import Caution, doubts_in_order
from oddsdesk.pricing.value import DerivedKind, expected_value, floored_from, is_same_state

NOWHERE = -1
"""The number of an entry that no list has."""

_SET_BACK = 1e7
"""More than any EV: what one that something speaks against is sorted below the others by."""


class Shape(Enum):
    """What one row of the grid is; the value is the word that settings keep."""

    PRICES = "prices"
    SELECTIONS = "selections"


RANK: Final = attrgetter("rank")
"""What rows are sorted by where the highest EV comes first."""


class GameSelectionKey(NamedTuple):
    """A selection among all games."""

    game_id: str
    market_type: str
    period: int
    selection: str


class Figures(msgspec.Struct, frozen=True):
    """What bookmakers say of a selection together; the reference stands apart.

    ``best`` to ``count`` are over the prices offered now by the bookmakers compared;
    those that bet on something else are left out.
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
    """Of the user's bookmakers among those compared; of all of these where the user has none."""
    best_names: tuple[str, ...] = ()
    best_of_all: float | None = None
    laid: Laid | None = None
    """A lay of the other selection that pays more than the best price."""
    laid_of_all: Laid | None = None
    doubted: Doubted | None = None
    """A higher price that is not to be relied upon."""
    worst: float | None = None
    median: float | None = None
    spread: float | None = None
    """From worst to best in percentage points of probability."""
    count: int = 0
    best_lay: float | None = None
    """The odds of the lay that pays most after commission, of the user's bookmakers among those
    compared."""
    best_lay_at: str = ""

    @property
    def best_odds(self) -> float | None:
        """The best price, or the odds of the back that a better lay is."""
        return self.best if self.laid is None else self.laid.odds

    @property
    def best_of_all_odds(self) -> float | None:
        """The same of all bookmakers compared."""
        return self.best_of_all if self.laid_of_all is None else self.laid_of_all.odds

    @property
    def best_hold(self) -> float | None:
        """Hold of the best prices of the whole line group, by all bookmakers, in percent."""
        return self.holds.best()


class Verdict(NamedTuple):
    """What is said of a price; most share one."""

    cautions: tuple[Caution, ...] = ()
    is_value: bool = False
    has_no_window: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether anything speaks against the price."""
        return self.has_no_window or bool(self.cautions)


UNREMARKABLE = Verdict()
_WITHDRAWN: Final = Verdict((Caution.WITHDRAWN,))


class Judgements:
    """What each price is worth, by its number, as it was judged last."""

    def __init__(self) -> None:
        self.evs = array("d")
        """EV in percent, net; not a number: none."""
        self.ranks = array("d")
        """The EV as it is sorted by: in doubt below all that are not."""
        self.verdicts: dict[int, Verdict] = {}
        """Of those of which anything is said."""

    def make_room(self) -> None:
        """Make room for the next number."""
        self.evs.append(nan)
        self.ranks.append(nan)

    def note_worth(self, number: int, ev: float | None, verdict: Verdict) -> None:
        """Note what a price is worth."""
        self.evs[number] = self.ranks[number] = nan if ev is None else ev
        if verdict is UNREMARKABLE:
            self.verdicts.pop(number, None)
            return
        self.verdicts[number] = verdict
        if verdict.is_doubtful:
            self.ranks[number] -= _SET_BACK


class Comparison(msgspec.Struct):
    """What the figures of all selections are formed on."""

    board: Board
    judged: Judgements
    """Of the prices."""
    names: Set[str] | None = None
    """The bookmakers that best, median and spread are over; None is all of them."""

    @property
    def has_mine(self) -> bool:
        """Whether the user has chosen bookmakers."""
        return self.board.basis.mine is not None


class SelectionEntry(msgspec.Struct, eq=False):
    """A selection of a game; as a row it shows the best price compared."""

    comparison: Comparison
    key: GameSelectionKey
    match_name: str
    game: str
    """How the game is written: ``Everton v Liverpool``."""
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    period_label: str
    """In English, as exports and saved filters have it."""
    order: tuple[object, ...]
    """Its place in the field's order: game, market, line, side."""
    text: str
    """What filter words are looked for in, case folded."""
    named_order: str = ""
    """What it is sorted by if sorted by name."""
    prices: dict[str, "PriceEntry"] = msgspec.field(default_factory=dict)
    section: Section | None = None
    """The line group of its prices, as the board had it last; None where there are none."""
    worked_out: Figures | None = None
    """Its figures, from when they are asked for until a price of it is another."""
    judged_by: tuple[object, ...] = ()
    """What its prices were judged by; while it stays, only moved prices are judged again."""
    number: int = NOWHERE
    """Among the selections of the grid."""

    @property
    def figures(self) -> Figures:
        """What bookmakers say of it: worked out when somebody looks, as prices move oftener."""
        if self.worked_out is None:
            self.worked_out = _figures(self)
        return self.worked_out

    @property
    def derived(self) -> DerivedKind | None:
        """How its fair odds were derived; None if the reference prices the line itself."""
        derived = None if self.section is None else self.section.derived
        return None if derived is None else derived.kind

    @property
    def best_entry(self) -> "PriceEntry | None":
        """The best price compared, None where nobody offers one."""
        names = self.figures.best_names
        return self.prices.get(names[0]) if names else None

    @property
    def selection(self) -> "SelectionEntry":
        """Itself: both kinds of row are asked alike."""
        return self

    @property
    def price(self) -> Price | None:
        """The best price compared, None where nobody offers one."""
        return None if self.best_entry is None else self.best_entry.price

    @property
    def bookmaker(self) -> str:
        """Who offers the best price; empty where nobody does."""
        return "" if self.best_entry is None else self.best_entry.bookmaker

    @property
    def odds(self) -> float | None:
        return None if self.best_entry is None else self.best_entry.odds

    @property
    def shown_odds(self) -> float | None:
        """The odds of the best price, or of the back that a better lay is."""
        return self.figures.best_odds

    @property
    def ev(self) -> float | None:
        """EV of the best price in percent; a better lay has none, as value bets are backs."""
        return None if self.best_entry is None else self.best_entry.ev

    @property
    def ev_pct(self) -> float | None:
        """The same after the safety floor, for files."""
        return None if self.best_entry is None else self.best_entry.ev_pct

    @property
    def band_pct(self) -> float | None:
        """By how much that EV may be off; None unless modelled."""
        return None if self.best_entry is None else self.best_entry.band_pct

    @property
    def is_per_staked(self) -> bool:
        """Whether that EV is of a unit staked, not only of a decided one."""
        return self.best_entry is None or self.best_entry.is_per_staked

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
    def lay(self) -> float | None:
        """The odds of the best lay."""
        return self.figures.best_lay

    @property
    def lay_spread(self) -> float | None:
        """How far the best lay is above the best price, in percent of that."""
        return spread_pct(self.odds, self.lay)

    @property
    def scraped_at(self) -> int | None:
        """When the best price was last seen."""
        return None if self.best_entry is None else self.best_entry.scraped_at

    @property
    def changed_at(self) -> int | None:
        """When the best price last moved."""
        return None if self.best_entry is None else self.best_entry.changed_at

    @property
    def is_in_board(self) -> bool:
        """Whether any bookmaker compared, or the reference, prices it still."""
        return self.figures.count > 0 or self.figures.reference_odds is not None


class PriceEntry(msgspec.Struct, eq=False, gc=False):
    """One bookmaker's price of a selection; holds nothing that its price or selection tells.

    The garbage collector skips it, as there are many thousands: dropping a
    selection cuts the rings.
    """

    selection: SelectionEntry
    bookmaker: str
    price: Price
    """As it is now."""
    number: int = NOWHERE
    """Among the prices of the grid."""

    @property
    def ev(self) -> float | None:
        """EV in percent, net; None for the reference's own price."""
        return _figure_at(self.selection.comparison.judged.evs, self.number)

    @property
    def ev_pct(self) -> float | None:
        """The same after the safety floor, for files."""
        ev, section = self.ev, self.selection.section
        if ev is None or section is None:
            return None
        row = section.selection_row(self.selection.key.selection)
        decided = decided_without(section, row, self.bookmaker)
        return floored_from(ev, section.key.market_type, decided)

    @property
    def band_pct(self) -> float | None:
        """By how many percentage points that may be off either way; None unless modelled."""
        section, selection = self.selection.section, self.selection.key.selection
        derived = None if section is None else section.derived
        if section is None or derived is None or derived.kind != "modelled" or self.ev is None:
            return None
        row, net = section.selection_row(selection), self.selection.comparison.board.basis.net
        band = derived.bands[section.side_of(selection)]
        return net(self.bookmaker, self.odds) * band * row.decided * 100

    @property
    def is_per_staked(self) -> bool:
        """Whether that is of a unit staked, not only of a decided one."""
        section = self.selection.section
        return section is None or section.push_without(self.bookmaker) is not None

    @property
    def verdict(self) -> Verdict:
        """What is said of it."""
        return self.selection.comparison.judged.verdicts.get(self.number, UNREMARKABLE)

    @property
    def is_in_board(self) -> bool:
        """Whether the board holds it still."""
        return self.selection.prices.get(self.bookmaker) is self

    @property
    def rank(self) -> float | None:
        """The EV as it is sorted by: in doubt below all that are not."""
        return _figure_at(self.selection.comparison.judged.ranks, self.number)

    @property
    def is_reference(self) -> bool:
        """Whether it is the reference's own."""
        return self.bookmaker == self.selection.comparison.board.desk_reference.bookmaker

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What speaks against the price, as far as it has the least edge at all."""
        return self.verdict.cautions

    @property
    def is_value(self) -> bool:
        return self.verdict.is_value

    @property
    def has_no_window(self) -> bool:
        """Whether it has an edge where no price can be value: the reference keeps too much."""
        return self.verdict.has_no_window

    @property
    def odds(self) -> float:
        return self.price.odds

    @property
    def shown_odds(self) -> float:
        """The odds in the row."""
        return self.price.odds

    @property
    def lay(self) -> float | None:
        """The lowest odds that can be laid there."""
        return lay_of(self.price)

    @property
    def lay_spread(self) -> float | None:
        """How far they are above the price, in percent of it."""
        return spread_pct(self.price.odds, self.lay)

    @property
    def scraped_at(self) -> int:
        """When it was last seen."""
        return self.price.scraped_at

    @property
    def changed_at(self) -> int:
        """When it last moved."""
        return self.price.changed_at

    @property
    def over_median(self) -> float | None:
        """How far the price lies above the median, in percent."""
        middle = self.selection.figures.median
        return None if middle is None else (self.price.odds / middle - 1) * 100

    @property
    def is_doubtful(self) -> bool:
        """Whether anything speaks against the price."""
        return self.verdict.is_doubtful

    @property
    def hold(self) -> float | None:
        """What the bookmaker keeps on the line, in percent; None where it does not price it all."""
        figures = self.selection.figures
        return figures.reference_hold if self.is_reference else figures.holds.get(self.bookmaker)


def lay_of(price: Price) -> float | None:
    """Return the lowest odds that can be laid where a price is offered; None for nothing."""
    if price.withdrawn_at is not None or price.depth is None:
        return None
    return price.depth.lay_odds


def spread_pct(back: float | None, lay: float | None) -> float | None:
    """Return how far lay odds are above back odds, in percent of the back odds."""
    return None if back is None or lay is None else (lay / back - 1) * 100


def _figure_at(figures: Sequence[float], number: int) -> float | None:
    found = nan if number == NOWHERE else figures[number]
    return None if isnan(found) else found


Entry = SelectionEntry | PriceEntry


def make_selection_entry(
    comparison: Comparison, key: GameSelectionKey, matrix: Matrix, section: Section
) -> SelectionEntry:
    """Return the selection of a price that is new to the grid."""
    game = shown_game(matrix.match_name)
    label = period_label(matrix.sport, key.period)
    said = (
        matrix.match_name,
        game,
        matrix.competition,
        competition_title(matrix.competition),
        matrix.sport,
        section.line_title,
        section.key.group,
        key.market_type,
        label,
        searched_selection(key.selection),
        market_title(key.market_type),
    )
    in_language = (matrix.sport, market_title(key.market_type), label)
    said_here = [text for each in in_language if (text := translated(each)) != each]
    said_here.append(competition_text(matrix.competition))
    kick_off = float("inf") if matrix.kick_off is None else matrix.kick_off
    side = next(i for i, row in enumerate(section.rows) if row.selection == key.selection)
    return SelectionEntry(
        comparison=comparison,
        key=key,
        match_name=matrix.match_name,
        game=game,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=matrix.is_live,
        period_label=label,
        order=(kick_off, matrix.match_name, *section.section_order(), side),
        text=" ".join((*said, *said_here)).casefold(),
        named_order=selection_order(key.selection),
    )


def judge_moved(
    selection: SelectionEntry, section: Section, row: SelectionRow, moved: Iterable[PriceEntry]
) -> bool:
    """Judge those prices of a selection that moved, by the row that the board has of it now.

    Returns whether the reference is another: then all of them are judged and have another EV.
    """
    reference, others = section.reference, section.other_bets
    basis = selection.comparison.board.basis
    before, selection.judged_by = (
        selection.judged_by,
        (
            row.fair,
            row.decided,
            basis.profiles,
            basis.mine,
            reference and reference.is_live,
            section.pool,  # another one as soon as a bookmaker says something else
            tuple(sorted(others)) if others else (),
        ),
    )
    selection.section, selection.worked_out = section, None
    if selection.judged_by != before:
        moved = selection.prices.values()
    _judge(moved, section, row, selection.comparison)
    return selection.judged_by[:-1] != before[:-1]


def _judge(
    moved: Iterable[PriceEntry], section: Section, row: SelectionRow, comparison: Comparison
) -> None:
    """Take what the board says of prices of a row."""
    board, judged = comparison.board, comparison.judged
    reference, pool, others, near = section.reference, section.pool, section.other_bets, row.near
    net = board.basis.net
    fair, decided, least = row.fair, row.decided, row.value_from
    in_play = None if reference is None else reference.is_live
    evs, ranks, verdicts = judged.evs, judged.ranks, judged.verdicts
    for entry in moved:
        name, price, ev, verdict = entry.bookmaker, entry.price, None, UNREMARKABLE
        if price.withdrawn_at is not None:
            verdict = _WITHDRAWN
        elif name in near:
            key = RowKey(*entry.selection.key, name)
            if (known := board.value_bets.get(key)) is not None:
                verdict = Verdict(known.assessment.cautions, board.is_value_bet(key))
        if section.doubts and verdict is UNREMARKABLE:
            doubts = section.doubts.get((row.selection, name))
            verdict = Verdict(tuple(doubts_in_order(doubts))) if doubts else verdict
        if pool is not None:
            fair, decided = fair_without(section, row, name), decided_without(section, row, name)
            least, _ = window_without(section, row, name)
        if (
            name != row.market.reference
            and fair is not None
            and reference is not None
            and name not in others
            and (price.is_live is in_play or is_same_state(price.is_live, in_play))
        ):
            ev = expected_value(net(name, price.odds), fair, decided)
            if least is None and ev >= section.rules.minimum_ev(section.key.market_type, decided):
                verdict = verdict._replace(has_no_window=True)
        number = entry.number
        if verdict is UNREMARKABLE and number not in verdicts:
            evs[number] = ranks[number] = nan if ev is None else ev
        else:
            judged.note_worth(number, ev, verdict)


def _figures(selection: SelectionEntry) -> Figures:
    section, basis = selection.section, selection.comparison.board.basis
    if section is None:
        return Figures()
    row, others = section.selection_row(selection.key.selection), section.other_bets
    compared = selection.comparison.names
    odds = sorted(
        [
            price.odds
            for name, price in row.others()
            if price.withdrawn_at is None
            and name not in others
            and (row.selection, name) not in section.doubts
            and (compared is None or name in compared)
        ]
    )
    offers = row.offer.found()
    if compared is not None:
        offers = best_among(section, row, basis, compared)
    names, of_all = offers.mine.bookmakers, offers.of_all.bookmakers
    best = row.prices.get(names[0]) if names else None
    best_of_all = row.prices.get(of_all[0]) if of_all else None
    lay = best_lay(row, basis, lambda name, _: compared is None or name in compared)
    return Figures(
        reference_odds=offered(row.reference),
        liquidity=row.liquidity,
        fair_odds=row.fair,
        value_from=row.value_from,
        suspicious_above=row.suspicious_above,
        reference_hold=section.reference_hold,
        holds=section.holds,
        best=None if best is None else best.odds,
        best_names=() if best is None else names,
        best_of_all=None if best_of_all is None else best_of_all.odds,
        laid=offers.lay,
        laid_of_all=offers.lay_of_all,
        doubted=offers.doubted,
        worst=odds[0] if odds else None,
        median=_middle(odds) if odds else None,
        spread=(1 / odds[0] - 1 / odds[-1]) * 100 if odds else None,
        count=len(odds),
        best_lay=None if lay is None else lay.odds,
        best_lay_at="" if lay is None else lay.bookmaker,
    )


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of figures in order; ``statistics`` would put them in order again."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
